"""Formulas in index notation mean the same wherever their numbers are: memory orders, padding, intermediate results
with storage of their own or without, batches in parts; and whatever is computed besides that nobody asks for."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.errors import UnboundError
from jitmdh.base.settings import config
from jitmdh.jit.tensor import Kernel, zeros
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.check import check
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.known_zeros import pattern
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Assignment,
    Element,
    Expr,
    Literal,
    Tensor,
    Total,
    children,
    elements,
    free,
)
from jitmdh.mdh.frontend.tensor.scalar_functions import type_of
from jitmdh.mdh.tensor.pattern import lower
from tests.laws.tensor_programs import Program, programs
from tests.laws.test_tensor import lowered_and_run

# ------------------------------------------------------------------------------------------------- arrays in memory


class Stored:
    """An array in some memory, of which the rest holds `filler`."""

    def __init__(self, array: Any, how: str, multiple: int, filler: float) -> None:
        shape, self.filler = array.shape, filler
        self.whole = array.copy()
        self.place: tuple[Any, ...] = (...,)
        if how == "columns":
            self.whole = array.copy(order="F")
        elif how == "every other":
            self.place = (..., *[slice(None, None, 2)] * len(shape))
            self.whole = np.full([2 * n for n in shape], filler, array.dtype)
        elif how == "backwards":
            self.place = (..., *[slice(None, None, -1)] * len(shape))
        elif how == "padded" and shape:
            self.place = (..., slice(0, shape[-1]))
            self.whole = np.full([*shape[:-1], -(-shape[-1] // multiple) * multiple], filler, array.dtype)
        self.array = self.whole[self.place]
        self.array[...] = array

    def around_is_untouched(self) -> bool:
        other = np.ones(self.whole.shape, bool)
        other[self.place] = False
        left = self.whole[other]
        return bool(np.all(np.isnan(left) if np.isnan(self.filler) else left == self.filler))


HOW = st.sampled_from(["rows", "columns", "every other", "backwards", "padded", "padded"])


@given(
    program=programs(type=np.float64), how=st.lists(HOW, min_size=4, max_size=4),
    multiple=st.sampled_from([2, 4, 8, 16]), filler=st.sampled_from([0.0, -0.0, np.inf, np.nan]), divides=st.booleans(),
    elements=st.sampled_from([1, 9, 65]), part=st.floats(0, 1), threads=st.integers(1, 2),
)  # fmt: skip
@settings(max_examples=3)
def test_storage_parts_of_batches_and_threads_change_nothing(
    program: Program, how: list[str], multiple: int, filler: float, divides: bool, elements: int, part: float,
    threads: int,
) -> None:  # fmt: skip
    """What lies between the numbers of an array is neither read nor written; 0/0 of the program's own stays NaN."""
    program = divided(program) if divides else program
    expected = run(program.checked, program.values)
    kernel = Kernel("program", program.assignments)
    given = program.arrays()

    def stored(arrays: dict[str, Any]) -> dict[str, Stored]:
        return {n: Stored(a, how[k % 4], multiple, filler) for k, (n, a) in enumerate(arrays.items())}

    def assert_same(one: dict[str, Stored], wanted: dict[str, Any]) -> None:
        for name, memory in one.items():
            np.testing.assert_allclose(memory.array, wanted[name], rtol=1e-12 if divides else 0)
            assert memory.around_is_untouched()

    single = stored(given)
    kernel(**{n: s.array for n, s in single.items()})
    assert_same(single, expected)
    batch, factors = kernel.batched(), np.arange(elements) % 5 - 1.0
    arrays = {n: np.multiply.outer(factors, a) for n, a in given.items()}
    whole = {n: a.copy() for n, a in arrays.items()}
    cut, before = int(part * elements), config.num_threads
    batch(**whole)
    try:
        config.num_threads = threads
        for place in (slice(cut), slice(cut, None)):
            some = stored({n: a[place] for n, a in arrays.items()})
            batch(**{n: s.array for n, s in some.items()})
            assert_same(some, {n: a[place] for n, a in whole.items()})
    finally:
        config.num_threads = before


