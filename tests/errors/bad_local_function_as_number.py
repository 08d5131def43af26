"""A function where a number is needed."""

TYPES = "V"


def f(x):
    def one():
        return 1

    x[0] = one


EXPECTED = """
bad_local_function_as_number.py:10: `x[0]` is a function
   10 |  x[0] = one
      |  ^^^^
  hint: call it
"""
