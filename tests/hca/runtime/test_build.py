"""The shipped IR of the native runtime is that of its C sources, and belongs to no machine."""

from __future__ import annotations

import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.runtime import build

CLANG = build.find_clang()


@pytest.mark.parametrize("module", build.MODULES)
def test_the_sources_are_those_the_ir_was_made_from(module: str) -> None:
    assert build.recorded(module, "sources") == build.digest(), "run `python -m jitmdh.hca.runtime.build`"


@pytest.mark.parametrize("module", build.MODULES)
def test_the_same_clang_gives_the_same_ir(module: str) -> None:
    if CLANG is None:
        pytest.skip(f"no clang here (install clang-{build.CLANG})")
    made_by = build.recorded(module, "clang")
    if build.clang_version(CLANG) != made_by:
        pytest.skip(f"the clang here is {build.clang_version(CLANG)}, the IR was made by {made_by}")
    assert build.generated(module, CLANG) == (build.HERE / f"{module}.ll").read_text()


@pytest.mark.parametrize("module", build.MODULES)
def test_nothing_of_one_machine_or_one_llvm_is_in_it(module: str) -> None:
    text = (build.HERE / f"{module}.ll").read_text()
    assert not re.search(r"^target|attributes #|#\d|![0-9a-z]|x86|memory\(|captures|<\d+ x ", text, re.MULTILINE)


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-macosx13"])
@pytest.mark.parametrize("module", ["threads", "call"])
def test_it_is_code_for_every_machine(module: str, triple: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as missing:
        pytest.skip(str(missing))
    texts = [t for t in cpu_runtime.source(module) if "asm sideeffect" not in t]  # that one is this machine's
    whole = llvm.parse_assembly(texts[0])
    for text in texts[1:]:
        whole.link_in(llvm.parse_assembly(text))
    machine = target.create_target_machine(reloc="pic")
    whole.triple, whole.data_layout = triple, str(machine.target_data)
    whole.verify()
    assert machine.emit_object(whole)


def test_check_says_what_is_stale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if CLANG is None:
        pytest.skip(f"no clang here (install clang-{build.CLANG})")
    for path in (*build.HERE.glob("*.c"), *build.HERE.glob("*.h")):
        (tmp_path / path.name).write_text(path.read_text())
    monkeypatch.setattr(build, "HERE", tmp_path)
    assert build.main(["--check"]) == 1
    assert capsys.readouterr().out.split("\n")[0] == "threads.ll: not up to date"
    assert build.main([]) == 0 and build.main(["--check"]) == 0
    with (tmp_path / "scratch.c").open("a") as file:
        file.write("int one(void) { return 1; }\n")
    assert build.main(["--check"]) == 1
    with (tmp_path / "scratch.c").open("a") as file:
        file.write("no C\n")
    assert build.main(["--check"]) == 1
    assert "error" in capsys.readouterr().err
