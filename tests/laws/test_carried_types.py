"""Variables that loops give another type: in the first iteration, and behind a loop of none, they have their own."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from tests import days
from tests.laws.agreement import traced
from tests.laws.examples import EXPLORING
from tests.laws.weak_programs import Weak
from tests.source_text import function_in

LOOPS = {
    "for": ["for j in range(m):"],
    "while": ["j = m", "while j > 0:", "    j -= 1"],
    "break": ["for j in range(m):", "    if x[j] > 1e9:", "        break"],
    "triangle": ["for i in range(3):", "    s = {init}", "    for j in range(i - 1):"],
    "inner while": ["for i in range(3):", "    s = {init}", "    j = i - m", "    while j > 0:", "        j -= 1"],
    "bounds from data": ["for i in range(3):", "    s = {init}", "    for j in range(p[i]):"],
    "several": ["k = 0", "while k < 2:", "    k += 1", "    for j in range(m - k):"],
}
UPDATES = (["s = s * x[1]"], ["z[0] = s + 100", "s = s * x[1]"], ["s = x[1]"])
USES = ("-s", "s + 90", "s // 3", "s * f[0]")


def text(loop: str, init: str, update: list[str], used: str) -> str:
    lines = [l.format(init=init) for l in LOOPS[loop]]
    opened = lines[-1].endswith(":")
    space = " " * (len(lines[-1]) - len(lines[-1].lstrip()) + 4 * opened - 4 * (loop == "break"))
    lines = [f"s = {init}", *lines, *(space + l for l in update)]
    place = "    y[i]" if lines[1] == "for i in range(3):" else "y[0]"
    body = "\n    ".join([*lines, f"{place} = {used}"])
    return f"def program(y, z, x, p, u, f, m):\n    {body}\n"


@pytest.mark.in_turns(2)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@pytest.mark.parametrize("loop", LOOPS)
def test_a_number_has_its_own_type_until_the_loop_gives_it_another(loop: str) -> None:
    compiled = 0
    for init, (n, update) in itertools.product(("u[1]", "f[1]"), enumerate(UPDATES)):
        program = text(loop, init, update, USES[n] if init == "f[1]" else USES[0 if n else 1])
        function = Weak(program, (), (), 0, 0).function()
        decorated = mdh.jit(cache=False, tune="off")(function)
        for m in range(3):
            found: list[list[np.ndarray]] = []
            for way in (function, decorated):
                y, z = np.zeros(3), np.zeros(1)
                u, f = np.array([250, 200], np.uint8), np.array([0.1, 1.1], np.float32)
                with np.errstate(all="ignore"):
                    try:
                        way(y, z, np.array([1.1, 2.7, 0.3]), np.array([0, 1, 2]), u, f, m)
                    except NotAnMdhError:
                        break
                found.append([y, z])
            if len(found) == 2:
                compiled += 1
                np.testing.assert_allclose(np.hstack(found[1]), np.hstack(found[0]), rtol=1e-14, err_msg=program)
    assert compiled >= 12


STARTS = ("u[1]", "f[1]", "0", "0.5", "np.float32(2)", "x[0]", "i")
STEPS = ("{s} + x[{l}]", "{s} * u[{l}]", "x[{l}]", "{s} + {l}", "abs({s} - f[{l}])", "u[0] - x[1]")
LEAVES = ("if x[{l}] > 1: break", "y[{l}] += 1", "z[0] = y[{l}]", "pass")


def several(choose: random.Random) -> str:
    """Loops in loops with a number each, so that what is found out about one begins the outer ones anew."""
    lines, inside = ["def f(y, z, x, u, f, n):", "    for i in range(n):"], 2
    if choose.random() < 0.6:
        lines.append("        for j in range(2):")
        inside = 3
    depths = [inside, *sorted((choose.randint(2, inside) for _ in range(choose.randint(1, 3))), reverse=True)]
    for n, depth in enumerate(depths):
        s, l, space = f"s{n}", f"l{n}", "    " * depth
        use = choose.choice(("-{s}", "{s} // 3", "abs({s})", "{s} + 90")).format(s=s)
        lines += [
            f"{space}{s} = {choose.choice(STARTS)}",
            f"{space}for {l} in range({choose.choice(('n', '2', 'i'))}):",
            f"{space}    {s} = {choose.choice(STEPS).format(s=s, l=l)}",
            f"{space}    {choose.choice(LEAVES).format(l=l)}",
            f"{space}y[{choose.choice(('i', '0', '1'))}] = {use}",
        ]
    return "\n".join(lines) + "\n"


def test_what_is_known_of_a_type_holds_for_its_number_only() -> None:
    choose, compiled, programs = random.Random(f"types {days.today()}"), 0, 300 if EXPLORING else 6
    for _ in range(programs):
        text = several(choose)
        function = function_in(text, f"<{text}>", {"np": np})
        rest = np.array([1.5, 0.5, 3.0]), np.array([3, 200, 7], np.uint8), np.array([0.5, 1.5, 0.25], np.float32)
        try:
            program = traced(function, (np.zeros(3), np.zeros(1), *rest, 3))
        except NotAnMdhError:
            continue
        compiled += 1
        for n in range(4):
            mine, others = [np.zeros(3), np.zeros(1)], [np.zeros(3), np.zeros(1)]
            with np.errstate(all="ignore"):
                try:
                    function(*mine, *rest, n)
                    interp.run(program, *others, *rest, n)
                except (OverflowError, FallbackSignal):  # an integer that an array does not hold: plain Python runs it
                    continue
            np.testing.assert_allclose(np.hstack(others), np.hstack(mine), rtol=1e-6, err_msg=text)
    assert compiled > programs // 4


def test_names_of_numbers_that_were_given_up_are_new() -> None:
    """They were given to others, which took over what was known of their types: `s` was one number or another by an
    `after` of the attempt before."""

    def f(x, A, z, y, k, which, B, n, m):
        for i, _ in zip(range(m), range(m)):
            for j in range(m, 1, 3):
                for _k in range(m, 1, 1):
                    c = 0
                    while 0:
                        c += 1
                        k[0] = i
                    s = 0.0
                    for a in range(n, 1, 1):
                        s = (x[i] + x[i]) * (A[a - j, j, n - i] * z[which[i]])
                    y[0] = abs(s)
                t = np.float32(0)
                for a in range(m, 0, 2):
                    for b in range(a, m):
                        t = t + B[2 * a + 1, b + 2]

    u, which = np.ones(9, np.uint32), np.ones(9, np.uint8)
    traced(f, (u, np.ones((9, 9, 9), np.uint32), u, np.zeros(9), u.copy(), which, np.ones((9, 9), np.uint32), 3, 1))


MIXED = {
    "choice": "s = s + x[i] if z[i] else s - 1",
    "branches": "if z[i]:\n            s += x[i]\n        else:\n            s -= 1",
    "after": "if z[i]:\n            s += x[i]\n        s -= 1",
    "set": "if z[i]:\n            s = x[i]\n        else:\n            s = s * 2 + 300",
    "inner": "for j in range(2):\n            s = s + x[i] if z[i] else s - 1",
}
ONE = {
    "under a condition": "if z[i]:\n            s += x[i]",
    "set to 0": "s = s + x[i] if z[i] else 0",
    "counted": "if z[i]:\n            s += 1",
    "greatest": "s = max(s, x[i])",
}


def integers_counted(statement: str, loop: str) -> Weak:
    head = {"for": "    for i in range(len(x)):\n", "while": "    i = -1\n    while i < len(x) - 1:\n        i += 1\n"}[
        loop
    ]
    return Weak(f"def program(x, z):\n    s = 0\n{head}        {statement}\n    return s\n", (), (), 0, 0)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("type", ["u1", "i1", "i2", "u4", "i4", "u8", "i8"])
@pytest.mark.parametrize("loop", ["for", "while"])
def test_no_integer_of_python_wraps_around_where_data_make_it_one_of_numpys(loop: str, type: str) -> None:
    """Where they do in some iterations, and others count on with it, it is refused, but where both have room."""
    for name, statement in {**MIXED, **ONE}.items():
        function = integers_counted(statement, loop).function()
        compiled = mdh.jit(cache=False, tune="off", fallback="error")(function)
        for marks in itertools.product((0, 1), repeat=3):
            arguments = np.array([1, 2, 3], type), np.array(marks)
            try:
                with np.errstate(all="ignore"):
                    wanted: int | None = int(function(*arguments))
            except OverflowError:
                wanted = None
            try:
                found = int(compiled(*arguments))
            except NotAnMdhError as error:
                assert name in MIXED and type not in ("i4", "i8") and "changes in the loop" in str(error), (name, error)
            except OverflowError:
                assert wanted is None, (name, marks)
            else:
                assert found == wanted, (name, marks)


@pytest.mark.parametrize("loop", ["for", "while"])
def test_a_first_iteration_has_the_type_of_all_others(loop: str) -> None:
    """What docs/reliability.md says is different from Python, where -1 is an OverflowError beside a uint8."""
    function = integers_counted("s = s - 1 + x[i]", loop).function()
    arguments = np.array([1, 2, 3], np.uint8), np.zeros(3, np.int64)
    with pytest.raises(OverflowError):
        function(*arguments)
    assert mdh.jit(cache=False, tune="off")(function)(*arguments) == 3
