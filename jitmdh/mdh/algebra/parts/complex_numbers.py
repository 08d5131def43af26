"""Operations on complex numbers, written out in operations on their real and imaginary parts.

They are those of NumPy's scalars: the product without the recoveries of C's Annex G, the quotient by Smith's method.
Functions are the textbook identities, arranged so that they do not overflow before the result does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.operations.table import TRUTHS
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Require,
    Scalar,
    ScalarFunction,
    Variable,
    instructions,
    used,
)

Pair = tuple[Scalar, Scalar]

_ORDER = frozenset({"lt", "le", "gt", "ge", "minimum", "maximum", "fmin", "fmax"})
_PLAIN = frozenset("add sub neg pos abs conj real imag cast select eq ne isnan isinf isfinite".split())
_BOOLEAN = TRUTHS | {"and", "or", "not"}


class Splitter:
    """Rewrites the scalars of one function: each complex variable `z` becomes `z.real` and `z.imag`.

    bindings: of the new function, so far. inline: make none (values that are used twice are computed twice).
    """

    def __init__(self, function: ScalarFunction, inline: bool = False) -> None:
        self.inline = inline
        self.bindings: list[tuple[Variable, Scalar]] = []
        self._parts: dict[str, Pair] = {}
        self._split: dict[int, Procedure] = {}
        self._names = {p.name for p in function.parameters} | {v.name for v, _ in function.bindings}
        self.parameters = tuple(part for p in function.parameters for part in self._declared(p))

    def bind(self, variable: Variable, value: Scalar) -> None:
        """One binding of the old function."""
        if variable.type.kind == "c":
            real, imag = self.pair(value)
            self._parts[variable.name] = (
                self._kept(f"{variable.name}.real", real),
                self._kept(f"{variable.name}.imag", imag),
            )
        else:
            self.bindings.append((variable, self.scalar(value)))

    def parts(self, node: Scalar) -> tuple[Scalar, ...]:
        """What stands for `node`: itself, or its two parts."""
        return self.pair(node) if node.type.kind == "c" else (self.scalar(node),)

    def mentions_complex(self, node: Scalar) -> bool:
        if node.type.kind == "c":
            return True
        if isinstance(node, Procedure):
            return procedure_mentions_complex(node)
        return isinstance(node, Operation) and any(self.mentions_complex(o) for o in node.operands)

    def _declared(self, variable: Variable) -> tuple[Variable, ...]:
        if variable.type.kind != "c":
            return (variable,)
        type = variable.type.real
        real, imag = Variable(f"{variable.name}.real", type), Variable(f"{variable.name}.imag", type)
        self._parts[variable.name] = (real, imag)
        return real, imag

    def _kept(self, name: str, value: Scalar) -> Scalar:
        """`value`, under a name if it takes computing."""
        if self.inline or not isinstance(value, Operation):
            return value
        number, fresh = 1, name
        while fresh in self._names:
            number += 1
            fresh = f"{name}{number}"
        self._names.add(fresh)
        variable = Variable(fresh, value.type)
        self.bindings.append((variable, value))
        return variable

    def once(self, pair: Pair) -> Pair:
        """A pair that may be used several times."""
        return self._kept("re", pair[0]), self._kept("im", pair[1])

    def declare(self, variable: Variable) -> tuple[Variable, ...]:
        """The variables that stand for one that is bound elsewhere."""
        self._names.add(variable.name)
        return self._declared(variable)

    def called(self, node: Operation) -> tuple[Scalar, ...]:
        """What stands for a result of a procedure."""
        procedure, number, *arguments = node.operands
        assert isinstance(procedure, Procedure) and isinstance(number, Constant)
        split = self._split.get(id(procedure))
        if split is None:
            split = self._split[id(procedure)] = split_procedure(procedure)
        given = tuple(part for a in arguments for part in self.parts(a))
        parts = [2 if r.type.kind == "c" else 1 for r in procedure.results]
        first = sum(parts[: int(number.value)])  # type: ignore[arg-type]
        numbers = range(first, first + parts[int(number.value)])  # type: ignore[arg-type]
        return tuple(
            Operation("call", (split, Constant(n, number.type), *given), split.results[n].type) for n in numbers
        )

    # ------------------------------------------------------------------------------------------------ values

    def scalar(self, node: Scalar) -> Scalar:
        """A value that is not complex."""
        if not isinstance(node, Operation):
            return node
        if node.op == "call":
            return self.called(node)[0]
        if not any(o.type.kind == "c" for o in node.operands):
            return Operation(node.op, tuple(self.scalar(o) for o in node.operands), node.type, node.loc)
        operands = [self.pair(o) for o in node.operands if o.type.kind == "c"]
        if node.op == "cast":
            return self._narrowed(operands[0], node.type)
        real = _Reals(node.operands[0].type.real, self)
        match node.op:
            case "real" | "imag":
                return operands[0][0 if node.op == "real" else 1]
            case "abs":
                return real("hypot", *operands[0])
            case "eq" | "isfinite":
                return real("and", *(real(node.op, *same) for same in zip(*operands)))
            case "ne" | "isnan" | "isinf":
                return real("or", *(real(node.op, *same) for same in zip(*operands)))
        raise _refused(node.op)

    def _narrowed(self, pair: Pair, type: ScalarType) -> Scalar:
        """A complex number as something else: its truth, or its real part."""
        real = _Reals(pair[0].type, self)
        if type == bool_:
            return real("or", *(real("ne", p, real.number(0.0)) for p in pair))
        return pair[0] if pair[0].type == type else Operation("cast", (pair[0],), type)

    def pair(self, node: Scalar) -> Pair:
        """The parts of a complex value."""
        type = node.type.real
        match node:
            case Constant(value):
                number = complex(value)
                return Constant(number.real, type), Constant(number.imag, type)
            case Variable(name):
                return self._parts[name]
            case Operation("cast", (operand,)):
                return self._widened(operand, type)
            case Operation("call"):
                real, imag = self.called(node)
                return real, imag
            case Operation("complex", (real, imag)):
                return self.scalar(real), self.scalar(imag)
            case Operation("select", (condition, then, otherwise)):
                chosen = self._kept("condition", self.scalar(condition))
                first, second = (
                    Operation("select", (chosen, a, b), type) for a, b in zip(self.pair(then), self.pair(otherwise))
                )
                return first, second
            case Operation("faulted", (operand, condition, number)):
                wrong = self._kept("wrong", self.scalar(condition))
                whole, imag = (Operation("faulted", (p, wrong, number), type) for p in self.pair(operand))
                return whole, imag
            case Operation(op, operands):
                return self._operation(op, [self.pair(o) for o in operands], operands, _Reals(type, self))
        raise _refused("an index")

    def _widened(self, operand: Scalar, type: ScalarType) -> Pair:
        if operand.type.kind != "c":
            value = self.scalar(operand)
            return value if value.type == type else Operation("cast", (value,), type), Constant(0.0, type)
        real, imag = self.pair(operand)
        if real.type == type:
            return real, imag
        return Operation("cast", (real,), type), Operation("cast", (imag,), type)

    def _operation(self, op: str, pairs: Sequence[Pair], operands: Sequence[Scalar], real: _Reals) -> Pair:
        if op in ("add", "sub"):
            (a, b), (c, d) = pairs
            return Operation(op, (a, c), real.type), Operation(op, (b, d), real.type)
        if op == "neg":
            return real("neg", pairs[0][0]), real("neg", pairs[0][1])
        if op == "conj":
            return pairs[0][0], real("neg", pairs[0][1])
        if op == "pow" and isinstance(operands[1], Constant):
            whole = complex(operands[1].value)
            if whole.imag == 0 and whole.real == int(whole.real) and abs(whole.real) < 100:
                return _power(real, self.once(pairs[0]), int(whole.real))
        function = _FUNCTIONS.get(op)
        if function is None:
            raise _refused(op)
        return function(real, *(self.once(p) for p in pairs))


def procedure_mentions_complex(procedure: Procedure) -> bool:
    """Whether a procedure computes with complex numbers, takes some, or gives some."""

    def of(variable: Variable) -> bool:
        return variable.type.kind == "c"

    splitter = Splitter(ScalarFunction((), (), ()))
    for part in instructions(procedure.body):
        if any(map(splitter.mentions_complex, used(part))):
            return True
        if isinstance(part, Fetch | Bind) and of(part.variable):
            return True
    return any(map(of, procedure.parameters)) or any(map(splitter.mentions_complex, procedure.results))


def split_procedure(procedure: Procedure) -> Procedure:
    """A procedure of real numbers: each complex variable and result is two."""
    return _ProcedureParts(procedure).split()


class _ProcedureParts:
    """The instructions of a procedure, one after the other; what their values need is bound right before them."""

    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        self.splitter = Splitter(ScalarFunction(procedure.parameters, (), ()))

    def split(self) -> Procedure:
        body = self.body(self.procedure.body)
        results = self.values(self.procedure.results)
        return Procedure(self.splitter.parameters, (*body, *self.bound()), results)

    def values(self, values: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return tuple(part for value in values for part in self.splitter.parts(value))

    def bound(self) -> list[Instruction]:
        """The bindings since it was asked last."""
        made: list[Instruction] = [Bind(variable, value) for variable, value in self.splitter.bindings]
        self.splitter.bindings.clear()
        return made

    def body(self, body: Sequence[Instruction]) -> tuple[Instruction, ...]:
        done: list[Instruction] = []
        for part in body:
            made = self.instruction(part)
            done += [*self.bound(), *made]
        return tuple(done)

    def instruction(self, part: Instruction) -> Sequence[Instruction]:
        match part:
            case Bind(variable, value):
                self.splitter.bind(variable, value)
                return ()
            case Fetch():
                names = _buffers(part.buffer, part.variable.type)
                variables = self.splitter.declare(part.variable)
                index, extent, where = (
                    self.values(part.index),
                    self.values(part.extent),
                    self.splitter.scalar(part.where),
                )
                return [
                    Fetch(variable, name, index, extent, where, part.fault, part.loc)
                    for variable, name in zip(variables, names)
                ]
            case Put():
                names = _buffers(part.buffer, part.value.type)
                values = self.values((part.value,))
                index, extent, where = (
                    self.values(part.index),
                    self.values(part.extent),
                    self.splitter.scalar(part.where),
                )
                return [Put(name, index, extent, v, where, part.fault, part.loc) for v, name in zip(values, names)]
            case Require(wrong, where, fault):
                return [Require(self.splitter.scalar(wrong), self.splitter.scalar(where), fault)]
            case Iterate():
                return self.loop(part)

    def loop(self, part: Iterate) -> Sequence[Instruction]:
        initial, where = self.values(part.initial), self.splitter.scalar(part.where)
        before = self.bound()
        states = tuple(v for s in part.states for v in self.splitter.declare(s))
        self.splitter.declare(part.active)
        head = self.body(part.head)
        condition = self.splitter.scalar(part.condition)
        head = (*head, *self.bound())
        body = self.body(part.body)
        following, leave = self.values(part.following), self.splitter.scalar(part.leave)
        body = (*body, *self.bound())
        results = tuple(v for r in part.results for v in self.splitter.declare(r))
        return [
            *before, Iterate(states, initial, part.active, head, condition, body, following, leave, results, where)
        ]  # fmt: skip


def _buffers(buffer: str, type: ScalarType) -> list[str]:
    """The buffers of the parts of complex elements; of others the one that there is."""
    return [f"{buffer}.{part}" for part, _, _ in type.parts] or [buffer]


def refusal(op: str) -> tuple[str, str] | None:
    """Why `op` has no meaning here for complex numbers, and what to write instead; None: it has one."""
    if op in _ORDER:
        return "complex numbers have no order", "compare their .real, .imag or abs()"
    if op in _PLAIN or op in _FUNCTIONS:
        return None
    return f"`{op}` of complex numbers is not supported", "write it with real and imaginary parts"


def _refused(op: str) -> NotAnMdhError:
    message, hint = refusal(op) or (f"`{op}` of complex numbers is not supported", "")
    return NotAnMdhError(message, hint=hint)


class _Reals:
    """Operations on real numbers of one type; results that are used further are bound to names."""

    def __init__(self, type: ScalarType, splitter: Splitter) -> None:
        self.type, self.splitter = type, splitter

    def __call__(self, op: str, *operands: Scalar) -> Scalar:
        return Operation(op, operands, bool_ if op in _BOOLEAN else self.type)

    def let(self, op: str, *operands: Scalar) -> Scalar:
        return self.splitter._kept(op, self(op, *operands))

    def number(self, value: float) -> Scalar:
        return Constant(value, self.type)

    def select(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        return self("select", condition, then, otherwise)


# -------------------------------------------------------------------------------------------------- arithmetic


def _mul(r: _Reals, x: Pair, y: Pair) -> Pair:
    (a, b), (c, d) = x, y
    return r("sub_product", r("mul", a, c), b, d), r("add_product", r("mul", a, d), b, c)


def _truediv(r: _Reals, x: Pair, y: Pair) -> Pair:
    """Smith's method: divide by the larger part of the divisor first."""
    (a, b), (c, d) = x, y
    size_c, size_d = r.let("abs", c), r.let("abs", d)
    larger = r.let("ge", size_c, size_d)
    major, minor = r.let("select", larger, c, d), r.let("select", larger, d, c)
    ratio = r.let("truediv", minor, major)
    scale = r.let("truediv", r.number(1.0), r("add_product", major, minor, ratio))
    real = r.select(larger, r("add_product", a, b, ratio), r("add", r("mul", a, ratio), b))
    imag = r.select(larger, r("sub_product", b, a, ratio), r("sub", r("mul", b, ratio), a))
    zero = r.number(0.0)
    none = r.splitter._kept("none", r("and", r("eq", size_c, zero), r("eq", size_d, zero)))
    return (
        r.select(none, r("truediv", a, size_c), r("mul", real, scale)),
        r.select(none, r("truediv", b, size_c), r("mul", imag, scale)),
    )


