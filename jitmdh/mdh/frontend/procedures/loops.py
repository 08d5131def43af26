"""`while`, and `for` with `break`, as instructions: states that go around, a condition, and when the loop is left.

while x > 1:                        loop (x, n):
    n += 1                              while x > 1:
    if n > 9: break          ->             n' = n + 1;  left = n' > 9;  x' = x if left else x / 2
    x = x / 2                               (x, n) = (x', n');  if left: leave

`break` and `return` are variables that hold; what comes behind them happens where they do not.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from jitmdh.base.dtype import ScalarType, bool_, promote, weak_int
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, Instruction, Iterate, Scalar, Variable
from jitmdh.mdh.frontend.procedures.carried_arrays import Carrier
from jitmdh.mdh.frontend.procedures.counting import Counter, Counting, goes_on
from jitmdh.mdh.frontend.procedures.kept_types import Kept
from jitmdh.mdh.frontend.procedures.recorder import Recorder, is_own
from jitmdh.mdh.frontend.python.inlining import flattened, unflattened
from jitmdh.mdh.frontend.python.iteration import other_values, own_types
from jitmdh.mdh.frontend.python.iteration.assigned_names import read_for_certain, stored_names
from jitmdh.mdh.frontend.python.iteration.iteration import kind_of, over_range
from jitmdh.mdh.frontend.python.iteration.last_values import is_outside
from jitmdh.mdh.frontend.python.iteration.loop_ranges import counted
from jitmdh.mdh.frontend.python.tracer import Poison, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, type_taken
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine

Loop = ast.For | ast.While
RETURNED, VALUE = "%returned", "%value"
"""Whether a loop has returned from the function, and what."""
_ATTEMPTS = 12
_UNSET = Poison("")


def is_left(body: Sequence[ast.stmt]) -> bool:
    """Whether a `break` of the loop around is among these statements."""
    return any(isinstance(s, ast.Break) for s in _own_statements(body))


def returns(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(s, ast.Return) for s in _statements(body))


def _own_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, those inside of other loops left out."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _own_statements(statement.body)
            yield from _own_statements(statement.orelse)
        elif isinstance(statement, ast.For | ast.While):
            yield from _own_statements(statement.orelse)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for inner in ("body", "orelse"):
            yield from _statements(getattr(statement, inner, []))


def run(t: Tracer, recorder: Recorder, node: Loop) -> None:
    """Execute a loop inside of a procedure."""
    if isinstance(node, ast.While):
        _ProcedureLoop(t, recorder, node, None, node.body).run()
        return
    iteration = over_range(t, node, _sizes)
    if iteration.loop is not None:
        _counted(t, recorder, node, iteration.loop)
    elif is_left(node.body) or returns(node.body):
        hint = "write it with range, and a subscript"
        t.error(node, "break and return in a loop over a tuple are not supported", "it is unrolled", hint)
    for body in iteration.unrolled:
        t.run(body)
    if iteration.loop is None and node.orelse:
        t.run(node.orelse)
    for name in iteration.hidden:
        t.env.pop(name, None)


def _counted(t: Tracer, recorder: Recorder, written: ast.For, loop: ast.For) -> None:
    inner = next((s for s in loop.body if isinstance(s, ast.For)), None)
    if kind_of(t, written.iter) in ("ndindex", "ndenumerate") and inner is not None and is_left(written.body):
        t.error(written, "break in a loop over several indices", hint="write loops over range, one in the other")
    assert isinstance(loop.iter, ast.Call) and isinstance(loop.target, ast.Name)
    counter = Counter(loop.target.id, *_range(t, loop.iter))
    _ProcedureLoop(t, recorder, loop, counter, loop.body).run()


def _range(t: Tracer, call: ast.Call) -> tuple[Scalar, Scalar, Scalar]:
    """From, to, and the step, which is an error if it is 0."""
    assert t.recorder is not None
    numbers = [as_scalar(t, a, t.evaluate(a)) for a in call.args]
    for argument, number in zip(call.args, numbers):
        if number.type.kind not in "iu":
            t.error(argument, f"a bound of range is {number.type.concrete}, not an integer")
    if not 1 <= len(numbers) <= 3 or call.keywords:
        t.error(call, "range takes one, two or three integers")
    # range counts with Python's own integers, whatever type its bounds have: beside uint64 they do not become floats.
    numbers = [t.arithmetic.cast(n, weak_int) for n in counted(t, call, numbers)]
    start, stop = (numbers[0], numbers[1]) if len(numbers) > 1 else (t.arithmetic.literal(0), numbers[0])
    step = numbers[2] if len(numbers) > 2 else t.arithmetic.literal(1)
    if isinstance(step, Constant) and not step.value:
        t.error(call.args[2], "the step of the loop is 0")
    if not isinstance(step, Constant):
        some = t.arithmetic.apply("ne", step, t.arithmetic.literal(0))
        t.recorder.require(call.args[2], some, "range() arg 3 must not be zero")
    return start, stop, step


def _sizes(t: Tracer, node: ast.expr) -> tuple[Affine, Affine, int]:
    """The bounds of a `range` inside of `zip`, `enumerate` or `reversed`."""
    assert isinstance(node, ast.Call)
    found = [affine(n) for n in _range(t, node)]
    if any(f is None for f in found) or found[2] is None or not found[2].is_constant:
        t.error(node, f"the bounds of `{ast.unparse(node)}` depend on data", hint="loop over it alone")
    start, stop, step = (f for f in found if f is not None)
    return start, stop, step.constant


class _Again(Exception):
    """A state has another type, or there is one more; or names stand for other arrays after an iteration."""

    def __init__(self, types: dict[str, SymbolicValue], renamed: Collection[str] = ()) -> None:
        super().__init__()
        self.types, self.renamed = types, renamed


def _encloses(outer: Loop, inner: Loop) -> bool:
    """Whether one loop of a source lies in another one, by their places: a loop that is executed may be a copy."""
    begins = (outer.lineno, outer.col_offset) < (inner.lineno, inner.col_offset)
    return begins and (outer.end_lineno or 0, outer.end_col_offset or 0) >= (
        inner.end_lineno or 0,
        inner.end_col_offset or 0,
    )


class _ProcedureLoop:
    """One loop, executed as often as the types of its states take to be known."""

    def __init__(
        self, t: Tracer, recorder: Recorder, node: Loop, counter: Counter | None, body: list[ast.stmt]
    ) -> None:
        self.t, self.recorder, self.node, self.counter, self.body = t, recorder, node, counter, body
        self.flag = f"%left:{len(t.frame.loops)}:{node.lineno}:{node.col_offset}"
        self.shown: tuple[str, ...] = ()
        self.last: set[str] = set()  # names without a value before the loop that are read behind it
        self.carrier = Carrier(t, recorder, node)
        if counter is not None and not counter.name.startswith("%") and self._used_behind(counter.name):
            self.shown = (counter.name,)

    def run(self) -> None:
        t = self.t
        outermost = not t.frame.loops
        if outermost and returns(self.body):
            t.env[RETURNED] = t.arithmetic.literal(False)
            t.env.pop(VALUE, None)
        if self.shown and self.shown[0] not in t.env:
            self._start_value(self.shown[0])
        t.env[self.flag] = t.arithmetic.literal(False)
        env, mark, recorded, condition = dict(t.env), t.trace.mark(), self.recorder.mark(), t.trace.condition
        types: dict[str, SymbolicValue] = {}
        for _ in range(_ATTEMPTS):
            try:
                self.attempt(types)
                break
            except _Again as again:
                t.trace.rollback(mark)
                t.trace.condition = condition
                t.env.clear()
                t.env.update(env)
                self.recorder.rollback(recorded)
                types |= again.types
                self.carrier.names.update(again.renamed)
        else:
            t.error(self.node, "the type of a local variable changes in every iteration")
        left = t.env.pop(self.flag)
        if self.node.orelse:
            gone = as_scalar(t, self.node, left)
            if returns(self.body):
                gone = t.arithmetic.either(gone, as_scalar(t, self.node, t.env[RETURNED]))
            otherwise(t, self.node, gone)

    # ------------------------------------------------------------------------------------------------ names

    def _names(self) -> list[str]:
        """What the body assigns."""
        found: dict[str, None] = {}
        for statement in _statements(self.body):
            match statement:
                case ast.Assign(targets):
                    found.update((n, None) for target in targets for n in stored_names(target))
                case ast.AugAssign(target) | ast.AnnAssign(target) | ast.For(target):
                    found.update((n, None) for n in stored_names(target))
        for name in (*self.shown, *((self.flag,) if is_left(self.body) else ())):
            found[name] = None
        if returns(self.body):
            found.update({RETURNED: None, VALUE: None})
        return list(found)

    def _used_behind(self, name: str) -> bool:
        """Whether the variable of the loop is read outside of it, and of other loops over it."""
        inside = self.t.inside
        definition = self.t.frame.source.definition
        left: list[ast.AST] = [definition]
        mine = {id(n) for statement in self.node.body for n in inside(statement)}
        if not any(isinstance(n, ast.Name) and n.id == name and id(n) not in mine for n in inside(definition)):
            return False
        while left:  # each node once: definitions may be long, and loops many
            node = left.pop()
            if id(node) in mine:
                continue
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                return True
            if isinstance(node, ast.For) and name in stored_names(node.target) and not _encloses(node, self.node):
                left += [node.target, node.iter, *node.orelse]  # the variable in its body is its own
            else:
                left += ast.iter_child_nodes(node)
        return False

    def _is_last(self, name: str, found: SymbolicValue) -> bool:
        """Whether each iteration gives a name numbers that are read behind the loop.

        Loops around would keep those of their iteration before where this one has none.
        """
        around = self.t.frame.loops or self.t.trace.block.dims
        own = self.counter is not None and name not in self.shown and not around
        return own and bool(flattened(found)) and self._used_behind(name)

    def _start_value(self, name: str) -> None:
        """The variable of a loop that is used behind it has a value only if the loop is entered."""
        t, counter = self.t, self.counter
        assert counter is not None
        t.env[name] = counter.start
        if not self._has_iterations(name):
            _require_none_before(t, self.node, counter)
            empty = t.arithmetic.negated(goes_on(t, counter, counter.start))
            t.env[name] = t.faulted(self.node, counter.start, empty, "unbound", self._unbound(name))

    def _unbound(self, name: str) -> str:
        return f"`{name}` is used behind the loop in line {self.node.lineno}, which has no iterations"

    def _has_iterations(self, name: str) -> bool:
        """Whether the loop has iterations in all calls that are compiled; the others, where sizes alone tell them.

        In those `name` has no value, which is an error where it is read and nowhere else: plain Python knows.
        """
        t, counter = self.t, self.counter
        assert counter is not None
        length = affine(t.arithmetic.apply("sub", counter.stop, counter.start))
        room = Affine((), 0)
        is_known = length is not None and isinstance(counter.step, Constant) and not any(map(is_own, length.names))
        if is_known:
            assert length is not None and isinstance(counter.step, Constant)
            room = length if int(counter.step.value.real) > 0 else length * -1
            if t.trace.domain().proves(room - 1):
                return True
        assert isinstance(self.node, ast.For)
        if read_for_certain(t.frame.source.definition, self.node, name):
            return False
        if is_known and is_outside(t, room):
            t.fall_back(self.node, room - 1, self._unbound(name))
            return True
        reason = f"`{name}` has no value then, and whether it is read depends on a condition"
        t.error(self.node, "data decide whether this loop has iterations", reason, f"give `{name}` a value before")

    # ---------------------------------------------------------------------------------------------- one attempt

    def attempt(self, types: dict[str, SymbolicValue]) -> None:
        t, recorder = self.t, self.recorder
        outer = t.trace.condition
        where = recorder.condition()
        for name, value in types.items():
            if name not in t.env or isinstance(t.env[name], Poison) or isinstance(value, Poison):
                t.env[name] = value
        self.carrier.begin()
        before = dict(t.env)
        carried = [n for n in self._names() if n in t.env and flattened(t.env[n])]
        initial = {n: self._typed(t.env[n], types.get(n)) for n in carried}
        states: dict[str, list[Variable]] = {}
        for n in carried:
            states[n] = [recorder.variable(n, v.type) for v in flattened(initial[n])]
        kept = Kept(t, recorder, self.node, {n: flattened(t.env[n]) for n in carried}, states)
        active = recorder.variable("active", bool_)
        recorder.conditions.enter(active, where)
        for n in carried:
            t.env[n] = unflattened(initial[n], list(states[n]))
        for n in [n for n in (self.flag, RETURNED, VALUE) if n in carried and not (n == VALUE and kept.flags)]:
            zeros = [t.trace.graph.constant(0, s.type) for s in states[n]]  # else it was left before this iteration
            t.env[n] = unflattened(initial[n], zeros)
        counting = None
        if self.counter is not None:
            # Where it is left, it need not come to the elements at its end.
            counting = Counting(t, recorder, self.counter, not (is_left(self.body) or returns(self.body)))
        t.frame.loops.append(self.flag)
        t.trace.condition = active
        with recorder.into() as head:
            condition = self._condition(counting)
        with recorder.into() as body:
            if counting is not None:
                t.env[counting.counter.name] = counting.count
            t.run(self.body)
            self.carrier.end(body)
        t.trace.condition = outer
        t.frame.loops.pop()
        self._check(before, carried, initial)
        following = [self._following(n, states[n]) for n in carried]
        taken = [kept.taken(n, flattened(t.env[n])) for n in carried]
        leave = t.env[self.flag]
        if returns(self.body):
            leave = t.arithmetic.either(as_scalar(t, self.node, leave), as_scalar(t, self.node, t.env[RETURNED]))
        variables = [s for n in carried for s in states[n]]
        starts = [v for n in carried for v in flattened(initial[n])]
        ends = [v for part in following for v in part]
        for state, start, end in counting.states() if counting is not None else ():
            variables.append(state)
            starts.append(start)
            ends.append(end)
        variables += kept.flags
        starts += [t.arithmetic.cast(t.arithmetic.literal(False), bool_)] * len(kept.flags)
        ends += [v for part in taken for v in part]
        results = [recorder.variable("after", v.type) for v in variables]
        recorder.body.append(self._made(variables, starts, active, head, condition, body, ends, leave, results, where))
        after: dict[str, list[Variable]] = {n: [results.pop(0) for _ in states[n]] for n in carried}
        kept.behind(after, results[len(results) - len(kept.flags) :])
        self._leave(before, {n: unflattened(initial[n], list(after[n])) for n in carried})

    def _made(
        self, variables: list[Variable], starts: list[Scalar], active: Variable, head: list[Instruction],
        condition: Scalar, body: list[Instruction], ends: list[Scalar], leave: SymbolicValue, results: list[Variable],
        where: Scalar,
    ) -> Iterate:  # fmt: skip
        cast = self.t.arithmetic.cast
        left = cast(as_scalar(self.t, self.node, leave), bool_)
        return Iterate(
            tuple(variables), tuple(starts), active, tuple(head), cast(condition, bool_), tuple(body), tuple(ends),
            left, tuple(results), where,
        )  # fmt: skip

    def _condition(self, counting: Counting | None) -> Scalar:
        t = self.t
        if counting is not None:
            return counting.goes_on()
        assert isinstance(self.node, ast.While)
        return t.arithmetic.truth(as_scalar(t, self.node.test, t.evaluate(self.node.test)))

    def _typed(self, value: SymbolicValue, like: SymbolicValue | None) -> SymbolicValue:
        if like is None:
            return value
        scalars = [self.t.arithmetic.cast(v, x.type) for v, x in zip(flattened(value), flattened(like))]
        return unflattened(value, scalars)

    def _check(self, before: dict[str, SymbolicValue], carried: list[str], initial: dict[str, SymbolicValue]) -> None:
        """Arrays keep their names, and states their types."""
        t = self.t
        wanted: dict[str, SymbolicValue] = {}
        value = t.env.get(VALUE)
        if returns(self.body) and value is not None and VALUE not in carried and flattened(value):
            zeros = [t.trace.graph.constant(0, v.type) for v in flattened(value)]
            wanted[VALUE] = unflattened(value, [t.arithmetic.cast(z, v.type) for z, v in zip(zeros, flattened(value))])
        renamed, others = other_values.changed(t, self.node, before, carried)
        wanted |= others
        for name in self._names():
            found = t.env.get(name)
            if found is not None and isinstance(before.get(name, _UNSET), Poison) and self._is_last(name, found):
                zeros = [t.trace.graph.constant(0, v.type) for v in flattened(found)]
                wanted[name] = unflattened(found, zeros)
                self.last.add(name)
        for name in carried:
            new = t.env[name]
            if isinstance(new, Poison):
                t.poisoned(self.node, new)
            if len(flattened(new)) != len(flattened(initial[name])):
                t.error(self.node, f"`{name}` changes its kind in the loop")
            for a, b in zip(flattened(initial[name]), flattened(new)):
                own_types.require_no_mixture(t, self.node, name, a, b)
            types = [self._common(name, a, b) for a, b in zip(flattened(initial[name]), flattened(new))]
            if any(x != v.type for x, v in zip(types, flattened(initial[name]))):
                zeros = [t.trace.graph.constant(0, x) for x in types]
                wanted[name] = unflattened(initial[name], zeros)
        if wanted or renamed:
            raise _Again(wanted, renamed)

    def _common(self, name: str, a: Scalar, b: Scalar) -> ScalarType:
        try:
            common = promote(a.type, type_taken(self.t, b))
        except ArgumentTypeError as error:
            self.t.error(self.node, f"`{name}` changes its type in the loop: {error.message}")
        if common.kind in "fc" and any(self._is_inexact(v) for n in (a, b) for v in self.t.trace.graph.kept(n)):
            reason = f"Python's number is one or the other, and {common} does not tell integers from 2**53 on apart"
            hint = f"give `{name}` numbers of one type, such as float(...)"
            self.t.error(self.node, f"`{name}` is an integer or a float in the loop", reason=reason, hint=hint)
        return common

    def _is_inexact(self, value: Scalar) -> bool:
        """Whether floats do not hold an integer."""
        known = isinstance(value, Constant) and abs(value.value) <= 2**53
        return value.type.kind in "iu" and value.type.bits > 53 and not known

    def _following(self, name: str, states: list[Variable]) -> list[Scalar]:
        return [self.t.arithmetic.cast(v, s.type) for v, s in zip(flattened(self.t.env[name]), states)]

    def _leave(self, before: dict[str, SymbolicValue], after: dict[str, SymbolicValue]) -> None:
        """What names stand for behind the loop."""
        t = self.t
        for name in list(t.env):
            if name in after:
                t.env[name] = self._of_an_iteration(name, after[name]) if name in self.last else after[name]
            elif name in before:
                t.env[name] = before[name]
            else:
                text = f"`{name}` has a value only if the loop in line {self.node.lineno} has an iteration"
                t.env[name] = Poison(text, f"give `{name}` a value before the loop")

        self.carrier.behind()

    def _of_an_iteration(self, name: str, value: SymbolicValue) -> SymbolicValue:
        """What only iterations give a value: an error where there was none."""
        t, counter = self.t, self.counter
        assert counter is not None
        if self._has_iterations(name):
            return value
        empty = t.arithmetic.negated(goes_on(t, counter, counter.start))
        values = [t.faulted(self.node, v, empty, "unbound", self._unbound(name)) for v in flattened(value)]
        return unflattened(value, values)


def _require_none_before(t: Tracer, node: Loop, counter: Counter) -> None:
    """Iterations of loops around may have given the variable a value, unless this loop has none in any of them."""
    room = affine(t.arithmetic.apply("sub", counter.stop, counter.start))
    by_sizes = room is not None and isinstance(counter.step, Constant) and is_outside(t, room)
    if (t.frame.loops or t.frame.carried) and (room is None or not by_sizes or any(map(is_own, room.names))):
        reason = f"it keeps the `{counter.name}` of before where it has no iterations"
        t.error(node, f"`{counter.name}` is used behind this loop, and inside of another one", reason)


def otherwise(t: Tracer, node: Loop, left: Scalar) -> None:
    """`else` of a loop: where it was not left."""
    name = f"%ended:{node.lineno}:{node.col_offset}"
    t.env[name] = t.arithmetic.negated(left)
    test = ast.copy_location(ast.Name(name, ast.Load()), node.orelse[0])
    t.run([ast.copy_location(ast.If(test, node.orelse, []), node.orelse[0])])
    t.env.pop(name, None)
