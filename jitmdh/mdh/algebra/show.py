"""How the high-level representation looks in print: the notation of the thesis (Figures 11 and 12, Notations 7 and 8).

Knows text only, no nodes: the nodes' `__str__` hand their parts to these functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.base.text import indent
from jitmdh.mdh.algebra.operations.arithmetic import ATOM, COMPARISON, CONDITIONAL, POWER, PRODUCT, SUM, UNARY
from jitmdh.mdh.algebra.operations.table import OPERATIONS

__all__ = ["show"]


def show(node: object) -> str:
    """Any node of the representation as text; the same as `str`."""
    return str(node)


# ------------------------------------------------------------------------------------------------------- formulas


@dataclass(frozen=True, slots=True)
class ShownFormula:
    """Text of a scalar expression with the level of its outermost operator."""

    text: str
    level: int = ATOM

    def at(self, level: int) -> str:
        """The text, in parentheses if it binds weaker than `level`."""
        return self.text if self.level >= level else f"({self.text})"


def constant(value: bool | int | float | complex) -> ShownFormula:
    """A literal as Python writes it."""
    text = repr(value)
    return ShownFormula(text, UNARY if text.startswith("-") else ATOM)


def affine(terms: Sequence[tuple[str, int]], offset: int) -> ShownFormula:
    """`offset + Σ coefficient·name`, e.g. `2*i - k + 1`."""
    text = ""
    for name, coefficient in terms:
        body = name if abs(coefficient) == 1 else f"{abs(coefficient)}*{name}"
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {body}" if text else (f"-{body}" if coefficient < 0 else body)
    if not text:
        return constant(offset)
    if offset:
        return ShownFormula(f"{text} {'-' if offset < 0 else '+'} {abs(offset)}", SUM)
    if len(terms) > 1:
        return ShownFormula(text, SUM)
    return ShownFormula(text, {1: ATOM, -1: UNARY}.get(terms[0][1], PRODUCT))


def operation(op: str, operands: Sequence[ShownFormula], type: str) -> ShownFormula:
    """`op(operands)` in Python's notation.

    >>> a, b = ShownFormula("a"), ShownFormula("b")
    >>> total = operation("add", [a, b], "float32")
    >>> operation("mul", [total, operation("neg", [total], "float32")], "float32").text
    '(a + b) * -(a + b)'
    """
    if op == "select":
        condition, then, otherwise = operands
        return ShownFormula(f"{then.at(1)} if {condition.at(1)} else {otherwise.at(CONDITIONAL)}", CONDITIONAL)
    if op in ("add_product", "sub_product"):
        product = operation("mul", operands[1:], type)
        return operation(op[:3], [operands[0], product], type)
    symbol = OPERATIONS[op].symbol if op in OPERATIONS else None
    if symbol is not None:
        sign, level = symbol
        if len(operands) == 1:
            return ShownFormula(sign + operands[0].at(level), level)
        left, right = operands
        tighter_left = level in (COMPARISON, POWER)
        tighter_right = op != "pow"
        return ShownFormula(f"{left.at(level + tighter_left)} {sign} {right.at(level + tighter_right)}", level)
    name = type if op == "cast" else op
    return ShownFormula(f"{name}({', '.join(o.text for o in operands)})")


# ------------------------------------------------------------------------------------------------------ procedures


def procedure(node: Any) -> str:
    """A `Procedure` as Python writes it."""
    results = ", ".join(map(str, node.results))
    head = f"loop({', '.join(p.name for p in node.parameters)}):"
    return head + "\n" + indent("\n".join([*_instructions(node.body), f"return {results}"]))


def _instructions(body: Iterable[Any]) -> list[str]:
    lines = []
    for node in body:
        match type(node).__name__:
            case "Bind":
                lines.append(f"{node.variable} = {node.value}")
            case "Fetch":
                lines.append(f"{node.variable} = {node.buffer}[{', '.join(map(str, node.index))}]{_where(node.where)}")
            case "Put":
                lines.append(f"{node.buffer}[{', '.join(map(str, node.index))}] = {node.value}{_where(node.where)}")
            case "Require":
                lines.append(f"require not {node.wrong}{_where(node.where)}")
            case "Iterate":
                lines += _loop(node)
    return lines


def _loop(node: Any) -> list[str]:
    lines = [f"{state} = {value}" for state, value in zip(node.states, node.initial)]
    inner = [*_instructions(node.head), f"if not {node.condition}: break", *_instructions(node.body)]
    if node.states:
        inner.append(f"{', '.join(map(str, node.states))} = {', '.join(map(str, node.following))}")
    if str(node.leave) != "False":
        inner.append(f"if {node.leave}: break")
    lines += [f"while {node.active}{_where(node.where)}:", indent("\n".join(inner))]
    return lines + [f"{result} = {state}" for result, state in zip(node.results, node.states)]


def _where(condition: Any) -> str:
    return "" if str(condition) == "True" else f" if {condition}"


# ---------------------------------------------------------------------------------------------- functions, operators


def tuple_of(items: Iterable[object]) -> str:
    return f"({', '.join(map(str, items))})"


def function(parameters: Sequence[str], bindings: Sequence[tuple[str, str]], results: Sequence[str]) -> str:
    """`(parameters) ↦ results`, with a line per binding before the results."""
    body = results[0] if len(results) == 1 else tuple_of(results)
    if not bindings:
        return f"{tuple_of(parameters)} ↦ {body}"
    lines = [f"{name} = {value}" for name, value in bindings]
    return f"{tuple_of(parameters)} ↦\n" + indent("\n".join([*lines, body]), 2)


def operator(name: str, body: str, identity: Sequence[str] | None, commutative: bool) -> str:
    """The definition of a combine operator."""
    neutral = "no identity" if identity is None else f"identity {tuple_of(identity)}"
    return f"{name}: {body}\n  {neutral}{'' if commutative else ', not commutative'}"


# ------------------------------------------------------------------------------------------------------- expressions


def guarded(text: str, guard: Sequence[str]) -> str:
    """`text` with the conditions under which it holds."""
    return text if not guard else f"{text} if {' and '.join(f'{g} ≥ 0' for g in guard)}"


def view(dims: Sequence[str], accesses: Sequence[tuple[str, Sequence[str], Sequence[str]]]) -> str:
    """Notation 7: `M : (i, k) ↦ (i, k), v : (i, k) ↦ (k)`, from (buffer, index, guard) of each access."""
    parts = []
    previous = None
    for buffer, index, guard in accesses:
        access = guarded(f"{tuple_of(dims)} ↦ {tuple_of(index)}", guard)
        parts.append(access if buffer == previous else f"{buffer} : {access}")
        previous = buffer
    return ", ".join(parts)


def applied(name: str, meta: Sequence[str], *arguments: str) -> str:
    """`name[meta]( arguments )`; on several lines where an argument has several or the line gets long."""
    head = f"{name}[{', '.join(meta)}]" if meta else name
    inside = [a for a in arguments if a]
    line = f"{head}( {', '.join(inside)} )" if inside else f"{head}()"
    if "\n" not in line and len(line) <= 110:
        return line
    lines = ",\n".join(inside)
    return f"{head}(\n{indent(lines, 2)} )"


def composed(name: str, functions: Sequence[str], definitions: Sequence[str]) -> str:
    """`name = f ∘ g ∘ h`, and what its operators mean."""
    text = f"{name} =\n" + indent(" ∘\n".join(functions))
    return text if not definitions else text + "\n" + indent("where\n" + indent("\n".join(definitions)))
