"""`python -m jitmdh atf FILE args...`: tunes an annotated program, writes the best configuration as JSON."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from jitmdh.atf.directives.directives import Specification, read_directives
from jitmdh.atf.directives.programs import ProgramCost, program
from jitmdh.atf.directives.server import Server, serve_socket, serve_stream
from jitmdh.atf.results.measure import maximise
from jitmdh.atf.results.outcome import InvalidConfiguration
from jitmdh.atf.results.result import TuningResult
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.parallel import Where
from jitmdh.atf.tuning.tuner import Tuner, tuner
from jitmdh.base.errors import ConfigurationError, MdhError

CostOf = Callable[[Specification], Callable[[Configuration], Any]]
"""Makes the cost function of a file whose directives are for a kind of device, such as `#atf::ocl::input`."""


def main(argv: Sequence[str] | None = None, devices: Mapping[str, CostOf] | None = None) -> int:
    """Exit status 0 with a best configuration, 1 without, 2 for a mistake in the directives or arguments.

    devices: who makes cost functions, by the first word of the directives that they know ("ocl").
    """
    options = _parser().parse_args(argv)
    try:
        return _tune(options, devices or {})
    except MdhError as error:
        print(error, file=sys.stderr)
        mistake = isinstance(error, ConfigurationError) and not isinstance(error, InvalidConfiguration)
        return 2 if mistake else 1
    except OSError as error:
        print(f"{error.filename or options.file}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted before any configuration was measured", file=sys.stderr)
        return 1


_EXAMPLE = """directives stand in comments of FILE, in any language, such as

  // #atf::var::N $1
  // #atf::tp name "TILE" range interval<int>(1, N) constraint divides(N)
  // #atf::compile_script cc -O2 $ATF_FLAGS "$ATF_SOURCE" -o "$ATF_BINARY"
  // #atf::run_script     "$ATF_BINARY"
  // #atf::cost_file      cost.txt                 (without it, the run time is the cost)
  // #atf::search_technique auc_bandit             (may be left out)
  // #atf::abort_condition duration<minutes>(10) || evaluations(1000)

Ctrl-C writes the best configuration found so far."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jitmdh atf",
        description="Tune the program in FILE by its #atf:: directives.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="a source file with #atf:: directives, or JSON")
    parser.add_argument("arguments", nargs="*", help="what $1, $2, ... in the directives stand for")
    parser.add_argument("-o", "--output", type=Path, help="best configuration (default: FILE.best.json)")
    parser.add_argument("--report", type=Path, help="write an HTML report")
    parser.add_argument("--live", type=Path, help="write the report again and again, as a page that refreshes itself")
    parser.add_argument("--maximise", action="store_true", help="of what is in the cost file, more is better")
    parser.add_argument("--prune", type=float, help="end evaluations that take so many times as long as the best one's")
    parser.add_argument("--history", type=Path, help="keep all evaluations (JSON lines) and resume from them")
    parser.add_argument("--seed", type=int, default=0, help="seed of the search (default 0)")
    parser.add_argument("--repeats", type=int, default=1, help="measurements per configuration, with racing")
    parser.add_argument("--timeout", type=float, help="seconds after which compiling or running is given up")
    parser.add_argument("--pareto", action="store_true", help="find the Pareto front of several objectives")
    parser.add_argument("--workers", type=int, help="evaluate so many configurations at a time")
    parser.add_argument("--serve", action="store_true", help="do not measure: answer requests, a line of JSON each, "
                        "from standard input: {\"ask\": true}, {\"tell\": ID, \"cost\": NUMBER}")  # fmt: skip
    parser.add_argument("--socket", type=Path, help="the same on a local socket, for several programs at a time")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    return parser


def _tune(options: argparse.Namespace, devices: Mapping[str, CostOf]) -> int:
    found = read_directives(options.file, options.arguments)
    if options.serve or options.socket is not None:
        return _serve(found, options)
    cost = _cost(found, options, devices)
    search = _tuner(found.parameters, options)
    if found.search_technique is not None:
        search.search_technique(found.search_technique)
    try:
        where: Where = {} if options.workers is None else {"workers": options.workers}
        if options.prune is not None:
            where["prune"] = options.prune
        if options.live is not None:
            where["live"] = options.live
        result = search.tune(maximise(cost) if options.maximise else cost, found.abort_condition, **where)
    finally:
        if isinstance(cost, ProgramCost):
            cost.close()
    _written(result, options, sys.stdout)
    return 0


def _written(result: TuningResult, options: argparse.Namespace, shown: TextIO) -> None:
    output = options.output or options.file.with_name(options.file.name + ".best.json")
    result.save_json(output)
    if options.report is not None:
        result.report(options.report)
    print(result, file=shown)
    print(f"written to {output}", file=shown)


def _serve(found: Specification, options: argparse.Namespace) -> int:
    """Lets programs measure themselves; standard output is for answers only."""
    search = _tuner(found.parameters, options)
    if found.search_technique is not None:
        search.search_technique(found.search_technique)
    if found.abort_condition is not None:
        search.abort_condition(found.abort_condition)
    server = Server(search)
    with contextlib.suppress(KeyboardInterrupt):
        if options.socket is not None:
            serve_socket(server, options.socket)
        else:
            serve_stream(server, sys.stdin, sys.stdout)
    _written(search.result("the client ended"), options, sys.stderr)
    return 0


def _cost(
    found: Specification, options: argparse.Namespace, devices: Mapping[str, CostOf]
) -> Callable[[Configuration], Any]:
    kinds = list(dict.fromkeys(piece.name.split("::")[0] for piece in found.other))
    if kinds:
        if len(kinds) > 1 or kinds[0] not in devices:
            raise ConfigurationError(
                f"the directives #atf::{kinds[-1]}::... are not understood"
                + (f" beside #atf::{kinds[0]}::..." if len(kinds) > 1 else ""),
                loc=next(piece.loc for piece in found.other if piece.name.startswith(f"{kinds[-1]}::")),
                hint="give #atf::compile_script and #atf::run_script instead.",
            )
        return devices[kinds[0]](found)
    if found.compile_script is None and found.run_script is None:
        raise ConfigurationError(
            f"{options.file}: neither #atf::compile_script nor #atf::run_script is given",
            hint='#atf::compile_script cc -O2 "$ATF_SOURCE" -o "$ATF_BINARY"',
        )
    return program(
        found.source,
        compile_script=found.compile_script,
        run_script=found.run_script,
        cost_file=found.cost_file,
        timeout_s=options.timeout,
        variables=found.variables,
        blank_lines=found.directive_lines,
    )


def _tuner(parameters: Sequence[object], options: argparse.Namespace) -> Tuner:
    search = tuner(*parameters, pareto=options.pareto, seed=options.seed)  # type: ignore[arg-type]
    search.repeats(options.repeats).progress(not options.quiet and sys.stderr.isatty())
    if options.history is not None:
        search.history(options.history)
    return search
