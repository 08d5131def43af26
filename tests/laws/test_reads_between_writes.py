"""What a name was given from an array is the element of then, however the writes before and after it are joined.

t = a[i]; a[i] = 3; u = b[i]; b[i] = t; c[i] = u          b[i] of before `b[i] = t`
a[i] = 1; u = a[at[i]]; a[i] = 2; c[i] = u                 1 where at[i] is i
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from tests import days
from tests.laws.agreement import traced
from tests.laws.examples import EXPLORING
from tests.source_text import function_in

NAMES = ("t", "u", "v")
LOOPS = {
    "none": ("", ("0", "1", "at[0]", "at[1]", "n - 1")),
    "one": ("for i in range(n):", ("i", "i", "0", "at[i]", "n - 1 - i")),
    "two": ("for i in range(n):\n        for k in range(n):", ("i", "k", "i", "k", "at[k]", "0")),
    "upwards": ("for i in range(1, n):", ("i", "i - 1", "at[i]", "i")),
}
FOUND = (
    ("t = a[i]", "a[i] = 3.0", "u = b[i]", "b[i] = t", "c[i] = u"),
    ("t = a[i]", "a[i] = 3.0", "u = b[i]", "v = b.sum()", "b[i] = t + u", "c[i] = u + v"),
    ("a[i] = 1.0", "u = a[at[i]]", "a[i] = 2.0", "c[i] = u"),
    ("u = a[at[0]]", "at[0] = 1", "a[0] = 2.0", "c[0] = u"),
    ("u = a[at[i]]", "at[i] = 1", "a[i] = 2.0", "c[i] = u"),
    ("a[i] = 1.0", "u = a[0]", "v = a.sum()", "a[i] = 2.0", "c[i] = u + v"),
    ("t = a[i]", "for k in range(n):", "    a[k] = 2.0", "    u = b[k] + b[i]", "    b[k] = t * b[k]", "    b[i] = u"),
    (
        "t = a[n - 1]",
        "for j in range(n):",
        "    k = 0",
        "    while k < 2 and t > 1.0:",
        "        a[j] += 1.0",
        "        k += 1",
    ),
)
PROGRAMS = 1000 if EXPLORING else 40


def function_of(choose: random.Random, loop: str) -> Callable[..., None]:
    """Arrays a, b and names by turns: a name is given elements or sums, an element is given names and numbers."""
    head, places = LOOPS[loop]
    lines = []
    for _ in range(choose.randint(4, 7)):
        element = f"{choose.choice('ab')}[{choose.choice(places)}]"
        value = choose.choice((*NAMES, *NAMES, "1.0", "2.0", f"{choose.choice(NAMES)} + 1.0", "t - 2.0 * u"))
        update = f"{element} {choose.choice(('=', '=', '=', '+='))} {value}"
        read = f"{choose.choice(NAMES)} = {choose.choice((element, element, element, f'{element} * 2.0', 'a.sum()'))}"
        chosen = f"at[{choose.choice('01')}] = (at[{choose.choice('12')}] + {choose.randint(1, 3)}) % 4"
        lines.append(choose.choice((update, read, update, read, chosen)))
    if choose.random() < 0.3:
        both = [f"{choose.choice('ab')}[{choose.choice(places)}]" for _ in range(4)]
        lines.append(f"{both[0]}, {both[1]} = {both[2]} + t, {both[3]}")
    lines.append(f"c[{places[0]}] += t + 3.0 * u + 5.0 * v")
    depth = "    " * (1 + loop.count("one") + loop.count("upwards") + 2 * loop.count("two"))
    return written(head, [depth + line for line in ["t, u, v = 1.0, 2.0, 3.0", *lines]])


def written(head: str, lines: list[str]) -> Callable[..., None]:
    text = f"def f(a, b, c, at, n):\n    {head}\n" + "\n".join(lines) + "\n"
    name = f"<{text}>"
    return function_in(text, name)


def is_as_python(function: Callable[..., None]) -> bool:
    """Whether the function is a program of the algebra; then it does the same."""
    expected, found = ([np.arange(4.0), np.arange(4.0) * 10 + 5, np.zeros(4), np.array([0, 2, 1, 2]), 4] for _ in "ab")
    function(*expected)
    try:
        interp.run(traced(function, tuple(found)), *found)
    except (NotAnMdhError, FallbackSignal):
        return False
    np.testing.assert_allclose(found[:4], expected[:4], rtol=1e-12, err_msg=function.__code__.co_filename)
    return True


@pytest.mark.parametrize("lines", FOUND, ids=" ".join)
def test_what_was_found(lines: tuple[str, ...]) -> None:
    assert is_as_python(written("for i in range(n):", [f"        {line}" for line in lines]))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_name_holds_what_was_there_when_it_was_read(loop: str) -> None:
    choose = random.Random(f"{loop} {days.today()}")
    compiled = sum(is_as_python(function_of(choose, loop)) for _ in range(PROGRAMS))
    assert compiled > PROGRAMS // 2
