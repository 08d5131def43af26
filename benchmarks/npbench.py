"""NPBench's programs, NumPy-style and Numba-style, decorated: `python -m benchmarks.npbench PATH`.

PATH: a clone of https://github.com/spcl/npbench; nothing is fetched, nothing of it is kept. Each program is called with
the suite's smallest sizes and compared with itself, undecorated. --time: least times beside NumPy and Numba.
"""

from __future__ import annotations

import argparse
import copy
import functools
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.programs.public_programs import CLOCKS, Loaded, Program, report, wanted

NUMPY_STYLE, NUMBA_STYLE = "NumPy-style", "Numba-style"
BARS = {NUMPY_STYLE: 50, NUMBA_STYLE: 40}
_DECORATORS = ("jit", "njit", "generated_jit")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.npbench", description=__doc__)
    parser.add_argument("path", type=Path, help="a clone of NPBench")
    parser.add_argument("--only", default="", metavar="WORDS", help="names or styles that contain one of these")
    parser.add_argument("--size", default="S", help="one of the suite's sizes: S, M, L, paper")
    parser.add_argument(
        "--time",
        nargs="?",
        const="wall",
        choices=CLOCKS,
        help="ratios to NumPy and Numba; processor: of the process, for one thread",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the times as a table")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="JSON lines: what is there is not run again")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="for one program")
    options = parser.parse_args(arguments)
    programs = [
        Program(style, info["short_name"], functools.partial(load, options.path, info, style, options.size))
        for style in (NUMPY_STYLE, NUMBA_STYLE)
        for info in infos(options.path)
        if form(options.path, info, "numpy" if style == NUMPY_STYLE else "numba_n").exists()
    ]
    if not programs:
        print(f"{options.path}: no clone of NPBench: no bench_info/*.json", file=sys.stderr)
        return 2
    return report(
        wanted(programs, options.only), {} if options.only else BARS, options.time, options.limit, options.markdown,
        options.kept, options.size,
    )  # fmt: skip


def infos(root: Path) -> list[dict[str, Any]]:
    """What the suite says of each of its programs."""
    return [json.loads(file.read_text())["benchmark"] for file in sorted((root / "bench_info").glob("*.json"))]


def form(root: Path, info: dict[str, Any], suffix: str) -> Path:
    name = info["module_name"] + (f"_{suffix}" if suffix else "")
    return root / "npbench" / "benchmarks" / info["relative_path"] / f"{name}.py"


def load(root: Path, info: dict[str, Any], style: str, size: str) -> Loaded:
    """One program with the arguments that the suite makes for it."""
    numpy_form = function_of(form(root, info, "numpy"), info["func_name"])
    if style == NUMPY_STYLE:
        function = numpy_form
    else:
        with _plain_numba():
            function = function_of(form(root, info, "numba_n"), info["func_name"])
    values = _arguments(root, info, size)

    def arguments() -> tuple[Any, ...]:
        return tuple(copy.deepcopy(values[name]) for name in info["input_args"])

    def results(returned: Any, given: tuple[Any, ...]) -> Any:
        return returned, *(given[info["input_args"].index(name)] for name in info["output_args"])

    numba_forms = sorted(form(root, info, "").parent.glob(f"{info['module_name']}_numba_*.py"))
    peers: dict[str, Callable[[], Callable[..., Any]]] = {"NumPy": lambda: numpy_form}
    for file in numba_forms:
        peers[f"Numba:{file.stem}"] = functools.partial(function_of, file, info["func_name"])
    return Loaded(function, arguments, results, numpy_form, peers)


def function_of(file: Path, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(_module(file), name)
    return found


def _arguments(root: Path, info: dict[str, Any], size: str) -> dict[str, Any]:
    values: dict[str, Any] = dict(info["parameters"][size])
    init = info.get("init")
    if init and init.get("func_name"):
        made = function_of(form(root, info, ""), init["func_name"])(*(values[name] for name in init["input_args"]))
        names = init["output_args"]
        values.update(zip(names, made if len(names) > 1 else (made,), strict=True))
    return values


def _module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"npbench_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def _plain_numba() -> Iterator[None]:
    """While modules are read, Numba's decorators leave functions as they are; all else of Numba is Numba's own."""
    import numba

    saved = {name: getattr(numba, name) for name in _DECORATORS if hasattr(numba, name)}
    for name in saved:
        setattr(numba, name, _undecorated)
    try:
        yield
    finally:
        for name, decorator in saved.items():
            setattr(numba, name, decorator)


def _undecorated(*given: Any, **options: Any) -> Any:
    """For `@jit` and `@jit(…)`."""
    return given[0] if given and callable(given[0]) else _undecorated


if __name__ == "__main__":
    raise SystemExit(main())
