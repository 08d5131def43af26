"""Modules stay small: how much code a typical kernel becomes, on which the time of its compilation depends."""

from __future__ import annotations

import re

import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.compile import Artifact, Request, generate
from jitmdh.mdh.machine.known import PROCESSORS, known
from jitmdh.mdh.machine.model import Machine
from tests.mdh.algebra import examples as ex

MACHINES = [known(name, cores=2) for name in PROCESSORS]


def matmul(rows: int, columns: int, terms: int, machine: Machine = MACHINES[0]) -> Artifact:
    sizes = {"C.shape[0]": rows, "C.shape[1]": columns, "A.shape[0]": rows, "A.shape[1]": terms,
             "B.shape[0]": terms, "B.shape[1]": columns}  # fmt: skip
    return generate(
        Request(ex.program(ex.matmul(float32)), sizes, {"C": 1, "A": 1, "B": 1}, machine, threads=machine.cores)
    )


def blocks(llvm: str) -> list[int]:
    """Instructions of each basic block."""
    return [part.count("\n  ") for part in re.split(r"^[\w.]+:$", llvm, flags=re.MULTILINE)]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@pytest.mark.parametrize("sizes", [(1024, 1024, 1024), (16, 1000, 2048), (10, 500, 64)], ids=str)
def test_a_matrix_product_is_a_small_module(sizes: tuple[int, int, int], machine: Machine) -> None:
    llvm = matmul(*sizes, machine).text
    assert llvm.count("\n") < 2100  # first lanes without an instruction for masks take a few lines each
    assert max(blocks(llvm)) < 300  # schedulers and allocators take more than linear time for a block


def test_neighbours_in_memory_share_their_address() -> None:
    """One instruction for the address of each further element, not the sum and the address."""
    llvm = matmul(1024, 1024, 1024).text
    widest = max(re.split(r"^[\w.]+:$", llvm, flags=re.MULTILINE), key=lambda block: block.count("fmul"))
    assert widest.count("= add i64") <= widest.count("= getelementptr")


def test_remainders_of_remainders_have_no_code_of_their_own() -> None:
    """In the remainder of one dimension reductions are not unrolled: full steps and the rest of it are one loop."""
    text = matmul(1024, 1024, 1024).kernel_text()
    bodies = len(re.findall(r"// L1 k", text))
    edges = len(re.findall(r"// L1 [ij] remainder", text))
    assert edges >= 2
    assert bodies <= 2 + edges
