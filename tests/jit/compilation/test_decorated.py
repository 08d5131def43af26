"""What is decorated, and how wrong calls are reported."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.waiting import PATIENCE


def scale(x: Any, a: float) -> Any:
    return a * x


@pytest.mark.parametrize(("args", "kwargs"), [((1, 2, 3), {}), ((1,), {}), ((1, 2), {"a": 3}), ((), {"x": 1})])
def test_wrong_calls_name_the_function(args: Any, kwargs: Any) -> None:
    with pytest.raises(TypeError) as of_python:
        scale(*args, **kwargs)
    with pytest.raises(TypeError) as ours:
        mdh.jit(scale)(*args, **kwargs)
    assert str(ours.value).startswith("scale() ")
    if len(args) == 3:
        assert str(ours.value) == str(of_python.value)


@mdh.jit
def misspelt(x):  # type: ignore[no-untyped-def]
    return np.zero_like(x)  # type: ignore[attr-defined]


@mdh.jit
def unbound(x):  # type: ignore[no-untyped-def]
    return not_there * x  # type: ignore[name-defined]  # noqa: F821


def test_misspelt_names_are_what_python_raises() -> None:
    with pytest.raises(AttributeError, match="zeros_like"):
        misspelt(np.ones(3))
    with pytest.raises(NameError, match="not_there"):
        unbound(np.ones(3))


def test_disabled() -> None:
    with mdh.config(disable_jit=True):
        assert mdh.jit(scale) is scale
        assert mdh.jit(fallback="python")(scale) is scale
    assert mdh.jit(scale) is not scale


def test_help_says_what_each_option_is() -> None:
    from jitmdh.jit.compilation.options import Options

    shown = inspect.signature(mdh.jit)
    assert list(shown.parameters) == ["function", *Options.__slots__]
    assert shown.parameters["reassociate"].default is True and shown.parameters["cache"].annotation == "bool"
    assert not [p for p in shown.parameters.values() if str(p.annotation) in ("Any", "typing.Any")]
    text = inspect.getdoc(mdh.jit) or ""
    paragraphs = dict(re.findall(r"^(\w+): ((?:.|\n    )+)", text, re.MULTILINE))
    for option in Options.__slots__:
        assert "default" in paragraphs[option], option
        (example,) = re.findall(rf"`@(mdh\.jit\({option}=.*\))`", paragraphs[option])
        if option != "schedule":  # there is no such file
            eval(example, {"mdh": mdh, "op": lambda a, b: a + b})
    rendered = subprocess.run(
        [sys.executable, "-c", "import jitmdh as mdh; help(mdh.jit)"],  # here, it may be the package of this name
        capture_output=True, text=True, check=True, timeout=PATIENCE,
    ).stdout  # fmt: skip
    assert "reassociate: bool = True" in rendered.replace("'", "") and "function" in rendered


def test_each_compilation_is_told(caplog: pytest.LogCaptureFixture) -> None:
    f = mdh.jit(cache=False)(scale)
    with mdh.config(log="info"), caplog.at_level("INFO", logger="jitmdh"):
        f(np.ones(3), 2.0)
    (told,) = [r.getMessage() for r in caplog.records if "compiled for" in r.getMessage()]
    assert told.startswith(f"{f.full_name}: compiled for (float64[1@0], weak_float) in ") and " ms: " in told
