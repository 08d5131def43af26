"""Record field."""

TYPES = "R"


def f(p):
    for i in range(len(p)):
        p[i]["z"] = 0


EXPECTED = """
bad_record_field.py:8: `p` has no field 'z'
    8 |  p[i]["z"] = 0
      |       ^^^
  hint: its fields are 'x' and 'n'
"""
