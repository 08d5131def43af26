"""Kernels ask from time to time whether the call is to end (Ctrl-C): where, and what is to be done until then.

Before:   for (i = 0; i < n; i += 1)            after:   for (i.strip = 0; i.strip < n; i.strip += length)
            for (k = 0; k < m; k += 8)                     const i.stop = min(i.strip + length, n);
              store8(&y[k], x);                            poll(m / 8 * (i.stop - i.strip));
          for (j = 0; j < m; j += 1)                       for (i = i.strip; i < i.stop; i += 1)
            z[j] = a;                                        for (k = 0; k < m; k += 8)
                                                               store8(&y[k], x);
                                                         for (j.strip = 0; j.strip < m; j.strip += 262144)
                                                           const j.stop = min(j.strip + 262144, m);
                                                           poll(j.stop - j.strip);
                                                           for (j = j.strip; j < j.stop; j += 1)
                                                             z[j] = a;

Requires: nothing.
Ensures: between two `Poll`s that are executed, few statements are; where the trip count of a loop depends on sizes or
data, or is large, each iteration is accounted for, in one place on the way to an innermost loop where that is possible:

- Innermost loops stay as they are. Vectors along an axis of an array are accounted for by the loop around them: to need
  100 ms, one row would have to be of some hundred megabytes. All others, and those that nothing is around, are
  strip-mined (Wolfe), with a `Poll` for each strip.
- A loop that nothing is around, with an amount that is the same in all rounds, is strip-mined, too: a strip is as many
  rounds as come to about `LONG` statements, which is computed before the loop.
- A loop of nothing but one that polls has no rounds where that one has none. All others have a `Poll` in their bodies.
- A data-dependent loop counts its rounds down: one instruction, whose flags tell when to ask. Where a long one
  begins anew in another such loop, the count goes on: nothing has to be guessed of its rounds.
- One that ends soon whatever the data are, since each round takes a bit from an integer, is part of the round around
  it, and code generation finds idioms in it (the number of bits that are set).
- One whose rounds are counted (`as_written`) is strip-mined. Where a guess of them is short, the loops around account
  for the first strip, which has no `Poll`: most such loops begin often and end soon.
"""

from __future__ import annotations

from dataclasses import field, replace
from math import ceil, log2
from typing import TypeVar

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, compare, divide, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.bounds import Bounds
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Assume,
    Declare,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Poll,
    Scratch,
    Statement,
    Store,
    Value,
    View,
    While,
)
from jitmdh.mdh.kernel.ranges.shrinking import most_rounds
from jitmdh.mdh.kernel.rewrite import NESTED, Body, bodies, bound, map_children, same, statements, values

LONG = 1 << 18
"""Statements that may pass without a question: some tens of microseconds, of which one is less than 1/1000."""

_LARGE = 1 << 12  # statements of a body of which each round may be accounted for
_LARGEST_STEP = 1 << 20  # times the rounds of a strip, far from the ends of 64 bits
_ROUNDS = 1 << 14  # of a data-dependent loop, between two `Poll`s
_FEW = 24  # statements of a round, inner loops and all: a question in each one takes time
_GUESS = 64  # rounds of such a loop, for counted loops around it
_TASKS = 1 << 16  # statements in the time in which threads start and end


S = TypeVar("S", For, Parallel, Scratch, While)


def poll(kernel: Kernel) -> Kernel:
    body = _Polling(kernel).body(kernel.body, True).body
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(slots=True)
class _Polled:
    """What a body became. work: statements of a run that nothing accounts for; polls: whether each run has a `Poll`;
    loops: whether there are any inside."""

    body: Body
    work: float
    polls: bool
    loops: bool


@dataclass(slots=True)
class _Run:
    """What `body` becomes. amounts: what its own `Poll` accounts for besides statements, and where it may stand."""

    body: Body
    outermost: bool
    new: list[Statement] = field(default_factory=list)
    work: float = 0.0
    polls: bool = False
    loops: bool = False
    amounts: list[Value] = field(default_factory=list)
    at: int = 0


