"""Formulas in index notation mean what their interpreter says, whatever is done to them on the way down."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh import tensor as mt
from jitmdh.base.dtype import float64
from jitmdh.base.errors import (
    ArgumentTypeError,
    AssignmentTypeError,
    ExpressionTypeError,
    RedeclarationError,
    UndeclaredAssignmentError,
    UndeclaredError,
)
from jitmdh.jit.compilation.pipeline import interpret
from jitmdh.jit.programs import function_of
from jitmdh.jit.tensor import Kernel, in_batch, zeros
from jitmdh.jit.tensor import lowered as formulas
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.check import check as check_formulas
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.notation import language
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Assignment, Element, Expr, Tensor
from jitmdh.mdh.frontend.tensor.notation.index_free import contract
from jitmdh.mdh.frontend.tensor.program import Lowered, lower
from tests.laws.tensor_programs import Program, chains, programs
from tests.laws.tensor_texts import Text, Wrong, reference, spoil, texts


@pytest.mark.in_turns(2)
@given(program=programs())
@settings(max_examples=150)
def test_the_algebra_says_the_same(program: Program) -> None:
    """Sums written out, contractions in the order of least work, masks, temporaries, copies of what is overwritten."""
    expected = run(program.checked, program.values)
    arrays = lowered_and_run(program)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, expected[name], strict=True)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("zeros", ["rows", "rows, not written out", "few", "nothing", "lower"])
@pytest.mark.parametrize("form", ["more", "scaled", "chosen", "twice"])
def test_targets_that_their_own_sums_read(zeros: str, form: str) -> None:
    """Sums that are written out, in shares or in pieces, and sums computed before, of what the statement overwrites."""
    extent, type = {"few": (66, np.int64), "rows": (66, np.int64)}.get(zeros, (9, np.int64))
    if zeros == "rows, not written out":
        type = np.int32  # added up as int64
    rows, columns = np.indices((extent, extent))
    few, none = (3 * rows + columns) % extent < 2, rows < 0
    known = {"few": few, "nothing": none, "lower": columns <= rows}.get(zeros, rows >= extent // 2)
    x, y = Tensor("x", (extent,), type), Tensor("y", (extent, 2), type)
    z, held = Tensor("z", (extent, extent, 2), type), Tensor("L", (extent, extent), type, pattern=known)
    value = {
        "more": z["ijk"] * y["jk"] + held["ij"] * x["j"],
        "scaled": x["i"] * (held["ji"] * x["j"]),
        "chosen": x["i"] * (held["ij"] * np.where(x["j"] > 0, 2, 3)),
        "twice": held["ij"] * x["j"] - held["ji"] * x["j"] + z["jik"] * y["jk"],
    }[form]
    checked = check_formulas([x["i"] <= value])
    numbers = np.random.default_rng(extent)
    given = {t.name: np.asarray(numbers.integers(-3, 4, t.shape), type) for t in checked.inputs}
    if "L" in given:
        given["L"] *= known
    program = Program((x["i"] <= value,), checked, given)
    np.testing.assert_array_equal(lowered_and_run(program)["x"], run(checked, given)["x"])


@given(program=programs())
@settings(max_examples=40)
def test_what_is_printed_is_the_formula(program: Program) -> None:
    """`repr`, with the names of `jitmdh.tensor`."""
    for assignment in program.assignments:
        assert eval(repr(assignment), dict(vars(mt))) == assignment


@given(program=programs())
@settings(max_examples=15)
def test_kernels_say_the_same(program: Program) -> None:
    expected = run(program.checked, program.values)
    kernel = Kernel("program", program.assignments)
    arrays = program.arrays()
    assert kernel(**arrays) is None
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, expected[name], strict=True)


@pytest.mark.in_turns(2)
@given(program=programs(), elements=st.sampled_from((0, 1, 7, 9)), sharing=st.integers(0, 7))
@settings(max_examples=60)
def test_batches_are_calls_for_each_element(program: Program, elements: int, sharing: int) -> None:
    """By the interpreter, with elements on vector lanes where known zeros take part; some tensors are shared."""
    assert_batch_is_its_elements(program, elements, sharing, lambda batch, values: interpret(batch.program, values))


@given(program=programs(type=np.float64), elements=st.sampled_from((0, 1, 7, 8, 10_007)), sharing=st.integers(0, 7))
@settings(max_examples=4)
def test_compiled_batches_are_calls_for_each_element(program: Program, elements: int, sharing: int) -> None:
    assert_batch_is_its_elements(
        program, elements, sharing, lambda batch, values: function_of(batch.program, "tensor")(*values)
    )


@given(
    program=programs(type=np.float64), elements=st.sampled_from((0, 1, 7, 8, 9, 17)), sharing=st.integers(0, 7),
    padding=st.sampled_from((0.0, -0.0, np.inf, np.nan)),
)  # fmt: skip
@settings(max_examples=6)
def test_elements_in_blocks_are_the_same(program: Program, elements: int, sharing: int, padding: float) -> None:
    """Whatever the last block holds behind the last element."""
    kernel = Kernel("program", program.assignments)
    tensors = kernel.lowered.tensors
    written = {t.name for t in program.checked.outputs}
    shared = {t.name for n, t in enumerate(tensors) if t.name not in written and sharing >> n & 1}
    batch = kernel.batched("e", shared=tuple(shared))
    factors, given = np.arange(elements) % 5 - 1.0, program.arrays()
    arrays = {n: a if n in shared else np.multiply.outer(factors, a) for n, a in given.items()}
    stored = {t.name: zeros(t, elements).pack(arrays[t.name]) for t in tensors if t.name not in shared}
    for one in stored.values():
        one.blocks[elements // one.lanes :, ..., elements % one.lanes :] = padding
    try:
        batch(**{**arrays, **stored})
    except ArgumentTypeError as error:
        assert "cannot be computed on elements in blocks" in str(error)
        return
    batch(**arrays)
    for name, elements_ in stored.items():
        np.testing.assert_array_equal(np.asarray(elements_), arrays[name], strict=True)


def assert_batch_is_its_elements(
    program: Program, elements: int, sharing: int, execute: Callable[[Lowered, tuple[Any, ...]], object]
) -> None:  # fmt: skip
    lowered = lower(program.checked, "program")
    written = {t.name for t in program.checked.outputs}
    shared = {t.name for n, t in enumerate(lowered.tensors) if t.name not in written and sharing >> n & 1}
    batch = in_batch(lowered, "e", tuple(shared))
    check(batch.program)
    factors = np.arange(elements) % 5 - 1
    given = program.arrays()
    arrays = {n: a if n in shared else np.multiply.outer(factors, a).astype(a.dtype) for n, a in given.items()}
    before = {n: a.copy() for n, a in arrays.items()}
    execute(batch, (*(arrays[t.name] for t in lowered.tensors), *lowered.constants.values()))
    for element in range(min(elements, 20)):
        names = {t.name for t in program.checked.inputs if t.values is None}
        values = {n: before[n] if n in shared else before[n][element] for n in names}
        for name, expected in run(program.checked, program.values | values).items():
            if name in written:
                np.testing.assert_array_equal(arrays[name][element], expected, strict=True)


@pytest.mark.in_turns(2)
@given(program=programs(type=np.float64), infinite=st.sampled_from([np.inf, -np.inf, np.nan]))
@settings(max_examples=100)
def test_known_zeros_are_absent(program: Program, infinite: float) -> None:
    """What a tensor without known zeros holds, inf and NaN too, meets no known zero of another; and a value that is
    known to be zero is zero."""
    for tensor in program.checked.inputs:
        if tensor.pattern is None and program.values[tensor.name].size:
            program.values[tensor.name].flat[0] = infinite
    expected = run(program.checked, program.values)
    last = program.checked.statements[-1]
    assert not expected[last.target.tensor.name][~last.zeros.mask].any()
    arrays = lowered_and_run(program)
    for name, array in arrays.items():
        finite = np.isfinite(expected[name])
        np.testing.assert_array_equal(np.isfinite(array), finite)
        np.testing.assert_allclose(array[finite], expected[name][finite], rtol=1e-12)


def lowered_and_run(program: Program) -> dict[str, Any]:
    lowered = lower(program.checked, "program")
    check(lowered.program)
    arrays = program.arrays()
    interpret(lowered.program, tuple([*(arrays[t.name] for t in lowered.tensors), *lowered.constants.values()]))
    return arrays


NAMES_OF_OURS = ["t0", "t1", "t2", "t3", "x0", "x1", "y0", "m0", "T0", "T1", "R", "state", "i", "i_", "i__"]
"""What arrays, parameters and dimensions of programs are called."""


@given(
    program=chains(2, np.int64),
    order=st.randoms(use_true_random=False),
    names=st.one_of(st.none(), st.permutations(NAMES_OF_OURS)),
)
@settings(max_examples=24)
def test_names_of_indices_and_the_order_of_factors_change_nothing(
    program: Program, order: Random, names: list[str] | None
) -> None:
    """Neither results nor the work that is counted."""
    called: dict[str, str] = {}

    def name_of(index: str) -> str:
        return called.setdefault(index, f"new_{index}" if names is None else names[len(called)])

    def other(node: Any) -> Any:
        if isinstance(node, Element):
            return Element(node.tensor, tuple(Affine.of(name_of(a.names[0])) for a in node.subscripts))
        if not isinstance(node, Apply):
            return node
        if node.op != "mul":
            return Apply(node.op, tuple(map(other, node.operands)))
        factors = [other(f) for f in _factors(node)]
        order.shuffle(factors)
        return reduce(lambda product, factor: Apply("mul", (product, factor)), factors)

    changed = [Assignment(other(a.target), other(a.value)) for a in program.assignments]
    kernel, same = (Kernel("program", assignments) for assignments in (program.assignments, changed))
    assert same.nonzero_flops == kernel.nonzero_flops
    found = lowered_and_run(Program(tuple(changed), same.program, program.values))
    for name, array in run(program.checked, program.values).items():
        if name in found:
            np.testing.assert_array_equal(found[name], array, strict=True)


@given(extents=st.lists(st.integers(1, 6), min_size=3, max_size=5))
@settings(max_examples=10)
def test_a_chain_is_one_program_in_every_notation(extents: list[int]) -> None:
    """With letters, without them, as text of the model language: the same steps, and what `numpy.einsum` gives."""
    shapes = list(pairwise(extents))
    tensors = [Tensor(f"T{n}", shape) for n, shape in enumerate(shapes)]
    result = Tensor("R", (extents[0], extents[-1]))
    names = [*pairwise("abcde"[: len(extents)])]
    letters = reduce(lambda x, y: x * y, (t["".join(n)] for t, n in zip(tensors, names)))
    without = reduce(lambda x, y: contract(x, y, (1, 0)), tensors)
    declared = "".join(f"var in {t} : [{t.shape[0]} {t.shape[1]}]\n" for t in tensors)
    text = reduce(lambda x, y: f"({x} # {y}) . [2 3]", (str(t) for t in tensors))
    whole = f"{declared}var out R : [{extents[0]} {extents[-1]}]\nR = {text}"
    kernels = [
        Kernel("letters", [result["a" + names[-1][1]] <= letters]),
        Kernel("without", [result["ij"] <= without["ij"]]),
        Kernel("text", language.parse(whole, float64)),
    ]
    assert len({kernel.nonzero_flops for kernel in kernels}) == 1
    numbers = np.random.default_rng(0)
    values = {t.name: numbers.integers(-9, 10, t.shape).astype(float) for t in tensors}
    want = np.linalg.multi_dot([*values.values()])
    for kernel in kernels:
        np.testing.assert_array_equal(lowered_and_run(Program((), kernel.program, values))["R"], want)


def _factors(node: Expr) -> list[Expr]:
    return [f for o in node.operands for f in _factors(o)] if isinstance(node, Apply) and node.op == "mul" else [node]


KINDS = {
    "redeclaration": RedeclarationError,
    "undeclared assignment": UndeclaredAssignmentError,
    "undeclared use": UndeclaredError,
    "assignment": AssignmentTypeError,
    "expression": ExpressionTypeError,
}


@pytest.mark.in_turns(2)
@given(program=texts())
@settings(max_examples=300)
def test_the_rules_of_the_model_language(program: Text) -> None:
    """What the report's rules accept is accepted; of everything else the first mistake is named, by its kind."""
    try:
        reference(program.declarations, program.statements)
    except Wrong as wrong:
        with pytest.raises(KINDS[str(wrong)]) as caught:
            check_formulas(language.parse(str(program)))
        assert type(caught.value) is KINDS[str(wrong)] and caught.value.loc is not None
    else:
        check_formulas(language.parse(str(program)))


