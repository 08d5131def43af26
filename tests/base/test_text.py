from __future__ import annotations

from jitmdh.base.text import BlockWriter, columns, hang, indent, listing


def test_indent_leaves_empty_lines_empty() -> None:
    assert indent("a\n\n  b", levels=2) == "    a\n\n      b"
    assert indent("") == ""


def test_hang_aligns_under_the_first_line() -> None:
    assert hang("x = ", "1\n+ 2") == "x = 1\n    + 2"


def test_columns() -> None:
    assert columns([]) == ""
    assert columns([("a", "b", "c"), ("long", ""), ("x",)]) == "a     b  c\nlong\nx"


def test_listing() -> None:
    assert [listing(range(n)) for n in range(4)] == ["", "0", "0 and 1", "0, 1 and 2"]
    assert listing(["a", "b"], last="or") == "a or b"


def test_writer_nests_and_keeps_depth_after_an_exception() -> None:
    out = BlockWriter("    ")
    out.line("a {")
    try:
        with out.block():
            out.line("b\n\nc")
            with out.block():
                out.line("d")
                raise KeyError
    except KeyError:
        pass
    out.line()
    out.line("}")
    assert str(out) == "a {\n    b\n\n    c\n        d\n\n}"
