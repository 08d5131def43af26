"""A class."""

import jitmdh as mdh



def f():
    @mdh.jit
    class Scale:
        pass


EXPECTED = """
@jit cannot compile class `Scale`
  hint: decorate its methods, or a function
"""
