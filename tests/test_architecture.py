"""The rules of the house (CONTRIBUTING.md), checked on the code as it stands."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure

pytestmark = pytest.mark.in_turns(1)  # every day

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "jitmdh"
WINGS = ("mdh", "atf", "hca")
FILE_LINES, CLASS_LINES, FUNCTION_LINES, ROOM_FILES = 600, 300, 60, 12
HEAVY = ("numba", "llvmlite", "islpy", "rich", "sklearn", "scipy", "PIL", "platformdirs", "psutil",
         "opt_einsum", "pyopencl", "cupy", "ml_dtypes")  # fmt: skip
OPTIONAL = ("pyopencl", "cupy", "sklearn", "PIL", "ml_dtypes", "torch", "jax", "dask", "distributed", "zarr")


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


OWN = sources("jitmdh")
ALL = sources("jitmdh", "tests", "benchmarks", "examples", "docs")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Trees of all files are 400 MB of small objects, which each later garbage collection would look at."""
    yield
    tree.cache_clear()


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Who imports whom; imports inside functions and under TYPE_CHECKING count."""
    return grimp.build_graph("jitmdh", cache_dir=None)


# ----------------------------------------------------------------------------------------------------- imports


def test_layers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The contracts of `[tool.importlinter]` in pyproject.toml."""
    monkeypatch.chdir(ROOT)
    configure()
    kept = lint_imports(cache_dir=None)
    assert kept, capsys.readouterr().out


def test_a_wing_imports_itself_and_the_ground_floor_only(graph: grimp.ImportGraph) -> None:
    foreign = []
    for module in sorted(graph.modules):
        own = module.split(".")[1] if "." in module else ""
        if own not in (*WINGS, "base"):
            continue
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if imported.split(".")[1:2] not in ([own], ["base"]):
                foreign.append(f"{module} imports {imported}")
    assert not foreign


def test_no_import_circle(graph: grimp.ImportGraph) -> None:
    circles = set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            chain = graph.find_shortest_chain(imported, module)
            if chain is not None:
                first = chain.index(min(chain))  # the same circle is found from each of its modules: start at one
                circles.add(" -> ".join((*chain[first:], *chain[: first + 1])))
    assert not circles


def room_of(module: str, graph: grimp.ImportGraph) -> str:
    """The package that a module lies in; a package's own `__init__` hands names on and counts for no room."""
    return "" if graph.find_children(module) else module.rpartition(".")[0]


def test_no_circle_of_packages(graph: grimp.ImportGraph) -> None:
    """Files that lie in the same folder are one room; rooms import each other in one direction."""
    rooms: dict[str, set[str]] = {}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            one, other = room_of(module, graph), room_of(imported, graph)
            if one and other and one != other:
                rooms.setdefault(one, set()).add(other)
    reached = {room: set(found) for room, found in rooms.items()}
    for middle in list(reached):
        for found in reached.values():
            if middle in found:
                found |= reached[middle]
    assert not sorted(room for room, found in reached.items() if room in found)


def test_rooms_are_small() -> None:
    folders = {path.parent for path in (*OWN, *sources("benchmarks"))}
    sizes = {shown(folder): len([p for p in folder.glob("*.py") if p.name != "__init__.py"]) for folder in folders}
    assert not {folder: size for folder, size in sizes.items() if size > ROOM_FILES}


