"""Horner's rule inside a parallel loop."""

TYPES = "VVV"


def f(y, c, x):
    for i in range(len(x)):
        s = 0.0
        for k in range(len(c)):
            s = s * x[i] + c[k]
        y[i] = s


EXPECTED = """
bad_update_in_parallel_loop.py:10: `s` is carried from one iteration over `k` to the next by no operator that is recognised
   10 |  s = s * x[i] + c[k]
      |  ^^^^^^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"k": mdh.pw(op)}, or keep the order of the iterations: combine={"k": mdh.sequential}
"""
