"""Cost functions ready-made: run time of a callable, and any program with compile and run scripts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from jitmdh.atf.results.measure import combined
from jitmdh.atf.results.outcome import Cost, Invalid, Measured, as_outcome
from jitmdh.atf.space.configuration import Configuration
from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError


@entry
def run_time(
    function: Callable[..., Any], *args: Any, repeats: int = 3, warmup: int = 0, **kwargs: Any
) -> Callable[[Configuration], Cost | Invalid]:
    """Cost function: the median seconds of `function(configuration, *args, **kwargs)` over `repeats` calls.

    `warmup` calls before are not counted. A call that returns `atf.invalid(reason)` has no cost; the cost of
    `atf.Measured(value, cost)` counts instead of the time.
    """
    if repeats < 1 or warmup < 0:
        raise ConfigurationError(f"run_time: repeats must be positive, not {repeats} (warmup {warmup})")
    if not callable(function):
        raise ConfigurationError(f"run_time: {function!r} cannot be called", hint="run_time(function, arguments...)")

    def cost(configuration: Configuration) -> Cost | Invalid:
        costs: list[Cost] = []
        for number in range(warmup + repeats):
            start = perf_counter()
            value = function(configuration, *args, **kwargs)
            seconds = perf_counter() - start
            if isinstance(value, Invalid):
                return value
            if number >= warmup:
                costs.append(value.cost if isinstance(value, Measured) else seconds)
        return combined(costs)

    return cost


class ProgramCost:
    """The generic cost function of the thesis (5.6.1); see `program`."""

    def __init__(
        self,
        source: Path,
        compile_script: str | None,
        run_script: str | None,
        cost_file: str | None,
        timeout_s: float | None,
        variables: Mapping[str, Any],
        blank_lines: Collection[int],
    ) -> None:
        self.source, self.timeout_s, self.variables = source, timeout_s, dict(variables)
        self.compile_script, self.run_script = compile_script, run_script
        self.cost_file = None if cost_file is None else source.parent / cost_file
        self.directory = Path(tempfile.mkdtemp(prefix="atf-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self.directory, ignore_errors=True)
        text = source.read_text(encoding="utf-8", errors="surrogateescape")
        lines = text.splitlines(keepends=True)
        self._text = "".join("\n" if k in blank_lines else line for k, line in enumerate(lines, start=1))

    @property
    def one_at_a_time(self) -> str:
        """Why evaluations may not overlap; empty if they may."""
        return "" if self.cost_file is None else f"all of them write {self.cost_file.name}"

    def close(self) -> None:
        """Removes the generated sources and binaries."""
        self._remove()

    def generated(self, configuration: Mapping[str, Any]) -> str:
        """The source with every occurrence of a parameter's name replaced by its value."""
        return replaced(self._text, configuration)

    def __call__(self, configuration: Configuration) -> Cost | Invalid:
        """Generates, compiles, runs; the cost file's content, or the run time in seconds."""
        directory = self.directory / str(os.getpid())  # several processes may evaluate at a time
        directory.mkdir(exist_ok=True)
        source, binary = directory / self.source.name, directory / "program"
        source.write_text(self.generated(configuration), encoding="utf-8", errors="surrogateescape")
        source.chmod(self.source.stat().st_mode | 0o600)
        environment = self._environment(configuration, source, binary)
        if self.compile_script is not None:
            binary.unlink(missing_ok=True)  # what an earlier configuration left must not be measured for this one
            failure = self._run(self.compile_script, source, binary, environment, "compiling")
            if isinstance(failure, Invalid):
                return failure
        if self.cost_file is not None:
            self.cost_file.unlink(missing_ok=True)
        script = self.run_script or (str(binary) if self.compile_script else str(source))
        seconds = self._run(script, source, binary, environment, "running")
        if isinstance(seconds, Invalid) or self.cost_file is None:
            return seconds
        return read_cost(self.cost_file)

    def _environment(self, configuration: Configuration, source: Path, binary: Path) -> dict[str, str]:
        known = {**self.variables, **configuration}
        flags = [f"-D{name}={text_of(v)}" for name, v in known.items() if name.isidentifier()]
        return {
            **os.environ,
            **{f"TP_{name}": text_of(v) for name, v in known.items()},
            "ATF_SOURCE": str(source),
            "ATF_BINARY": str(binary),
            "ATF_FLAGS": shlex.join(flags),
        }

    def _run(self, script: str, source: Path, binary: Path, environment: dict[str, str], what: str) -> float | Invalid:
        """Seconds, or why it failed. The whole process group ends with it, on a time-out as on Ctrl-C."""
        start = perf_counter()
        try:
            process = subprocess.Popen(
                self._command(script, source, binary),
                cwd=self.source.parent,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:  # a format that cannot be executed, an interpreter that is not there
            return Invalid(f"{what} failed: {error.strerror}: {error.filename}")
        try:
            _, errors = process.communicate(timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            return Invalid(f"{what} took longer than {self.timeout_s} s")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        seconds = perf_counter() - start
        if process.returncode != 0:
            lines = errors.decode(errors="replace").strip().splitlines()
            said = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
            return Invalid(f"{what} failed with status {process.returncode}: {said[:200]}".rstrip(": "))
        return seconds

    def _command(self, script: str, source: Path, binary: Path) -> Sequence[str]:
        """A path to a script is run with source and binary as arguments, anything else is a shell command."""
        path = self.source.parent / script
        if path.is_file():
            if path.resolve() == self.source.resolve():
                path = source  # the tuned program is the script itself (Listing 28)
            runnable = [str(path)] if os.access(path, os.X_OK) else ["/bin/sh", str(path)]
            return [*runnable, str(source), str(binary)]
        return ["/bin/sh", "-c", script]


@entry
def program(
    source: str | Path,
    *,
    compile_script: str | None = None,
    run_script: str | None = None,
    cost_file: str | None = None,
    timeout_s: float | None = None,
    variables: Mapping[str, Any] | None = None,
    blank_lines: Collection[int] = (),
) -> ProgramCost:
    """Cost function for a program in any language (thesis 5.6.1).

    For each configuration, a copy of `source` is written with every occurrence of a parameter's name
    replaced by its value; `compile_script` compiles it and `run_script` runs it. Both are paths to scripts
    (called with the copy and the path for the binary as arguments), or shell commands that use
    $ATF_SOURCE, $ATF_BINARY, $ATF_FLAGS (-DNAME=value ...) and $TP_<name>; they run in the directory of
    `source`. The cost is what the program writes to `cost_file` (numbers separated by commas: several
    objectives), otherwise the seconds the run script takes. Failures are invalid configurations.
    """
    path = Path(source).resolve()
    if not path.is_file():
        raise ConfigurationError(f"program: there is no file {source}")
    if compile_script is None and run_script is None and not os.access(path, os.X_OK):
        raise ConfigurationError(
            f"program: {source} cannot be executed, and neither compile_script nor run_script is given",
            hint="""atf.program("p.c", compile_script='cc -O2 "$ATF_SOURCE" -o "$ATF_BINARY"')""",
        )
    return ProgramCost(path, compile_script, run_script, cost_file, timeout_s, variables or {}, blank_lines)


def replaced(text: str, configuration: Mapping[str, Any]) -> str:
    """`text` with each whole occurrence of a name replaced, all at once.

    >>> replaced("for (w = 0; w < WPT; ++w) WPT2", {"WPT": 4})
    'for (w = 0; w < 4; ++w) WPT2'
    """
    if not configuration:
        return text
    names = sorted(configuration, key=len, reverse=True)
    pattern = r"(?<!\w)(?:" + "|".join(map(re.escape, names)) + r")(?!\w)"
    return re.sub(pattern, lambda match: text_of(configuration[match[0]]), text)


def text_of(value: Any) -> str:
    """A value as it stands in source text: truth values as 1 and 0."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def read_cost(path: Path) -> Cost | Invalid:
    """The number in a cost file, or the tuple of several."""
    try:
        words = path.read_text(encoding="utf-8").replace(",", " ").split()
        numbers = [float(word) for word in words]
    except FileNotFoundError:
        return Invalid(f"the program did not write the cost file {path.name}")
    except ValueError as error:
        raise ArgumentTypeError(f"the cost file {path} holds no numbers: {error}") from error
    if not numbers:
        return Invalid(f"the cost file {path.name} is empty")
    return as_outcome(numbers[0] if len(numbers) == 1 else tuple(numbers))
