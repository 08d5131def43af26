"""A generator."""

import jitmdh as mdh



def f():
    @mdh.jit
    def scale(x):
        yield 2 * x


EXPECTED = """
@jit cannot compile generator `scale`
  hint: write a function that fills an array
"""
