"""Random numbers of `numpy.random`, computed from where they are drawn: Philox 4x32-10, a cipher of counters.

x[i] = np.random.random()     the number of (this call of the function, this place in it, i): no state is carried on

The key is an argument that the caller draws from NumPy's own state, or from the generator that is an argument, once a
call; `default_rng(seed)` has its seed. So numbers are the same for any number of threads, and seeds decide them, but
they are not those that NumPy would draw.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeGuard

from jitmdh.base.dtype import float64, int64, uint64, weak_float, weak_int
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.python.allocations import shape_of
from jitmdh.mdh.frontend.python.array_expressions import materialised
from jitmdh.mdh.frontend.python.subscripts import read_element
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Lazy, Static, Structure, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.source.random_calls import KEY, PARAMETERS

_DEFAULTS = {"low": 0.0, "high": 1.0, "loc": 0.0, "scale": 1.0}


def generator(t: Tracer, node: ast.Call, arguments: Sequence[SymbolicValue]) -> Structure:
    """`np.random.default_rng(seed)`; without a seed its numbers are as others that this call of the function draws."""
    if len(arguments) > 1 or node.keywords:
        t.error(node, f"`{ast.unparse(node.func)}` takes a seed here")
    if not arguments or _is_none(arguments[0]):
        return Structure((_own_key(t, node),), ("key",), "Generator", False)
    seed = as_scalar(t, node.args[0], arguments[0])
    if seed.type.kind not in "iu":
        t.error(node.args[0], "a seed is an integer here")
    seed = t.arithmetic.cast(seed, uint64)
    return Structure((seed, t.trace.graph.constant(_SEEDED, uint64)), ("key", "more"), "Generator", False)


def is_generator(value: SymbolicValue) -> TypeGuard[Structure]:
    """Whether this is one of NumPy's generators: an argument, or one made by `default_rng`."""
    return isinstance(value, Structure) and value.kind == "Generator" and value.names[:1] == ("key",)


_SEEDED = 0xD1B54A32D192ED03  # apart from the keys of what has none


def _own_key(t: Tracer, node: ast.Call) -> ArrayRef:
    if KEY not in t.trace.buffers:
        hint = "draw in the decorated function or in what it calls by a global name, or pass an array of random numbers"
        t.error(node, f"`{ast.unparse(node.func)}` is called where the caller does not see it", hint=hint)
    return ArrayRef(KEY)


def drawn(
    t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue], keywords: Mapping[str, SymbolicValue],
    source: Structure | None = None,
) -> SymbolicValue:  # fmt: skip
    """`np.random.name(*arguments, **keywords)`, or of a generator: a number, or an array of its own."""
    if t.recorder is not None or t.trace.leaving:
        reason = "each number is computed from the iterations around it, which are counted"
        t.error(node, "a random number is drawn in a loop that data end", reason, "draw an array of them before it")
    key = _words_of_key(t, node, (_own_key(t, node),) if source is None else source)
    given, size = _arguments(t, node, name, arguments, keywords)
    if name in ("randint", "integers") and "low" not in given:
        t.error(node, f"`{ast.unparse(node.func)}` needs an argument")
    numbers = {k: as_scalar(t, node, v) for k, v in given.items()}
    site, around = t.trace.random_sites, [Affine.of(d.name) for d in t.trace.domain().dims]
    t.trace.random_sites += 1
    whole = name in ("randint", "integers")
    if whole:
        numbers = _bounds(t, node, numbers)
    weak = weak_int if whole else weak_float

    def at(index: tuple[Affine, ...]) -> Scalar:
        words = _philox(t, key, site, [*around, *index])
        return t.arithmetic.cast(_DISTRIBUTIONS[name](t, words, numbers), weak.concrete)

    if size is None:  # `integers` gives a number of NumPy's, the others one of Python's
        return at(()) if name == "integers" else t.arithmetic.cast(at(()), weak)
    return materialised(t, node, Lazy(shape_of(t, node, size), weak.concrete, at))


