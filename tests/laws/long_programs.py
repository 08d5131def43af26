"""Programs of everyday shapes of any length: `x` and `y` are arrays of integers, `n` a number."""

from __future__ import annotations

from collections.abc import Callable

PARAMETERS = "x, y, n"
"""x: int64[100] from 0 to 99, y: int64[200], n: at most 99."""

Lines = list[str]


def _block(head: Lines, repeated: Callable[[int], Lines], times: int, depth: int, tail: Lines) -> Lines:
    return [*head, *("    " * depth + line for k in range(times) for line in repeated(k)), *tail]


def _in_for(repeated: Callable[[int], Lines], *first: str) -> Callable[[int], Lines]:
    """A loop whose iterations are independent: of the locals `a` and `b`."""
    first = first or ("a = x[i]", "b = 1")
    head = ["for i in range(n):", *(f"    {line}" for line in first)]
    return lambda times: _block(head, repeated, times, 1, ["    y[i] = a + b"])


def _in_while(repeated: Callable[[int], Lines]) -> Callable[[int], Lines]:
    """A loop that data decide on."""
    head = ["a, b, c, i = 0, 0, 0, 0", "while i < n:"]
    return lambda times: _block(head, repeated, times, 1, ["    i += 1", "return a + b + c"])


def _in_order(repeated: Callable[[int], Lines]) -> Callable[[int], Lines]:
    """A loop each of whose iterations needs the one before."""
    head = ["a, b, c = 1, 2, 3", "for i in range(n):"]
    return lambda times: _block(head, repeated, times, 1, ["    y[i] = a", "return a + b + c"])


def _at_once(repeated: Callable[[int], Lines]) -> Callable[[int], Lines]:
    """Statements outside of loops."""
    return lambda times: _block(["a, s = x * 2, 0"], repeated, times, 0, ["y[:100] = a", "return s"])


def _deep(times: int) -> Lines:
    lines = ["a = i = 0", "while i < n:"]
    for k in range(times):
        lines += ["    " * (k + 1) + f"if x[i] > {k}:", "    " * (k + 2) + f"a += x[i] - {k}"]
    return [*lines, "    i += 1", "return a"]


def _chosen(times: int) -> Lines:
    value = "0"
    for k in range(times):
        value = f"({k} if x[i] == {k} else {value})"
    return ["for i in range(n):", f"    y[i] = {value}"]


def _conditions(times: int) -> Lines:
    terms = (f"(1 if x[i] > {k} and x[i] < {k + 2} or x[i] == {2 * k} else 0)" for k in range(times))
    return ["for i in range(n):", f"    y[i] = {' + '.join(terms)}"]


def _unrolled(times: int) -> Lines:
    numbers = ", ".join(map(str, range(times)))
    return ["for i in range(n):", "    s = 0", f"    for d in ({numbers},):", "        if x[i] > d:",
            "            s += x[i] - d", "    y[i] = s"]  # fmt: skip


def _cases(k: int) -> Lines:
    word = "elif" if k else "if"
    return [f"{word} a == {k}:", f"    if x[i] == {k}:", f"        a = {k + 1}", "        y[b] = x[i]",
            "        b += 1", f"    elif x[i] > {k}:", "        a = 0", "    else:", "        y[i] = a"]  # fmt: skip


def _nested(k: int) -> Lines:
    return [f"if x[i] > {k}:", f"    a += {k + 1}", f"    if x[i] < {k + 3} and a > b:", "        b += a",
            f"    elif c > {k}:", f"        c = b - {k}", "    else:", f"        y[i] = a + {k}"]  # fmt: skip


def _gathers(times: int) -> Lines:
    lines = ["for i in range(n):", "    a = x[i]"]
    for k in range(times):
        lines += ["    " * (k + 1) + f"if a > {k}:", "    " * (k + 2) + "a = x[a]"]
    return [*lines, "    y[i] = a"]


def _whiles(times: int) -> Lines:
    lines = ["s = 0"]
    for k in range(times):
        lines += ["    " * k + f"i{k} = 0", "    " * k + f"while i{k} < n - {k}:"]
    lines.append("    " * times + "s += 1")
    return [*lines, *("    " * (k + 1) + f"i{k} += 1" for k in reversed(range(times))), "return s"]


