"""Updates of the variables that a loop carries, each beside near misses: one operand, comparison or place is another.

A form is a few lines of a loop body, with `;` between lines. s and t start from elements of b, u from -1, c from False.
"""

from __future__ import annotations

import re

NUMBERS = "np.where(np.isnan({}), {}, np.where(np.isnan({}), {}, np.{}({}, {})))"


def listed(text: str) -> list[str]:
    """The forms of a block; `|` between blanks divides them, but for the operator within brackets."""
    protected = text.replace("c | (", "c @ (")
    return [f.strip().replace("c @ (", "c | (") for line in protected.strip().split("\n") for f in line.split(" | ")]


SUMS = """
s += x[i] | s = x[i] + s | s -= x[i] | s = x[i] - s | s *= x[i] | s = s + x[i] + x[i] | s = x[i] + (s + 1)
s = (s + x[i]) * 2 | s = s + s | s = s + s * x[i] | s = x[i] | s = s * x[i] + 1
s += x[i] if x[i] > 0 else 0 | s = s + x[i] if x[i] > 0 else s | s = s if x[i] > 0 else s + x[i]
s = s + x[i] if x[i] > 0 else s + 1 | s = s + x[i] if i > 1 else s | s = s + x[i] if i > 1 else s * x[i]
s = s + x[i] if s > 0 else s | s = s + x[i] if i > 1 and x[i] > 0 else s | s = (s + x[i] if i > 1 else s) + 1
s = s - s * x[i] | s = s + x[i] - s | s -= 1 | u -= 2 | s = s * x[i] * x[i] if i > 1 else s * 2
s = (s * x[i] if i > 1 else s) * 2 | s = (s + i if i > 1 else s) + 1 | u = (u ^ i if i > 1 else u) ^ 5
u += 1 | u = u + 1 if x[i] > t else u | u = u + i if i < 3 else u | u += int(x[i] > t)
"""

LOGIC = """
c = c or x[i] > t | c = x[i] > t or c | c = c and x[i] > t | c = not c | c = c | (x[i] > t) | c = c & (x[i] > t)
c = c ^ (x[i] > t) | c = True if x[i] > t else c | c = False if x[i] > t else c | c = c if x[i] > t else True
c = x[i] > t if i > 1 else c | c = True if x[i] > t else False | u = 7 if x[i] > t else u
u |= i | u &= i | u ^= i | u <<= 1
"""

EXTREMA = [
    *(
        f"s = {f}({a})"
        for f in ("max", "min", "np.maximum", "np.minimum", "np.fmax", "np.fmin")
        for a in ("s, x[i]", "x[i], s")
    ),
    *(
        form.replace("<", op)
        for op in (">", ">=", "<", "<=", "==", "!=")
        for form in (
            "s = x[i] if x[i] < s else s",
            "s = s if s < x[i] else x[i]",
            "s = x[i] if s < x[i] else s",
            "s = x[i] if not x[i] < s else s",
        )
    ),
    "s = max(x[i], max(s, 2))",
    "s = max(s, s)",
    "s = max(s, x[i]) + 1",
    "s = max(s, x[i]) if i > 1 else s",
    "s = max(s, x[i]) if x[i] < 3 else s",
    "s = x[i] if x[i] > s and x[i] < 3 else s",
    "s = x[i] if x[i] > s or x[i] < 3 else s",
    "s = x[i] if x[i] < 3 and x[i] >= s else s",
    "s = x[i] if x[i] > s and i > 1 else s",
    "s = x[i] if x[i] > s and s < 3 else s",
    "s = x[i] if x[i] > s > 1 else s",
    "s = x[i] + 1 if x[i] > s else s",
    "s = x[i] if x[i] > s + 1 else s",
    "s = x[i] if x[i] > t else s",
    "s = -x[i] if -x[i] > s else s",
    "s = x[i - 1] if x[i] > s else s",
    "s = t if x[i] > s else s",
]

FMAX = [
    "s = " + NUMBERS.format(*form.split())
    for form in (
        "s x[i] x[i] s maximum s x[i]",
        "x[i] s s x[i] minimum x[i] s",
        "s x[i] x[i] s maximum x[i] s",
        "s x[i] x[i] t maximum s x[i]",
        "s x[i] t s maximum s x[i]",
        "s t x[i] s maximum s x[i]",
        "t x[i] x[i] t maximum t x[i]",
        "s x[i] x[i] s add s x[i]",
        "s x[i] x[i] s maximum s t",
        "s x[i] x[i] s maximum s s",
    )
] + [
    "s = np.where(np.isnan(s), x[i], np.where(np.isinf(x[i]), s, np.maximum(s, x[i])))",
    "s = np.where(np.isinf(s), x[i], np.where(np.isnan(x[i]), s, np.maximum(s, x[i])))",
    "s = np.where(np.isnan(s), x[i], np.maximum(s, x[i]))",
]

