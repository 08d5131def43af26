"""Programs of the tensor model language: random ones, mistakes in them, and their rules in a few lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

Shape = tuple[int, ...]
EXTENTS = (1, 2, 3, 5)


class Wrong(Exception):
    """A program that the rules do not accept; which of the five kinds of mistake it is."""


def reference(declarations: list[tuple[str, Shape]], statements: list[tuple[str, object]]) -> None:
    """The report's Figures 7 to 9. Formulas: a name, or (operator, operands…)."""
    context: dict[str, Shape] = {}
    for name, shape in declarations:
        if name in context:
            raise Wrong("redeclaration")
        context[name] = shape
    for name, formula in statements:
        if name not in context:
            raise Wrong("undeclared assignment")
        if type_of(formula, context) != context[name]:
            raise Wrong("assignment")


def type_of(formula: object, context: dict[str, Shape]) -> Shape:
    if isinstance(formula, str):
        if formula not in context:
            raise Wrong("undeclared use")
        return context[formula]
    assert isinstance(formula, tuple)
    op, first, *others = formula
    left = type_of(first, context)
    if op in (".", "^"):
        k, l = (n - 1 for n in others)
        if not (0 <= k < len(left) and 0 <= l < len(left)):
            raise Wrong("expression")
        if op == "^":
            return tuple(left[l] if n == k else left[k] if n == l else e for n, e in enumerate(left))
        if k == l or left[k] != left[l]:
            raise Wrong("expression")
        return tuple(e for n, e in enumerate(left) if n not in (k, l))
    right = type_of(others[0], context)
    if op == "#":
        return left + right
    if left == right or (op == "*" and left == ()):
        return right
    if op == "/" and right == ():
        return left
    raise Wrong("expression")


def text_of(formula: object) -> str:
    if isinstance(formula, str):
        return formula
    assert isinstance(formula, tuple)
    op, first, *others = formula
    if op in (".", "^"):
        return f"({text_of(first)}) {op} [{others[0]} {others[1]}]"
    return f"({text_of(first)}) {op} ({text_of(others[0])})"


@dataclass
class Text:
    """A program, right or wrong."""

    declarations: list[tuple[str, Shape]] = field(default_factory=list)
    statements: list[tuple[str, object]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"var {name} : [{' '.join(map(str, shape))}]" for name, shape in self.declarations]
        return "\n".join([*lines, *(f"{name} = {text_of(formula)}" for name, formula in self.statements)])


@st.composite
def texts(draw: st.DrawFn, mistakes: bool = True) -> Text:
    """Programs of one to five variables and as many statements; most are right, or have one mistake."""
    shapes = st.lists(st.sampled_from(EXTENTS), max_size=3).map(tuple)
    names = [f"v{n}" for n in range(draw(st.integers(1, 4)))]
    program = Text([(name, draw(shapes)) for name in names])
    context = dict(program.declarations)
    for number in range(draw(st.integers(1, 3))):
        formula, shape = formulas(draw, context, draw(st.integers(0, 3)))
        if len(shape) > 5:
            continue
        same = [name for name, s in context.items() if s == shape]
        target = draw(st.sampled_from(same)) if same and draw(st.booleans()) else f"r{number}"
        if target not in context:
            context[target] = shape
            program.declarations.append((target, shape))
        program.statements.append((target, formula))
    if mistakes and draw(st.booleans()):
        _spoil(draw, program)
    return program


def formulas(draw: st.DrawFn, context: dict[str, Shape], depth: int) -> tuple[object, Shape]:
    """A well-typed formula, with its type."""
    name = draw(st.sampled_from(sorted(context)))
    if depth == 0:
        return name, context[name]
    first, shape = formulas(draw, context, depth - 1)
    kind = draw(st.sampled_from("#.^+-*/"))
    if kind == "^" and shape:
        k, l = draw(st.integers(1, len(shape))), draw(st.integers(1, len(shape)))
        return ("^", first, k, l), type_of(("^", "x", k, l), {"x": shape})
    if kind == ".":
        pairs = [(k, l) for k in range(len(shape)) for l in range(len(shape)) if k != l and shape[k] == shape[l]]
        if pairs:
            k, l = draw(st.sampled_from(pairs))
            return (".", first, k + 1, l + 1), type_of((".", "x", k + 1, l + 1), {"x": shape})
    if kind in "+-*/":
        same = [n for n, s in context.items() if s == shape]
        if same:
            return (kind, first, draw(st.sampled_from(same))), shape
    if kind == "#" and len(shape) + len(context[name]) <= 4:
        return ("#", first, name), shape + context[name]
    return first, shape


def _spoil(draw: st.DrawFn, program: Text) -> None:
    """One mistake of one of the five kinds, mostly."""
    kind = draw(st.sampled_from(["declare", "assign", "type", "use", "position"]))
    if kind == "declare":
        program.declarations.append(draw(st.sampled_from(program.declarations)))
    elif program.statements:
        number = draw(st.integers(0, len(program.statements) - 1))
        target, formula = program.statements[number]
        program.statements[number] = {
            "assign": ("unknown", formula),
            "type": (draw(st.sampled_from(program.declarations))[0], formula),
            "use": (target, ("+", formula, "unknown")),
            "position": (target, (".", formula, draw(st.integers(0, 3)), draw(st.integers(1, 3)))),
        }[kind]


def spoil(draw: st.DrawFn, program: Text, kind: str) -> None:
    """Exactly one mistake, of this kind, in a program that has none."""
    name, shape = draw(st.sampled_from(program.declarations))
    other = (*shape, 7)  # of no variable: extents are 1, 2, 3 and 5
    wrong = {
        "undeclared assignment": ("unknown", name),
        "undeclared use": (name, draw(st.sampled_from(["unknown", ("+", name, "unknown"), ("#", "unknown", name)]))),
        "assignment": (name, "other"),
        "expression": (name, draw(st.sampled_from([("+", name, "other"), ("^", name, 0, 1), (".", name, 1, 9)]))),
    }.get(kind)
    if wrong is None:
        program.declarations.append((name, draw(st.sampled_from([shape, other]))))
        return
    program.declarations.append(("other", other))
    program.statements.insert(draw(st.integers(0, len(program.statements))), wrong)
