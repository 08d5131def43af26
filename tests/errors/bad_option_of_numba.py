"""An option of Numba's."""

import jitmdh as mdh



def f():
    mdh.jit(nopython=True)


EXPECTED = """
@jit has no option `nopython`
  hint: leave it out: code is always compiled without Python; what cannot be is an error, or see fallback=
"""