@pytest.mark.parametrize("batch", [False, True])
def test_padding_takes_no_part(batch: bool) -> None:
    """P4: rows padded to multiples up to 16, with either zero, inf and NaN; under operators other than sums and
    divisions, too. 0/0 of the formula's own stays NaN, and so does 0 times inf that no zero is known of."""
    A, B, L = Tensor("A", (5, 5)), Tensor("B", (5, 5)), Tensor("L", (5, 5), pattern=lower)
    S, M, N, P, D, K = (Tensor(name, (5, 5)) for name in "SMNPDK")
    least = Total("minimum", ("k",), A["ik"] * B["kj"])
    kernel = Kernel("padded", [
        S["ij"] <= A["ik"] * B["kj"], M["ij"] <= Total("maximum", ("k",), A["ik"] + B["kj"]), N["ij"] <= least,
        P["ij"] <= Total("mul", ("k",), A["ik"] - B["kj"]), D["ij"] <= A["ij"] / B["ij"] - B["ji"],
        K["ij"] <= L["ik"] * B["kj"] + np.sqrt(A["ij"]),
    ])  # fmt: skip
    numbers = np.random.default_rng(4)
    values = {n: numbers.integers(0, 3, (5, 5)).astype(float) for n in "ABL"}
    values["L"] = np.tril(values["L"])
    values["A"][1, 2] = np.inf
    expected = run(kernel.program, values)
    assert np.isnan(expected["D"]).any() and np.isnan(expected["S"]).any() and np.isinf(expected["K"]).any()
    function, written = kernel.batched() if batch else kernel, {n: np.empty((5, 5)) for n in "SMNPDK"}
    for multiple in (1, 2, 4, 8, 16):
        for filler in (0.0, -0.0, np.inf, np.nan):
            arrays = {n: np.repeat(a[None], 9, axis=0) if batch else a for n, a in {**values, **written}.items()}
            stored = {n: Stored(a, "padded", multiple, filler) for n, a in arrays.items()}
            function(**{n: s.array for n, s in stored.items()})
            for name, memory in stored.items():
                want = np.broadcast_to(expected[name], memory.array.shape)
                np.testing.assert_array_equal(memory.array, want, err_msg=f"{name}, {multiple}, {filler}")
                assert memory.around_is_untouched()