class _Polling:
    """asking: loops that have a `Poll` in each round, by identity; counts: of the rounds of long loops that data end
    inside of another one, None outside of them."""

    def __init__(self, kernel: Kernel) -> None:
        self.known = Bounds(kernel.body)
        self.whiles = 0
        self.counts: list[Declare] | None = None
        self.asking: dict[int, Statement] = {}

    def body(self, body: Body, outermost: bool) -> _Polled:
        run = _Run(body, outermost)
        with self.known.inside():
            for node in body:
                self.statement(run, node)
        if run.amounts:
            run.new.insert(run.at, Poll(_total(run.amounts, run.work)))
            run.work, run.polls = 0.0, True
        return _Polled(body if same(run.new, body) else tuple(run.new), run.work, run.polls, run.loops)

    def statement(self, run: _Run, node: Statement) -> None:
        if isinstance(node, Let):
            if node.name.type == int64:  # nothing is asked of others
                self.known.bind(node)
        elif type(node) in NESTED:
            run.new.append(self.nested(run, node))
            return
        elif isinstance(node, Declare):
            self.known.forget(node.name)
        run.work += 1
        run.new.append(node)

    def nested(self, run: _Run, node: Statement) -> Statement:
        """A statement with bodies, as the last of a run; what is to stand before it is put there."""
        match node:
            case For():
                run.loops = True
                return self.loop(run, node)
            case While():
                run.loops = True
                return self.repeated(run, node)
            case Parallel():
                around, self.counts = self.counts, None
                inside = self.body(node.body, True)
                self.counts = around
                run.work, run.loops = run.work + _TASKS, True
                node = _with(node, inside)
            case Scratch():
                inside = self.body(node.body, run.outermost)
                run.work, run.polls = run.work + inside.work, run.polls or inside.polls
                run.loops |= inside.loops
                node = _with(node, inside)
            case If():
                then, other = (self.body(b, run.outermost) for b in (node.then, node.otherwise))
                run.work, run.loops = run.work + max(then.work, other.work), run.loops or then.loops or other.loops
                if then.body is not node.then or other.body is not node.otherwise:
                    node = replace(node, then=then.body, otherwise=other.body)
        run.work += 1
        return node

    # ----------------------------------------------------------------------------------------------- loops

    def loop(self, run: _Run, node: For) -> For:
        rounds = self.known.rounds(node)
        with self.known.inside():
            self.known.bind(node)
            done = self.body(node.body, run.outermost and rounds is not None)
        new, work = _with(node, done), max(1.0, done.work)
        if (done.polls and work < _LARGE) or (rounds is not None and rounds * work <= LONG):
            run.work += 1 if rounds is None else rounds * work
            run.polls |= done.polls and _is_run(node)
            return self.sparse(run, new) if done.polls else new
        run.work += 1
        step = int(node.step.value) if isinstance(node.step, Literal) else 0  # type: ignore[arg-type]
        if node.as_written and work < _TASKS:
            if (short := _GUESS * work < _LARGE) and not run.outermost:
                run.work += _GUESS * work
            *before, strips = _strips(new, work, step << int(log2(_ROUNDS)), not short)
            run.new += before
            return self.noted(strips)
        if (guarded := self.nest(new)) is not None:
            return self.noted(guarded)
        if done.loops or work >= _LARGE or not 0 < step <= _LARGEST_STEP:
            return self.noted(replace(new, body=(Poll(integer(ceil(work))), *new.body)))
        if not run.outermost and _is_row(node):
            self.account(run, _amount(subtract(node.end, node.begin), work, step))
            return new
        *before, strips = _strips(new, work, step << max(0, int(log2(LONG / work))))
        run.new += before
        return self.noted(strips)

    def sparse(self, run: _Run, node: For) -> For:
        """A loop with a `Poll` in each round: with one for as many rounds as take long, where nothing is around it or a
        round is short."""
        seldom = run.outermost or len(list(statements(node.body))) <= _FEW
        strips = _strips_of_rounds(node) if seldom and self.known.rounds(node) is None else [node]
        run.new += strips[:-1]
        assert isinstance(strips[-1], For)
        return self.noted(strips[-1])

    def noted(self, node: For) -> For:
        self.asking[id(node)] = node
        return node

    def nest(self, node: For) -> For | None:
        """A loop of nothing but one that polls: no rounds where it is known before that that one has none."""
        lets, inner = node.body[:-1], node.body[-1:]
        if not inner or not isinstance(inner[0], For) or id(inner[0]) not in self.asking:
            return None
        named: dict[str, Value] = {}
        for let in lets:
            if isinstance(let, Assume):
                continue
            if not isinstance(let, Let):
                return None
            named[let.name.name] = let.value
        begin, end = (named.get(v.name, v) if isinstance(v, Name) else v for v in (inner[0].begin, inner[0].end))
        for value in (*values(begin), *values(end)):
            if isinstance(value, Load) or (isinstance(value, Name) and value.name in {node.name.name, *named}):
                return None
        some = Apply("select", (compare("lt", begin, end), node.end, node.begin), int64)
        return replace(node, end=some)

    def account(self, run: _Run, amount: Value) -> None:
        """For what the next statement of `run` does."""
        used = {v.name for v in values(amount) if isinstance(v, Name)}
        before = [name.name for s in run.new if not isinstance(s, (For, Parallel)) and (name := bound(s)) is not None]
        if not used.isdisjoint(before):
            run.at = len(run.new)
        run.amounts.append(amount)

    def repeated(self, run: _Run, node: While) -> Statement:
        self.whiles += 1
        count = Name(f"rounds.{self.whiles}", int64)
        outermost, counts = self.counts is None, [] if self.counts is None else self.counts
        self.counts = counts
        inside = self.body(node.body, False)
        most = most_rounds(node)
        if most is not None and not inside.loops and most * max(1.0, inside.work) < _LARGE:
            run.work += most * max(1.0, inside.work)
            if outermost:
                self.counts = None
            return _with(node, inside)
        rounds = _ROUNDS if inside.work < _TASKS else 1  # threads may have left their tasks
        again = Poll(integer(ceil(rounds * max(1.0, inside.work)))), Assign(count, integer(rounds))
        asks = If(compare("eq", count, integer(0)), again, rare=True)
        guess = _GUESS * inside.work
        (run.new if guess < _LARGE else counts).append(Declare(count, integer(rounds)))
        run.work += guess if outermost or guess < _LARGE else 1
        if outermost:
            run.new += counts
            self.counts = None
        return replace(node, body=(Assign(count, subtract(count, integer(1))), asks, *inside.body))


