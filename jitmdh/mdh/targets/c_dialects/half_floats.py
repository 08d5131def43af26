"""float16 and bfloat16 in OpenCL C: 16 bits in memory, `float` in registers, rounded to nearest even after operations.

No extension is needed: devices without arithmetic on `half` load and store it, and round as is written out here.
"""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bfloat16, float32, float64


def is_short(type: ScalarType) -> bool:
    return type.kind == "f" and type.bits == 16


def widened(bits: str, lanes: int = 1) -> str:
    """Elements of bfloat16, given as `ushort`s, as floats."""
    wide = str(lanes) if lanes > 1 else ""
    return f"as_float{wide}(convert_uint{wide}({bits}) << 16)"


def shortened(value: str, lanes: int = 1) -> str:
    """The other way, of floats that have been rounded."""
    wide = str(lanes) if lanes > 1 else ""
    return f"convert_ushort{wide}(as_uint{wide}({value}) >> 16)"


def rounding(type: ScalarType, source: ScalarType, lanes: int) -> tuple[str, str]:
    """Name and text of a function that rounds a value of `source`, float32 or float64, to one of `type`, as a float.

    Bits that are cut off are added up with half of the last that stays, less one where that is even. Below the normal
    numbers the sum with a power of two rounds; what is larger than all numbers is infinite; infinities stay, and NaN
    becomes a quiet one: of others the bits that are left may be those of infinity.
    """
    wide = str(lanes) if lanes > 1 else ""
    name = f"to_{type.name}_from_{source.name}{wide and f'_{wide}'}"
    own, integer = ("float", "uint") if source == float32 else ("double", "ulong")
    kept = 7 if type == bfloat16 else 10
    cut = (23 if source == float32 else 52) - kept
    suffix = "U" if source == float32 else "UL"
    most, quiet = (1 << (source.bits - 1)) - 1, 1 << (cut + kept - 1)
    lines = [
        f"{integer}{wide} a = as_{integer}{wide}(x) & {most}{suffix};",
        f"{integer}{wide} rounded = (a + {(1 << (cut - 1)) - 1}{suffix} + (a >> {cut} & 1{suffix})) "
        f"& {((1 << source.bits) - 1) ^ ((1 << cut) - 1)}{suffix};",
        f"{own}{wide} size = as_{own}{wide}(rounded), given = as_{own}{wide}(a);",
    ]
    if type != bfloat16:
        float_suffix = "f" if source == float32 else ""
        power = (23 if source == float32 else 52) - 24
        step = f"({own}{wide})(0x1p{power}{float_suffix})"
        lines += [
            f"size = given < 0x1p-14{float_suffix} ? (given + {step}) - {step} : size;",
            f"size = given >= 65520.0{float_suffix} ? ({own}{wide})(INFINITY) : size;",
        ]
    lines += [
        f"size = isnan(given) ? as_{own}{wide}(a | {quiet}{suffix}) : size;",
        f"return {_narrowed('copysign(size, x)', source, wide)};",
    ]
    body = "\n".join("    " + line for line in lines)
    return name, f"float{wide} {name}({own}{wide} x)\n{{\n{body}\n}}"


def _narrowed(text: str, source: ScalarType, wide: str) -> str:
    return text if source != float64 else f"convert_float{wide}({text})"
