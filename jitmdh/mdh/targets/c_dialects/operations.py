"""Scalar operations in OpenCL C, lane by lane, with Python's and NumPy's meaning.

What takes more than an operator or a built-in is a function of its own, written in front of the kernels that use it.
Functions of the table that have a method are computed by its polynomial, as on the processor.
"""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bfloat16, bool_, float32, float64, int32, int64, uint64
from jitmdh.mdh.algebra.operations.table import COMPARISONS, OPERATIONS
from jitmdh.mdh.kernel.arithmetic import KERNEL_OPERATIONS
from jitmdh.mdh.kernel.ir import Apply
from jitmdh.mdh.targets.c_dialects.half_floats import is_short, rounding
from jitmdh.mdh.targets.c_dialects.types import NoSpelling, literal, memory_type, value_bits, value_type
from jitmdh.mdh.targets.c_dialects.vector_functions import FUSED, definition

_EXACT = frozenset("select minimum maximum fmin fmax neg abs floor ceil trunc rint copysign cast".split())
_ARITHMETIC, _BITWISE, _QUOTIENTS = ("add", "sub", "mul"), ("and", "or", "xor"), ("udiv", "urem", "exact_div")


def narrowed(text: str, type: ScalarType) -> str:
    """C computes with integers narrower than `int` as `int`: back to their own type."""
    return f"({memory_type(type)}){text}" if type.is_integer and type.bits < 32 else text


