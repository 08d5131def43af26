"""Mutation testing: `python -m tests.mutation dependence --seed 0 --sample 80`.

A mutant is a small change of the compiler's source. Tests that reach the changed line run, the fastest first; a mutant
that none of them notices has survived: a test is missing, the code is not needed, or the mutant means the same.
`survivors.toml` explains the survivors that are known.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

os.environ.setdefault("HYPOTHESIS_PROFILE", "mutation")

import pytest

from tests.mutation.parts import PARTS, TESTS, UNRELATED
from tests.mutation.session import ROOT, Outcome, Session

SURVIVORS = Path(__file__).with_name("survivors.toml")


def main(arguments: list[str] | None = None) -> int:
    """Mutates, prints a line for each mutant and a summary; 1 if something survived that is not explained."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("part", choices=[*PARTS, "all"])
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--sample", type=int, default=80, help="how many mutants")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of tests for one mutant")
    parser.add_argument("--slowest", type=float, default=3.0, help="tests that take longer are left out (seconds)")
    parser.add_argument("--again", help="the JSON of an earlier run: only what survived there")
    parser.add_argument("--json", help="where to write what became of each mutant")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="files and folders")
    given = parser.parse_args(arguments)
    covered = [file for part in PARTS for file in files_of(part)]
    files = covered if given.part == "all" else files_of(given.part)
    only = json.loads(Path(given.again).read_text()) if given.again else []
    place = Path(tempfile.gettempdir()) / f"jitmdh-mutation-{os.getuid()}.json"
    session = Session(
        files, covered, place, given.seed, given.sample, given.budget, given.slowest,
        frozenset(row["name"] for row in only if row["outcome"] != "killed"), tuple(given.tests),
    )  # fmt: skip
    options = ["-n", "0", "-s", "-qq", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    options += [f"--ignore={path}" for path in UNRELATED]
    pytest.main([*options, *map(str, given.tests)], plugins=[session])
    if given.json:
        Path(given.json).write_text(json.dumps([row(outcome) for outcome in session.outcomes], indent=1))
    return summary(given.part, session)


def files_of(part: str) -> list[Path]:
    """The files of a part."""
    found = [path for pattern in PARTS[part] for path in sorted((ROOT / "jitmdh" / "mdh").glob(pattern))]
    return [path for path in found if path.name != "__init__.py"]


def row(outcome: Outcome) -> dict[str, object]:
    mutant = outcome.mutant
    return {
        "name": mutant.name, "line": mutant.line, "kind": mutant.kind,
        "outcome": outcome.outcome, "test": outcome.test, "tests": outcome.tests,
    }  # fmt: skip


def summary(part: str, session: Session) -> int:
    """How many were killed. Equivalent mutants, which no test can notice, do not count."""
    explained = tomllib.loads(SURVIVORS.read_text())
    counts: Counter[str] = Counter()
    for outcome in session.outcomes:
        name = outcome.mutant.name
        known = next((kind for kind in ("equivalent", "accepted") if name in explained.get(kind, {})), "unexplained")
        counts[outcome.outcome if outcome.outcome in ("killed", "skipped") else known] += 1
        if outcome.outcome not in ("killed", "skipped") and known == "unexplained":
            print(f"{outcome.outcome}: {name} (line {outcome.mutant.line})")
    tried = sum(counts.values()) - counts["skipped"] - counts["equivalent"]
    share = 100 * counts["killed"] / max(tried, 1)
    print(
        f"{part}: {len(session.outcomes)} of {session.candidates} mutants, {counts['killed']} killed, "
        f"{counts['equivalent']} equivalent, {counts['accepted']} explained, {counts['unexplained']} not; {share:.0f} %"
    )
    return 1 if counts["unexplained"] else 0


if __name__ == "__main__":
    sys.exit(main())
