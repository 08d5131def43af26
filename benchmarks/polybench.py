"""PolyBench's kernels, loop nests as in C and whole arrays, decorated: `python -m benchmarks.polybench PATH`.

PATH: a clone of https://github.com/UDC-GAC/polybench-python, PolyBench/C in Python; nothing is fetched, nothing
of it is kept. Its forms: nests on lists of lists and on flat lists, each also as a polyhedral compiler has rewritten
them, and NumPy. Where the suite takes lists the decorated kernel takes arrays. Each is called as a method of the
suite's objects, with the suite's smallest sizes, and compared with itself, undecorated.
"""

from __future__ import annotations

import argparse
import copy
import functools
import importlib
import sys
import warnings
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.programs.public_programs import CLOCKS, Loaded, Program, report, wanted

FORMS = {  # the suite's word for an array implementation, and its choices of transformations
    "LIST": (("", "C-style"),),
    "LIST_FLATTENED": (("", "C-style, flat"),),
    "LIST_PLUTO": (("", "rewritten"),),
    "LIST_FLATTENED_PLUTO": (
        ("pluto", "rewritten, flat"), ("maxfuse", "rewritten, flat"), ("vectorizer", "rewritten, flat")
    ),
    "NUMPY": (("", "NumPy-style"),),
}  # fmt: skip
_MEASURING = ("pypapi", "inlineasm", "inline")  # what the suite imports for its own measurements


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.polybench", description=__doc__)
    parser.add_argument("path", type=Path, help="a clone of polybench-python")
    parser.add_argument("--only", default="", metavar="WORDS", help="names or styles that contain one of these")
    parser.add_argument(
        "--size", default="MINI", help="one of the suite's sizes: MINI, SMALL, MEDIUM, LARGE, EXTRALARGE"
    )
    parser.add_argument(
        "--time",
        nargs="?",
        const="wall",
        choices=CLOCKS,
        help="ratios to the undecorated NumPy form and to Numba; processor: of the process, for one thread",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the times as a table")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="JSON lines: what is there is not run again")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="for one program")
    options = parser.parse_args(arguments)
    files = sorted(f for f in options.path.glob("benchmarks/*/**/*.py") if f.stem == f.parent.name)
    if not files or not (options.path / "polybench.spec").exists():
        print(f"{options.path}: no clone of polybench-python: no polybench.spec", file=sys.stderr)
        return 2
    programs = [
        Program(style, f"{file.stem.strip('_')}{transformed and ' '}{transformed}", functools.partial(
            load, options.path, file, implementation, transformed, options.size))
        for implementation, choices in FORMS.items()
        for transformed, style in choices
        for file in files
        if has(file, implementation, transformed)
    ]  # fmt: skip
    return report(
        wanted(programs, options.only), {}, options.time, options.limit, options.markdown,
        options.kept, options.size,
    )  # fmt: skip


def has(file: Path, implementation: str, transformed: str) -> bool:
    """Whether a program of the suite has a form."""
    text = file.read_text()
    name = "_Strategy" + "".join(word.capitalize() for word in implementation.split("_")).replace("Numpy", "NumPy")
    return f"class {name}(" in text and (not transformed or f"def kernel_{transformed}(" in text)


def load(root: Path, file: Path, implementation: str, transformed: str, size: str) -> Loaded:
    """One kernel with the arguments that the suite makes for it. Replaces this process's package `benchmarks`."""
    classes = _suite(root)
    spec = next(
        s for s in classes.PolyBenchSpecFile(str(root / "polybench.spec")).specs if _same_name(s.Name, file.stem)
    )
    options = classes.PolyBenchOptions()
    options.POLYBENCH_ARRAY_IMPLEMENTATION = classes.ArrayImplementation[implementation]
    options.POLYBENCH_DATASET_SIZE = classes.DataSetSize[size.replace("EXTRALARGE", "EXTRA_LARGE")]
    options.POCC, options.LOAD_ELIMINATION = transformed, False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy's old names
        module = importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))
    made = next(c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__)(
        options, spec
    )
    captured: list[tuple[Any, ...]] = []
    made.time_kernel = lambda *given: captured.append(given)
    made.run_benchmark()
    del made.time_kernel

    kernel, given = made.kernel, captured[0]
    after = copy.deepcopy(given)
    value = kernel(*after) if implementation != "NUMPY" else None
    made_once = tuple(map(_array, given, after))

    def arguments() -> tuple[Any, ...]:
        """Copies of arrays: long lists that are made and dropped here would cost the call behind it 30 us of misses."""
        return tuple(x.copy() if isinstance(x, np.ndarray) else copy.deepcopy(x) for x in made_once)

    def on_lists(*arrays: Any) -> Any:
        """The kernel as it is, on what it is written for: that is many times as fast as on elements of arrays."""
        if implementation == "NUMPY":
            return kernel(*arrays)
        for array, result in zip(arrays, after):
            if isinstance(array, np.ndarray):
                array[...] = result
        return value

    peer = "NumPy" if implementation == "NUMPY" else "Python"
    peers = {peer: lambda: kernel, "Numba": lambda: by_numba(kernel), "Numba:fastmath": lambda: by_numba(kernel, True)}
    return Loaded(kernel, arguments, lambda returned, written: (returned, written), on_lists, peers)


def by_numba(kernel: Any, fastmath: bool = False) -> Callable[..., Any]:
    """A method of the suite's compiled by Numba, which takes the numbers of its object as a named tuple."""
    import numba

    numbers = {n: v for n, v in vars(kernel.__self__).items() if isinstance(v, int | float) and not n.startswith("_")}
    own = _numbers(tuple(numbers))(**numbers)
    compiled = numba.njit(fastmath=fastmath)(kernel.__func__)
    return lambda *given: compiled(own, *given)


@functools.cache
def _numbers(names: tuple[str, ...]) -> type:
    """One class for all forms: where there are two, Numba finds the type of an argument of the second the slow way."""
    return namedtuple("Numbers", names)


def _same_name(name: str, stem: str) -> bool:
    return name.replace("-", "_").lower() == stem.strip("_").lower()


def _array(value: Any, after: Any) -> Any:
    """An array of a list, of a type that also holds what the kernel puts there: zeros in a list may become floats."""
    if not isinstance(value, list):
        return value
    made = np.array(value)
    return made.astype(np.result_type(made, np.array(after)), copy=False)


def _suite(root: Path) -> Any:
    """The suite's `benchmarks.polybench_classes`; its own package of that name takes the place of this one."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]
    for name in _MEASURING:
        sys.modules.setdefault(name, _Measuring(name))
    sys.path.insert(0, str(root))
    return importlib.import_module("benchmarks.polybench_classes")


class _Measuring(ModuleType):
    """Stands for a module that measures: has every name, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given: None


if __name__ == "__main__":
    raise SystemExit(main())
