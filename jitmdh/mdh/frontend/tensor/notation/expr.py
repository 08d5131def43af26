"""Formulas: immutable trees over elements of tensors. Every operator returns a new one.

    Element     Q["kp"]                   a tensor at some positions
    Scalar      dt                        a number that comes with the call
    Literal     2.0
    Apply       e + e, np.sqrt(e)         an operation at each point
    Total       total("add", "k", e)      e combined over indices
    Broadcast   e.broadcast("j")          e for all j, which it does not depend on
    Assignment  Q["kp"] <= e

`==` compares formulas as trees, so that they can be keys; `np.equal` compares elements.
"""

from __future__ import annotations

import keyword
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, NoReturn

import numpy as np

from jitmdh.base.calling.entry import entries, entry
from jitmdh.base.dtype import ScalarType, float64, from_numpy
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, MeaningError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator
from jitmdh.mdh.frontend.tensor.notation import indices
from jitmdh.mdh.frontend.tensor.notation.places import place
from jitmdh.mdh.frontend.tensor.notation.sizes import Size, is_open, plain
from jitmdh.mdh.tensor.pattern import Pattern, Predicate
from jitmdh.mdh.tensor.storage import KINDS, Storage

Array = np.ndarray[Any, Any]
STORED, VIRTUAL = "stored", "virtual"  # the operations of `Expr.real` and `Expr.virtual`


def _method(op: str) -> Callable[..., Apply]:
    def method(self: Expr, *others: object) -> Apply:
        return apply(op, self, *others)

    return method


def _reflected(op: str) -> Callable[..., Apply]:
    def method(self: Expr, other: object) -> Apply:
        return apply(op, other, self)

    return method


