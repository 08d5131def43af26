"""P10: whatever storage known zeros have, or have not, values are the same: of arrays of a call, of constants and of
temporaries; for one element, for batches as arrays and in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.compilation.pipeline import interpret
from jitmdh.jit.tensor import in_batch
from jitmdh.mdh.algebra.check import check as check_program
from jitmdh.mdh.frontend.tensor.check import check
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.notation.expr import Assignment, Element, Tensor
from jitmdh.mdh.frontend.tensor.notation.renaming import with_tensors_inside
from jitmdh.mdh.frontend.tensor.program import lower
from jitmdh.mdh.tensor.storage import KINDS
from tests.laws.examples import examples
from tests.laws.tensor_programs import Program, programs
from tests.laws.test_tensor_schedules import run_native
from tests.laws.test_tensor_schedules import small_work_is_shared as small_work_is_shared


class Both:
    """A program, and the same with storages; printed as short as they are read."""

    def __init__(self, program: Program, other: Program) -> None:
        self.program, self.other = program, other

    def __repr__(self) -> str:
        storages = {t.name: t.storage for t in self.other.checked.tensors}
        return "\n".join([*map(str, self.program.assignments), *map(repr, self.program.checked.tensors), str(storages)])


@st.composite
def stored_programs(draw: st.DrawFn) -> Both:
    """A program, and the same with a storage for each of its tensors."""
    program = draw(programs())
    others: dict[Tensor, Tensor] = {}
    for t in program.checked.tensors:
        if not t.sizes:
            storage = draw(st.sampled_from([None, *KINDS]))
            others[t] = Tensor(t.name, t.shape, t.type, pattern=t.pattern, values=t.values, storage=storage)
    made = []
    for a in program.assignments:
        target = with_tensors_inside(a.target, others)
        assert isinstance(target, Element)
        made.append(Assignment(target, with_tensors_inside(a.value, others)))
    return Both(program, Program(tuple(made), check(made), program.values))


def packed(program: Program, arrays: dict[str, Any]) -> dict[str, Any]:
    """The arrays as the program takes them; of those that it only writes, what they hold is of no account."""
    kept = {t.name: t.layout for t in program.checked.tensors}
    return {n: a.copy() if kept[n] is None else kept[n].pack(known(program, n, a)) for n, a in arrays.items()}


def known(program: Program, name: str, array: Any) -> Any:
    tensor = next(t for t in program.checked.tensors if t.name == name)
    return array if tensor.pattern is None else np.where(tensor.pattern.mask, array, 0)


def assert_stored(program: Program, arrays: dict[str, Any], expected: dict[str, Any]) -> None:
    for t in program.checked.tensors:
        if t.name in arrays:
            found = arrays[t.name] if t.layout is None else t.layout.unpack(arrays[t.name])
            np.testing.assert_array_equal(found, np.broadcast_to(expected[t.name], found.shape), strict=True)


@pytest.mark.in_turns(2)
@given(both=stored_programs(), elements=st.sampled_from([None, 3]))
@examples(360)
def test_storage_changes_no_value(both: Both, elements: int | None) -> None:
    program, other = both.program, both.other
    expected = run(program.checked, program.values)
    lowered = lower(other.checked, "program", for_batches=elements is not None)
    arrays = packed(other, program.arrays())
    if elements is not None:
        lowered = in_batch(lowered, "e", ())
        arrays = {n: np.repeat(a[None], elements, axis=0) for n, a in arrays.items()}
    check_program(lowered.program)
    interpret(lowered.program, (*(arrays[t.name] for t in lowered.tensors), *lowered.constants.values()))
    assert_stored(other, arrays, expected)


@given(both=stored_programs(), data=st.data())
@examples(18)
def test_storage_changes_no_value_of_machine_code(both: Both, data: st.DataObject) -> None:
    program, other = both.program, both.other
    lowered, arrays = lower(other.checked, "program"), packed(other, program.arrays())
    run_native(lowered, arrays, data)
    assert_stored(other, arrays, run(program.checked, program.values))


STAR = np.array([[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1]], bool)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", ["one", "arrays", "blocks"])
def test_kernels_of_each_storage(kind: str, batch: str) -> None:
    """As a user has them: an operand that is read, a constant, a temporary, and a result that is left out."""
    S, numbers = mt.Tensor("S", (3, 4), pattern=STAR, storage=kind), np.random.default_rng(3)
    K = mt.Tensor("K", values=STAR.T * numbers.integers(1, 4, (4, 3)) * 1.0, storage=kind)
    t = mt.temporary("t", (3, 3), storage="dense" if kind in ("list", "columns") else kind)
    R = mt.Tensor("R", (3, 4), pattern=STAR, storage=kind)
    kernel = mt.kernel(
        "stored", [t["ik"] <= S["ij"] * K["jk"], R["ij"] <= 2 * S["ij"] - S["ij"] * t["ii"].broadcast("j")]
    )
    s = STAR * numbers.integers(-3, 4, (17, 3, 4)).astype(float)
    want = 2 * s - s * np.einsum("eij,ji->ei", s, K.values.array)[..., None]
    if batch == "one":
        found = np.stack([mt.unpack(R, kernel(S=mt.pack(S, one))) for one in s])
    elif batch == "arrays":
        found = mt.unpack(R, kernel.batched()(S=mt.pack(S, s)))
    else:
        found = mt.unpack(R, kernel.batched()(S=mt.zeros(S, batch=17).pack(mt.pack(S, s))).unpack())
    np.testing.assert_array_equal(found, want)
    assert str(K.layout or "4×3") in kernel.storage["K"] and kernel.storage["K"].endswith("beside the code")


@pytest.mark.parametrize("kind", KINDS)
def test_storage_of_nothing(kind: str) -> None:
    """All zeros are known: nothing is stored but what rows are padded by, and the result is zero."""
    S = mt.Tensor("S", (3, 4), pattern=np.zeros((3, 4), bool), storage=kind)
    R = mt.Tensor("R", (3, 4), pattern=np.zeros((3, 4), bool), storage=kind)
    x, y = mt.Tensor("x", (4,)), mt.Tensor("y", (3,))
    kernel = mt.kernel("nothing", [R["ij"] <= 2 * S["ij"], y["i"] <= S["ij"] * x["j"] + S["ij"].at(j=1)])
    nothing = mt.pack(S, np.zeros((3, 4)))
    found = kernel(S=nothing, x=np.full(4, np.inf))
    assert found[0].shape == nothing.shape and not mt.unpack(R, found[0]).any() and not found[1].any()
    many = kernel.batched()(S=np.repeat(nothing[None], 9, axis=0), x=np.ones((9, 4)))
    assert not many[1].any()


def test_what_storage_refuses() -> None:
    S = mt.Tensor("S", (3, 4), pattern=STAR, storage="list")
    R = mt.Tensor("R", (3, 4))
    kernel = mt.kernel("copied", R["ij"] <= S["ij"])
    with pytest.raises(ArgumentValueError, match=r"S is an array of float64 with shape \(3,\), got"):
        kernel(S=np.zeros(4))
    with pytest.raises(ArgumentTypeError, match=r"S is an array of float64 with shape \(3,\), got \(3, 4\)"):
        kernel(S=np.zeros((3, 4)))
    with pytest.raises(ArgumentValueError, match=r"pack: 1.0 at \[0, 0\], where the tensor has a known zero"):
        mt.pack(S, np.ones((3, 4)))
    with pytest.raises(ArgumentValueError, match=r"unpack: an array of shape \(3,\) is wanted, got \(4,\)"):
        mt.unpack(S, np.ones(4))
    with pytest.raises(ArgumentValueError, match="storage='rows' is none of dense, box, padded, list, columns"):
        mt.Tensor("S", (3, 4), storage="rows")
    with pytest.raises(ArgumentValueError, match="storage='list' is none of dense, box, padded"):
        mt.temporary("t", (3, 4), storage="list")
    with pytest.raises(ArgumentValueError, match="extents that come with the call"):
        mt.Tensor("S", (mt.size("n"), 4), pattern=mt.lower, storage="box")
    with pytest.raises(ArgumentTypeError, match="plain loops of a test know no storage='list', which S has"):
        mt.write("unused", kernel)
    padded = mt.Tensor("P", (3, 4), pattern=STAR, storage="padded")
    wrong = mt.pack(padded, STAR * 1.0)
    wrong[0, 5] = 1
    with pytest.raises(ArgumentValueError, match=r"P\[0, 5\] is 1.0, where P has a known zero"):
        mt.kernel("copied", R["ij"] <= padded["ij"])(P=wrong)


def test_repr_is_the_tensor() -> None:
    S = mt.Tensor("S", (3, 4), pattern=STAR, storage="columns")
    assert eval(repr(S), {"Tensor": mt.Tensor, "Pattern": mt.Pattern}) == S != mt.Tensor("S", (3, 4), pattern=STAR)
