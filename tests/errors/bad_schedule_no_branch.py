"""A size as a branch."""

from jitmdh import schedule as s


def f():
    s.choice(16, 32)


EXPECTED = """\
bad_schedule_no_branch.py:7: choice: 16 is no transformation
    7 |  s.choice(16, 32)
      |    ^^^^^^^^^^^^^^
  hint: such as s.tile(i=32), without a nest"""
