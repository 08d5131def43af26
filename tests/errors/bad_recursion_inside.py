"""A local function that calls itself."""

TYPES = "V"


def f(x):
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    x[0] = factorial(5)


EXPECTED = """
bad_recursion_inside.py:8: recursive call of `factorial`
    8 |  return 1 if n < 2 else n * factorial(n - 1)
      |                             ^^^^^^^^^^^^^^^^
  hint: write it as a loop
"""
