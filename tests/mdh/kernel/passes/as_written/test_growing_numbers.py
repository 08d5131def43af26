"""Numbers that grow by the same amount in each round are known by their first value and the amount."""

from __future__ import annotations

from jitmdh.base.dtype import float32
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, subtract
from jitmdh.mdh.kernel.ir import Apply, Assign, For, If, Let, Literal, Load
from jitmdh.mdh.kernel.passes.as_written.growing_numbers import GrowingNumbers, Linear
from tests.mdh.kernel.passes.examples import number, real

A, AT, I, J, K, N, NOW, T = (real("a"), *map(number, ("at", "i", "j", "k", "n", "i_now", "t")))
BODY = (
    Let(NOW, I),
    Let(AT, add(multiply(NOW, integer(3)), K)),
    Assign(I, add(NOW, integer(2))),
    If(compare("lt", I, N), (Assign(J, add(J, integer(1))),)),
)
LOOP = For(T, integer(0), N, integer(1), BODY, as_written=True)


def test_before_and_behind() -> None:
    numbers = GrowingNumbers(LOOP)
    assert numbers.counting == {"i"}
    assert numbers.linear(I) == Linear(I, 2)
    for node in BODY[:2]:
        numbers.see(node)
    assert numbers.linear(AT) == Linear(add(multiply(I, integer(3)), K), 6)
    assert numbers.linear(subtract(AT, multiply(integer(3), NOW))) is not None
    numbers.see(BODY[2])
    assert numbers.linear(I) == Linear(add(I, integer(2)), 2)
    assert numbers.linear(NOW) == Linear(I, 2)


def test_the_last_one() -> None:
    assert Linear(I, 2).last(integer(4)) == add(I, integer(6))
    assert Linear(I).last(N) == I


def test_unknown() -> None:
    numbers = GrowingNumbers(LOOP)
    unknown = (
        J,
        T,
        A,
        multiply(I, I),
        Load("x", I, float32),
        Apply("floordiv", (I, K), I.type),
        Literal(1.0, float32),
    )
    assert all(numbers.linear(value) is None for value in unknown)
    assert all(numbers.linear(value) == Linear(value) for value in (N, multiply(N, K), integer(3)))
    long = K
    for _ in range(6):
        long = Apply("mul", (long, long), K.type)
    assert numbers.linear(long) is None
