"""A partial function."""

import functools

import jitmdh as mdh



def scale(x, a):
    return a * x


def f():
    mdh.jit(functools.partial(scale, a=2.0))


EXPECTED = """
@jit cannot compile functools.partial of `scale`
  hint: decorate `scale` first: functools.partial(mdh.jit(scale), …)
"""
