"""Small kernels, which have each statement and value of kernel IR for processors, and the options of the emitter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jitmdh.base.dtype import ScalarType, bfloat16, bool_, float16, float32, float64, int64, uint8
from jitmdh.base.source import Loc
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    CombineEnds,
    CombiningBuffer,
    Declare,
    Fail,
    Failed,
    Fence,
    Flush,
    For,
    If,
    InOrder,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    MaskedStores,
    Merge,
    Misalignment,
    Name,
    Parallel,
    Permute,
    Poll,
    Prefetch,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    Threads,
    Value,
    View,
    While,
)

I, N, M, C, COUNT = Name("i"), Name("n"), Name("m"), Name("c"), Argument(4)
DONE = Return(integer(0))
HERE, INLINED = Loc("user's.py", 3, 4), Loc("C:\\other.py", 7, 0)


def _kernel(*body: Statement, buffers: str = "xyz", type: ScalarType = float64, **named: Any) -> Kernel:
    made = tuple(BufferArgument(name, type, slot, written=name != "x") for slot, name in enumerate(buffers))
    return Kernel("kernel", made, (*body, DONE), **named)


def _first(count: Value, lanes: int) -> Value:
    return Apply("first_lanes", (count,), bool_, lanes)


def accesses(type: ScalarType, lanes: int, together: bool = False) -> Kernel:
    """Loads and stores of one element and of vectors: all lanes, some, of which a number or a mask tells. together: two
    stores under one mask, too, as the pass `masked_stores` makes them where there is no AVX-512."""
    some, any_, v = Name("some", bool_, lanes), Name("any", bool_, lanes), Name("v", type, lanes)
    odd = Apply("eq", (Iota(lanes), Splat(COUNT, int64, lanes)), bool_, lanes)
    known = [Load("x", add(N, integer(n)), type, lanes, mask=_first(integer(n), lanes)) for n in (0, 3, lanes)]
    return _kernel(
        Let(N, Argument(3)),
        Store("y", integer(0), Load("x", N, type, mask=compare("lt", N, COUNT))),
        Store("y", integer(1), Load("x", integer(0), type), mask=compare("lt", N, COUNT)),
        Let(some, _first(COUNT, lanes)),
        Let(any_, odd),
        Store("y", N, Load("x", N, type, lanes)),
        *(Store("y", integer(n), value) for n, value in enumerate(known)),
        *(Store("y", integer(n), Load("x", N, type, lanes), mask=_first(integer(n), lanes)) for n in (0, 3, lanes)),
        Store("z", N, Load("x", N, type, lanes, mask=some), mask=some),
        Let(v, Load("x", N, type, lanes, mask=any_)),
        Store("z", N, v, mask=odd),
        Store("z", N, v, mask=any_),
        Store("y", N, v, aligned=True),
        Store("y", N, v, aligned=True, streaming=True),
        Store("y", N, v, streaming=True),
        *((MaskedStores((Store("y", N, v, mask=some), Store("z", integer(5), v, mask=some))),) if together else ()),
        type=type,
    )


def apart(type: ScalarType, lanes: int) -> Kernel:
    """Elements that lie apart: by a number, by a vector of offsets that is a multiple or any, under masks."""
    steps, offsets = Name("steps", int64, lanes), Name("offsets", int64, lanes)
    some, any_ = Name("some", bool_, lanes), Name("any", bool_, lanes)
    odd = Apply("eq", (Iota(lanes), Splat(COUNT, int64, lanes)), bool_, lanes)
    return _kernel(
        Let(some, _first(COUNT, lanes)),
        Let(any_, odd),
        Let(steps, Apply("mul", (Iota(lanes), Splat(Argument(3), int64, lanes)), int64, lanes)),
        Let(offsets, Load("index", integer(0), int64, lanes)),
        Store("y", integer(0), Load("x", I, type, lanes, Argument(3))),
        Store("y", integer(1), Load("x", steps, type, lanes, mask=some)),
        Store("y", integer(2), Load("x", I, type, lanes, integer(2), mask=any_)),
        Store("y", integer(3), Load("x", I, type, lanes, integer(2), mask=_first(integer(2), lanes))),
        Store("y", integer(4), Load("x", offsets, type, lanes)),
        Store("z", I, Load("x", integer(0), type, lanes), stride=integer(3)),
        Store("z", offsets, Load("x", integer(0), type, lanes), mask=any_),
        type=type,
    )  # fmt: skip


def _with_indices(kernel: Kernel) -> Kernel:
    index = BufferArgument("index", int64, 5)
    return Kernel(kernel.name, (*kernel.buffers, index), (Let(I, integer(7)), *kernel.body))


def addresses() -> Kernel:
    """Buffers in a slot itself, behind its address and in one memory; views, prefetches, what lies before a border."""
    buffers = (
        BufferArgument("number", float64, 0, inline=True),
        BufferArgument("re", float64, 1, written=True, of="c"),
        BufferArgument("im", float64, 1, written=True, offset=8, of="c"),
        BufferArgument("x", float32, 2),
    )
    return Kernel("kernel", buffers, (
        Let(N, Argument(3, int64)),
        View("row", "x", add(add(N, integer(2)), Argument(4))),
        View("hidden", "row", integer(1), opaque=True),
        View("same", "row", integer(0)),
        Prefetch("x", N, write=False),
        Prefetch("re", N),
        Let(M, Misalignment("hidden", N, 16)),
        Store("re", M, Apply("cast", (Load("row", add(N, M), float32),), float64)),
        Store("im", M, Apply("cast", (Load("same", Apply("mul", (N, M), int64), float32),), float64)),
        Store("im", add(Apply("mul", (N, M), int64), N), Load("number", integer(0), float64)),
        SetArgument(6, Threads()),
        DONE,
    ))  # fmt: skip


def ways() -> Kernel:
    """Branches, loops and questions, whether something has failed, working buffers, tasks, the ways out."""
    lanes = Name("lanes", float64, 4)
    vector = Splat(Load("x", N, float64), float64, 4)
    inside = (Poll(C), Fail(compare("lt", N, integer(0)), 9, leaves=True))
    branches = (
        Fail(_first(N, 4), 8),
        If(Failed(), (Store("y", N, Literal(1.0, float64)),), (Store("y", N, Literal(-0.0, float64)),), rare=True),
        If(compare("eq", N, integer(3)), (Assign(lanes, vector),)),
    )
    on_stack = Scratch("small", float64, integer(16), (Store("small", integer(0), Literal(2.0, float64)), *inside))
    huge = Scratch("huge", float64, integer(1 << 16), (on_stack, Store("huge", N, Literal(0.5, float64))))
    near = Scratch("near", float64, N, (Store("near", integer(0), Literal(3.0, float64)), Poll(integer(5))), "L1")
    task = Parallel(Name("task"), C, (
        For(I, integer(0), Name("task"), integer(2), (Store("z", add(I, N), Load("x", I, float64)), Poll(I))),
        huge,
    ))  # fmt: skip
    rounds = For(I, N, C, integer(1), (Assign(M, add(M, I)), Store("y", I, Load("x", M, float64))), opaque=True)
    plain = For(I, N, C, integer(4), (InOrder(), Fence()), branchless=True)
    source = For(I, N, C, integer(1), (Store("y", I, Load("x", I, float64)),), as_written=True)
    apart = For(I, N, C, integer(1), source.body, as_written=True, independent=True)
    return _kernel(
        Let(N, Argument(3)),
        Let(C, COUNT),
        Declare(M, integer(0)),
        Declare(lanes, Splat(Literal(0.0, float64), float64, 4)),
        rounds, plain, source, apart, *branches,
        While(compare("lt", M, C), (Assign(M, add(M, integer(1))),)),
        near,
        task,
        Parallel(Name("other"), C, (Store("z", Name("other"), Literal(4.0, float64)),)),
        Store("z", M, lanes),
        If(compare("lt", N, integer(1)), (Return(integer(4)),)),
    )  # fmt: skip


def lanes_moved() -> Kernel:
    """What changes places: shuffles, merges, permutations, single values side by side."""
    a, b = (Name(name, float64, 8) for name in "ab")
    return _kernel(
        Let(a, Load("x", integer(0), float64, 8)),
        Let(b, Load("x", integer(4), float64, 8)),
        Let(N, Argument(3)),
        Store("y", integer(0), Shuffle(a, (3, 1, 2, 0, 7, 6, 5, 4), float64)),
        Store("y", integer(1), Shuffle(a, (5,), float64)),
        Store("y", integer(2), Shuffle(a, (6, 7), float64)),
        Store("y", integer(4), Merge(a, b, (0, 8, 1, 9, 2, 10, 3, 11))),
        Store("y", integer(8), Permute(a, b, Apply("add", (Iota(8), Splat(N, int64, 8)), int64, 8))),
        Store("y", integer(12), Join((a, b))),
        Store("y", integer(28), Join((b, a, b))),
    )


def combining() -> Kernel:
    """Runs of whole cache lines, of which the ends wait for their neighbours."""
    head, tail = Name("head", float64, 8), Name("tail", float64, 8)
    rows = For(I, integer(0), C, integer(1), (CombineEnds("waiting", "y", Apply("mul", (I, N), int64), head, tail, 2),))
    return _kernel(
        Let(N, Argument(3)),
        Let(C, COUNT),
        Let(head, Load("x", integer(0), float64, 8)),
        Let(tail, Load("x", integer(8), float64, 8)),
        CombiningBuffer("waiting"),
        rows,
        Flush("waiting"),
        Fence(),
    )


def fused(*types: ScalarType) -> Kernel:
    """Sums of products, which may be rounded once or not, of each type that has them; 16-bit floats, too."""
    stores: list[Statement] = []
    buffers: list[BufferArgument] = []
    for type in types:
        name, lanes = type.name, 2
        at = len(buffers)
        buffers += [BufferArgument(f"{n}_{name}", type, at + k, written=n == "y") for k, n in enumerate("xy")]
        a, b, c = (Load(f"x_{name}", integer(lanes * n), type, lanes) for n in range(3))
        for n, (op, relaxed) in enumerate(
            (op, relaxed) for op in ("add", "sub")[: 1 + (type == float64)] for relaxed in (False, True)
        ):
            product = Apply("mul", (a, b), type, lanes, relaxed)
            stores.append(Store(f"y_{name}", integer(8 * n), Apply(op, (c, product), type, lanes, relaxed)))
            stores.append(Store(f"y_{name}", integer(8 * n), Apply(f"{op}_product", (c, a, b), type, lanes, relaxed)))
        stores.append(Store("y_float32", integer(0), Apply("cast", (a,), float32, lanes)))
        stores.append(Store("y_bfloat16", integer(0), Apply("cast", (b,), bfloat16, lanes)))
    return Kernel("kernel", tuple(buffers), (*stores, DONE))


def many_numbers() -> Kernel:
    """More than registers hold: some are needed twice, some are far from each other; zeros; short ones."""
    body: list[Statement] = []
    for n in range(60):
        for type in (float32, float64, float16)[: 1 + n % 3]:
            known = Splat(Literal(float(n // 2), type), type, 4)
            name = Name(f"{type.name}_{n}", type, 4)
            body += [Let(name, known), Store(type.name, integer(n), name)]
    buffers = tuple(BufferArgument(t.name, t, n, written=True) for n, t in enumerate((float32, float64, float16)))
    return Kernel("kernel", buffers, (*body, DONE))


def with_lines(loc: Loc | None) -> Kernel:
    """Some instructions come from other places, of another file, too."""
    value = Apply("mul", (Load("x", integer(0), float64, loc=Loc("user's.py", 4, 8)),) * 2, float64, loc=INLINED)
    again = Store("z", integer(0), value, loc=INLINED)
    return _kernel(Store("y", integer(0), value, loc=Loc("user's.py", 5)), again, title='f"é \x1f~\x7f', loc=loc)


def literals() -> Kernel:
    """Numbers of all kinds, and their ends."""
    numbers: list[Value] = [Literal(n, float64) for n in (0.1, -0.0, float("inf"), float("-inf"), float("nan"), 1e300)]
    numbers += [Literal(n, float32) for n in (0.1, float("inf"), float("nan"), 2.0**-149)]
    numbers += [Literal(n, float16) for n in (0.1, float("inf"), 2.0**-24)]
    numbers += [Literal(n, bfloat16) for n in (0.1, -3.0, float("-inf"))]
    numbers += [Literal(True, bool_), Literal(255, uint8), Literal(-(2**63)), Literal(2**63 - 1)]
    numbers += [Splat(Literal(1.5, float32), float32, 4), Splat(Literal(0, int64), int64, 4), Iota(4)]
    buffers = tuple(BufferArgument(f"b{n}", number.type, n, written=True) for n, number in enumerate(numbers))
    stores = tuple(Store(f"b{n}", integer(n), number) for n, number in enumerate(numbers))
    return Kernel("kernel", buffers, (*stores, DONE))


AVX512, AVX2, SSE = {"vector_bits": 512}, {"vector_bits": 256}, {"vector_bits": 128}
OTHER = {"vector_bits": 128, "x86": False}
FORMS: Mapping[str, tuple[Kernel, Mapping[str, Any]]] = {
    "accesses_avx512": (accesses(float64, 8), AVX512),
    "accesses_avx2": (accesses(float32, 8, together=True), AVX2),
    "accesses_sse": (accesses(bool_, 4, together=True), SSE),
    "accesses_bytes": (accesses(uint8, 16), AVX2),
    "accesses_other": (accesses(float16, 4), OTHER),
    "apart_avx512": (_with_indices(apart(float64, 8)), AVX512),
    "apart_bytes": (_with_indices(apart(uint8, 16)), AVX512),
    "apart_without_gathers": (_with_indices(apart(float32, 4)), {**SSE, "gathers": False}),
    "addresses": (addresses(), AVX2),
    "ways": (ways(), AVX2),
    "ways_other": (_kernel(InOrder(), Fence(), Prefetch("x", integer(3))), OTHER),
    "combining": (combining(), AVX512),
    "lanes": (lanes_moved(), AVX512),
    "fused": (fused(float64, float32, float16, bfloat16, int64), AVX2),
    "fused_sse": (fused(float32, bfloat16), {**SSE, "converts_half": False}),
    "many_numbers": (many_numbers(), AVX2),
    "lines": (with_lines(HERE), {**AVX2, "line_tables": True}),
    "lines_of_nothing": (with_lines(None), {**AVX2, "line_tables": True}),
    "literals": (literals(), AVX2),
}
"""The options are those of `emit`."""
