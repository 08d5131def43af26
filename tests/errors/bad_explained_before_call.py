"""Nothing is compiled yet."""

import jitmdh as mdh



@mdh.jit
def scale(x):
    return 2 * x


def f():
    scale.explain()


EXPECTED = """
scale is not compiled yet
  hint: pass arguments, or call it first
"""
