"""One mistake per file, and its exact message.

Each `bad_*.py` has a function `f`, the kinds of its arguments, one letter each (TYPES), perhaps OPTIONS of `trace`,
and the EXPECTED text of the error. Without TYPES, `f` is the explicit representation and is called.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from jitmdh.base.dtype import bool_, complex128, float32, from_numpy, int8, int64
from jitmdh.base.error_codes import CODES
from jitmdh.base.errors import UserError
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.symbolic.operators import pw
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArgumentType, ArrayType, ScalarKind

HERE = Path(__file__).parent
KINDS: dict[str, ArgumentType] = {
    "V": ArrayType(float32, 1),
    "M": ArrayType(float32, 2),
    "I": ArrayType(int64, 1),
    "B": ArrayType(int8, 1),
    "L": ArrayType(bool_, 1),
    "Z": ArrayType(complex128, 1),
    "R": ArrayType(from_numpy([("x", "f4"), ("n", "i4")]), 1),
    "n": ScalarKind(int64, weak=True),
    "a": ScalarKind(float32),
}


def raised(name: str) -> UserError:
    """The error of one program."""
    module = importlib.import_module(f"tests.errors.{name}")
    with pytest.raises(UserError) as caught:
        options = dict(getattr(module, "OPTIONS", {}))
        if "combine" in options:
            options["combine"] = {loop: pw(op) for loop, op in options["combine"].items()}
        if hasattr(module, "TYPES"):
            trace(capture(module.f), tuple(KINDS[k] for k in module.TYPES), **options)
        else:
            module.f()
    return caught.value


def message(error: UserError) -> str:
    """What is said, without the folder that the program is in."""
    return str(error).replace(f"{HERE}/", "")


@pytest.mark.parametrize("name", sorted(p.stem for p in HERE.glob("bad_*.py")))
def test_message(name: str) -> None:
    expected = importlib.import_module(f"tests.errors.{name}").EXPECTED
    error = raised(name)
    code = f" [{error.code}]"
    assert error.code in CODES and code in message(error).partition("\n")[0]
    assert message(error).replace(code, "", 1) == expected.strip("\n")
