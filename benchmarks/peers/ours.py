"""How jitmdh is given a computation: the decorated nest, with the model's choice, and after `f.tune`."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import jitmdh as mdh
from benchmarks.computations import suite, wide
from benchmarks.computations.cases import Array, Case
from benchmarks.peers.libraries import Prepared
from jitmdh.demo.timing import once
from jitmdh.hca.drivers.native_code.cpu_compile import target_identity
from jitmdh.jit.compilation.code_cache import versions

OURS, TUNED = "jitmdh", "tuned"
_FIRST_CALLS = 5


@dataclass(frozen=True)
class Untuned:
    """The decorated nest as the model configures it, and what `explain` says of it."""

    function: Any
    prepared: Prepared

    def held_back(self, outputs: list[Array], inputs: list[Array]) -> tuple[str, ...]:
        """What `explain` names as reasons, where the call is far from the limit."""
        report = self.function.explain(*outputs, *inputs)
        rows = [row for section in report.sections if section.title == "held back by" for row in section.rows]
        return tuple(f"{row.subject}: {row.text}" if row.subject else row.text for row in rows)


def untuned(case: Case, outputs: list[Array], inputs: list[Array]) -> Untuned:
    """Into arrays that are there already. No tuning: what the model chooses."""
    function = mdh.jit(tune="off", target=case.runs_on)(case.nest)
    return Untuned(function, Prepared(lambda: function(*outputs, *inputs), lambda _: outputs))


def compile_seconds(case: Case, outputs: list[Array], inputs: list[Array]) -> float:
    """What a first call takes longer than the next one: the median of a few functions that are decorated anew.

    Code is written to a cache, as it is for users, but found in none; the compiler itself is loaded.
    """
    waited = []
    with tempfile.TemporaryDirectory() as folder, mdh.config(cache_dir=folder):
        for _ in range(_FIRST_CALLS):
            mdh.cache.clear()
            call = untuned(case, outputs, inputs).prepared.call
            first, second = once(call), once(call)
            waited.append(first - second)
    return max(0.0, median(waited))


@dataclass(frozen=True)
class Tuning:
    """What `f.tune` did: seconds and evaluations; changes of the model's configuration, none if that stayed."""

    seconds: float
    evaluations: int
    changes: dict[str, int | str]


def tuned(case: Case, outputs: list[Array], inputs: list[Array], seconds: float) -> tuple[Prepared, Tuning]:
    """The decorated nest after `f.tune` of at most so many seconds for these very arguments.

    Each row has a cache of its own, since rows of one shape class would take the place of each other's code. What an
    earlier run has found there is not searched again, but loaded.
    """
    place, earlier = _place(case), known(case)
    with mdh.config(cache_dir=place):
        function = mdh.jit(case.nest)
        function(*outputs, *inputs)
        found = earlier if function.stats().cache_hits else None
        if found is None:
            report = function.tune(*outputs, *inputs, seconds=seconds, progress=False)
            print(f"    {report}".replace("\n", "\n    "), file=sys.stderr, flush=True)
            found = Tuning(report.seconds, report.evaluations, dict(report.changes))
            (place / _FOUND).write_text(json.dumps({"made by": _maker(), "tuning": asdict(found)}))
    return Prepared(lambda: function(*outputs, *inputs), lambda _: outputs), found


_FOUND = "found.json"


def known(case: Case) -> Tuning | None:
    """What an earlier run has found for a row; None if there is nothing that still holds."""
    file = _place(case) / _FOUND
    kept = json.loads(file.read_text()) if file.exists() else {}
    return Tuning(**kept["tuning"]) if kept.get("made by") == _maker() else None


def _place(case: Case) -> Path:
    return Path(mdh.config.cache_dir) / "tuned" / re.sub(r"\W+", "-", f"{case.name} {case.dtype}")


def _maker() -> str:
    """What tuning depends on besides the row: versions, the processor, the texts of the nests."""
    nests = zlib.crc32(Path(suite.__file__).read_bytes() + Path(wide.__file__).read_bytes())
    return f"{versions()} {target_identity()} {nests:08x}"
