"""Writes docs/error_codes.md from the table of codes, with programs of tests/errors as examples.

`python docs/generate_error_codes.py` rewrites the page.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from jitmdh.base import errors
from jitmdh.base.error_codes import CODES
from tests.errors.test_errors import HERE, message, raised

PAGE = Path(__file__).with_name("error_codes.md")
HEAD = """# Error codes

<!-- Written by docs/generate_error_codes.py from jitmdh/base/error_codes.py and tests/errors; a test compares. -->

The first line of each message ends in a code, such as `[MDH114]`, and `error.code` holds it. A code keeps its meaning
in all later versions, so programs and searches can rely on it; the wording of a message may change. How messages are
built: [how to read an error](errors.md).
"""
FAMILIES = {
    "MDH1": "The decorated function",
    "MDH2": "A call",
    "MDH3": "Options and settings",
    "MDH4": "The machine",
    "MDH9": "jitmdh itself",
}
EXAMPLES = {
    "MDH101": "tuple_by_number",
    "MDH110": "array_updated_type",
    "MDH111": "try_block",
    "MDH112": "swap_with_expression",
    "MDH113": "unsupported_numpy",
    "MDH114": "array_slice_bound",
    "MDH115": "list_of_unknown_length",
    "MDH116": "inner_loop_variable_after_loop",
    "MDH117": "array_view_returned",
    "MDH121": "unknown_name",
    "MDH122": "numpy_name_unknown",
    "MDH123": "extremum_of_integers_from_float",
    "MDH124": "prefix_sum_axis_unknown",
    "MDH127": "dsl_not_affine",
    "MDH201": "number_subscripted",
    "MDH301": "option_misspelt",
    "MDH302": "schedule_lanes",
}


def classes() -> Iterator[type[errors.MdhError]]:
    """The public errors, families first."""
    return (c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.MdhError))


def raised_as(code: str) -> str:
    """The classes of a code, and the built-in errors that they are, too."""
    own = [c for c in classes() if c.code == code and "code" in vars(c)] or [errors.NotAnMdhError]
    of_python = [c for c in own[0].__mro__ if c.__module__ == "builtins" and c not in (object, BaseException)]
    least = [c for c in of_python if not any(c is not other and issubclass(other, c) for other in of_python)]
    return ", ".join(f"`{c.__name__}`" for c in (own[0], *least))


def program(name: str) -> str:
    """The program of an example: what stands between its docstring and the expected message."""
    text = (HERE / f"bad_{name}.py").read_text(encoding="utf-8")
    body = [node for node in ast.parse(text).body if not isinstance(node, ast.Expr)]
    of_the_test = ("TYPES", "EXPECTED", "OPTIONS")
    kept = [n for n in body if not (isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") in of_the_test)]
    lines = text.splitlines()
    shown = [
        "\n".join(lines[min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]) - 1 : n.end_lineno])
        for n in kept
    ]
    return "\n\n".join(shown)


def page() -> str:
    parts = [HEAD]
    for family, title in FAMILIES.items():
        rows = [row for name, row in CODES.items() if name.startswith(family)]
        parts.append(f"\n## {title}\n\n| code | what is wrong | what helps | raised as |\n|---|---|---|---|\n")
        for row in rows:
            shown = f"[{row.name}](#{row.name.lower()})" if row.name in EXAMPLES else row.name
            parts.append(f"| {shown} | {row.title} | {row.remedy} | {raised_as(row.name)} |\n")
    parts.append("\n## Examples\n")
    for code, name in EXAMPLES.items():
        said = message(raised(f"bad_{name}"))
        parts.append(f"\n### {code}\n\n```py\n{program(name)}\n```\n\n```text\n{said}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
