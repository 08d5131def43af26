"""Nests of several computations: which are under one loop, as a value and in calls; `test_together` has the law."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import ConfigurationError, ScheduleError
from jitmdh.mdh.algebra.expr import Expression, Together
from jitmdh.mdh.algebra.rewrites.neighbours.together import _Joining as Joining
from tests.laws.texts import loaded

RANDOM = np.random.default_rng(0)
X = RANDOM.random((2000, 40))


def chain(y: Any, x: Any) -> None:
    m = np.empty(x.shape[0])
    t = np.empty(x.shape)
    for i in range(x.shape[0]):
        m[i] = 0.0
        for k in range(x.shape[1]):
            m[i] += x[i, k]
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            t[i, k] = x[i, k] - m[i]
    for i in range(x.shape[0]):
        y[i] = 0.0
        for k in range(x.shape[1]):
            y[i] += t[i, k] * t[i, k]


def wanted() -> Any:
    return ((X - X.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)


def test_a_third_one_joins_two() -> None:
    y = np.zeros(2000)
    apart = s.build(chain, y, X)
    first, second, third = apart
    two = apart[first].compute_at(apart[second], "i")
    three = two[second].compute_at(two[third], "i")
    assert [len(join.of) for join in (*two.joined, *three.joined)] == [2, 3]
    assert three == two[second].fuse_outer(two[third]) != two and hash(three) != hash(two)
    jitted = mdh.jit(schedule=three)(chain)
    assert jitted.inspect(y, X, stage="lowlevel").count("local") == 2
    jitted(y, X)
    np.testing.assert_allclose(y, wanted())
    with pytest.raises(ScheduleError, match="under a loop over i already"):
        two[first].compute_at(two[second], "k")


def test_an_array_names_the_computation_that_writes_it() -> None:
    apart = s.build(chain, np.zeros(2000), X)
    first, second, third = apart
    assert (apart["m"], apart["t"], apart["y"]) == (apart[first], apart[second], apart[third])
    one = apart["t"].compute_at(apart["y"], "i")
    assert one == apart[second].compute_at(apart[third], "i") == apart | s.compute_at("t", "y", "i")
    assert one["t"] == one[second] and one.distribute("t") == one.distribute(second)
    wide = apart["t"].vectorize("k")
    assert apart | {"t": wide} == apart | {second: wide} != apart
    with pytest.raises(ScheduleError, match="there is no computation `x`"):
        apart["x"]


def test_what_nobody_asked_for_is_not_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nests of 40 computations, of which all may be under one loop, and of three that are."""
    rows = "    for i in range(x.shape[0]):\n        for j in range(x.shape[1]):\n"
    body = f"{rows}            y[i, j] = y[i, j] * 0.5 + x[i, j]\n" * 40
    f, y, x = loaded(f"def f(y, x):\n{body}", str(tmp_path)), np.zeros((9, 7)), np.ones((9, 7))
    looked, plain = [], Joining._contracted

    def contracted(self: Joining, body: Sequence[Expression], *rest: Any) -> Together:
        looked.append(len(body))
        return plain(self, body, *rest)

    monkeypatch.setattr(Joining, "_contracted", contracted)
    nests = s.build(f, y, x)
    first, second, third, *rest = nests
    assert len(rest) == 37 and not looked
    two = nests[first].fuse_outer(nests[second])
    three = two[second].fuse_outer(two[third])
    assert [len(join.of) for join in three.joined] == [3] and max(looked) == 3 and len(looked) <= 9


def test_as_plain_data() -> None:
    y = np.zeros(2000)
    apart = s.build(chain, y, X)
    first, second, _ = apart
    joined = apart[first].compute_at(apart[second], "i")
    joined |= {second: joined[second].vectorize("k", 4)}
    data = json.loads(json.dumps(joined.data()))
    mdh.jit(schedule=data)(chain)(y, X)
    np.testing.assert_allclose(y, wanted())
    assert s.of(data, chain, y, X).joined == joined.joined
    with pytest.raises(ConfigurationError, match="no one loop around"):
        mdh.jit(schedule={"together": [{first: "i", apart["chain 3"].computation.name: "i"}]})(chain)(y, X)
    with pytest.raises(ConfigurationError, match="together is"):
        mdh.jit(schedule={"together": [{first: "i"}]})


