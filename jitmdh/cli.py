"""The command line: `jitmdh`, or `python -m jitmdh`, with one of the commands below.

Exit status: 0 done, 1 it failed or a check did, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import jitmdh
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError, DeviceError, MdhError

_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
_TYPES |= {f"{sign}{bits}": f"{name}{bits}" for sign, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)}
_ARGUMENTS = "its arguments: arrays as TYPE[EXTENT,…], random data, such as f32[512,64]; all else as Python literals"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; errors of the user and of the machine are shown without a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] == ["bench"]:
            return bench(arguments[1:])
        if arguments[:1] == ["atf"]:
            return atf(arguments[1:])
        options = _parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except MdhError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # who reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jitmdh", description="jitmdh: plain Python loop nests and einsums at the speed of the machine."
    )
    parser.add_argument("--version", action="version", version=f"jitmdh {jitmdh.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], about: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about)
        sub.set_defaults(command=command)
        return sub

    sub = add("demo", demo, "blur a photograph, read handwritten digits; every result checked, beside NumPy and Numba")
    sub.add_argument("--output", type=Path, default=Path("demo-output"), metavar="DIR", help="where pictures go")
    sub.add_argument("--without-numba", action="store_true", help="leave the comparison with Numba out")
    add("devices", devices, "list the devices that functions can run on")
    add("calibrate", calibrate, "measure this processor, for the model that chooses configurations; it is kept")
    sub = add("cache", cache, "what is kept on disk: show it, clear it, or ask why a call was compiled anew")
    sub.add_argument("action", nargs="?", choices=("info", "clear", "why"), default="info")
    sub.add_argument("function", nargs="?", metavar="MODULE:FUNCTION", help="for why")
    sub.add_argument("arguments", nargs="*", metavar="ARGUMENT", help=_ARGUMENTS)
    sub = add("tune", tune, "tune a decorated function for given arguments; the result is kept")
    _add_function(sub)
    sub.add_argument("--seconds", type=float, help="stop after this time")
    sub.add_argument("--evaluations", type=int, help="stop after this many configurations")
    sub = add("explain", explain, "say how a decorated function is compiled for given arguments, and why so")
    _add_function(sub)
    sub.add_argument("--stage", help="show the function at this stage instead: trace, mdh, lowlevel, kernel, …")
    sub.add_argument("--config", action="store_true", help="print its configuration instead, as JSON for `schedule`")
    sub.add_argument("--html", type=Path, metavar="FILE", help="write it as a page instead: source, stages, roofline")
    sub.add_argument("--no-measure", action="store_true", help="do not run it")
    sub = add("draw", draw, "draw how a decorated function is de-composed and re-composed for given arguments, as SVG")
    _add_function(sub)
    sub.add_argument("--out", type=Path, required=True, metavar="FILE.svg", help="where the picture goes")
    commands.add_parser("atf", help="tune any program from its annotated source: atf FILE [ARGUMENT …]")
    commands.add_parser("bench", help="measure against other libraries; see bench --help")
    return parser


def _add_function(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="such as kernels:matvec or path/kernels.py:matvec")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help=_ARGUMENTS)


# ------------------------------------------------------------------------------------------------- commands


def demo(options: argparse.Namespace) -> int:
    from jitmdh.demo.main import run

    return run(options.output, with_numba=not options.without_numba)


def devices(options: argparse.Namespace) -> int:
    from jitmdh.base.cores import usable_cores
    from jitmdh.base.settings import config
    from jitmdh.hca import registry
    from jitmdh.hca.drivers.native_code.cpu_compile import features_named
    from jitmdh.mdh.machine.host import host

    machine = host(features_named(), usable_cores())
    caches = ", ".join(f"{m.name} {_size(m.capacity_bytes)}" for m in machine.memory if m.name.startswith("L"))
    print(
        f"cpu  {machine.cores} cores, {config.num_threads} threads in use, {machine.vector_bits}-bit vectors; {caches}"
    )
    for target in ("opencl", "cuda"):
        try:
            print(*registry.devices(target), sep="\n")
        except DeviceError as error:
            print(f"{target}: {error}")
            continue
        for device in registry.unusable_devices(target):
            if device.trouble is not None:
                print(f"{device} is not usable\n  {device.trouble.reason}\n  hint: {device.trouble.remedy}")
    return 0


def calibrate(options: argparse.Namespace) -> int:
    from jitmdh.jit.execution import calibration

    shown = sys.stderr.isatty()
    found = calibration.calibrate(lambda step: print(f"\r{step} …\x1b[K", end="", file=sys.stderr) if shown else None)
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr)
    print(found.table())
    return 0


def _size(size_bytes: int) -> str:
    """
    >>> _size(48 << 10), _size(32 << 20)
    ('48 KiB', '32 MiB')
    """
    return f"{size_bytes >> 20} MiB" if size_bytes >= 1 << 20 else f"{size_bytes >> 10} KiB"


def cache(options: argparse.Namespace) -> int:
    from jitmdh.jit.compilation.code_cache import cache as kept

    if options.action == "why":
        if options.function is None:
            raise ConfigurationError("cache why: which function?", hint="cache why MODULE:FUNCTION ARGUMENT …")
        reason = kept.why(*_call(options))
        print(reason or "its code is in the cache")
    elif options.action == "clear":
        kept.clear()
        print("cleared")
    else:
        print(kept.info())
    return 0


def tune(options: argparse.Namespace) -> int:
    function, *arguments = _call(options)
    limits = {name: getattr(options, name) for name in ("seconds", "evaluations") if getattr(options, name) is not None}
    print(function.tune(*arguments, **limits))
    return 0


def explain(options: argparse.Namespace) -> int:
    function, *arguments = _call(options)
    if options.stage:
        print(function.inspect(*arguments, stage=options.stage))
    elif options.config:
        print(json.dumps(function.config(*arguments), indent=2))
    else:
        found = function.explain(*arguments, measure=not options.no_measure)
        print(found if options.html is None else f"written: {found.report(options.html)}")
    return 0


def draw(options: argparse.Namespace) -> int:
    function, *arguments = _call(options)
    try:
        options.out.write_text(str(function.draw(*arguments)), encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{options.out} cannot be written: {error.strerror}") from None
    print(f"written: {options.out}")
    return 0


def _call(options: argparse.Namespace) -> list[Any]:
    """The function and its arguments. ArgumentTypeError if these are too few or too many."""
    function, arguments = function_named(options.function), [*map(argument, options.arguments)]
    signature = inspect.signature(function.py_func)
    try:
        signature.bind(*arguments)
    except TypeError as error:
        text = f"{options.function}: {error}"
        raise ArgumentTypeError(text, hint=f"its parameters are {', '.join(signature.parameters)}") from None
    return [function, *arguments]


def bench(arguments: Sequence[str]) -> int:
    """Hands on to `benchmarks/`, which is part of the repository but not of the installed package."""
    if importlib.util.find_spec("benchmarks") is None:
        root = Path(__file__).parents[1]
        if not (root / "benchmarks" / "__init__.py").exists():
            raise DeviceError(
                "the benchmarks are not part of the installed package",
                hint="run it in a clone of the repository, which has the folder benchmarks/",
            )
        sys.path.append(str(root))
    return int(importlib.import_module("benchmarks.bench.main").main(arguments))


def atf(arguments: Sequence[str]) -> int:
    """The tuner's own command line, with cost functions for kernels."""
    from jitmdh.atf.directives.commandline import main as tune_file
    from jitmdh.kernels.directives import LANGUAGES, cost_function

    return tune_file(arguments, dict.fromkeys(LANGUAGES, cost_function))


