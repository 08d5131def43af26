"""Random calls of NumPy's functions of whole arrays: types, orders in memory, empty axes, options.

Templates with places in braces: of an operand ({a}), an axis or several ({axis}), one axis ({along}), and so on.
"""

from __future__ import annotations

import re

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

CALLS = (
    "np.{fold}({a}{axis}{keep}{dtype}{initial})", "np.{fold}(a{axis}{keep}{where}, initial={number})",
    "np.{extreme}({a}{axis}{keep})", "np.{extreme}({a}{axis}{keep})", "np.{nan}({a}{axis}{keep})",
    "np.{spread}({a}{axis}, ddof={number}{keep})", "np.{arg}({a}{along})", "np.{scan}({a}{along})",
    "np.{order}({a}{along})", "np.{order}({a}{along})[:n]", "np.median({a}{along})", "np.quantile({a}, {share}{along})",
    "np.diff({a}{along})", "np.diff({a}, n={number}{along})", "np.flip({a}{axis})", "np.roll({a}, {shift}{axis})",
    "np.clip({a}, {low}, {high})", "np.where({mask}, {a}, {other})", "np.{join}(({a}, b))", "np.{join}((a, b, a))",
    "np.concatenate((a, b, a){along})", "np.stack((a, a){along})", "np.repeat({a}, {shift}{axis})",
    "np.tile({a}, {shape})", "np.pad({a}, {number}, mode={mode})", "np.take({a}, {places}{axis})",
    "np.{triangle}({a})", "np.{product}(a, {second})", "np.linalg.norm({a}{along})", "np.{sets}(a, b)",
    "np.unique({a})", "np.unique({a}, return_counts=True)", "np.unique({a}, return_inverse=True)",
    "np.searchsorted(np.sort(k), {second})", "np.histogram(a.ravel(), {count})", "np.bincount(abs(k), minlength=n)",
    "np.bincount(abs(k), k)", "np.digitize({a}, np.array([-1, 0, 2]))", "np.interp({a}, np.arange(5), k[:5] * 0.5)",
    "np.average({a}{axis})", "np.average(a, weights=b{axis})", "np.gradient({a})", "np.nan_to_num({a}, nan=1.0)",
    "np.select([a > b, a == b], [a, b], {other})", "np.append({a}, {other})", "np.insert({a}, {place}, {number})",
    "np.delete({a}, {place}{axis})", "np.rot90({a})", "np.cov({a})", "np.trapezoid({a}{along})",
    "np.swapaxes({a}, 0, -1)", "np.reshape({a}, -1)", "{own}.{method}", "{own}.{method}", "np.{plain}({a})",
    "np.partition({a}, {place}{along})[..., 0]", "np.polyval(a, {other})", "np.add.reduceat(a, [0, 1])",
    "np.{ufunc}.reduce({a}{axis})", "np.{ufunc}.accumulate({a}{along})", "np.{ufunc}.outer(a, b)",
    "np.{two}(a, {second})", "np.{one}({a})", "np.take_along_axis(a, np.argsort(a{along}){along})",
    "np.array_split({a}, {count})[{place}]", "np.broadcast_to({a}, (3,) + a.shape)", "np.eye({count}, k={shift})",
    "np.linspace({other}, {number}, {count})", "np.arange({number}, {count}, {step})", "np.full_like(a, {other})",
    "np.compress(k[: len(a)] > 1, a, axis=0)", "np.extract(a > b, a)", "a[{index}]", "a[{index}]", "a[{index}] * 2",
    "np.isclose(a, b)", "np.resize({a}, 7)", "np.unravel_index({place}, a.shape)", "np.block([a, b])",
    "np.einsum({formula}, a)", "np.einsum({formulas}, a, b)", "a[k > 1].{method}", "np.nonzero({a})",
    "np.argwhere({a})", "np.meshgrid(k, k)", "np.ptp({a}{axis})", "np.count_nonzero({a}{axis})", "np.kron(a, b)",
    "np.vander(k, {count})",
)  # fmt: skip
PLACES = {
    "a": ("a", "a", "a", "b", "a + b", "a[::-1]", "a[1:]", "-a", "a * 2", "a.T", "abs(a)", "a[..., None]", "a.real",
          "a > b", "a[k[: len(a)] > 1]", "np.zeros_like(a)", "a[n:]"),
    "fold": ("sum", "sum", "prod", "max", "min", "any", "all"), "number": ("0", "1", "2", "-3", "0.5", "n"),
    "extreme": ("max", "min", "any", "all", "mean", "std", "var", "sum"),
    "nan": ("nanmax", "nanmin", "nansum", "nanmean", "nanstd", "nanvar", "nanprod"), "spread": ("std", "var"),
    "arg": ("argmax", "argmin", "nanargmax"), "scan": ("cumsum", "cumprod", "nancumsum"), "order": ("sort", "argsort"),
    "keep": ("", "", ", keepdims=True"), "dtype": ("", "", ", dtype=np.float64", ", dtype=np.int64"),
    "initial": ("", "", ", initial=1", ", initial=-3"), "where": ("", ", where=a > 1", ", where=b != 0"),
    "share": ("0.25", "0.5", "1", "0"), "shift": ("1", "-1", "3", "n", "0"), "low": ("-1", "0.5", "None", "b"),
    "high": ("2", "1.5", "b", "n"), "mask": ("a > b", "a > 1", "a", "b == 2"), "other": ("b", "0", "1.5", "a", "n"),
    "join": ("concatenate", "stack", "hstack", "vstack", "column_stack", "dstack"), "shape": ("2", "(2, 1)", "(1, 3)"),
    "mode": ('"edge"', '"constant"', '"reflect"', '"wrap"', '"symmetric"'), "places": ("k", "n", "0", "-1", "[0, 1]"),
    "triangle": ("tril", "triu", "diag", "trace", "diagonal"), "second": ("b", "b.T", "a", "2", "k", "abs(b)"),
    "product": ("dot", "inner", "outer", "matmul", "vdot", "cross", "tensordot", "convolve", "correlate"),
    "sets": ("union1d", "intersect1d", "setdiff1d", "isin"), "count": ("3", "n", "5", "1"), "step": ("1", "2", "-1"),
    "place": ("0", "1", "n", "-1"), "own": ("a", "a", "a.T", "a[::-1]", "(a + b)", "a[1:]"),
    "method": ("sum(0)", "mean()", "max(-1)", "argmin()", "std()", "T", "copy()", "squeeze()", "cumsum()", "any(0)",
               "prod(axis=-1)", "astype(np.int32)", "astype(np.float32)", "clip(0, 2)", "round(1)", "dot(b)", "trace()",
               "ravel()", "flatten()", "size", "reshape(-1)", "transpose()"),
    "plain": ("ediff1d", "fliplr", "flipud", "unwrap", "ravel", "atleast_1d", "flatnonzero", "squeeze"),
    "ufunc": ("add", "multiply", "maximum", "minimum", "bitwise_xor", "logical_or", "subtract"),
    "two": ("logaddexp", "hypot", "arctan2", "fmax", "fmin", "copysign", "heaviside", "fmod", "remainder",
            "floor_divide", "power", "float_power", "divide", "left_shift", "bitwise_and"),
    "one": ("sqrt", "exp", "sign", "floor", "rint", "isnan", "signbit", "square", "reciprocal", "cbrt", "tanh", "log1p",
            "isfinite", "angle", "conj", "imag", "sinc", "degrees", "positive", "negative", "invert", "logical_not"),
    "index": ("a > 1", "b != a", "k[: len(a)] > 1", "...", "None", "::-1", "n:", "-2:", "k % 2", "::2, ...", "..., -1",
              "n", "[1, 0]", ":, k % 2", "a[0] > 0", "k > 100"),
    "formula": ("'ij->ji'", "'ij->j'", "'ij->'", "'ii->i'", "'...j->...'", "'i...->...'", "'i->'"),
    "formulas": ("'ij,ij->i'", "'ij,kj->ik'", "'ij,ij->'", "'i,i->'", "'i,j->ij'", "'...,...->...'"),
}  # fmt: skip
TYPES = ("float64", "float64", "float32", "int64", "int32", "uint8", "int16", "bool", "complex128", "float16", "uint64")
EXTENTS = (1, 2, 3, 4, 5, 9, 17)


