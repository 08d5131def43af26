"""Programs of two steps, one that makes an array and one that reads it, beside near misses of what is joined."""

from __future__ import annotations

ROW = "for i in range(n):;    a = 0.0;    for j in range(m):;        a += x[i, j]"

PRODUCERS = {
    "row sums": f"{ROW};    t[i] = a",
    "row maxima": "for i in range(n):;    a = -np.inf;    for j in range(m):;        a = max(a, x[i, j]);    t[i] = a",
    "added in place": "for i in range(n):;    for j in range(m):;        t[i] += x[i, j]",
    "finished": f"{ROW};    t[i] = abs(a) * v[0] + 1",
    "elements": "for i in range(n):;    t[i] = 2 * x[i, 0]",
    "some rows": ROW.replace("range(n)", "range(1, n)") + ";    t[i] = a",
    "where i > 1": f"{ROW};    if i > 1:;        t[i] = a",
    "where data say": f"{ROW};    if v[0] < a:;        t[i] = a",
    "reversed": f"{ROW};    t[n - 1 - i] = a",
    "running": "a = 0.0;for i in range(n):;    a += x[i, 0];    t[i] = a",
    "gathered": ROW.replace("x[i, j]", "x[at[i], j]") + ";    t[i] = a",
    "scattered": f"{ROW};    t[at[i]] += a",
    "triangle": ROW.replace("range(m)", "range(min(i + 1, m))") + ";    t[i] = a",
    "two arrays": f"{ROW};    t[i] = a;    w[i] = -a",
}

CONSUMERS = {
    "sum": "for i in range(n):;    s += t[i]",
    "maximum": "for i in range(n):;    s = max(s, t[i])",
    "squares": "for i in range(n):;    s += t[i] * t[i]",
    "elements": "for i in range(n):;    y[i] = 2 * t[i]",
    "neighbours": "for i in range(n - 1):;    s += t[i] * t[i + 1]",
    "mirrored": "for i in range(n):;    s += t[n - 1 - i]",
    "most": "for i in range(n - 1):;    s += t[i]",
    "where i > 1": "for i in range(n):;    if i > 1:;        s += t[i]",
    "where data say": "for i in range(n):;    if v[0] < t[i]:;        s += t[i]",
    "gathered": "for i in range(n):;    s += t[at[i]]",
    "first": "for i in range(n):;    s += t[0]",
    "products": "for i in range(n):;    for k in range(m):;        y[i] += t[i] * v[k]",
    "columns": "for k in range(m):;    for i in range(n):;        z[k] += t[i] * x[i, k]",
    "running": "for i in range(n):;    s += t[i];    y[i] = s",
    "twice": "for i in range(n):;    s += t[i];for i in range(n):;    y[i] = t[i]",
    "changed before": "for i in range(n):;    x[i, 0] = 7.0;for i in range(n):;    s += t[i]",
    "changed meanwhile": "for i in range(n):;    y[i] = t[i];    v[0] = 3.0",
}

PLACES = {  # of the array between: made here, filled here, an argument, returned as well
    "empty": ("t = np.empty(n)", "s"),
    "zeros": ("t = np.zeros(n)", "s"),
    "argument": ("t = u", "s"),
    "returned": ("t = np.zeros(n)", "s, t"),
}

# Σ_j x[i, j] · (Σ_k …): the inner sum does not depend on i, and may be computed once for all i.
CHAIN = "for i in range(n):;    for l in range(m):;        a = {start};        for j in range(m):;"
CHAIN += "            b = {init};            for k in range({extent}):;                {update};"
CHAIN += "            a = a + x[i, j] * b;        q[i, l] = a"


def chain(update: str, init: str = "0.0", extent: str = "m", start: str = "0.0") -> str:
    return CHAIN.format(update=update, init=init, extent=extent, start=start)


CHAINS = {
    "product of three": chain("b += c[j, k] * d[k, l]"),
    "of i": chain("b += c[j, k] * d[k, l] * x[i, k]"),
    "of no l": chain("b += c[j, k]"),
    "of no j": chain("b += d[k, l]"),
    "of none": chain("b += v[k]"),
    "maximum": chain("b = max(b, c[j, k] + d[k, l])", "-np.inf"),
    "where k > 1": chain("b += c[j, k] if k > 1 else 0.0"),
    "where i > 1": chain("b += c[j, k] if i > 1 else 0.0"),
    "guarded by i": chain("b = b + c[j, k] if i > k else b"),
    "extent of i": chain("b += c[j, k] * d[k, l]", extent="min(i + 1, m)"),
    "extent of l": chain("b += c[j, k]", extent="l + 1"),
    "starts from i": chain("b += c[j, k] * d[k, l]", init="x[i, 0]"),
    "starts from j": chain("b += c[j, k] * d[k, l]", init="v[j]"),
    "index": chain("b += c[j, k] * i"),
    "gathered by i": chain("b += v[at[i] % m] * c[j, k]"),
    "gathered by j": chain("b += v[k] * c[at[j] % m, k]"),
    "outer start": chain("b += c[j, k] * d[k, l]", start="x[i, l]"),
}

# The factors of a sum's terms: which are multiplied first.
PRODUCTS = (
    "x[i, k] * c[k, l] * d[l, j]",
    "x[i, k] * (c[k, l] * d[l, j])",
    "(x[i, k] * c[k, l]) * d[l, j]",
    "x[i, k] * c[k, l]",
    "c[k, l] * x[i, k] * d[l, j] * v[l]",
    "v[j] * v[k] * v[l]",
    "v[l] * v[l] * v[l]",
    "x[i, k] * d[l, j] * c[k, l]",
    "x[i, k] * v[l] * d[l, j]",
    "x[i, k] * v[j] * v[k] * d[l, j]",
    "x[i, k] * c[k, l] * d[l, j] + v[j]",
    "-x[i, k] * c[k, l] * d[l, j]",
    "x[i, k] * c[k, l] / (1 + d[l, j] * d[l, j])",
    "x[i, k] * 2.0 * c[k, l] * d[l, j]",
    "x[i, k] * i * c[k, l] * d[l, j]",
    "np.sqrt(v[k] * v[k] * x[i, k] * x[i, k])",
)
