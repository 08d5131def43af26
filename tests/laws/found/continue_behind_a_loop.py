"""Seed 9400150 of `python -m tests.fuzz`: error."""


from tests.fuzz.program import Array


def program():
    for i in range(1):
        for j8 in range(5):
            continue
        else:
            continue
        while 1:
            k10 = k10


ARGUMENTS = {
}
OPTIONS = ({},)
KNOWN = "a `continue` in the `else` of an inner loop: SyntaxError where loops are compiled in place"