def _fors(times: int) -> Lines:
    heads = ["    " * k + f"for i{k} in range(n - {k}):" for k in range(times)]
    return [*heads, "    " * times + f"y[i0] += x[i{times - 1}]"]


def _outputs(times: int) -> Lines:
    return [*(f"z{k} = x * {k}" for k in range(times)), f"return {', '.join(f'z{k}' for k in range(times))}, n"]


def _helpers(times: int) -> Lines:
    lines = ["def h0(a, b):", "    return a * b + 1"]
    for k in range(1, times):
        lines += [f"def h{k}(a, b):", f"    return h{k - 1}(a + {k}, b) - a"]
    return [*lines, "for i in range(n):", f"    y[i] = h{times - 1}(x[i], n)"]


def _calls(times: int) -> Lines:
    head = [
        "def h(a, b):",
        "    if a > b:",
        "        return a - b",
        "    return b + a",
        "for i in range(n):",
        "    a = 0",
    ]
    return [*head, *(f"    a = h(a, x[i] + {k})" for k in range(times)), "    y[i] = a"]


def _elifs(times: int) -> Lines:
    lines = ["for i in range(n):", "    a = b = 0"]
    for k in range(times):
        word = "elif" if k else "if"
        lines += [f"    {word} x[i] + a > {90 - k}:", f"        a = x[i] * {k}", f"        b = a + {k}"]
    return [*lines, "    y[i] = a + b"]


def _literal(times: int) -> Lines:
    return ["for i in range(n):", "    a = x[i]", f"    for k in range({times}):", "        if a > k:",
            "            a = a - k", "        else:", "            a = a + x[k]", "    y[i] = a"]  # fmt: skip


def _pairs(times: int) -> Lines:
    pairs = ", ".join(f"({k}, {k + 1})" for k in range(times))
    return ["for i in range(n):", "    a = 0", f"    for p, q in ({pairs},):", "        a = a * p + x[(i + q) % n]",
            "    y[i] = a"]  # fmt: skip


def _returns(times: int) -> Lines:
    lines = ["for i in range(n):"]
    for k in range(times):
        lines += [f"    if x[i] == {k + 50}:", f"        return i + {k}"]
    return [*lines, "return -1"]


def _expression(times: int) -> Lines:
    value = "x[i]"
    for k in range(times):
        value = f"({value} * {k + 1} + abs(x[i] - {k}))"
    return ["for i in range(n):", f"    y[i] = {value}"]


def _searched(times: int) -> Lines:
    holds = " and ".join(f"x[x[i]] != {1000 + k}" for k in range(times))
    return ["i = 0", f"while i < n and {holds}:", "    i += 1", "return i"]


def _states(times: int) -> Lines:
    names = [f"v{k}" for k in range(times)]
    head = [*(f"{name} = {k}" for k, name in enumerate(names)), "i = 0", "while i < n:"]
    body = [f"    v{k} = (v{k - 1 if k else times - 1} + v{(k + 1) % times}) % 97" for k in range(times)]
    return [*head, *body, "    i += 1", f"return {' + '.join(names)}"]


