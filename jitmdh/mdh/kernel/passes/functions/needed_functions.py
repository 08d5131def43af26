"""Code sinking: a function that takes long is computed only where something needs what it gives.

Before:   const bool up = 0 < d;             after:   const bool up = 0 < d;
          const double t = exp(b * d);                double t = 0.0;
          const bool wrong = up & (t == inf);         if (0 < d)
          const bool flip = (d <= 0) | (u < t);           t = exp(b * d);
                                                      const bool wrong = up & (t == inf);
                                                      const bool flip = (d <= 0) | (u < t);

Python does not come to the right operand of `or` where the left one holds; the kernel computes both, which changes
nothing, but takes time. Only single numbers wait: of a vector, hardly ever no lane needs it.

Requires: names that are bound more than once stay where they are.
Ensures: wherever a value that is not computed is looked at, it makes no difference: it is the operand of an `and` whose
other one is false, of an `or` whose other one is true, or what a `select` leaves, or all of that is looked at nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from jitmdh.base.dtype import bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import negated
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, If, Kernel, Let, Literal, Name, Statement, Value
from jitmdh.mdh.kernel.passes.functions.calls import calls_one, functions_from
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, bodies, children, statements, values

_LONG = 20
"""Instructions as long as a multiply-add that a function takes at least: more than a jump that goes the other way."""

_FUNCTIONS = functions_from(_LONG)

_MOST_FACTS = 16

Fact = tuple[Value, bool]
"""A condition, in the form in which all that say the same are equal, and whether it holds."""

Facts = Mapping[Fact, Value]
"""What holds, and how to ask for it."""


def compute_where_needed(kernel: Kernel) -> Kernel:
    lets = [s for s in statements(kernel.body) if isinstance(s, Let)]
    if not any(map(_takes_long, lets)):
        return kernel
    bound = Counter(let.name.name for let in lets)
    made = {s.name.name: (at, s.value) for at, s in enumerate(lets) if bound[s.name.name] == 1}
    found = _Needs(made)
    found.body(kernel.body, {})
    return _Sinking(found).kernel(kernel) if found.waiting() else kernel


def _takes_long(node: Let) -> bool:
    return calls_one(node.value, _FUNCTIONS, "biufc")


@dataclass(slots=True)
class _Needs:
    """What holds wherever a name is needed. made: the place and the value of each name that is bound once; facts: by
    name, as far as has been looked, from the end; around: what holds where each name that takes long is bound."""

    made: dict[str, tuple[int, Value]]
    facts: dict[str, Facts] = field(default_factory=dict)
    around: dict[str, Facts] = field(default_factory=dict)

    def body(self, body: Body, holds: Facts) -> None:
        for node in reversed(body):
            if isinstance(node, Let):
                if _takes_long(node):
                    self.around[node.name.name] = holds
                needs = self.facts.get(node.name.name)
                if needs is not None or node.name.name not in self.made:
                    self.uses((node.value,), {**holds, **(needs or {})})
                continue
            if isinstance(node, If) and node.condition.lanes == 1:
                self.body(node.otherwise, {**holds, **self.said(node.condition, False)})
                self.body(node.then, {**holds, **self.said(node.condition, True)})
            elif type(node) in NESTED:
                for inner in reversed(bodies(node)):
                    self.body(inner, holds)
            self.uses(children(node), holds)

    def uses(self, several: Iterable[Value], holds: Facts) -> None:
        waiting = [(value, holds) for value in several]
        while waiting:
            node, known = waiting.pop()
            if isinstance(node, Name):
                before = self.facts.get(node.name)
                self.facts[node.name] = known if before is None else {f: v for f, v in before.items() if f in known}
            elif isinstance(node, Apply) and node.lanes == 1 and node.op in ("and", "or") and node.type == bool_:
                left, right = node.operands
                waiting.append((left, {**known, **self.said(right, node.op == "and")}))
                waiting.append((right, {**known, **self.said(left, node.op == "and")}))
            elif isinstance(node, Apply) and node.lanes == 1 and node.op == "select":
                condition, then, otherwise = node.operands
                waiting.append((condition, known))
                waiting.append((then, {**known, **self.said(condition, True)}))
                waiting.append((otherwise, {**known, **self.said(condition, False)}))
            else:
                waiting += [(child, known) for child in children(node)]

    def said(self, condition: Value, holds: bool) -> Facts:
        """All that is known where `condition` holds, or does not."""
        found: dict[Fact, Value] = {}
        waiting = [(condition, holds)]
        while waiting and len(found) < _MOST_FACTS:
            node, truth = waiting.pop()
            match node:
                case Name(name) if name in self.made and self.made[name][1].lanes == 1:
                    waiting.append((self.made[name][1], truth))
                case Apply("not", (one,)):
                    waiting.append((one, not truth))
                    continue
                case Apply("and" | "or" as op, (left, right)) if (op == "and") == truth:
                    waiting += [(left, truth), (right, truth)]
                    continue
            if self.stays(node):
                found.setdefault(_fact(node, truth), node if truth else negated(node))
        return found

    def stays(self, condition: Value) -> bool:
        """Whether a condition is the same everywhere behind it, and soon found."""
        parts = list(values(condition))
        return len(parts) <= 3 and all(
            isinstance(p, Literal | Apply) or (isinstance(p, Name) and p.name in self.made) for p in parts
        )

    def condition(self, name: str) -> Value | None:
        """What has to hold at the place of a name, for anything to need it; None: something may always do."""
        if name not in self.made:
            return None
        at = self.made[name][0]
        for fact, asked in self.facts.get(name, {}).items():
            if fact not in self.around[name] and all(
                self.made[v.name][0] < at for v in values(asked) if isinstance(v, Name)
            ):
                return asked
        return None

    def waiting(self) -> bool:
        return any(self.condition(name) is not None for name in self.around)


def _fact(node: Value, truth: bool) -> Fact:
    match node:
        case Apply("ne", operands):
            return Apply("eq", operands, bool_), not truth
        case Apply("gt" | "ge" as op, (left, right)):
            return _fact(Apply("lt" if op == "gt" else "le", (right, left), bool_), truth)
        case Apply("le", (left, right)) if left.type.is_integer:
            return Apply("lt", (right, left), bool_), not truth
    return node, truth


class _Sinking(Rewriter):
    kinds = NESTED | {Let}

    def __init__(self, needs: _Needs) -> None:
        self.needs = needs

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Let):
            return super().statement(node)
        condition = self.needs.condition(node.name.name) if node.name.name in self.needs.around else None
        if condition is None:
            return (node,)
        type = node.name.type
        zero = Literal(0.0 if type.is_floating else False if type == bool_ else 0, type)
        return Declare(node.name, zero), If(condition, (Assign(node.name, node.value),))
