"""A signature, as Numba takes it."""

import jitmdh as mdh



def f():
    mdh.jit("float64(float64)")


EXPECTED = """
@jit takes no signature
  hint: leave it out: a function is compiled for the types of each call; write @mdh.jit
"""
