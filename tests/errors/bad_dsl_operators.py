"""Explicit representation: operators."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[fp32](w=[lambda i, k: (i)]),
            md_hom[4, 5](mul, (CC,)),
            inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    return computation


EXPECTED = """
bad_dsl_operators.py:7: md_hom has 2 sizes and 1 combine operator
    7 |  @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: one of each for every dimension
"""
