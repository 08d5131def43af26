"""P7: one contraction as a loop nest, as `einsum`, with indices and as text of the model language: one result, and the
same steps."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.base.dtype import float64
from jitmdh.jit.compilation.pipeline import interpret
from jitmdh.jit.tensor import Kernel
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.frontend.einsum.programs import contraction
from jitmdh.mdh.frontend.tensor.notation import language
from tests.laws.agreement import traced
from tests.laws.examples import examples

LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Contraction:
    """`out[kept] = Σ Π factors`; each summed index stands in two places, as the model language has it."""

    factors: tuple[str, ...]
    kept: str
    extents: dict[str, int]

    @property
    def names(self) -> list[str]:
        return [f"T{n}" for n in range(len(self.factors))]

    def shape(self, letters: str) -> tuple[int, ...]:
        return tuple(self.extents[n] for n in letters)

    @property
    def einsum(self) -> str:
        return f"{','.join(self.factors)}->{self.kept}"

    def arrays(self) -> dict[str, Any]:
        numbers = np.random.default_rng(0)
        values = {n: numbers.integers(-4, 5, self.shape(f)).astype(float) for n, f in zip(self.names, self.factors)}
        return {"R": np.zeros(self.shape(self.kept)), **values}

    def loops(self) -> Callable[..., None]:
        """A function of `R` and the factors that adds the products up."""
        every = dict.fromkeys(self.kept + "".join(self.factors))
        lines = [f"def f(R, {', '.join(self.names)}):"]
        lines += [f"{'    ' * (n + 1)}for {i} in range({self.extents[i]}):" for n, i in enumerate(every)]
        product = " * ".join(element(n, f) for n, f in zip(self.names, self.factors))
        text = "\n".join([*lines, f"{'    ' * (len(every) + 1)}{element('R', self.kept)} += {product}\n"])
        linecache.cache[text] = (len(text), None, text.splitlines(True), text)
        space: dict[str, Any] = {}
        exec(compile(text, text, "exec"), space)
        found: Callable[..., None] = space["f"]
        return found

    def with_indices(self) -> Kernel:
        tensors = [mt.Tensor(n, self.shape(f)) for n, f in zip(self.names, self.factors)]
        product = tensors[0][" ".join(self.factors[0])]
        for tensor, letters in zip(tensors[1:], self.factors[1:]):
            product = product * tensor[" ".join(letters)]
        result = mt.Tensor("R", self.shape(self.kept))
        return mt.kernel("indices", result[" ".join(self.kept)] <= product)

    def text(self) -> str:
        """Outer products, then contractions of pairs of axes, then exchanges of axes."""
        left = list("".join(self.factors))
        formula = " # ".join(self.names)
        for name in dict.fromkeys(n for n in left if left.count(n) == 2):
            first = left.index(name)
            second = left.index(name, first + 1)
            formula = f"({formula}) . [{first + 1} {second + 1}]"
            left = [n for n in left if n != name]
        for place, name in enumerate(self.kept):
            other = left.index(name)
            if other != place:
                formula = f"({formula}) ^ [{place + 1} {other + 1}]"
                left[place], left[other] = left[other], left[place]
        shapes = {"R": self.kept, **dict(zip(self.names, self.factors))}
        declared = [
            f"var {'out' if n == 'R' else 'in'} {n} : [{' '.join(map(str, self.shape(s)))}]" for n, s in shapes.items()
        ]
        return "\n".join([*declared, f"R = {formula}"])


def element(name: str, letters: str) -> str:
    return f"{name}[{', '.join(letters) or '()'}]"


@st.composite
def contractions(draw: st.DrawFn) -> Contraction:
    """Of two or three tensors of up to three axes, some of them in pairs; pairs in one tensor are diagonals."""
    ranks = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
    places = draw(st.permutations(range(sum(ranks))))
    pairs = draw(st.integers(1, len(places) // 2))
    named = [""] * len(places)
    for n, place in enumerate(places):
        named[place] = LETTERS[n // 2] if n < 2 * pairs else LETTERS[n - pairs]
    ends = np.cumsum([0, *ranks])
    factors = tuple("".join(named[a:b]) for a, b in pairwise(ends))
    kept = draw(st.permutations([n for n in named if named.count(n) == 1]))
    extents = {n: draw(st.sampled_from([1, 2, 3, 5])) for n in LETTERS}
    return Contraction(factors, "".join(kept), extents)


def same_steps(program: Program, arrays: dict[str, Any], names: dict[str, str]) -> list[object]:
    """What each step computes, whatever its dimensions and intermediate results are called. names: of the arrays."""
    sizes = {
        shape_name(own, axis): extent for own, name in names.items() for axis, extent in enumerate(arrays[name].shape)
    }
    return sorted((_step(e, sizes, names) for e in program.steps if isinstance(e, Expression)), key=repr)


def _step(e: Expression, sizes: dict[str, int], names: dict[str, str]) -> object:
    accesses = [*e.out_view, *sorted(e.inp_view, key=lambda a: names.get(a.buffer, "t"))]
    order = {n: number for number, n in enumerate(dict.fromkeys(n for a in accesses for i in a.index for n in i.names))}
    views = [
        (names.get(a.buffer, "t"), tuple((i.constant, *((order[n], c) for n, c in i.terms)) for i in a.index))
        for a in accesses
    ]
    extents = {order[d.name]: d.extent.evaluate(sizes) for d in e.md_hom.dims if d.name in order}
    return views, sorted(extents.items()), sorted(order[n] for n in e.collapsed)


@given(contraction_=contractions())
@examples(60)
def test_one_program_in_four_notations(contraction_: Contraction) -> None:
    c, arrays = contraction_, contraction_.arrays()
    own = {n: n for n in arrays}
    expected = np.einsum(c.einsum, *(arrays[n] for n in c.names))
    inputs = [arrays[n] for n in c.names]
    indices, text = c.with_indices(), Kernel("text", language.parse(c.text(), float64))
    loops = traced(c.loops(), tuple(arrays.values()))
    einsum = contraction(c.einsum, [a.shape for a in inputs], [float64] * len(inputs), out=float64).program()
    of_einsum = {"out": "R", **{f"in{n}": name for n, name in enumerate(c.names)}}
    for program, names in (
        (loops, own), (einsum, of_einsum), (indices.lowered.program, own), (text.lowered.program, own),
    ):  # fmt: skip
        given_arrays = {n: a.copy() for n, a in arrays.items()}
        interpret(program, tuple(given_arrays[names[p.name]] for p in program.parameters))
        np.testing.assert_array_equal(given_arrays["R"], expected)
    steps = same_steps(indices.lowered.program, arrays, own)
    assert same_steps(text.lowered.program, arrays, own) == steps and text.nonzero_flops == indices.nonzero_flops
    one_nest = len(c.factors) == 2 and all(len(set(f)) == len(f) and 1 not in c.shape(f) for f in c.factors)
    if one_nest:  # there is no order to choose, no sum of one factor, and no loop that is none
        assert same_steps(loops, arrays, own) == steps and same_steps(einsum, arrays, of_einsum) == steps


def test_compiled_code_of_all_four_is_the_same_contraction() -> None:
    c = Contraction(("cab", "bd"), "dca", dict(zip(LETTERS, (17, 9, 8, 5))))
    arrays = c.arrays()
    expected = np.einsum(c.einsum, *(arrays[n] for n in c.names))
    inputs = [arrays[n] for n in c.names]
    mdh.jit(c.loops())(*arrays.values())
    named = dict(zip(c.names, inputs))
    found = [mdh.einsum(c.einsum, *inputs), c.with_indices()(**named), mt.parse(c.text())(**named)]
    for result in (arrays["R"], *found):
        np.testing.assert_array_equal(result, expected)
