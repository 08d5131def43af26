"""Random programs that call NumPy's functions with what their pages say: axes that are there or not, keywords, numbers
and lists for arrays, elements of every type, arrays of nothing and of one element, and views of all of these.

`np.quantile(a, 0.5, axis=-1)`, `v[:0][::-1]`, `np.put(v, k, v)`, `np.sum(a, where=c > 0, initial=x)`
"""

from __future__ import annotations

import re
import warnings

import numpy as np

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

# $a, $v, $m: an array, a vector, a matrix; $k: places; $s: a number; $x, $i: axes, one axis; $t: a type; $n: a small
# number; <<one|other>>: one of them; {…}: perhaps.
ELEMENTWISE = """\
np.<<negative|absolute|exp|log|sqrt|square|sin|arctan|floor|rint|sign|isnan|isfinite|logical_not|invert|conj>>($a)
np.<<exp2|expm1|log2|log10|log1p|cbrt|reciprocal|cos|tan|arcsin|arccos|sinh|cosh|tanh|arcsinh|deg2rad|radians>>($a)
np.<<ceil|trunc|fabs|signbit|isinf|positive|real|imag|sinc|nan_to_num|angle>>(<<$a|$s>>)
np.<<add|subtract|multiply|divide|floor_divide|remainder|fmod|power|maximum|minimum|fmax|fmin>>($a, <<$a|$s|$v>>)
np.<<arctan2|hypot|copysign|heaviside|logaddexp|float_power>>($a, <<$a|$s>>)
np.<<equal|not_equal|less|less_equal|greater|greater_equal|logical_and|logical_or|logical_xor>>($a, <<$a|$s>>)
np.<<bitwise_and|bitwise_or|bitwise_xor|left_shift|right_shift>>($a, <<$a|$s>>)
np.divmod($a, <<$a|$s>>)[<<0|1>>]
np.round(<<$a|$s>>{, <<1|-1|2|n>>})
np.clip(<<$a|$a|$s>>, <<$s|None|$a|min=$s, max=$a>>{, <<$s|None|$a>>})
np.isclose($a, <<$a|$s>>{, rtol=<<0.1|0>>}{, equal_nan=True})
np.where($a > $s, <<$a|$s>>, <<$a|$s>>)
"""
REDUCED = """\
np.<<sum|prod|mean>>($a{, axis=$x}{, keepdims=True}{, dtype=$t}{, where=<<c|$a>> > 0})
np.<<sum|prod|min|max>>($a{, axis=$x}{, initial=$s}{, where=<<c|$a>> > 0})
np.<<any|all>>($a{, axis=$x}{, keepdims=True}{, where=<<c|$a>> > 0})
np.<<std|var|nanstd|nanvar>>($a{, axis=$x}{, ddof=<<1|n|0.5>>}{, keepdims=True})
np.<<ptp|count_nonzero|nansum|nanprod|nanmin|nanmax|nanmean>>($a{, axis=$x}{, keepdims=True})
np.<<median|nanmedian>>($a{, axis=$i})
np.median($a{, axis=$i}, keepdims=True)
np.<<sum|max|mean|any|argmin>>([$a, $a]{, axis=$i})
np.<<cumsum|cumprod>>($a{, axis=$i}{, dtype=$t})
np.<<argmin|argmax|nanargmin|nanargmax>>($a{, axis=$i}{, keepdims=True})
np.<<nansum|nanprod|nancumsum>>($a{, axis=$i}{, dtype=$t})
np.<<percentile|quantile>>($a, <<0.5|0.25|1|0|50|-0.1|[0.25, 1.0]|(0, 1)|w>>{, axis=$i})
np.<<add|multiply|maximum|minimum|logical_or|bitwise_xor>>.<<reduce|accumulate>>($a{, axis=$i})
np.<<add|maximum|minimum|multiply>>.reduceat($v, <<k|[0, 2]|[2, 0, 1]>>)
np.average($a{, axis=$i}{, weights=$a})
np.<<cov|corrcoef>>($a{, rowvar=False})
np.linalg.norm($a{, ord=<<1|2|np.inf|-np.inf|0|3|-1|None>>}{, axis=$i}{, keepdims=True})
np.trapezoid($a{, dx=$s}{, axis=$i})
np.<<allclose|array_equal>>($a, $a)
"""
SHAPED = """\
np.roll($a, <<1|-1|n|(1, 2)|5>>{, axis=$x})
np.flip($a{, axis=$x})
np.rot90($a{, k=<<0|1|2|3|n>>}{, axes=<<(1, 0)|(0, 0)|(-1, 0)>>})
np.tile($a, <<2|(2, 1)|(1, 2)|n|0>>)
np.repeat($a, <<2|n|k|0|[1, 2]|-1>>{, axis=$i})
np.concatenate(($a, $a){, axis=<<$i|None>>})
np.stack(($a, $a){, axis=$i})
np.<<hstack|vstack|dstack|column_stack>>(($a, $a))
np.pad($a, <<1|(1, 2)|((1, 0), (0, 2))|n|((1, 2),)|-1>>{, mode='<<edge|reflect|symmetric|wrap|constant>>'})
np.pad($a, 1, constant_values=$s)
np.moveaxis($a, <<0, 1|0, -1|-1, 0|2, 0|(0, 1), (1, 0)>>)
np.swapaxes($a, $i, $i)
np.<<transpose($a{, (1, 0)})|rollaxis($a, $i{, $i})|squeeze($a, axis=$i)|expand_dims($a, <<0|-1|(0, 1)|2>>)>>
np.reshape($a, <<-1|(-1, 1)|(2, -1)|a.shape|(n, -1)>>{, order='<<F|C>>'})
np.ravel($a{, order='<<F|C>>'})
np.broadcast_to($a, <<a.shape|(2, 3)|(n, len(v))|(4,) + a.shape>>)
np.<<split|array_split|vsplit|hsplit>>($a, <<2|3|[1]|[1, 2]|n>>)[<<0|1|-1>>]
np.resize($a, <<5|(3,)|n|(2, n)>>)
np.<<tril|triu|diag>>($a{, k=<<-1|1|n>>})
np.<<diagonal($a{, <<-1|1|n>>})|trace($a{, <<-1|1|n>>})|fliplr($a)|flipud($a)|atleast_1d($a)|copy($a)>>
np.append($a, <<$a|$v|$s>>{, axis=$i})
np.<<insert($v, <<0|1|-1|n>>, $s)|delete($a, <<0|1|-1|n>>{, axis=$i})|ediff1d($v)>>
np.diff($a{, n=<<1|2>>}{, axis=$i}{, prepend=<<$s|$a>>}{, append=$s})
np.block([[$a, $a], [$a, $a]])
np.meshgrid($v, $v{, indexing='ij'})[<<0|1>>]
np.<<full_like($a, $s{, dtype=$t})|zeros_like($a{, dtype=$t})|ones_like($a)|ascontiguousarray($a)>>
$a<<.T|.real|.imag|.copy()|.ravel()|.flatten()|.transpose()|.conj()|.astype($t)|.reshape(-1)|[::-1]|[:n][::-1]>>
$a<<.sum(axis=$x)|.max(axis=$x)|.any(axis=$x)|.cumsum(axis=$i)|.argmax(axis=$i)|.argmin(axis=$i)|.std(axis=$x)>>
$a[<<::-1|n:|:n|n::-1|::2|-1:|:-1|1:n|:0|..., n:|:, ::-1|:, :n|-n:|:-n|..., None>>][<<::-1|1:|:n|n:|::2|:0|-1:|:, n:>>]
"""
CHOSEN = """\
np.take($a, $k{, axis=$i})
$a.astype($t, copy=False)
np.array([$a, $a]{, dtype=$t})
np.take_along_axis(a, np.argsort(a, axis=<<0|1|-1|2>>), <<0|1|-1>>)
np.<<compress($v > 0, $a{, axis=$i})|extract($a > 0, $a)|flatnonzero($a)|argwhere($a)|ediff1d($v)>>
np.where($v > 0)[0]
np.select([$a > 1, $a < 0], [$a{, <<$a|$s>>}]{, default=$s})
np.choose(<<k % 2|c > 0|k>>, <<[v, w]|(a, b)|[0, 1, 2]|(v, 1)>>)
np.piecewise($v, [$v > 0{, $v < 1}], [1{, $s}])
np.unravel_index(<<k|n|5>>, <<(3, 4)|a.shape>>)
$a[$k]
a[$k, $k]
a[:, $k]
$a[$a > 0]
a[np.ix_([0, 1], <<[0, 1]|k[:2]>>)]
a[np.<<tril|triu>>_indices(2{, 1})]
np.sort($a{, axis=<<$i|None>>}{, kind='stable'})
np.argsort($a{, axis=<<$i|None>>}, kind='stable')
np.searchsorted(np.sort($v), <<$a|$v|$s>>{, side='right'})
np.digitize(<<$a|$v>>, <<[0, 1, 2]|np.sort(v)|[3.0, 1.0]|np.array([0.5])>>{, right=True})
np.histogram(<<$a|$v>>{, bins=<<3|n|1|0>>}{, range=(<<0, 1|-2, 5|0, 0|3, -1>>)}{, density=True})[<<0|1>>]
np.histogram($a, <<[0, 1, 2]|np.sort(v)|[2, 1]>>{, weights=$a})[0]
np.bincount(<<k|np.abs(k)|$v>>{, minlength=<<0|5|n>>})
np.interp(<<$a|$v>>, <<np.sort(v)|np.arange(len(v))>>, <<v|w>>{, left=$s}{, right=$s})
np.<<unique($a)|unique($v, return_<<counts|index|inverse>>=True)|intersect1d($v, $v)|union1d($a, $v)|setdiff1d($a, $a)>>
np.isin($a, <<$a|[1, 2, 3]|2>>{, invert=True})
"""
CONTRACTED = """\
np.<<dot|inner|outer|matmul|kron|vdot|cross>>($a, <<$a|$v|$s>>)
($a @ <<$a|$v>>)
np.tensordot($a, $a{, axes=<<1|0|2|([0], [0])|((0, 1), (0, 1))|(1, 1)>>})
np.einsum('<<ij,ij->|ij->ji|ij->|ii|ii->i|...i->...|i->>>', a)
np.einsum('<<ij,ij->|ij,kj|i,i|i,j|ij,j|...j,...j->...|ij,ij->i>>', <<a, a|a, b|v, v|v, w|a, v>>)
np.<<convolve|correlate>>($v, $v{, '<<same|valid|full>>'})
np.<<vander($v{, 3}{, increasing=True})|polyval(<<v|[1, 2, 3]>>, <<$v|$s>>)|unwrap($v)>>
np.gradient(<<$a{, $s}{, axis=$i}|v, w>>)
"""
MADE = """\
np.arange(<<n|0, n|1, 10, 2|0.0, 1.0, 0.3|5, 0, -1|len(v)>>{, dtype=$t})
np.linspace($s, $s, <<5|n|1|0>>{, endpoint=False})
np.full(<<n|(2, n)|a.shape>>, $s{, dtype=$t})
np.eye(<<3|n|3, 4>>{, k=<<1|-1|n>>})
np.<<tri(<<3|n|3, 4|3, 4, 1>>)|identity(n)|hanning(n)|bartlett(<<5|n|1|0>>)|array([$s, $s, $s]{, dtype=$t})>>
"""
ALSO = """\
np.squeeze(<<$a|a[:1]|a[:, :1]|a[:1, :1]>>)
np.<<ravel($a, 'F')|reshape($a, <<-1|(2, -1)|a.shape[::-1]>>, 'F')|asfortranarray($a)>> * 2
$a<<.flatten('F')|.copy('F')|.nonzero()|.shape[::-1]|.mT|.item(<<0|-1|n|1, 1|>>)>>
np.<<add|multiply|subtract|maximum|power|divide|floor_divide>>($a, <<$a|$s>>, dtype=$t)
np.<<exp|sqrt|square|negative|floor>>($a, dtype=$t)
<<a|b|a[1:]|(a + b)>><<[:, $v > 0]|[1:, c[0] > 0]|[0, a[0] > 0]|[c[:, 0] > 0, :]|[:, c[0] > 0].sum(axis=<<0|1>>)>>
np.delete($a, <<[0, 1]|k|$v > 0|[0, 0, -1]|k[:0]|n>>{, axis=$i})
np.insert(<<$v|$a>>, <<[0, 1]|k|1|[-1, 0, 2]|n>>, <<$s|[5, 6]|v|k>>{, axis=$i})
np.<<gcd|lcm>>(<<k|a|c|n>>, <<6|k|v|$s>>)
np.<<fix|modf|bitwise_count>>(<<$a|$s>>)
np.<<nanpercentile|nanquantile>>($a, <<0.5|0.25|1|0|50|-0.1|[0.25, 1.0]|(0, 1)>>{, axis=$i})
np.<<indices|fromfunction(lambda i, j: i - j * 2,>>((2, <<3|n|0>>){, dtype=<<int|float|np.float32>>})
np.<<mgrid|ogrid>>[<<0:3|n:5|0:1:3j|-1:2:0.5>>, <<0:2|:n|1:4:2>>]
np.meshgrid($v, $v, $v{, indexing='ij'}{, sparse=True})[<<0|1|2>>]
np.ravel_multi_index((<<k|n|1>>, <<k|k[:1]|2>>), <<(9, 9)|(3, 4)>>)
np.lib.stride_tricks.sliding_window_view($a, <<2|1|n|(2, 2)|(1, 3)>>{, axis=<<0|-1|(0, 1)>>}) + 0
np.piecewise($v, [$v > 0{, $v < 1}], [lambda e: e + 1{, lambda e: -e}{, <<$s|lambda e: e * e>>}])
np.cumulative_sum($a{, axis=$i}{, include_initial=True})
np.apply_along_axis(<<np.sum|np.max|lambda r: r[0] * 2>>, $i, $a)
np.setxor1d($a, <<$v|[1, 2]>>)
np.lexsort((<<v|k>>, <<v|k|w>>))
np.geomspace(<<1|$s|2.0|-1>>, <<8|$s|-2>>, <<4|n|1|0>>{, endpoint=False})
np.histogram2d($v, $v, <<3|(2, 3)|n>>{, range=((0, 1), (<<-1, 2|0, 0>>))})[<<0|1|2>>]
np.<<var|std>>($a{, axis=$x}{, dtype=<<np.float64|np.float32>>}{, where=<<c|$a>> > 0}{, ddof=1}{, keepdims=True})
np.trapezoid($a{, $v}, axis=0)
np.<<float32|int64|float64|uint8|bool_>>($a)
round(<<w[0]|a[0, 0]|x>>, <<1|0|2>>)
np.size($a{, <<0|1|-1>>})
"""
STATEMENTS = """\
a[<<0|-1|:, 0|1:|::2|k|a > 0|..., 0|c > 0>>] <<=|+=|*=|-=|//=>> <<$s|$a>>
v <<+=|*=|-=>> <<$s|$v>>
np.<<add|subtract|maximum|minimum|multiply>>.at(<<v|w>>, <<k|k % 2|0>>, <<$s|v|1>>)
np.fill_diagonal(a, <<$s|v|w>>)
np.put(v, <<k|k - 1|[0, -1]|k % 2>>, <<$s|v|w|[1, 2]>>)
np.put_along_axis(a, <<np.argmax(a, axis=1)[:, None]|np.argsort(a, axis=1)>>, <<$s|a>>, axis=<<1|-1|2>>)
np.putmask(<<a|v>>, <<c > 0|a > 0|v > 0>>, <<$s|$a|v>>)
a<<[:, v > 0]|[1:, c[0] > 0]|[0, v > 0]>> <<=|+=|*=>> <<$s|v>>
np.copyto(<<a|v>>, <<$s|$a>>{, where=<<c > 0|v > 0>>})
<<a|v>>.<<fill($s)|sort()|sort(axis=0)>>
np.<<add|multiply|maximum|floor_divide>>($a, <<$a|$s>>, out=<<a|b|v>>)
np.<<exp|sqrt|negative|floor>>($a, <<a|b>>)
"""
FORMS = (ELEMENTWISE, REDUCED, REDUCED, SHAPED, SHAPED, SHAPED, CHOSEN, CHOSEN, CONTRACTED, MADE, ALSO, ALSO)
ARRAYS = ("a", "a", "a", "b", "v", "a[1:]", "a[::-1]", "a.T", "a[0]", "(a * 2)", "(a + b)", "v[::2]", "c",
          "a[..., None]", "a.reshape(-1)", "(a > 0)", "a[:, 1:]", "a[:0]", "abs(a)", "v[n:]")  # fmt: skip
