"""Division is not associative."""

TYPES = "V"


def f(x):
    s = 1.0
    for i in range(len(x)):
        s /= x[i]
    return s


EXPECTED = """
bad_update_by_quotient.py:9: `s` is carried from one iteration over `i` to the next by no operator that is recognised
    9 |  s /= x[i]
      |  ^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"i": mdh.pw(op)}, or keep the order of the iterations: combine={"i": mdh.sequential}
"""
