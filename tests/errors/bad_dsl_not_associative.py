"""Explicit representation: not associative."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[fp32](w=[lambda i, k: (i)]),
            md_hom[4, 5](mul, (CC, PW("sub"))),
            inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    return computation


EXPECTED = """
bad_dsl_not_associative.py:7: dimension k: combine operator `sub` is not associative
    7 |  @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  md_hom needs (a ⊗ b) ⊗ c == a ⊗ (b ⊗ c)
  hint: one of 'add', 'mul', 'minimum', 'maximum', 'fmin', 'fmax', 'and', 'or' or 'xor', or a function of your own that is
"""
