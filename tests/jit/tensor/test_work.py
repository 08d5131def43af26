"""What the code of a kernel with known zeros executes: no more than the products that are counted."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.jit.tensor import lowered as formulas
from jitmdh.mdh.algebra import expr
from jitmdh.mdh.tensor import least_work
from tests.hosts import as_on

numbers = np.random.default_rng(5)
STAR = numbers.random((4, 4)) < 0.4
# Columns 4 and 5 are zero: nobody reads rows 4 and 5 of what K is multiplied by. Nor row 1.
SPARSE = np.where(numbers.random((6, 6)) < 0.5, 1.0, 0.0) * [1, 0, 1, 1, 0, 0]

Q, I = mt.Tensor("Q", (6, 4)), mt.Tensor("I", (6, 4))
K, S = mt.Tensor("K", values=SPARSE), mt.Tensor("S", (4, 4), pattern=STAR)


def volume() -> mt.Kernel:
    return mt.kernel("volume", Q["kp"] <= Q["kp"] + K["kl"] * I["lq"] * S["qp"])


def products(kernel: mt.Kernel) -> int:
    return sum(int(step.split(": ")[1].split()[0]) for step in kernel.steps)


def test_no_product_that_is_not_counted_but_for_rows_between_others() -> None:
    """One multiplication and one addition for each; of rows, all in the smallest range that has those that are read."""
    kernel = volume()
    row_between = 2 * int(STAR.sum())
    assert kernel.flops == 2 * products(kernel) + row_between
    dense = mt.kernel(
        "dense", Q["kp"] <= Q["kp"] + mt.Tensor("D", (6, 6))["kl"] * I["lq"] * mt.Tensor("T", (4, 4))["qp"]
    )
    assert kernel.flops < dense.flops / 2
    assert kernel.batched().flops == kernel.flops


def test_terms_are_multiply_adds_from_what_they_are_added_to() -> None:
    """No product and no sum is rounded on its own, and Q is where the sum begins."""
    batch = volume().batched(shared="S")
    text = batch.inspect(np.zeros((64, 6, 4)), np.zeros((64, 6, 4)), np.zeros((4, 4)), stage="llvm")
    assert " fmul " not in text and " fadd " not in text and "fmuladd" in text


@pytest.mark.parametrize("batched", [False, True])
def test_rows_that_are_left_out_are_not_read(batched: bool) -> None:
    """Whatever the scratch memory holds, and whatever the input holds where nobody reads."""
    kernel = volume().batched() if batched else volume()
    shape = (20,) if batched else ()
    i, s, q = numbers.random((*shape, 6, 4)), STAR * numbers.random((*shape, 4, 4)), numbers.random((*shape, 6, 4))
    want = q + SPARSE @ i @ s
    i[..., [1, 4, 5], :] = np.nan
    for _ in range(2):
        given = q.copy()
        kernel(given, i, s)
        np.testing.assert_allclose(given, want, rtol=1e-12)


def test_where_numbers_are() -> None:
    found = volume().storage
    assert found["K"] == f"{int(SPARSE.sum())} numbers in the code"
    assert found["t0"] == "6×4, scratch"  # by rows: the step that reads it has a row on its lanes


def test_rows_that_are_written_out_and_begin_late() -> None:
    """Both factors of what is needed in part have known zeros; the first row that is read is not row 0."""
    late = mt.Tensor("late", values=np.diag([0.0, 0.0, 3.0, 4.0, 0.0, 0.0]))
    few = mt.Tensor("few", (6, 4), pattern=np.arange(6)[:, None] < [4, 0, 1, 3])
    kernel = mt.kernel("late", Q["kp"] <= late["kl"] * few["lq"] * S["qp"])
    f, s = numbers.random((6, 4)) * kernel.patterns["few"], STAR * numbers.random((4, 4))
    np.testing.assert_allclose(kernel(few=f, S=s), np.diag([0, 0, 3, 4, 0, 0]) @ f @ s, rtol=1e-12)


def test_rows_that_end_are_ranges_of_loops() -> None:
    """Nothing asks at each element whether its row is known to be zero, and sums of such rows are not computed."""
    D = [mt.Tensor(f"D{n}", (6, 4), pattern=np.arange(6)[:, None] + np.zeros(4, int) < n) for n in (2, 5)]
    series = mt.kernel("series", Q["kp"] <= 0.5 * D[0]["kp"] + 2.0 * D[1]["kp"])
    assert series.flops == 4 * (2 * 3 + 3 * 1) and not series.storage
    chain = mt.kernel("chain", [Q["kp"] <= Q["kp"] + K["kl"] * D[n]["lq"] * S["qp"] for n in (0, 1)])
    assert not any("mask" in name for name in chain.storage)
    values = {"Q": numbers.random((6, 4)), "S": STAR * numbers.random((4, 4))}
    values |= {t.name: numbers.random((6, 4)) * chain.patterns[t.name] for t in D}
    want = values["Q"] + SPARSE @ (values["D2"] + values["D5"]) @ values["S"]
    chain(**values)
    np.testing.assert_allclose(values["Q"], want, rtol=1e-12)
    np.testing.assert_array_equal(series(**{t.name: values[t.name] for t in D}), values["D2"] / 2 + values["D5"] * 2)


def test_what_is_made_of_constants_is_a_constant() -> None:
    """Where that is less work: not where a product of two sparse matrices is a dense one."""
    R, T = (mt.Tensor(name, values=np.diag(numbers.random(6))) for name in "RT")
    column = mt.Tensor("column", values=np.eye(6)[:, :1] + 1.0)
    both = mt.kernel("both", Q["kp"] <= R["km"] * T["ml"] * I["lq"] * S["qp"])
    assert both.steps[0].endswith("computed beforehand, 6 non-zeros") and "beforehand" not in both.steps[1]
    apart = mt.kernel("apart", Q["kp"] <= column["km"] * mt.Tensor("row", values=np.ones((1, 6)))["ml"] * I["lp"])
    assert apart.nonzero_flops == 6 * 4 + 5 * 4 + 6 * 4 and not any("beforehand" in step for step in apart.steps)
    i, s = mt.zeros(I, batch=3).pack(numbers.random((3, 6, 4))), STAR * numbers.random((3, 4, 4))
    found = both.batched()(I=i, S=mt.zeros(S, batch=3).pack(s))
    values = [t.values.array for t in (R, T) if t.values is not None]
    np.testing.assert_allclose(found, values[0] @ values[1] @ np.asarray(i) @ s, rtol=1e-12)


def test_patterns_of_large_products_take_no_memory() -> None:
    """All positions of one of these products would be 64 GB."""
    A, B, C, D = (mt.Tensor(name, (4096, 4096)) for name in "ABCD")
    kernel = mt.kernel("sampled", D["ij"] <= A["ij"] * (B["ik"] * C["kj"]) + B["ik"] * C["kj"])
    assert not kernel.patterns


def banded(rows: int, count: int) -> Any:
    """A matrix with about so many numbers in each row, none of them zero."""
    i, j = np.indices((rows, rows))
    return np.where((j - i) % (rows // count) == 0, 1.0 + (i + j) % 3, 0.0)


def test_a_sum_with_more_results_than_one_piece_of_code_has_is_written_out_in_several() -> None:
    """No known zero is multiplied, however many rows there are."""
    matrix = banded(150, 10)
    big, x, y = mt.Tensor("B", values=matrix), mt.Tensor("x", (150, 3)), mt.Tensor("y", (150, 3))
    kernel = mt.kernel("big", y["kp"] <= y["kp"] + big["kl"] * x["lp"])
    assert kernel.flops == 2 * 3 * np.count_nonzero(matrix)
    given = numbers.integers(-9, 10, (2, 150, 3)).astype(float)
    want = given[1] + matrix @ given[0]
    kernel(x=given[0], y=given[1])
    np.testing.assert_array_equal(given[1], want)


def test_long_sums_do_not_nest_without_limit() -> None:
    row = (np.arange(2000) % 3 == 0) * 1.0
    long, x, y = mt.Tensor("L", values=np.array([row])), mt.Tensor("x", (2000,)), mt.Tensor("y", (1,))
    kernel = mt.kernel("long", y["k"] <= long["kl"] * x["l"])
    values = numbers.integers(-9, 10, 2000).astype(float)
    assert kernel(x=values)[0] == row @ values


def test_no_outer_product_of_large_factors_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the least work leaves out what takes more than a product that it knows: patterns stay small."""
    sizes: list[int] = []
    project = least_work.project

    def noted(*given: Any) -> Any:
        sizes.append((found := project(*given)).mask.size)
        return found

    monkeypatch.setattr(least_work, "project", noted)
    A, B, C = (mt.Tensor(name, values=banded(60, 5)) for name in "ABC")
    x, y = mt.Tensor("x", (60, 9)), mt.Tensor("y", (60, 9))
    assert mt.kernel("chain", y["kp"] <= A["km"] * B["mn"] * C["nl"] * x["lp"]).steps
    assert sizes and max(sizes) <= 60 * 60


