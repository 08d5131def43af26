"""Explicit representation: size."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [4]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[fp32](w=[lambda i, k: (i)]),
            md_hom[4, 5](mul, (CC, PW("add"))),
            inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    return computation


EXPECTED = """
bad_dsl_size.py:15: v is declared with size 4 in dimension 0, index k reaches 4
   15 |  inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
      |                                                                 ^
"""
