"""The promises of index notation, as a user would write them: every form of the notation with arrays made before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from benchmarks.suites.aderdg import STAR, matrices
from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ExpressionTypeError, MeaningError

rng = np.random.default_rng(0)
star = STAR
order = 4
kDivM = matrices(order).kDivM
modes = matrices(order).modes
Qa, Ia = np.zeros((modes, 9)), rng.random((modes, 9))
A0, A1, A2 = (star * rng.random((9, 9)) for _ in range(3))
Q, I = mt.Tensor("Q", (modes, 9)), mt.Tensor("I", (modes, 9))
K = [mt.Tensor(f"K{d}", values=kDivM[d]) for d in range(3)]
S = [mt.Tensor(f"S{d}", (9, 9), pattern=star) for d in range(3)]
A, B, C, D = (mt.Tensor(name, (6, 6)) for name in "ABCD")
a, b, c = (rng.random((6, 6)) for _ in range(3))


def volume() -> mt.Kernel:
    return mt.kernel("volume", Q["kp"] <= Q["kp"] + sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3)))


def expected() -> Any:
    return sum(k @ Ia @ s for k, s in zip(kDivM, (A0, A1, A2)))


def test_the_notation_and_the_decorator() -> None:
    """Section 1, both blocks: in place, like a decorated function."""
    q = Qa.copy()
    volume()(Q=q, I=Ia, S0=A0, S1=A1, S2=A2)
    np.testing.assert_allclose(q, expected(), rtol=1e-12, atol=1e-12)

    @mt.kernel
    def decorated(Q: mt.f64["k p", 20, 9], I: mt.f64["l q", 20, 9], S: 3 * [mt.f64[9, 9].with_pattern(star)]) -> None:  # noqa: F722
        for d in range(3):
            Q["kp"] += K[d]["kl"] * I["lq"] * S[d]["qp"]

    decorated(Q=q, I=Ia, S0=A0, S1=A1, S2=A2)
    np.testing.assert_allclose(q, 2 * expected(), rtol=1e-12, atol=1e-12)


def vector(name: str) -> mt.Tensor:
    return mt.Tensor(name, (6,))


x, y, w = vector("x"), vector("y"), vector("w")
t = mt.temporary("t", (6, 6))
elem, k, p = mt.index("elem"), mt.index("k"), mt.index("p")
X, Y = mt.Tensor("X", (2, 3, 4)), mt.Tensor("Y", (2, 3, 4))
cube = rng.random((2, 3, 4))

FORMS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "row sums": (w["i"] <= A["ij"], {"A": a}, a.sum(axis=1)),
    "a trace": (mt.Tensor("s", ())[""] <= A["ii"], {"A": a}, np.trace(a)),
    "a diagonal": (w["i"] <= A["ii"], {"A": a}, np.diag(a)),
    "a broadcast": (B["ij"] <= x["i"] + B["ij"], {"x": a[0], "B": b}, a[0][:, None] + b),
    "a sum as a factor": (D["ik"] <= (A["ij"] + B["ij"]) * C["jk"], {"A": a, "B": b, "C": c}, (a + b) @ c),
    "terms summed on their own": (
        w["k"] <= x["k"] + A["ij"] * B["jk"], {"x": a[0], "A": a, "B": b}, a[0] + (a.sum(axis=0) @ b),
    ),
    "names with spaces": (Y["elem k p"] <= 2 * X["elem k p"], {"X": cube}, 2 * cube),
    "indices as objects": (Y[elem, k, p] <= -X[elem, k, p], {"X": cube}, -cube),
    "leading axes": (Y["...k"] <= X["...k"] ** 2, {"X": cube}, cube**2),
    "functions": (w["i"] <= np.sqrt(x["i"]) / 2, {"x": a[0]}, np.sqrt(a[0]) / 2),
    "choices": (w["i"] <= np.where(x["i"] > 0.5, x["i"], 0), {"x": a[0]}, np.where(a[0] > 0.5, a[0], 0)),
    "another semiring": (
        C["ij"] <= mt.total(mdh.max, "k", A["ik"] + B["kj"]), {"A": a, "B": b}, (a[:, :, None] + b).max(axis=1),
    ),
    "slices": (
        mt.Tensor("z", (3, 6))["ij"] <= A["ij"].at(i=slice(1, 4)) + B["ij"].at(i=slice(0, 3)), {"A": a, "B": b},
        a[1:4] + b[:3],
    ),
    "fixed positions": (w["i"] <= A["ij"].at(j=-1), {"A": a}, a[:, -1]),
    "without letters": (C["ij"] <= mt.contract(mt.transpose(A, (0, 1)), B, (1, 0))["ij"], {"A": a, "B": b}, a.T @ b),
    "entrywise, of several": (
        C["ij"] <= mt.entrywise_sub(mt.entrywise_mul(A, B, D), mt.entrywise_add(A, B), A)["ij"],
        {"A": a, "B": b, "D": c}, a * b * c - (a + b) - a,
    ),
    "a virtual part": (C["il"] <= (A["ij"] * B["jk"]).virtual() * D["kl"], {"A": a, "B": b, "D": c}, a @ b @ c),
    "a virtual term": (
        C["il"] <= C["il"] - 2 * A["ij"] * (B["jk"] * D["kl"]).virtual(),
        {"A": a, "B": b, "C": c, "D": a}, c - 2 * a @ b @ a,
    ),
    "TeML: virtual": (
        C["ij"] <= mt.vop("div", mt.vop("mul", A, B, ["ij", "ji"]), D, ["ij", "ij"])["ij"],
        {"A": a, "B": b, "D": c}, a * b.T / c,
    ),
    "TeML: real, transposed": (C["ij"] <= mt.eq(A, "ij", "ji")["ij"] + mt.eq(B)["ij"], {"A": a, "B": b}, a.T + b),
    "TeML: op, summed": (
        C["ij"] <= mt.op("mul", mt.op("mul", A, B, ["ik", "kj"], "ij"), D, ["il", "lj"], "ij")["ij"],
        {"A": a, "B": b, "D": c}, a @ b @ c,
    ),
    "TeML: a diagonal and a number": (
        w["i"] <= mt.op("mul", mt.op("add", x, y, ["i", "i"], ""), A, ["", "kk"], "k")["i"],
        {"x": a[0], "y": b[0], "A": c}, (a[0] + b[0]).sum() * np.diag(c),
    ),
    "TeML: outer product of three": (
        C["ij"] <= mt.eq(mt.outerproduct(x, y, A), "ijkl", "ij")["ij"],
        {"x": a[0], "y": b[0], "A": c}, np.outer(a[0], b[0]) * c.sum(),
    ),
    "an outer product": (C["ij"] <= mt.outer(x, y)["ij"], {"x": a[0], "y": b[0]}, np.outer(a[0], b[0])),
    "affine subscripts": (
        mt.Tensor("z", (4,))["i"] <= x["(i+k)"] * mt.Tensor("f", (3,))["k"], {"x": a[0], "f": b[0, :3]},
        np.convolve(a[0], b[0, 2::-1], "valid"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    statement, given, want = FORMS[form]
    arrays = {name: np.array(array) for name, array in given.items()}
    made = mt.kernel("form", statement)(**arrays)
    found = arrays[statement.target.tensor.name] if made is None else made
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)


def test_statements_scalars_and_temporaries() -> None:
    dt = mt.Scalar("dt")
    kernel = mt.kernel("step", [t["ij"] <= dt * A["ji"], C["ij"] <= t["ij"] * B["ij"] + t["ii"]])
    np.testing.assert_allclose(kernel(A=a, B=b, dt=2.0), 2 * a.T * b + 2 * np.diag(a)[:, None])
    turned = a.copy()
    mt.kernel("turned", A["ij"] <= A["ji"])(turned)
    np.testing.assert_array_equal(turned, a.T)
    with pytest.raises(MeaningError, match="has no truth value"):
        A["ij"] <= B["ij"] <= C["ij"]  # noqa: B015


def test_virtual_parts_are_kept_nowhere() -> None:
    """The sum over `l`, then that over `q`, would take less work: with a temporary."""
    chain = [mt.kernel("chain", Q["kp"] <= part * S[0]["qp"]) for part in (
        K[0]["kl"] * I["lq"], (K[0]["kl"] * I["lq"]).virtual(), (K[0]["kl"] * I["lq"]).real(),
    )]  # fmt: skip
    assert [len(k.lowered.program.allocations) for k in chain] == [1, 0, 1]
    assert chain[1].nonzero_flops > chain[0].nonzero_flops
    for kernel in chain:
        np.testing.assert_allclose(kernel(I=Ia, S0=A0), kDivM[0] @ Ia @ A0, rtol=1e-12, atol=1e-12)
    with pytest.raises(ExpressionTypeError, match="is computed before the rest: it is an operand of `sqrt`"):
        mt.kernel("root", C["ij"] <= D["ij"] * np.sqrt((A["ik"] * B["kj"]).virtual()))
    with pytest.raises(ExpressionTypeError, match="it is no product"):
        mt.kernel("terms", C["il"] <= (A["ij"] * B["jk"] + D["ik"]).virtual() * A["kl"])
    sums = (A["ij"] + B["ij"]).virtual() * D["jk"]  # nothing is summed in it
    np.testing.assert_allclose(mt.kernel("sums", C["ik"] <= sums)(A=a, B=b, D=c), (a + b) @ c)
    rows = mt.kernel("rows", w["i"] <= 2 * A["ij"].virtual())
    np.testing.assert_allclose(rows(A=a), 2 * a.sum(axis=1))
    assert str(sums) == '(A["ij"] + B["ij"]).virtual() * D["jk"]'


def test_what_a_kernel_is_can_be_asked() -> None:
    statement = C["ij"] <= A["ik"] * B["kj"]
    for found in (mt.check(mt.kernel("product", statement)), mt.check(statement), mt.check([statement])):
        assert found.statements[0].extents == {"i": 6, "j": 6, "k": 6} and found.outputs == (C,)


def test_formulas_do_not_change() -> None:
    e = A["ij"] * B["jk"]
    f, g = e * C["kl"], e * D["kl"]
    assert (str(f), str(g)) == ('A["ij"] * B["jk"] * C["kl"]', 'A["ij"] * B["jk"] * D["kl"]')


def test_where_numpy_users_are() -> None:
    K0 = mdh.constant(kDivM[0])

    @mdh.jit
    def product(y: Any, x: Any) -> None:
        for i in range(20):
            for j in range(20):
                y[i] += K0[i, j] * x[j]

    y, x = np.zeros(20), rng.random(20)
    product(y, x)
    np.testing.assert_allclose(y, kDivM[0] @ x)
    S0 = mt.Tensor("S0", (9, 9), pattern=star).filled(A0)
    for operands in ((K0, Ia, A0), (K0, Ia, S0), (mt.Tensor("K0", values=kDivM[0]), Ia, S0)):
        np.testing.assert_allclose(mdh.einsum("kl,lq,qp->kp", *operands), kDivM[0] @ Ia @ A0, rtol=1e-12, atol=1e-12)


def test_the_volume_kernel_is_one_nest_over_elements() -> None:
    """Without a temporary in main memory: as a formula, and as a loop of a decorated function."""
    arrays = [np.zeros((3000, modes, 9)), np.ones((3000, modes, 9)), *(np.ones((3000, 9, 9)) * star for _ in range(3))]
    K0, K1, K2 = map(mdh.constant, kDivM)

    @mdh.jit
    def loop(Q: Any, I: Any, S0: Any, S1: Any, S2: Any) -> None:
        for e in range(Q.shape[0]):
            Q[e] += K0 @ I[e] @ S0[e] + K1 @ I[e] @ S1[e] + K2 @ I[e] @ S2[e]

    for made in (volume().batched(), loop):
        text = made.inspect(*arrays, stage="lowlevel")
        outside = [line for line in text.splitlines() if line and not line.startswith(" ")]
        assert len(outside) == 1 and outside[0].startswith("together for e") and "\n  local t" in text


def test_the_model_language() -> None:
    kernel = mt.parse("var in A : [300 40]  var in B : [40 20]  var out C : [300 20]  C = (A # B) . [2 3]")
    left, right = rng.random((300, 40)), rng.random((40, 20))
    np.testing.assert_allclose(kernel(A=left, B=right), left @ right)


def test_what_is_wrong_is_said_before_anything_runs() -> None:
    long, other = mt.Tensor("A", (300, 400)), mt.Tensor("B", (500, 20))
    with pytest.raises(ExpressionTypeError, match=r"k is 400 in A \(300×400.*500 in B \(500×20"):
        mt.kernel("wrong", mt.Tensor("C", (300, 20))["ij"] <= long["ik"] * other["kj"])
    wrong = A0.copy()
    wrong[0, 0] = 1.0
    kernel, q = volume(), Qa.copy()
    with pytest.raises(ArgumentValueError, match=r"S0\[0, 0\] is 1.0"):
        kernel(Q=q, I=Ia, S0=wrong, S1=A1, S2=A2)
    assert not q.any()
    with mt.trust():
        kernel(Q=q, I=Ia, S0=wrong, S1=A1, S2=A2)
    with pytest.raises(ArgumentTypeError, match="a pattern of float64"):
        mt.Tensor("S", (9, 9), pattern=A0)
    nothing = mt.Tensor("N", values=np.zeros((6, 6)))
    np.testing.assert_array_equal(mt.kernel("none", C["ij"] <= nothing["ik"] * B["kj"])(B=b), np.zeros((6, 6)))
    assert np.count_nonzero(mt.Tensor("Z", values=[1e-15, 1.0], zero=1e-14).pattern.mask) == 1


@pytest.mark.in_turns(2)
def test_batches_families_and_fused_simulations(tmp_path: Path) -> None:
    """Section 4: what a kernel carries, arrays of elements, storage in blocks, members, several simulations, C."""
    kernel = volume()
    assert kernel.nonzero_flops < kernel.flops < 2 * kernel.nonzero_flops and len(kernel.steps) == 6
    assert set(kernel.patterns) == {"K0", "K1", "K2", "S0", "S1", "S2"} and "t0" in kernel.storage
    assert kernel.time(Q=Qa, I=Ia, S0=A0, S1=A1, S2=A2, seconds=0.001) > 0
    qs, elements = np.zeros((50, modes, 9)), np.tile(Ia, (50, 1, 1))
    kernel.batched("e", shared=("S0", "S1", "S2"))(Q=qs, I=elements, S0=A0, S1=A1, S2=A2)
    np.testing.assert_allclose(qs[49], expected(), rtol=1e-12, atol=1e-12)
    stored = mt.zeros(Q, batch=50)
    kernel.batched("e", shared=("S0", "S1", "S2"))(stored, mt.zeros(I, batch=50).pack(elements), A0, A1, A2)
    np.testing.assert_allclose(np.asarray(stored), qs, rtol=1e-12, atol=1e-12)

    made = matrices(order)
    back = [mt.Tensor(f"R{i}", values=made.rDivM[i]) for i in range(2)]
    turn = [mt.Tensor(f"P{h}", values=made.fP[h]) for h in range(3)]
    to = mt.Tensor("T", values=made.rT[0])

    def neighbour(i: int, h: int) -> mt.Assignment:
        return Q["kp"] <= Q["kp"] + back[i]["km"] * turn[h]["mn"] * to["nl"] * I["lp"]

    flux = mt.family("flux", (2, 3), neighbour)
    face, rotation = rng.integers(0, 2, 50), rng.integers(0, 3, 50)
    before = qs.copy()
    flux.batched("e", member=(face, rotation))(Q=qs, I=elements)
    want = before[7] + made.rDivM[face[7]] @ made.fP[rotation[7]] @ made.rT[0] @ Ia
    np.testing.assert_allclose(qs[7], want, rtol=1e-11, atol=1e-11)

    Qs, Is = mt.Tensor("Q", (8, modes, 9)), mt.Tensor("I", (8, modes, 9))
    fused = mt.kernel("fused", Qs["skp"] <= Qs["skp"] + K[0]["kl"] * Is["slq"] * S[0]["qp"])
    q8, i8 = np.zeros((8, modes, 9)), np.tile(Ia, (8, 1, 1))
    fused(q8, i8, A0)
    np.testing.assert_allclose(q8[5], kDivM[0] @ Ia @ A0, rtol=1e-12, atol=1e-12)
    assert mt.write(tmp_path / "kernels", [kernel, flux]).object.stat().st_size


def test_equivalent_patterns_of_the_check_vector() -> None:
    """`slq,lk,qp->skp` with a 20×20 of 33 non-zeros in a box of 8×10... and a star matrix of 33 in 15×15."""
    left = np.zeros((20, 20), bool)
    left[:10, :20] = rng.random((10, 20)) < 0.4
    right = rng.random((15, 15)) < 33 / 225
    U, V = mt.Tensor("U", (8, 20, 15)), mt.Tensor("V", (20, 20), pattern=left)
    W, R = mt.Tensor("W", (15, 15), pattern=right), mt.Tensor("R", (8, 20, 15))
    kernel = mt.kernel("check", R["skp"] <= U["slq"] * V["lk"] * W["qp"])
    reached = np.einsum("lk,qp->kp", left.astype(int), right.astype(int)) > 0
    np.testing.assert_array_equal(kernel.patterns["R"], np.broadcast_to(reached, (8, 20, 15)))
