"""An element is updated by an operator that is not associative."""

TYPES = "VM"


def f(w, M):
    for i in range(len(w)):
        for k in range(M.shape[1]):
            w[i] = (w[i] + M[i, k]) / 2


EXPECTED = """
bad_update_of_element.py:9: `w` is carried from one iteration over `k` to the next by no operator that is recognised
    9 |  w[i] = (w[i] + M[i, k]) / 2
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  a reduction needs an associative operator: (a ⊕ b) ⊕ c == a ⊕ (b ⊕ c)
  hint: declare one with @mdh.operator and combine={"k": mdh.pw(op)}, or keep the order of the iterations: combine={"k": mdh.sequential}
"""