def _power(r: _Reals, base: Pair, exponent: int) -> Pair:
    """By squaring, as NumPy does for whole exponents below 100."""
    result: Pair | None = None
    square, left = base, abs(exponent)
    while left:
        if left & 1:
            result = square if result is None else r.splitter.once(_mul(r, result, square))
        left >>= 1
        if left:
            square = r.splitter.once(_mul(r, square, square))
    one = (r.number(1.0), r.number(0.0))
    if result is None:
        return one
    return result if exponent > 0 else _truediv(r, one, result)


# --------------------------------------------------------------------------------------------------- functions


def _exp(r: _Reals, z: Pair) -> Pair:
    """eˣ(cos y + i sin y), eˣ in two factors where it would overflow alone; a real argument stays real."""
    x, y = z
    half = r.let("mul", x, r.number(0.5))
    large = r.let("gt", x, r.number(88.0 if r.type.bits == 32 else 709.0))
    first = r.let("exp", r.select(large, half, x))
    second = r.let("select", large, first, r.number(1.0))
    real_only = r.let("eq", y, r.number(0.0))
    vanishes = r.let("eq", x, r.number(-math.inf))
    cosine, sine = r.let("cos", y), r.let("sin", y)
    real = r("mul", r("mul", first, cosine), second)
    imag = r("mul", r("mul", first, sine), second)
    zero, endless = r.number(0.0), r.number(math.inf)
    real = r.select(r("and", r("eq", x, endless), r("not", r("isfinite", y))), endless, real)
    real = r.select(real_only, r("mul", first, second), r.select(vanishes, r("copysign", zero, cosine), real))
    imag = r.select(real_only, y, r.select(vanishes, r("copysign", zero, sine), imag))
    return real, imag


