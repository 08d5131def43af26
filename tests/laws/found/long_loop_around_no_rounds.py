"""Asked how long a loop may take, another inside has no rounds: there is no logarithm of that."""

from tests.fuzz.program import Array


def program(index4, x6, n, m):
    for i2 in range(4):
        for j in range(1, n - 1):
            best1 = 3
            at2 = 1
            for k in range(0, m, 2):
                t3 = 2
                if t3 >= best1:
                    best1 = t3
                    at2 = k
            index4[j, i2] = at2
    i = 0
    acc5 = 100
    for j2 in range(n):
        acc5 = min(x6[i - 1, j2 + 1] % 7, acc5)
    index4[1] = acc5


ARGUMENTS = {
    "index4": Array("int64", (0, 0), seed=159, layout="F"),
    "x6": Array("int32", (0, 0), seed=290, layout="reversed"),
    "n": "2",
    "m": "1",
}
OPTIONS = ({"reassociate": False},)
