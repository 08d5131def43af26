"""An element that was read before a loop that writes it as a procedure: the loop was lost."""


from tests.fuzz.program import Array


def program(h, b, n):
    s = h[0]
    for i in range(n):
        while h[b[i]] < 3:
            h[b[i]] += 1
    return s


ARGUMENTS = {
    "h": Array('int64', (4,), fill='zeros'),
    "b": Array('int64', (4,), fill='ones'),
    "n": '4',
}
OPTIONS = ({}, {'check_memory': True})
