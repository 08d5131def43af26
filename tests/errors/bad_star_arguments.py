"""Star arguments."""

TYPES = "V"


def f(*x):
    pass


EXPECTED = """
bad_star_arguments.py:6: a compiled function cannot take *args or **kwargs
    6 |  def f(*x):
      |  ^^^^^^^^^^
  hint: name its parameters
"""
