"""Writes docs/rooms.md: every file of jitmdh with the first sentence of its docstring, one table for each package.

`python docs/generate_rooms.py` rewrites the page.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "jitmdh"
PAGE = Path(__file__).with_name("rooms.md")

HEAD = """# Every file in a line

<!-- Written by docs/generate_rooms.py from the docstrings; a test compares. -->

The map is [architecture](architecture.md); these are its rooms. A package imports from those above it in
[the order of the layers](architecture.md#who-may-import-what), never in a circle.
"""


def sentence(path: Path) -> str:
    """The first sentence or line of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(text.split("\n\n")[0].split()).rstrip(":")
    return first.replace("|", "\\|")


def packages() -> Iterator[Path]:
    """Folders with modules, the ground floor first and the keystone last."""
    order = ["base", "mdh", "atf", "hca", "jit", "kernels", "demo"]
    yield PACKAGE
    for name in order:
        yield from sorted({path.parent for path in (PACKAGE / name).rglob("*.py")})


def page() -> str:
    parts = [HEAD]
    for folder in packages():
        name = folder.relative_to(PACKAGE.parent).as_posix()
        modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        native = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
        parts.append(f"\n## `{name}/`\n\n{sentence(folder / '__init__.py')}\n")
        if modules or native:
            rows = [f"| `{path.name}` | {sentence(path)} |" for path in modules]
            rows += [f"| `{path.name}` | {comment(path)} |" for path in native]
            parts.append("\n| file | what it does |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "".join(parts)


def comment(path: Path) -> str:
    """The first sentence of the comment that a C file begins with."""
    text = path.read_text(encoding="utf-8").split("*/")[0].removeprefix("/*")
    first = " ".join(line.strip(" *") for line in text.split("\n\n")[0].splitlines())
    return first.strip().split(". ")[0].rstrip(".") + "."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