class Expr:
    """What all formulas have: Python's operators, NumPy's element-wise functions."""

    __slots__ = ()

    __add__, __sub__, __rsub__ = _method("add"), _method("sub"), _reflected("sub")
    __mul__, __rmul__ = _method("mul"), _reflected("mul")
    __truediv__, __rtruediv__ = _method("truediv"), _reflected("truediv")
    __floordiv__, __rfloordiv__ = _method("floordiv"), _reflected("floordiv")
    __mod__, __rmod__ = _method("mod"), _reflected("mod")
    __pow__, __rpow__ = _method("pow"), _reflected("pow")
    __and__, __rand__ = _method("and"), _reflected("and")
    __or__, __ror__ = _method("or"), _reflected("or")
    __xor__, __rxor__ = _method("xor"), _reflected("xor")
    __lshift__, __rlshift__ = _method("lshift"), _reflected("lshift")
    __rshift__, __rrshift__ = _method("rshift"), _reflected("rshift")
    __lt__, __gt__, __ge__ = _method("lt"), _method("gt"), _method("ge")
    __neg__, __abs__, __invert__ = _method("neg"), _method("abs"), _method("invert")

    def __radd__(self, other: object) -> Expr:
        """`other + self`; `sum(…)` begins with the number 0, which adds nothing."""
        return self if isinstance(other, int) and other == 0 else apply("add", other, self)

    def __pos__(self) -> Expr:
        return self

    def __le__(self, value: object) -> Assignment:
        raise ArgumentTypeError(
            f"`{self} <= …`: only an element of a tensor can be assigned to",
            loc=place(),
            hint='write C["ij"] <= …; np.less_equal(a, b) compares',
        )

    def __bool__(self) -> NoReturn:
        raise MeaningError(
            f"`{self}` has no truth value",
            loc=place(),
            hint="assign one tensor at a time: `A <= B <= C` would be two comparisons; np.where chooses by element",
        )

    def __float__(self) -> NoReturn:
        raise ArgumentTypeError(f"`{self}` is no number", loc=place(), hint="use NumPy's function, such as np.sqrt")

    __int__ = __complex__ = __index__ = __float__

    def __iter__(self) -> NoReturn:
        raise ArgumentTypeError(f"`{self}` cannot be iterated over", loc=place())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return NotImplemented if method != "__call__" or options else apply(ufunc.__name__, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        wanted = _ARRAY_FUNCTIONS.get(function)
        return apply(function.__name__, *args) if wanted == len(args) and not options else NotImplemented

    @entry
    def broadcast(self, names: str) -> Broadcast:
        """The same for every value of the indices `names`, which it does not depend on."""
        return Broadcast(self, index_names(names))

    def real(self) -> Apply:
        """The same, computed once and kept in a temporary of its own (TeML's real tensors). Of other parts of formulas,
        whether they are kept anywhere is the compiler's choice. Values do not depend on it."""
        return Apply(STORED, (self,), place())

    def virtual(self) -> Apply:
        """The same, and kept nowhere (TeML's virtual tensors): its sum is one with that of the product which it is a
        factor of, over all indices of both, however much work that is. A kernel raises ExpressionTypeError where there
        is no such product, as under a function."""
        return Apply(VIRTUAL, (self,), place())


_ARRAY_FUNCTIONS = {np.where: 3, np.clip: 3}
"""NumPy's functions of elements that are no ufuncs, and of how many."""


def index_names(text: str) -> tuple[str, ...]:
    """The indices that a text names: "ij", or "elem k"."""
    parts = text.split() if " " in text.strip() else [*text.strip()]
    return indices.names(indices.parse(text, len(parts), "indices", place()))


def _name(kind: str, name: object) -> str:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ArgumentValueError(f"{kind}({name!r}, …): the name must be one that Python allows", loc=place())
    return name


@entries
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Tensor:
    """An array that is given with each call, of a shape and type known beforehand, or a constant.

    name: a Python name. shape: its extents. dtype: float64 unless given, for a constant that of its values.
    pattern: a bool array, or a function of the positions such as `lower`: where it may be other than zero; everything
    else is a known zero, which takes part in nothing. values: the numbers of a constant; those that are zero, or within
    `zero` of it, are its known zeros. storage: how arrays for it hold what is not known to be zero, one of "dense",
    "box", "padded", "list" and "columns" (see `jitmdh.mdh.tensor.storage`); a constant's numbers are then in such an
    array beside the code; None: a dense array, and where numbers of constants are is the compiler's choice.

    Raises ArgumentTypeError for a pattern of numbers, ArgumentValueError for shapes that do not fit, for numbers where
    `pattern` has zeros, and for a storage that there is not.

    >>> print(Tensor("A", (2, 3))["ij"] * 2)
    A["ij"] * 2
    >>> print(Tensor("B", values=[[1.0, 0.0], [1.0, 1.0]]).pattern)
    x.
    xx
    """

    name: str
    shape: tuple[int, ...]
    type: ScalarType
    pattern: Pattern | None
    values: Constants | None
    temporary: bool
    storage: str | None
    predicate: Predicate | None = field(compare=False)
    """Of a pattern whose shape has sizes that come with the call."""

    def __init__(
        self, name: str, shape: Sequence[int] | None = None, dtype: object = None, *, pattern: object = None,
        values: object = None, zero: float = 0.0, temporary: bool = False, storage: str | None = None,
    ) -> None:  # fmt: skip
        numbers = None if values is None else Constants.of(values, dtype, zero)
        given = _shape(name, numbers, shape)
        predicate = _predicate(name, pattern, given)
        known = _pattern(name, pattern, given)
        if numbers is not None:
            known = _nonzero(name, numbers, known)
        type = from_numpy(numbers.array.dtype) if numbers is not None else _scalar_type(dtype)
        for attribute, value in (
            ("name", _name("Tensor", name)), ("shape", given), ("type", type),
            ("pattern", None if known is None or known.is_dense else known), ("values", numbers),
            ("temporary", temporary), ("storage", _storage(name, storage, given, temporary)), ("predicate", predicate),
        ):  # fmt: skip
            object.__setattr__(self, attribute, value)

    @property
    def rank(self) -> int:
        """The number of its axes."""
        return len(self.shape)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Its extents that come with the call."""
        return tuple(e for e in self.shape if isinstance(e, Size))

    @property
    def layout(self) -> Storage | None:
        """How its numbers are stored, where that is not as in a dense array."""
        if self.storage in (None, "dense"):
            return None
        pattern = Pattern.dense(self.shape) if self.pattern is None else self.pattern
        return Storage(str(self.storage), pattern, self.type.size_bytes)

    @property
    def stored(self) -> Tensor:
        """The tensor that an array for it is: the same, if it is dense."""
        layout = self.layout
        if layout is None:
            return self
        return Tensor(self.name, layout.shape, self.type, pattern=layout.stored, temporary=self.temporary)

    def with_sizes(self, sizes: Mapping[str, int]) -> Tensor:
        """The same where these sizes have these extents."""
        if not any(size.name in sizes for size in self.sizes):
            return self
        shape = tuple(e.at(sizes) if isinstance(e, Size) else e for e in self.shape)
        return Tensor(self.name, shape, self.type, pattern=self.predicate, temporary=self.temporary)

    def filled(self, array: Array) -> Filled:
        """The tensor with the numbers of an array of its shape and type, for `mdh.einsum`. ArgumentTypeError and
        ArgumentValueError for other arrays, and for a tensor that is a constant or has sizes that come with the call.

        >>> Tensor("A", (2,)).filled(np.ones(2))
        Tensor('A', (2,)).filled(array([1., 1.]))
        """
        return Filled(self, array)

    def __getitem__(self, subscripts: object) -> Element:
        at = place()
        return Element(self, indices.parse(subscripts, self.rank, self.name, at), (), at)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        said = [repr(self.name)]
        said += [repr(self.shape)] if self.values is None else [f"values={self.values!r}"]
        said += [f"dtype={self.type!r}"] if self.values is None and self.type != float64 else []
        if self.predicate is not None:
            said += [f"pattern={getattr(self.predicate, '__name__', self.predicate)}"]
        elif self.values is None and self.pattern is not None:
            said += [f"pattern={self.pattern!r}"]
        said += [f"storage={self.storage!r}"] if self.storage is not None else []
        return f"Tensor({', '.join(said)}{', temporary=True' * self.temporary})"


class Filled:
    """A tensor, and an array of its shape and type that has numbers only where the tensor may be other than zero."""

    __slots__ = ("array", "tensor")

    def __init__(self, tensor: Tensor, array: Array) -> None:
        if tensor.values is not None or tensor.sizes:
            why = "a constant" if tensor.values is not None else "of sizes that come with the call"
            raise ArgumentTypeError(f"{tensor}.filled: the tensor is {why}")
        if not isinstance(array, np.ndarray) or array.dtype != tensor.type.numpy:
            got = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise ArgumentTypeError(f"{tensor}.filled: an array of {tensor.type} is wanted, got {got}")
        if array.shape != tensor.shape:
            raise ArgumentValueError(f"{tensor}.filled: an array of shape {tensor.shape} is wanted, got {array.shape}")
        self.tensor, self.array = tensor, array

    def __repr__(self) -> str:
        return f"{self.tensor!r}.filled({self.array!r})"


class Constants:
    """The numbers of a constant tensor: C-contiguous, read-only, compared by value."""

    __slots__ = ("array", "key")

    def __init__(self, values: Any, type: ScalarType | None = None) -> None:
        array = np.array(values, None if type is None else type.numpy, order="C")
        from_numpy(array.dtype)
        array.setflags(write=False)
        self.array: Array = array
        self.key = (array.dtype.str, array.shape, array.tobytes())

    @staticmethod
    def of(values: object, dtype: object, zero: float) -> Constants:
        """`values` as `dtype`, with exact zeros for what is within `zero` of it."""
        if isinstance(values, Constants):
            return values
        array = np.array(values, None if dtype is None else _scalar_type(dtype).numpy)
        return Constants(np.where(np.abs(array) <= zero, np.zeros((), array.dtype), array) if zero else array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constants) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Constants({self.array.tolist()!r}, {from_numpy(self.array.dtype)!r})"


def _scalar_type(dtype: object) -> ScalarType:
    if dtype is None:
        return float64
    return dtype if isinstance(dtype, ScalarType) else from_numpy(dtype)  # type: ignore[arg-type]


def _shape(name: str, numbers: Constants | None, shape: Sequence[int] | None) -> tuple[int, ...]:
    if shape is None and numbers is None:
        raise ArgumentValueError(f"Tensor({name!r}): a shape or values are needed", loc=place())
    own: tuple[int, ...] = () if numbers is None else numbers.array.shape
    found: list[int] = []
    for extent in own if shape is None else shape:
        try:
            found.append(extent if isinstance(extent, Size) else operator.index(extent))
        except TypeError:
            raise ArgumentValueError(f"Tensor({name!r}): {extent!r} is no extent", loc=place()) from None
        if found[-1] < 0:
            raise ArgumentValueError(f"Tensor({name!r}): the extent {extent} is negative", loc=place())
    if numbers is not None and (tuple(found) != own or any(isinstance(e, Size) for e in found)):
        facts = f"Tensor({name!r}): values of shape {own} for a tensor of shape {tuple(found)}"
        raise ArgumentValueError(facts, loc=place())
    return tuple(found)


def _predicate(name: str, pattern: object, shape: tuple[int, ...]) -> Predicate | None:
    """`pattern` where it is one for any extents, as it must be if some come with the call."""
    if pattern is None or not any(isinstance(e, Size) for e in shape):
        return None
    if not callable(pattern):
        if not is_open(shape):
            return None
        facts = f"Tensor({name!r}): a pattern of one shape, but extents that come with the call"
        raise ArgumentTypeError(facts, loc=place(), hint="a function of the positions, such as `lower`")
    return pattern


def _pattern(name: str, pattern: object, shape: tuple[int, ...]) -> Pattern | None:
    try:
        return None if pattern is None else Pattern.of(pattern, plain(shape))
    except (ArgumentTypeError, ArgumentValueError) as error:
        raise type(error)(f"Tensor({name!r}): {error.message}", loc=place(), hint=error.hint) from None


def _storage(name: str, storage: str | None, shape: tuple[int, ...], temporary: bool) -> str | None:
    known = KINDS[:3] if temporary else KINDS
    if storage is not None and storage not in known:
        raise ArgumentValueError(f"Tensor({name!r}): storage={storage!r} is none of {', '.join(known)}", loc=place())
    if storage is not None and any(isinstance(e, Size) for e in shape):
        facts = f"Tensor({name!r}): storage={storage!r}, but extents that come with the call"
        raise ArgumentValueError(facts, loc=place())
    return storage if shape else None


def _nonzero(name: str, numbers: Constants, known: Pattern | None) -> Pattern:
    """The non-zeros of a constant, which are all in the pattern that was given with it."""
    found = Pattern(numbers.array != 0)
    if known is not None and (wrong := found.mask & ~known.mask).any():
        where = tuple(int(n) for n in np.argwhere(wrong)[0])
        facts = f"Tensor({name!r}): the value at {where} is {numbers.array[where]}, its pattern has a zero there"
        raise ArgumentValueError(facts, loc=place())
    return found


@dataclass(frozen=True, slots=True)
class Scalar(Expr):
    """A number that is given with each call. type: float64 unless given, also as NumPy's; as it is kept, ours."""

    name: str
    type: ScalarType = float64
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        _name("Scalar", self.name)
        object.__setattr__(self, "type", _scalar_type(self.type))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A number of Python's, which adapts its type to what it meets, or of NumPy's, which does not."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))

    def __str__(self) -> str:
        return repr(self.value) if not isinstance(self.value, np.generic) else str(self.value)


@dataclass(frozen=True, slots=True)
class Element(Expr):
    """`tensor[subscripts]`. extents: of indices that do not run over a whole axis (`at`)."""

    tensor: Tensor
    subscripts: tuple[Affine, ...]
    extents: tuple[tuple[str, int], ...] = ()
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def at(self, **positions: slice | int) -> Element:
        """The same with indices restricted: `A["ij"].at(i=slice(4, 36))`, or fixed: `A["ij"].at(j=0)`."""
        subscripts, extents = self.subscripts, dict(self.extents)
        for name, where in positions.items():
            axes = [n for n, a in enumerate(self.subscripts) if a == Affine.of(name)]
            if not axes:
                raise ArgumentValueError(f"{self}: no axis has the index {name} alone", loc=place())
            extent = self.tensor.shape[axes[0]]
            if isinstance(extent, Size):
                _from_the_start(self, name, where)
                extent = sys.maxsize
            if isinstance(where, slice):
                start, stop, step = where.indices(extent)
                extents[name] = len(range(start, stop, step))
                value = Affine.of(name) * step + start
            else:
                value = Affine((), where + extent if where < 0 else where)
            subscripts = tuple(a.substitute({name: value}) for a in subscripts)
        return Element(self.tensor, subscripts, tuple(sorted(extents.items())), place())

    def __le__(self, value: object) -> Assignment:
        return Assignment(self, lift(value), place())

    def __str__(self) -> str:
        shown = [str(a) if len(a.terms) < 2 and a.constant == 0 else f"({a})" for a in self.subscripts]
        short = all(len(s) == 1 for s in shown)
        return f'{self.tensor}["{("" if short else " ").join(shown)}"]'


def _from_the_start(element: Element, name: str, where: slice | int) -> None:
    """A position, or both ends of a slice, can be counted from the start: the extent comes with the call."""
    said = (where.start or 0, where.stop, where.step or 1) if isinstance(where, slice) else (where, 0, 1)
    if any(not isinstance(n, int) or n < 0 for n in said):
        facts = f"{element}: {name}={where} counts from the end of an axis whose extent comes with the call"
        raise ArgumentValueError(facts, loc=place(), hint=f"{name}=slice(0, 4)")


@dataclass(frozen=True, slots=True)
class Apply(Expr):
    """`op(operands)` at each point; `op` is the name of an operation in `operator` or NumPy, or "where"."""

    op: str
    operands: tuple[Expr, ...]
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        texts = [str(o) for o in self.operands]  # each once: twice would be twice at each level of a long sum
        shown = [f"({t})" if isinstance(o, Apply) and o.op in _INFIX else t for o, t in zip(self.operands, texts)]
        if self.op in _INFIX and len(shown) == 2:
            left = texts[0] if _stands_alone(self.operands[0], self.op) else shown[0]
            return f"{left} {_INFIX[self.op]} {shown[1]}"
        if self.op in (STORED, VIRTUAL):
            return f"({texts[0]}).{'real' if self.op == STORED else 'virtual'}()"
        return f"-{shown[0]}" if self.op == "neg" else f"{self.op}({', '.join(texts)})"


_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lt": "<", "gt": ">", "ge": ">=", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip


def _stands_alone(operand: Expr, op: str) -> bool:
    """Whether a left operand takes no parentheses, since the operator is left associative."""
    same = isinstance(operand, Apply) and operand.op == op and op in ("add", "sub", "mul")
    return same or (isinstance(operand, Apply) and operand.op in ("mul", "truediv") and op in ("add", "sub"))


@dataclass(frozen=True, slots=True)
class Total(Expr):
    """`body` combined over the indices `names`.

    needed: of what is computed on the way to something else, the indices and where over these anything reads it.
    merged: it is one sum with those around it, which products are parts of.
    """

    operator: str | DeclaredOperator
    names: tuple[str, ...]
    body: Expr
    loc: Loc | None = field(default=None, compare=False, repr=False)
    needed: tuple[tuple[str, ...], Pattern] | None = field(default=None, compare=False, repr=False)
    merged: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        by = self.operator if isinstance(self.operator, str) else self.operator.__name__
        return f'total({by}, "{" ".join(self.names)}", {self.body})'


@dataclass(frozen=True, slots=True)
class Broadcast(Expr):
    """`body` for all values of `names`."""

    body: Expr
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f'({self.body}).broadcast("{" ".join(self.names)}")'


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target <= value`: all of `value` is computed as if before anything is written."""

    target: Element
    value: Expr
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __bool__(self) -> NoReturn:
        raise MeaningError(
            f"`{self}` has no truth value",
            loc=place(),
            hint="assign one tensor at a time: Python reads `A <= B <= C` as `A <= B and B <= C`",
        )

    def __str__(self) -> str:
        return f"{self.target} <= {self.value}"


Node = Element | Scalar | Literal | Apply | Total | Broadcast
"""The kinds of `Expr`."""


def lift(value: object) -> Expr:
    """A formula, or a number as one. ArgumentTypeError for everything else."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):  # most often what `==` of two formulas was
        raise ArgumentTypeError(
            f"{value} is no part of a formula",
            loc=place(),
            reason="`==` and `!=` compare two formulas as such, not their elements",
            hint=f"np.equal(a, b), np.not_equal(a, b); the value is np.bool_({value})",
        )
    if isinstance(value, int | float | complex | np.number | np.bool_):
        return Literal(value)
    hint = 'give it indices, such as A["ij"]' if isinstance(value, Tensor) else ""
    if isinstance(value, np.ndarray):
        hint = 'make it a constant: Tensor("A", values=array)'
    raise ArgumentTypeError(f"{type(value).__name__} cannot be part of a formula", loc=place(), hint=hint)


def apply(op: str, *operands: object) -> Apply:
    """`op` of formulas and numbers."""
    return Apply(op, tuple(map(lift, operands)), place())


def children(node: Expr) -> tuple[Expr, ...]:
    """What a formula is made of."""
    match node:
        case Apply():
            return node.operands
        case Total() | Broadcast():
            return (node.body,)
    return ()


def elements(nodes: Iterable[Expr]) -> list[Element]:
    """All elements in formulas, in the order in which they are written."""
    found: list[Element] = []
    for node in nodes:
        found += [node] if isinstance(node, Element) else elements(children(node))
    return found


def scalars(nodes: Iterable[Expr]) -> list[Scalar]:
    """All scalars in formulas, each once, in the order in which they are written."""
    found: dict[Scalar, None] = {}
    for node in nodes:
        found |= dict.fromkeys([node] if isinstance(node, Scalar) else scalars(children(node)))
    return list(found)


def free(node: Expr) -> tuple[str, ...]:
    """The indices that a formula depends on, each once, in the order in which they are written."""
    match node:
        case Element():
            return indices.names(node.subscripts)
        case Total():
            return tuple(n for n in free(node.body) if n not in node.names)
        case Broadcast():
            return tuple(dict.fromkeys((*free(node.body), *node.names)))
        case _:
            return tuple(dict.fromkeys(n for child in children(node) for n in free(child)))
