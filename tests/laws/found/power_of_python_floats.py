"""Python's floats to a power: zero to a negative one is an error, and so is what is too large."""

from tests.fuzz.program import Array


def program(out, n, f):
    for i in range(out.shape[0]):
        out[i] = (n - 2) ** -1.0 + (f * i) ** f


ARGUMENTS = {
    "out": Array("float64", (4,)),
    "n": "2",
    "f": "1e300",
}
OPTIONS = ({},)
KNOWN = "`**` of Python's floats goes on with inf and nan, as NumPy's does"
