"""A law's seed 1014: whether ranges from data have elements was asked once they had all been summed."""


from tests.fuzz.program import Array


def program(h, x, b, p, n, m):
    for i in range(m, n):
        for j in range(i - 1):
            for k in range(p[i], p[i + 1]):
                h[b[3]] += x[b[j]]


ARGUMENTS = {
    "h": Array('float16', (4,)),
    "x": Array('float64', (9,), seed=1),
    "b": Array('int32', (9,), fill='cells 4'),
    "p": Array('int64', (10,), fill='cells 3'),
    "n": '3',
    "m": '-1',
}
OPTIONS = ({'check_memory': True}, {'interpreted': True})
