"""Names and attributes that do not exist: which one was meant."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable

from jitmdh.base.errors import UnknownAttributeError
from jitmdh.mdh.frontend.python.tracer import Tracer
from jitmdh.mdh.frontend.python.values import text


def no_attribute(t: Tracer, node: ast.Attribute, known: Iterable[str], what: str = "") -> UnknownAttributeError:
    """The error of an attribute that is none of `known`."""
    message = f"{what or f'`{text(node.value)}`'} has no attribute `{node.attr}`"
    return UnknownAttributeError(message, loc=t.loc(node), hint=near_name(node.attr, known))


def near_name(name: str, known: Iterable[str]) -> str:
    """A hint at the name that was meant."""
    found = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], n=1)
    return f"did you mean `{found[0]}`?" if found else ""


_GROWN = "make an array as long as it may become, write to it, x[n] = …; n += 1, and return its part x[:n]"
OF_LISTS = {name: _GROWN for name in ("append", "extend", "insert")}
"""What to write in place of methods of lists."""
