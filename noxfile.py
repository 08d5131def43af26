"""What a contributor runs, each in an environment of its own: `nox -s quick`. Install nox first: `pip install nox`.

`nox` alone runs lint, types and quick. Words after `--` go to the tool: `nox -s test -- tests/atf`.
"""

from __future__ import annotations

import nox

nox.options.sessions = ["lint", "types", "quick"]
nox.options.reuse_existing_virtualenvs = True

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
SHORT = (
    "tests/base",
    "tests/atf",
    "tests/mdh/algebra",
    "tests/mdh/lowlevel",
    "tests/mdh/kernel",
    "tests/test_architecture.py",
)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, layers and sizes."""
    session.install("-e", ".[test]")
    session.run("ruff", "check", ".")
    session.run("lint-imports", "--no-cache")
    session.run("python", "-m", "pytest", "-n", "0", "tests/test_architecture.py", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """mypy, strict."""
    session.install("-e", ".[test]")
    session.run("mypy", *session.posargs)


@nox.session(python=PYTHONS)
def test(session: nox.Session) -> None:
    """The whole suite, as continuous integration runs it, on each Python that is installed."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-n", "2", *session.posargs)


@nox.session
def nightly(session: nox.Session) -> None:
    """The whole suite with all cases of tests that take turns by day; without a pause, for half an hour or more."""
    session.install("-e", ".[test]")
    session.env["JITMDH_TESTS_DAY"] = "all"
    session.run("python", "-m", "pytest", "-n", "2", *session.posargs)


@nox.session
def quick(session: nox.Session) -> None:
    """What is over in a minute or two."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-n", "2", "-m", "not slow", *(session.posargs or SHORT))


@nox.session(python="3.14")
def coverage(session: nox.Session) -> None:
    """Lines and branches that the whole suite reaches. Only Python is counted, not the code that is generated.

    Python 3.14 counts branches by `sys.monitoring`, at nearly full speed; before, it takes several times as long.
    """
    session.install("-e", ".[test]", "coverage>=7.10")
    session.env["COVERAGE_CORE"] = "sysmon"
    session.run("coverage", "erase")
    session.run("coverage", "run", "-m", "pytest", "-n", "2", *session.posargs, success_codes=[0, 1])
    session.run("coverage", "combine", "-q")
    session.run("coverage", "report")  # what is not reached, file by file
    session.run("coverage", "json", "-q", "-o", "build/coverage.json")
    session.run("python", "-m", "tests.coverage_by_package", "build/coverage.json")


@nox.session
def docs(session: nox.Session) -> None:
    """The blocks of the pages print what the pages say; generated pages are up to date; the site is in build/site."""
    session.install("-e", ".[test]")
    pages = (
        "test_docs",
        "test_readme",
        "test_catalogue_page",
        "test_parameters_page",
        "test_rooms_page",
        "test_api_pages",
        "test_error_codes_page",
        "test_gallery_page",
        "test_site",
        "test_contributing",
    )
    session.run("python", "-m", "pytest", "-n", "2", *(f"tests/{name}.py" for name in pages), *session.posargs)
    session.run("mkdocs", "build", "--strict")


@nox.session
def long(session: nox.Session) -> None:
    """Laws and fuzzers over many new examples: hours. What they find is shrunk, and becomes a test."""
    session.install("-e", ".[test]")
    session.env["HYPOTHESIS_PROFILE"] = "long"  # and all cases of tests that take turns
    session.run("python", "-m", "pytest", "-n", "2", *(session.posargs or ("tests/laws",)))
    session.run("python", "-m", "tests.fuzz", "--seconds", "3600")


@nox.session
def mutants(session: nox.Session) -> None:
    """Small changes of the compiler's source: does a test notice each? A sample of every part; an hour."""
    session.install("-e", ".[test]")
    parts = session.posargs or (
        "dependence", "recognise", "checks", "bounds", "constraints", "capture", "emitter", "passes", "lowering",
    )  # fmt: skip
    for part in parts:
        session.run("python", "-m", "tests.mutation", part, success_codes=[0, 1])


@nox.session
def bench(session: nox.Session) -> None:
    """The thesis's computations beside the other libraries. The machine must do nothing else."""
    session.install("-e", ".[bench,peers]")
    session.run("python", "-m", "jitmdh", "bench", *(session.posargs or ("--suite", "thesis")))