def program(choices: Seeded) -> Program:
    pick, number = choices.pick, choices.number
    rank = pick((1, 1, 2, 2, 2, 3))
    shape = [pick((0, *EXTENTS) if number(0, 5) == 0 else EXTENTS) for _ in range(rank)]
    if rank > 1 and number(0, 2) == 0:
        shape[1] = shape[0]
    other = list(shape) if number(0, 3) else pick((shape[1:] or [1], shape[-1:], [1] * rank, shape[::-1]))
    type = pick(TYPES)
    call = _filled(choices, pick(CALLS), rank)
    text = pick((f"return {call}",) * 4 + (f"t = {call}\n    return t, t", f"t = {call}\n    return t * 2"))
    fill, layout = (
        pick(("small", "small", "powers", "special", "cells 3")),
        pick(("C", "C", "F", "strided", "reversed")),
    )
    arguments: dict[str, Array | str] = {
        "a": Array(type, tuple(shape), fill, number(0, 999), layout),
        "b": Array(type if number(0, 3) else pick(TYPES), tuple(other), fill, number(0, 999), pick(("C", layout))),
        "k": Array("int64", (pick((1, 4, 6, shape[0])),), "cells 5", number(0, 999)),
        "n": str(pick((0, 1, 2, 3))),
    }
    return Program(f"import numpy as np\n\n\ndef program(a, b, k, n):\n    {text}\n", arguments)


def _filled(choices: Seeded, template: str, rank: int) -> str:
    one = (", axis=0", ", axis=-1", *((", axis=1", ", axis=-2") if rank > 1 else ()), *((", axis=2",) * (rank > 2)))
    along = choices.pick(("", *one))  # the same one in each place
    several = ("", *one, ", axis=None", *((", axis=(0, 1)", ", axis=(-1, 0)") if rank > 1 else ()))
    places = {**PLACES, "axis": several, "along": (along,)}
    return re.sub(r"\{(\w+)\}", lambda found: choices.pick(places[found[1]]), template)


__all__ = ["program"]