@cache
def imports(path: Path) -> frozenset[str]:
    """Full names of all that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{shown(path)}:{node.lineno}: relative import"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


@pytest.mark.parametrize(
    ("driver", "home"),
    [
        ("llvmlite.binding", r"hca/drivers/native_code/cpu_compile\.py"),
        ("llvmlite.ir", r"nowhere"),
        ("pyopencl", r"hca/drivers/(copies/)?\w+\.py"),
        ("cupy", r"hca/drivers/\w+\.py"),
    ],
)
def test_a_driver_is_known_in_one_place(driver: str, home: str) -> None:
    strangers = [
        shown(path)
        for path in OWN
        if any(f"{name}.".startswith(f"{driver}.") for name in imports(path))
        and not re.fullmatch(home, path.relative_to(PACKAGE).as_posix())
    ]
    assert not strangers


# ------------------------------------------------------------------------------------------------- import effects


def python(program: str, warnings: str = "error") -> str:
    command = [sys.executable, "-W", warnings, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_loads_nothing_heavy() -> None:
    program = f"import sys, jitmdh; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    assert python(program) == ""


def test_classes_of_fields_are_cheap_to_define() -> None:
    """`dataclass` of the standard library takes three times as long, in each process that compiles."""
    imports = re.compile(r"^ *from dataclasses import .*\bdataclass\b", re.MULTILINE)
    found = [path for path in OWN if path.name != "records.py" and imports.search(path.read_text())]
    assert not found, "from jitmdh.base.records import dataclass"


def test_importing_has_no_side_effects() -> None:
    program = """
import os, signal, sys, threading, warnings, numpy
state = lambda: (
    dict(os.environ), os.getcwd(), threading.active_count(),
    sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc") else [],
    {number: signal.getsignal(number) for number in signal.valid_signals()},
    list(warnings.filters), sys.excepthook, numpy.geterr(), sys.getrecursionlimit(),
)
before = state()
import jitmdh
assert state() == before
"""
    python(program)


def test_every_module_can_be_imported() -> None:
    program = f"""
import importlib, pkgutil, jitmdh
for found in pkgutil.walk_packages(jitmdh.__path__, "jitmdh."):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] not in {OPTIONAL!r}:
                raise
"""
    python(program, warnings="default")


# ------------------------------------------------------------------------------------------------- locks and forks


def test_one_place_hooks_into_forks_and_has_the_locks_of_the_process() -> None:
    """A lock that lives as long as the process is a `ProcessLock`: those have one order, and no child inherits them."""
    own = PACKAGE / "base" / "process" / "forks.py"
    strangers = []
    for path in OWN:
        outside = [n for n in tree(path).body if not isinstance(n, (ast.ClassDef, ast.FunctionDef))]
        locks = {"threading.Lock", "threading.RLock", "threading.Condition", "threading.Semaphore", "threading.Event"}
        made = {ast.unparse(call.func) for n in outside for call in ast.walk(n) if isinstance(call, ast.Call)}
        if path != own and (made & locks or "register_at_fork" in path.read_text()):
            strangers.append(shown(path))
    assert not strangers


# --------------------------------------------------------------------------------------------------- who knows what


def named(path: Path) -> set[str]:
    """Names that a file gives to functions, classes, variables and attributes."""
    found = set()
    for node in ast.walk(tree(path)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Constant(value=str() as name):  # __slots__
                found.add(name)
    return found


def test_private_members_are_used_in_their_file_only() -> None:
    """What a class inherits is its own. Names that no file of ours gives are other people's (`os._exit`), and so are
    the `_fields` of a named tuple."""
    names = {path: named(path) for path in OWN}
    ours = set().union(*names.values())
    strangers = []
    for path in OWN:
        for node in ast.walk(tree(path)):
            match node:
                case ast.Attribute(value=ast.Name(id="self" | "cls") | ast.Call(func=ast.Name(id="super"))):
                    continue
                case ast.Attribute(attr=name):
                    used = [name]
                case ast.ImportFrom(module=str() as module) if module.startswith("jitmdh"):
                    used = [alias.name for alias in node.names]
                case _:
                    continue
            private = [n for n in used if n.startswith("_") and not n.endswith("_") and n != "_fields"]
            strangers += [f"{shown(path)}:{node.lineno}: {n}" for n in private if n in ours - names[path]]
    assert not strangers


def test_no_target_is_asked_for_its_name() -> None:
    """What differs is a property of its back end (`jit/compilation/backend.py`)."""
    names = {"cpu", "opencl", "cuda"}
    comparisons = [
        f"{shown(path)}:{node.lineno}"
        for path in sources("jitmdh/jit")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Compare)
        and any(isinstance(side, ast.Constant) and side.value in names for side in (node.left, *node.comparators))
    ]
    assert not comparisons


def test_one_pass_is_one_file_with_one_golden() -> None:
    room = "jitmdh.mdh.kernel.passes."
    targets = [path for path in OWN if path.match("jitmdh/mdh/targets/*/target.py")]
    passes = sorted({name for path in targets for name in imports(path) if name.startswith(room)})
    homes = [name.rpartition(".")[0].replace(".", "/") for name in passes]
    assert len(homes) > 10 and len(set(homes)) == len(homes)
    for home in homes:
        says = ast.get_docstring(tree(ROOT / f"{home}.py")) or ""
        assert all(re.search(f"^{word}: ", says, re.MULTILINE) for word in ("Before", "Requires", "Ensures")), home
        folder, _, name = home.removeprefix("jitmdh/").rpartition("/")
        assert 'text("""' in (ROOT / "tests" / folder / f"test_{name}.py").read_text(), home


