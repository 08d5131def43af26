"""An array of a round of a loop that runs once, and a number that is written in it before and after."""

import numpy as np

from tests.fuzz.program import Array


def program(y, index):
    s = 0.0
    for i in range(1):
        k5 = index[1]
        while 1:
            k5 = s
            row6 = np.zeros(4)
            for row6_at in range(1):
                row6[1] = y[1]
            row6[1] = k5
            s += row6[-1]
            break
        s = y[1]


ARGUMENTS = {
    "y": Array("int64", (3,), fill="ones"),
    "index": Array("int32", (3,), fill="ones"),
}
OPTIONS = ({},)
