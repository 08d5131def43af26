"""`MDH_CHECK_MEMORY=1` finds each load and store that leaves its array, and no others.

Mistakes are planted into kernel IR: loops that go too far, masks and offsets that are wrong, working buffers that are
too small. Machine code that looks at its accesses ends with such a status exactly where the interpreter of kernel IR,
which looks at them on its own, refuses one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import InternalError
from jitmdh.base.status import Status
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.arithmetic import add, integer
from jitmdh.mdh.kernel.ir import For, Kernel, Load, Scratch, Statement, Store, Value, View
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.kernel.passes.memory_checks import accesses, check_memory
from jitmdh.mdh.kernel.rewrite import Rewriter
from jitmdh.mdh.kernel.verify import verify
from jitmdh.mdh.targets.llvm.target import PASSES, TARGET
from tests.fuzz.stages import as_asked
from tests.laws import configured_programs as cp
from tests.laws.agreement import model, traced, unit_axes
from tests.laws.guard_pages import walked
from tests.mdh.codegen.interpreted import Interpreted
from tests.mdh.codegen.native import Native

MARGIN = 64
"""Elements around each array that nothing may change."""
MISTAKES = 6  # planted into each program


class Planted(Rewriter):
    """The kernel with one mistake: at the place with number `site`, of all places there are for one."""

    def __init__(self, site: int) -> None:
        self.site, self.places = site, 0

    def here(self) -> bool:
        self.places += 1
        return self.places - 1 == self.site

    def moved(self, offset: Value) -> Value:
        """A little, or far."""
        return add(offset, integer(1 if self.site % 2 else 1 << 12)) if offset.lanes == 1 else offset

    def statement(self, node: Statement) -> Sequence[Statement]:
        (node,) = super().statement(node)
        if isinstance(node, For) and self.here():
            node = replace(node, end=add(node.end, node.step))
        if isinstance(node, Scratch) and self.here():
            node = replace(node, count=add(node.count, integer(-1)))
        if isinstance(node, Store | View) and self.here():
            node = replace(node, offset=self.moved(node.offset))
        if isinstance(node, Store) and node.mask is not None and self.here():
            node = replace(node, mask=None)
        return (node,)

    def value(self, node: Value) -> Value:
        node = super().value(node)
        if isinstance(node, Load) and self.here():
            node = replace(node, offset=self.moved(node.offset))
        if isinstance(node, Load) and node.mask is not None and self.here():
            node = replace(node, mask=None)
        return node


def places(kernel: Kernel) -> int:
    looking = Planted(-1)
    looking.kernel(kernel)
    return looking.places


def inside(array: Any) -> tuple[Any, Any]:
    """A copy in the middle of memory, and all of that."""
    room = np.zeros(array.size + 2 * MARGIN, array.dtype)
    mine = room[MARGIN : MARGIN + array.size].reshape(array.shape)
    mine[...] = array
    return mine, room


class Mistaken:
    """A program with a mistake in its kernel IR, by the interpreter and as machine code."""

    def __init__(self, program: Program, arguments: Sequence[Any]) -> None:
        axes = unit_axes(program, [tuple(arguments)])
        choose = model(program, tuple(arguments), axes)
        self.made = [kind(program, choose, unit_axes=axes) for kind in (Interpreted, Native)]
        self.arguments, self.kernel = arguments, self.made[0].kernels[0]

    def outcomes(self, kernel: Kernel) -> tuple[bool, bool, str]:
        """Whether the interpreter refuses an access, and whether machine code reports one; which."""
        interpreted, native = self.made
        checked = check_memory(kernel)
        verify(checked)
        interpreted.kernels = kernel, interpreted.kernels[1]
        native.kernels = checked, native.kernels[1]
        native.prepare(None)
        try:
            interpreted(*[inside(a)[0] for a in self.arguments])
            refused = False
        except InternalError as error:
            refused = "outside its memory" in str(error)
        status, call = [0], native.run

        def run(which: int, frame: Any, arrays: Any) -> int:
            found = call(which, frame, arrays)
            status[0] = found if which == 0 else 0
            return 0

        native.run = run  # type: ignore[method-assign]
        given = [inside(a) for a in self.arguments]
        native(*[mine for mine, _ in given])
        native.run = call  # type: ignore[method-assign]
        for (_, room), argument in zip(given, self.arguments):
            assert not room[:MARGIN].any() and not room[MARGIN + argument.size :].any()
        access = Status.of_access(status[0])
        return refused, access is not None, "" if access is None else accesses(checked)[access]


def numbers(*shapes: tuple[int, ...]) -> list[Any]:
    r = np.random.default_rng(0)
    return [r.random(shape) for shape in shapes]


def complex_sums(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i] += x[i, j]


def through_a_buffer(y, x):
    t = np.zeros(x.shape)
    for i in range(x.shape[0]):
        t[i] = x[i] * 2
    for i in range(x.shape[0]):
        y[i] = t[x.shape[0] - 1 - i] + 1


PROGRAMS: dict[Callable[..., None], list[Any]] = {
    cp.matmul: numbers((17, 19), (17, 23), (23, 19)),
    cp.smooth: [np.zeros((9, 21)), np.zeros((9, 21), bool), *numbers((9, 21))],
    cp.backwards: numbers((37,), (41,), (5,)),
    cp.turned: numbers((21, 11), (11, 21)),
    complex_sums: [np.zeros(7, complex), numbers((7, 13))[0] + 1j],
    through_a_buffer: numbers((45,), (45,)),
    walked: [*numbers((20,), (20,)), np.arange(20)[::-1].copy()],
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_leaves_its_array_is_found_and_nothing_else(function: Callable[..., None]) -> None:
    arguments = PROGRAMS[function]
    with as_asked({"optimised": False, "checked": False}):
        case = Mistaken(traced(function, tuple(arguments)), arguments)
        right, found = case.kernel, 0
        assert case.outcomes(right) == (False, False, "")
        for tried, site in enumerate(Random(0).sample(range(count := places(right)), count)):
            if tried >= MISTAKES and found:
                break
            refused, reported, access = case.outcomes(Planted(site).kernel(right))
            assert refused == reported, f"mistake {site}: {access or 'not found'}"
            found += reported
    assert found, "no mistake left an array"


def test_an_error_that_names_the_access(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted before the passes: the whole way through the decorator."""

    monkeypatch.setattr(type(TARGET), "passes", (Pass("planted", _stores_moved), *PASSES))
    doubled = mdh.jit(cache=False, tune="off")(_doubled)
    with mdh.config(check_memory=True), pytest.raises(InternalError, match=r"_doubled: `.*y.*` was to leave its array"):
        doubled(np.zeros(9), np.ones(9))


def _doubled(y, x):
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def _product(a, b):
    return a @ b


def _stores_moved(kernel: Kernel) -> Kernel:
    class Moved(Rewriter):
        def statement(self, node: Statement) -> Sequence[Statement]:
            (node,) = super().statement(node)
            return (replace(node, offset=add(node.offset, integer(1))) if isinstance(node, Store) else node,)

    return Moved().kernel(kernel)


def test_what_is_right_stays_right() -> None:
    """Sizes of whole tiles and others, threads, tails, strides of any sign; a key of its own in the store."""
    x = np.arange(4096.0).reshape(64, 64)
    with mdh.config(check_memory=True):
        product = mdh.jit(tune="off")(_product)
        for a, b in ((x, x), (x[:37, ::-1], x[:, :41]), (x[:0], x), (x[::-2, ::3], x[:22].T[:22])):
            assert np.allclose(product(a, b), a @ b)
    assert mdh.config.check_memory is False
