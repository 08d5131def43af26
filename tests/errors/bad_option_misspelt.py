"""A misspelt option."""

import jitmdh as mdh



def f():
    mdh.jit(fallbak="python")


EXPECTED = """
@jit has no option `fallbak`
  hint: did you mean `fallback`?
"""