@given(program=texts(mistakes=False), data=st.data())
@settings(max_examples=100)
def test_programs_of_the_model_language_compute_what_they_say(program: Text, data: st.DataObject) -> None:
    """Against NumPy's functions of whole arrays; divisions by zero included."""
    numbers = np.random.default_rng(data.draw(st.integers(0, 99)))
    store = {name: np.asarray(numbers.integers(-3, 4, shape), float) for name, shape in program.declarations}
    checked = check_formulas(language.parse(str(program)))
    values = {t.name: store[t.name] for t in checked.inputs}
    found = lowered_and_run(Program((), checked, values))
    with np.errstate(all="ignore"):
        for name, formula in program.statements:
            store[name] = whole_arrays(formula, store)
    for name, array in found.items():
        np.testing.assert_allclose(array, store[name], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(program=texts(mistakes=False), data=st.data())
@settings(max_examples=20)
def test_each_mistake_is_found_alone(kind: str, program: Text, data: st.DataObject) -> None:
    """P1: a program with exactly one mistake of this kind. Nothing of it gets as far as a program of the algebra."""
    spoil(data.draw, program, kind)
    with pytest.raises(Wrong, match=f"^{kind}$"):
        reference(program.declarations, program.statements)
    lowered: list[object] = []
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KINDS[kind]) as caught:
        patch.setattr(formulas, "lower", lambda *args: lowered.append(args))
        Kernel("program", language.parse(str(program))).function  # noqa: B018
    assert type(caught.value) is KINDS[kind] and not lowered


def whole_arrays(formula: object, store: dict[str, Any]) -> Any:
    if isinstance(formula, str):
        return store[formula]
    assert isinstance(formula, tuple)
    op, first, *others = formula
    left = whole_arrays(first, store)
    if op == "^":
        return np.swapaxes(left, others[0] - 1, others[1] - 1)
    if op == ".":
        return np.trace(left, axis1=others[0] - 1, axis2=others[1] - 1)
    right = whole_arrays(others[0], store)
    ufunc = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
    return np.multiply.outer(left, right) if op == "#" else ufunc[op](left, right)
