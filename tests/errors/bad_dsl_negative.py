"""Explicit representation: negative."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[fp32](w=[lambda i, k: (i)]),
            md_hom[4, 5](mul, (CC, PW("add"))),
            inp_view[fp32, fp32](M=[lambda i, k: (i, k - 1)], v=[lambda i, k: (k)]),
        )

    return computation


EXPECTED = """
bad_dsl_negative.py:15: M: index k - 1 in dimension 1 reaches -1
   15 |  inp_view[fp32, fp32](M=[lambda i, k: (i, k - 1)], v=[lambda i, k: (k)]),
      |                                       ^^^^^^^^^^
"""