def _is_row(node: For) -> bool:
    """Whether a loop goes along an axis of an array, with vectors."""
    inside = {node.name.name}  # what is linear in its variable
    for statement in statements(node.body):
        for part in (statement, *values(statement)):
            match part:
                case Load() | Store():
                    lanes = part.lanes if isinstance(part, Load) else part.value.lanes
                    if lanes > 1 and (part.buffer in inside or _is_linear(part.offset, inside)):
                        return True
                case Let() if _is_linear(part.value, inside):
                    inside.add(part.name.name)
                case View() if part.of in inside or _is_linear(part.offset, inside):
                    inside.add(part.buffer)
    return False


def _is_linear(value: Value, names: set[str]) -> bool:
    """Whether `value` is linear in one of `names`, besides what it may have of others."""
    match value:
        case Name():
            return value.name in names
        case Apply("add" | "sub" | "mul" | "minimum", operands):  # the last vector may begin before its round
            return any(_is_linear(v, names) for v in operands)
    return False


def _strips(node: For, work: float, length: int, at_once: bool = True) -> tuple[*tuple[Let, ...], For]:
    """A loop over strips around the loop, which is as it was. at_once: the first one has a `Poll`, too."""
    name, step = node.name.name, int(node.step.value)  # type: ignore[union-attr,arg-type]
    strip, stop = Name(f"{name}.strip", int64), Name(f"{name}.stop", int64)
    end = node.end if isinstance(node.end, Literal) else Name(f"{name}.end", int64)
    named = (Let(end, node.end),) if isinstance(end, Name) else ()
    asks: Statement = Poll(_amount(subtract(stop, strip), work, step))
    body = (
        Let(stop, minimum(add(strip, integer(length)), end)),
        asks if at_once else If(compare("gt", strip, node.begin), (asks,), rare=True),
        replace(node, begin=strip, end=stop),
    )
    return (*named, For(strip, node.begin, end, integer(length), body, "strips", node.natural))


