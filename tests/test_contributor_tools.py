"""What contributors start by name (noxfile.py, hooks, the container, asv) still leads to what is there."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import sys
import tomllib
import types
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

from tests.coverage_by_package import rows
from tests.mutation.parts import PARTS

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
OPTION = re.compile(r"-{1,2}[a-z]")


def installed_extras(words: list[str]) -> bool:
    """Whether an installation asks for extras of pyproject.toml only."""
    asked = [name for word in words for names in re.findall(r"^\.\[(.*)\]$", word) for name in names.split(",")]
    return bool(asked) and set(asked) <= EXTRAS.keys()


def leads_somewhere(words: list[str], others: set[str]) -> bool:
    """Whether the program, or Python's module, is installed with the tests or one of `others`, and files exist."""
    program = Path(words[0]).name
    if program == "python":
        assert words[1] == "-m"
        there = importlib.util.find_spec(words[2]) is not None
    else:
        there = program in others or bool(entry_points(group="console_scripts", name=program))
        there |= (Path(sys.executable).parent / program).exists()  # programs of wheels that are not Python's
    files = [word for word in words if word.startswith(("tests/", "jitmdh/", "benchmarks/"))]
    return there and all((ROOT / file).exists() for file in files)


class Recorder:
    """A session of nox that notes what it is told to do."""

    def __init__(self) -> None:
        self.posargs: list[str] = []
        self.env: dict[str, str] = {}
        self.installed: list[str] = []
        self.commands: list[list[str]] = []

    def install(self, *words: str) -> None:
        self.installed += words

    def run(self, *words: str, **_: object) -> None:
        self.commands.append(list(words))


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[Recorder], None]]:
    """Those of noxfile.py. nox itself need not be installed."""
    found: dict[str, Callable[[Recorder], None]] = {}

    def session(function: Callable[[Recorder], None] | None = None, **_: object) -> object:
        if function is None:
            return session
        found[function.__name__] = function
        return function

    nox = types.ModuleType("nox")
    vars(nox).update(session=session, options=types.SimpleNamespace(), Session=Recorder)
    monkeypatch.setitem(sys.modules, "nox", nox)
    spec = importlib.util.spec_from_file_location("noxfile", ROOT / "noxfile.py")
    assert spec and spec.loader
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert set(nox.options.sessions) <= found.keys()
    return found


def test_the_sessions_are_those_that_are_promised(sessions: dict[str, object]) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (said,) = re.findall(r"`nox -l` lists .*?:(.*?)\. ", text, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", said)) == sessions.keys()


def test_each_session_of_nox_leads_somewhere(sessions: dict[str, Callable[[Recorder], None]]) -> None:
    for name, function in sessions.items():
        recorder = Recorder()
        function(recorder)
        assert installed_extras(recorder.installed) and recorder.commands, name
        others = {word.partition(">")[0] for word in recorder.installed if not OPTION.match(word)}
        for command in recorder.commands:
            assert leads_somewhere(command, others), (name, command)
            if command[2:3] == ["tests.mutation"]:
                assert command[3] in PARTS


def test_coverage_is_summed_up_by_package() -> None:
    def file(*counts: int) -> dict[str, dict[str, int]]:
        return {"summary": dict(zip(("num_statements", "covered_lines", "num_branches", "covered_branches"), counts))}

    files = {
        "jitmdh/cli.py": file(10, 5, 0, 0),
        "jitmdh/mdh/kernel/ir.py": file(30, 30, 4, 4),
        "jitmdh/mdh/kernel/passes/loops/licm.py": file(10, 0, 4, 0),
        "jitmdh/atf/space/path.py": file(50, 50, 2, 1),
    }
    assert list(rows({"files": files})) == [
        ("jitmdh", 10, 50.0, 0.0),
        ("jitmdh/atf", 50, 100.0, 50.0),
        ("jitmdh/mdh/kernel", 40, 75.0, 50.0),
        ("all", 100, 85.0, 50.0),
    ]


def test_each_hook_leads_somewhere() -> None:
    configured = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repository in configured["repos"] for hook in repository["hooks"]]
    assert {"ruff-check", "ruff-format", "mypy"} <= {hook["id"] for hook in hooks}
    for hook in hooks:
        assert leads_somewhere(shlex.split(hook["entry"]), set()), hook["id"]
        assert re.compile(hook.get("files", "")).search("jitmdh/cli.py")


def test_the_container_has_what_contributors_need() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    commands = [shlex.split(command) for command in container["postCreateCommand"].split(" && ")]
    assert [installed_extras(words) for words in commands if "-e" in words] == [True]
    settings = container["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"] == f"{commands[0][-1]}/bin/python"
    assert all((ROOT / word).exists() for word in settings["python.testing.pytestArgs"] if word[0].isalpha())


def test_asv_measures_the_computations() -> None:
    settings = json.loads((ROOT / "asv.conf.json").read_text())
    spec = importlib.util.spec_from_file_location("computations", ROOT / settings["benchmark_dir"] / "computations.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    name = "matmul 10,500,64"
    assert name in module.Call.params
    call = module.Call()
    call.setup(name)
    call.time_call(name)
    assert callable(module.FirstCall.track_first_call)
    assert settings["branches"] == ["main"] and settings["repo"] == "."
