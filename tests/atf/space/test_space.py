"""Spaces: the thesis's example, huge sizes, sharing, messages that name the parameter."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest

from jitmdh import atf
from jitmdh.base.errors import ConfigurationError


def chains(dims: int, *, powers: bool = False, product: bool = True) -> atf.SearchSpace:
    """Per dimension four parameters, each dividing the one before; the product of the last at most 1024."""
    parameters = []
    for d in range(dims):
        for k in range(4):
            name, outer = f"P{d}{k}", f"P{d}{k - 1}"
            text = f"lambda {name}, {outer}: {outer} % {name} == 0" if k else f"lambda {name}: 1024 % {name} == 0"
            rules: list[Any] = [eval(text)]
            if product and d == dims - 1 and k == 3:
                last = [f"P{e}3" for e in range(dims)]
                rules.append(eval(f"lambda {', '.join(last)}: {' * '.join(last)} <= 1024"))
            values = atf.interval(0, 10, generator=atf.pow_of(2)) if powers else atf.interval(1, 1024)
            parameters.append(atf.tuning_parameter(name, values, *rules))
    return atf.search_space(*parameters)


def test_the_example_of_the_thesis_5_4() -> None:
    n1 = atf.tuning_parameter("n1", atf.values(22, 35))
    n2 = atf.tuning_parameter("n2", atf.values(2, 5, 7, 11), atf.divides(n1))
    n3 = atf.tuning_parameter("n3", atf.values(26, 51))
    n4 = atf.tuning_parameter("n4", atf.values(1, 3, 13, 17), atf.divides(n3))
    n5 = atf.tuning_parameter("n5", atf.values(27, 39, 52, 54, 68), atf.equal(n3 + n4))
    space = atf.search_space(n1, n2, n3, n4, n5)
    assert space.groups == (("n1", "n2"), ("n3", "n4", "n5"))
    assert space.size == 20
    assert {(c["n3"], c["n4"], c["n5"]) for c in space} == {
        (26, 1, 27), (26, 13, 39), (51, 1, 52), (51, 3, 54), (51, 17, 68),
    }  # fmt: skip


def test_sizes_of_the_design_document() -> None:
    assert chains(3, product=False).size == 1001**3
    assert chains(2).size == chains(2, powers=True).size == 977_691
    big = chains(3)
    assert big.size == 894_276_656
    assert big.node_count < 1000
    for c in big.sample(7, 50):
        assert c["P03"] * c["P13"] * c["P23"] <= 1024
        assert all(c[f"P{d}{k}"] % c[f"P{d}{k + 1}"] == 0 for d in range(3) for k in range(3))
        assert big[big.index(c)] == c


@pytest.mark.in_turns(3)
def test_size_of_any_magnitude_and_many_parameters() -> None:
    space = atf.search_space(*(atf.tuning_parameter(f"P{k}", atf.interval(1, 1000)) for k in range(1200)))
    assert space.size == 1000**1200
    assert space.node_count == 1200
    assert [c["P1199"] for c in itertools.islice(space, 3)] == [1, 2, 3]  # one path in memory at a time
    c = space.sample(3)
    assert space.index(c) == c.index
    assert space[c.index] == c
    assert space.at(space.coordinates(c)) == c
    with pytest.raises(OverflowError):
        len(space)


def test_live_terms_share_what_only_depends_on_a_product() -> None:
    def space(rule: object) -> atf.SearchSpace:
        return atf.search_space(A, B, C, atf.tuning_parameter("D", atf.interval(1, 30), rule))

    A, B, C = (atf.tuning_parameter(n, atf.interval(1, 30)) for n in "ABC")
    symbolic = space(atf.less_than(1000 // (A * B * C)))
    assert symbolic.size == sum(
        max(0, min(30, 1000 // (a * b * c) - 1)) for a in range(1, 31) for b in range(1, 31) for c in range(1, 31)
    )
    assert symbolic.node_count < 2000


def test_symbolic_and_plain_saxpy_agree() -> None:
    N = 2**12
    WPT = atf.tuning_parameter("WPT", atf.interval(1, N), atf.divides(N))
    LS = atf.tuning_parameter("LS", atf.interval(1, N), atf.divides(N // WPT))
    plain_WPT = atf.tuning_parameter("WPT", atf.interval(1, N), lambda WPT: N % WPT == 0)
    plain_LS = atf.tuning_parameter("LS", atf.interval(1, N), lambda LS, WPT: (N // WPT) % LS == 0)
    assert {tuple(sorted(c.items())) for c in atf.search_space(WPT, LS)} == {
        tuple(sorted(c.items())) for c in atf.search_space(plain_LS, plain_WPT)
    }
    assert atf.search_space(LS, WPT).order == ("WPT", "LS")


def test_numpy_is_never_visible() -> None:
    """Whatever a callable does, the values are those of testing one Python number at a time."""
    big = 2**61
    rules: list[Any] = [
        lambda v: v * v * v * big % 7 == 2,
        lambda v: v > 3 and v % 2 == 0,
        lambda v: isinstance(v, int) and v % 3 == 0,
        lambda v: v.bit_length() == 5,
        lambda v: math.sqrt(v) == int(math.sqrt(v)),
        lambda v: v in (3, 70, 71),
        lambda v: 10 <= v < 20,
        lambda v: v / 3 == 7,
        lambda v: v % 7,
        lambda v: (v & 12) == 4,
        lambda v: str(v).endswith("7"),
        lambda v: (v % 5 == 0) | (v % 7 == 0),
        lambda v: 2**v > 10**9,
        lambda v: 100 // v >= 3,
        lambda v: -v // 3 == -9,
        lambda v: abs(50 - v) ** 2 < 100,
        lambda v: not v % 4,
        lambda v: True,
        lambda v: v if v % 2 else None,
        lambda v: v == 5.0 or v is None,
        lambda v: min(v, 50) == 50,
        lambda v: type(v) is int and type(v * 2) is int and v < 9,
        lambda v: v * 0.1 > 0.3,
    ]
    for rule in rules:
        P = atf.tuning_parameter("v", atf.interval(1, 200), rule)
        assert [c["v"] for c in atf.search_space(P)] == [v for v in range(1, 201) if rule(v)]

    def swallowing(v: int) -> bool:
        try:
            return bool(v % 2)
        except Exception:
            return True

    P = atf.tuning_parameter("v", atf.interval(1, 200), swallowing)
    assert atf.search_space(P).size == 100


def test_captured_defaults_expressions_and_numpy_numbers() -> None:
    N = 64
    A = atf.tuning_parameter("A", atf.interval(np.int64(1), np.int64(64)), lambda A, N=N: N % A == 0)
    B = atf.tuning_parameter("B", range(1, 65), lambda A, limit=8, B=0: limit >= A * B)
    space = atf.search_space(B, A)
    assert {(c["A"], c["B"]) for c in space} == {(a, b) for a in (1, 2, 4, 8) for b in range(1, 9) if a * b <= 8}
    assert atf.evaluate(np.int64(64) // A + 1, {"A": 8}) == 9
    assert str(64 // (A * 2)) == "(64 // (A * 2))"
    with pytest.raises(ConfigurationError, match="has no value before"):
        bool(A * 2)


def test_values_of_any_type() -> None:
    layouts = ([0, 1], [1, 0])
    L = atf.tuning_parameter("L", atf.values(*layouts))
    T = atf.tuning_parameter("T", atf.values("a", None, 2.5, (1, 2)), lambda L, T: (T is None) == (L[0] == 1))
    space = atf.search_space(L, T)
    assert [(c["L"], c["T"]) for c in space] == [
        ([0, 1], "a"), ([0, 1], 2.5), ([0, 1], (1, 2)), ([1, 0], None),
    ]  # fmt: skip
    assert {"L": [1, 0], "T": None} in space
    assert {"L": [1, 0], "T": "a"} not in space
    assert space.index({"T": (1, 2), "L": [0, 1]}) == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda p: p("A", lambda A, B: A < B), "parameter A: its constraint .* names B"),
        (lambda p: p("Tile", lambda Tile, Tyle: True), "did you mean Tile"),
        (lambda p: p("A", lambda A: A > 99), "parameter A: no value of interval"),
        (
            lambda p: (p("A"), p("B", lambda A, B: A * B > 999)),
            "parameter B: no value of .*for example A = 1",
        ),
        (lambda p: (p("A", lambda A, B: True), p("B", lambda A, B: True)), "in a circle: A -> B -> A"),
        (
            lambda p: p("A", lambda A: 5 // (A - 1) > 0),
            "parameter A: the constraint .* raised ZeroDivisionError",
        ),
        (lambda p: (p("A"), p("B", atf.divides(8 // (p("A") - 1)))), "raised ZeroDivisionError.*"),
        (lambda p: (p("A"), p("A")), "parameter A: two parameters have this name"),
        (lambda p: p("A", lambda *A: True), "names no tuning parameter"),
        (lambda p: p("A", 5), "5 is not a constraint"),
        (lambda p: p("A", bool), "is not a constraint"),
        (lambda p: p("A", 8 // p("B")), "did you mean atf.divides"),
        (lambda p: atf.values([1, 2, 4]), "one list.*hint: values\\(\\*items\\)"),
        (lambda p: atf.values(1, True), "True stands twice"),
        (lambda p: atf.values(), "no values"),
        (lambda p: atf.tuning_parameter("A", []), "parameter A: no values"),
        (lambda p: atf.tuning_parameter("A", [1, 1]), "parameter A: .*1 stands twice"),
        (lambda p: atf.tuning_parameter("A", np.ones((2, 2))), "parameter A: .* is not a range"),
        (lambda p: atf.tuning_parameter("A", (i for i in "ab")), "parameter A: an object of type generator is not"),
        (
            lambda p: atf.tuning_parameter("A", atf.interval(0, 4, generator=lambda i: 1 // i)),
            "parameter A: the generator <lambda> .* raised ZeroDivisionError for 0",
        ),
        (lambda p: atf.interval(1, p("A")), "end is A, which depends on tuning parameters"),
        (lambda p: atf.interval(1, "8"), "end must be a number, not '8'"),
        (lambda p: atf.interval(1, 4, atf.pow_of(2)), "hint: interval\\(begin, end, generator=pow_of\\(2\\)\\)"),
        (lambda p: p("A", atf.divides(0)), "every number divides 0"),
        (lambda p: p("A", atf.multiple_of(0)), "only 0 is a multiple of 0"),
        (lambda p: p("A", atf.divides("8")), "divides\\('8'\\): '8' is no number"),
        (lambda p: p("A", atf.divides(8) and atf.less_than(3)), "join constraints by &"),
        (lambda p: p("A", lambda A: atf.divides(8)), "a callable returned a constraint"),
        (lambda p: p("A", p("B") == 3), "names B"),
        (lambda p: p("A", 3 == 3), "a comparison of tuning parameters"),
        (lambda p: p("A", 1 < p("B") < 3), "B.* has no value before"),
        (lambda p: p("A", math.sqrt(p("B"))), "B has no value before"),
        (lambda p: p("A", p("B") & 3), "& joins conditions, and B is a number.*bits"),
        (lambda p: (p("A"), lambda A: A < 3), "search_space\\(..., constraints="),
        (lambda p: (p("A"), p("A") < 3), "search_space\\(..., constraints="),
        (lambda p: atf.interval(4, 1), "did you mean interval\\(1, 4\\)"),
        (lambda p: atf.interval(1, 4, 0), "step must be positive"),
        (lambda p: atf.interval(1, math.inf), "must be finite"),
        (lambda p: atf.tuning_parameter("A", 5), "parameter A: 5 is not a range"),
        (lambda p: atf.tuning_parameter("", [1]), "needs a name"),
        (lambda p: (), "at least one tuning parameter"),
    ],
)
def test_messages_name_the_parameter(build: Any, message: str) -> None:
    def parameter(name: str, *rules: Any) -> atf.TuningParameter:
        return atf.tuning_parameter(name, atf.interval(1, 8), *rules)

    with pytest.raises(ConfigurationError) as caught:
        built = build(parameter)
        atf.search_space(*(built if isinstance(built, tuple) else (built,)))
    import re

    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_queries_refuse_what_is_outside() -> None:
    space = chains(1)
    with pytest.raises(IndexError):
        space[space.size]
    with pytest.raises(ConfigurationError, match="P01 cannot be 3, given"):
        space.index({"P00": 4, "P01": 3, "P02": 1, "P03": 1})
    with pytest.raises(ConfigurationError, match="parameter P03 is missing"):
        space.index({"P00": 4, "P01": 4, "P02": 1})
    with pytest.raises(ConfigurationError, match=r"does not lie in \(0, 1\]"):
        space.at([0.0, 1.0, 1.0, 1.0])
    c = space[-1]
    with pytest.raises(ConfigurationError, match="cannot be changed"):
        c["P00"] = 1
    assert space.nearest({"P00": 1000, "P01": 500})["P00"] == 1024


def test_weighted_coordinates_are_uniform() -> None:
    A = atf.tuning_parameter("A", atf.interval(1, 60))
    B = atf.tuning_parameter("B", atf.interval(1, 60), atf.divides(A))
    space, rng = atf.search_space(A, B), random.Random(2)
    counts = [0] * space.size
    for _ in range(100 * space.size):
        counts[space.index(space.at([1 - rng.random(), 1 - rng.random()], weighted=True))] += 1
    assert 55 < min(counts) <= max(counts) < 150


def test_messages_show_where_a_callable_is_written() -> None:
    with pytest.raises(ConfigurationError) as caught:
        atf.search_space(
            atf.tuning_parameter("A", atf.interval(1, 8)),
            atf.tuning_parameter("B", atf.interval(1, 8), lambda A, B: A * B > 64),
        )
    assert caught.value.loc is not None and caught.value.loc.filename == __file__
    shown = str(caught.value).splitlines()
    code, carets = next((code, marks) for code, marks in itertools.pairwise(shown) if "^" in marks)
    assert code[carets.index("^") : carets.rindex("^") + 1] == "A * B > 64"

    def never(A: int) -> bool:
        return A > 8

    with pytest.raises(ConfigurationError, match=r"no value .* satisfies never\(A\)") as caught:
        atf.search_space(atf.tuning_parameter("A", atf.interval(1, 8), never))
    assert caught.value.loc is not None and caught.value.loc.line == never.__code__.co_firstlineno


def test_comparisons_of_expressions_are_constraints() -> None:
    A, B, C = (atf.tuning_parameter(n, atf.interval(1, 24)) for n in "ABC")
    everything = [(a, b, c) for a in range(1, 25) for b in range(1, 25) for c in range(1, 25)]
    cases: list[tuple[Any, Any]] = [
        (A * B * C <= 64, lambda a, b, c: a * b * c <= 64),
        ((A << 1 < B) & (np.int64(20) >= C), lambda a, b, c: a << 1 < b and c <= 20),
        (~(A > B) | (B >= 7 * C), lambda a, b, c: a <= b or b >= 7 * c),
        ((A % B < 1) & (lambda C: C % 5 == 0), lambda a, b, c: a % b < 1 and c % 5 == 0),
        ((lambda C: C % 5 == 0) | (A >> 2 > B), lambda a, b, c: c % 5 == 0 or a >> 2 > b),
        (2**A <= B, lambda a, b, c: 2**a <= b),
    ]
    for constraint, test in cases:
        for given in (constraint, [constraint]):
            space = atf.search_space(B, C, A, constraints=given)
            assert {(c["A"], c["B"], c["C"]) for c in space} == {e for e in everything if test(*e)}
    D = atf.tuning_parameter("D", atf.interval(1, 24), atf.divides(24) & (A * 2 >= B))
    with pytest.raises(ConfigurationError, match="names A"):
        atf.search_space(D)
    D = atf.tuning_parameter("D", atf.interval(1, 24), atf.divides(24) & (atf.tuning_parameter("D", [1]) * A >= B))
    assert all(24 % c["D"] == 0 and c["D"] * c["A"] >= c["B"] for c in atf.search_space(A, B, D))


def test_a_limit_on_a_product_remembers_products_only() -> None:
    parameters = [atf.tuning_parameter(n, atf.interval(1, 64)) for n in "ABCD"]
    A, B, C, D = parameters
    shared = atf.search_space(*parameters, constraints=A * B * C * D <= 4096)
    apart = atf.search_space(*parameters[:3], constraints=lambda A, B, C: A * B * C <= 4096)
    assert shared.node_count < 700  # one for each product up to 4096 of two and of three factors
    assert apart.size == sum(4096 // (a * b) if a * b * 64 > 4096 else 64 for a in range(1, 65) for b in range(1, 65))


def test_plain_callables_run_once_per_column_where_they_allow_it() -> None:
    calls = []

    def plain(v: Any) -> Any:
        calls.append(v)
        return v % 1000 == 7

    def branching(v: Any) -> Any:
        calls.append(v)
        return v % 1000 == 7 and v > 10

    for rule, most in ((plain, 40), (branching, 100_010)):
        calls.clear()
        found = atf.search_space(atf.tuning_parameter("v", atf.interval(1, 100_000), rule))
        assert found.size == 100 - (rule is branching)
        assert len(calls) <= most
    assert len(calls) > 99_000


def test_divisors_are_enumerated_and_not_searched_for() -> None:
    N = 2**40
    WPT = atf.tuning_parameter("WPT", atf.interval(1, N), atf.divides(N))
    LS = atf.tuning_parameter("LS", atf.interval(1, N), atf.divides(N // WPT))
    assert atf.search_space(LS, WPT).size == 41 * 42 // 2


def test_ranges_from_python_and_numpy() -> None:
    for given, expected in (
        (np.array([4, 1, 2]), [4, 1, 2]),
        (np.arange(0.0, 1.0, 0.25), [0.0, 0.25, 0.5, 0.75]),
        ([[1, 2]], [[1, 2]]),
        ({3, 1, 2}, [1, 2, 3]),
        (range(8, 0, -4), [8, 4]),
        (atf.interval(0, 1, 0.25), [0.0, 0.25, 0.5, 0.75, 1.0]),
        (atf.interval(1, 9, 4, lambda i: f"-O{i}"), ["-O1", "-O5", "-O9"]),
        (atf.interval(-2, 2, generator=abs), [2, 1, 0]),
        (atf.interval(1, 3, generator=atf.multiple_of(8)), [8, 16, 24]),
    ):
        found = [c["P"] for c in atf.search_space(atf.tuning_parameter("P", given))]
        assert found == expected
        assert all(type(a) is type(b) for a, b in zip(found, expected))


def test_positions_outside_are_refused() -> None:
    space = chains(1)
    for wrong in (lambda: list(space.neighbours(10**6)), lambda: space.coordinates(-1)):
        with pytest.raises(IndexError, match="of a space of"):
            wrong()
    with pytest.raises(TypeError, match="5 is no configuration"):
        space.index(5)
    with pytest.raises(ConfigurationError, match="must not be negative"):
        space.sample(0, -1)
    with pytest.raises(KeyError, match="no parameter 'Q'; the configuration has P00"):
        space[0]["Q"]
    with pytest.raises(AttributeError, match=r"configuration\['P00'\]"):
        _ = space[0].P00  # type: ignore[attr-defined]


def test_an_opaque_callable_of_many_parameters_is_asked_once_for_each_point() -> None:
    names = [f"P{i}" for i in range(14)]
    asked = 0

    def says(*point: int) -> bool:
        nonlocal asked
        asked += 1
        return hash(point) % 5 == 0 and point != (0,) * 14

    call = eval(f"lambda {', '.join(names)}: says({', '.join(names)})", {"says": says})
    parameters = [atf.tuning_parameter(n, [0, 1]) for n in names]
    space = atf.search_space(*parameters, constraints=[call])
    assert asked == 2**14
    assert space.size == sum(says(*point) for point in itertools.product((0, 1), repeat=14))


def test_an_opaque_callable_of_too_many_points_is_refused_without_a_call() -> None:
    names = [f"P{i}" for i in range(22)]
    parameters = [atf.tuning_parameter(n, atf.interval(0, 9)) for n in names]
    call = eval(f"lambda {', '.join(names)}: pytest.fail(str(P0))", {"pytest": pytest})
    with pytest.raises(ConfigurationError, match="needs more than 4000000 states"):
        atf.search_space(*parameters, constraints=[call])


def test_what_an_opaque_callable_raises_names_the_point() -> None:
    A, B = atf.tuning_parameter("A", [1, 2]), atf.tuning_parameter("B", [0, 3])
    with pytest.raises(ConfigurationError, match=r"raised ZeroDivisionError") as caught:
        atf.search_space(A, B, constraints=[lambda A, B: str(A // B) == "0"])
    assert "given" in str(caught.value)


def test_nodes_of_a_table_are_made_where_a_search_walks() -> None:
    """The space of one opaque callable, in front of free parameters: positions, neighbours, all points in order."""
    names = [f"P{i}" for i in range(6)]
    free = [atf.tuning_parameter(n, [0, 1, 5]) for n in ("Q", "R")]
    arguments = ", ".join(names)
    says = eval(f"lambda {arguments}: str(sum(({arguments}))) in ('1', '6', '7')")
    given = [atf.tuning_parameter(n, [0, 1, 5]) for n in names]
    space = atf.search_space(*given, *free, constraints=[says])
    point = space[len(space) // 2]
    walks = [list(space.neighbours(i)) for i in (0, 17, space.size - 1)]
    expected = [
        (*c, q, r) for c in itertools.product((0, 1, 5), repeat=6) if says(*c) for q in (0, 1, 5) for r in (0, 1, 5)
    ]
    assert space.size == len(expected)
    assert [tuple(c[n] for n in (*names, "Q", "R")) for c in space] == expected
    assert space[space.index(point)] == point
    assert walks == [list(space.neighbours(i)) for i in (0, 17, space.size - 1)]


def _little(A: int, B: int) -> bool:
    return str(A * B) in ("1", "2")


@pytest.mark.parametrize("of", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_copies_of_a_space_have_its_neighbours(of: Any) -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, [0, 1, 2]) for n in "AB"), constraints=[_little])
    again = of(space)
    assert [list(again.neighbours(i)) for i in range(3)] == [list(space.neighbours(i)) for i in range(3)]


@pytest.mark.parametrize("place", [0, 5, 26])
def test_an_opaque_callable_that_raises_names_the_point_it_was_asked_about(place: int) -> None:
    """Also where another callable was asked before it, and did not accept all points."""
    points = list(itertools.product([1, 2, 4], repeat=3))

    def fails(A: int, B: int, C: int) -> object:
        if points.index((A, B, C)) == place:
            raise OSError("gone")
        return "yes"

    parameters = [atf.tuning_parameter(n, [1, 2, 4]) for n in "ABC"]
    first = lambda A, B, C: points.index((A, B, C)) not in (3, 4, 20)  # noqa: E731
    with pytest.raises(ConfigurationError, match="raised OSError") as caught:
        atf.search_space(*parameters, constraints=[first, fails])
    A, B, _ = points[place]
    assert f"given A = {A}, B = {B}" in str(caught.value)
