"""The shares of lines and branches that tests reach, by package: `python -m tests.coverage_by_package coverage.json`.

The file is what `coverage json` writes. `nox -s coverage` does all of it.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

_DEEP = ("jitmdh/mdh", "jitmdh/jit")
"""Large packages: those inside of them have rows of their own."""


def package(file: str) -> str:
    """`jitmdh/mdh/kernel/passes/loops/licm.py` → `jitmdh/mdh/kernel`"""
    parts = PurePosixPath(file).parent.parts
    return "/".join(parts[: 3 if "/".join(parts[:2]) in _DEEP else 2])


def rows(report: Mapping[str, Any]) -> Iterator[tuple[str, int, float, float]]:
    """(package, lines, share of lines in %, share of branches in %), all of them last."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for file, found in report["files"].items():
        s = found["summary"]
        counts = (s["num_statements"], s["covered_lines"], s["num_branches"], s["covered_branches"])
        for name in (package(file), "all"):
            sums[name] = [total + count for total, count in zip(sums[name], counts)]
    for name in (*sorted(sums.keys() - {"all"}), "all"):
        lines, reached, branches, taken = sums[name]
        yield name, lines, 100 * reached / max(1, lines), 100 * taken / max(1, branches)


if __name__ == "__main__":
    print(f"{'package':28} {'lines':>7} {'reached':>9} {'branches':>9}")
    for name, lines, reached, taken in rows(json.loads(Path(sys.argv[1]).read_text())):
        print(f"{name:28} {lines:7,} {reached:8.1f}% {taken:8.1f}%")
