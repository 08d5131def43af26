"""Elements that data choose are updated by an operator that is not associative."""

TYPES = "VIV"


def f(y, index, x):
    for i in range(len(x)):
        y[index[i]] = x[i] - y[index[i]]


EXPECTED = """
bad_update_of_element_from_data.py:8: `y` is carried from one iteration over `i` to the next by no operator that is recognised
    8 |  y[index[i]] = x[i] - y[index[i]]
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"i": mdh.pw(op)}, or keep the order of the iterations: combine={"i": mdh.sequential}
"""
