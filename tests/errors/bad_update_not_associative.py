"""A local variable is updated by an operator that is not associative."""

TYPES = "V"


def f(x):
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + x[i]
    return s


EXPECTED = """
bad_update_not_associative.py:9: `s` is carried from one iteration over `i` to the next by no operator that is recognised
    9 |  s = s * 0.5 + x[i]
      |  ^^^^^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"i": mdh.pw(op)}, or keep the order of the iterations: combine={"i": mdh.sequential}
"""
