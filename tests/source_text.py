"""Functions whose source is a text of the test, as a user's file would hold it."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any


def function_in(text: str, name: str, space: dict[str, Any] | None = None, *, called: str = "f") -> Callable[..., Any]:
    """The function `called` that `text` defines; `inspect` finds its source under the file name `name`.

    `space` holds the globals it sees, and is filled as a module's namespace.
    """
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {} if space is None else space
    exec(compile(text, name, "exec"), space)
    function: Callable[..., Any] = space[called]
    return function
