"""Laws of schedules as functions: what is accepted means the same, what is refused says why, and nothing is changed.

Programs are those of `configurations`; scripts are random transformations with random arguments, many of them wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh.schedule as s
from jitmdh.base.errors import DivisionError, ScheduleError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import loop_parts, prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, assigned, fused
from jitmdh.mdh.lowering.nest.nest import Nest, read
from jitmdh.mdh.lowering.nest.open import NestOverlay
from jitmdh.mdh.lowering.nest.script import meaning
from jitmdh.mdh.lowering.nest.space import Illegal
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowering.transform.computation import Computation, computation
from jitmdh.mdh.lowlevel.interp import run_lowlevel
from tests import fuzz_scripts
from tests.laws import agreement
from tests.laws.choices import Drawn
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, shapes
from tests.laws.examples import examples
from tests.laws.random_scripts import EXTENT, OPEN, script
from tests.laws.test_lowlevel import run
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import host


@cache
def nest_of(name: str, extent: int = EXTENT) -> Nest:
    """The nest of an example; every size counts as `extent`."""
    whole = prepared(EXPRESSIONS[name]())
    sizes = {n: extent for b in whole.buffers for axis in b.shape for n in axis.names}
    return Nest(computation(whole.name, problem(whole, sizes, {}, 2), host()))


@st.composite
def scripts(draw: st.DrawFn, nest: Nest, opened: bool = False) -> Nest:
    """A nest after some accepted transformations; the refused ones have been looked at."""
    return script(Drawn(draw), nest, opened)[0]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@examples(6)
def test_accepted_scripts_mean_the_same(name: str, data: st.DataObject) -> None:
    """S1, S2: carried out on the low level, for sizes that the nest was not built for."""
    expression = EXPRESSIONS[name]()
    nest = data.draw(scripts(nest_of(name), opened=data.draw(st.booleans())))
    configuration = nest.configuration()
    facts = nest.computation.facts
    assert facts is not None and violation(facts.problem, facts.machine, configuration) is None
    sizes = shapes(name, data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 7, 8]), min_size=4, max_size=4)))
    mine = arguments(ex.program(expression), sizes, data.draw(st.integers(0, 2**32)))
    expected = [a.copy() for a in mine]
    try:
        interp.run(ex.program(expression), *expected)
    except DivisionError:
        return
    run(expression, configuration, mine, data.draw(st.sampled_from([1, 2, 3])))
    for a, b in zip(mine, expected):
        np.testing.assert_array_equal(a, b, err_msg=f"for {sizes}\n{nest.script()}")


@pytest.mark.parametrize("seed", range(2000, 2012))
def test_scripts_of_random_programs(seed: int) -> None:
    """S1, on generated programs: a few of the cases of `python -m tests.fuzz_scripts`."""
    counts = Counter[str]()
    assert fuzz_scripts.run(seed, 4, counts) == ""
    assert counts["refused programs"] or (counts["scripts"] == 4 and counts["compiled"] == 1)


@pytest.mark.parametrize("seed", [19000668, 19002083, 19005968, 30000361])
def test_programs_and_scripts_found(seed: int) -> None:
    """Loops that an order left out inside of those that combine their points; numbers from data that belonged to
    dimensions which partial results no longer have; a false alarm about elements that no point writes."""
    assert fuzz_scripts.run(seed, 20, Counter()) == ""


def test_a_script_that_means_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever mistakes a configuration, the runner tells."""

    def forgetful(low: Any, buffers: Any, sizes: Any, cores: int = 2) -> None:
        if not any(part.layer == "L2" for part in low.parts):
            run_lowlevel(low, buffers, sizes, cores)

    monkeypatch.setattr(agreement, "run_lowlevel", forgetful)
    found = [fuzz_scripts.run(seed, 8, Counter()) for seed in range(2000, 2008)]
    assert any("low-level representation: value" in words and "s.compose(" in words for words in found)


@pytest.mark.parametrize("name", ["matmul", "conv2d", "prefix sums", "affine maps"])
@given(data=st.data())
@examples(10)
def test_there_and_back(name: str, data: st.DataObject) -> None:
    """S4: `repr`, JSON and the script make the same nest; so does another computation of the same shape."""
    nest = data.draw(scripts(nest_of(name), opened=True))
    assert eval(repr(nest), vars(s)) == nest and hash(eval(repr(nest), vars(s))) == hash(nest)
    assert read(json.loads(json.dumps(nest.data()))) == nest
    again = eval(nest.script().removeprefix("nest = "), {"s": Again(nest_of(name)), "f": None, "arguments": ()})
    assert again == nest and again.configuration() == nest.configuration()
    assert str(nest).count("\n") >= len(nest.computation.names)


class Again:
    """`jitmdh.schedule` with a `build` that knows its nest."""

    def __init__(self, nest: Nest) -> None:
        self.build = lambda *_: nest

    def __getattr__(self, name: str) -> Any:
        return getattr(s, name)


