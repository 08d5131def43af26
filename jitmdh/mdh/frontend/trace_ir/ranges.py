"""Python's integers where they meet NumPy's: which values an integer can have, and what follows for its new type.

NumPy's rule (NEP 50): `x[i] + n` is of x's type, and an error where n does not fit that type; `x[i] < n` compares the
numbers themselves. That a number fits is decided while tracing where its range is known; else by the sizes of a call,
before anything is written (the undecorated function then raises the error); and where only data, or conditions, decide
it, by looking at each number that is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

from jitmdh.base.dtype import ScalarType, bool_, int64, weak_int
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Check, Fault
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.table import COMPARISONS
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar
from jitmdh.mdh.frontend.trace_ir.trace import Trace, has_indirect

Range = tuple[int, int]
WORD = int64.limits()
_EXACT = {bits: (-(2**digits), 2**digits) for bits, digits in ((16, 8), (32, 24), (64, 53))}
"""The integers of which floats of so many bits hold each."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """What integers can be at the point of a program that `state` is at."""

    trace: Trace

    def of(self, node: Scalar, known: dict[int, Range] | None = None) -> Range:
        """Least and greatest value of an integer, as far as no size has to be known.

        known: of parts that have been looked at, by identity: values share parts.
        """
        known = {} if known is None else known
        if id(node) not in known:
            known[id(node)] = self._of(node, known)
        return known[id(node)]

    def _of(self, node: Scalar, known: dict[int, Range]) -> Range:
        widest = WORD if node.type.is_weak and node.type.kind == "i" else node.type.limits()
        match node:
            case Constant(value) if isinstance(value, int):
                return int(value), int(value)
            case IndexValue(index):
                return self._of_index(index)
            case Operation(op, operands) if node.type.kind == "i" and all(o.type.kind in "biu" for o in operands[-2:]):
                numbers = operands[1:] if op == "select" else operands
                found = _of_operation(op, [self.of(o, known) for o in numbers])
                return widest if found is None or found[0] < widest[0] or found[1] > widest[1] else found
        return widest

    def _of_index(self, index: Affine) -> Range:
        low, high = WORD
        if has_indirect(index):
            return low, high
        domain = self.trace.domain()
        for least in (domain.least(index), index):
            if least is not None and least.is_constant:
                low = max(low, least.constant)
        if domain.proves(index):
            low = max(low, 0)
        greatest = domain.greatest(index)
        if greatest is not None and greatest.is_constant:
            high = min(high, greatest.constant)
        if domain.proves(-index):
            high = min(high, 0)
        return low, high

    def fits(self, node: Scalar, type: ScalarType) -> bool:
        """Whether a value is certain to be one of `type`."""
        low, high = type.limits()
        if not isinstance(node, IndexValue):
            least, greatest = self.of(node)
            return low <= least and greatest <= high
        domain = self.trace.domain()
        if has_indirect(node.index):
            return False
        least, greatest = self._of_index(node.index)
        below = greatest <= high or domain.proves(-node.index + high)
        return below and (low <= least or domain.proves(node.index - low))

    def result_fits(self, op: str, operands: list[Scalar], type: ScalarType) -> bool:
        """Whether an operation on Python's integers is certain to give one of `type`, or that such floats hold."""
        if any(o.type.kind not in "biu" for o in operands):
            return False
        found = _of_operation(op, [self.of(o) for o in operands])
        bits = type.bits // 2 if type.kind == "c" else type.bits
        low, high = type.limits() if type.is_integer else _EXACT[bits or 64]
        return found is not None and low <= found[0] and found[1] <= high

    def deciding(self, op: str, operands: tuple[Scalar, ...]) -> Scalar | None:
        """A condition on which the type of an operation's result depends in Python."""
        choices = self.trace.graph.choices
        for place, operand in enumerate(operands):
            if id(operand) in choices and not self._alike(op, operands, place):
                return choices[id(operand)][0]
        return None

    def _alike(self, op: str, operands: tuple[Scalar, ...], place: int) -> bool:
        """Whether an operation is one of the same type for a choice of numbers, whichever is chosen.

        Comparisons are of the numbers themselves.
        """
        if op in COMPARISONS:
            return True
        arms = self.trace.graph.kept(operands[place])
        types = [self._types(o) for o in operands]
        found = set[ScalarType]()
        for others in product(*types[:place], *types[place + 1 :]):
            given = [(*others[:place], type, *others[place:]) for type in types[place]]
            results = {result_type("neg" if op == "pos" else op, *g) for g in given}
            if len(results) > 1:
                return False
            found |= results
        weak = [v for v in arms if v.type == weak_int]
        return all(self.fits(v, result) for result in found if result.is_integer for v in weak)

    def _types(self, node: Scalar) -> list[ScalarType]:
        """The types of the numbers of which a value is one."""
        return list(dict.fromkeys(v.type for v in self.trace.graph.kept(node)))

    def same_number(self, op: str, operands: tuple[Scalar, ...]) -> ScalarType | None:
        """A type in which an operation gives the same number, whether a choice is Python's integer or NumPy's number.

        (n if c else x[i]) + 1 where n is small: NumPy's sum, which is a number of Python's where n was chosen.
        """
        graph = self.trace.graph
        places = [n for n, o in enumerate(operands) if id(o) in graph.choices]
        arms = graph.kept(operands[places[0]])
        weak, strong = ([v for v in arms if (v.type == weak_int) == own] for own in (True, False))
        if len(places) > 1 or len(weak) != 1 or len(strong) != 1 or strong[0].type != operands[places[0]].type:
            return None
        number, other = ([v if n == places[0] else o for n, o in enumerate(operands)] for v in (weak[0], strong[0]))
        type = result_type("neg" if op == "pos" else op, *(o.type for o in other))
        same = type == strong[0].type and self.result_fits(op, number, type) and not self._signs_zero(op, number, type)
        return type if same and type.kind != "b" and op != "pos" else None

    def _signs_zero(self, op: str, operands: list[Scalar], type: ScalarType) -> bool:
        """Whether floats, or parts of a complex number, may be -0.0 where Python's integers are 0."""
        if op in ("add", "sub") or type.kind not in "fc":
            return False
        found = _of_operation(op, [self.of(o) for o in operands])
        return type.kind == "c" or found is None or found[0] <= 0 <= found[1]

    def as_exact(self, node: Scalar, type: ScalarType) -> bool:
        """Whether a choice of floats of one type, and small integers, is as good as one of floats only, as a float."""
        numbers = [v for v in self.trace.graph.kept(node) if v.type != node.type]
        floats = type.kind == "f" and node.type.kind == "f"
        return floats and all(v.type == weak_int and self.result_fits("cast", [v], type) for v in numbers)

    @contextmanager
    def under(self, condition: Scalar) -> Iterator[None]:
        """What follows is used under some condition only."""
        before = self.trace.condition
        self.trace.condition = before or condition
        yield
        self.trace.condition = before

    def fitted(self, node: Scalar, type: ScalarType) -> Scalar:
        """A Python integer in an integer type that may not hold it."""
        graph = self.trace.graph
        plain = graph.operation("cast", (node,), type)
        if self.fits(node, type) or (isinstance(node, IndexValue) and self._by_sizes(node.index, type)):
            return plain
        return self.within(plain, node, type)

    def within(self, value: Scalar, number: Scalar, type: ScalarType) -> Scalar:
        """`value`, which is an error where it is used and `number` is not within `type`."""
        graph, own = self.trace.graph, number.type
        outside: Scalar | None = None
        limits = own.concrete.limits()
        for op, limit, end in zip(("lt", "gt"), type.limits(), limits):
            if limits[0] <= limit <= limits[1] and limit != end:
                one = graph.operation(op, (number, graph.constant(limit, own)), bool_)
                outside = one if outside is None else graph.operation("or", (outside, one), bool_)
        if outside is None:
            return value
        return self.trace.faulted(value, outside, Fault("range", f"Python integer out of bounds for {type}"))

    def _by_sizes(self, index: Affine, type: ScalarType) -> bool:
        """Whether checks on the sizes of a call decide that an index fits; adds them."""
        trace, domain = self.trace, self.trace.domain()
        lengths = [d.length for d in domain.dims]
        loops = {d.name for d in domain.dims}
        if trace.condition is not None or not domain.is_box or has_indirect(index, *(d.room for d in domain.dims)):
            return False
        if any(x is None or loops.intersection(x.names) for x in lengths):
            return False
        least, greatest = domain.least(index), domain.greatest(index)
        if least is None or greatest is None or not all(self._known(n) for n in (*least.names, *greatest.names)):
            return False
        low, high = type.limits()
        when = tuple(dict.fromkeys(x for x in lengths if x is not None and not (x.is_constant and x.constant > 0)))
        message = f"a Python integer, {index}, may be out of bounds for {type}"
        loc = domain.dims[-1].loc if domain.dims else None
        for value in (least - low, -greatest + high):
            check = Check(value, "fallback", message, when, loc)
            if not domain.proves(value) and check not in trace.checks:
                trace.checks.append(check)
        return True

    def _known(self, name: str) -> bool:
        """Whether a name in an affine expression is one that a call knows."""
        return name.endswith("]") or name in self.trace.definitions or name in self.trace.buffers


def _of_operation(op: str, ranges: list[Range]) -> Range | None:
    (a, b), (c, d) = ranges[0], ranges[-1]
    match op:
        case "cast":
            return a, b
        case "neg":
            return -b, -a
        case "abs":
            return (0 if a <= 0 <= b else min(abs(a), abs(b))), max(abs(a), abs(b))
        case "invert":
            return ~b, ~a
        case "add":
            return a + c, b + d
        case "sub":
            return a - d, b - c
        case "mul":
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "floordiv" if c == d != 0:
            return min(a // c, b // c), max(a // c, b // c)
        case "mod" if c > 0:
            return (a, b) if a >= 0 and b < c else (0, d - 1)
        case "and" if c >= 0 or a >= 0:
            return 0, min(x for x, low in ((b, a), (d, c)) if low >= 0)
        case "select" | "fmin" | "fmax" | "minimum" | "maximum":
            pick = {"fmin": min, "minimum": min, "fmax": max, "maximum": max}.get(op)
            return (min(a, c), max(b, d)) if pick is None else (pick(a, c), pick(b, d))
        case "faulted":
            return a, b
        case _ if op in COMPARISONS:
            return 0, 1
    return None
