"""Mutation testing: `python -m tests.mutation dependence --seed 0 --sample 80`.

A mutant is a small change of the compiler's source. Tests that reach the changed line run, the fastest first; a mutant
that none of them notices has survived: a test is missing, the code is not needed, or the mutant means the same.
`survivors.toml` explains the survivors that are known.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

os.environ.setdefault("HYPOTHESIS_PROFILE", "mutation")

import pytest

from tests.mutation.parts import PARTS
from tests.mutation.session import ROOT, Plan, Session

SURVIVORS = Path(__file__).with_name("survivors.toml")


def _coverage_file() -> Path:
    """Where it is kept which lines each test of this checkout reaches: another one has files of other names."""
    checkout = hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"jitmdh-mutation-{os.getuid()}-{checkout}.json"


def main(arguments: list[str] | None = None) -> int:
    """A line for each mutant, and a summary. 1: something survived that is not explained; 2: there is more to do."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--sample", type=int, default=80, help="how many mutants")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests for one mutant")
    parser.add_argument("--slowest", type=float, default=6.0, help="tests that take longer are left out (seconds)")
    parser.add_argument("--again", help="the JSON of an earlier run: only what survived there")
    parser.add_argument("--json", help="where to keep what became of each mutant; those in it are not tried again")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long; 2 is returned: go on later")
    parser.add_argument("--measured", action="store_true", help="only tests whose coverage is known, as it is")
    parser.add_argument("--tests", nargs="*", help="files and folders instead of those of the part")
    given = parser.parse_args(arguments)
    covered = [file for part in PARTS for file in files_of(part)]
    tests = given.tests or [test for test in PARTS[given.part].tests if (ROOT / "tests" / test).exists()]
    again = json.loads(Path(given.again).read_text()) if given.again else []
    before = json.loads(Path(given.json).read_text()) if given.json and Path(given.json).exists() else []
    plan = Plan(
        files_of(given.part), covered, _coverage_file(),
        given.seed, given.sample, frozenset(row["name"] for row in again if row["outcome"] != "killed"),
        given.budget, given.slowest, not given.measured, given.seconds,
    )  # fmt: skip
    session = Session(plan, before)
    options = ["-n", "0", "-s", "-qq", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:faulthandler",
               "-W", "ignore:Unknown config option:pytest.PytestConfigWarning"]  # that plug-in's  # fmt: skip
    pytest.main([*options, *(str(ROOT / "tests" / test) for test in tests)], plugins=[session])
    if given.json:
        Path(given.json).write_text(json.dumps(session.rows, indent=1))
    return summary(given.part, session)


def files_of(part: str) -> list[Path]:
    """The files of a part."""
    found = [path for pattern in PARTS[part].files for path in sorted((ROOT / "jitmdh" / "mdh").glob(pattern))]
    return [path for path in found if path.name != "__init__.py"]


def summary(part: str, session: Session) -> int:
    """How many were killed. Equivalent mutants, which no test can notice, and what cannot be tried do not count."""
    explained = tomllib.loads(SURVIVORS.read_text())
    counts: Counter[str] = Counter()
    for row in session.rows:
        known = next((kind for kind in ("equivalent", "accepted") if row["name"] in explained.get(kind, {})), "open")
        kind = row["outcome"] if row["outcome"] in ("killed", "skipped") else known
        counts[kind] += 1
        if kind == "open":
            print(f"{row['outcome']}: {row['name']} (line {row['line']})")
    tried = sum(counts.values()) - counts["skipped"] - counts["equivalent"]
    share = 100 * counts["killed"] / max(tried, 1)
    print(
        f"{part}: {sum(counts.values())} of {session.candidates} mutants, {counts['killed']} killed, "
        f"{counts['equivalent']} equivalent, {counts['skipped']} that run when modules are imported, "
        f"{counts['accepted']} explained, {counts['open']} not; {share:.0f} %"
    )
    return 2 if not session.complete else 1 if counts["open"] else 0


if __name__ == "__main__":
    sys.exit(main())