def test_long_code_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine columns are a vector and a remainder: the same code for both, masked, where it is long. LLVM takes half as
    long, and caches of instructions hold it. And a test of whether points run procedures does not look at all of it for
    each of its accesses."""
    known = np.where(numbers.random((40, 40)) < 0.3, numbers.random((40, 40)), 0.0)
    Q, I = mt.Tensor("Q", (40, 9)), mt.Tensor("I", (40, 9))
    product = mt.kernel("product", Q["kp"] <= Q["kp"] + mt.Tensor("K", values=known)["kl"] * I["lp"])
    looked_at = []
    called = expr.called
    monkeypatch.setattr(expr, "called", lambda function: looked_at.append(function) or called(function))
    i, q = numbers.random((40, 9)), numbers.random((40, 9))
    want = q + known @ i
    with as_on("sapphire-rapids"):  # for vectors of two, nine are four and one
        text = product.inspect(q, i, stage="kernel")
    assert text.count("for (long p") == 2 and "remainder" not in text  # of 20 rows each: their sums are in registers
    assert 0 < len(looked_at) < 100
    product(q, i)
    np.testing.assert_allclose(q, want, rtol=1e-12)


def test_zeros_of_temporaries_follow_from_what_is_assigned_to_them() -> None:
    """A chain whose links have fewer and fewer rows does no more work where nobody says so; and zeros are absent."""
    link = np.where(np.arange(6) == np.arange(6)[:, None] + 2, 1.5, 0.0)  # row k is row k + 2 of what it is applied to
    x, y = mt.Tensor("x", (6, 9)), mt.Tensor("y", (6, 9))

    def chain(t: mt.Tensor, u: mt.Tensor) -> mt.Kernel:
        L, M = mt.Tensor("L", values=link), mt.Tensor("M", (6, 6))
        first, second = t["kp"] <= L["kl"] * x["lp"], u["kp"] <= L["kl"] * t["lp"]
        return mt.kernel("chain", [first, second, y["kp"] <= M["kl"] * u["lp"]])

    def rows(count: int) -> np.ndarray[Any, Any]:
        return np.broadcast_to(np.arange(6)[:, None] < count, (6, 9))

    plain = chain(mt.temporary("t", (6, 9)), mt.temporary("u", (6, 9)))
    said = chain(
        mt.Tensor("t", (6, 9), pattern=rows(4), temporary=True), mt.Tensor("u", (6, 9), pattern=rows(2), temporary=True)
    )
    assert plain.flops == said.flops and plain.nonzero_flops == said.nonzero_flops
    given, m = numbers.random((6, 9)), numbers.random((6, 6))
    m[:, 2:] = np.inf  # meets known zeros only
    np.testing.assert_allclose(plain(M=m, x=given), m[:, :2] @ (2.25 * given[4:]), rtol=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(1, 9), (8, 8), (9, 3), (17, 9), (35, 9), (40, 17)])
def test_results_along_an_axis_that_has_no_lanes(rows: int, columns: int) -> None:
    """What a point of the lanes comes to lies side by side: stored through registers that are transposed, where that
    is so for several lanes, with rows and columns that are left over."""
    pattern = numbers.random((columns, columns)) < 0.3
    A, B = mt.Tensor("A", (rows, columns)), mt.Tensor("B", (columns, columns), pattern=pattern)
    product = mt.kernel("product", mt.Tensor("C", (rows, columns))["lp"] <= A["lq"] * B["qp"])
    a, b = numbers.random((rows, columns)), pattern * numbers.random((columns, columns))
    around = np.full((rows + 2, columns + 5), 7.0)
    product(A=a, B=b, C=around[1:-1, 2:-3])
    np.testing.assert_allclose(around[1:-1, 2:-3], a @ b, rtol=1e-12)
    around[1:-1, 2:-3] = 7.0
    assert (around == 7.0).all()


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("links", [4, 12])
def test_intermediate_results_that_take_much_room_share_it(links: int) -> None:
    """A chain of products: each link is needed by the next one only. Few are small, and have arrays of their own."""
    A = mt.Tensor("A", (30, 30))
    x, y, z = (mt.Tensor(name, (30, 9)) for name in "xyz")
    t = [x, *(mt.temporary(f"t{n}", (30, 9)) for n in range(links)), y]
    chain = [b["ip"] <= A["ij"] * a["jp"] for a, b in pairwise(t)]
    kernel = mt.kernel("chain", [*chain, z["ip"] <= t[1]["ip"] - t[links]["ip"]])  # the first is needed to the end
    assert len(kernel.storage) == (3 if links == 12 else 4)
    a, given = numbers.random((30, 30)) / 15, numbers.random((30, 9))
    power = np.linalg.matrix_power
    np.testing.assert_allclose(kernel(A=a, x=given)[0], power(a, links + 1) @ given, rtol=1e-12)
    np.testing.assert_allclose(kernel(A=a, x=given)[1], a @ given - power(a, links) @ given, rtol=1e-9, atol=1e-9)
    several = kernel.batched(shared=("A",))(A=a, x=np.stack([given] * 5))
    np.testing.assert_allclose(several[0][3], power(a, links + 1) @ given, rtol=1e-12)


def test_long_code_is_not_written_for_several_vectors() -> None:
    """Nine columns of eight elements are nine vectors. Three at a time would need each number once for three of them,
    but with 1,600 products that is more than caches of instructions hold."""
    known = np.where(numbers.random((40, 80)) < 0.5, numbers.random((40, 80)), 0.0)
    Q, I = mt.Tensor("Q", (40, 9)), mt.Tensor("I", (80, 9))
    kernel = mt.kernel("product", Q["kp"] <= mt.Tensor("K", values=known)["kl"] * I["lp"])
    given = {t.name: mt.zeros(t, batch=8) for t in (Q, I)}
    with as_on("sapphire-rapids"):
        text = kernel.batched().inspect(**given, stage="kernel")
    terms = np.count_nonzero(known)
    assert terms <= text.count(" * ") < 1.2 * terms


def test_who_calls_batches_only_needs_no_program_for_one_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas are lowered once for elements in blocks, and nothing is made for arrays."""
    lowered = []
    plain = formulas.lower
    monkeypatch.setattr(formulas, "lower", lambda *given: lowered.append(given) or plain(*given))
    S, Q = mt.Tensor("S", (3, 3), pattern=mt.lower), mt.Tensor("Q", (3, 2))
    kernel = mt.kernel("few", Q["kp"] <= Q["kp"] + S["kl"] * Q["lp"])
    batch = kernel.batched(shared=("S",))
    assert not lowered and not any("lowered" in vars(k) for k in (kernel, batch))
    given = {"S": np.tril(np.ones((3, 3))), "Q": mt.zeros(Q, batch=5)}
    kernel.batched()(**{**given, "S": mt.zeros(S, batch=5)})
    assert len(lowered) == 1
    batch(S=given["S"], Q=np.ones((5, 3, 2)))
    assert len(lowered) == 2  # as for one element: lanes are not worth it


