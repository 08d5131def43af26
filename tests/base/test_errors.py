"""Errors render their facts once, survive pickling, and are what a Python user would catch."""

from __future__ import annotations

import copy
import linecache
import pickle
from collections.abc import Iterator

import pytest

from jitmdh.base import errors
from jitmdh.base.errors import MdhError, NotAnMdhError
from jitmdh.base.source import Loc, excerpt

SOURCE = """\
def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] -= M[i, k] * v[k]
"""
CLASSES = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, MdhError)]


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    linecache.cache["matvec.py"] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), "matvec.py")
    yield
    del linecache.cache["matvec.py"]


def example(cls: type[MdhError] = NotAnMdhError) -> MdhError:
    return cls(
        "dimension k: combine operator `sub` is not associative",
        loc=Loc("matvec.py", 4, 12, 4, 16),
        reason="md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c).",
        hint="negate inside f and use pw(add)",
    )


def test_rendering() -> None:
    assert str(example()) == (
        "matvec.py:4: dimension k: combine operator `sub` is not associative [MDH101]\n"
        "    4 |  w[i] -= M[i, k] * v[k]\n"
        "      |  ^^^^\n"
        "  md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c).\n"
        "  hint: negate inside f and use pw(add)"
    )


def test_rendering_of_a_message_alone() -> None:
    assert str(MdhError("no OpenCL platform")) == "no OpenCL platform [MDH100]"


def test_rendering_without_source() -> None:
    error = MdhError("unknown name `x`", loc=Loc("<stdin>", 3), hint="define it before")
    assert str(error) == "<stdin>:3: unknown name `x` [MDH100]\n  hint: define it before"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_pickling_and_copying_keep_class_and_facts(cls: type[MdhError]) -> None:
    error = example(cls)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is cls
        assert (again.message, again.loc, again.reason, again.hint) == (
            error.message, error.loc, error.reason, error.hint,
        )  # fmt: skip
        assert str(again) == str(error)


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("NotAnMdhError", (errors.UserError, TypeError)),
        ("ArgumentTypeError", (errors.UserError, TypeError)),
        ("ArgumentValueError", (errors.UserError, ValueError)),
        ("BoundsError", (errors.UserError, IndexError)),
        ("DivisionError", (errors.UserError, ZeroDivisionError)),
        ("ConfigurationError", (errors.UserError, ValueError)),
        ("OutOfMemoryError", (errors.DeviceError, MemoryError)),
        ("DeviceError", (MdhError, RuntimeError)),
        ("InternalError", (MdhError, RuntimeError)),
        ("JitWarning", (UserWarning,)),
    ],
)
def test_families(name: str, families: tuple[type, ...]) -> None:
    assert all(issubclass(getattr(errors, name), family) for family in families)


# ------------------------------------------------------------------------------------------------------ excerpts


def test_the_caret_spans_the_location() -> None:
    assert excerpt(Loc("matvec.py", 4, 20, 4, 34)) == (
        "    4 |  w[i] -= M[i, k] * v[k]\n"
        "      |          ^^^^^^^^^^^^^^"
    )  # fmt: skip


def test_a_location_of_several_lines_marks_its_first_to_the_end() -> None:
    assert excerpt(Loc("matvec.py", 3, 8, 4, 34)) == (
        "    3 |  for k in range(M.shape[1]):\n"
        "      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^"
    )  # fmt: skip


def test_context_lines_keep_their_relative_indentation() -> None:
    assert excerpt(Loc("matvec.py", 4, 12, 4, 16), context=1) == (
        "    3 |  for k in range(M.shape[1]):\n"
        "    4 |      w[i] -= M[i, k] * v[k]\n"
        "      |      ^^^^"
    )  # fmt: skip


def test_columns_count_bytes_of_utf8_as_python_does() -> None:
    """`ast` gives column offsets in bytes; the caret stands under characters."""
    line = "    größe[i] -= M[i]\n"
    linecache.cache["umlaut.py"] = (len(line), None, [line], "umlaut.py")
    end = len("    größe[i]".encode())
    assert excerpt(Loc("umlaut.py", 1, 4, 1, end)) == (
        "    1 |  größe[i] -= M[i]\n"
        "      |  ^^^^^^^^"
    )  # fmt: skip


def test_tabs_before_the_span_are_kept() -> None:
    line = "\tw[i]\t-= v[k]\n"
    linecache.cache["tabs.py"] = (len(line), None, [line], "tabs.py")
    assert excerpt(Loc("tabs.py", 1, 6, 1, 8)) == "    1 |  w[i]\t-= v[k]\n      |      \t^^"


def test_no_source_no_excerpt() -> None:
    assert excerpt(Loc("no such file", 3)) == ""
    assert excerpt(Loc("matvec.py", 99)) == ""