# ----------------------------------------------------------------------------------------- names and arguments


def function_named(text: str) -> Any:
    """The decorated function that MODULE:FUNCTION or FILE.py:FUNCTION names. ConfigurationError if there is none."""
    place, _, name = text.rpartition(":")
    if not place or not name:
        raise ConfigurationError(f"`{text}` names no function", hint="MODULE:FUNCTION, such as kernels:matvec")
    found: Any = _module(place)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ConfigurationError(f"`{place}` has no `{name}`")
        found = getattr(found, part)
    if not hasattr(found, "py_func"):
        raise ConfigurationError(f"`{text}` is not decorated with @mdh.jit")
    return found


def _module(place: str) -> ModuleType:
    if place.endswith(".py"):
        if not Path(place).is_file():
            raise ConfigurationError(f"there is no file `{place}`")
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(module.__name__, module)
        spec.loader.exec_module(module)
        return module
    here = os.getcwd()
    if here not in sys.path and not sys.flags.safe_path:  # as of `python -m jitmdh`; a script has its own folder there
        sys.path.insert(0, here)
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{place}.".startswith(f"{error.name}."):
            raise  # the module is there, but imports another that is not
        raise ConfigurationError(
            f"there is no module `{place}`", hint="run the command where the module is, or give the path of its file"
        ) from None


def argument(text: str) -> Any:
    """One argument of a call, from its text.

    >>> argument("f32[2,3]").shape, argument("0.5"), argument("-1")
    ((2, 3), 0.5, -1)
    """
    found = re.fullmatch(r"(\w+)\[([\d, ]*)\]", text)
    if found is None:
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise ArgumentValueError(
                f"argument `{text}` is neither an array nor a Python literal", hint="such as f32[512,64], or 0.5"
            ) from None
    return _array(found[1], tuple(int(extent) for extent in found[2].split(",") if extent.strip()))


def _array(element: str, shape: tuple[int, ...]) -> Any:
    import numpy as np

    random = np.random.default_rng(0)
    try:
        dtype = np.dtype(_TYPES.get(element, element))
    except TypeError:
        raise ArgumentValueError(f"there is no element type `{element}`", hint=f"types: {', '.join(_TYPES)}") from None
    if dtype.kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)
