"""Explicit representation: view missing."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[fp32](w=[lambda i, k: (i)]),
            md_hom[4, 5](mul, (CC, PW("add"))),
            inp_view[fp32](M=[lambda i, k: (i, k)]),
        )

    return computation


EXPECTED = """
bad_dsl_view_missing.py:7: inp_view names M, the buffers are M and v
    7 |  @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: every buffer has its index functions in the view
"""