VECTORS = ("v", "v", "v[1:]", "v[::-1]", "a[0]", "(v * 2)", "w", "w", "v[:0]", "[1, 2, 3]", "a[:, 0]", "v[:n]")
PLACES = ("k", "k", "k[::2]", "-k", "k - 1", "[0, 1]", "[0, -1, 0]", "1", "n", "np.array([1, 0])", "k % 2")
NUMBERS = ("0", "1", "2", "-1", "0.5", "n", "x", "True", "2.0", "1e3", "-3", "w[0]", "a[0, 0]", "np.float32(1.5)")
AXES = ("0", "1", "-1", "None", "(0, 1)", "2", "-2", "0", "1")
ONE_AXIS = ("0", "1", "-1", "-2", "2", "0", "1")
TYPES = ("np.float64", "np.float32", "np.int64", "np.int32", "np.uint8", "float", "int", "bool", "a.dtype")
ELEMENTS = ("float64", "float64", "float64", "float32", "float32", "int64", "int64", "int32", "uint8", "int8", "bool",
            "uint16", "float16", "complex128", "uint64", "complex64")  # fmt: skip
SHAPES = ((3, 4), (3, 3), (2, 5), (1, 3), (4, 1), (0, 3), (3, 0), (5, 2), (9, 17), (20, 33), (2, 2), (3, 3), (1, 1))
LAYOUTS = ("C", "C", "C", "C", "F", "reversed", "strided", "inner")
CHOICE = re.compile(r"<<((?:(?!<<|>>|[{}]).)*>?)>>|\{((?:(?!<<|>>)[^{}])*)\}")
"""The innermost ones."""
TRIES = 12
"""Programs that are drawn for one that NumPy accepts, mostly."""


