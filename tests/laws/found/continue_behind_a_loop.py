"""A `continue` in the `else` of an inner loop is one of the loop around it: the inner one alone is no function."""


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
