"""The programs of the gallery mean what undecorated Python means; docs/gallery.md is made from them."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import jitmdh as mdh
from docs import generate_gallery

_OTHERS = {
    "waves": (60,),
    "attractor": (17, 3),  # chaotic: after many steps the last bits decide about the cell
}  # others: 17 pixels


def test_the_page_is_up_to_date() -> None:
    written = generate_gallery.PAGE.read_text(encoding="utf-8")
    assert written == generate_gallery.page(), "run python docs/generate_gallery.py"


def test_there_are_twelve_with_a_picture_each() -> None:
    assert len(generate_gallery.NAMES) == 12
    assert {path.stem for path in generate_gallery.PICTURES.glob("*.png")} == set(generate_gallery.NAMES)


@pytest.mark.parametrize("name", generate_gallery.NAMES)
def test_program(name: str) -> None:
    own = generate_gallery.module(name)
    given = own.arguments(*_OTHERS.get(name, (17,)))
    want = own.program(*copy.deepcopy(given))
    np.testing.assert_allclose(mdh.jit(own.program)(*given), want, rtol=1e-9, atol=1e-9)
