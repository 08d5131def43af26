"""Sums side by side, before and after."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from jitmdh.mdh.kernel import rewrite
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Apply, Kernel, Let, Literal, Load, Name, Return, Statement, Store, Value
from jitmdh.mdh.kernel.passes.scheduling import schedule_sums
from jitmdh.mdh.kernel.rewrite import children
from tests.mdh.kernel.passes.examples import body, kernel, real, text, written

LANES = 4


def vector(name: str) -> Name:
    return real(name, lanes=LANES)


def load(name: str, at: int) -> Let:
    return Let(vector(name), Load("x", integer(at), vector(name).type, LANES))


def total(name: str, start: Value, *terms: tuple[float, str]) -> Let:
    value = start
    for factor, other in terms:
        known = Literal(factor, vector("a").type, LANES)
        value = Apply("add_product", (value, known, vector(other)), known.type, LANES, relaxed=True)
    return Let(vector(name), value)


def example(vectors: str = "abcdef") -> Kernel:
    """Two sums that need all of `vectors`, one that needs some; and what is done with them."""
    zero = Literal(0.0, vector("a").type, LANES)
    statements: list[Statement] = [load("y0", 40), *(load(name, 4 * n) for n, name in enumerate(vectors))]
    statements += [
        total("r", vector("y0"), *((float(n), name) for n, name in enumerate(vectors, 2))),
        total("s", zero, *((float(n), name) for n, name in enumerate(vectors[::2], 20))),
        total("t", zero, *((float(n), name) for n, name in enumerate(vectors, 30))),
        Let(vector("u"), Apply("add", (vector("s"), vector("t")), vector("t").type, LANES)),
        Store("y", integer(0), vector("r")),
        Store("y", integer(8), vector("u")),
        Return(integer(0)),
    ]
    return kernel(*statements)


def test_golden() -> None:
    before = example()
    assert body(before) == text("""
        const float4 y0 = load4(&x[40]);
        const float4 a = load4(&x[0]);
        const float4 b = load4(&x[4]);
        const float4 c = load4(&x[8]);
        const float4 d = load4(&x[12]);
        const float4 e = load4(&x[16]);
        const float4 f = load4(&x[20]);
        const float4 r = ((((((y0 + 2.0f * a) + 3.0f * b) + 4.0f * c) + 5.0f * d) + 6.0f * e) + 7.0f * f);
        const float4 s = (((0.0f + 20.0f * a) + 21.0f * c) + 22.0f * e);
        const float4 t = ((((((0.0f + 30.0f * a) + 31.0f * b) + 32.0f * c) + 33.0f * d) + 34.0f * e) + 35.0f * f);
        const float4 u = s + t;
        store4(&y[0], r);
        store4(&y[8], u);
        return status;
    """)
    after = schedule_sums(before, (8, False))
    assert body(after) == text("""
        const float4 y0 = load4(&x[40]);
        const float4 a = load4(&x[0]);
        const float4 r.1 = (y0 + 2.0f * a);
        const float4 s.1 = (0.0f + 20.0f * a);
        const float4 b = load4(&x[4]);
        const float4 r.2 = (r.1 + 3.0f * b);
        const float4 c = load4(&x[8]);
        const float4 r.3 = (r.2 + 4.0f * c);
        const float4 s.2 = (s.1 + 21.0f * c);
        const float4 d = load4(&x[12]);
        const float4 r.4 = (r.3 + 5.0f * d);
        const float4 e = load4(&x[16]);
        const float4 r.5 = (r.4 + 6.0f * e);
        const float4 s = (s.2 + 22.0f * e);
        const float4 f = load4(&x[20]);
        const float4 r = (r.5 + 7.0f * f);
        const float4 t.1 = (0.0f + 30.0f * a);
        const float4 t.2 = (t.1 + 31.0f * b);
        const float4 t.3 = (t.2 + 32.0f * c);
        const float4 t.4 = (t.3 + 33.0f * d);
        const float4 t.5 = (t.4 + 34.0f * e);
        const float4 t = (t.5 + 35.0f * f);
        const float4 u = s + t;
        store4(&y[0], r);
        store4(&y[8], u);
        return status;
    """)
    assert np.array_equal(written(before, 0), written(after, 0))


def test_what_fits_in_registers_stays() -> None:
    before = example()
    assert schedule_sums(before, (16, False)) is before


def test_sums_that_need_each_other_stay_in_order() -> None:
    """The second is added to the first: it comes behind it, wherever the others go."""
    plain = example()
    more = total("v", vector("r"), (1.0, "a"), (2.0, "b"), (3.0, "c"))
    stored = Store("y", integer(16), vector("v"))
    before = kernel(*plain.body[:-3], more, stored, *plain.body[-3:])
    after = schedule_sums(before, (8, False))
    assert np.array_equal(written(before, 0), written(after, 0))


def test_twice_as_many_terms_are_twice_as_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(terms: int) -> int:
        names = [f"v{n}" for n in range(30)]
        zero = Literal(0.0, vector("a").type, LANES)
        long = [(float(n), names[n % len(names)]) for n in range(terms)]
        sums = [total(s, zero, *long) for s in "rstu"]
        made = kernel(*(load(name, 4 * n) for n, name in enumerate(names)), *sums, Return(integer(0)))
        visited = Counter[str]()
        monkeypatch.setattr(rewrite, "children", lambda node: (visited.update(["all"]), children(node))[1])
        assert schedule_sums(made, (16, False)) != made
        return visited["all"]

    assert work(800) < 2.2 * work(400)


def test_a_sum_of_sums_is_one_sum() -> None:
    """A long one is written as several, each from zero, so that no code nests without limit: no vector waits for the
    second of them."""
    zero = Literal(0.0, vector("a").type, LANES)
    parts = [total("", start, *terms).value for start, terms in (
        (vector("y0"), ((2.0, "a"), (3.0, "b"))), (zero, ((4.0, "c"), (5.0, "d"))), (zero, ((6.0, "e"), (7.0, "f"))),
    )]  # fmt: skip
    value = parts[0]
    for part in parts[1:]:
        value = Apply("add", (value, part), part.type, LANES, relaxed=True)
    plain = example()
    rest = [s for s in plain.body if not isinstance(s, Let) or s.name.name != "r"]
    before = kernel(*rest[:7], Let(vector("r"), value), *rest[7:])
    assert body(schedule_sums(before, (8, False))) == body(schedule_sums(plain, (8, False)))


def columns(terms: int) -> Kernel:
    """Three sums of each of two columns of vectors, by the same numbers, one column after the other."""
    statements: list[Statement] = [load(f"{c}{n}", 8 * n + 4 * i) for i, c in enumerate("ab") for n in range(terms)]
    statements += [load(f"y{c}{r}", 8 * r + 4 * i) for i, c in enumerate("ab") for r in range(3)]
    for c in "ab":
        for r in range(3):
            numbers = [(float(10 * r + n), f"{c}{n}") for n in range(r, terms)]
            statements.append(total(f"{c}.r{r}", vector(f"y{c}{r}"), *numbers))
    statements += [
        Store("y", integer(12 * i + 4 * r), vector(f"{c}.r{r}")) for i, c in enumerate("ab") for r in range(3)
    ]
    return kernel(*statements, Return(integer(0)))


def test_sums_by_the_same_numbers_share_them_where_these_take_registers() -> None:
    before = columns(5)
    after = schedule_sums(before, (16, True))
    lets = [s.value for s in after.body if isinstance(s, Let)]
    numbers = [v.operands[1] for v in lets if isinstance(v, Apply) and v.op == "add_product"]
    assert len(numbers) == 24 and numbers[::2] == numbers[1::2], "each comes twice, one after the other"
    assert np.array_equal(written(before, 0), written(after, 0))
    alone = schedule_sums(before, (16, False))
    assert np.array_equal(written(before, 0), written(alone, 0))


@pytest.mark.parametrize("count", [8, 12, 16])
def test_no_more_sums_side_by_side_than_registers_hold(count: int) -> None:
    before = columns(9)
    after = schedule_sums(before, (count, True))
    assert np.array_equal(written(before, 0), written(after, 0))