def _strips_of_rounds(node: For) -> list[For | Let]:
    """A loop over strips around a loop whose only `Poll` has the same amount in all rounds; else the loop.

    The rounds of a strip are counted when the loop begins: at least one, together about `LONG` statements.
    """
    place = next((n for n, s in enumerate(node.body) if isinstance(s, Poll)), None)
    polls = sum(isinstance(s, Poll) for s in statements(node.body))
    step = int(node.step.value) if isinstance(node.step, Literal) else 0  # type: ignore[arg-type]
    if place is None or polls > 1 or not 0 < step <= _LARGEST_STEP:
        return [node]
    poll, name = node.body[place], node.name.name
    assert isinstance(poll, Poll)
    amount = _from_outside(poll.amount, node, place)
    if amount is None:
        return [node]
    strip, stop, each, length = (Name(f"{name}.{part}", int64) for part in ("strip", "stop", "each", "length"))
    end = node.end if isinstance(node.end, Literal) else Name(f"{name}.end", int64)
    rounds = add(Apply("udiv", (integer(LONG), each), int64), integer(1))
    named = [Let(end, node.end)] if isinstance(end, Name) else []
    named += [Let(each, maximum(amount, integer(1))), Let(length, multiply(rounds, integer(step)))]
    done = add(divide(subtract(stop, strip), step), integer(1))
    body = (
        Let(stop, minimum(add(strip, length), end)),
        Poll(multiply(each, done)),
        replace(node, begin=strip, end=stop, body=(*node.body[:place], *node.body[place + 1 :])),
    )
    return [*named, For(strip, node.begin, end, length, body, "strips", node.natural)]


def _from_outside(value: Value, node: For, place: int) -> Value | None:
    """A number of a round, used by statement `place`, from what is there before the loop; None if it may change."""
    made = [name.name for s in statements(node.body) if (name := bound(s)) is not None]
    made += [node.name.name, *(s.name.name for s in statements(node.body) if isinstance(s, Assign))]
    known: dict[str, Value] = {}

    def outside(part: Value) -> Value:
        return known.get(part.name, part) if isinstance(part, Name) else map_children(part, outside)

    def stays(number: Value) -> bool:
        return all(
            part.name not in made if isinstance(part, Name) else isinstance(part, Literal | Apply)
            for part in values(number)
        )

    for statement in node.body[:place]:
        if isinstance(statement, Let) and made.count(statement.name.name) == 1 and stays(outside(statement.value)):
            known[statement.name.name] = outside(statement.value)
    found = outside(value)
    return found if stays(found) else None


def _amount(elements: Value, work: float, step: int) -> Value:
    """Statements of so many elements, `step` of which are a round of `work` statements; about as many."""
    if work >= step:
        return multiply(elements, integer(ceil(work / step)))
    return divide(elements, 1 << int(log2(step / work)))


def _total(amounts: list[Value], work: float) -> Value:
    total = amounts[0]
    for amount in amounts[1:]:
        total = add(total, amount)
    return add(total, integer(ceil(work)))


def _is_run(node: For) -> bool:
    """Whether a loop has a first round for all that is known."""
    begin, end = node.begin, node.end
    return isinstance(begin, Literal) and isinstance(end, Literal) and int(begin.value) < int(end.value)  # type: ignore[arg-type]


def _with(node: S, inside: _Polled) -> S:
    return node if inside.body is bodies(node)[0] else replace(node, body=inside.body)
