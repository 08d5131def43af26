"""A number of Python's that a loop comes to, for which the type that the loop carries has no room."""

TYPES = "B"


def f(x):
    for i in range(x.shape[0]):
        b = x[i]
        t = 0
        while t < 3 and b != 10:
            b = 1 - (300 if 3 > b else b)
            t += 1
        x[i] = b


EXPECTED = """
bad_loop_integer_of_python.py:10: Python integer -299 out of bounds for int8
   10 |  while t < 3 and b != 10:
      |  ^^^^^^^^^^^^^^^^^^^^^^^^
"""
