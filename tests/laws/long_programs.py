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
}
"""By what becomes longer."""
