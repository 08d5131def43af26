"""An assignment that needs what the one before it overwrites, and writes what chose its place: they were made one,
whose place was read where it is written (an internal error where representations are checked)."""


from tests.fuzz.program import Array


def program(x, c):
    if x[0] > 0:
        x[c[0]] = 4
        c[1] = 2
        c[0] = 1


ARGUMENTS = {
    "x": Array('float64', (5,), fill='ones'),
    "c": Array('int64', (5,), fill='zeros'),
}
OPTIONS = ({}, {'check_memory': True}, {'algebra': True})
