"""An update by a function that nobody has declared an operator."""

TYPES = "V"


def g(a, b):
    return abs(a - b)


def f(x):
    s = 0.0
    for i in range(len(x)):
        s = g(s, x[i])
    return s


EXPECTED = """
bad_update_by_function.py:13: `s` is carried from one iteration over `i` to the next by no operator that is recognised
   13 |  s = g(s, x[i])
      |  ^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"i": mdh.pw(op)}, or keep the order of the iterations: combine={"i": mdh.sequential}
"""
