"""A list that grows."""

TYPES = "V"


def f(x):
    found = []
    for value in x:
        if value > 0:
            found.append(value)
    return found


EXPECTED = """
bad_list_appended.py:10: attribute `append` of `found` is not supported
   10 |  found.append(value)
      |  ^^^^^^^^^^^^
  hint: make an array as long as it may become, write to it, x[n] = …; n += 1, and return its part x[:n]
"""
