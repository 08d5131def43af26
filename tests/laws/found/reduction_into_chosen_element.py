"""A reduction in a loop goes to an element that data choose: its result was computed before the loop."""

import numpy as np

from tests.fuzz.program import Array


def program(y):
    for i in range(1):
        s = 1
        row1 = np.ones(4)
        s += row1.max()
        if y[1]:
            row2 = np.ones(4)
            row2[i % 4] = s


ARGUMENTS = {
    "y": Array('uint8', (8,), seed=973),
}
OPTIONS = ({},)
