"""A function that is not written in Python."""

import jitmdh as mdh



def f():
    mdh.jit(len)


EXPECTED = """
@jit cannot compile `len`, which is no Python function
  hint: decorate a function that is defined with def
"""
