"""Python's own numbers do not have the methods of NumPy's."""

import numpy as np

from tests.fuzz.program import Array


def program(x, n):
    return x + n.astype(np.uint8)


ARGUMENTS = {
    "x": Array("float64", (3,)),
    "n": "2",
}
OPTIONS = ({},)
