"""Continue with else."""

TYPES = "V"


def f(x):
    for i in range(x.shape[0]):
        x[i] = 1
    else:
        x[0] = 2


EXPECTED = """
bad_continue_with_else.py:10: else of a loop is not supported
   10 |  x[0] = 2
      |  ^^^^^^^^
  hint: put it after the loop
"""
