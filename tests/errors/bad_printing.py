"""Printing."""

TYPES = "V"


def f(x):
    for i in range(len(x)):
        print(x[i])


EXPECTED = """
bad_printing.py:8: printing is not supported in a compiled function
    8 |  print(x[i])
      |  ^^^^^^^^^^^
  hint: return what is to be printed, or call f.py_func, which is the undecorated function
"""
