"""Proofs that affine expressions are not negative: what is found, and how long it takes where there are many facts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.trace_ir import domain
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from tests.laws.choices import Seeded

SIZES = [f"a{n}.shape[0]" for n in range(6)]


def size(n: int) -> Affine:
    return Affine.of(f"a{n}.shape[0]")


def follows(e: Affine, facts: Sequence[Affine], depth: int) -> bool:
    """The definition: `e` has no negative part, or is a multiple of a fact that takes a negative part away, and a rest
    that follows."""
    negative = [name for name, c in e.terms if c < 0]
    if not negative and e.constant >= 0:
        return True
    for name in negative[:1] or e.names:
        for fact in facts if depth else ():
            c, f = e.coefficient(name), fact.coefficient(name)
            if f and c % f == 0 and c // f > 0 and follows(e - fact * (c // f), facts, depth - 1):
                return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_what_is_proved_is_what_the_definition_says(seed: int) -> None:
    choices = Seeded(f"facts {seed}")

    def some() -> Affine:
        parts = [(choices.pick(SIZES), choices.number(-2, 2)) for _ in range(3)]
        return Affine.sum(parts, choices.number(-2, 2))

    facts = tuple(some() for _ in range(choices.number(1, 6)))
    for e in [*facts, *(some() for _ in range(8)), facts[0] + facts[-1], facts[0] * 2 + size(0)]:
        assert Domain((), (), facts).proves(e) == follows(e, facts, 4)


@pytest.mark.parametrize("n", [30, 300])
def test_each_expression_is_looked_at_once(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`a0 + a1 + …` of arrays: each has the length of the first. 300 of them took minutes."""
    looked, plain = [0], domain._Proof.of

    def of(self: domain._Proof, e: Affine, depth: int) -> bool:
        looked[0] += 1
        return plain(self, e, depth)

    monkeypatch.setattr(domain._Proof, "of", of)
    facts = [f for k in range(1, n) for f in (size(0) - size(k), size(k) - size(0))]
    assert not Domain((), (), tuple(facts)).proves(size(n) - size(0))
    assert Domain((), (), tuple(facts)).proves(size(n - 1) - size(1))
    assert looked[0] <= 12 * n
