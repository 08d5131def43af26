"""Programs with hand-written kernels: the call path is tested without the frontend and the code generator.

Each is a function as a user writes it, its program, and its LLVM IR under the ABI of the frame.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.source import Loc
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import Generated, Pipeline
from jitmdh.jit.compilation.signature import ArrayKey, Signature
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.mdh.algebra.combine import PointWise, cc, elementwise
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Check,
    Dim,
    Expression,
    Finish,
    MdHom,
    Parameter,
    Program,
    Return,
    ScalarParameter,
)
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.scalar import Operation, ScalarFunction, Variable, cast

LLVM_TYPES = {"float32": "float", "float64": "double", "int32": "i32", "int64": "i64"}


def size(name: str, axis: int = 0) -> Affine:
    return Affine.of(shape_name(name, axis))


def here(function: Any, lines: int) -> Loc:
    code = function.py_func.__code__
    return Loc(code.co_filename, code.co_firstlineno + lines, 0)


def _parameters(function: Any, signature: Signature, types: tuple[ScalarType, ...] | None = None) -> list[Parameter]:
    made: list[Parameter] = []
    for name, key in zip(function.parameter_names, signature.keys):
        if isinstance(key, ArrayKey):
            made.append(ArrayParameter(name, key.type, key.rank))
        else:
            made.append(ScalarParameter(name, key.type.concrete))
    return made


# ------------------------------------------------------------------------------------------------ matvec


def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def matvec_program(function: Any, signature: Signature, options: Options) -> Program:
    parameters = _parameters(function, signature)
    if [getattr(p, "rank", None) for p in parameters] != [1, 2, 1]:
        raise NotAnMdhError("ranks are not those of a matrix-vector product", loc=here(function, 3))
    t = parameters[0].type
    buffers = tuple(
        Buffer(p.name, p.type, tuple(size(p.name, a) for a in range(p.rank)))
        for p in parameters
        if isinstance(p, ArrayParameter)
    )
    i, k = Affine.of("i"), Affine.of("k")
    m, a = Variable("m", t), Variable("a", t)
    before, total = Variable("before", t), Variable("total", t)
    names = function.parameter_names
    expression = Expression(
        function.name,
        buffers,
        (Access(names[1], (i, k)), Access(names[2], (k,))),
        MdHom(
            (Dim("i", size(names[1], 0)), Dim("k", size(names[1], 1))),
            ScalarFunction((m, a), (), (Operation("mul", (m, a), t),)),
            (cc, PointWise(elementwise("add", t, 0 if t.is_integer else -0.0))),
        ),
        Finish(
            (Access(names[0], (i,)),),
            ScalarFunction((total, before), (), (Operation("add", (before, total), t),)),
        ),
        (Access(names[0], (i,)),),
    )
    rows, columns = size(names[1], 0), size(names[1], 1)
    checks = (
        Check(size(names[0]) - rows, "bounds", "index i leaves w", (rows, columns), here(function, 3)),
        Check(size(names[2]) - columns, "bounds", "index k leaves v", (rows, columns), here(function, 3)),
    )
    return Program(function.name, tuple(parameters), (), (), checks, (expression,), loc=here(function, 0))


def matvec_ir(program: Program) -> str:
    t = LLVM_TYPES[program.parameters[0].type.name]
    integer = t.startswith("i")
    return f"""
