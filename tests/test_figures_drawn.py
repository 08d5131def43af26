"""docs/figures is what the code draws today; what a user has said is framed as such."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jitmdh as mdh
from docs import generate_figures
from jitmdh import schedule as s

A, B, C = np.ones((16, 64)), np.ones((64, 32)), np.zeros((16, 32))


def test_the_pictures_are_up_to_date() -> None:
    for file, text in generate_figures.pictures():
        assert file.read_text(encoding="utf-8") == text, "run python docs/generate_figures.py"


@pytest.mark.parametrize(
    ("schedule", "framed"),
    [(None, 0), ({"part_size": {"(L1,i)": 2}}, 1), (s.parallelize("i"), 1)],
    ids=["none", "a part", "a transformation"],
)
def test_what_a_user_has_said_is_framed(schedule: object, framed: int) -> None:
    picture = str(mdh.jit(schedule=schedule)(generate_figures.matmul).draw(C, A, B))
    assert len(re.findall('class="box user"', picture)) - 1 == framed  # one is in the legend
