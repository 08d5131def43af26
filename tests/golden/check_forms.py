"""Subscripts of every kind: those that sizes decide, those that ranges decide, and those that data decide.

A line is the body of a function of arrays y, x (floats), table (rows of floats), at (int64), few (uint8), near
(int32), big (uint64), and numbers n, m. A statement begins with as many bars as it is deep;
`;` stands before one that is not inside of anything.
"""

from __future__ import annotations

SIZES = """
for i in range(n): | y[i] = x[i]
for i in range(x.shape[0]): | y[0] += x[i]
for i in range(n): | y[i] = x[i + 1] + x[n - 1 - i]
for i in range(1, n): | y[i] = x[i - 1]
for i in range(0, n, 2): | y[i] = x[i]
for i in range(n): | for j in range(m): || y[i] += x[i + 2 * j]
for i in range(n): | for j in range(m): || y[i] += x[i - j]
for i in range(n): | for j in range(i): || y[i] += x[i + j]
for i in range(n): | for j in range(i, n): || y[i] += x[j - i]
for i in range(n): | if i > 2: || y[i] = x[i - 3]
for i in range(n): | if n > m: || y[i] = x[i]
for i in range(n): | if i + 1 < x.shape[0]: || y[i] = x[i + 1]
for i in range(n): | if x[i] > 0: || y[i] = x[i + 1]
for i in range(n): | for j in range(m): || y[n] += x[j]
for i in range(3): | for j in range(m): || y[n] += x[j]
for j in range(m): | y[n] += x[j] ; y[n] = 2.0
for i in range(n): | y[i] = table[i, m] + table[m, i]
for i in range(n): | for j in range(m): || y[i] += table[i, j] if j < n else 0.0
for i in range(n): | s = x[i + 4] | y[i] = 1.0
for i in range(n): | for j in range(m): || s = x[i + j] | y[i] = 1.0
y[n] = x[m]
y[3] = x[0] + x[-1]
for i in range(n): | t = x[i] | for j in range(m): || t += x[j] | y[i] = t
for i in range(n): | for j in range(m): || y[i + j] += x[i] * x[j]
for i in range(1, n): | y[i] = y[i - 1] + x[i]
for i in range(n): | for j in range(m): || if j <= i: ||| y[i] += x[i - j]
for i in range(n): | for j in range(m): || if i + j < 9: ||| y[i] += x[i + j] + x[i + 2 * j]
for i in range(n): | for j in range(i): || y[i] += x[3 * i - 2 * j]
for i in range(n): | for j in range(i, m): || y[i] += x[j - 2 * i + 3]
for i in range(0): | y[i] = x[i + 5]
for i in range(n): | for j in range(m + 1): || y[i] += x[j]
"""

RANGES = """
for i in range(n): | for j in range(m): || y[i * m + j] = x[i * m + j]
for i in range(n): | for j in range(m): || y[i * m + j] = x[j * n + i]
for i in range(n): | for j in range(m): || y[i] += x[i * m + i]
for i in range(n): | for j in range(i): || y[i] += x[i * m + j]
for i in range(n): | if i > 2: || y[i] = x[i * m]
for i in range(n): | y[i] = x[(n - i) * m - 1]
for i in range(n): | y[i] = x[i // m]
for i in range(n): | y[i] = x[i % m]
for i in range(n): | y[i] = x[i // 3] + x[i % 3]
for i in range(n): | y[i] = x[i * i]
for i in range(n): | y[i] = x[abs(i - m)]
for i in range(n): | y[i] = x[min(i * m, 5)] + x[max(i * m, 5)]
for i in range(n): | y[i] = x[-i * m]
for i in range(n): | y[i] = x[min(max(at[i], 0), n - 1)]
for i in range(n): | y[i] = x[min(at[i], n - 1)]
for i in range(n): | y[i] = x[max(at[i], 0)]
for i in range(n): | y[i] = x[max(min(at[i], 9), 0) - 3]
for i in range(n): | y[i] = x[min(max(at[i], 0), 7) * 2]
for i in range(n): | y[i] = x[min(max(at[i], 2), 4) if x[i] > 0 else 5]
for i in range(n): | y[i] = x[few[i]] + x[few[i] + 3]
for i in range(n): | y[i] = x[min(max(at[i], 0), 9) // 2]
for i in range(n): | y[i] = x[min(max(at[i], 0), 9) % 4]
for i in range(n): | y[i] = x[min(max(at[i], 0), 9) % m]
for i in range(n): | y[i] = x[int(few[i]) * int(few[i])]
for i in range(n): | for j in range(m): || y[min(max(at[j], 0), n - 1)] += x[j]
for i in range(n): | for j in range(i): || y[i * m + j] = x[i]
for t in range(n): | for i in range(t): || y[i + 1] = y[i] + x[t * m + i]
"""

