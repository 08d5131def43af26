"""The trace in print: one line for each statement, with a line for each reduction that it takes in.

    for i < M.shape[0]:
      r0 = add over k < M.shape[1] from (w[i]) of (M[i, k] * v[k])
      w[i]: float64 = r0                                                # line 4

A loop that stays sequential says why. Lines of the source count from the function's own first line, which is 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jitmdh.base.source import Loc
from jitmdh.mdh.algebra import show as notation
from jitmdh.mdh.algebra.expr import ArrayParameter
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations import arithmetic
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Procedure, Scalar, Variable
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Item, Statement, Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import Carried, Component, LoopDim, Read, Reduction

_COLUMN = 88
"""Where the source lines stand."""


def show(trace: Trace, items: Sequence[Item], name: str, definition: Loc) -> str:
    """The trace of the function `name`, defined at `definition`: its arrays, and `items` of its outermost block."""
    printer = _Printer(trace, definition)
    parameters = ", ".join(_parameter(p.name, str(p.type), p) for p in trace.parameters)
    lines = [f"{name}({parameters}):"]
    lines += [f"  {_allocated(b)}" for b in trace.buffers.values() if b.allocated]
    lines += [f"  size {d.name} = {d.value}" for d in trace.definitions.values()]
    for indirect in trace.indirect.values():
        value = printer.value(indirect.value).text
        lines += printer.pending("  ")
        lines.append(printer.located(f"  {indirect.name} = {value}", indirect.loc))
    for item in items:
        lines += printer.item(item, "  ")
    return "\n".join(lines)


def _parameter(name: str, type: str, parameter: object) -> str:
    rank = f"[{', '.join([':'] * parameter.rank)}]" if isinstance(parameter, ArrayParameter) else ""
    return f"{name}: {type}{rank}"


def _allocated(buffer: BufferInfo) -> str:
    """An array or local variable that the function makes; spread out: with an element for each iteration of loops."""
    shape = ", ".join(map(str, buffer.shape))
    text = f"new {buffer.name}: {buffer.type}" + (f"[{shape}]" if shape else "")
    if buffer.expanded:
        text += f", one for each {', '.join(d.name for d in buffer.expanded)}"
    return text if buffer.fill is None else f"{text}, filled with {buffer.fill}"


class _Printer:
    """The reductions of a statement are numbered as they are met; `pending` holds those not yet written."""

    def __init__(self, trace: Trace, definition: Loc) -> None:
        self.trace, self.definition = trace, definition
        self.numbers: dict[int, str] = {}
        self.lines: list[str] = []

    def pending(self, indent: str) -> list[str]:
        """The lines of the reductions met since the last call."""
        lines, self.lines = [indent + line for line in self.lines], []
        return lines

    def located(self, text: str, loc: Loc | None) -> str:
        """`text` with the line of the source that it comes from."""
        if loc is None:
            return text
        own, last = self.definition, self.definition.end_line or self.definition.line
        if loc.filename == own.filename and own.line <= loc.line <= last:
            return f"{text:<{_COLUMN}}  # line {loc.line - own.line + 1}"
        return f"{text:<{_COLUMN}}  # {loc.filename.replace(chr(92), '/').rpartition('/')[2]}:{loc.line}"

    # ------------------------------------------------------------------------------------------ statements

    def item(self, item: Item, indent: str) -> list[str]:
        if isinstance(item, Statement):
            return self.statement(item, indent)
        head = f"{indent}for {loop(item.dim)}, sequential: {item.reason}"
        lines = [self.located(head, item.dim.loc)]
        for inner in item.items:
            lines += self.item(inner, indent + "  ")
        return lines

    def statement(self, item: Statement, indent: str) -> list[str]:
        self.numbers.clear()
        head = ""
        if item.dims:
            head = f"for {', '.join(map(loop, item.dims))}"
        if item.guard:
            head = f"{head} if {_conditions(item.guard)}".lstrip()
        if item.scattered and item.operator is not None:
            head += f", {item.operator.name} scattered over {', '.join(d.name for d in item.scattered)}"
        lines, inside = [], indent
        if head:
            lines, inside = [f"{indent}{head}:"], indent + "  "
        places = [f"{t.buffer}{_index(t.index)}" for t in item.targets]
        values = [self.value(t.value).text for t in item.targets]
        lines += self.pending(inside)
        types = [str(self.trace.buffers[t.buffer].type) for t in item.targets]
        left = ", ".join(f"{p}: {x}" for p, x in zip(places, types))
        maybe = "maybe " if any(t.speculative for t in item.targets) else ""
        return [*lines, self.located(f"{inside}{maybe}{left} = {', '.join(values)}", item.loc or item.targets[0].loc)]

    # ------------------------------------------------------------------------------------------ values

    def value(self, node: Scalar) -> notation.ShownFormula:
        match node:
            case Constant() | IndexValue() | Procedure():
                return node.formula
            case Operation(op, operands, type):
                return notation.operation(op, [self.value(o) for o in operands], str(type))
            case Variable(name):
                return self._leaf(name)

    def _leaf(self, name: str) -> notation.ShownFormula:
        match self.trace.graph.leaf.get(name):
            case Read(buffer, index, guard):
                element = f"{buffer}{_index(index)}"
                return (
                    notation.ShownFormula(f"{element} where {_conditions(guard)}", 0)
                    if guard
                    else notation.ShownFormula(element)
                )
            case Component(reduction, number):
                own = self._reduction(reduction)
                return notation.ShownFormula(own if reduction.operator.arity == 1 else f"{own}.{number}")
            case Carried(local):
                return notation.ShownFormula(f"carried {local}", arithmetic.UNARY)
            case None:
                return notation.ShownFormula(name)

    def _reduction(self, r: Reduction) -> str:
        known = self.numbers.get(id(r))
        if known is not None:
            return known
        body = ", ".join(self.value(b).text for b in r.body)
        start = "" if r.init is None else f" from ({', '.join(self.value(i).text for i in r.init)})"
        own = self.numbers[id(r)] = f"r{len(self.numbers)}"
        kind = f"{r.scan} scan by {r.operator.name}" if r.scan else r.operator.name
        where = f" if {_conditions(r.guard)}" if r.guard else ""
        self.lines.append(f"{own} = {kind} over {', '.join(map(loop, r.dims))}{where}{start} of ({body})")
        return own


def loop(dim: LoopDim) -> str:
    """`i < n`; a step is part of the condition."""
    return f"{dim.name} < {dim.room}" if dim.stride == 1 else f"{dim.stride}*{dim.name} < {dim.room}"


def _index(index: Iterable[Affine]) -> str:
    text = ", ".join(map(str, index))
    return f"[{text}]" if text else ""


def _conditions(guard: Iterable[Affine]) -> str:
    return " and ".join(f"{g} ≥ 0" for g in guard)


__all__ = ["loop", "show"]
