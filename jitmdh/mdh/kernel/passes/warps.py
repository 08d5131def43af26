"""The lanes of vectors become the threads of a warp, and tasks of parallel loops become warps.

Before:   parallel for (long t = 0; t < n; t++) {     after:   grid for (long block = 0; …; block++) {  // 128 threads
              const float32 v = load32(&x[t * 32]);                const long lane = thread() % 32;
              store32(&y[t * 32], v * v);                          const long t = block * 4 + thread() / 32;
              s[t] = v[0];                                         if (t < n) {
          }                                                            const float v = x[t * 32 + lane];
                                                                       y[t * 32 + lane] = v * v;
                                                                       if (lane == 0) s[t] = exchange32(v, 0);
                                                                   }
                                                               }

Requires: parallel loops stand on the host, and memory is touched in them only (`outline`). Vectors have 1, 2, 4, …, 32
lanes; another kernel is refused.
Ensures: there is no vector in a grid. Of a vector that is shorter than a warp, thread n has lane n modulo its length,
so that every thread has one. All threads of a warp take the same way through the kernel. What one of them writes and
another reads or writes has a barrier of the warp in between. Hints for caches of processors are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, pairwise

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, both, compare, divide, integer, maximum, multiply, remainder
from jitmdh.mdh.kernel.free_variables import memories
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Assume,
    Barrier,
    CombineEnds,
    CombiningBuffer,
    Declare,
    Exchange,
    Failed,
    Fence,
    Flush,
    Grid,
    If,
    InOrder,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    Merge,
    Name,
    Parallel,
    Permute,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Thread,
    Value,
    Vote,
    While,
)
from jitmdh.mdh.kernel.passes.offloading.write_order import order_writes
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, map_bodies, map_children, same, statements, values
from jitmdh.mdh.machine.gpu import WARP

_BITS = 6  # of the number of a lane of two vectors
_IN_A_WORD = 10  # such numbers
_RESIDENT = 512  # threads of a multiprocessor at a time: lanes hold many values

Refuse = Callable[[str], Exception]


def to_warps(kernel: Kernel, warps: int, refuse: Refuse) -> Kernel:
    """warps: of a block; 0: the machine has none, and nothing is done. refuse: makes the error for what has no form as
    threads, from its name."""
    return _Loops(warps, refuse, memories(kernel)).kernel(kernel) if warps else kernel


@dataclass(slots=True)
class _Loops(Rewriter):
    """Each parallel loop as a grid. memory: of each buffer, as `memories` has it."""

    warps: int
    refuse: Refuse
    memory: Mapping[str, str]
    count: int = 0

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Parallel):
            return Rewriter.statement(self, node)
        self.count += 1
        suffix = "" if self.count == 1 else f".{self.count}"
        lane, block = Name(f"lane{suffix}"), Name(f"block{suffix}")
        lanes = _Lanes(self.refuse, lane, frozenset(_exchanged(node.body, self.memory)))
        body = lanes.body(order_writes(node.body, self.memory, lanes.exchanged))
        parts = [Let(name, remainder(lane, size)) for size, name in lanes.parts.items()]
        first = [Let(lane, remainder(Thread(), WARP)), *parts]
        if node.count == integer(1) or self.warps == 1:
            return (Grid(block, node.count, WARP, (*first, Let(node.name, block), *body), node.comment),)
        number = add(multiply(block, integer(self.warps)), divide(Thread(), WARP))
        inside = If(compare("lt", node.name, node.count), body)
        blocks = divide(add(node.count, integer(self.warps - 1)), self.warps)
        threads = WARP * self.warps
        body = (*first, Let(node.name, number), inside)
        return (Grid(block, blocks, threads, body, node.comment, max(1, _RESIDENT // threads)),)


def _exchanged(body: Body, memory: Mapping[str, str]) -> set[str]:
    """Buffers that are written and read here, by whatever name."""
    read = {memory[v.buffer] for s in statements(body) for v in values(s) if isinstance(v, Load)}
    written = {memory[s.buffer] for s in statements(body) if isinstance(s, (Store, StoreRun))}
    return {name for name, one in memory.items() if one in read & written}


def _one_by_one(node: Statement) -> Iterator[Statement]:
    """The stores of a run, in its order."""
    if not isinstance(node, StoreRun):
        yield node
        return
    for n, value in enumerate(node.values):
        yield Store(node.buffer, add(node.offset, integer(n * value.lanes)), value)


@dataclass(slots=True)
class _Lanes(Rewriter):
    """The body of a task, for one thread of its warp.

    exchanged: buffers that threads of a warp write and read; parts: the number of a thread in vectors of so many lanes;
    given: what this statement needs of other threads: all of them take part, so it has a name, before any condition;
    and, while it is `storing` to such a buffer, what it reads of them: all have read before one of them writes.
    """

    refuse: Refuse
    lane: Name
    exchanged: frozenset[str]
    parts: dict[int, Name] = field(default_factory=dict)
    given: list[Let] = field(default_factory=list)
    exchanges: int = 0
    storing: bool = False

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        own = False  # whether the barrier at the end is that of a store
        for node in chain.from_iterable(map(_one_by_one, body)):
            if isinstance(node, Barrier):
                own = False
                if not (new and isinstance(new[-1], Barrier)):
                    new.append(node)
                continue
            made = list(self.statement(node))
            if self.given and isinstance(node, While):
                raise self.refuse("a loop whose condition looks at other lanes")
            given: list[Statement] = [*self.given]
            self.given = []
            if self._is_exchanged(node):
                if own and not any(map(self._reads, given)):
                    new.pop()  # nothing is read of the store before, and this one writes elsewhere
                elif given or not (new and isinstance(new[-1], Barrier)):
                    given.append(Barrier(WARP))
                made.append(Barrier(WARP))
            own = self._is_exchanged(node)
            new += [*given, *made]
        return body if same(new, body) else tuple(new)

    def _is_exchanged(self, node: Statement) -> bool:
        return isinstance(node, Store) and node.buffer in self.exchanged

    def _reads(self, node: Statement) -> bool:
        return any(isinstance(v, Load) and v.buffer in self.exchanged for v in values(node))

    def statement(self, node: Statement) -> Sequence[Statement]:
        self.storing = self._is_exchanged(node)
        match node:
            case Let() | Declare() | Assign():
                return (replace(node, name=replace(node.name, lanes=1), value=self.value(node.value)),)
            case Store():
                return (self._store(node),)
            case Prefetch() | PrefetchInputs() | PrefetchResults() | Fence() | InOrder() | Assume():
                return ()
            case If() | While() if node.condition.lanes > 1:
                return (self._within(replace(node, condition=Vote(self.value(node.condition), WARP))),)
            case CombiningBuffer() | CombineEnds() | Flush() | Scratch() | Return() | SetArgument():
                raise self.refuse(f"{type(node).__name__} inside a kernel")
        return (self._within(map_children(node, self.value)),)

    def _within(self, node: Statement) -> Statement:
        """With its bodies; what is given for it stays before it."""
        given, self.given = self.given, []
        node = map_bodies(node, self.body)
        self.given = given
        return node

    def _store(self, node: Store) -> Store:
        lanes = node.value.lanes
        mask = None if node.mask is None else self.value(node.mask)
        if lanes < WARP:  # the first threads do it
            mask = both(compare("lt", self.lane, integer(lanes)), mask)
        return Store(node.buffer, self._offset(node, lanes), self.value(node.value), mask=mask)

    def _offset(self, node: Load | Store, lanes: int) -> Value:
        offset = self.value(node.offset)
        if lanes == 1 or node.offset.lanes > 1:
            return offset
        return add(offset, multiply(self._number(lanes), self.value(node.stride)))

    # ------------------------------------------------------------------------------------------- values

    def _number(self, lanes: int) -> Value:
        """Which lane of a vector this thread has."""
        if lanes == WARP:
            return self.lane
        if lanes not in (2, 4, 8, 16):
            raise self.refuse(f"a vector of {lanes} lanes")
        return self.parts.setdefault(lanes, Name(f"{self.lane.name}.of{lanes}"))

    def value(self, node: Value) -> Value:
        lanes = node.lanes
        if lanes > 1:
            self._number(lanes)
        match node:
            case Literal() | Name():
                return replace(node, lanes=1) if lanes > 1 else node
            case Splat():
                return self.value(node.value)
            case Iota():
                number = self._number(lanes)
                return number if node.type == int64 else Apply("cast", (number,), node.type)
            case Apply("first_lanes", (count,)):
                return compare("lt", self._number(lanes), self.value(count))
            case Apply():
                return replace(node, operands=tuple(map(self.value, node.operands)), lanes=1)
            case Load():
                mask = None if node.mask is None else self.value(node.mask)
                load = Load(node.buffer, self._offset(node, lanes), node.type, mask=mask)
                return self._given(load) if self.storing and node.buffer in self.exchanged else load
            case Shuffle():
                return self._picked([node.value], node.picks, lanes)
            case Merge():
                return self._picked([node.left, node.right], node.picks, lanes)
            case Join():
                several, each = len(node.values), node.values[0].lanes
                picks = tuple(each * (n % several) + n // several for n in range(lanes))
                return self._picked(list(node.values), picks, lanes)
            case Failed():  # another warp may fail between two looks
                return self._given(Exchange(node, integer(0), WARP))
            case Permute():
                return self._from([node.left, node.right], self.value(node.picks))
        return map_children(node, self.value)

    def _picked(self, parts: list[Value], picks: tuple[int, ...], lanes: int) -> Value:
        """Lane n is lane `picks[n]` of all parts, one behind the other."""
        size = parts[0].lanes
        if size > 1 and picks == tuple(range(lanes)) and lanes == size:
            return self.value(parts[0])
        used = sorted({pick // size for pick in picks})
        picks = tuple(used.index(pick // size) * size + pick % size for pick in picks)
        parts = [parts[n] for n in used]
        return self._from(parts, integer(picks[0]) if lanes == 1 else self._table(picks))

    def _from(self, parts: list[Value], pick: Value) -> Value:
        """The lane `pick` of all parts, one behind the other; `pick` is what this thread wants."""
        size = parts[0].lanes
        if size == 1:
            found = [self.value(part) for part in parts]
        else:
            pick = pick if pick.type == int64 else Apply("cast", (pick,), int64)
            source = remainder(pick, size) if len(parts) > 1 else pick
            found = [self._given(Exchange(self.value(part), source, WARP)) for part in parts]
        result = found[-1]
        for n in reversed(range(len(found) - 1)):
            here = compare("lt", pick, integer((n + 1) * size))
            result = Apply("select", (here, found[n], result), result.type)
        return result

    def _given(self, value: Exchange | Load) -> Name:
        self.exchanges += 1
        name = Name(f"{self.lane.name}.given{self.exchanges}", value.type)
        self.given.append(Let(name, value))
        return name

    def _table(self, picks: tuple[int, ...]) -> Value:
        """`picks[n]` for the thread with lane n."""
        number, steps = self._number(len(picks)), {b - a for a, b in pairwise(picks)}
        if len(steps) == 1 and (step := steps.pop()) >= 0:
            return add(multiply(number, integer(step)), integer(picks[0]))
        further, least = picks[-1] - len(picks) + 1, min(picks)
        if picks == tuple(max(n + further, least) for n in range(len(picks))):  # the lanes before, in prefix sums
            return maximum(add(number, integer(further)), integer(least))
        if picks == tuple(n ^ picks[0] for n in range(len(picks))):
            return Apply("xor", (number, integer(picks[0])), int64)
        words = [
            sum(pick << _BITS * n for n, pick in enumerate(picks[first : first + _IN_A_WORD]))
            for first in range(0, len(picks), _IN_A_WORD)
        ]
        word: Value = integer(words[-1])
        for n in reversed(range(len(words) - 1)):
            here = compare("lt", number, integer((n + 1) * _IN_A_WORD))
            word = Apply("select", (here, integer(words[n]), word), int64)
        shift = multiply(remainder(number, _IN_A_WORD), integer(_BITS))
        return Apply("and", (Apply("rshift", (word, shift), int64), integer((1 << _BITS) - 1)), int64)
