"""Frames have room: calls at any depth ask the system for no memory."""

import resource
import sys

import pytest

from jitmdh.base.process.stack import with_room


def calls(count: int) -> int:
    """Page faults of so many calls of a function with a larger frame than `deeper` has."""

    def leaf(a: int, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0, h: int = 0) -> int:
        return a + (b + (c + (d + (e + (f + (g + h))))))

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for n in range(count):
        leaf(n)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def deeper(depth: int, count: int) -> int:
    return deeper(depth - 1, count) if depth else calls(count)


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="about CPython's memory for frames")
def test_no_depth_is_slow() -> None:
    plain = max(deeper(depth, 1000) for depth in range(200))
    roomy = max(with_room(deeper)(depth, 1000) for depth in range(200))
    assert plain >= 1000 or sys.version_info >= (3, 13), "the interpreter has mended this: with_room is not needed"
    assert roomy < 500


def test_it_is_the_function() -> None:
    @with_room
    def scaled(x: int, *, by: int = 2) -> int:
        """Documented."""
        return x * by

    assert scaled(3) == 6 and scaled(3, by=5) == 15
    assert scaled.__name__ == "scaled" and scaled.__doc__ == "Documented."
    with pytest.raises(TypeError):
        scaled()  # type: ignore[call-arg]
