"""Elements that change together, before and after they are stored behind one jump."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32, int64
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import Apply, For, Kernel, Let, Literal, Load, Return, Scratch, Statement, Store, Value
from jitmdh.mdh.kernel.passes.memory.joint_updates import store_together
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text, written

ZERO, ONE = integer(0), Literal(1.0, float32)
P, OLD = real("p"), [real(f"old_{n}") for n in range(3)]
C, D = compare("lt", P, real("old_0")), compare("lt", ONE, P)
BUFFERS = "abc"


def chosen(condition: Value, then: Value, otherwise: Value) -> Value:
    return Apply("select", (condition, then, otherwise), float32)


def looped(*new: Value, branchless: bool = False) -> Kernel:
    """A loop that carries elements: `new` of them and of `p`."""
    inside: list[Statement] = [Let(P, Load("x", number("i"), float32))]
    inside += [Let(old, Load(b, ZERO, float32)) for old, b in zip(OLD, BUFFERS)]
    inside += [Let(real(f"new_{n}"), value) for n, value in enumerate(new)]
    inside += [Store(b, ZERO, real(f"new_{n}")) for n, b in enumerate(BUFFERS)]
    loop = For(number("i"), ZERO, integer(9), integer(1), tuple(inside), branchless=branchless)
    begin = [Store(b, ZERO, Literal(5.0, float32)) for b in BUFFERS]
    end = [Store("y", integer(n), Load(b, ZERO, float32)) for n, b in enumerate(BUFFERS)]
    whole: Statement = Scratch("c", float32, integer(1), (*begin, loop, *end))
    for buffer in "ba":
        whole = Scratch(buffer, float32, integer(1), (whole,))
    return kernel(whole, Return(ZERO))


NEW: tuple[Value, ...] = P, Apply("add", (OLD[1], P), float32), OLD[0]
TOGETHER = [chosen(C, old, chosen(D, new, old)) for old, new in zip(OLD, NEW)]


def test_golden() -> None:
    found = body(store_together(looped(*TOGETHER)))
    loop = found.partition("new_2 = ")[2].partition("\n")[2].partition("y[0]")[0]
    assert "".join(loop.split()) == "".join(text("""
            if (!(p < old_0)) {
                if (1.0f < p) {
                    a[0] = p;
                    b[0] = old_1 + p;
                    c[0] = old_0;
                }
            }
        }
    """).split())  # fmt: skip


@pytest.mark.parametrize("kept", [(), (0,), (1, 2)])
def test_what_is_stored_stays(kept: tuple[int, ...]) -> None:
    """Also where one of them changes without the others, or never does."""
    before = looped(*(old if n in kept else new for n, (old, new) in enumerate(zip(OLD, TOGETHER))))
    assert np.array_equal(written(before, 0), written(store_together(before), 0))


def test_few_choices_stay_choices_as_do_all_where_no_jumps_are_wanted() -> None:
    for before in looped(*TOGETHER[:2], P), looped(*TOGETHER, branchless=True):
        assert store_together(before) is before


def test_one_element_that_an_exponential_of_others_chooses() -> None:
    """The next round would wait for the exponential; of other arrays alone, it does not."""
    for buffer, jumps in ("y", True), ("x", False):
        i, old, beside, far = number("i"), real("old"), real("beside"), real("far")
        loop = For(i, integer(1), integer(9), integer(1), (
            Let(old, Load("y", i, float32)),
            Let(beside, Load(buffer, Apply("sub", (i, integer(1)), int64), float32)),
            Let(far, Apply("exp", (beside,), float32)),
            Store("y", i, chosen(compare("lt", far, ONE), ONE, old)),
        ))  # fmt: skip
        before = kernel(loop, Return(ZERO))
        after = store_together(before)
        assert ("if (far < 1.0f)" in body(after)) == jumps == (after is not before)
        assert np.array_equal(written(before, 0), written(after, 0))


@mdh.jit
def best_deal(p):  # type: ignore[no-untyped-def]
    lowest, best, bought, sold, at = p[0], 0.0, 0, 0, 0
    for i in range(len(p)):
        v = p[i]
        if v < lowest:
            lowest = v
            at = i
        elif v - lowest > best:
            best = v - lowest
            bought = at
            sold = i
    return best, bought, sold


@pytest.mark.parametrize("seed", range(4))
def test_a_search_that_keeps_where_it_found_something(seed: int) -> None:
    p = np.random.default_rng(seed).standard_normal(200).cumsum()
    p[50:60] = np.nan
    assert best_deal(p) == best_deal.py_func(p)
    assert best_deal.inspect(p, stage="kernel@joint_updates").count("best[0] =") == 2
