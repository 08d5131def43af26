"""Two states need each other, by no operator that is declared."""

TYPES = "V"


def f(x):
    a, b = 0.0, 1.0
    for i in range(len(x)):
        a, b = b + x[i], a * x[i]
    return a + b


EXPECTED = """
bad_update_of_two.py:9: `a` and `b` are carried from one iteration over `i` to the next by no operator that is recognised
    9 |  a, b = b + x[i], a * x[i]
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"i": mdh.pw(op)}, or keep the order of the iterations: combine={"i": mdh.sequential}
"""