def _expm1(r: _Reals, z: Pair) -> Pair:
    """(eˣ - 1) cos y - 2 sin²(y/2) + i eˣ sin y."""
    x, y = z
    grown = r.let("expm1", x)
    half = r.let("sin", r("mul", y, r.number(0.5)))
    real = r("sub", r("mul", grown, r("cos", y)), r("mul", r.number(2.0), r("mul", half, half)))
    return real, r("mul", r("exp", x), r("sin", y))


def _log1p(r: _Reals, z: Pair) -> Pair:
    """log(1 + z), its real part from x(2 + x) + y² where that is small."""
    x, y = z
    one = r.number(1.0)
    near = r("lt", r("hypot", x, y), r.number(0.5))
    over = r("add", r("mul", x, r("add", r.number(2.0), x)), r("mul", y, y))
    real, imag = _log(r, r.splitter.once((r("add", x, one), y)))
    return r.select(near, r("mul", r.number(0.5), r("log1p", over)), real), imag


def _log(r: _Reals, z: Pair) -> Pair:
    """log |z| + i arg z; near |z| = 1 by log1p, which keeps the digits that a logarithm of about 1 loses."""
    x, y = z
    size_x, size_y = r.let("abs", x), r.let("abs", y)
    most, least = r.let("maximum", size_x, size_y), r.let("minimum", size_x, size_y)
    size = r.let("hypot", x, y)
    one = r.number(1.0)
    near = r("and", r("gt", size, r.number(0.5)), r("lt", size, r.number(2.0)))
    over = r("add", r("mul", r("sub", most, one), r("add", most, one)), r("mul", least, least))
    real = r.select(near, r("mul", r.number(0.5), r("log1p", over)), r("log", size))
    return real, r("arctan2", y, x)


