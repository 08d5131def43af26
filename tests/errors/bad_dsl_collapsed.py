"""Explicit representation: collapsed."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [5]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[fp32](w=[lambda i, k: (k)]),
            md_hom[4, 5](mul, (CC, PW("add"))),
            inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    return computation


EXPECTED = """
bad_dsl_collapsed.py:13: out_view: w is indexed by k, which PW has combined
   13 |  out_view[fp32](w=[lambda i, k: (k)]),
      |                                  ^
"""