SHAPES: dict[str, Callable[[int], Lines]] = {
    "cases": _in_while(_cases),
    "nested conditions": _in_while(_nested),
    "conditions in conditions": _deep,
    "elements under conditions": _in_while(
        lambda k: [f"if x[i] > {k}:", f"    y[i] = y[i] + {k}", f"    x[i] = y[i] - {k}"]
    ),
    "elements": _in_while(lambda k: [f"y[{k + 1}] = x[i] + y[{k}]"]),
    "places from data": _in_while(lambda k: [f"if y[x[i]] > {k}:", f"    y[x[i]] += {k}"]),
    "choices of values": _chosen,
    "conditions of conditions": _conditions,
    "unrolled": _unrolled,
    "two sides": _in_for(lambda k: [f"if b > {k}:", "    a = a + b", "else:", "    b = b - a"], "a = 0", "b = x[i]"),
    "types by condition": _in_for(
        lambda k: [f"if x[i] > {k}:", "    a = x[i] * b", "if a > b:", f"    b = {k}"], "a = 0", "b = 1"
    ),
    "squares": _in_for(lambda k: ["a = a * a + b - a"]),
    "extremes": _in_for(lambda k: [f"a = min(a + {k}, max(a, x[i] - {k}))"], "a = 0", "b = 1"),
    "elements of one row": _in_for(lambda k: [f"b = b + x[{k}] * a"]),
    "inner loops": _in_for(lambda k: ["for j in range(n):", f"    b = b + x[j] * {k}"]),
    "products": _in_order(lambda k: [f"a = a * b + {k}", "b = a - b * x[i]"]),
    "remainders": _in_order(lambda k: [f"a = (a * {k + 3} + x[i]) % 1009"]),
    "tuples": _in_order(lambda k: ["a, b, c = b + c, (a - x[i]) % 97, (a + b) % 101"]),
    "continued": _in_order(lambda k: [f"if x[i] == {k} and a > {k}:", "    continue", f"a += x[i] + {k}"]),
    "whole arrays": _at_once(lambda k: [f"a = a * x - {k}"]),
    "np.where": _at_once(lambda k: [f"a = np.where(a > {k}, a - x, a + a)"]),
    "sums": _at_once(lambda k: [f"s += np.sum(x * {k}) + s"]),
    "loops": _at_once(lambda k: ["for i in range(n):", f"    y[i] = y[i] * 3 + x[i] + {k}"]),
    "sizes": _at_once(lambda k: [f"if n > {k}:", f"    y[{k}] = x[{k}]", "else:", f"    y[{k}] = -1"]),
    "gathers under conditions": _gathers,
    "gathers one after the other": _in_for(lambda k: [f"if a > {k}:", "    a = x[a]"]),
    "gathers": _in_for(lambda k: ["a = x[a] + b", f"b = {k} - {k}"], "a = x[i]", "b = 0"),
    "gathers while": _in_while(lambda k: [f"if a > {k}:", "    a = x[a]", "else:", "    a = a + 1"]),
    "chosen subscripts": _in_for(lambda k: [f"a = a + 1 if x[a] > {k} else a - 1", "a = min(max(a, 0), n - 1)"]),
    "conditions on gathers": _searched,
    "whiles in whiles": _whiles,
    "whiles in a row": _in_for(lambda k: [f"while a < x[i] + {k}:", "    a = a + 1 + b"], "a = 0", "b = x[i]"),
    "loops in loops": _fors,
    "loops with two sides": _in_for(
        lambda k: [
            "for j in range(n):",
            "    if x[j] > a:",
            f"        a = a + {k + 1}",
            "    else:",
            "        b = b + a",
        ],
        "a = 0",
        "b = x[i]",
    ),
    "loops that end early": _at_once(
        lambda k: ["for i in range(n):", f"    if x[i] + s > {k + 5}:", "        break", "    s += x[i]"]
    ),
    "outputs": _outputs,
    "helpers of helpers": _helpers,
    "calls of a helper": _calls,
    "elif": _elifs,
    "short loops": _literal,
    "pairs": _pairs,
    "returns": _returns,
    "an expression": _expression,
    "states": _states,
    "names of conditions": _in_while(
        lambda k: [f"t{k} = x[i] > {k} and (a < b or c == {k})", f"if not t{k}:", "    a, b = b, a + 1"]
    ),
    "continued while": _in_while(lambda k: [f"if x[i] == {k} + a:", "    i += 1", "    continue"]),
    "quotients": _in_order(lambda k: [f"if b != {k}:", f"    a = a // (b - {k})", "b = b + a"]),
    "swapped arrays": lambda times: [
        "p, q = x * 1, x * 2",
        *(f"p, q = q + {k}, p * q" for k in range(times)),
        "return p",
    ],
    "slices in place": lambda times: [f"y[{k + 1}:100] = y[{k}:99] + x[:{99 - k}]" for k in range(times)],
    "stencils": _at_once(lambda k: ["b = a * 0", "b[1:-1] = a[:-2] + a[2:] - a[1:-1]", "a = b"]),
    "arrays from places": _at_once(lambda k: [f"a = x[a % 100] + {k}"]),
    "maxima of maxima": _at_once(lambda k: [f"s = (x * s).max() % {k + 7}"]),
    "least of greatest": _at_once(lambda k: [f"a = np.minimum(np.maximum(a, x - {k}), a + x)"]),
    "masks": _at_once(lambda k: [f"a[a > {k}] = {k}"]),
    "places of maxima": _at_once(lambda k: [f"s += np.argmax(a * {k} + s)"]),
    "rows of places": lambda times: [f"y[x[{k}:{k} + n] % 200] += {k}" for k in range(times)],
}
"""By what becomes longer."""
