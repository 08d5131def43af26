"""What a schedule fixes is not searched: every candidate has it, none comes twice, the space is that of the rest."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.jit.search.spaces import Spaces
from jitmdh.jit.tuning import candidates
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.schedule import plain


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def arguments() -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    return np.zeros((96, 100)), random.random((96, 64)), random.random((64, 100))


class Looked(Spaces):
    """Notes which configurations were made code of."""

    tried: list[Configuration]
    seen: list[Looked]

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        Looked.seen.append(self)


@pytest.mark.parametrize(("schedule", "fixed"), [
    ({"part_size": {"(REG,j)": 4, "(L1,i)": 6}}, {"(REG,j)": 4, "(L1,i)": 6}),
    (s.vectorize("j", 4).unroll("i", 6), {"(REG,j)": 4, "(L1,i)": 6}),
    (s.tile(i=s.among(12, 24, 48), j=32).vectorize("j", 4), {"(REG,j)": 4, "(L2,j)": 32}),
], ids=["plain", "lanes and steps", "strips"])  # fmt: skip
@pytest.mark.in_turns(3)
def test_only_what_is_open_is_searched(schedule: Any, fixed: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    Looked.seen = []
    monkeypatch.setattr(candidates, "Spaces", Looked)
    whole = mdh.jit(cache=False)(matmul)
    whole.tune(*arguments(), evaluations=1)
    tuned = mdh.jit(cache=False, schedule=schedule)(matmul)
    report = tuned.tune(*arguments(), evaluations=12)
    free, own = Looked.seen
    assert own.size < free.size / 2, "what is fixed is still in the space"
    made = []
    for step in report.history:
        if step.seconds is None:
            continue
        proposal = own.configurations(step.values)
        assert not isinstance(proposal, str)
        (of,) = own.owns
        made.append(proposal.configurations.get(0, of.space.chosen))
    assert len(made) >= 4 and len(set(made)) == len(made), "a configuration was tried twice"
    for configuration in made:
        sizes = plain(configuration)["part_size"]
        assert {level: sizes.get(level) for level in fixed} == fixed
    found = tuned.config(*arguments())["matmul"]["part_size"]
    assert {level: found.get(level) for level in fixed} == fixed
    C, A, B = arguments()
    tuned(C, A, B)
    np.testing.assert_allclose(C, A @ B)


def bmm(C, A, B):  # type: ignore[no-untyped-def]
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


@pytest.mark.in_turns(3)
def test_six_decisions_of_twelve(monkeypatch: pytest.MonkeyPatch) -> None:
    """The space is smaller by the product of the counts of what is decided, at least; nothing comes twice."""
    random = np.random.default_rng(0)
    given = np.zeros((100, 72, 40)), random.random((100, 72, 64)), random.random((100, 64, 40))
    empty = s.build(bmm, *given)
    counts = {p.name: len(p.values) for p in empty.space.parameters}
    assert len(counts) >= 12, counts
    decided = ("unroll_k", "accumulators", "copies", "padding", "cores", "parts")
    nest = empty | s.compose(s.unroll("k", 4), s.accumulators("k", 1), s.in_place(), s.parallelize("b", 4))
    left = {p.name: len(p.values) for p in nest.space.parameters}
    assert not set(decided) & set(left) and len(left) >= 4
    assert nest.space.size * prod(counts[name] for name in decided) <= empty.space.size
    monkeypatch.setattr(candidates, "Spaces", Looked)
    Looked.seen = []
    report = mdh.jit(cache=False, schedule=nest)(bmm).tune(*given, evaluations=40)
    (own,) = Looked.seen
    made = [own.configurations(step.values) for step in report.history if step.seconds is not None]
    keys = [proposal if isinstance(proposal, str) else proposal.key for proposal in made]
    assert len(made) >= 15 and len(set(keys)) == len(keys), "a configuration was tried twice"
    (of,) = own.owns
    for proposal in made:
        assert not isinstance(proposal, str)
        sizes = plain(c := proposal.configurations.get(0, of.space.chosen))["part_size"]
        lanes = sizes.get("(REG,k)", 1)
        assert sizes["(L1,k)"] == 4 * lanes and not c.input_region and sizes["(COR,b)"] == -4


def test_what_is_said_wholly_is_not_searched() -> None:
    nest = s.build(matmul, *arguments()).tile(i=16).vectorize("j", 4).fix()
    assert nest.space.size == 1
    with pytest.raises(mdh.errors.ConfigurationError, match="nothing to tune"):
        mdh.jit(cache=False, schedule=nest)(matmul).tune(*arguments(), evaluations=2)