def program(choices: Seeded) -> Program:
    writer = _Writer(choices)
    refused = choices.number(0, 4) == 0
    for _ in range(TRIES):
        found = Program(writer.text(), writer.arguments())
        if refused or _is_accepted(found):
            break
    return found


def _is_accepted(program: Program) -> bool:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            program.function()(*program.call().arguments)
        except Exception:
            return False
    return True


class _Writer:
    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number

    def text(self) -> str:
        lines = [self.filled(self.one_of(STATEMENTS)) for _ in range(self.pick((0, 0, 0, 0, 1, 1, 2)))]
        values = [self.filled(self.one_of(self.pick(FORMS))) for _ in range(self.pick((1, 1, 1, 1, 2)))]
        if self.number(0, 4) == 0:
            lines.append(f"u = {values[0]}")
            values[0] = self.pick(("u", "u", "u, u.sum()", "len(v), u"))
        body = "\n".join(f"    {line}" for line in (*lines, f"return {', '.join(values)}"))
        return f"import numpy as np\n\n\ndef program(a, b, c, v, w, k, n, x):\n{body}\n"

    def one_of(self, forms: str) -> str:
        return str(self.pick(forms.splitlines()))

    def filled(self, form: str, depth: int = 0) -> str:
        """A form with its choices made, from within outwards."""
        while found := CHOICE.search(form):
            one, perhaps = found.groups()
            chosen = self.pick(one.split("|")) if one is not None else perhaps if self.number(0, 2) == 0 else ""
            form = form[: found.start()] + chosen + form[found.end() :]
        return re.sub(r"\$(\w)", lambda name: self.slot(name[1], depth), form)

    def slot(self, name: str, depth: int) -> str:
        if name == "a" and depth < 1 and self.number(0, 7) == 0:
            return f"({self.filled(self.one_of(self.pick(FORMS)), depth + 1)})"
        known = {"a": ARRAYS, "v": VECTORS, "k": PLACES, "s": NUMBERS, "x": AXES, "i": ONE_AXIS, "t": TYPES}
        return str(self.pick(known[name]))

    def arguments(self) -> dict[str, Array | str]:
        rows, columns = self.pick(SHAPES)
        shape = self.pick(((rows, columns),) * 8 + ((columns,), (2, rows, columns)))
        other = self.pick((shape,) * 6 + ((columns,), (1, columns), (rows, 1)))
        kind, second = self.pick(ELEMENTS), self.pick(ELEMENTS)
        second = kind if self.number(0, 9) < 6 else second
        fill = self.pick(("small",) * 7 + ("special", "extremes"))
        seed = self.number(0, 999)

        def array(kind: str, shape: tuple[int, ...], offset: int) -> Array:
            return Array(kind, shape, fill, seed + offset, self.pick(LAYOUTS))

        cells = max(1, min(rows, columns, 3))
        return {
            "a": array(kind, shape, 0),
            "b": array(second, other, 1),
            "c": array(self.pick(("bool", "int64", "float64")), shape, 2),
            "v": array(kind, (columns,), 3),
            "w": array(second, (columns if self.number(0, 3) else rows,), 4),
            "k": Array(
                self.pick(("int64", "int32", "uint8")), (self.pick((columns, 2, 3, 0)),), f"cells {cells}", seed
            ),
            "n": str(self.pick((1, 2, 3, 0, 40))),
            "x": str(self.pick((0.5, 2.0, 3, -1.5))),
        }
