"""The Python blocks of the documentation run, in order, and print what the page says they print.

`python tests/test_docs.py` writes what they print into the pages.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.targets.llvm.target import PASSES

pytestmark = pytest.mark.in_turns(1)  # every day

ROOT = Path(__file__).parents[1]
PAGES = ("quickstart.md", "loops.md", "einsum.md", "arrays.md", "indirect.md", "arguments.md", "operators.md",
         "explicit.md", "errors.md", "numerics.md", "reliability.md", "architecture.md", "schedules.md", "online.md",
         "wisdom.md", "index.md", "faq.md", "from_numba.md", "from_jax.md", "from_cython.md", "from_triton.md",
         "tutorial_kernels.md", "tutorial_schedules.md", "opencl.md", "cuda.md", "tensor.md", "tensor_patterns.md",
         "tensor_language.md", "cluster.md", "vectorize.md")  # fmt: skip
NEED_OPENCL = ("tutorial_kernels.md", "opencl.md")
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_AS = "program.py"


def printed(page: str, folder: Path) -> Iterator[tuple[re.Match[str], str]]:
    """Each `text` block that follows a `python` block, and what that one printed.

    Each block is run from a file of its own, so that line numbers in messages are those of the block.
    """
    text = (ROOT / "docs" / page).read_text()
    blocks = list(BLOCK.finditer(text))
    space: dict[str, object] = {"__name__": page.replace(".md", "_page")}
    for number, (block, following) in enumerate(zip(blocks, [*blocks[1:], None])):
        if block[1] != "python":
            continue
        file = folder / page.replace(".md", f"_page_{number}.py")
        file.write_text(block[2])
        space["__file__"] = str(file)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block[2], str(file), "exec"), space)
        if following is not None and following[1] == "text":
            shown = re.sub(re.escape(str(folder)) + r"[/\\]\w+\.py", SHOWN_AS, output.getvalue())
            yield following, shown


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("page", [page for page in PAGES if page not in NEED_OPENCL])
def test_page(page: str, tmp_path: Path) -> None:
    if page == "cluster.md":
        pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")
    prints_what_it_says(page, tmp_path)


@pytest.mark.usefixtures("opencl", "two_cores")
@pytest.mark.parametrize("page", NEED_OPENCL)
def test_page_on_a_device(page: str, tmp_path: Path) -> None:
    if page == "opencl.md" and cpu_compile.vector_bits() < 256:
        pytest.skip("the page says what is launched where vectors are longer")
    prints_what_it_says(page, tmp_path)


def prints_what_it_says(page: str, tmp_path: Path) -> None:
    import jitmdh

    threads = jitmdh.get_num_threads()
    try:
        for block, output in printed(page, tmp_path):
            assert block[2].rstrip() == output.rstrip()
    finally:
        jitmdh.set_num_threads(threads)


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        prose = re.sub(r"`[^`]+`", "code", prose)  # brackets in code are no link
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", prose):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


FROM_OTHERS = {"setup.py", "utils.py", "test_x.py", "x.py"}
"""Files that pages speak of and that are not ours."""


def test_files_named_in_pages_exist() -> None:
    """By their whole path, or by as much of its end as tells them apart."""
    folders = ("jitmdh", "tests", "benchmarks", "docs", "examples")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    ends = FROM_OTHERS | {"/".join(p.parts[-n:]) for p in files for n in range(1, len(p.parts) - len(ROOT.parts) + 1)}
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        named = set(re.findall(r"`((?:\w+/)*\w+\.(?:py|ll|c|h))`", page.read_text()))
        assert not named - ends, page.name


def test_the_architecture_lists_the_passes_in_their_order() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    (listed,) = re.findall(r"^\| pass \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE) == [step.name for step in PASSES]


def update() -> None:
    """Writes what the blocks print into the pages. Longer output moves what follows: run it twice."""
    os.environ["MDH_CACHE_DIR"] = tempfile.mkdtemp()
    for page in PAGES:
        file = ROOT / "docs" / page
        if not file.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = list(printed(page, Path(folder)))
        text = file.read_text()
        for block, output in reversed(found):
            text = text[: block.start(2)] + output.rstrip() + "\n" + text[block.end(2) :]
        file.write_text(text)


if __name__ == "__main__":
    update()
