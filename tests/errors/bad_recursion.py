"""Recursion."""

TYPES = "V"


def factorial(n):
    return 1 if n < 1 else n * factorial(n - 1)


def f(x):
    for i in range(len(x)):
        x[i] = factorial(x[i])


EXPECTED = """
bad_recursion.py:7: recursive call of `factorial`
    7 |  return 1 if n < 1 else n * factorial(n - 1)
      |                             ^^^^^^^^^^^^^^^^
  hint: write it as a loop
"""