def _sqrt(r: _Reals, z: Pair) -> Pair:
    """t = √((|x| + |z|) / 2), then t and y/2t; a quarter of z for huge, z times 2¹⁰⁰ for tiny arguments."""
    x, y = z
    infinite = r.let("isinf", y)
    most = r.let("maximum", r("abs", x), r("abs", y))
    huge = r.let("gt", most, r.number(1e38 if r.type.bits == 32 else 5e307))
    tiny = r.let("lt", most, r.number(1e-35 if r.type.bits == 32 else 1e-300))
    up, down = (2.0**40, 2.0**-20) if r.type.bits == 32 else (2.0**100, 2.0**-50)
    factor = r.let("select", huge, r.number(0.25), r.select(tiny, r.number(up), r.number(1.0)))
    back = r.let("select", huge, r.number(2.0), r.select(tiny, r.number(down), r.number(1.0)))
    u, v = r.let("mul", x, factor), r.let("mul", y, factor)
    size_u, size_v = r.let("abs", u), r.let("abs", v)
    root = r.let("sqrt", r("mul", r("add", size_u, r("hypot", u, v)), r.number(0.5)))
    other = r.let("truediv", size_v, r("mul", root, r.number(2.0)))
    zero = r.number(0.0)
    none = r.let("eq", most, zero)
    right = r.let("ge", u, zero)
    real = r("mul", r.select(right, root, other), back)
    imag = r("mul", r.select(right, other, root), back)
    endless = r.number(math.inf)
    real = r.select(none, zero, r.select(infinite, endless, real))
    imag = r("copysign", r.select(none, zero, r.select(infinite, endless, imag)), y)
    return real, imag