PAYLOADS = [
    *(
        f"if x[i] {op} s:;    s = x[i];    u = {payload}"
        for op in (">", ">=", "<", "<=")
        for payload in ("i", "-i", "7", "u + 1")
    ),
    *(f"if s {op} x[i]:;    s = x[i];    u = i" for op in (">", ">=", "<", "<=")),
    *(f"if x[i] {op} s and x[i] < 3:;    s = x[i];    u = i" for op in (">", ">=", "<", "<=")),
    "if x[i] > s:;    s, u, t = x[i], i, x[i] * 2",
    "if x[i] > s:;    s, u, c = x[i], i, True",
    "if x[i] > s:;    s = x[i];    t = s",
    "if x[i] > s:;    u, s = i, x[i] + 1",
    "if x[i] > t:;    s, u = x[i], i",
    "if x[i] > s:;    t, s, u = t + 1, x[i], i",
    "u = i if x[i] > s else u;s = x[i] if x[i] > s else s",
    "s = x[i] if x[i] > s else s;u = i if x[i] > s else u",
    "if x[i] > s:;    s = x[i];else:;    u = i",
]

SEVERAL = """
s += x[i];t = max(t, s) | t = max(t, x[i]);s += x[i] | s, t = t, s | s = s + t;t = t + x[i] | t = t + x[i];s = s + t
t += s;s += x[i] | s += x[i];t *= 2 | s += x[i];t += s * x[i] | s = s + x[i];s = s + t | s, t = s + x[i], t - x[i]
s, t = s + t, t + s | s = t;t = x[i]
"""

INNER = "for j in range(3):"
NESTED = [
    f"{INNER};    {body}"
    for body in (
        "s += x[i] * j",
        "s = max(s, x[i] - j)",
        "c = c or x[i] - j > t",
        "s += x[i];    t = max(t, s)",
        *(
            f"if x[i] - j {op} s:;        s, u = x[i] - j, {payload}"
            for op in (">", ">=", "<", "<=")
            for payload in ("i", "3 * i + j", "7")
        ),
    )
] + [
    *(
        f"{INNER};    s += x[i] * j;{after}"
        for after in ("s += 1", "s *= 2", "s = s - x[i]", "s = max(s, x[i])", "t += s")
    ),
    *(
        f"q = b[1];{INNER};    q += x[i] * j;{after}"
        for after in ("s += q", "s = max(s, q)", "s = s + 1", "s = q", "s = q + s * 2")
    ),
    *(
        f"q = b[1];{INNER};    q = max(q, x[i] - j);{after}"
        for after in ("s += q", "s = max(s, q)", "s = min(s, q)", "s = max(q, s)")
    ),
]

MIXED = """
p = p if p > x[i] else x[i] | p = p if x[i] <= p else x[i] | s = s if s > x[i] else x[i]
p += x[i] | p = max(p, x[i]) | p = min(x[i], p) | p = x[i] if x[i] > p else p | n += x[i] | n = max(n, x[i])
if x[i] > p:;    p, u = x[i], i | if x[i] >= n:;    n, u = x[i], i | s = np.float32(s + x[i]) | s = np.int32(s + x[i])
s = np.int64(np.int32(s) + x[i]) | s = s + np.float64(x[i]) | s = max(s, np.float64(x[i]))
s = max(s, float(x[i])) | s = s & 3 | s |= x[i]
"""


OPERATORS = """import jitmdh as mdh
@mdh.operator(identity=0, commutative=True)
def plus(a, b):
    return a + b
@mdh.operator(commutative=False)
def last(a, b):
    return b
@mdh.operator(commutative=True)
def larger(a, b):
    return np.maximum(a, b)
@mdh.operator(commutative=True)
def both(a, b):
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])
"""

DECLARED = """
s = plus(s, x[i]) | s = plus(x[i], s) | s = last(s, x[i]) | s = last(x[i], s) | s = plus(s, s) | s = plus(s, x[i]) + 1
s = plus(plus(s, x[i]), 1) | s = plus(s, x[i]) if x[i] > 1 else s | s = s if x[i] > 1 else plus(s, x[i])
s = plus(s, t)
s = plus(s, x[i]) if i > 1 else s | s = last(s, x[i]) if x[i] > 1 else s | s = last(s, x[i]) if i > 1 else s
s = plus(s, x[i]) if s > 1 else s | s = plus(s, x[i]);t = plus(t, s) | s = plus(s, x[i]);s = plus(s, x[i])
s = larger(s, x[i]) | s = larger(x[i], s) if i > 1 else s | s = larger(s, x[i]) if x[i] > 1 else s
for j in range(2):;    s = larger(s, x[i] - j) | for j in range(2):;    s = larger(s, x[i] - j);s = larger(s, 2)
s, t = both((s, t), (x[i], x[i])) | s, t = both((x[i], x[i]), (s, t)) | t, s = both((s, t), (x[i], x[i]))
s, t = both((t, s), (x[i], x[i])) | s, t = both((s, t), (x[i], t)) | s = both((s, t), (x[i], x[i]))[0]
s, t = both((s, t), (x[i], x[i])) if x[i] > 1 else (s, t) | s, t = both((s, t), (x[i], x[i])) if i > 1 else (s, t)
w = both((s, t), (x[i], x[i]));s = w[0] if x[i] > 1 else s;t = w[1] if x[i] > 2 else t
w = both((s, t), (x[i], x[i]));s = w[0];t = w[1];s = s + 1 | s, t = both((s, s), (x[i], x[i]))
"""