def same(a: Nest, b: Nest) -> bool:
    return a.configuration() == b.configuration() and a.decisions == b.decisions


def test_algebra_of_transformations() -> None:
    """S3, on a product of matrices: definitions (TeML, equations 27 to 29), inverses, what does nothing."""
    nest = nest_of("matmul", 40)
    tiled = nest.tile(i=16, j=16, k=8)
    by_hand = nest.stripmine("i", 16).stripmine("j", 16).stripmine("k", 8).reorder("i.0", "j.0", "k.0", "i", "j", "k")
    assert [*tiled.decisions.loops(nest.computation)] == [*by_hand.decisions.loops(nest.computation)]
    assert tiled.configuration() == by_hand.configuration()
    loops = tiled.decisions.loops(nest.computation)
    assert [loop.size > 0 for loop in loops] == [True] * 3 + [False] * 3
    assert same(nest.tile(16), nest.tile(i=16, j=16, k=16))
    each = nest.stripmine_n(3, 16)  # equation 27, then 28 for each loop over points: equation 29
    assert same(each, nest.stripmine("i", 16).stripmine("j", 16).stripmine("k", 16))
    inwards = each.interchange_n("i", 4).interchange_n("j", 3).interchange_n("k", 2)
    assert same(inwards, nest.tile(16)) and same(nest.interchange_n("i", 2), nest.reorder("j", "k", "i"))
    steps = nest.interchange("i", "j").interchange("i", "k")
    assert same(nest.interchange_n("i", 2), steps) and same(nest.interchange_n("i", 0), nest.reorder("i", "j", "k"))
    twice = tiled.interchange("k", "j").interchange("k", "j")
    assert same(twice, tiled) and not same(tiled.interchange("k", "j"), tiled)
    assert same(tiled.interchange("i.0", "k.0"), tiled.interchange("k.0", "i.0"))
    for size in (1, 40):
        assert same(nest.stripmine("i", size), nest) and same(tiled.stripmine("j", size), tiled)
    a, b = s.vectorize("j", 4), s.unroll("k", 2)
    assert same(nest | a | b, nest | b | a)
    assert same(nest | s.compose(a, b), (nest | a) | b) and s.compose(a, b) == a | b
    assert same(nest.repeat(2, s.interchange("i", "j")), nest.interchange("i", "j").interchange("i", "j"))
    assert same(nest.attempt(s.vectorize("absent"), s.vectorize("j")), nest.vectorize("j"))
    assert same(nest.choice(s.vectorize("j", 4), s.vectorize("i", 4)), nest.vectorize("j", 4))
    assert len({nest.tile(i=8), nest.tile(i=8), nest.tile(i=16)}) == 2


@pytest.mark.parametrize("script", [
    s.interchange("j", "k"), s.reorder("k", "i", "j"), s.tile(i=16, j=16, k=8).interchange("k", "j"),
    s.tile(k=32).reorder("k.0", "k", "j"), s.stripmine("k", 2).reorder("k.0", "k", "i", "j"),
    s.interchange("j", "k").unroll("k", 2), s.vectorize("k").reorder("i", "k", "j"),
])  # fmt: skip
def test_reductions_outside_of_results_are_scripts(script: s.Transformation) -> None:
    """S4 for what stands in for loop orders that a layer does not have."""
    nest = script(nest_of("matmul", 40))
    made = nest_of("matmul", 40).made_by(nest.configuration())
    assert meaning(nest.computation, made.configuration()) == meaning(nest.computation, nest.configuration())


@pytest.mark.parametrize("script", [
    s.interchange("i", "j").vectorize("j", 4).parallelize("i"),
    s.reorder("j", "k", "i").vectorize("j").parallelize("i"),
    s.parallelize("i.cores").reorder("j", "i.cores", "i", "k").vectorize("j"),
])  # fmt: skip
def test_no_parallel_loop_is_inside_of_a_vector(script: s.Transformation) -> None:
    """Refused; around strips of that dimension it is legal, and so is an order on the way to a legal one."""
    nest = nest_of("matmul", 40)
    with pytest.raises(ScheduleError, match="lanes of one vector"):
        script(nest)
    around = s.stripmine("j", 8).interchange("i", "j.0").vectorize("j", 4).parallelize("i")
    assert [str(loop.dim) for loop in around(nest).decisions.order] == ["j", "i", "j", "k"]
    assert nest | s.compose(s.reorder("j", "i"), s.vectorize("j").parallelize("i"), s.interchange("i", "j"))