class Operations:
    """Spells `Apply` nodes; `functions` are the texts of those that are needed, by name."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.orders: dict[tuple[str, tuple[tuple[int, int], ...]], str] = {}  # names of functions that join vectors

    def apply(self, node: Apply, o: list[str]) -> str:
        """`node` on operands that have been spelled already."""
        if is_short(node.type) and node.op not in _EXACT:
            if node.op in ("add_product", "sub_product"):
                o = [o[0], self.rounded(f"({o[1]} * {o[2]})", node.type, float32, node.lanes)]
                text = f"({o[0]} {'+' if node.op == 'add_product' else '-'} {o[1]})"
            else:
                text = self._spelled(node, o)
            return self.rounded(text, node.type, float32, node.lanes)
        return self._spelled(node, o)

    def rounded(self, text: str, type: ScalarType, source: ScalarType, lanes: int) -> str:
        """A value of `source` as one of a float of 16 bits."""
        name, function = rounding(type, source, lanes)
        self.functions[name] = function
        return f"{name}({text})"

    def _spelled(self, node: Apply, o: list[str]) -> str:
        type, lanes, op = node.operands[0].type, node.lanes, node.op
        if op == "cast":
            return self.cast(o[0], type, node.type, lanes)
        if op == "first_lanes":
            count = f"(int)clamp({o[0]}, 0L, {lanes}L)"
            return f"((int{lanes})({', '.join(map(str, range(lanes)))}) < (int{lanes})({count}))"
        if op == "select":
            return self._select(o[0], o[1], o[2], node.type, lanes)
        if op in COMPARISONS:
            return self._compare(op, o, type, lanes)
        if type == bool_:
            return self._on_truth(op, o, lanes)
        if op in ("neg", "abs", "not", "invert") or op in _ARITHMETIC or op in _BITWISE:
            return self._arithmetic(op, o, type, lanes)
        if op in _QUOTIENTS:
            return self._quotient(op, o, type, lanes)
        if op in ("minimum", "maximum", "fmin", "fmax"):
            return self._extreme(op, o, type, lanes)
        if op in ("add_product", "sub_product") and type.kind == "f":
            return f"({o[0]} {'+' if op == 'add_product' else '-'} {o[1]} * {o[2]})"
        if type.kind == "f":
            return self._floating(op, o, type, lanes)
        if op in ("isnan", "isinf", "isfinite"):
            truth = op == "isfinite"
            return str(int(truth)) if lanes == 1 else f"(int{lanes})({-int(truth)})"
        if op == "capped_mul":
            self.functions[op] = _CAPPED_MUL
            return f"{op}({o[0]}, {o[1]})"
        if op in _INTEGER_FUNCTIONS:
            return self._lanewise(f"{op}_{memory_type(type)}", self._integer_function(op, type), o, type, lanes)
        raise NoSpelling(f"the operation {op} on {type}")

    def _on_truth(self, op: str, o: list[str], lanes: int) -> str:
        op = {"minimum": "and", "mul": "and", "maximum": "or", "add": "or", "fmin": "and", "fmax": "or"}.get(op, op)
        if op in _BITWISE:
            return f"({o[0]} {OPERATIONS[op].c} {o[1]})"
        if op in ("not", "invert"):
            return f"(!{o[0]})" if lanes == 1 else f"(~{o[0]})"
        if op == "abs":
            return o[0]
        raise NoSpelling(f"the operation {op} on {bool_}")

    def _arithmetic(self, op: str, o: list[str], type: ScalarType, lanes: int) -> str:
        """Integers wrap: C leaves overflow of signed ones undefined, so they are added and multiplied as unsigned."""
        if type.kind == "f":
            if op in _ARITHMETIC:
                return f"({o[0]} {OPERATIONS[op].c} {o[1]})"
            if op in ("neg", "abs"):
                return f"(-{o[0]})" if op == "neg" else f"fabs({o[0]})"
            raise NoSpelling(f"the operation {op} on {type}")
        name = value_type(type, lanes)
        if op == "abs":
            return o[0] if type.kind == "u" else (f"({name})abs({o[0]})" if lanes == 1 else f"as_{name}(abs({o[0]}))")
        if op in ("not", "invert") or op in _BITWISE:
            text = f"~{o[0]}" if op not in _BITWISE else f"{o[0]} {OPERATIONS[op].c} {o[1]}"
            return f"({name})({text})" if lanes == 1 and type.bits < 32 else f"({text})"
        sign = "-" if op == "neg" else OPERATIONS[op].c
        if type.kind == "u" and (lanes > 1 or type.bits >= 32):
            return f"(-{o[0]})" if op == "neg" else f"({o[0]} {sign} {o[1]})"
        wide = "ulong" if type.bits == 64 else "uint"
        if lanes > 1:
            wide = f"u{name}"
            result = f"as_{name}({f'({wide})(0)' if op == 'neg' else f'as_{wide}(a)'} {sign} as_{wide}({{}}))"
        else:
            result = f"({name})({'0' if op == 'neg' else f'({wide})a'} {sign} ({wide}){{}})"
        result = result.format("a" if op == "neg" else "b")
        parameters = f"{name} a" if op == "neg" else f"{name} a, {name} b"
        self.functions[f"{op}_{name}"] = f"{name} {op}_{name}({parameters}) {{ return {result}; }}"
        return f"{op}_{name}({', '.join(o)})"

    def _quotient(self, op: str, o: list[str], type: ScalarType, lanes: int) -> str:
        """Of unsigned numbers, which C's own operators are not: what lies behind a subtraction may have wrapped."""
        sign = KERNEL_OPERATIONS[op].c
        if op == "exact_div" or type.kind == "u":
            return f"({o[0]} {sign} {o[1]})"
        name = value_type(type, lanes)
        wide = f"u{name}" if lanes > 1 or type.bits >= 32 else "uint"
        a, b = (f"as_{wide}({v})" if lanes > 1 else f"({wide}){v}" for v in "ab")
        result = f"as_{name}({a} {sign} {b})" if lanes > 1 else f"({name})({a} {sign} {b})"
        self.functions[f"{op}_{name}"] = f"{name} {op}_{name}({name} a, {name} b) {{ return {result}; }}"
        return f"{op}_{name}({o[0]}, {o[1]})"

    def _compare(self, op: str, o: list[str], type: ScalarType, lanes: int) -> str:
        if lanes == 1:
            return f"({o[0]} {OPERATIONS[op].c} {o[1]})"
        if type == bool_:  # -1 stands for true
            o = [f"(-{v})" for v in o]
        return self._mask(f"({o[0]} {OPERATIONS[op].c} {o[1]})", type, lanes)

    def _mask(self, compared: str, type: ScalarType, lanes: int) -> str:
        """What OpenCL gives for a comparison of vectors: integers as wide as what is compared."""
        return compared if type == bool_ or value_bits(type) == 32 else f"convert_int{lanes}({compared})"

    def _select(self, mask: str, yes: str, no: str, type: ScalarType, lanes: int) -> str:
        if lanes == 1:
            return narrowed(f"({mask} ? {yes} : {no})", type)
        if type == bool_ or value_bits(type) == 32:
            return f"select({no}, {yes}, {mask})"
        whole = {8: "char", 16: "short", 64: "long"}[type.bits]
        return f"select({no}, {yes}, convert_{whole}{lanes}({mask}))"

    def _extreme(self, op: str, o: list[str], type: ScalarType, lanes: int) -> str:
        """`minimum`: NumPy's, the first operand if it compares so or is NaN, else the second. `fmin`: Python's."""
        if type.kind != "f":
            return f"{'min' if op in ('minimum', 'fmin') else 'max'}({o[0]}, {o[1]})"
        name = value_type(type, lanes)
        a_is_it = {
            "minimum": "(a <= b) | isnan(a)", "maximum": "(a >= b) | isnan(a)", "fmin": "!(b < a)", "fmax": "!(b > a)",
        }[op]  # fmt: skip
        chosen = f"({a_is_it}) ? a : b"
        self.functions[f"{op}_{name}"] = f"{name} {op}_{name}({name} a, {name} b) {{ return {chosen}; }}"
        return f"{op}_{name}({o[0]}, {o[1]})"

    def _floating(self, op: str, o: list[str], type: ScalarType, lanes: int) -> str:
        if op == "truediv":
            return f"({o[0]} / {o[1]})"
        built_in = OPERATIONS[op].c
        if built_in.isidentifier() and OPERATIONS[op].units is None:  # with one right result, to the last bit
            return f"{built_in}({', '.join(o)})"
        if op in ("isnan", "isinf", "isfinite"):
            return f"{op}({o[0]})" if lanes == 1 else self._mask(f"{op}({o[0]})", type, lanes)
        if op in ("floordiv", "mod"):
            name = value_type(type)
            text = _FLOAT_MOD if op == "mod" else _FLOAT_FLOORDIV
            body = text.format(T=name, zero=literal(0.0, type), half=literal(0.5, type), one=literal(1.0, type))
            return self._lanewise(f"{op}_{name}", body, o, type, lanes)
        computed = definition(op, float32 if is_short(type) else type, lanes)
        if computed is None:
            raise NoSpelling(f"the function {op}")
        self.functions.setdefault("fused", FUSED)
        self.functions[computed[0]] = computed[1]
        return f"{computed[0]}({', '.join(o)})"

    def _integer_function(self, op: str, type: ScalarType) -> str:
        unsigned = type.kind == "u"
        template = _INTEGER_FUNCTIONS[op][unsigned]
        wide = "ulong" if type.bits == 64 else "uint"
        return template.format(T=memory_type(type), U=memory_type(type) if unsigned else f"u{memory_type(type)}",
                               W=wide, bits=type.bits)  # fmt: skip

    def _lanewise(self, name: str, text: str, o: list[str], type: ScalarType, lanes: int) -> str:
        """A function of scalars, applied to each lane."""
        self.functions.setdefault(name, text)
        if lanes == 1:
            return f"{name}({', '.join(o)})"
        wide = value_type(type, lanes)
        every = ", ".join(f"{name}(a.s{lane:x}, b.s{lane:x})" for lane in range(lanes))
        self.functions[f"{name}{lanes}"] = f"{wide} {name}{lanes}({wide} a, {wide} b) {{ return ({wide})({every}); }}"
        return f"{name}{lanes}({', '.join(o)})"

    def joined(self, values: list[str], type: ScalarType, lanes: int, order: list[tuple[int, int]]) -> str:
        """A vector of lanes (number of the value, its lane); each value has `lanes`, more than one."""
        parts, whole = value_type(type, lanes), value_type(type, len(order))
        name = self.orders.setdefault((parts, tuple(order)), f"join_{parts}_{len(self.orders)}")
        arguments = ", ".join(f"{parts} v{n}" for n in range(len(values)))
        every = ", ".join(f"v{value}.s{lane:x}" for value, lane in order)
        self.functions[name] = f"{whole} {name}({arguments}) {{ return ({whole})({every}); }}"
        return f"{name}({', '.join(values)})"

    def cast(self, value: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
        """C's conversions; to bool: whether it is not zero."""
        if source == target:
            return value
        if is_short(source):
            return self.cast(value, float32, target, lanes)
        if is_short(target):
            if source != float64 or target == bfloat16:
                value, source = self.cast(value, source, float32, lanes), float32
            return self.rounded(value, target, source, lanes)
        if target == bool_:
            return f"({value} != 0)" if lanes == 1 else self._mask(f"({value} != 0)", source, lanes)
        if source.kind == "f" and target.kind == "u" and target.bits < 64:  # negative ones wrap
            value, source = self.cast(value, source, int64 if target.bits == 32 else int32, lanes), int64
        if source.kind == "f" and target == uint64:
            return self._wrapped(value, source, lanes)
        if lanes == 1:
            return f"({value_type(target)})({value})"
        return f"convert_{value_type(target, lanes)}({f'(-{value})' if source == bool_ else value})"

    def _wrapped(self, value: str, source: ScalarType, lanes: int) -> str:
        """A float as a uint64: C leaves negative ones undefined, which NumPy takes for those of an int64."""
        have, whole, signed = value_type(source, lanes), value_type(uint64, lanes), value_type(int64, lanes)
        if lanes == 1:
            text = f"a < {literal(2.0**63, source)} ? ({whole})({signed})a : ({whole})a"
        else:
            small = f"convert_{signed}(a < ({have})({literal(2.0**63, source)}))"
            text = f"select(convert_{whole}(a), as_{whole}(convert_{signed}(a)), {small})"
        self.functions[f"{whole}_of_{have}"] = f"{whole} {whole}_of_{have}({have} a) {{ return {text}; }}"
        return f"{whole}_of_{have}({value})"


# Rounding to minus infinity. MIN / -1 overflows: it is negated instead, which wraps.
_INTEGER_FUNCTIONS: dict[str, tuple[str, str]] = {
    "floordiv": (
        "{T} floordiv_{T}({T} a, {T} b) {{\n    if (b == -1) return ({T})(({W})0 - ({W})a);\n    {T} rest = a % b;\n"
        "    return ({T})(a / b - (rest != 0 && (rest < 0) != (b < 0)));\n}}",
        "{T} floordiv_{T}({T} a, {T} b) {{ return a / b; }}",
    ),
    "mod": (
        "{T} mod_{T}({T} a, {T} b) {{\n    if (b == -1) return 0;\n    {T} rest = a % b;\n"
        "    return (rest != 0 && (rest < 0) != (b < 0)) ? ({T})(rest + b) : rest;\n}}",
        "{T} mod_{T}({T} a, {T} b) {{ return a % b; }}",
    ),
    "lshift": 2 * ("{T} lshift_{T}({T} a, {T} b) {{ return ({U})b < {bits} ? ({T})(({W})a << b) : ({T})0; }}",),
    "rshift": (
        "{T} rshift_{T}({T} a, {T} b) {{ return ({T})(a >> (({U})b < {bits} ? b : {bits} - 1)); }}",
        "{T} rshift_{T}({T} a, {T} b) {{ return b < {bits} ? ({T})(a >> b) : ({T})0; }}",
    ),
    "pow": 2 * (
        "{T} pow_{T}({T} a, {T} b) {{\n    {W} result = 1, square = ({W})a;\n"
        "    for ({U} left = ({U})b; left; left >>= 1, square *= square) if (left & 1) result *= square;\n"
        "    return ({T})result;\n}}",
    ),
}  # fmt: skip

# Of two sizes: at most 2⁶², which no memory has.
_CAPPED_MUL = """long capped_mul(long a, long b) {
    const long most = 4611686018427387904L;
    return b != 0 && a > most / b ? most : a * b;
}"""
_FLOAT_MOD = """{T} mod_{T}({T} a, {T} b) {{
    {T} rest = fmod(a, b);
    if (!(rest != {zero})) return copysign({zero}, b);
    return ((rest < {zero}) != (b < {zero})) ? rest + b : rest;
}}"""
# The quotient before it is rounded down is a whole number up to rounding, as in NumPy's divmod.
_FLOAT_FLOORDIV = """{T} floordiv_{T}({T} a, {T} b) {{
    if (b == {zero}) return a / b;
    {T} rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != {zero} && (rest < {zero}) != (b < {zero})) quotient -= {one};
    if (!(quotient != {zero})) return copysign({zero}, a / b);
    {T} down = floor(quotient);
    return quotient - down > {half} ? down + {one} : down;
}}"""
