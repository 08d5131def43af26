"""Programs that were found, as files that a test runs: tests/laws/found."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from tests.fuzz.program import Array, Program

FOLDER = Path(__file__).parents[1] / "laws" / "found"


def text_of(program: Program, title: str, known: str = "") -> str:
    """A file with a program, what to call it with and how to decorate it. known: why it still fails."""
    imports, _, rest = program.text.partition("def ")
    lines = [f'"""{title}"""', "", *(l for l in imports.splitlines() if l.startswith("import ")), ""]
    lines += ["from tests.fuzz.program import Array", "", "", f"def {rest.rstrip()}", "", "", "ARGUMENTS = {"]
    lines += [f'    "{name}": {_argument(a)},' for name, a in program.arguments.items()]
    lines += ["}", f"OPTIONS = ({', '.join(repr(dict(o)) for o in program.options)},)"]
    lines += [f'KNOWN = "{known}"'] if known else []
    return "\n".join(lines) + "\n"


def _argument(a: Array | str) -> str:
    if isinstance(a, str):
        return repr(a)
    defaults = Array("float64", ())
    extra = {n: getattr(a, n) for n in ("fill", "seed", "layout", "of", "shift")}
    named = [f"{n}={v!r}" for n, v in extra.items() if v != getattr(defaults, n)]
    return f"Array({', '.join([repr(a.dtype), repr(a.shape), *named])})"


def loaded(path: Path) -> tuple[Program, str]:
    """The program of such a file, and why it is known to fail."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = path.read_text().splitlines(keepends=True)
    begin = next(n for n, l in enumerate(lines) if l.startswith("def "))
    end = next(n for n, l in enumerate(lines) if l.startswith("ARGUMENTS"))
    imports = [l for l in lines[:begin] if l.startswith("import ")]
    text = "".join([*imports, "\n\n", *lines[begin:end]]).rstrip() + "\n"
    return Program(text, module.ARGUMENTS, tuple(module.OPTIONS)), getattr(module, "KNOWN", "")
