"""A file that is not there."""

import jitmdh as mdh


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    mdh.jit(schedule="no such file.json")(matmul)


EXPECTED = """\
bad_schedule_missing_file.py:14: @jit: schedule 'no such file.json' cannot be read: No such file or directory
   14 |  mdh.jit(schedule="no such file.json")(matmul)
      |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"""
