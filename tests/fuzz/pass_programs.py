"""Random programs of the forms that passes on kernel IR look for, with as much around them as makes them wrong.

if w[j] != a: r[k] *= c       if x[j] < t: t = x[j]; y[0] = t; k[0] = i; k[1] = j       x[k[i]] + A[k[i], k[i]]
y[i] = y[i - 1] * c + x[i]    if d <= 0 or u[i] < np.exp(-d): s += 1      x.ravel()[i]      h[b[i]] += w[i]
"""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

REAL = ("float64", "float64", "float32", "float32", "int64", "int32", "float16", "uint8", "int16")
COMPLEX = ("complex128", "complex64")
WHOLE = ("int64", "int64", "int32", "int8", "uint8", "uint64", "uint32")
COMPARED = ("<", "<=", ">", ">=", "!=", "==")


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """ordered: whether elements can be compared with `<`; n: most extents."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.n = self.pick((1, 2, 3, 5, 7, 8, 9, 16, 17, 33))
        forms = (self.in_order, self.unswitched, self.together, self.from_the_end, self.needed, self.flat,
                 self.triangle, self.histogram, self.batches)  # fmt: skip
        self.form = self.pick(forms)
        self.ordered = self.form in (self.together, self.needed) or self.number(0, 4) > 0
        self.lines: list[str] = []

    def program(self) -> Program:
        n, seed = self.n, self.number(0, 999)
        kinds = REAL if self.ordered else COMPLEX
        main = self.pick(kinds)
        other = main if self.number(0, 3) else self.pick(kinds)
        room = self.pick((0, 0, 0, 0, 1, -1))
        whole = self.pick(WHOLE)
        cells = self.pick((n, n, n, n, max(1, n // 2), n + 1))

        def array(kind: str, shape: tuple[int, ...], by: int, fill: str = "small") -> Array:
            layout = self.pick(("C",) * 5 + ("F", "reversed", "strided", "inner", "misaligned"))
            return Array(kind, shape, fill, seed + by, layout)

        self.form()
        self.line(1, f"return {self.pick(('s', 's, t', 's, t, y.sum()', 'y + s', 'y'))}")
        arguments: dict[str, Array | str] = {
            "y": array(main, (n + room,), 1),
            "x": array(main, (n + (room if room > 0 else 0),), 2),
            "z": array(other, (n,), 3),
            "A": array(main, (n, n), 4),
            "B": array(other, (n, self.pick((n, n, 3, 1, 2 * n))), 5),
            "k": array(whole, (n,), 6, f"cells {cells}"),
            "l": array(self.pick(WHOLE), (n,), 7, f"cells {cells}"),
            "n": str(n),
            "m": str(self.pick((0, 1, 2, 3, n, n - 1))),
        }
        body = "\n".join(self.lines)
        text = f"import numpy as np\n\n\ndef program({', '.join(arguments)}):\n    s, t = {self.start()}\n{body}\n"
        return Program(text, arguments)

    def start(self) -> str:
        return self.pick(("0.0, 1.0", "0, 1", "x[0], 0.0", "0.5, y[0]", "0, 0.0", "x[0], x[-1]"))

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def compared(self, a: str, b: str) -> str:
        return f"{a} {self.pick(COMPARED if self.ordered else ('!=', '=='))} {b}"

    def counted(self, name: str, depth: int) -> None:
        """A loop; of those in order, some are `while`."""
        extent = self.pick(("n", "n", "n", "n - 1", "m", "len(y)"))
        begin = self.pick(("", "", "", "1, ", "2, "))
        if self.number(0, 5) == 0:
            self.line(depth, f"{name} = {begin[:1] or '0'} - 1")
            self.line(depth, f"while {name} < {extent} - 1:")
            self.line(depth + 1, f"{name} += 1")
        else:
            self.line(depth, f"for {name} in range({begin}{extent}):")

    # ---------------------------------------------------------------------------------------- order, and leaving it

    def in_order(self) -> None:
        """Elements that the rounds before have stored; places from data; ends on the way."""
        self.counted("i", 1)
        for _ in range(self.number(1, 3)):
            self.line(2, self.pick((
                f"y[i] = y[i - {self.number(1, 3)}] {self.pick('+-*')} x[i]", "y[i] = y[i - 1] * x[i] + y[i - 2]",
                "y[i + 1] = y[i] + x[i]", "x[i] = y[i - 1]", "A[i, 0] = A[i - 1, 0] + x[i]", "y[m] += x[i]",
                "y[i] += y[m]", "y[k[i]] += 1", "t = t / 2 + y[k[i]]", "s = y[i - 1]",
                "A[i, i] = A[i - 1, i - 1] - y[i]",
                "y[i], y[i - 1] = y[i - 1], y[i]", "y[i - 1] = x[i]; s = s / 2 + y[i - 1]", "y[0] = y[-1] + y[i]",
                "k[i] = k[i - 1]", "t = x[l[k[i]]]", "A[k[i]] = A[i]", "x[i] = x[n - 1 - i]",
            )))  # fmt: skip
        if self.number(0, 1):
            self.line(2, f"if {self.compared('x[i]', 't')}: {self.pick(('break', 'continue', 's = i', 'y[i] = 1'))}")
            self.line(2, self.pick(("s = s / 2 + x[i]", "y[i] += 1", "t = -t / 2 + i", "y[i] = t")))
        self.nested(2)

    def nested(self, depth: int) -> None:
        if self.number(0, 2):
            return
        self.line(depth, f"for j in range({self.pick(('i', 'n', '2', 'k[i]', 'm'))}):")
        self.line(depth + 1, self.pick((
            "y[i] = y[i] / 2 + A[i, j] * x[j]", "A[i, j] = A[i - 1, j] + A[i, j - 1]", "s = s / 2 + A[i, j]",
            "y[j] = y[j - 1] + 1", "y[j] = y[j] / 2 + y[i]", "A[i, j] -= A[k[i], j] / 2",
        )))  # fmt: skip

    # ---------------------------------------------------------------------------------------- conditions

    def unswitched(self) -> None:
        """A condition that the innermost loop does not change, or does."""
        self.line(1, f"for i in range({self.pick(('n', 'm', '1', 'n - 1'))}):")
        self.line(2, f"for j in range({self.pick(('n', 'm', 'i', 'n', '3'))}):")
        test = self.pick((
            self.compared("z[i]", "1"), self.compared("x[i]", "x[m]"), self.compared("A[i, 0]", "x[0]"),
            self.compared("y[i]", "s"), "i != m", "k[i] > 0", self.compared("A[i, j]", "1"), "k[i] == j",
            self.compared("y[0]", "1"), self.compared("x[k[i]]", "1"),
        ))  # fmt: skip
        self.line(3, f"if {test}:")
        place = self.pick(("y[j]", "A[i, j]", "A[j, i]", "x[j]", "y[0]", "z[j]", "B[j, 0]", "y[k[j]]"))
        self.line(4, f"{place} {self.pick(('+=', '-=', '*=', '='))} {self.pick(('1', 'x[j]', 'z[i]', 'A[i, j]', 't'))}")
        if self.number(0, 2) == 0:
            self.line(3, "else:")
            self.line(4, self.pick(("y[j] = 2", "A[i, j] = x[i]", "s = s + x[j]", f"{place} = 0")))
        self.line(1, "s = s + y.sum()")

    def together(self) -> None:
        """Several numbers or elements that change under one condition."""
        self.counted("i", 1)
        depth = 2
        if self.number(0, 1):
            self.line(2, f"for j in range({self.pick(('n', 'i', 'i + 1, n', '2'))}):")
            depth = 3
        j = "j" if depth == 3 else "i"
        value = self.pick((f"A[i, {j}]", f"x[{j}]", f"x[i] - x[{j}]", f"abs(x[{j}] - z[i])", f"x[k[{j}]]"))
        if self.number(0, 1):
            self.line(depth, f"v = {value}")
            value = "v"
        self.line(depth, f"if {self.compared(value, self.pick(('s', 't', 'y[0]', 'y[i]', 'y[m]')))}:")
        places = (
            "y[0]",
            "y[1]",
            "y[i]",
            "y[m]",
            "k[0]",
            "k[1]",
            "k[m]",
            "A[0, 0]",
            "A[i, 1]",
            "s",
            "t",
            "x[2]",
            "z[0]",
        )
        for _ in range(self.number(2, 5)):
            place = self.pick(places)
            new = self.pick(("i", j, "1")) if place[0] == "k" else self.pick((value, "i", j, "y[0]", "x[i]", "t", "s"))
            self.line(depth + 1, f"{place} = {new}")
        if self.number(0, 3) == 0:
            self.line(depth, "else:")
            self.line(depth + 1, self.pick(("y[0] = x[i]", "s = i", "k[0] = 0", "y[i] = 1")))
        if self.number(0, 3) == 0:
            self.line(depth, self.pick(("y[1] = s", "s = y[0]", "x[0] = y[m]", "t = x[k[0]]")))

    def needed(self) -> None:
        """Functions that take long, and may have no result, behind conditions."""
        self.counted("i", 1)
        f = self.pick(("np.exp(x[i])", "np.sqrt(x[i])", "np.log(x[i])", "np.exp(-t * x[i])", "x[i] ** 0.5",
                       "np.sin(z[i])", "np.exp(x[k[i]])", "np.log(A[i, m])", "z[i] / x[i]", "i // m", "i % (m - 1)",
                       "np.sqrt(x[i] - 1)", "np.tanh(y[i])"))  # fmt: skip
        a, b = self.compared("x[i]", "0"), self.compared("z[i]", "1")
        c = self.compared(f, self.pick(("1", "x[i]", "z[i]", "0.5")))
        test = self.pick((f"{a} and {c}", f"{a} or {c}", f"not ({a}) and {c}", f"({a} or {b}) and {c}",
                          f"{a} and ({b} or {c})", f"{a} and {b} and {c}", f"({a} and {b}) or {c}", c))  # fmt: skip
        how = self.number(0, 3)
        if how == 0:
            self.line(2, f"v = {f}")
            self.line(2, f"if {a}: s = s / 2 + v")
        elif how == 1:
            self.line(2, f"y[i] = {f} if {a} else {self.pick(('x[i]', '0', f))}")
        elif how == 2:
            self.line(2, f"if {test}: {self.pick(('y[i] = 1', 's = s + 1', 'break', f'y[i] = {f}', 'continue'))}")
            self.line(2, self.pick(("t = t / 2 + z[i]", "y[i] = y[i] + 1", "s = s + 1")))
        else:
            self.line(2, f"while {test} and s < 9: s = s + 1")
        self.line(2, self.pick((f"t = t / 2 + {f}", "y[i - 1] = s", "t = s", f"if {b}: t = {f}")))

    # ---------------------------------------------------------------------------------------- places

    def from_the_end(self) -> None:
        """Subscripts that count from the end, asked again; the arrays that decide them change."""
        self.counted("i", 1)
        if self.number(0, 1):
            self.line(
                2,
                f"c = {self.pick(('k[i]', 'k[i] - 1', 'l[k[i]]', 'k[i] + l[i]', 'i - m', 'm - i', '-i', 'k[i] - n'))}",
            )
            c = "c"
        else:
            c = self.pick(("k[i]", "i - m", "l[i]", "k[i] - 1"))
        for _ in range(self.number(1, 4)):
            self.line(2, self.pick((
                f"y[{c}] += x[{c}]", f"s = s / 2 + x[{c}]", f"A[{c}, {c}] = x[{c}]", f"y[{c}] = A[i, {c}] + A[{c}, i]",
                f"t = x[{c}] + z[{c}]", f"k[{c}] = 0", f"B[{c}, -1] += 1", f"x[{c}], y[{c}] = y[{c}], x[{c}]",
                f"if {self.compared(f'x[{c}]', '1')}: y[{c}] = z[{c}]", f"A[{c}] += 1", f"s = s / 2 + A[{c}].sum()",
                f"k[i], k[{c}] = k[{c}], k[i]", f"y[{c} - 1] = x[{c}]", f"y[{c}] = 1",
            )))  # fmt: skip

    def flat(self) -> None:
        """Arrays as vectors, and vectors as arrays."""
        a = self.pick(("A", "B", "A.T", "B[::-1]", "A[1:]", "A[:, 1:]", "A[::2]", "(B * 1)"))
        flat = self.pick(("{}.ravel()", "{}.reshape(-1)", "{}.reshape(-1, 1)[:, 0]", "{}.flatten()", "np.ravel({})"))
        self.line(1, f"f = {flat.format(a)}")
        by = self.pick(("n", "B.shape[1]", "3", "m", "n + 1"))
        for _ in range(self.number(1, 2)):
            match self.number(0, 6):
                case 0:
                    self.line(1, f"for i in range({self.pick(('len(f)', 'n * m', 'n', 'n * n'))}):")
                    self.line(2, self.pick((f"s = s + f[i] * x[i // {by}]", f"y[i % {by}] += f[i]", "s = s + f[-i]",
                                            f"s = s + A[i // {by}, i % {by}]", f"y[i // {by}] += f[i]")))  # fmt: skip
                case 1:
                    self.line(
                        1, f"s = s + (f {self.pick('+-*')} {self.pick(('1', 'f', 'f[::-1]', 'f[0]', 's'))}).sum()"
                    )
                case 2:
                    made = ("f + 1", "f * f", "f[::-1] + f", "f[1:] - f[:-1]", "f[::2] * 2", "np.cumsum(f)")
                    self.line(1, f"t = {self.pick((*made, 'np.where(f != 1, f, 2)', 'f.reshape(n, -1) + x[0]'))}")
                case 3:
                    self.line(1, f"for i in range({self.pick(('n', 'len(f)'))}):")
                    self.line(2, f"for j in range({self.pick((by, 'n', 'm'))}):")
                    self.line(
                        3,
                        self.pick((f"s = s + f[i * {by} + j]", f"y[i] += f[{by} * i + j]", f"y[j] += f[i + {by} * j]")),
                    )
                case 4:
                    self.line(1, f"g = f.reshape({self.pick((f'-1, {by}', 'n, -1', f'{by}, -1', '-1, 2'))})")
                    largest = "g.max(axis=1)" if self.ordered else "g.sum(axis=1)"
                    made = ("g.sum(axis=0)", "g + 1", "s + g[0, -1]", "g.T * 2", "g @ g.T", largest)
                    self.line(1, f"t = {self.pick(made)}")
                case 5:
                    self.line(
                        1,
                        self.pick(
                            ("A[0] = 2", "A[:] = A.T", "f[0] = 3", "f[:] = 1", "f *= 2", "A += 1", "x[:] = f[:n]")
                        ),
                    )
                    self.line(1, "s = s + f.sum()")
                case 6:
                    self.line(
                        1,
                        self.pick(("t = f[k]", "s = s + f[k[0]]", "f[k] = 1", "np.add.at(f, k, 1)", "t = np.sort(f)")),
                    )

    def triangle(self) -> None:
        """Sums over triangles and bands of rows that data choose."""
        inner = self.pick(
            ("i", "i + 1", "n - i", "i, n", "i - 1, i + 2", "max(0, i - 1), min(n, i + 2)", "k[i], i", "i // 2")
        )
        place = self.pick(("A[k[j], i]", "A[i, k[j]]", "A[k[i], j]", "B[k[j], 0]", "x[k[j]]", "A[k[j], l[i]]",
                           "x[k[j] + i]", "A[l[k[j]], i]", "A[j, k[i]] * x[k[j]]", "A[k[j]][i]"))  # fmt: skip
        self.line(1, f"for i in range({self.pick(('n', 'm', 'n - 1, -1, -1', 'len(y)'))}):")
        self.line(2, f"for j in range({inner}):")
        depth = 3
        if self.number(0, 2) == 0:
            self.line(3, f"if {self.pick(('k[j] > 0', 'i != j', self.compared('x[j]', '1'), 'i >= j'))}:")
            depth = 4
        self.line(depth, self.pick((
            f"y[i] += {place}", f"y[j] += {place}", f"s = s + {place}", f"A[i, j] = {place}", f"B[i, 0] -= {place}",
            f"y[i] = max(y[i], {place})" if self.ordered else f"y[i] -= {place}", f"z[i] += {place} * x[j]",
        )))  # fmt: skip

    def histogram(self) -> None:
        """Cells that data choose, of one array or several, which may be read meanwhile."""
        self.line(1, f"for i in range({self.pick(('n', 'n', 'm', 'len(k)'))}):")
        depth = 2
        c = self.pick(("k[i]", "k[i]", "l[k[i]]", "k[i] // 2", "k[i] % 3", "(k[i] + l[i]) % n", "i // 2"))
        if self.number(0, 3) == 0:
            self.line(2, f"for j in range({self.pick(('n', 'm', '2', 'i'))}):")
            depth = 3
        j = "j" if depth == 3 else "i"
        if self.number(0, 2) == 0:
            self.line(depth, f"if {self.pick((self.compared('x[i]', '1'), f'k[{j}] > 0', f'{c} != 1'))}:")
            depth += 1
        op = self.pick(("+=", "+=", "-=", "*=" if self.n < 9 else "+="))
        largest = f"y[{c}] = max(y[{c}], x[{j}])" if self.ordered else f"y[{c}] += 1"
        for _ in range(self.number(1, 2)):
            self.line(depth, self.pick((
                f"y[{c}] {op} 1", f"y[{c}] {op} x[{j}]", f"A[{c}, {j}] {op} z[i]", f"A[{j}, {c}] {op} 1",
                f"A[k[i], l[{j}]] {op} x[i]", f"y[{c}] = i", f"k[{c}] += 1", f"x[{c}] += 1",
                f"B[{c}, 0] += x[{j}]", f"y[{c}] += y[{j}]", largest,
            )))  # fmt: skip
        self.line(1, "s = s + y.sum()")

    def batches(self) -> None:
        """Small products for each point of a loop around, with copies that stay the same."""
        a, b = self.pick(("A", "A.T", "A[::-1]", "A[k]")), self.pick(("A", "B", "B[::-1]", "A.T"))
        self.line(1, self.pick((
            f"for i in range(n):\n        y[i] += ({a} @ {b})[i].sum()", f"t = {a} @ {b}", f"t = {a} @ x[:n]",
            f"for i in range(n):\n        A[i] = {a}[i] @ A", f"for i in range(m):\n        y[:n] = {a} @ y[:n] / 8",
            f"t = np.einsum('ij,jk->ki', {a}, {b})", f"t = np.einsum('ij,kj->ik', {b}, {b})",
            f"t = np.einsum('ij,j->i', {a}, z)",
            f"for i in range(n):\n        for j in range(n):\n            for q in range(n):\n"
            f"                A[i, j] += {a}[i, q] * {b}[q, 0]",
        )))  # fmt: skip
        self.line(1, "s = s + y[0]")
