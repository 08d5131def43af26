"""Writes docs/gallery.md from examples/gallery: a picture of what each program computes, its times, and its text.

`python docs/generate_gallery.py` rewrites the page. `--pictures` draws the pictures anew (Pillow); `--measure` measures
all programs, on a machine that does nothing else (Numba): plain Python, Numba and jitmdh by turns.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

PROGRAMS = ROOT / "examples" / "gallery"
NAMES = tuple(sorted(path.stem for path in PROGRAMS.glob("*.py")))
PAGE = Path(__file__).with_name("gallery.md")
PICTURES = Path(__file__).with_name("gallery")
FIGURES = PICTURES / "measured.json"
_ROUNDS = 5
_SIDE = 240
_COLOURS = ((0, 13, 8, 50), (0.25, 84, 19, 110), (0.5, 187, 55, 84), (0.75, 249, 142, 8), (1, 252, 255, 200))

HEAD = """# Gallery

<!-- Written by docs/generate_gallery.py from examples/gallery; a test compares. -->

Twelve programs of plain loops, each decorated by `@mdh.jit` as it stands. Tests compare their results with those of
undecorated Python. The times are those of one call without compilation: the least of five, of plain Python one alone.
They were measured on {machine} by `python docs/generate_gallery.py --measure`, in double precision. Numba has
`@njit` on the same text, which uses one thread; jitmdh uses {threads}. Yours will differ.

| program | plain Python | Numba `@njit` | jitmdh | Python ÷ jitmdh | Numba ÷ jitmdh |
|---|---:|---:|---:|---:|---:|
"""


def module(name: str) -> ModuleType:
    return importlib.import_module(f"examples.gallery.{name}")


def page() -> str:
    measured = json.loads(FIGURES.read_text(encoding="utf-8"))
    parts = [HEAD.format(**measured["of"])]
    for name in NAMES:
        seconds = measured["seconds"][name]
        python, numba, ours = (seconds[who] for who in ("python", "numba", "jitmdh"))
        parts.append(
            f"| [{name}](#{name}) | {python:.2f} s | {numba * 1e3:.2f} ms | {ours * 1e3:.2f} ms "
            f"| {python / ours:,.0f} | {numba / ours:.2f} |\n"
        )
    for name in NAMES:
        text = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
        tree = ast.parse(text)
        function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program")
        shown = "\n".join(text.splitlines()[function.lineno - 1 : function.end_lineno])
        head = f"\n## {name}\n\n{ast.get_docstring(tree)}\n\n![{name}](gallery/{name}.png)\n"
        parts.append(f"{head}\n```py\n@mdh.jit\n{shown}\n```\n")
    return "".join(parts)


def draw() -> None:
    """The result of each program as a picture, the least value dark and the largest light."""
    from PIL import Image

    import jitmdh as mdh

    PICTURES.mkdir(exist_ok=True)
    points, *channels = zip(*_COLOURS)
    palette = np.stack([np.interp(np.linspace(0, 1, 64), points, channel) for channel in channels], axis=1)
    for name in NAMES:
        own = module(name)
        values = own.picture(mdh.jit(own.program)(*own.arguments()))
        low, high = values.min(), values.max()
        image = Image.fromarray(np.round((values - low) / (high - low) * 63).astype(np.uint8), mode="P")
        image.putpalette(palette.round().astype(np.uint8).tobytes())
        image.resize((_SIDE, _SIDE), Image.Resampling.NEAREST).save(PICTURES / f"{name}.png", optimize=True)


def measure() -> None:
    """The times of one call each; plain Python once."""
    import numba

    import jitmdh as mdh
    from jitmdh.base.cores import usable_cores

    found: dict[str, dict[str, float]] = {}
    for name in NAMES:
        own = module(name)
        forms = {"numba": numba.njit(own.program), "jitmdh": mdh.jit(own.program, tune="off", cache=False)}
        for form in forms.values():
            seconds(form, own)  # compiles
        rounds = [{who: seconds(form, own) for who, form in forms.items()} for _ in range(_ROUNDS)]
        found[name] = {who: min(times[who] for times in rounds) for who in forms}
        found[name]["python"] = seconds(own.program, own)
        print(name, found[name], flush=True)
    of = {"machine": f"{usable_cores()} cores of {processor()}", "threads": usable_cores()}
    FIGURES.write_text(json.dumps({"of": of, "seconds": found}, indent=1) + "\n", encoding="utf-8")


def seconds(function: Callable[..., Any], own: ModuleType) -> float:
    given = copy.deepcopy(own.arguments())
    start = time.perf_counter()
    function(*given)
    return time.perf_counter() - start


def processor() -> str:
    """The processor's name, as Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", action="store_true", help="draw the pictures anew")
    parser.add_argument("--measure", action="store_true", help="measure anew")
    options = parser.parse_args()
    if options.pictures:
        draw()
    if options.measure:
        measure()
    PAGE.write_text(page(), encoding="utf-8")
