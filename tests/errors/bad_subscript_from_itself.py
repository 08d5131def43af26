"""An array is permuted by itself."""

TYPES = "I"


def f(x):
    for i in range(len(x)):
        x[x[i]] += 1


EXPECTED = """
bad_subscript_from_itself.py:8: `x` decides a subscript of what is assigned to, and is assigned to
    8 |  x[x[i]] += 1
      |  ^^^^^^^
  which elements an assignment touches must not depend on its own results
  hint: read the subscripts from another array
"""