# ----------------------------------------------------------------------------------------------- size and naming


def test_files_and_functions_are_short() -> None:
    sizes = {shown(path): len(path.read_text().splitlines()) for path in ALL}
    assert not {path: lines for path, lines in sizes.items() if lines > FILE_LINES}
    lengths = {
        f"{shown(path)}:{node.lineno}: {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in ALL
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert not {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES}


def test_classes_are_short() -> None:
    lengths = {
        (shown(path), node.name): (node.end_lineno or node.lineno) - node.lineno + 1
        for path in OWN
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    }
    long = {where: length for where, length in lengths.items() if length > CLASS_LINES}
    assert not long


def test_names_of_classes_say_which_they_are() -> None:
    classes = Counter(node.name for path in OWN for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))
    assert {name for name, count in classes.items() if count > 2} <= {"Kernel"}  # of devices, of the IR, of tensors


def test_no_file_is_named_for_having_no_subject() -> None:
    nameless = {"utils", "util", "common", "helpers", "helper", "misc", "tools", "stuff"}
    assert not [shown(path) for path in ALL if path.stem in nameless]


def hands_names_on(node: ast.stmt) -> bool:
    """Whether a statement belongs into `__init__.py`: docstring, import, literal, or the lazy form of an import."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            try:
                ast.literal_eval(value)
            except ValueError:
                return False
            return True
        case ast.FunctionDef(name="__getattr__" | "__dir__"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return all(isinstance(inner, (ast.Import, ast.ImportFrom)) for inner in node.body) and not node.orelse
    return False


def test_init_only_hands_names_on() -> None:
    packages = [path for path in OWN if path.name == "__init__.py"]
    assert not [f"{shown(path)}:{n.lineno}" for path in packages for n in tree(path).body if not hands_names_on(n)]


# --------------------------------------------------------------------------------------------------- repository

INDEX_NAMES = ("py" + "pi.org", "python" + "hosted", "ana" + "conda.org", "--index" + "-url", "--extra-index" + "-url")
MACHINE_PATHS = (r"(?<![\w.])/work" + r"/", r"(?<![\w.])/ro" + r"ot/", r"(?<![\w.])/ho" + r"me/\w")
FORBIDDEN = re.compile("|".join((*map(re.escape, INDEX_NAMES), *MACHINE_PATHS)), re.IGNORECASE)


def repository_files() -> list[Path]:
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = []
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if not name.startswith(".") and not name.endswith(".egg-info")]
        found += [Path(folder, name) for name in names]
    return found


def test_nothing_names_a_package_index_or_a_path_of_someones_machine() -> None:
    named = []
    for path in repository_files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        lines = enumerate(text.splitlines(), 1) if FORBIDDEN.search(text) else ()
        named += [f"{shown(path)}:{number}: {line.strip()[:100]}" for number, line in lines if FORBIDDEN.search(line)]
    assert not named
