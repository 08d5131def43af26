"""Spaces equal brute force, in any declaration order: sizes, members, order, coordinates, neighbours."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitmdh import atf
from jitmdh.atf.space import generate
from jitmdh.atf.space.path import mixed, path_to, point_of, position_of, with_place
from jitmdh.base.errors import ConfigurationError

NAMES = ("A", "B", "C", "D", "E")


@st.composite
def specifications(draw: st.DrawFn) -> tuple[list[Any], Any]:
    """Parameters in a random declaration order, and the same constraints as one brute-force predicate."""
    count = draw(st.integers(1, 5))
    names = list(draw(st.permutations(NAMES)))[:count]  # dependencies point to earlier names in this order
    ranges: dict[str, Any] = {}
    texts: list[str] = []
    constraints: dict[str, list[Any]] = {name: [] for name in names}
    made: dict[str, Any] = {}
    for position, name in enumerate(names):
        ranges[name] = draw(
            st.one_of(
                st.tuples(st.integers(-3, 3), st.integers(1, 70), st.integers(1, 9)).map(
                    lambda t: atf.interval(t[0], t[0] + t[1], t[2] if t[1] < 20 else 7)
                ),
                st.lists(st.integers(-4, 12), min_size=1, max_size=5, unique=True).map(lambda v: atf.values(*v)),
                st.integers(0, 3).map(lambda n: atf.interval(0, n, generator=atf.pow_of(2))),
            )
        )
        earlier = names[:position]
        for _ in range(draw(st.integers(0, 2))):
            constraint, text = draw(constraint_for(name, earlier, made))
            constraints[name].append(constraint)
            texts.append(text)
        made[name] = atf.tuning_parameter(name, ranges[name], *constraints[name])
    extra = []
    if count >= 2 and draw(st.booleans()):
        a, b = names[0], names[-1]
        limit = draw(st.integers(-2, 60))
        symbolic = draw(st.booleans())
        extra.append(made[a] * made[b] <= limit if symbolic else eval(f"lambda {b}, {a}: {a} * {b} <= {limit}"))
        texts.append(f"{a} * {b} <= {limit}")
    declared = draw(st.permutations(list(made.values())))
    return [list(declared), extra], " and ".join(f"({t})" for t in texts) or "True"


@st.composite
def constraint_for(draw: st.DrawFn, name: str, earlier: list[str], made: dict[str, Any]) -> tuple[Any, str]:
    other = draw(st.sampled_from(earlier)) if earlier else None
    number = draw(st.integers(1, 24))
    third = draw(st.sampled_from(earlier)) if earlier else None
    kind = draw(st.integers(0, 9 if other else 3))
    own = atf.tuning_parameter(name, [0])
    match kind:
        case 0:
            return atf.divides(number), f"{name} != 0 and {number} % {name} == 0"
        case 1:
            return eval(f"lambda {name}: {name} % 2 == 0 or {name} > 5"), f"{name} % 2 == 0 or {name} > 5"
        case 2:
            return ~atf.equal(number) & atf.less_than(number + 9), f"{name} != {number} and {name} < {number + 9}"
        case 3:
            text = f"({name} * {name} - 3 * {name}) % 5 != 1"
            return eval(f"lambda {name}, /: {text}"), text
        case 4:
            return (
                atf.divides(number * made[other]),
                f"{name} != 0 and ({number} * {other}) % {name} == 0",
            )
        case 5:
            text = f"{name} + {other} <= {third} * {number}"
            argument = [name, other] + ([third] if third != other else [])
            return eval(f"lambda {', '.join(reversed(argument))}: {text}"), text
        case 6:
            return (
                atf.greater_than(made[other]) | atf.divides(made[third] + made[other]),
                f"{name} > {other} or ({name} != 0 and ({third} + {other}) % {name} == 0)",
            )
        case 9:
            return (
                (own * made[other] <= number) | ~(own - made[third] < 3) & atf.less_than(number),
                f"{name} * {other} <= {number} or (not {name} - {third} < 3 and {name} < {number})",
            )
        case 7:
            return (
                atf.multiple_of(eval(f"lambda {other}: {other} * {number}")),
                f"({name} % ({other} * {number}) == 0 if {other} else {name} == 0)",
            )
        case _:
            return (
                atf.unequal(made[other] * made[third]) & atf.greater_than(made[other] - number),
                f"{name} != {other} * {third} and {name} > {other} - {number}",
            )


@pytest.mark.in_turns(2)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(specifications())
def test_equals_brute_force(specification: tuple[list[Any], str]) -> None:
    (declared, extra), condition = specification
    names = [p.name for p in declared]
    test = eval(f"lambda {', '.join(names)}: {condition}")
    expected = {c for c in itertools.product(*(p.range.sequence() for p in declared)) if test(*c)}
    try:
        space = atf.search_space(*declared, constraints=extra)
    except ConfigurationError as error:
        assert "no value of" in str(error)
        assert not expected
        return
    members = [tuple(c.values()) for c in space]
    assert space.size == len(members) == len(expected)
    assert set(members) == expected
    assert all(tuple(c) == tuple(names) for c in space[:3])
    check_queries(space, names, expected)


def check_queries(space: atf.SearchSpace, names: list[str], expected: set[tuple[Any, ...]]) -> None:
    for position in {0, space.size // 2, space.size - 1, space.size // 3}:
        configuration = space[position]
        assert space.index(configuration) == position == space.index(dict(configuration))
        assert configuration in space
        for weighted in (False, True):
            coordinates = space.coordinates(configuration, weighted=weighted)
            assert space.at(coordinates, weighted=weighted) == configuration
        assert space.index_at(space.coordinates(position)) == position
        values = tuple(configuration.values())
        near = {c for c in expected if sum(a != b for a, b in zip(c, values)) == 1}
        assert {tuple(c.values()) for c in space.neighbours(configuration)} == near
        assert {tuple(c.values()) for c in space.neighbours(configuration, adjacent=True)} <= near
        assert space.nearest(configuration) == configuration
        check_paths(space, position)
    for change in space.sample(1, 5):
        outside = dict(change)
        outside[names[0]] = 10**9
        assert outside not in space


def check_paths(space: atf.SearchSpace, position: int) -> None:
    """Moves on paths end where the position says, change what they were told to, and keep the rest."""
    rng, path = random.Random(position), path_to(space.root, position)
    assert space.configuration_of(path.values, path.position) == space[position]
    assert position_of(space.root, point_of(path)) == position
    for level, node in enumerate(path.nodes):
        for place in range(node.size):
            moved = with_place(path, level, place, rng)
            walked = path_to(space.root, moved.position)
            assert moved.places == walked.places and moved.nodes == walked.nodes
            assert moved.places[: level + 1] == [*path.places[:level], place]
    other = path_to(space.root, rng.randrange(space.size))
    child = mixed(path, other, rng)
    walked = path_to(space.root, child.position)
    assert child.places == walked.places and child.nodes == walked.nodes
    assert mixed(path, path, rng).position == position


@pytest.mark.parametrize("seed", range(3))
def test_samples_are_uniform(seed: int) -> None:
    A = atf.tuning_parameter("A", atf.interval(1, 12))
    B = atf.tuning_parameter("B", atf.interval(1, 12), atf.divides(A))
    space = atf.search_space(A, B)
    counts = [0] * space.size
    for configuration in space.sample(seed, 200 * space.size):
        counts[configuration.index] += 1
    assert min(counts) > 130
    assert max(counts) < 280


@st.composite
def conditional(draw: st.DrawFn) -> tuple[list[Any], list[Any], Any, list[tuple[str, ...]]]:
    """Parameters, of which some are not always there, constraints, what is expected of a configuration, and pairs that
    may be exchanged. A condition or constraint reads what is there only."""
    names = ["A", "B", "C", "D"]
    values = {n: sorted(draw(st.sets(st.integers(1, 8), min_size=2, max_size=4))) for n in names}
    values["B"] = values["A"]
    exchanged = [("A", "B")] if draw(st.booleans()) else []
    limits: dict[str, tuple[str, str, Any]] = {}  # of a parameter: another one, a condition on it, `otherwise`
    for name, earlier in (("D", "C"),) if exchanged else (("C", "AB"), ("D", "ABC")):
        if draw(st.booleans()):
            other = draw(st.sampled_from(earlier))
            limits[name] = (other, f"{other} >= {draw(st.integers(2, 6))}", draw(st.sampled_from([None, None, 1, 9])))
    rules = []
    for _ in range(draw(st.integers(0, 3))):
        a, b = draw(st.permutations(names))[:2]
        texts = [f"{a} * {b} <= 20", f"{a} % {b} == 0", f"{a} < {b} + 3 and {b} > 1"]
        rules.append((a, b, draw(st.sampled_from(texts))))
    made: dict[str, Any] = {}
    for n in names:
        other, text, otherwise = limits.get(n, ("", "", None))
        when = eval(f"lambda {other}: {text}") if text else None
        own = [(a, b, t) for k, (a, b, t) in enumerate(rules) if a == n and k % 2 and b < a]
        constraints = [eval(f"lambda {b}, {a}: {t}") for a, b, t in own]
        made[n] = atf.tuning_parameter(n, values[n], *constraints, when=when, otherwise=otherwise if text else None)
    outer = [(a, b, t) for k, (a, b, t) in enumerate(rules) if not (k % 2 and b < a)]
    extra: list[Any] = [eval(f"lambda {a}, {b}: {t}") for a, b, t in outer]

    def valid(c: dict[str, Any]) -> bool:
        for n, (other, text, otherwise) in limits.items():
            there = c[other] is not None and eval(text, dict(c))
            if c[n] not in values[n] if there else c[n] != otherwise:
                return False
        for a, b, t in rules:
            owned = (a, b, t) not in outer
            if owned and a in limits and not eval(limits[a][1], {**c, limits[a][0]: c[limits[a][0]] or 0}):
                continue
            if c[a] is not None and c[b] is not None and not eval(t, dict(c)):
                return False
        return True

    return [made[n] for n in draw(st.permutations(names))], extra, valid, exchanged


@pytest.mark.in_turns(2)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(conditional())
def test_parameters_that_are_not_always_there_and_symmetric_ones(given: Any) -> None:
    declared, extra, valid, exchanged = given
    names = [p.name for p in declared]
    every = (dict(zip(names, c)) for c in itertools.product(*(p.domain() for p in declared)))
    expected = {tuple(c.values()) for c in every if valid(c)}
    if exchanged:
        a, b = names.index("A"), names.index("B")

        def other(c: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(c[b] if n == a else c[a] if n == b else v for n, v in enumerate(c))

        kept = {c for c in expected if c[a] <= c[b] or other(c) not in expected}
    else:
        kept = expected
    try:
        space = atf.search_space(*declared, constraints=extra, symmetric=exchanged)
    except ConfigurationError as error:
        assert "no value of" in str(error) and not expected
        return
    found = {tuple(c.values()) for c in space}
    assert space.size == len(found)
    if any(p.when is not None for p in declared) and exchanged:  # more may stay, none may be lost
        assert kept <= found <= expected
    else:
        assert found == kept
    check_queries(space, names, found)


@st.composite
def unreadable_specifications(draw: st.DrawFn) -> tuple[list[Any], list[Any], Any]:
    """Parameters, callables of all of them that only answer when called, and what they say together."""
    names = list(draw(st.permutations(NAMES)))[: draw(st.integers(2, 5))]
    signature = ", ".join(draw(st.permutations(names)))
    values: Any = st.lists(st.integers(-3, 6), min_size=1, max_size=4, unique=True)
    ranges = [draw(st.one_of(values, st.just([(1, 2), "two", None]))) for _ in names]
    seeds = draw(st.lists(st.integers(0, 999), min_size=1, max_size=2))
    odds = draw(st.sampled_from([1, 2, 9]))

    def says(seed: int, *point: Any) -> bool:
        return random.Random(repr((seed, point))).randrange(odds + 1) > 0

    calls = [eval(f"lambda {signature}: says({seed}, {', '.join(names)})", {"says": says}) for seed in seeds]
    parameters = [atf.tuning_parameter(n, r) for n, r in zip(names, ranges)]
    if draw(st.booleans()) and all(isinstance(v, int) for v in ranges[0]):
        parameters[0] = atf.tuning_parameter(names[0], ranges[0], atf.unequal(ranges[0][0]))
        return parameters, calls, lambda *p: p[0] != ranges[0][0] and all(says(seed, *p) for seed in seeds)
    return parameters, calls, lambda *p: all(says(seed, *p) for seed in seeds)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(unreadable_specifications())
def test_a_table_of_answers_gives_the_space_that_states_give(specification: tuple[list[Any], list[Any], Any]) -> None:
    parameters, calls, test = specification
    expected = {c for c in itertools.product(*(p.range.sequence() for p in parameters)) if test(*c)}

    def built() -> tuple[list[Any], int] | str:
        try:
            space = atf.search_space(*parameters, constraints=calls)
        except ConfigurationError as error:
            assert "no value of" in str(error)
            return "empty"
        return [tuple(c.values()) for c in space], space.node_count

    found = built()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate, "MAX_POINTS", 0)
        assert built() == found
    assert set(() if isinstance(found, str) else found[0]) == expected