def _scaled_log(base: float) -> Callable[[_Reals, Pair], Pair]:
    def function(r: _Reals, z: Pair) -> Pair:
        real, imag = _log(r, z)
        factor = r.number(1 / math.log(base))
        return r("mul", real, factor), r("mul", imag, factor)

    return function


def _exp2(r: _Reals, z: Pair) -> Pair:
    factor = r.number(math.log(2))
    return _exp(r, r.splitter.once((r("mul", z[0], factor), r("mul", z[1], factor))))


def _sin(r: _Reals, z: Pair) -> Pair:
    x, y = z
    return r("mul", r("sin", x), r("cosh", y)), r("mul", r("cos", x), r("sinh", y))


def _cos(r: _Reals, z: Pair) -> Pair:
    x, y = z
    return r("mul", r("cos", x), r("cosh", y)), r("neg", r("mul", r("sin", x), r("sinh", y)))


def _sinh(r: _Reals, z: Pair) -> Pair:
    x, y = z
    return r("mul", r("sinh", x), r("cos", y)), r("mul", r("cosh", x), r("sin", y))


def _cosh(r: _Reals, z: Pair) -> Pair:
    x, y = z
    return r("mul", r("cosh", x), r("cos", y)), r("mul", r("sinh", x), r("sin", y))


