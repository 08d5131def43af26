"""Explicit representation: branch."""

from jitmdh.dsl import *


def f():
    @mdh(out(w=Buffer[fp32, [4]]), inp(M=Buffer[fp32, [4, 5]], v=Buffer[fp32, [5]]))
    def computation():
        def mul(out, inp):
            out["w"] = inp["M"] if inp["v"] > 0 else 0

        return (
            out_view[fp32](w=[lambda i, k: (i)]),
            md_hom[4, 5](mul, (CC, PW("add"))),
            inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    return computation


EXPECTED = """
bad_dsl_branch.py:10: the truth of `v > 0.0` is not known before it runs
   10 |  out["w"] = inp["M"] if inp["v"] > 0 else 0
      |                         ^^^^^^^^^^^^
  hint: write where(condition, a, b) instead of `if`, `and`, `min` or `max`
"""