def _arguments(
    t: Tracer, node: ast.Call, name: str, arguments: Sequence[SymbolicValue], keywords: Mapping[str, SymbolicValue]
) -> tuple[dict[str, SymbolicValue], SymbolicValue | None]:
    """What is given by name, but the size; and that."""
    names = PARAMETERS[name]
    size: SymbolicValue | None = tuple(arguments) or None
    given = dict(keywords)
    if name not in ("rand", "randn"):
        if len(arguments) > len(names):
            t.error(node, f"`{ast.unparse(node.func)}` takes {len(names)} arguments here")
        given = {**dict(zip(names, arguments)), **keywords}
        size = given.pop("size", None)
    for keyword in given:
        if keyword not in names:
            t.error(node, f"argument `{keyword}` of `{ast.unparse(node.func)}` is not supported")
    given = {k: v for k, v in given.items() if not _is_none(v)}
    return given, None if size is None or _is_none(size) else size


def _bounds(t: Tracer, node: ast.Call, numbers: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """From `low` on below `high`, or from 0 on below `low`."""
    first = t.arithmetic.cast(numbers["low"], int64)
    low, high = t.trace.graph.constant(0, int64), first
    if "high" in numbers:
        low, high = first, t.arithmetic.cast(numbers["high"], int64)
    wrong = t.arithmetic.apply("ge", low, high)
    return {"low": low, "high": t.faulted(node, high, wrong, "value", "low >= high")}


def _words_of_key(t: Tracer, node: ast.AST, source: Sequence[SymbolicValue]) -> list[Scalar]:
    if len(source) == 2:
        return [as_scalar(t, node, word) for word in source]
    (array,) = source
    assert isinstance(array, ArrayRef)
    places = [ast.copy_location(ast.Constant(k), node) for k in (0, 1)]
    return [
        read_element(t, node, ArrayRef(array.buffer, ((p, t.arithmetic.literal(k)),))) for k, p in enumerate(places)
    ]


def _is_none(value: SymbolicValue) -> bool:
    return isinstance(value, Static) and value.value is None


# ------------------------------------------------------------------------------------------------------ the cipher

_ROUNDS, _MULTIPLIERS, _STEPS, _WORD = 10, (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85), 0xFFFFFFFF
_FOLD = 0x85EBCA6B  # odd: what is beyond 32 bits, and loops beyond three, count in, too


def _low(t: Tracer, value: Scalar) -> Scalar:
    """The lower 32 bits."""
    return t.arithmetic.apply("and", value, t.trace.graph.constant(_WORD, uint64))


def _high(t: Tracer, value: Scalar) -> Scalar:
    """The upper 32 bits."""
    return t.arithmetic.apply("rshift", value, t.trace.graph.constant(32, uint64))


def _philox(t: Tracer, words: Sequence[Scalar], site: int, places: Sequence[Affine]) -> list[Scalar]:
    """Four words of 32 bits, as uint64, for a place in the program and an iteration."""
    apply = t.arithmetic.apply

    def number(value: int) -> Scalar:
        return t.trace.graph.constant(value, uint64)

    low, high = partial(_low, t), partial(_high, t)
    counter = [number(0), number(0), number(0), number(site)]
    for n, place in enumerate(reversed(places)):
        index = t.arithmetic.cast(t.arithmetic.index(place), uint64)
        own, beyond = min(n, 2), min(n + 1, 2)
        counter[own] = low(index) if n < 3 else low(apply("add", apply("mul", counter[own], number(_FOLD)), index))
        counter[beyond] = apply("add", counter[beyond], high(index)) if n == 0 else counter[beyond]
    key = [low(word) for word in words]
    counter[3] = apply("xor", counter[3], high(words[0]))
    a, b, c, d = counter
    for round in range(_ROUNDS):
        one, other = (apply("mul", number(m), word) for m, word in zip(_MULTIPLIERS, (a, c)))
        a, b = apply("xor", apply("xor", high(other), b), key[0]), low(other)
        c, d = apply("xor", apply("xor", high(one), d), key[1]), low(one)
        if round + 1 < _ROUNDS:
            key = [low(apply("add", k, number(step))) for k, step in zip(key, _STEPS)]
    return [a, b, c, d]


def _unit(t: Tracer, first: Scalar, second: Scalar) -> Scalar:
    """A float64 in [0, 1), of 53 bits."""
    apply, constant = t.arithmetic.apply, t.trace.graph.constant
    bits = apply("rshift", first, constant(5, uint64)), apply("rshift", second, constant(6, uint64))
    upper, lower = (t.arithmetic.cast(t.arithmetic.cast(b, int64), float64) for b in bits)
    total = apply("add", apply("mul", upper, constant(2.0**26, float64)), lower)
    return apply("mul", total, constant(2.0**-53, float64))


# --------------------------------------------------------------------------------------------------- distributions

Distribution = Callable[[Tracer, Sequence[Scalar], Mapping[str, Scalar]], Scalar]


def _given(t: Tracer, numbers: Mapping[str, Scalar], name: str) -> Scalar:
    return t.arithmetic.cast(numbers.get(name, t.arithmetic.literal(_DEFAULTS[name])), float64)


def _uniform(t: Tracer, words: Sequence[Scalar], numbers: Mapping[str, Scalar]) -> Scalar:
    unit = _unit(t, words[0], words[1])
    if not numbers:
        return unit
    apply, low = t.arithmetic.apply, _given(t, numbers, "low")
    return apply("add", low, apply("mul", apply("sub", _given(t, numbers, "high"), low), unit))


def _exponential(t: Tracer, words: Sequence[Scalar], numbers: Mapping[str, Scalar]) -> Scalar:
    apply, one = t.arithmetic.apply, t.trace.graph.constant(1.0, float64)
    value = apply("neg", apply("log", apply("sub", one, _unit(t, words[0], words[1]))))
    return apply("mul", _given(t, numbers, "scale"), value) if numbers else value


def _normal(t: Tracer, words: Sequence[Scalar], numbers: Mapping[str, Scalar]) -> Scalar:
    """Box and Muller's method."""
    apply, constant = t.arithmetic.apply, t.trace.graph.constant
    length = apply("log", apply("sub", constant(1.0, float64), _unit(t, words[0], words[1])))
    radius = apply("sqrt", apply("mul", constant(-2.0, float64), length))
    angle = apply("mul", constant(2 * math.pi, float64), _unit(t, words[2], words[3]))
    value = apply("mul", radius, apply("cos", angle))
    if not numbers:
        return value
    return apply("add", _given(t, numbers, "loc"), apply("mul", _given(t, numbers, "scale"), value))


def _integer(t: Tracer, words: Sequence[Scalar], numbers: Mapping[str, Scalar]) -> Scalar:
    """From `low` on: the words, a fraction of 128 bits, times how many integers there are, which may need 64 bits."""
    apply, (first, end) = t.arithmetic.apply, (t.arithmetic.cast(numbers[n], uint64) for n in ("low", "high"))
    count, found = apply("sub", end, first), t.trace.graph.constant(0, uint64)
    for word in reversed(words):
        below = apply("add", apply("mul", word, _low(t, count)), _low(t, found))
        above = apply("add", apply("mul", word, _high(t, count)), _high(t, found))
        found = apply("add", above, _high(t, below))
    return t.arithmetic.cast(apply("add", first, found), int64)


_DISTRIBUTIONS: Mapping[str, Distribution] = {
    **dict.fromkeys(("random", "random_sample", "ranf", "sample", "rand", "uniform"), _uniform),
    **dict.fromkeys(("standard_normal", "randn", "normal"), _normal),
    **dict.fromkeys(("standard_exponential", "exponential"), _exponential),
    **dict.fromkeys(("randint", "integers"), _integer),
}