DATA = """
for i in range(n): | y[i] = x[at[i]]
for i in range(n): | y[at[i]] = x[i]
for i in range(n): | y[at[i]] += x[i]
for i in range(n): | y[i] = x[at[i] + 1] + x[at[i]]
for i in range(n): | y[i] = x[at[at[i]]]
for i in range(n): | y[i] = table[at[i], at[i + 1]]
for i in range(n): | if x[i] > 0: || y[i] = x[at[i]]
for i in range(n): | if i > 2: || y[i] = x[at[i]]
for i in range(n): | for j in range(m): || y[i] += x[at[j]]
for i in range(n): | for j in range(m): || y[i] += table[at[i], j]
for i in range(n): | for j in range(at[i], at[i + 1]): || y[i] += x[j]
for i in range(n): | for j in range(at[i], at[i + 1]): || y[i] += x[few[j]]
for i in range(n): | for j in range(at[i]): || y[i] += x[n - j]
for i in range(n): | for j in range(at[i]): || if j > 2: ||| y[i] += x[j]
for i in range(n): | for j in range(at[i], at[i + 1]): || s = x[j] | y[i] = 1.0
for j in range(m): | y[at[0]] += x[j]
for j in range(m): | y[at[n]] = max(y[at[n]], x[j])
for i in range(n): | y[i] = x[at[i] if x[i] > 0 else i]
for i in range(n): | y[i] = x[at[0] if n > 2 else at[1]]
for i in range(n): | s = x[at[i]] | y[i] = 1.0
for i in range(n): | for j in range(at[0]): || y[i] += x[j]
for i in range(1, n): | y[i] = y[i - 1] + x[at[i]]
for i in range(n): | at[i] = i ; for i in range(n): | y[at[i]] = x[i]
for i in range(n): | y[i] = x[few[i]]
t = np.zeros(n, np.int64) ; for i in range(n): | t[i] = i * i ; for i in range(n): | y[t[i]] = x[i]
for i in range(n): | y[i] = x[at[0] if x[i] > 0 else at[1]]
for i in range(n): | y[i] = x[at[0] * at[0] if x[i] > 0 else 1]
y[0] = x[at[0] if np.exp(x[0]) > 2 else at[1]]
for i in range(n): | for j in range(m + 1): || y[i] += x[at[i]]
for t in range(m): | for i in range(1, n): || y[i] = y[i - 1] + x[at[i] + t]
for t in range(n): | for i in range(t): || y[i + 1] = y[i] + x[at[i]]
for t in range(m): | for i in range(n): || for j in range(at[i], at[i + 1]): ||| y[i] += y[j + t]
for i in range(n): | for j in range(few[i], few[i + 1]): || y[i] += x[j]
for i in range(n): | for j in range(few[i] // m, 9): || y[i] += x[j]
for i in range(n): | for j in range(max(at[i], 0), at[i + 1]): || y[i] += x[j]
for i in range(n): | for j in range(min(max(at[i], 0), 5), min(few[i], 7)): || y[i] += x[j]
for i in range(n): | for j in range(int(few[i]) if x[i] > 0 else 3, 9): || y[i] += x[j]
for i in range(n): | for j in range(at[i]): || y[i] += x[m]
for i in range(n): | for j in range(at[i]): || y[i] += x[j + few[i]]
for t in range(n): | for i in range(t): || y[i] = np.sqrt(y[i]) + x[at[i]]
t = np.zeros(n, np.int64) ; for i in range(n): | t[i] = at[i] * 2 ; for i in range(n): | y[i] = x[t[i]]
for i in range(n): | y[i] = x[at[0] * at[1] + at[0] if x[i] > 0 else at[0] * at[1]]
for i in range(n): | for j in range(max(at[i], i), 9): || y[i] += x[j]
for i in range(n): | for j in range(big[i], 9): || y[i] += x[j]
for i in range(n): | for j in range(int(big[i]), 9): || y[i] += x[j]
for i in range(n): | y[i] = x[big[i]]
for i in range(n): | y[i] = x[near[i]]
"""