def test_unrolling_keeps_bits() -> None:
    """S3: floats, for sizes that no tile divides."""
    expression, random = EXPRESSIONS["matmul"](), np.random.default_rng(0).random
    base = nest_of("matmul", 40).reorder("i", "k", "j").vectorize("j", 4).unroll("i", 1).unroll("j", 1).unroll("k", 1)
    given_arrays = [np.zeros((13, 11), np.float32), *(random(n).astype(np.float32) for n in ((13, 9), (9, 11)))]
    found = []
    for nest in (base, base.unroll("i", 3), base.unroll("i", 2).unroll("j", 2), base.interchange("i", "k")):
        mine = [a.copy() for a in given_arrays]
        run(expression, nest.configuration(), mine, 1)
        found.append(mine[0].tobytes())
    assert len(set(found)) == 1


LEFT_OPEN: dict[str, tuple[str, Callable[[str, Any], s.Transformation]]] = {
    # a transformation of a dimension with a value, and the value's name where it is open; {} stands for the dimension
    "stripmine": ("stripmine.size", s.stripmine), "vectorize": ("vectorize.lanes", s.vectorize),
    "unroll": ("unroll.n", s.unroll), "tile": ("tile.{}", lambda dim, size: s.tile(**{dim: size})),
}  # fmt: skip


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@examples(4)
def test_an_open_script_holds_what_closed_ones_say(name: str, data: st.DataObject) -> None:
    """S5: each way to fill the holes is in the space, as the model completes it; all else there is legal."""
    empty = nest_of(name, data.draw(st.sampled_from([EXTENT, 40])))
    dims = empty.computation.names
    kinds = data.draw(st.lists(st.sampled_from(sorted(LEFT_OPEN)), min_size=1, max_size=2, unique=True)) if dims else []
    at = [data.draw(st.sampled_from(dims)) for _ in kinds]
    opened, closed = empty, empty
    try:
        for kind, dim in zip(kinds, at):
            opened = LEFT_OPEN[kind][1](dim, data.draw(st.sampled_from(OPEN)))(opened)
    except ScheduleError:
        return
    whole, filled = opened.space, {}
    for kind, dim in zip(kinds, at):
        assert isinstance(whole.over, NestOverlay)
        hole = whole.over.holes[LEFT_OPEN[kind][0].format(dim)]
        filled[hole.name] = data.draw(st.sampled_from(hole.values))
    found = whole.configuration({p.name: filled.get(p.name, p.model) for p in whole.parameters})
    try:
        for kind, dim in zip(kinds, at):
            closed = LEFT_OPEN[kind][1](dim, filled[LEFT_OPEN[kind][0].format(dim)])(closed)
    except ScheduleError:
        assert isinstance(found, Illegal)
    else:
        assert found == closed.configuration()
    facts = empty.computation.facts
    other = whole.configuration({p.name: data.draw(st.sampled_from(p.values)) for p in whole.parameters})
    assert facts is not None
    assert isinstance(other, Illegal) or violation(facts.problem, facts.machine, other) is None


def strips_fill_each_other(c: Computation, configuration: Configuration) -> bool:
    """Whether a script can say it: strips of a dimension are told apart by their sizes, and whole ones fill the next.

    Cores may take parts that end amid a block: a legal configuration, though no script and no tuner makes it."""
    assert c.facts is not None
    parts = loop_parts(c.facts.problem.expression, fused(assigned(configuration)))
    sizes = {dim: [p.size for p in parts if p.dim == dim and p.layer != "L1" and p.size > 0] for dim in c.names}
    return all(a > b and a % b == 0 for own in sizes.values() for a, b in pairwise(own))


def is_parallel_in_a_vector(configuration: Configuration) -> bool:
    """Whether cores take parts inside of the loop over vectors, which scripts refuse: no tuner makes that either."""
    order = configuration.decomposition_order
    vectors = [n for n, at in enumerate(order) if at.layer == "L1" and (configuration.size("REG", at.dim) or 1) > 1]
    return any(at.layer == "COR" for n in vectors for at in order[n + 1 :])


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@examples(4)
def test_a_configuration_is_a_script(name: str, data: st.DataObject) -> None:
    """S4: what the model or the tuner proposes, and any other legal configuration but two kinds, is made by
    transformations."""
    nest = nest_of(name, data.draw(st.sampled_from([1, EXTENT, 40, 1000])))
    c = nest.computation
    assert c.facts is not None
    tuned = data.draw(st.booleans())
    if not tuned:
        configuration = data.draw(configurations(c.facts.problem, c.facts.machine))
    else:
        whole = nest.space
        values = {p.name: data.draw(st.sampled_from(p.values)) for p in whole.parameters}
        found = whole.configuration(values)
        configuration = found if isinstance(found, Configuration) else whole.chosen
    try:
        made = nest.made_by(configuration)
    except ScheduleError as refusal:
        assert not tuned
        refused = "lanes of one vector" in str(refusal)
        assert is_parallel_in_a_vector(configuration) if refused else not strips_fill_each_other(c, configuration)
        return
    assert meaning(c, made.configuration()) == meaning(c, configuration)
    again = eval(made.script().removeprefix("nest = "), {"s": Again(nest), "f": None, "arguments": ()})
    assert again == made and made.space.size == 1
