"""A choice between NumPy's bool and a number of Python: what is added to it depends on which it is."""

from tests.fuzz.program import Array


def program(out, x, n):
    for i in range(x.shape[0]):
        out[0, i] = (x[i] if i % 2 else 1) + (1 < n)
        out[1, i] = (x[i] if i % 3 else n > 1) + (n > 1)
        out[2, i] = max(x[i], 1) + x[i]
        out[3, i] = min(x[i], n > 1) + (n > 1)


ARGUMENTS = {
    "out": Array("float64", (4, 9)),
    "x": Array("bool", (9,)),
    "n": "2",
}
OPTIONS = ({},)
