"""Random programs that put together what people write with NumPy: idioms of vectors, matrices, masks, index arrays,
records and numbers, one after the other and in loops, that read and write each other's arrays.

`A[x > s] -= x`, `k = np.argsort(x)[::-1]`, `for row, v in zip(A, x): …`, `s = sum(x[i] for i in k if …)`, `A.T[k] = …`
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

FAMILIES = (
    ("float64",), ("float64",), ("float64", "float32"), ("float64", "int64"), ("int64",), ("int64", "int32"),
    ("float32",), ("int32", "float64"), ("uint8", "float64"), ("int16", "float32"), ("bool", "float64"),
    ("complex128", "float64"), ("uint32", "int64"), ("float16",),
)  # fmt: skip
MOST_DEEP = 3

# $x, $m, $k, $b, $n: the name of a vector, a matrix, an index array, a mask, a number; $v, $M, $B, $S: an expression;
# $i: a subscript; $s, $c: a short number; $t: a condition; $p: a place for a vector; $o, $a, $u: operators; $d: 0 or 1;
# $y: one name of what is inside, which other numbers may have, too
NUMBERS = """\
$v.sum()                          np.sum($v * $x)                   $S + $s
$S * $c                           $s if $t else $s                  np.count_nonzero($B)
sum($y * 2 for $y in $x)          sum($x[$y] for $y in $k)            $M[$i].sum()
np.trace($m)                      r[$i]['$f']                       r['$f'].sum()
sum($x[$y] * $y for $y in range(n) if $b[$y])                       len($x[$i:])
abs($S)                           np.dot($v, $x)                    $m.sum(axis=$d)[0]
any($y == $c for $y in $x)         all($b)                           $x[$b].sum()
np.prod($x)                       $v.mean()                         $v @ $x
$S - $S                           $x[$k].sum()                      $m[$i, $k].sum()
"""
NUMBERS_IN_ORDER = """\
max($S, $s)                       min($s, $s)                       $v.max()
np.min($v)                        max($x)                           $v.argmax()
np.argmin($x)                     max(abs($y) for $y in $x)         min($x[$y] for $y in range(n))
np.median($x)                     int($x[$i])                       sorted([$s, $s, $c])[1]
$m.max()                          np.ptp($x)                        $s // 2
$s % 3                            divmod($s, 2)[$d]                 round($x[0])
float($x[0])                      $m[$m.argmax(axis=0)[$i], $i]     $x[$x.argmin()]
"""
VECTORS = """\
($v $a $x)                        ($v $a $s)                        np.where($B, $v, $x)
np.where($B, $v, $c)              $v[::-1]                          $v[$k]
$m[$i]                            $m[:, $i]                         $m.sum(axis=$d)
($m @ $v)                         ($v @ $m)                         np.cumsum($v)
np.roll($v, 1)                    np.roll($v, -2)                   $v.copy()
np.abs($v)                        np.diagonal($m)                   $m[$k, $k]
$m[np.arange(n), $k]              r['$f']                           np.array([$x[$y] * 2 for $y in range(n)])
np.array([$y + 1 for $y in $x])    np.zeros(n)                       np.full(n, $s)
np.arange(n)                      np.concatenate(($x[1:], $x[:1]))  $b.astype(np.float64)
$m.ravel()[:n]                    $m.ravel()[::n]                   np.einsum('ij,j->i', $m, $x)
$m.mean(axis=0)                   ($v + $b)                         np.outer($x, $x)[$i]
np.take($x, $k)                   $m.T[$i]                          np.convolve($x, np.ones(3), 'same')[:n]
np.ones(n, np.int32) * $x         ($m * $x).sum(axis=1)             np.prod($m, axis=0)
np.tril($m)[$i]                   np.repeat($x, 2)[$d::2]           (lambda $y: $y * 2 + $x)($v)
np.stack(($x, $v))[$d]            np.array($x)                      np.bincount($k % n, minlength=n)[:n]
$x[$b | True]                     np.array([$m[$y, $y] for $y in range(n)])
"""
VECTORS_IN_ORDER = """\
np.sort($v)                       np.clip($v, 0, 3)                 np.minimum($v, $x)
$m.max(axis=1)                    np.maximum($v, $s)                $x[np.argsort($x, kind='stable')]
($v // 2)                         ($v % 3)                          $m.min(axis=0)
np.maximum.accumulate($x)         np.sort($m, axis=1)[$i]           np.median($m, axis=0)
np.searchsorted(np.sort($x), $v)  $m.argmax(axis=1)                 (-$v)
"""
PLACES = """\
$k[::-1]                          ($k + 1) % n                      $k[$k]
np.roll($k, 1)                    np.arange(n)[::-1]                $k.copy()
np.arange(n) // 2                 np.where($b, $k, 0)               np.minimum($k, 1) % n
np.abs($k) % n                    np.arange(n)                      $k[::-1][$k]
"""
MATRICES = """\
($M $a $m)                        ($M $a $v)                        ($M * $s)
$M.T                              $M[$k]                            $M[:, $k]
np.outer($v, $x)                  ($M @ $m)                         $M[::-1]
np.where($m $o $c, $M, $m)        np.where($m $o $c, $M, 0)         np.where($m $o $c, $M, $v)
np.tril($M)                       np.triu($m, 1)                    $M[:, ::-1]
np.eye(n)                         ($M - $v[:, None])                np.cumsum($M, axis=$d)
($m - $m.mean(axis=0))            $M.copy()                         np.zeros((n, n))
($v[:, None] * $x)                np.vstack(($m[1:], $m[:1]))       np.flip($M, $d)
np.roll($m, 1, axis=0)            np.einsum('ij,kj->ik', $m, $m)    np.diag($v)
$m.reshape(n * n).reshape(n, n)   ($M + np.eye(n))                  $M[$k][:, $k]
np.array([[$m[i, j] + j for j in range(n)] for i in range(n)])      np.einsum('ij,jk->ki', $m, $m)
"""
TESTS = """\
$s $o $c                          $s $o $c                          $S $o $s
$b[$i]                            $b.any()                          not $b[0]
$b.all()                          $i > 1                            $i < 1
"""
MASKS = """\
$b                                ($x $o $c)                        (~$b)
($x $o $x)                        ($k > 0)                          np.isnan($x)
($m[$i] != $c)                    ($m $o $c).any(axis=$d)           ($m $o $c).all(axis=$d)
($x $o $s) & $b                   ($b | ($x $o $x))                 ($v $o $s)
"""
SLOTS = """\
$x[:]       $x[...]     $x[::-1]       $x[$k]       $m[$i]     $m[:, $i]     $m.T[$i]
r['$g'][:]  $m[$k]      $m[$i, ::-1]   $m[::2]      $m[1:]     $m[:]         $m[$k, np.arange(n)]
"""
STORED = """\
$p = $v                           $p = $V                           $p = $S
$x[$i] = $S                       $x[$i] = $T                       $m[$i, $i] = $S
$x[$B] = $S                       $m[$B] = $v                       $m[$m != $c] = $s
$m[:] = $M                        $x[1:] = $x[:-1]                  $x[:-1] = $x[1:]
$m[1:] = $m[:-1]                  $m[:, 1:] = $m[:, :-1]            $m[:] = $m.T
$x[$i:] = $s                      $x[:$i] = $s                      $m[$i, $i:] = $s
$m[$i] = $m[$i]                   $m[:, $i] = $m[$i]                $x[$b] = $x[$b]
$m[$b, $i] = $s                   np.fill_diagonal($m, $s)          $x.fill($c)
$m[::2, 1::2] = $s                $m[:, $k] = $M                    $b[$i] = $t
$b[:] = $B                        $k[$i] = $i % n                   np.copyto($x, $v)
$m[np.ix_($k, $k)] = $s           r[$i]['$g'] = $S                  r[$i] = r[$i]
r['$g'] = $v                      r['$g'][$k] = $s                  r['w'][$i] = $i
r['$g'][$b] = $s                  $x[$k] = $x[$k[::-1]]             $k[:] = $K
"""
STORED_IN_ORDER = """\
$x.sort()                         $m.sort(axis=$d)                  $x[$x.argmax()] = $s
"""
UPDATED = """\
$p $u $v                          $p $u $S                          $x $u $v
$x $u $S                          $m $u $M                          $m $u $v
$x[$i] $u $S                      $m[$i, $i] $u $S                  $x[$B] $u $s
$m[$B] $u $v                      np.add.at($x, $k, $v)             $x[1:] $u $x[:-1]
$m[1:] $u $m[:-1]                 $x[$i:] $u $s                     $m[$i] $u $m[$i]
$m $u $m.T                        $x[$b] $u $x[$b]                  $m[:, $i] $u $s * $m[:, $i]
$m[$i, $i:] $u 1                  $m[$i:, $i:] $u $s                np.add.at($m, ($k, $k), 1)
$m[$m == $c] $u $s                $x[::2] $u $s                     np.add($x, $v, out=$x)
np.multiply($x, $v, out=$x)       r['$g'][$i] += $s                 r['$g'] *= 2
r[$i]['$g'] += r[$i]['w']         $n $u $S                          $n $u $S
"""
EXCHANGED = """\
$x[$i], $x[$i] = $x[$i], $x[$i]   $m[[$i, $i]] = $m[[$i, $i]]       $n, $n = $n, $n
$n, $x[$i] = $x[$i], $n           $x[$i], $x[$i] = $x[$i], $S       $x[:], $x[:] = $x + 1, $x - 1
$n, $n = $S, $n + 1               $n = $S                           $n, $x[$i] = $s, $S
$m[$i], $m[$i] = $m[$i].copy(), $m[$i].copy()                       $k[$i], $k[$i] = $k[$i], $k[$i]
"""
VIEWS = """\
$m[$i]       $m[:, $i]      $x[::-1]      $m.T[$i]      $m.ravel()[:n]    r['$g']     $m[::-1, $i]     $x
"""


def _each(table: str) -> tuple[str, ...]:
    return tuple(re.split(r" {2,}|\n", table.strip()))


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """names: by kind, those that have a value at this place. All vectors have n elements, matrices n rows of n."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.n = n = self.pick((1, 2, 3, 4, 4, 5, 6, 9))
        family = self.pick(FAMILIES)
        self.ordered = not family[0].startswith("complex")
        self.names: dict[str, list[str]] = {
            "vector": ["x", "y"], "matrix": ["A", "B"], "places": ["k"], "number": ["s"], "index": ["0", "-1", "n - 1"],
            "mask": ["b"],
        }  # fmt: skip
        layouts = ("C", "C", "C", "F", "reversed", "strided", "inner", "misaligned")
        fill = self.pick(("small", "small", "small", "special" if self.ordered else "small"))
        fields = str([("u", self.pick(family)), ("v", self.pick(family)), ("w", "int64")])
        self.arguments: dict[str, Array | str] = {
            name: Array(self.pick(family), shape, fill, self.number(0, 999), self.pick(layouts))
            for name, shape in {"x": (n,), "y": (n,), "A": (n, n), "B": (n, n)}.items()
        } | {
            "k": Array(self.pick(("int64", "int32", "uint8")), (n,), f"cells {n}", self.number(0, 99)),
            "b": Array("bool", (n,), seed=self.number(0, 99)), "r": Array(fields, (n,), seed=self.number(0, 99)),
            "n": str(n), "s": self.pick(("1", "-2", "0", "0.5", f"np.{family[0].replace('bool', 'bool_')}(1)", "3")),
        }  # fmt: skip
        self.lines: list[str] = []
        self.fresh = self.loops = 0
        self.depth = 0

    def program(self) -> Program:
        for _ in range(self.pick((2, 3, 3, 4, 5))):
            self.statement(1)
        self.line(1, f"return {self.results()}")
        head = f"import numpy as np\n\n\ndef program({', '.join(self.arguments)}):\n"
        return Program(head + "\n".join(self.lines) + "\n", self.arguments)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind[0]}{self.fresh}"

    # ------------------------------------------------------------------------------------------------- values

    def one_of(self, table: str, in_order: str = "", depth: int = 0) -> str:
        """A row of a table, with what its holes ask for."""
        return self.filled(str(self.pick(_each(table) + (_each(in_order) if in_order and self.ordered else ()))), depth)

    def filled(self, template: str, depth: int) -> str:
        """Expressions in holes are so deep at most."""
        if "$y" in template:
            own = (name for name in self.names["index"] if name.isidentifier())
            template = template.replace("$y", str(self.pick(("i", "v", "t", *self.names["number"], *own))))
        return re.sub(r"\$(\w)", lambda hole: self.hole(hole[1], depth), template)

    def hole(self, what: str, depth: int) -> str:
        kinds = {"x": "vector", "m": "matrix", "k": "places", "b": "mask", "n": "number"}
        if what in kinds:
            return str(self.pick(self.names[kinds[what]]))
        picked = {
            "o": ("<", ">", "<=", ">=", "==", "!=") if self.ordered else ("==", "!="), "a": "+-*", "d": "01",
            "f": "uvw", "g": "uv", "u": ("+=", "+=", "-=", "*="),
            "c": ("1", "2", "0", "3", "0.5", "-1", "n", *self.names["number"]),
        }  # fmt: skip
        if what in picked:
            return str(self.pick(picked[what]))
        made: dict[str, Callable[[], str]] = {
            "v": lambda: self.vector(depth - 1), "V": lambda: self.vector(2), "M": lambda: self.matrix(depth - 1),
            "B": lambda: self.mask(depth - 1), "S": lambda: self.value(depth - 1), "T": lambda: self.value(2),
            "s": lambda: self.value(0), "i": self.index, "t": self.test, "K": lambda: self.one_of(PLACES),
            "p": lambda: self.one_of(SLOTS),
        }  # fmt: skip
        return made[what]()

    def index(self) -> str:
        known = self.names["index"]
        return self.filled(str(self.pick((*known, *known[3:], *known[3:], "$k[0]", f"$k[{self.pick(known)}]"))), 0)

    def value(self, depth: int) -> str:
        if depth <= 0:
            return self.filled(str(self.pick(("$c", "$x[$i]", "$m[$i, $i]", "$n"))), 0)
        return f"({self.one_of(NUMBERS, NUMBERS_IN_ORDER, depth)})"

    def vector(self, depth: int) -> str:
        """Of n elements, new or a view."""
        return self.one_of(VECTORS, VECTORS_IN_ORDER, depth) if depth > 0 else self.filled("$x", 0)

    def matrix(self, depth: int) -> str:
        return self.one_of(MATRICES, depth=depth) if depth > 0 else self.filled("$m", 0)

    def mask(self, depth: int) -> str:
        return self.one_of(MASKS, depth=depth)

    def test(self) -> str:
        also = f" {self.pick(('and', 'or'))} {self.one_of(TESTS)}" if self.number(0, 3) == 0 else ""
        return self.one_of(TESTS, depth=1) + also

    def results(self) -> str:
        ways = ("$x", "$n", "$m", "$V", "$T", "$k", "$x[::-1]", "$m[$i]", "$m.T", "$b", "r", "$x[0]")
        return ", ".join(self.filled(str(self.pick(ways)), 1) for _ in range(self.pick((1, 1, 2, 3))))

    # ------------------------------------------------------------------------------------------------- statements

    def statement(self, depth: int) -> None:
        ways: list[Callable[[int], None]] = [self.simple] * 12 + [self.new] * 3 + [self.again, self.view]
        if depth < MOST_DEEP:
            ways += [self.branch] * 2 + [self.loop] * (6 if depth == 1 else 2) + [self.repeated]
        if self.loops:
            ways += [self.leave]
        self.pick(ways)(depth)

    def simple(self, depth: int) -> None:
        table = self.pick((STORED, STORED, STORED, UPDATED, UPDATED, UPDATED, EXCHANGED))
        self.line(depth, self.one_of(table, STORED_IN_ORDER if table is STORED else "", 2))

    def new(self, depth: int) -> None:
        kind = self.pick(("vector", "vector", "matrix", "number", "number", "mask", "places"))
        name, text = self.name(kind), self.expression(kind)
        self.line(depth, f"{name} = {text}")
        self.names[kind].append(name)

    def again(self, depth: int) -> None:
        """Another value for a name."""
        kind = self.pick(("vector", "matrix", "number", "number"))
        self.line(depth, f"{self.pick(self.names[kind])} = {self.expression(kind)}")

    def expression(self, kind: str) -> str:
        return {"vector": self.vector, "matrix": self.matrix, "number": self.value, "mask": self.mask}.get(
            kind, lambda _: self.one_of(PLACES))(2)  # fmt: skip

    def view(self, depth: int) -> None:
        """A name for a part of an array, of n elements too."""
        text, name = self.one_of(VIEWS), self.name("view")
        self.line(depth, f"{name} = {text}")
        self.names["vector"].append(name)

    def block(self, depth: int, most: int = 3) -> None:
        """What is named first in it is not read behind it."""
        before = {kind: list(names) for kind, names in self.names.items()}
        for _ in range(self.number(1, most)):
            self.statement(depth)
        self.names = before

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, 2)
        if self.number(0, 1):
            self.line(depth, f"elif {self.test()}:" if self.number(0, 3) == 0 else "else:")
            self.block(depth + 1, 2)

    def loop(self, depth: int) -> None:
        before = {kind: list(names) for kind, names in self.names.items()}
        i, v, w, row = (self.name(kind) for kind in ("index", "value", "value", "row"))
        text, known = self.pick((
            *(("range(n)", "i"),) * 4, (f"range({self.pick(('n - 1', '1, n', 'n - 1, -1, -1', '0, n, 2'))})", "i"),
            ("enumerate($x)", "iv"), ("zip($x, $v)", "vw"), ("$m", "r"), ("$k", "i"), ("enumerate($m)", "ir"),
            ("$x", "v"),
            ("zip($m, $x)", "rv"), ("reversed(range(n))", "i"), ("enumerate(zip($x, $k))", "i(vw)"),
        ))  # fmt: skip
        targets = {"i": i, "v": v, "w": w, "r": row, "(": "(", ")": ")"}
        target = ", ".join(targets[c] for c in known).replace("(, ", "(").replace(", )", ")")
        self.line(depth, f"for {target} in {self.filled(text, 1)}:")
        for c, kind in (("i", "index"), ("i", "index"), ("v", "number"), ("r", "vector"), ("r", "vector")):
            self.names[kind] += [targets[c]] if c in known else []
        self.names["number" if "vw)" not in known else "index"] += [w] if "w" in known else []
        self.loops += 1
        self.block(depth + 1)
        self.loops -= 1
        self.names = before
        if self.number(0, 7) == 0:
            self.line(depth, "else:")
            self.block(depth + 1, 1)

    def repeated(self, depth: int) -> None:
        c = self.name("count")
        self.line(depth, f"{c} = {self.filled(self.pick(('0', '0', '$i % n')), 0)}")
        self.line(depth, self.filled(f"while {c} < {self.pick(('n', '3', 'n - 1', 'n and $t'))}:", 0))
        self.line(depth + 1, f"{c} += 1")
        before = list(self.names["index"])
        self.names["index"] += [f"{c} - 1"] * self.number(0, 1)
        self.loops += 1
        self.block(depth + 1, 2)
        self.loops -= 1
        self.names["index"] = before

    def leave(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}: {self.pick(('break', 'continue', 'break', f'return {self.results()}'))}")