def _tanh(r: _Reals, z: Pair) -> Pair:
    """With t = tan y, s = sinh x, c = √(1 + s²), b = 1 + t²: (b·c·s + i·t) / (1 + b·s²); ±1 for large x."""
    x, y = z
    one = r.number(1.0)
    large = r.let("gt", r("abs", x), r.number(11.0 if r.type.bits == 32 else 22.0))
    t, s = r.let("tan", y), r.let("sinh", r.select(large, r.number(0.0), x))
    b = r.let("add", one, r("mul", t, t))
    c = r("sqrt", r("add", one, r("mul", s, s)))
    below = r.let("add", one, r("mul", b, r("mul", s, s)))
    real = r("truediv", r("mul", b, r("mul", c, s)), below)
    imag = r("truediv", t, below)
    decay = r("exp", r("mul", r.number(-2.0), r("abs", x)))
    small = r("mul", r("mul", r.number(4.0), r("mul", r("sin", y), r("cos", y))), decay)
    return r.select(large, r("copysign", one, x), real), r.select(large, small, imag)


def _tan(r: _Reals, z: Pair) -> Pair:
    """tan z = −i tanh(iz)."""
    real, imag = _tanh(r, r.splitter.once((r("neg", z[1]), z[0])))
    return imag, r("neg", real)


def _pow(r: _Reals, base: Pair, exponent: Pair) -> Pair:
    """e^(w log z); 0 to a power with a positive real part is 0, anything to the power 0 is 1."""
    zero, one = r.number(0.0), r.number(1.0)
    product = _mul(r, r.splitter.once(_log(r, base)), exponent)
    real, imag = r.splitter.once(_exp(r, r.splitter.once(product)))

    def is_zero(z: Pair) -> Scalar:
        return r.splitter._kept("zero", r("and", r("eq", z[0], zero), r("eq", z[1], zero)))

    no_exponent, no_base = is_zero(exponent), is_zero(base)
    vanishes = r.let("and", no_base, r("gt", exponent[0], zero))
    real = r.select(no_exponent, one, r.select(vanishes, zero, real))
    imag = r.select(no_exponent, zero, r.select(vanishes, zero, imag))
    return real, imag


_FUNCTIONS: Mapping[str, Callable[..., Pair]] = {
    "mul": _mul, "truediv": _truediv, "pow": _pow, "exp": _exp, "exp2": _exp2, "expm1": _expm1, "log1p": _log1p,
    "log": _log, "log2": _scaled_log(2), "log10": _scaled_log(10), "sqrt": _sqrt, "sin": _sin, "cos": _cos,
    "tan": _tan, "sinh": _sinh, "cosh": _cosh, "tanh": _tanh,
}  # fmt: skip
