"""What is tested today, where a run of everything would cost too much to try each case every time.

There are twenty-four days, which begin again when they are over. Laws draw the examples of the day
(`laws/examples.py`), and of a test marked

    @pytest.mark.in_turns(3)

a third of the cases are run, another third tomorrow: those whose places along all axes of parameters add up to the
number of the day (and to one of the test), so that every value of an axis has its turn each day, with some values of
the others. So are tests that cost much (`tests/costs.py`), three to six times as seldom; a test without parameters on
some days only. OpenCL's driver optimises what it compiles for a twelfth of the files that have tests on a device
(`conftest.opencl`), and LLVM does while it generates code for a quarter of the laws and of the tests of the compiler
(`compiled_once.py`). Where a file or a test is named on the command line, all of its cases are run.
`JITMDH_TESTS_DAY=4` runs another day again, and `JITMDH_TESTS_DAY=all`, like HYPOTHESIS_PROFILE=long, all cases.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from zlib import crc32

import pytest
from _pytest.mark import ParameterSet

from tests import costs

NAME = "JITMDH_TESTS_DAY"
DAYS = 24
_OPTIMISED = 12


def settle() -> None:
    """For this process and those that it starts, also if midnight comes in between."""
    os.environ.setdefault(NAME, str(date.today().toordinal() % DAYS))
    chosen = os.environ[NAME]
    if chosen != "all" and chosen not in map(str, range(DAYS)):
        raise pytest.UsageError(f"{NAME} is {chosen!r}: a number below {DAYS}, or `all`")


def today() -> int:
    """0 … 23; 0 if all days are asked for: all cases, but one set of examples."""
    settle()
    return 0 if os.environ[NAME] == "all" else int(os.environ[NAME])


def is_everything_asked_for(config: pytest.Config) -> bool:
    named = any(".py" in str(argument) for argument in config.args)
    return named or os.environ[NAME] == "all" or os.environ.get("HYPOTHESIS_PROFILE") == "long"


def is_turn_of(name: str, config: pytest.Config, share: int = _OPTIMISED) -> bool:
    """Whether what is dear is done today for `name`: on one day of twelve, or of so many."""
    return is_everything_asked_for(config) or crc32(name.encode()) % share == today() % share


def share_of(item: pytest.Item) -> int:
    """Of a test's cases one in this many is run each day: what its mark says, times what it costs lets it wait."""
    own = marked_share_of(item)
    if own == 1 and item.get_closest_marker("in_turns") is not None:
        return 1
    wanted = costs.turns(costs.table().get(costs.function_of(item), 0.0))
    return own * next(turns for turns in range(wanted, 0, -1) if DAYS % (own * turns) == 0)


def marked_share_of(item: pytest.Item) -> int:
    marker = item.get_closest_marker("in_turns")
    share: int = marker.args[0] if marker is not None else 1
    assert DAYS % share == 0, f"{item.nodeid}: some cases would never have their turn"
    return share


def has_its_turn(item: pytest.Item) -> bool:
    """Whether a case is run today."""
    share = share_of(item)
    if share == 1:
        return True
    offset = crc32(costs.function_of(item).encode())  # tests with few values have their turns on different days
    return (sum(_places(item)) + offset + today()) % share == 0


def _places(item: pytest.Item) -> Iterator[int]:
    """Where the values of a case stand along each axis of parameters. What pytest calls indices are, in some versions
    of it, places along one axis, in others among all cases."""
    given: dict[str, object] = item.callspec.params if hasattr(item, "callspec") else {}
    for mark in item.iter_markers("parametrize"):
        names, values = mark.args[:2]
        several = not isinstance(names, str) or "," in names
        first = (names.split(",")[0] if isinstance(names, str) else names[0]).strip()
        own = (v.values[0] if isinstance(v, ParameterSet) else v[0] if several else v for v in values)
        wanted = given[first]
        found = next((n for n, v in enumerate(own) if v is wanted or (type(v) is int and v == wanted)), None)
        assert found is not None, f"{item.nodeid}: the values of {first} have to be a list, a tuple or a range"
        yield found
