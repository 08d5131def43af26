"""Files of other tuners: Kernel Tuner's caches and the community's T4 results, read and written.

The layouts are those of Kernel Tuner 1.0 (cache files with `tune_params_keys` and `cache`) and of the auto-tuning
community's T4 schema 1.0.0 (`results` with `configuration`, `measurements` and `invalidity`).
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jitmdh.atf.results.history import History, encoded
from jitmdh.base.errors import ConfigurationError

Rows = tuple[list[str], list[list[Any]], str]
"""Parameters, then rows of their values with the cost (None: invalid) last, and the unit of the cost."""

_VERSION = "1.0.0"
_INVALID = 1e20
"""What older caches of Kernel Tuner have for a configuration that failed; newer ones have the name of the error."""
_MORE_IS_BETTER, _RATES = ("fitness",), ("/s", "/W", "/J")
"""Quantities of which Kernel Tuner takes more to be better: GFLOP/s, GB/s, GFLOPS/W, …"""


def rows_of(data: Mapping[str, Any], cost: str | None = None) -> Rows | None:
    """The rows of a Kernel Tuner cache or T4 file; None if it is neither. Raises `ConfigurationError`."""
    try:
        if "tune_params_keys" in data and "cache" in data:
            return _of_cache(data, cost)
        if "results" in data and all("configuration" in result for result in data["results"]):
            return _of_t4(data, cost)
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            "the results of another tuner cannot be read", reason=f"{type(error).__name__}: {error}.",
            hint="Kernel Tuner 1.0 caches and T4 files, schema 1.0.0, can",
        ) from error  # fmt: skip
    return None


def _of_cache(data: Mapping[str, Any], cost: str | None) -> Rows:
    names = list(data["tune_params_keys"])
    wanted = _Wanted(cost or str(data.get("objective", "time")))
    rows = []
    for entry in data["cache"].values():
        rows.append([*(_value(entry[name]) for name in names), wanted.cost(entry.get(wanted.quantity))])
    return names, rows, "ms" if wanted.of == "time" else ""


def _of_t4(data: Mapping[str, Any], cost: str | None) -> Rows:
    results: Sequence[Mapping[str, Any]] = data["results"]
    if not results:
        raise ConfigurationError("T4: there are no results")
    names, unit = list(results[0]["configuration"]), ""
    maximised = data.get("metadata", {}).get("maximised", False)
    rows = []
    for result in results:
        wanted = _Wanted(cost or (result.get("objectives") or [result["measurements"][0]["name"]])[0], maximised)
        found = None
        for measured in result.get("measurements", ()):
            if measured["name"] == wanted.quantity and (value := wanted.cost(measured["value"])) is not None:
                found, unit = value, "" if wanted.inverse else str(measured.get("unit", ""))
        valid = result.get("invalidity", "correct") == "correct"
        rows.append([*(_value(result["configuration"][name]) for name in names), found if valid else None])
    return names, rows, unit


class _Wanted:
    """What of a file is the cost: a quantity, or its inverse, `1/GFLOP/s`, where more is better. Raises
    `ConfigurationError` for such a quantity itself, as the search would look for the worst."""

    def __init__(self, of: str, maximised: bool = False) -> None:
        self.of = of
        self.inverse = of.startswith("1/")
        self.quantity = of[2:] if self.inverse else of
        if not self.inverse and (maximised or of in _MORE_IS_BETTER or of.endswith(_RATES)):
            raise ConfigurationError(
                f"{of}: more is better of it, so it is no cost", hint=f"recorded_space(…, cost={'1/' + of!r})"
            )

    def cost(self, found: Any) -> float | None:
        """Of one configuration; None: it has none."""
        if not isinstance(found, int | float) or isinstance(found, bool) or not abs(found) < _INVALID:
            return None
        return found if not self.inverse else 1 / found if found else None


def _value(value: Any) -> Any:
    """As a value of a parameter, which can be looked up."""
    if isinstance(value, Mapping):
        raise TypeError(f"{value!r} is no value of a parameter")
    return tuple(map(_value, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """As JSON has it: tuples as lists, and what JSON has no word for as text."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    found = encoded(value)
    return found["repr"] if isinstance(found, dict) else found


def write_t4(history: History, path: str | Path, *, unit: str, seed: int | None = None, machine: str = "") -> None:
    """Writes a history as T4 results: each with its cost, its unit, when it was measured, and why it is invalid.

    machine: by default this one's; with the date, the versions and the seed it stands under `metadata`, and so does
    whether more is better. Tuples are lists there, and values for which JSON has no word are text.
    """
    results = []
    for evaluation in history:
        costs = evaluation.cost if isinstance(evaluation.cost, tuple) else (evaluation.cost,)
        names = _objectives(costs)
        measured = [{"name": n, "value": c, "unit": unit} for n, c in zip(names, costs) if c is not None]
        results.append({
            "timestamp": f"+{evaluation.seconds:.6f}s",
            "configuration": {n: _plain(v) for n, v in evaluation.configuration.items()},
            "objectives": names,
            "times": {"runtimes": [c for c in costs[:1] if c is not None]},
            "invalidity": "correct" if evaluation.cost is not None else "runtime",
            "correctness": int(evaluation.cost is not None),
            "measurements": measured,
            **({"reason": evaluation.reason} if evaluation.cost is None else {}),
        })  # fmt: skip
    metadata = {**_circumstances(machine), "seed": seed, "parameters": list(history.space.names)}
    metadata |= {"maximised": True} if history.maximised else {}
    _write(path, {"schema_version": _VERSION, "metadata": metadata, "results": results})


def write_kernel_tuner(history: History, path: str | Path, *, kernel: str = "kernel", machine: str = "") -> None:
    """Writes a history as a Kernel Tuner cache; costs are times in milliseconds there, by its convention."""
    if history.maximised:
        raise ConfigurationError("a Kernel Tuner cache has times, less of which is better", hint="write_t4")
    names = list(history.space.names)
    cache: dict[str, Any] = {}
    for evaluation in history:
        values = {n: _plain(v) for n, v in evaluation.configuration.items()}
        if isinstance(evaluation.cost, tuple):
            raise ConfigurationError(
                "a Kernel Tuner cache has one cost for each configuration", hint="write_t4 keeps several objectives"
            )
        time = "RuntimeFailedConfig" if evaluation.cost is None else evaluation.cost
        times = [] if evaluation.cost is None else [evaluation.cost]
        cache[",".join(str(v) for v in values.values())] = {**values, "time": time, "times": times}
    circumstances = _circumstances(machine)
    _write(path, {
        "schema_version": _VERSION,
        "device_name": circumstances["machine"],
        "kernel_name": kernel,
        "problem_size": "",
        "tune_params_keys": names,
        "tune_params": {p.name: [_plain(v) for v in p.domain()] for p in history.space.parameters},
        "objective": "time",
        "metadata": circumstances,
        "cache": cache,
    })  # fmt: skip


def _objectives(costs: Sequence[Any]) -> list[str]:
    return ["cost"] if len(costs) == 1 else [f"cost_{k}" for k in range(len(costs))]


def _circumstances(machine: str) -> dict[str, Any]:
    try:
        ours = version("jitmdh")
    except PackageNotFoundError:
        ours = "unknown"
    return {
        "machine": machine or f"{platform.machine()} {platform.processor()} {platform.system()}".strip(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"jitmdh": ours, "python": platform.python_version()},
    }


def _write(path: str | Path, data: Mapping[str, Any]) -> None:
    try:
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written", reason=f"{error.strerror or error}.") from error
