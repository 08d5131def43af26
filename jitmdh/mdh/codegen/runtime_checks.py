"""Conditions on the data of a call, as code: computed like anything else, compared before what they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.status import Status
from jitmdh.mdh.algebra.bounds import DataCheck, checkable_in_use, data_checks
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.once.joint_extremes import (
    FEWEST,
    Points,
    apart,
    joint_computation,
    joint_run,
    points_of,
)
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.loops.decomposition.nest_facts import unless_failed
from jitmdh.mdh.codegen.loops.nest import NestWriter
from jitmdh.mdh.codegen.microkernel.data_subscripts import is_from_data
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer, minimum, negated, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Fail,
    If,
    Let,
    Literal,
    Load,
    Name,
    Scratch,
    Statement,
    Value,
)
from jitmdh.mdh.lowlevel.expr import LowLevel

Lowering = Callable[[Expression], LowLevel]

_Known = tuple[tuple[Name, Name], int]
"""Where the extremes of subscripts are, and by which number these are moved."""

_FAR = 1 << 62

EARLY, LATE = Status.FIRST_EARLY, Status.FIRST_LATE
"""Status of a kernel whose data do not fulfil condition n: this + n, before anything is written or later."""


class Checks:
    """The conditions of a program, each to be written before the expression that it is about."""

    def __init__(self, program: Program, lowering: Lowering, brief: Lowering, scope: Scope) -> None:
        """lowering: of the computations of extremes, to be fast; brief: to be short."""
        self.all, self.lowering, self.brief, self.scope = data_checks(program), lowering, brief, scope
        self.numbered = list(enumerate(self.all))
        self.in_use = checkable_in_use(program)

    def before_all(self, steps: list[Statement]) -> list[Statement]:
        """`steps` where the conditions that precede everything hold, but for those that `of` has seen to."""
        return self._guarded([(n, c) for n, c in self.numbered if c.before is None], steps, {})

    def of(self, step: Expression, low: LowLevel) -> list[Statement]:
        """What computes `step`, where the conditions right before it hold.

        Where `low` holds results back until it is done, the nest itself looks at subscripts from data as it uses them.
        """
        nest = NestWriter(low, self.scope)
        mine: list[tuple[int, DataCheck]] = []
        if nest.holds_back and any(e is step for e in self.in_use):
            mine = [(n, c) for n, c in self.numbered if c.about is step and c.names and _is_looked_at(c, step)]
        self.numbered = [pair for pair in self.numbered if pair not in mine]
        before = [(n, c) for n, c in self.numbered if c.before is step]
        return self._guarded(before, self._in_use(nest, mine) if mine else nest.write(), {})

    def _in_use(self, nest: NestWriter, checks: Sequence[tuple[int, DataCheck]]) -> list[Statement]:
        """The nest, which looks at the subscripts that `checks` are about; of axes that are empty, none is good."""
        nest.conditions = lambda steps: self._guarded(checks, steps, {})
        with self.scope.looking_at({name: _status(c) + n for n, c in checks for name in c.names}):
            work = unless_failed(self.scope, nest.write())
        least: Value | None = None
        for extent in dict.fromkeys(c.extent for _, c in checks):
            size = self.scope.affine(extent, {})
            least = size if least is None else minimum(least, size)
        assert least is not None
        fast, self.lowering = self.lowering, self.brief
        empty = self._guarded(checks, [], {})
        self.lowering = fast
        return [If(compare("le", least, integer(0)), tuple(empty), rare=True), *work]

    def _guarded(
        self,
        checks: Sequence[tuple[int, DataCheck]],
        steps: list[Statement],
        known: Mapping[object, _Known],
        good_axes: frozenset[tuple[Points, Affine]] = frozenset(),
    ) -> list[Statement]:
        """known: where the extremes that an outer condition has computed are; good_axes: what outer ones are about."""
        if not checks:
            return steps
        number, check = checks[0]
        if _computation(check.expression)[0] not in known and not self.scope.in_use:
            count = joint_run([c for _, c in checks], good_axes)
            run = {_computation(c.expression)[0]: c for _, c in reversed(checks[:count])}
            run = {key: c for key, c in reversed(run.items()) if key not in known}
            if len(run) >= FEWEST:
                found, made = self._together(list(run.values()))
                return [*made, *self._guarded(checks, steps, {**known, **found}, good_axes)]
        good = self.scope.name("inside", bool_)
        body: list[Statement] = [Declare(good, Literal(False, bool_))]
        extremes = self._extremes(check, check.expression, known)
        compared = [*extremes[1], Assign(good, self._holds(check, extremes[0]))]
        if check.enough:
            body += [Assign(good, self._enough(check)), If(good, (), tuple(compared))]
        elif check.wider is None:
            body += compared
            known = {**known, **_known(check.expression, extremes[0])}
        else:
            wide = self._extremes(check, check.wider, known)
            body += [*wide[1], Assign(good, self._holds(check, wide[0])), If(good, (), tuple(compared))]
            known = {**known, **_known(check.wider, wide[0])}
        inside = self._guarded(checks[1:], steps, known, good_axes | {(points_of(check), check.extent)})
        return [*body, Fail(negated(good), _status(check) + number), If(good, tuple(inside))]

    def _together(self, checks: Sequence[DataCheck]) -> tuple[dict[object, _Known], list[Statement]]:
        """Variables with the extremes of all of `checks`, computed in one go, and what sets them."""
        names = [(self.scope.fresh(c.least), self.scope.fresh(c.greatest)) for c in checks]
        found, body = self._set_by(joint_computation(checks, names), checks, names)
        if any(not c.enough for c in checks):
            return found, body
        holds: Value | None = None
        for check in checks:
            holds = both(holds, self._enough(check))
        assert holds is not None
        start = 2 * len(checks)  # declarations
        return found, [*body[:start], If(holds, (), tuple(body[start:]))]

    def _enough(self, check: DataCheck) -> Value:
        holds: Value | None = None
        for size in check.enough:
            holds = both(holds, compare("ge", self.scope.affine(size, {}), integer(0)))
        assert holds is not None
        return holds

    def _holds(self, check: DataCheck, extremes: tuple[Name, Name]) -> Value:
        extent = self.scope.affine(check.extent, {})
        low: Value = subtract(integer(0), extent) if check.wraps else integer(0)
        least, greatest = map(_wide, extremes)
        holds = both(compare("ge", least, low), compare("lt", greatest, extent))
        assert holds is not None
        return holds

    def _extremes(
        self, check: DataCheck, computation: Expression, known: Mapping[object, _Known]
    ) -> tuple[tuple[Name, Name], list[Statement]]:
        """Variables with the least and the greatest subscript at the points of `computation`, and what sets them."""
        key, number = _computation(computation)
        if key in known:
            pair, other = known[key]
            return self._moved(pair, number - other)
        names = (self.scope.fresh(check.least), self.scope.fresh(check.greatest))
        written = _writing(computation, (check.least, check.greatest), names)
        made, body = self._set_by(written, (replace(check, expression=computation),), (names,))
        return made[key][0], body

    def _moved(self, extremes: tuple[Name, Name], by: int) -> tuple[tuple[Name, Name], list[Statement]]:
        """The extremes of subscripts that are `by` more at all points. Those of no points stay, and so do numbers that
        no axis is as long as: they are as wrong as what they would be."""
        if not by:
            return extremes, []
        least, greatest = (self.scope.name(name, int64) for name in ("least", "greatest"))
        body = list[Statement]()
        for new, old in zip((least, greatest), extremes):
            near = both(compare("ge", old, integer(-_FAR)), compare("le", old, integer(_FAR)))
            assert near is not None
            body.append(Let(new, Apply("select", (near, add(old, integer(by)), old), int64)))
        return (least, greatest), body

    def _set_by(
        self, computation: Expression, checks: Sequence[DataCheck], names: Sequence[tuple[str, str]]
    ) -> tuple[dict[object, _Known], list[Statement]]:
        """Variables with what `computation` writes to the scalars of these names: the extremes of each check."""
        types = [c.expression.md_hom.function.result_types[0] for c in checks]
        flat = [(name, type) for pair, type in zip(names, types) for name in pair]
        for name, type in flat:
            self.scope.strides[name], self.scope.types[name] = (), type
        body: list[Statement] = NestWriter(self.lowering(computation), self.scope).write()
        variables = [self.scope.name(("least", "greatest")[n % 2], type) for n, (_, type) in enumerate(flat)]
        body += [Assign(v, Load(name, integer(0), type)) for v, (name, type) in zip(variables, flat)]
        for name, type in reversed(flat):
            body = [Scratch(name, type, integer(1), tuple(body))]
        # Without memory for the computation, nothing is within bounds.
        outside = [c for check in checks for c in reversed(check.operator.identity or ())]
        start = [Declare(v, Literal(c.value, v.type)) for v, c in zip(variables, outside, strict=True)]
        pairs = zip(variables[::2], variables[1::2])
        found = [_known(c.expression, pair) for c, pair in zip(checks, pairs)]
        return {key: one for of_check in found for key, one in of_check.items()}, [*start, *body]


def _is_looked_at(check: DataCheck, step: Expression) -> bool:
    """Whether a nest looks at all numbers of a check where it uses them: data say them, and sizes do not limit them.
    If sizes do, they say that all are good, hardly ever in vain."""
    names = {n.name for n in step.indirect}
    return not check.enough and all(is_from_data(n, names) for n in step.indirect if n.name in check.names)


def _status(check: DataCheck) -> int:
    return EARLY if check.before is None else LATE


def _computation(expression: Expression) -> tuple[object, int]:
    """What tells computations of extremes apart, but for a number that all subscripts are moved by; that number."""
    function, number = apart(expression.md_hom.function)
    return (replace(expression.md_hom, function=function), expression.inp_view, expression.indirect), number


def _known(expression: Expression, extremes: tuple[Name, Name]) -> dict[object, _Known]:
    key, number = _computation(expression)
    return {key: (extremes, number)}


def _wide(value: Value) -> Value:
    return value if value.type == int64 else Apply("cast", (value,), int64)


def _writing(e: Expression, old: Sequence[str], names: Sequence[str]) -> Expression:
    """A computation with its results in scalars of other names."""
    renamed = dict(zip(old, names))
    buffers = tuple(replace(b, name=renamed.get(b.name, b.name)) for b in e.buffers)
    outputs = tuple(replace(a, buffer=renamed[a.buffer]) for a in e.out_view)
    return replace(e, buffers=buffers, out_view=outputs)
