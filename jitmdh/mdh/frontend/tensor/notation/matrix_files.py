"""Matrices from files in which generators of kernels keep them: XML or JSON, positions from 1.

    <matrices><matrix name="K(0)" rows="2" columns="2"><entry row="1" column="2" value="0.5"/></matrix></matrices>
    [{"name": "K(0)", "rows": 2, "columns": 2, "entries": [[1, 2, "0.5"]]}]

Entries without a value say only where a matrix may be other than zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.dtype import ScalarType, float64
from jitmdh.base.errors import ArgumentValueError
from jitmdh.mdh.frontend.tensor.notation.expr import Tensor

_Matrix = tuple[str, int, int, list[tuple[int, int, Any]]]


@entry
def read_matrices(path: str | PathLike[str], dtype: ScalarType | str = float64) -> dict[str, Tensor]:
    """The matrices of a file by their names: constants, or tensors [rows, columns] with a pattern where values lack.

    One column makes a vector. Names that are none in Python, as `K(0)`, are so in the result, and `K_0` in the tensor.
    Raises OSError, and ArgumentValueError for what is no such file: unknown tags, positions that are outside of their
    matrix or said twice, matrices of one name, some entries with a value and some without.
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        matrices = list(_of_xml(text) if text.lstrip().startswith("<") else _of_json(text))
    except (ValueError, KeyError, TypeError, SyntaxError) as error:
        raise ArgumentValueError(f"{path} is no file of matrices: {type(error).__name__}: {error}") from None
    found: dict[str, Tensor] = {}
    for name, rows, columns, entries in matrices:
        if name in found:
            raise ArgumentValueError(f"{path}: there are two matrices {name}")
        found[name] = _tensor(str(path), name, (rows, columns), entries, dtype)
    return found


def _of_xml(text: str) -> Iterator[_Matrix]:
    from xml.etree import ElementTree

    for node in ElementTree.fromstring(text):
        _require(node.tag, "matrix")
        entries = []
        for one in node:
            _require(one.tag, "entry")
            entries.append((int(one.attrib["row"]), int(one.attrib["column"]), one.get("value")))
        yield node.attrib["name"], int(node.attrib["rows"]), int(node.attrib["columns"]), entries


def _require(tag: str, wanted: str) -> None:
    if tag != wanted:
        raise ValueError(f"<{tag}> where <{wanted}> is expected")


def _of_json(text: str) -> Iterator[_Matrix]:
    import json

    for one in json.loads(text):
        entries = [(int(e[0]), int(e[1]), e[2] if len(e) > 2 else None) for e in one["entries"]]
        yield str(one["name"]), int(one["rows"]), int(one["columns"]), entries


def _tensor(
    path: str, name: str, shape: tuple[int, int], entries: Iterable[tuple[int, int, Any]], dtype: ScalarType | str
) -> Tensor:  # fmt: skip
    places: dict[tuple[int, int], Any] = {}
    for row, column, value in entries:
        if not (1 <= row <= shape[0] and 1 <= column <= shape[1]):
            raise ArgumentValueError(f"{path}: {name} is {shape[0]}×{shape[1]} and has an entry at {row}, {column}")
        if (row - 1, column - 1) in places:
            raise ArgumentValueError(f"{path}: {name} has two entries at {row}, {column}")
        places[row - 1, column - 1] = value
    missing = sum(value is None for value in places.values())
    if missing not in (0, len(places)):
        raise ArgumentValueError(f"{path}: {missing} of {len(places)} entries of {name} have no value")
    is_pattern = bool(places) and missing > 0
    numbers: Any = np.zeros(shape, bool if is_pattern else np.float64)
    for place, value in places.items():
        numbers[place] = True if is_pattern else float(value)
    if shape[1] == 1:
        numbers = numbers[:, 0]
    own = re.sub(r"\W+", "_", name).strip("_")
    if is_pattern:
        return Tensor(own, numbers.shape, dtype, pattern=numbers)
    return Tensor(own, values=numbers.astype(np.dtype(str(dtype))))
