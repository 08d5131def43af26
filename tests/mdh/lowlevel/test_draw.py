"""Pictures (law S8): well-formed, everything inside, no two texts on each other, for random nests and long names."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh.schedule as s
from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, MdHom
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, ScalarFunction, Variable
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowering.transform.computation import computation
from jitmdh.mdh.lowlevel.draw import LETTER, WIDTH, Picture, _letters, _wrapped, draw
from tests.laws.configurations import EXPRESSIONS
from tests.laws.examples import examples
from tests.laws.test_schedule_scripts import nest_of, scripts
from tests.mdh.codegen.native import host

_SVG = "{http://www.w3.org/2000/svg}"


def boxes(picture: Picture) -> list[tuple[float, float, float, float, str]]:
    """The text boxes, from the widths of a fixed-width font: left, top, right, bottom, text."""
    found = []
    for node in ET.fromstring(str(picture)).iter(f"{_SVG}text"):
        size = float(node.attrib["font-size"])
        text = "".join(t for child in [node] for t in [child.text or "", *(c.tail or "" for c in child)])
        width = len(text) * LETTER * size
        x, y = float(node.attrib["x"]), float(node.attrib["y"])
        left = {"start": x, "middle": x - width / 2, "end": x - width}[node.attrib["text-anchor"]]
        found.append((left, y - 0.75 * size, left + width, y + 0.2 * size, text))
    return found


def require_legible(picture: Picture) -> None:
    root = ET.fromstring(str(picture))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert width == WIDTH
    texts = boxes(picture)
    for left, top, right, bottom, text in texts:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, text
    for n, (left, top, right, bottom, text) in enumerate(texts):
        for left2, top2, right2, bottom2, other in texts[n + 1 :]:
            apart = right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
            assert apart, f"{text!r} lies on {other!r}"
    for node in root.iter(f"{_SVG}rect"):
        x, y = float(node.attrib["x"]), float(node.attrib["y"])
        assert x >= 0 and x + float(node.attrib["width"]) <= width and y + float(node.attrib["height"]) <= height
    assert root.find(f"{_SVG}title") is not None and "http" not in str(picture).replace(_SVG[1:-1], "")


@pytest.mark.parametrize("name", ["matmul", "conv2d", "linkage", "prefix sums", "affine maps"])
@given(data=st.data())
@examples(6)
def test_random_nests_are_legible(name: str, data: st.DataObject) -> None:
    nest = data.draw(scripts(nest_of(name), opened=True))
    picture = nest.draw()
    require_legible(picture)
    for part in nest.figure().low.parts:
        assert f"({part.layer},{part.dim})" in str(picture)


def test_parts_of_a_loop_over_parts_may_be_open() -> None:
    require_legible(s.parallelize("k.0", s.any)(nest_of("matmul")).draw())


@pytest.mark.parametrize("name", ["matmul", "prefix sums"])
@given(data=st.data())
@examples(6)
def test_two_nests_beside_each_other(name: str, data: st.DataObject) -> None:
    a, b = (data.draw(scripts(nest_of(name), opened=True)) for _ in range(2))
    found = s.compare(a, b)
    require_legible(Picture(found.svg))
    left, right = ([row[n] for row in found.rows if row[n] or row[2]] for n in (0, 1))
    assert (left, right) == (str(a).split("\n"), str(b).split("\n"))
    assert found.same == (str(a) == str(b)) == ("|" not in {line[len(max(left, key=len)) + 1 :][:1] for line in
                                                           str(found).split("\n")})  # fmt: skip
    assert found.svg.count('class="box user"') == sum(not row[2] for row in found.rows)
    # Nothing is left out, however long a line is and however far it stands in.
    words = Counter(word for line in (*str(a).split("\n"), *str(b).split("\n")) for word in line.split())
    assert Counter(word for *_, text in boxes(Picture(found.svg)) for word in text.split()) == words


def test_what_only_stands_further_in_is_the_same() -> None:
    nest = nest_of("matmul")
    one, other = nest.reorder("i", "j", "k"), nest.reorder("i", "j", "k").stripmine("i", 8)
    differ = [(left.strip(), right.strip()) for left, right, same in s.compare(one, other).rows if not same]
    loops = [line.strip() for line in str(other).split("\n") if "i.0" in line]
    assert [right for _, right in differ] == loops and [left[:5] for left, _ in differ if left] == ["for ("]


@pytest.mark.parametrize("letters", [1, 12])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_names_of_any_length(name: str, letters: int) -> None:
    nest = nest_of(name)
    figure = nest.figure()
    e = figure.low.expression
    others = {a.buffer for a in (*e.out_view, *(e.reads[len(e.inp_view) :]))}
    names = {a.buffer: (a.buffer * 12)[:letters] for a in e.inp_view if a.buffer not in others}
    view = tuple(replace(a, buffer=names.get(a.buffer, a.buffer)) for a in e.inp_view)
    buffers = tuple(replace(b, name=names.get(b.name, b.name)) for b in e.buffers)
    low = replace(figure.low, expression=replace(e, inp_view=view, buffers=buffers))
    require_legible(draw([replace(figure, low=low), figure]))


@pytest.mark.parametrize("letters", [1, 6, 12])
@pytest.mark.parametrize("dims", range(1, 9))
def test_dimensions_and_index_functions_are_whole(dims: int, letters: int) -> None:
    """Names of 1 to 12 letters, 1 to 8 dimensions, 6 buffers: each is told from the others, with its extent."""
    names = [f"{'dimension_at'[: letters - 1]}{'ijklmnop'[n]}" for n in range(dims)]
    buffers = [f"{'buffer_names'[: letters - 1]}{'ABCDEF'[n]}" for n in range(6)]
    index = tuple(map(Affine.of, names))
    axes = tuple(Affine.of(f"n{n}") for n in range(dims))
    values = tuple(Variable(name, float32) for name in buffers[1:])
    product = ScalarFunction(values, (), (reduce(lambda a, b: Operation("mul", (a, b), float32), values),))
    md_hom = MdHom(tuple(map(Dim, names, axes)), product, (cc,) * dims)
    inputs = tuple(Access(name, index) for name in buffers[1:])
    arrays = tuple(Buffer(name, float32, axes) for name in buffers)
    e = Expression("f", arrays, inputs, md_hom, None, (Access(buffers[0], index),))
    nest = Nest(computation("f", problem(e, {f"n{n}": 12345 for n in range(dims)}, {}, 2), host()))
    picture = nest.draw()
    require_legible(picture)
    texts = [text for *_, text in boxes(picture)]
    assert all(f"{name} 12345" in texts for name in names)
    indices = "".join(text.strip() + " " for text in texts)
    assert all(f"{name}[{', '.join(names)}]" in indices for name in buffers)


def test_accesses_with_long_names_can_be_told_apart() -> None:
    """The first subscript is on the next line where it does not fit behind the array's name."""
    lines = _wrapped("temperature_[", ["row_of_image + 2", "column"], _letters("x" * 25))
    assert lines == ["temperature_[", "row_of_image + 2, column]"]
    assert _wrapped("A[", ["i", "k"], _letters("x" * 25)) == ["A[i, k]"]
    assert _wrapped("A[", ["x" * 30], _letters("x" * 25)) == [f"A[{'x' * 30}]"]


def test_what_is_fixed_chosen_and_open_differs() -> None:
    def frames(nest: Nest, kind: str) -> int:
        return len(re.findall(f'class="box {kind}"', str(nest.draw()))) - 1  # one is in the legend

    nest = nest_of("matmul", 100)
    assert frames(nest, "user") == 0 and frames(nest, "open") == 1  # the order, the lanes, the cores
    assert frames(nest.tile(i=16), "user") == 4  # the strip, and the order of three loops
    assert frames(nest.tile(i=s.any), "open") == 3  # the strip, lanes and cores, the transformation