def test_sums_among_factors_are_ordered_with_them() -> None:
    """Where S has known zeros a sampled product is computed where it is needed; diagonals and single rows are factors
    like others; what is summed alone is counted."""
    S = mt.Tensor("S", (30, 30), pattern=mt.diagonal)
    A, B, C, v = mt.Tensor("A", (30, 4)), mt.Tensor("B", (4, 30)), mt.Tensor("C", (30, 30)), mt.Tensor("v", (4,))
    sampled = mt.kernel("sampled", C["ij"] <= S["ij"] * (A["ik"] * B["kj"]))
    assert sampled.nonzero_flops < 30 * (4 + 4 + 4)
    rng = np.random.default_rng(0)
    a, b, s = (rng.integers(-3, 4, t).astype(float) for t in ((30, 4), (4, 30), (30, 30)))
    s *= np.eye(30)
    np.testing.assert_array_equal(sampled(S=s, A=a, B=b), s * (a @ b))
    trace = mt.kernel("trace", v["k"] <= C["ii"] * A["jk"].at(j=3) * C["ll"])
    assert trace.nonzero_flops == 29 + 29 + 1 + 4
    np.testing.assert_array_equal(trace(C=s, A=a), np.trace(s) ** 2 * a[3])
    assert mt.kernel("rows", mt.Tensor("w", (30,))["i"] <= C["ij"]).nonzero_flops == 30 * 29
