"""What is called with too few arguments, or too many, is refused by an error of the user, never by one of ours."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from jitmdh.base.dtype import float64
from jitmdh.base.errors import UserError
from jitmdh.mdh.frontend.arrays import functions
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind

UFUNCS = [f"np.{n}" for n in sorted(vars(np)) if isinstance(vars(np)[n], np.ufunc)]
KNOWN = [f.replace("numpy.", "np.") for f in sorted(functions._FUNCTIONS) if f.startswith("numpy.")]
OTHERS = ["np.where", "np.clip", "np.zeros", "np.zeros_like", "np.full", "np.float32", "np.bincount", "np.add.at",
          "abs", "min", "max", "len", "pow", "range", "float", "int", "tuple", "math.sqrt", "math.atan2", "math.floor",
          "operator.add", "x.sum", "x.clip", "x.reshape", "x.take", "x.astype", "x.dot", "x.swapaxes", "a.astype",
          "a.item", "mdh.einsum"]  # fmt: skip
ARGUMENTS = ("", "x", "a", "x, x", "x, a", "a, a", "x, x, x", "x, x, x, x, x, x, x", "axis=0", "x, axis=0", "x, out=x")


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("callee", dict.fromkeys((*UFUNCS, *KNOWN, *OTHERS)))
def test_missing_arguments(callee: str, tmp_path: Path) -> None:
    place = tmp_path / "calls.py"
    head = "import math\nimport operator\nimport numpy as np\nimport jitmdh as mdh\n"
    calls = [f"def f{n}(x, a):\n    return {callee}({given})\n" for n, given in enumerate(ARGUMENTS)]
    place.write_text(head + "\n".join(calls))
    spec = importlib.util.spec_from_file_location("calls", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for n in range(len(ARGUMENTS)):
        try:
            trace(capture(getattr(module, f"f{n}")), (ArrayType(float64, 2), ScalarKind(float64)))
        except UserError as error:
            assert error.loc is not None, f"{callee}({ARGUMENTS[n]})"
