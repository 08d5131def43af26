"""Writes docs/api/*.md, the reference of all public names, from signatures and docstrings.

`python docs/generate_api.py` rewrites the pages.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

FOLDER = Path(__file__).with_name("api")
MODULES = ("jitmdh", "jitmdh.dsl", "jitmdh.hca", "jitmdh.atf", "jitmdh.kernels", "jitmdh.tensor", "jitmdh.schedule")
CARRIED = ("jitmdh.jit.decorator", "JitFunction", "py_func")
"""What a decorated function is: its members stand on the page of jitmdh, too."""
PARAMETER = re.compile(r"(\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*): (.*)")
OF_PYTHON = {
    "add": "Python's `operator.add`, as a combine operator: `mdh.pw(mdh.add)`.",
    "mul": "Python's `operator.mul`, as a combine operator: `mdh.pw(mdh.mul)`.",
    "max": "Python's `max`, as a combine operator: `mdh.pw(mdh.max)`.",
    "min": "Python's `min`, as a combine operator: `mdh.pw(mdh.min)`.",
}


def pages() -> Mapping[Path, str]:
    return {FOLDER / f"{name.rpartition('.')[2]}.md": page(name) for name in MODULES}


def page(name: str) -> str:
    module = importlib.import_module(name)
    parts = [
        f"# {name}\n\n<!-- Written by docs/generate_api.py from signatures and docstrings; a test compares. -->\n\n",
        rendered(inspect.getdoc(module) or "", ()),
        "\n" + "\n".join(f"- [`{n}`](#{anchor})" for n, anchor in zip(module.__all__, anchors(module.__all__))) + "\n",
    ]
    for public in module.__all__:
        parts.append(f"\n## {public}\n\n{described(public, getattr(module, public), module.__all__)}")
    if name == "jitmdh":
        function = getattr(importlib.import_module(CARRIED[0]), CARRIED[1])
        parts.append(
            "\n## Decorated functions\n\nWhat `@mdh.jit` returns is called as the function is, and has these.\n"
        )
        parts.append("\n### py_func\n\nThe undecorated function.\n")
        parts += members(function)
    return "".join(parts)


def anchors(names: list[str]) -> list[str]:
    """Where the headings of names are: in small letters, with a number where another has these letters, too."""
    small = [name.lower() for name in names]
    return [f"{s}_{n}" if (n := small[:at].count(s)) else s for at, s in enumerate(small)]


def described(name: str, value: Any, among: list[str]) -> str:
    """One public name: how it is called, what it says of itself, and its members."""
    if value in map(functools.partial(getattr, __import__("builtins")), ("max", "min")) or name in ("add", "mul"):
        return OF_PYTHON[name] + "\n"
    if inspect.ismodule(value) and not callable(value):
        return rendered(inspect.getdoc(value) or "", ()) + "".join(classes(value))
    if type(value).__name__.startswith("_") and (text := inspect.getdoc(value)):
        return rendered(text, ())
    if not callable(value) and (type(value).__name__ in among or not own_members(type(value))):
        return f"`{value!r}`, a `{type(value).__name__}`.\n"
    text = called(name, value) + documentation(value)
    if inspect.isclass(value):
        text += "".join(members(value))
    elif not inspect.isroutine(value) and not inspect.ismodule(value):
        text += "".join(members(type(value)))
    return text


def classes(module: Any) -> Iterator[str]:
    for name, value in vars(module).items():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            bases = ", ".join(f"`{base.__name__}`" for base in value.__bases__)
            yield f"\n### {name}\n\nDerives from {bases}.\n\n{rendered(inspect.getdoc(value) or '', ())}"


def called(name: str, value: Any) -> str:
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Warning)):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    return f"```py\n{name}{shown(found)}\n```\n\n"


class Bare(str):
    """An annotation that was written as a string, without its quotes."""

    __slots__ = ()
    __repr__ = str.__str__

    @classmethod
    def of(cls, annotation: Any) -> Any:
        return cls(annotation) if isinstance(annotation, str) else annotation


def shown(signature: inspect.Signature) -> str:
    """A signature, with one parameter a line where it is long."""
    kept = [p.replace(annotation=Bare.of(p.annotation)) for p in signature.parameters.values() if p.name != "self"]
    text = str(signature.replace(parameters=kept, return_annotation=Bare.of(signature.return_annotation)))
    text = re.sub(r"(?:jitmdh|collections|typing|pathlib)(?:\.[a-z_]\w*)*\.(?=[A-Z])", "", text)
    text = (
        re.sub(r"<(?:built-in )?function (\w+).*?>|<(?:class )?'?([\w.]+)'?>", r"\1\2", text)
        .replace("(self)", "()")
        .replace("self, ", "")
    )
    if len(text) < 100:
        return text
    inside, end = text[1:].rsplit(")", 1)
    return "(\n    " + ",\n    ".join(split(inside)) + f",\n){end}"


def split(text: str) -> list[str]:
    """At commas that stand in no brackets.

    >>> split("a: dict[str, int], b=(1, 2)")
    ['a: dict[str, int]', 'b=(1, 2)']
    """
    found, depth = [""], 0
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found]


def documentation(value: Any) -> str:
    names: tuple[str, ...] = ()
    with contextlib.suppress(TypeError, ValueError):
        names = tuple(inspect.signature(value).parameters)
    return rendered(inspect.getdoc(value) or "", names)


def own_members(kind: type) -> list[tuple[str, Any]]:
    """Public methods and properties with a docstring, those of our own bases included."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("jitmdh"):
            found.update(vars(base))
    kept = []
    for name, value in found.items():
        inner = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and isinstance(inner, property | functools.cached_property | type(members)):
            kept.append((name, value))
    return sorted(kept, key=lambda item: item[0])


def members(kind: type) -> Iterator[str]:
    for name, value in own_members(kind):
        inner = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        text = inspect.getdoc(inner)
        if not text:
            continue
        how = "" if isinstance(inner, property | functools.cached_property) else called(name, inner)
        names = tuple(inspect.signature(inner).parameters) if how else ()
        yield f"\n### {kind.__name__}.{name}\n\n{how}{rendered(text, names)}"


def rendered(text: str, names: tuple[str, ...]) -> str:
    """A docstring as Markdown: parameters as a list, examples as blocks."""
    lines: list[str] = []
    block: list[str] = []
    listing = False
    for line in [*text.splitlines(), ""]:
        example = line.startswith((">>>", "...")) or (block and block[0].startswith(">>>") and line.strip())
        if example or (line.startswith("    ") and not listing):
            block.append(line)
            continue
        if block:
            kind = "pycon" if block[0].startswith(">>>") else "text"
            lines += ["", f"```{kind}", *inspect.cleandoc("\n".join(block)).splitlines(), "```", ""]
            block = []
        found = PARAMETER.match(line)
        if found and all(n.strip("*") in names for n in found[1].split(", ")):
            lines += [*([] if listing else [""]), f"- **{found[1]}**: {escaped(found[2])}"]
            listing = True
        elif listing and line.startswith(" "):
            lines.append(f"    {escaped(line.strip())}")
        else:
            lines += ["", escaped(line)] if listing else [escaped(line)]
            listing = False
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def escaped(line: str) -> str:
    """What Markdown would take for markup, outside of code."""
    pieces = line.split("`")
    return "`".join(p if n % 2 else re.sub(r"(?<!\w)([*_<])(?=\S)", r"\\\1", p) for n, p in enumerate(pieces))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