define i64 @guard(ptr %f) {{
{_slots(("w0", 1), ("m0", 4), ("m1", 5), ("v0", 9))}
  %e0 = icmp sgt i64 %m0, 0
  %e1 = icmp sgt i64 %m1, 0
  %some = and i1 %e0, %e1
  %x = icmp sgt i64 %m0, %w0
  %y = icmp sgt i64 %m1, %v0
  %second = select i1 %y, i64 2, i64 0
  %first = select i1 %x, i64 1, i64 %second
  %r = select i1 %some, i64 %first, i64 0
  ret i64 %r
}}
define i64 @kernel(ptr %f) {{
entry:
{_slots(("wa", 0), ("ws", 2), ("ma", 3), ("m0", 4), ("m1", 5), ("s0", 6), ("s1", 7), ("va", 8), ("vs", 10))}
  br label %li
li:
  %i = phi i64 [ 0, %entry ], [ %i1, %lie ]
  %ci = icmp slt i64 %i, %m0
  br i1 %ci, label %lib, label %out
lib:
  %wo = mul i64 %i, %ws
  %wb = add i64 %wa, %wo
  %w = inttoptr i64 %wb to ptr
  %row = mul i64 %i, %s0
  br label %lk
lk:
  %k = phi i64 [ 0, %lib ], [ %k1, %lkb ]
  %ck = icmp slt i64 %k, %m1
  br i1 %ck, label %lkb, label %lie
lkb:
  %mo = mul i64 %k, %s1
  %mr = add i64 %ma, %row
  %mk = add i64 %mr, %mo
  %mp = inttoptr i64 %mk to ptr
  %m = load {t}, ptr %mp
  %vo = mul i64 %k, %vs
  %vk = add i64 %va, %vo
  %vp = inttoptr i64 %vk to ptr
  %v = load {t}, ptr %vp
  %p = {"mul" if integer else "fmul"} {t} %m, %v
  %o = load {t}, ptr %w
  %n = {"add" if integer else "fadd"} {t} %o, %p
  store {t} %n, ptr %w
  %k1 = add i64 %k, 1
  br label %lk
lie:
  %i1 = add i64 %i, 1
  br label %li
out:
  ret i64 0
}}
"""


def _slots(*wanted: tuple[str, int]) -> str:
    lines = []
    for name, slot in wanted:
        lines += [f"  %{name}_at = getelementptr i64, ptr %f, i64 {slot}", f"  %{name} = load i64, ptr %{name}_at"]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ scaled


def scaled(x, a):
    import numpy as np

    y = np.empty(x.shape[0], x.dtype)
    total = x.dtype.type(0)
    for i in range(x.shape[0]):
        y[i] = x[i] * a
    for i in range(x.shape[0]):
        total = total + y[i]
    return y, total


def scaled_program(function: Any, signature: Signature, options: Options) -> Program:
    parameters = _parameters(function, signature)
    x, a = parameters
    t = x.type
    buffers = (Buffer("x", t, (size("x"),)), Buffer("a", a.type, ()), Buffer("y", t, (size("x"),)))
    left, right = Variable("left", t), Variable("right", a.type)
    i = Affine.of("i")
    dims = (Dim("i", size("x")),)
    first = Expression(
        "scale",
        buffers,
        (Access("x", (i,)), Access("a", ())),
        MdHom(dims, ScalarFunction((left, right), (), (Operation("mul", (left, cast(right, t)), t),)), (cc,)),
        None,
        (Access("y", (i,)),),
    )
    second = Expression(
        "total",
        (Buffer("y", t, (size("x"),)), Buffer("total", t, ())),
        (Access("y", (i,)),),
        MdHom(dims, ScalarFunction((left,), (), (left,)), (PointWise(elementwise("add", t, -0.0)),)),
        None,
        (Access("total", ()),),
    )
    allocations = (Allocation("y", t, (size("x"),)), Allocation("total", t, ()))
    returns = (Return("y"), Return("total"))
    return Program(
        function.name, (x, a), (), allocations, (), (first, second), returns, True, loc=here(function, 0)
    )  # fmt: skip


def scaled_ir(program: Program) -> str:
    t = LLVM_TYPES[program.parameters[0].type.name]
    narrow = "%a = fptrunc double %ad to float" if t == "float" else "%a = fadd double %ad, -0.0"
    return f"""
define i64 @guard(ptr %f) {{
{_slots(("n", 1))}
  %shape = getelementptr i64, ptr %f, i64 5
  store i64 %n, ptr %shape
  %stride = getelementptr i64, ptr %f, i64 6
  store i64 {4 if t == "float" else 8}, ptr %stride
  ret i64 0
}}
define i64 @kernel(ptr %f) {{
entry:
{_slots(("xa", 0), ("n", 1), ("xs", 2), ("ya", 4), ("ys", 6), ("ta", 7))}
  %ap = getelementptr i64, ptr %f, i64 3
  %ad = load double, ptr %ap
  {narrow}
  %t = inttoptr i64 %ta to ptr
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %sum = phi {t} [ 0.0, %entry ], [ %sum1, %body ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %out
body:
  %xo = mul i64 %i, %xs
  %xi = add i64 %xa, %xo
  %xp = inttoptr i64 %xi to ptr
  %x = load {t}, ptr %xp
  %y = fmul {t} %x, %a
  %yo = mul i64 %i, %ys
  %yi = add i64 %ya, %yo
  %yp = inttoptr i64 %yi to ptr
  store {t} %y, ptr %yp
  %sum1 = fadd {t} %sum, %y
  %i1 = add i64 %i, 1
  br label %loop
out:
  store {t} %sum, ptr %t
  ret i64 0
}}
"""


# ------------------------------------------------------------------------------------------------ pipelines


def fingerprint(function: Any) -> str:
    code = function.py_func.__code__
    return hashlib.blake2b(code.co_code + repr(code.co_consts).encode(), digest_size=8).hexdigest()


def pipeline(
    trace: Callable[[Any, Signature, Options], Program],
    emit: Callable[[Program], str] | None,
    count: list[str] | None = None,
) -> Pipeline:
    """A pipeline over a hand-written program; emit None: interpreted. `count` collects what is compiled."""

    def generate(
        program: Program, sizes: Any, unit_axes: Any, options: Options, serving: str = "multiples"
    ) -> Generated | None:
        if count is not None:
            count.append(str(sorted(unit_axes.items(), key=str)))
        if emit is None:
            return None
        return Generated(emit(program), {"emitted": "by hand"}, {"kernel": "void kernel() {}"})

    return Pipeline(trace, generate, fingerprint)


def native_matvec(count: list[str] | None = None, **options: Any) -> JitFunction[..., Any]:
    return make(matvec, Options(**options), pipeline(matvec_program, matvec_ir, count))


def native_scaled(**options: Any) -> JitFunction[..., Any]:
    return make(scaled, Options(**options), pipeline(scaled_program, scaled_ir))


def interpreted_matvec(**options: Any) -> JitFunction[..., Any]:
    return make(matvec, Options(**options), pipeline(matvec_program, None))


def interpreted_scaled(**options: Any) -> JitFunction[..., Any]:
    return make(scaled, Options(**options), pipeline(scaled_program, None))
