"""Variables that loops give another type: in the first iteration, and behind a loop of none, they have their own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.weak_programs import Weak

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
