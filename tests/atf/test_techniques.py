"""Search techniques: the model learns, the bandit follows its scores, the default beats random search."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from jitmdh import atf
from jitmdh.atf.recorded.spaces import of_table
from jitmdh.atf.recorded.synthetic import SHAPES
from jitmdh.atf.regression.features import Features
from jitmdh.atf.regression.gaussian import GaussianProcess, _likelihood, factored, inverted
from jitmdh.atf.search.moves import spread_out, stepped
from jitmdh.atf.search.protocol import Search
from jitmdh.atf.space.path import mixed, path_to
from jitmdh.atf.space.space import generator_of
from jitmdh.atf.techniques.combined import AucBandit, RoundRobin
from jitmdh.atf.techniques.surrogate import _aims, expected_improvement
from jitmdh.base.errors import ConfigurationError

RECORDED = Path(__file__).parent / "data" / "convolution_a100.json.gz"


def grid() -> atf.SearchSpace:
    A = atf.tuning_parameter("A", atf.interval(1, 48), atf.divides(48))
    B = atf.tuning_parameter("B", atf.interval(1, 48), atf.divides(48 // A))
    return atf.search_space(A, B, atf.tuning_parameter("C", atf.values("x", "y", "z")))


def test_the_gaussian_process_learns_which_features_matter() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((400, 4))
    y = np.where(X[:, 0] > 0.5, X[:, 1], 0.3 - X[:, 2])
    y = (y - y.mean()) / y.std()
    process = GaussianProcess()
    for count in (20, 50, 96):
        process.fit(X[:count], y[:count], seed=1)
    others = process.predict(X[100:])
    mean, deviation = others.mean, others.deviation
    assert np.corrcoef(mean, y[100:])[0, 1] > 0.8
    assert (deviation > 0).all()
    known = process.predict(X[:96])
    assert np.abs(known.mean - y[:96]).mean() < 0.2 and known.deviation.mean() < 0.5 * deviation.mean()
    again = GaussianProcess()
    for count in (20, 50, 96):
        again.fit(X[:count], y[:count], seed=1)
    assert (again.predict(X[100:]).mean == mean).all()
    flat = GaussianProcess().fit(X[:5], np.zeros(5), seed=1).predict(X[:3])
    assert flat.mean.tolist() == [0, 0, 0]


def test_to_suppose_a_result_is_to_learn_from_it() -> None:
    """Means and deviations are those of a process that was told the means as results."""
    rng = np.random.default_rng(6)
    X, y = rng.random((60, 3)), rng.standard_normal(30)
    process = GaussianProcess().fit(X[:30], y, seed=1)
    expected = process.predict(X[30:])
    before = expected.deviation
    for row in (0, 17):
        expected.suppose(row)
    gain = np.exp(-(np.abs(X[:, None] - X[None]) / process._scales).sum(axis=2))
    known = [*range(30), 30, 47]
    inner = np.linalg.inv(gain[np.ix_(known, known)] + process._noise * np.eye(32))
    left = 1.0 - np.einsum("ij,jk,ik->i", gain[30:, known], inner, gain[30:, known])
    assert np.allclose(expected.deviation, np.sqrt(process._amplitude * left))
    assert np.allclose(expected.mean, gain[30:, known] @ inner @ [*y, expected.mean[0], expected.mean[17]])
    assert (expected.deviation <= before).all() and expected.deviation[0] < before[0]


def test_the_likelihood_is_that_of_the_textbook() -> None:
    rng = np.random.default_rng(2)
    X, y, scales, noise = rng.random((9, 2)), rng.standard_normal(9), np.array([0.5, 3.0]), 0.1
    covariance = np.exp(-(np.abs(X[:, None] - X[None]) / scales).sum(axis=2)) + noise * np.eye(9)
    apart = np.abs(X[:, None] - X[None])
    fit = y @ np.linalg.solve(covariance, y)
    expected = -4.5 * math.log(fit / 9) - 0.5 * np.linalg.slogdet(covariance)[1] - 0.1 * (np.log(scales) ** 2).sum()
    assert _likelihood(apart, y, scales, noise) == pytest.approx(expected)


def test_factors_by_blocks_are_those_of_the_whole() -> None:
    rng = np.random.default_rng(3)
    for count in (1, 96, 97, 98, 150, 193, 300):
        half = rng.random((count, count))
        matrix = half @ half.T + count * np.eye(count)
        factor = factored(matrix)
        assert np.allclose(factor, np.linalg.cholesky(matrix))
        assert np.allclose(inverted(factor) @ factor, np.eye(count))


def test_expected_improvement_is_exact_enough_and_in_order_far_out() -> None:
    z = np.linspace(-6.0, 4.0, 41)
    found = expected_improvement(-z, np.ones_like(z), 0.0)
    exact = [z_ * 0.5 * math.erfc(-z_ / math.sqrt(2)) + math.exp(-z_ * z_ / 2) / math.sqrt(2 * math.pi) for z_ in z]
    assert np.abs(found - np.log(exact)).max() < 0.05
    hopeless = expected_improvement(np.array([3.0, 30.0, 300.0]), np.ones(3), 0.0)
    assert hopeless[0] > hopeless[1] > hopeless[2] > -math.inf


def test_where_the_best_is_out_of_reach_what_is_expected_counts_in_turn() -> None:
    mean, deviation = np.array([-1.4, -0.5, 0.0]), np.array([0.2, 0.45, 0.1])
    assert _aims(mean, deviation, -1.8) == (-1.8,)  # two deviations below what is expected of the first
    aims = _aims(mean, deviation, -2.9)
    assert aims == (-1.4, -2.9)
    # By the best alone, which lies out of reach, the one about which least is known would come first each time.
    assert [int(np.argmax(expected_improvement(mean, deviation, aim))) for aim in aims] == [0, 1]


def test_bandit_scores_are_the_area_under_the_curve() -> None:
    bandit = AucBandit(window=10, exploration=0.05)
    bandit.initialize(grid(), 0)
    for member, improved in [(0, False), (0, True), (1, True), (0, True), (1, False)]:
        bandit.credit(member, improved)
    explore = 0.05 * math.sqrt(2 * math.log2(5))
    scores = bandit.scores()
    assert scores[0] == pytest.approx(2 * (2 + 3) / (3 * 4) + explore / math.sqrt(3))
    assert scores[1] == pytest.approx(2 * 1 / (2 * 3) + explore / math.sqrt(2))
    assert scores[2] == math.inf


def test_bandit_prefers_the_member_that_improves() -> None:
    class Good(Search):
        """Walks towards the best end."""

        uses = 0

        def propose(self) -> int:
            self.uses += 1
            return min(set(range(self.space.size)) - set(self.known) - self._pending, key=lambda p: -p)

    class Bad(Search):
        def propose(self) -> int:
            return min(set(range(self.space.size)) - set(self.known) - self._pending)

    bandit = AucBandit((Bad, Good, Bad))
    space = atf.search_space(atf.tuning_parameter("T", atf.interval(1, 300)))
    tuner = atf.tuner(space).search_technique(bandit)
    for step in range(100):
        c = tuner.ask()
        tuner.tell(c, 1000.0 - step if c["T"] > 150 else 2000.0)
    assert bandit.members[1].uses > 80


def test_round_robin_takes_turns() -> None:
    robin = RoundRobin()
    robin.initialize(grid(), 0)
    assert [robin.choose() for _ in range(8)] == [0, 1, 2, 3, 4, 5, 0, 1]


def test_moves_stay_inside_and_move() -> None:
    space = grid()
    rng = generator_of(4)
    moved = 0
    for _ in range(300):
        a, b = space.sample(rng).index, space.sample(rng).index
        one, other = path_to(space.root, a), path_to(space.root, b)
        m, x = stepped(one, space.choices, rng).position, mixed(one, other, rng).position
        moved += m != a
        assert 0 <= m < space.size and 0 <= x < space.size
        child, mother, father = space[x], space[a], space[b]
        assert child["C"] in (mother["C"], father["C"])
    assert moved > 250
    thirds = [space[p.position]["C"] for p in spread_out(space, 9, rng)]
    assert all(thirds.count(v) == 3 for v in "xyz")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_default_is_better_than_random(shape: str) -> None:
    recorded = SHAPES[shape](77)
    ours = [atf.replay(recorded, "default", seed, (60,))[0] for seed in range(3)]
    random = [atf.replay(recorded, "random", seed, (60,))[0] for seed in range(9)]
    assert median(ours) <= median(random) * 1.02


@pytest.mark.in_turns(3)
def test_default_on_the_recorded_space() -> None:
    recorded = atf.recorded_space(RECORDED)
    assert recorded.space.size == 4362
    # The optimum is alone, the next one costs 1.07 of it. By 200 evaluations 0.63 of 120 runs found it, so that the
    # median was 1; where rounding differs, the 25 runs here are others, so a few less will do.
    found = [atf.replay(recorded, "default", seed, (100, 200)) for seed in range(25)]
    assert median(f[0] for f in found) <= 1.1
    assert sum(f[1] == 1.0 for f in found) >= 10


@pytest.mark.parametrize(
    ("name", "size", "invalid"), [("forces", 1500, 0), ("histogram", 4096, 1024), ("product", 4752, 336)]
)
def test_default_on_kernels_recorded_on_a_processor(name: str, size: int, invalid: int) -> None:
    recorded = atf.recorded_space(RECORDED.parent / f"{name}.json.gz")
    assert recorded.space.size == size
    assert sum(isinstance(cost, atf.Invalid) for cost in recorded.costs.values()) == invalid
    compiled = replace(recorded, unit_s=100 * recorded.unit_s)  # an evaluation takes compiling, too
    found = [atf.replay(compiled, "default", seed, (50, 100)) for seed in range(9)]
    assert median(f[0] for f in found) <= 1.05
    assert median(f[1] for f in found) <= 1.02


def test_the_model_knows_what_two_divides() -> None:
    """A cost that goes by multiples of 32 is learned from a few sizes; powers of two need no second number."""
    sizes = atf.tuning_parameter("N", atf.values(*range(16, 257, 16)))
    powers = atf.tuning_parameter("P", atf.interval(0, 4, generator=atf.pow_of(2)))
    space = atf.search_space(sizes, powers)
    features = Features(space).scaled(range(space.size))
    assert features.shape == (space.size, 3) and features.min() == 0 and features.max() == 1
    twos = {c["N"]: features[c.index, 1] for c in space}  # N: its size, then this
    assert twos[16] == twos[240] == 0 and twos[32] == twos[96] == 0.25 and twos[256] == 1
    wide = atf.tuning_parameter("W", atf.interval(0, 10**9))
    assert Features(atf.search_space(wide)).scaled([0, 1, 10**9]).shape == (3, 2)


def test_recorded_spaces_are_checked() -> None:
    recorded = of_table("t", ["A", "B"], {(1, "x"): 2.0, (1, "y"): None, (2, "x"): 1.0})
    assert recorded.optimum == 1.0
    result = atf.tuner(recorded.space).tune(recorded)
    assert result.best_configuration == {"A": 2, "B": "x"}
    assert {"A": 2, "B": "y"} not in recorded.space
    with pytest.raises(ConfigurationError, match=r"missing\.json: no recorded space can be read there"):
        atf.recorded_space("missing.json")
    with pytest.raises(ConfigurationError, match="columns and rows"):
        atf.recorded_space({"rows": []})
    data = {"name": "n", "columns": ["A", "time_ms"], "rows": [[1, 5.0], [2, 4.0]]}
    assert atf.recorded_space(data).name == "n"
