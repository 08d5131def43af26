"""Something open in a configuration, which has values only."""

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def f():
    mdh.jit(schedule={"part_size": {"(L1,i)": s.any}})(matmul)


EXPECTED = """\
bad_schedule_open_table.py:17: schedule: part_size is {'(L1,i)': Any()}
   17 |  mdh.jit(schedule={"part_size": {"(L1,i)": s.any}})(matmul)
      |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: what is open is left out here, or said of a nest: s.build(f, …).stripmine('i', s.any)"""