SCATTERED = """
h[x[i] % 3] += x[i] | h[x[i] % 3] -= x[i] | h[x[i] % 3] *= 2 | h[x[i] % 3] = x[i] | h[x[i] % 3] |= x[i]
h[x[i] % 3] = max(h[x[i] % 3], x[i]) | k = x[i] % 3;h[k] = min(x[i], h[k]) | h[x[i] % 3] = x[i] - h[x[i] % 3]
h[x[i] % 3] += h[0] | h[x[i] % 3] = h[x[i] % 2] + 1 | h[x[i] % 3] += 1;s += x[i] | h[x[i] % 3] += 1;t += h[0]
k = x[i] % 3;h[k] = h[k] + x[i] if x[i] > 1 else h[k] | k = x[i] % 3;h[k] = x[i] if x[i] > h[k] else h[k]
if x[i] > 1:;    h[x[i] % 3] += x[i] | if i > 1:;    h[x[i] % 3] += 1 | h[x[i] % 3] += 1;h[x[i] % 2] += 2
h[x[i] % 3] += 1;h[x[i] % 2] *= 2
h[x[i] % 3] += i | for j in range(3):;    h[x[i] % 3] += j | h[i % 3] += x[i]
h[x[i] % 3] = plus(h[x[i] % 3], x[i]) | h[x[i] % 3] = larger(h[x[i] % 3], x[i]) | h[x[i] % 3] = last(h[x[i] % 3], x[i])
q = 0;for j in range(3):;    q += x[i] + j;h[x[i] % 3] = q + h[x[i] % 3] | h[x[i] % 3] += x[:i].sum()
for j in range(3):;    h[x[i] % 3] = max(h[x[i] % 3], x[i] - j)
h[x[i] % 3] += x.shape[0] | q = h[x[i] % 3];for j in range(2):;    q += j;h[x[i] % 3] = q
for j in range(2):;    h[x[i] % 2 + j] += x[i] | h[x[i] % 3] += 0.5 | h[x[i] % 3] /= 2 | h[x[i] % 3] += 1;h[0] = 5
"""


ELEMENTS = [re.sub(r"\bs\b", "h[0]", form) for form in (*listed(SUMS), *EXTREMA)]
"""The same with an element of an array as the state."""

SCANNED = [
    *(
        f"{form};y[i] = s"
        for form in (*listed(SUMS)[:18], *listed(SEVERAL), "s = max(s, x[i])", "s = x[i] if x[i] >= s else s")
    ),
    *(
        f"y[i] = s;{form}"
        for form in ("s += x[i]", "s *= x[i]", "s = min(x[i], s)", "s = x[i]", "s = s + x[i] if x[i] > 1 else s")
    ),
    *(f"{form};y[i] = {of}" for form in PAYLOADS[::4] for of in ("u", "s", "s - u")),
    *(f"{form};y[i] = s;s += 1" for form in ("s += x[i]", "s = max(s, x[i])")),
    *(f"if x[i] > 1:;    {form};y[i] = s" for form in ("s += x[i]", "s = max(s, x[i])", "s = t - s")),
    *(f"if i > 1:;    {form};    y[i] = s" for form in ("s += x[i]", "s = max(s, x[i])", "t += s")),
]
"""The same with each state kept: scans."""

WRITTEN = [
    "if x[i] > s:;    x[i] = t;    s = x[i]",
    "if x[i] > s:;    s = x[i];    x[i] = t",
    "if x[i] > s:;    x[i - 1] = t;    s, u = x[i], i",
    "x[i] = x[i] + 1;if x[i] > s:;    s = x[i]",
    "if x[i] >= s:;    x[0] = t;    s, u = x[i], i",
    "s += x[i];x[i] = s",
    "s = max(s, x[i]);x[i - 1] = t",
]
"""Updates beside writes to what they take in."""


FORMS = {
    "sums": listed(SUMS),
    "logic": listed(LOGIC),
    "extrema": EXTREMA,
    "fmax": FMAX,
    "payloads": PAYLOADS,
    "several": listed(SEVERAL),
    "nested": NESTED,
    "mixed": listed(MIXED),
    "declared": listed(DECLARED),
    "scattered": listed(SCATTERED),
    "elements": ELEMENTS,
    "scanned": SCANNED,
    "written": WRITTEN,
}
