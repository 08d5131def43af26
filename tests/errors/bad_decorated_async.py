"""An async function."""

import jitmdh as mdh



def f():
    @mdh.jit
    async def scale(x):
        return 2 * x


EXPECTED = """
@jit cannot compile async function `scale`
  hint: compute in a plain function, and await around it
"""
