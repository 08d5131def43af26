"""A storage that there is not."""

from jitmdh import tensor as mt


def f():
    mt.Tensor("L", (3, 3), pattern=mt.lower, storage="rows")


EXPECTED = """
bad_tensor_storage.py:7: Tensor('L'): storage='rows' is none of dense, box, padded, list, columns
    7 |  mt.Tensor("L", (3, 3), pattern=mt.lower, storage="rows")
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
