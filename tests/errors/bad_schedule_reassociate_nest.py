"""A nest of a function that may re-associate its sum, used where it may not."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    arguments = np.zeros((9, 7)), np.zeros((9, 8)), np.zeros((8, 7))
    mdh.jit(schedule=s.build(matmul, *arguments).vectorize("k"), reassociate=False)(matmul)(*arguments)


EXPECTED = """\
bad_schedule_reassociate_nest.py:18: a nest of matmul is used for matmul: it has the dimensions i (++), j (++), k (•(add)), here they are i (++), j (++); the loop over k keeps its order: C[i, j] is a sum or product of floats over k, and reassociate=False
   18 |  mdh.jit(schedule=s.build(matmul, *arguments).vectorize("k"), reassociate=False)(matmul)(*arguments)
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: build it for this function, with its options; other sizes are fine"""