def test_a_batch_of_any_length_is_as_many_calls() -> None:
    """P12, P10: as arrays, in blocks of elements and in two parts, by one thread and by two; bit for bit."""
    numbers = np.random.default_rng(5)
    K = Tensor("K", values=numbers.integers(-2, 3, (6, 6)) * (numbers.random((6, 6)) < 0.4) * 1.0)
    Q, I, S, L = (Tensor(n, shape) for n, shape in (("Q", (6, 3)), ("I", (6, 3)), ("S", (3, 3)), ("L", (3,))))
    known = Tensor("S", S.shape, pattern=lower)
    kernel = Kernel("volume", [Q["kp"] <= Q["kp"] - K["kl"] * I["lq"] * known["qp"] * L["p"]])
    batch, one = kernel.batched(shared="L"), np.arange(3.0) - 1
    whole = {n: numbers.integers(-3, 4, (10_007, *s)).astype(float) for n, s in (("Q", (6, 3)), ("I", (6, 3)))}
    whole["S"] = np.tril(numbers.integers(-3, 4, (10_007, 3, 3)).astype(float))
    want = {n: run(kernel.program, {"L": one, **{m: a[e] for m, a in whole.items()}})["Q"]
            for n, e in enumerate([0, 6, 7, 8, 9, 5_000, 10_006])}  # fmt: skip
    before = config.num_threads
    try:
        for count in (10_007, 0, 1, 7, 8, 9):
            found = []
            for threads in (1, 2):
                config.num_threads = threads
                for place in ("arrays", "blocks", "parts"):
                    given = {n: a[:count].copy() for n, a in whole.items()}
                    cuts = [0, count // 3, count] if place == "parts" else [0, count]
                    for begin, end in pairwise(cuts):
                        part = {n: a[begin:end] for n, a in given.items()}
                        stored = {n: zeros(t, end - begin).pack(part[n]) for n, t in (("Q", Q), ("I", I), ("S", S))}
                        batch(L=one, **(stored if place == "blocks" else part))
                        if place == "blocks":
                            given["Q"] = np.asarray(stored["Q"])
                    found.append(given["Q"])
            for other in found:
                np.testing.assert_array_equal(other, found[0])
            for n, e in enumerate([0, 6, 7, 8, 9, 5_000, 10_006]):
                if e < count:
                    np.testing.assert_array_equal(found[0][e], want[n])
    finally:
        config.num_threads = before


def divided(program: Program) -> Program:
    """Its last statement divided by an element of its own, which has zeros in some places."""
    *before, last = program.assignments
    shape = last.target.tensor.shape
    divisor = Tensor("Z", shape, np.float64)
    value = Apply("truediv", (last.value, Element(divisor, last.target.subscripts)))
    made = (*before, Assignment(last.target, value))
    numbers = np.resize([1.0, 0.0, 2.0, -0.0, -4.0], shape)
    return Program(made, check(made), program.values | {"Z": np.asarray(numbers)})


# ------------------------------------------------------------------------------------------------- intermediate results


@pytest.mark.in_turns(2)
@given(program=programs(), number=st.integers(0, 99))
@settings(max_examples=60)
def test_an_intermediate_result_may_have_storage(program: Program, number: int) -> None:
    """Whether a part of a formula is a temporary of its own changes nothing."""
    *before, last = program.checked.statements
    parts = [p for p in inner(last.value) if type_of(p).concrete == program.assignments[0].target.tensor.type]
    if not parts:
        return
    part = parts[number % len(parts)]
    names = free(part)
    shape, zeros = tuple(int(last.extents[n]) for n in names), pattern(part, last.extents)
    own = Tensor("t", shape, type_of(part).concrete, pattern=zeros, temporary=True)
    element = Element(own, tuple(map(Affine.of, names)))
    changed = [
        *(Assignment(s.target, s.value) for s in before),
        Assignment(element, part),
        Assignment(last.target, replaced(last.value, part, element)),
    ]
    assert_same_outputs(program, changed)


@given(program=programs(), number=st.integers(0, 99))
@settings(max_examples=60)
def test_real_parts_have_the_values_of_virtual_ones(program: Program, number: int) -> None:
    """`part.real()` of any part, whose indices are summed where they were, too."""
    *before, last = program.assignments
    parts = inner(last.value)
    if not parts:
        return
    part = parts[number % len(parts)]
    changed = [*before, Assignment(last.target, replaced(last.value, part, part.real()))]
    whole = check(changed)
    assert len(whole.statements) == len(program.checked.statements) + 1
    assert_same_outputs(program, changed)


def inner(value: Expr) -> list[Expr]:
    """Every product, sum, choice and so on in a formula."""
    found = [p for child in children(value) for p in inner(child)]
    return [*found, value] if isinstance(value, Apply | Total) else found


def replaced(value: Expr, part: Expr, by: Expr) -> Expr:
    match value:
        case _ if value is part:
            return by
        case Apply(op, operands):
            return Apply(op, tuple(replaced(o, part, by) for o in operands))
        case Total():
            return replace(value, body=replaced(value.body, part, by))
    return value


def assert_same_outputs(program: Program, changed: list[Assignment]) -> None:
    expected = run(program.checked, program.values)
    checked = check(changed)
    arrays = lowered_and_run(Program(tuple(changed), checked, program.values))
    for name in (t.name for t in program.checked.outputs):
        np.testing.assert_array_equal(arrays[name], expected[name], strict=True)


# ------------------------------------------------------------------------------------------------- what nobody reads


@pytest.mark.in_turns(2)
@given(program=programs(), kind=st.sampled_from(["unread", "overwritten", "again"]), number=st.integers(0, 99))
@settings(max_examples=60)
def test_statements_that_change_nothing(program: Program, kind: str, number: int) -> None:
    """A temporary that nobody reads, a value that is overwritten, the same once more: outputs are the same."""
    made = list(program.assignments)
    at = number % len(made)
    target, value = made[at].target, made[at].value
    if kind == "unread":
        unread = Tensor("unread", target.tensor.shape, target.tensor.type, temporary=True)
        made.insert(at, Assignment(Element(unread, target.subscripts), value))
    elif target.tensor in [e.tensor for e in elements([value])]:
        return
    else:
        other = Apply("mul", (Literal(3), value)) if kind == "overwritten" else value
        made.insert(at, Assignment(target, other))
    assert_same_outputs(program, made)


@given(program=programs(), number=st.integers(0, 99))
@settings(max_examples=60)
def test_what_nothing_has_written_is_not_read(program: Program, number: int) -> None:
    """One of the tensors that are written becomes a temporary: refused where it is read before, else no difference."""
    outputs = program.checked.outputs
    chosen = outputs[number % len(outputs)]
    if chosen.pattern is not None:
        return
    own = Tensor(chosen.name, chosen.shape, chosen.type, temporary=True)

    def renamed(node: Expr) -> Expr:
        match node:
            case Element() if node.tensor == chosen:
                return Element(own, node.subscripts)
            case Apply(op, operands):
                return Apply(op, tuple(map(renamed, operands)))
            case Total():
                return replace(node, body=renamed(node.body))
        return node

    made, is_written, is_read_before = [], False, False
    for one in program.assignments:
        is_read_before |= not is_written and chosen in [e.tensor for e in elements([one.value])]
        is_written |= one.target.tensor == chosen
        target = renamed(one.target)
        assert isinstance(target, Element)
        made.append(Assignment(target, renamed(one.value)))
    if is_read_before:
        with pytest.raises(UnboundError, match=f"`{chosen.name}` is read before"):
            check(made)
        return
    expected = run(program.checked, program.values)
    arrays = lowered_and_run(Program(tuple(made), check(made), program.values))
    for name in (t.name for t in outputs if t is not chosen):
        np.testing.assert_array_equal(arrays[name], expected[name], strict=True)
