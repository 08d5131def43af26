"""Record linkage on handwritten digits: a scoring function and a combine operator of one's own. Needs scikit-learn."""

import numpy as np
from sklearn.datasets import load_digits

import jitmdh as mdh


def agreement(p, q):
    difference = abs(p - q)
    if difference > 8:
        return -difference  # ink here, none there: counts against the pair
    return 8 - difference


@mdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


@mdh.jit
def best_match(score, match, records, known):
    for i in range(records.shape[0]):
        best = (-np.inf, -1)
        for j in range(known.shape[0]):
            total = 0.0
            for k in range(known.shape[1]):
                total += agreement(records[i, k], known[j, k])
            best = better(best, (total, j))
        score[i] = best[0]
        match[i] = best[1]


digits = load_digits()
known, records = digits.data[:1347], digits.data[1347:]
score, match = np.empty(len(records)), np.empty(len(records), np.int64)
best_match(score, match, records, known)

for i in range(0, len(records), 50):
    difference = np.abs(records[i] - known)
    totals = np.where(difference > 8, -difference, 8 - difference).sum(axis=1)
    assert (score[i], match[i]) == (totals.max(), totals.argmax())

right = np.mean(digits.target[:1347][match] == digits.target[1347:])
print(f"record linkage: {right:.1%} of {len(records)} digits matched to the same digit")
