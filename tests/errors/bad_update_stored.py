"""A state by an unknown operator, stored in each iteration."""

TYPES = "VV"


def f(y, x):
    level = 0.0
    for i in range(len(x)):
        level += (x[i] - level) / 4
        y[i] = level


EXPECTED = """
bad_update_stored.py:9: `level` is carried from one iteration over `i` to the next by no operator that is recognised
    9 |  level += (x[i] - level) / 4
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"i": mdh.pw(op)}, or keep the order of the iterations: combine={"i": mdh.sequential}
"""
