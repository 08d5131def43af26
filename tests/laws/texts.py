"""Functions that tests write as text, and whether compiled ones do what they do."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def loaded(text: str, folder: str | Path, name: str = "f") -> types.FunctionType:
    """The function that `text` defines, with a source file of its own in `folder`."""
    path = Path(folder) / f"drawn_{len(list(Path(folder).iterdir()))}.py"
    path.write_text(text)
    space: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(text, str(path), "exec"), space)
    function = space[name]
    assert isinstance(function, types.FunctionType)
    return function


def assert_same(compiled: Callable[..., Any], plain: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> None:
    """Results, and arguments after the call, are bit for bit those of the function itself."""
    given, wanted = make(), make()
    with np.errstate(all="ignore"):
        got, want = compiled(*given), plain(*wanted)
    np.testing.assert_array_equal(got, want)
    for one, other in zip(given, wanted):
        np.testing.assert_array_equal(one, other)
