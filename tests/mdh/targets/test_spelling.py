"""Every row of the table of operations has a spelling on every target, or is refused there with its name."""

from __future__ import annotations

from jitmdh.mdh.algebra.operations.table import OPERATIONS, ROWS
from jitmdh.mdh.kernel.arithmetic import KERNEL_OPERATIONS
from jitmdh.mdh.targets.llvm.instructions.operations import SPELLED
from jitmdh.mdh.targets.math.methods import MODULES, method

BY_TYPE = {"select", "cast", "first_lanes", "add_product", "sub_product"}
"""What `Operations.apply` spells by more than the operands' type."""


def test_llvm_spells_every_operation() -> None:
    rows = {row.name: row for row in ROWS if row.in_kernels} | dict(KERNEL_OPERATIONS)
    assert not SPELLED.keys() - rows.keys()
    for row in rows.values():
        assert row.name in SPELLED or row.name in BY_TYPE or row.c, f"LLVM cannot spell `{row.name}`"


def test_every_function_is_computed_on_vectors() -> None:
    assert not [row.name for row in ROWS if row.units is not None and method(row.name) is None]


def test_no_method_is_forgotten() -> None:
    """A public function that is named as none of the table computes nothing for anybody."""
    ways = ("_32", "_briefly", "_rare")
    for module in MODULES:
        public = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        ended = [(name, name.removesuffix(way)) for name in public for way in ways if name.endswith(way)]
        assert not [name for name, op in ended if op not in OPERATIONS or OPERATIONS[op].units is None]
