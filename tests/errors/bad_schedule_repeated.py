"""The number of times behind the transformation."""

from jitmdh import schedule as s


def f():
    s.repeat(s.tile(i=8), 2)


EXPECTED = """\
bad_schedule_repeated.py:7: repeat: 2 is no transformation
    7 |  s.repeat(s.tile(i=8), 2)
      |    ^^^^^^^^^^^^^^^^^^^^^^
  hint: such as s.tile(i=32), without a nest"""
