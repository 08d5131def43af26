"""Tuples within what is returned: the interpreter of kernel IR gave their values one after the other, and what is compared
could not take them apart. Seen by the fuzzer."""


from tests.fuzz.program import Array


def program(x):
    x[0] = 1
    return ((1, 1), [x, (1, [])], True)


ARGUMENTS = {
    "x": Array('int64', (3,)),
}
OPTIONS = ({'algebra': True}, {}, {'interpreted': True})
