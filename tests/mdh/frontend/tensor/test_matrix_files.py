"""Matrices from XML and JSON files; what is wrong in one is said with its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentValueError

XML = """<matrices>
  <matrix name="K(0)" rows="2" columns="3"><entry row="1" column="2" value="0.5"/><entry row="2" column="3" value="-2"/></matrix>
  <matrix name="star" rows="2" columns="2"><entry row="1" column="1"/><entry row="2" column="1"/></matrix>
  <matrix name="w" rows="3" columns="1"><entry row="3" column="1" value="4"/></matrix>
</matrices>"""  # noqa: E501
JSON = """[{"name": "K(0)", "rows": 2, "columns": 3, "entries": [[1, 2, "0.5"], [2, 3, -2]]},
 {"name": "star", "rows": 2, "columns": 2, "entries": [[1, 1], [2, 1]]},
 {"name": "w", "rows": 3, "columns": 1, "entries": [[3, 1, 4.0]]}]"""

EMPTY = '{"name": "K", "rows": 1, "columns": 1, "entries": []}'


@pytest.mark.parametrize("text", [XML, JSON])
def test_both_forms_are_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "matrices"
    path.write_text(text)
    found = mt.read_matrices(path)
    assert list(found) == ["K(0)", "star", "w"] and found["K(0)"].name == "K_0"
    K, S, w = found.values()
    assert K.values is not None and K.values.array.tolist() == [[0, 0.5, 0], [0, 0, -2]]
    assert S.pattern is not None and S.pattern.mask.tolist() == [[True, False], [True, False]] and S.values is None
    assert w.values is not None and w.values.array.tolist() == [0, 0, 4]
    Q, x = mt.Tensor("Q", (2,)), mt.Tensor("x", (3,))
    np.testing.assert_array_equal(mt.kernel("f", Q["k"] <= K["kl"] * x["l"])(x=np.arange(3.0)), [0.5, -4])
    assert mt.read_matrices(path, "float32")["w"].type == mt.f32.dtype


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<m><matrix name='K' rows='1' columns='1'><entry row='2' column='1' value='1'/></matrix></m>", "at 2, 1"),
        ("<m><matrix name='K' rows='1' columns='1'><entry row='0' column='1' value='1'/></matrix></m>", "at 0, 1"),
        ("<m><vector/></m>", "<vector>"),
        ("<m><matrix name='K' rows='1'/></m>", "columns"),
        ("<m>", "no file of matrices"),
        ("{}[", "no file of matrices"),
        ('[{"name": "K", "rows": 2, "columns": 1, "entries": [[1, 1], [2, 1, 3]]}]', "1 of 2 entries"),
        ('[{"name": "K", "rows": 2, "columns": 1, "entries": [[1, 1, 1], [1, 1, 3]]}]', "two entries"),
        (f"[{EMPTY}, {EMPTY}]", "two matrices"),
    ],
)  # fmt: skip
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "matrices"
    path.write_text(text)
    with pytest.raises(ArgumentValueError, match=said):
        mt.read_matrices(path)