def sums(y: Any, x: Any) -> None:
    a, b = np.zeros(x.shape[0]), np.empty(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        a[i] = x[i - 1] + x[i + 1]
    for i in range(2, x.shape[0] - 2):
        b[i] = a[i - 1] + x[i]
    for i in range(3, x.shape[0] - 4):
        y[i] = a[i - 1] + b[i + 1] * a[i]


def test_tiles_of_three_as_plain_data() -> None:
    x, y, want = RANDOM.random(103), np.zeros(103), np.zeros(103)
    sums(want, x)
    apart = s.build(sums, y, x)
    two = apart["sums 2"].compute_at(apart["sums 3"].tile(i=16), "i.0")
    tiles = two["sums"].compute_at(two["sums 2"], "i.0")
    assert two == two and [join.tile for join in tiles.joined] == [16] and len(tiles.joined[0].names) == 3
    assert [nest.computation.facts.problem.extents["i"] for nest in tiles.values()] == [17, 16, 16]
    data = json.loads(json.dumps(tiles.data()))
    for schedule in (tiles, data):
        y[:] = 0
        mdh.jit(schedule=schedule, cache=False)(sums)(y, x)
        np.testing.assert_array_equal(y, want)
    assert s.of(data, sums, y, x).joined == tiles.joined and tiles.distribute("sums 2").joined == ()
    with pytest.raises(ScheduleError, match=r"under a loop over i\.0 already"):
        two["sums"].compute_at(two["sums 2"], "k")
    with pytest.raises(ConfigurationError, match="together is"):
        mdh.jit(schedule={"together": [{"over": {"sums": "i", "sums 2": "i"}, "tile": 0}]})


def pairs(y: Any, z: Any, x: Any, i_tile: int) -> None:
    a, b = np.empty(x.shape[0]), np.empty(z.shape[0])
    for i in range(x.shape[0]):
        a[i] = x[i] * i_tile
    for i in range(x.shape[0] - 1):
        y[i] = a[i] + a[i + 1]
    for i in range(z.shape[0]):
        b[i] = x[i] - i_tile
    for i in range(z.shape[0] - 2):
        z[i] = b[i] + b[i + 2]


def test_two_loops_over_tiles_have_names_of_their_own() -> None:
    x, y, z = RANDOM.random(103), np.zeros(103), np.zeros(40)
    want = np.zeros(103), np.zeros(40)
    pairs(*want, x, 3)
    nests = s.build(pairs, y, z, x, 3)
    for first, size in (("pairs", 8), ("pairs 3", 4)):
        second = "pairs 2" if first == "pairs" else "pairs 4"
        nests = nests[first].compute_at(nests[second].stripmine("i", size), "i.0")
    mdh.jit(schedule=nests, cache=False)(pairs)(y, z, x, 3)
    np.testing.assert_array_equal(y, want[0])
    np.testing.assert_array_equal(z, want[1])


def test_what_the_model_puts_under_one_loop_is_a_script_too() -> None:
    y = np.zeros(2000)
    jitted = mdh.jit(schedule={"together": True})(chain)
    made = s.of({"together": True, **jitted.config(y, X)}, chain, y, X)
    assert made.joined and all(nest.space.size == 1 for nest in made.values())
    mdh.jit(schedule=made)(chain)(y, X)
    np.testing.assert_allclose(y, wanted())


def test_they_belong_to_one_function() -> None:
    y = np.zeros(2000)
    one, other = s.build(chain, y, X), s.build(chain, y, X)
    with pytest.raises(ScheduleError, match="two computations of one function"):
        one["chain"].compute_at(other["chain 2"], "i")
    with pytest.raises(ScheduleError, match="transformed by themselves"):
        one["chain"].vectorize("k").compute_at(one["chain 2"], "i")
    with pytest.raises(ScheduleError, match="is not under one loop"):
        one.distribute("chain")


def stages(y: Any, z: Any, x: Any) -> None:
    a, b = np.empty(x.shape[0]), np.empty(x.shape[0])
    for i in range(x.shape[0]):
        a[i] = x[i] + 1
    for i in range(1, x.shape[0]):
        b[i] = a[i] * a[i - 1]
    for i in range(x.shape[0]):
        y[i] = a[i] - x[i]
    for i in range(x.shape[0]):
        z[i] = y[i] * 2 - a[i]
    for i in range(x.shape[0]):
        x[i] = 0.0
    for i in range(1, x.shape[0]):
        y[i] += b[i]


def test_parts_of_others_and_apart_again() -> None:
    arguments = [np.zeros(40), np.zeros(40), RANDOM.random(40)]
    want = [a.copy() for a in arguments]
    stages(*want)
    apart = s.build(stages, *arguments)
    one = apart["stages 3"].fuse_inner(apart["stages 4"])
    without = one["stages"].inline()
    assert len(without) == 4 and without.store("stages") == one and one.distribute("stages 4") == apart
    assert without != one and eval(repr(without.merged), {"Merge": type(without.merged[0])}) == without.merged
    made = without | {"stages 4": without["stages 4"].vectorize("i", 4)}
    jitted = mdh.jit(schedule=made, cache=False)(stages)
    assert list(jitted.config(*arguments)) == [*made, "merged"]
    again = mdh.jit(schedule=jitted.config(*arguments), cache=False)(stages)
    assert list(again.config(*arguments)) == [*made, "merged"]
    jitted(*arguments)
    for mine, theirs in zip(arguments, want):
        np.testing.assert_array_equal(mine, theirs)


STEPS = {
    "a = x + 1": "for i in range(n - 1):\n        a[i] = x[i] + 1",
    "a behind 0": "for i in range(1, n - 1):\n        a[i] = x[i] + 1",
    "a behind 0 again": "for i in range(n - 2):\n        a[i + 1] = x[i]",
    "a = sums": "for i in range(n - 1):\n        a[i] = np.abs(x - x[i]).sum()",
    "x = 0": "for i in range(n - 1):\n        x[i] = 0.0",
    "y = x'": "for i in range(n - 1):\n        y[i] = x[i + 1]",
    "y = a": "for i in range(n - 1):\n        y[i] = a[i]",
    "y = a at x": "for i in range(n - 1):\n        y[i] = a[int(x[i])]",
    "y = a'": "for i in range(n - 1):\n        y[i] = a[i] + a[max(i, 1) - 1]",
    "y = a a'": "for i in range(n - 2):\n        y[i] = a[i] * a[i + 1]",
    "y -= a'": "for i in range(n - 2):\n        y[i] -= a[i + 1]",
    "y = y a": "for i in range(n - 1):\n        y[i] *= a[i]",
}


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("a = x + 1;x = 0;y = a;inline", "`x`, which it reads, is written before its results"),
        ("a = x + 1;y = a;x = 0;inline", None),
        ("a behind 0;y = a;inline", "`a.i.` may be an element that no point"),
        ("a = x + 1;y -= a';inline", None),
        ("x = 0;y = a;inline", "`x` is seen by the caller"),
        ("a = x + 1;y = x';inline", "nothing reads its results"),
        ("a = x + 1;a behind 0 again;y = a;inline", "`a` is written by several computations"),
        ("y = a;a = x + 1;y -= a';inline", "`y` is seen by the caller"),
        ("a = x + 1;y = a at x;inline", "which elements of `a` are used depends on data"),
        ("a = sums;y = a;inline", None),
        ("a = sums;y = a a';inline", "uses several elements of a reduction at a point"),
        ("a = x + 1;x = 0;fuse", None),
        ("y = x';x = 0;fuse", "`x.i.` would be written before all of `x.i . 1.` is read"),
        ("a = x + 1;y = a;fuse", None),
        ("y = a;y = y a;fuse", "both write"),
        ("a = x + 1;y -= a';fuse", "one loop has x.shape.0. - 1 points, the other x.shape.0. - 2"),
    ],
)
def test_which_are_parts_of_others(steps: str, reason: str | None, tmp_path: Path) -> None:
    *named, how = steps.split(";")
    body = "\n    ".join(["n = x.shape[0]", "a = np.empty(n)", *(STEPS[name] for name in named)])
    function = loaded(f"import numpy as np\n\ndef f(y, x):\n    {body}\n", str(tmp_path))
    nests = s.build(function, np.zeros(40), RANDOM.random(40))
    one, other = list(nests.values())[:2]
    if reason is None:
        assert (one.inline() if how == "inline" else one.fuse_inner(other)).merged
        return
    with pytest.raises(ScheduleError, match=reason) as caught:
        one.inline() if how == "inline" else one.fuse_inner(other)
    assert caught.value.loc is not None and caught.value.hint
