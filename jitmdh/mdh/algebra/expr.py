"""The high-level representation: `out_view ∘ finish ∘ md_hom(f, (⊗₁, …, ⊗_D)) ∘ inp_view` (thesis Figure 11),
and programs, sequences of such expressions over the arguments of one function.

MatVec, `w[i] += M[i, k] * v[k]`, is

    dims       i: [0, M.shape[0]), k: [0, M.shape[1])
    inp_view   M[i, k], v[k]
    md_hom     (M, v) ↦ M * v,  (++, •(add))
    finish     reads w[i]: (state, w) ↦ w + state
    out_view   w[i]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass, record
from jitmdh.base.source import Loc
from jitmdh.base.text import indent
from jitmdh.mdh.algebra import show
from jitmdh.mdh.algebra.combine import CombineOperator, Concatenation, PointWise, PrefixSum, Scatter
from jitmdh.mdh.algebra.index import Affine, ValueReturned, shown_value
from jitmdh.mdh.algebra.scalar import (
    Constant,
    Procedure,
    Scalar,
    ScalarFunction,
    called,
    index_values,
)
from jitmdh.mdh.algebra.sizes import SizeExpr


@record(frozen=True, slots=True)
class Dim:
    """One dimension of the iteration space, `name ∈ [0, extent)`; empty where extent ≤ 0.

    Loops with other starts and steps have been normalised: `range(a, b, s)` has its index at `a + s*name`.
    """

    name: str
    extent: Affine
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.name} ∈ [0, {self.extent})"


@record(frozen=True, slots=True)
class Buffer:
    """An array: an argument, or one allocated by the program. Rank 0: a scalar.

    of: the array of complex numbers or records whose elements have this one as a part; None: it stands for itself.
    apart: the part's neighbours are too far away to be loaded with it (parts of different sizes).
    """

    name: str
    type: ScalarType
    shape: tuple[Affine, ...]
    of: str | None = None
    apart: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return _typed(self.name, self.type, map(str, self.shape))


def part_name(buffer: str, part: str) -> str:
    """The buffer that holds the `part` of each element of `buffer`.

    >>> part_name("z", "imag")
    'z.imag'
    """
    return f"{buffer}.{part}"


@record(frozen=True, slots=True)
class Access:
    """`buffer[index]` at each point of the iteration space where all of `guard` are ≥ 0.

    Where the guard fails nothing is touched: a read gives 0 (and is not used), a write does not happen.
    All indices are in bounds wherever the guard holds (the program's checks see to it); negative Python indices
    have been normalised. speculative: Python gets there only where data, or lengths of loops, say so.
    """

    buffer: str
    index: tuple[Affine, ...]
    guard: tuple[Affine, ...] = ()
    loc: Loc | None = field(default=None, compare=False, repr=False)
    speculative: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return show.guarded(f"{self.buffer}[{', '.join(map(str, self.index))}]", [str(g) for g in self.guard])


@dataclass(frozen=True, slots=True)
class Indirect:
    """A name for a number that depends on data at each point, `function(inp_view)`: `x[idx[j]]` is x[n], n = idx[j].

    Affine expressions may use it: subscripts, and extents of dimensions inside of those that it depends on. Accesses
    of `inp_view` may use the indirect names before it. extent: of the axis that it is a subscript of; then values in
    [-extent, 0) count from the end, as in Python, and others outside [0, extent) are errors (see `bounds`). None: a
    plain number.

    decided: the program's checks, or whoever calls it, say that no value is an error; enough: where all of these are
    ≥ 0, none is. See `subscript_ranges`. distinct: `list[place]`, with another value for each value of `place`, as the
    caller says; then what is written there is written once.
    """

    name: str
    inp_view: tuple[Access, ...]
    function: ScalarFunction
    extent: Affine | None = None
    loc: Loc | None = field(default=None, compare=False, repr=False)
    decided: bool = False
    enough: tuple[Affine, ...] = ()
    distinct: bool = False

    def __str__(self) -> str:
        reads = {p.name: str(a) for p, a in zip(self.function.parameters, self.inp_view)}
        where = ", ".join(f"{name} = {access}" for name, access in reads.items())
        bounds = "" if self.extent is None else f", in [-{self.extent}, {self.extent})"
        return f"{self.name} = {', '.join(map(str, self.function.results))} with {where}{bounds}"


@dataclass(frozen=True, slots=True)
class MdHom:
    """`md_hom(function, combine)` over `dims`, outermost first.

    The operators are folded from the innermost dimension outwards. Points where some affine expression of `guard` is
    < 0 do not belong to the computation (triangular loops): each expression acts as an `if` inside the loop over the
    innermost dimension that it mentions. What fails it contributes nothing there, so a guard that mentions a collapsed
    dimension can leave an empty reduction, whose value is the identity; one that mentions only remaining dimensions
    (or none) keeps the result from being written.
    Each PointWise or PrefixSum operator acts on the whole state: the results of `function`, or of what stands between
    it and the operators inside (`Between`).
    """

    dims: tuple[Dim, ...]
    function: ScalarFunction
    combine: tuple[CombineOperator, ...]
    guard: tuple[Affine, ...] = ()

    def guard_over(self, depth: int) -> tuple[Affine, ...]:
        """The conditions that mention no dimension from number `depth` on."""
        inside = {d.name for d in self.dims[depth:]}
        return tuple(g for g in self.guard if not inside.intersection(g.names))

    def __str__(self) -> str:
        combine = show.guarded(show.tuple_of(self.combine), [str(g) for g in self.guard])
        return show.applied("md_hom", [str(d.extent) for d in self.dims], str(self.function), combine)


@dataclass(frozen=True, slots=True)
class Between:
    """A point-wise function between two operators: `(state…, inputs…) ↦ state…`, at each point of the dimensions
    before number `depth`, once all dimensions from that on are combined.

    max_i √(Σ_j x[i, j]) is `md_hom(id, (•(max), •(add)))` with √ at depth 1. `inp_view` and the function use only
    dimensions before `depth`; there is an operator on either side.
    """

    depth: int
    inp_view: tuple[Access, ...]
    function: ScalarFunction


@dataclass(frozen=True, slots=True)
class Finish:
    """A point-wise function after the reduction: `(state…, inputs…) ↦ results`, over the dimensions that remain.

    It takes in what the output held before (`w[i] +=`), an initial value, a scaling. `inp_view` uses only
    dimensions that are not collapsed (no PointWise ones).

    empty: the results where nothing was combined and the operator has no identity to stand for it (an empty extent,
    or no point within the guard); over the parameters of `function` other than the state. None: nothing is written.
    """

    inp_view: tuple[Access, ...]
    function: ScalarFunction
    empty: tuple[Scalar, ...] | None = None


@dataclass(frozen=True, slots=True)
class Expression:
    """One multi-dimensional homomorphism with its views.

    inp_view[n] feeds parameter n of `md_hom.function`; result r (of `finish`, or of `md_hom` without one) is
    written to out_view[r], injectively over the dimensions that remain. A buffer may be read and written by one
    expression only at the same index at the same point (in-place), or where no point writes (another row).
    between: by depth, innermost first.

    Where some dimensions are combined by Scatter, all others are by Concatenation, there is no finish, results are
    combined with what the outputs hold, and these are not read.

    indirect: names whose values depend on data. A dimension whose extent uses one is *ragged*: its points are those
    of the dimensions that the extent depends on, all before it, each with as many as its own extent says.

    facts, existing: what is certain in every call that runs it where all of when are > 0 (see `size_facts`): sizes
    (value, when), value ≥ 0; and elements of views of rows (view, subscripts, when).
    """

    name: str
    buffers: tuple[Buffer, ...]
    inp_view: tuple[Access, ...]
    md_hom: MdHom
    finish: Finish | None
    out_view: tuple[Access, ...]
    loc: Loc | None = field(default=None, compare=False, repr=False)
    between: tuple[Between, ...] = ()
    indirect: tuple[Indirect, ...] = ()
    facts: tuple[tuple[Affine, tuple[Affine, ...]], ...] = ()
    existing: tuple[tuple[str, tuple[Affine, ...], tuple[Affine, ...]], ...] = ()

    @property
    def collapsed(self) -> tuple[str, ...]:
        """Names of the dimensions that the result no longer has."""
        pairs = zip(self.md_hom.dims, self.md_hom.combine)
        return tuple(d.name for d, c in pairs if isinstance(c, PointWise))

    @property
    def remaining(self) -> tuple[str, ...]:
        """Names of the dimensions of the result."""
        pairs = zip(self.md_hom.dims, self.md_hom.combine)
        return tuple(d.name for d, c in pairs if not isinstance(c, PointWise))

    @property
    def has_prefix_sum(self) -> bool:
        return any(isinstance(c, PrefixSum) for c in self.md_hom.combine)

    @property
    def reads(self) -> tuple[Access, ...]:
        """Every access that reads, in the order in which it happens."""
        inner = (a for b in self.between for a in b.inp_view)
        data = (a for n in self.indirect for a in n.inp_view)
        return (*self.inp_view, *inner, *(self.finish.inp_view if self.finish is not None else ()), *data)

    @property
    def scattered(self) -> tuple[str, ...]:
        """Names of the dimensions whose points may write to the same cell."""
        pairs = zip(self.md_hom.dims, self.md_hom.combine)
        return tuple(d.name for d, c in pairs if isinstance(c, Scatter))

    @property
    def ragged(self) -> tuple[Dim, ...]:
        """The dimensions whose extent depends on data."""
        if not self.indirect:
            return ()
        names = {n.name for n in self.indirect}
        return tuple(d for d in self.md_hom.dims if names.intersection(d.extent.names))

    @property
    def guard(self) -> tuple[Affine, ...]:
        """That of `md_hom`, and the extents of ragged dimensions: what tells the points from others of their hull."""
        return (*self.md_hom.guard, *(d.extent - 1 - Affine.of(d.name) for d in self.ragged))

    @property
    def procedures(self) -> tuple[Procedure, ...]:
        """What is called at each point: data-dependent loops."""
        return (*called(self.md_hom.function), *(called(self.finish.function) if self.finish else ()))

    @property
    def written(self) -> frozenset[str]:
        """Names of the buffers that it writes: those of `out_view`, and what its procedures write."""
        return frozenset(a.buffer for a in self.out_view).union(*(p.written for p in self.procedures))

    def named(self, name: str) -> Indirect | None:
        return next((n for n in self.indirect if n.name == name), None)

    def depends(self, affine: Affine) -> frozenset[str]:
        """The dimensions that `affine` varies with, by itself or through indirect names."""
        return self._depends([(name, False) for name in affine.names])

    def varying(self, access: Access) -> frozenset[str]:
        """The dimensions that decide which element `access` names."""
        return frozenset[str]().union(*map(self.depends, access.index))

    def indirect_depends(self, indirect: Indirect) -> frozenset[str]:
        """The dimensions that an indirect name varies with; those its ragged ones hang on included."""
        return self._depends([(name, True) for name in _used(indirect)])

    def _depends(self, left: list[tuple[str, bool]]) -> frozenset[str]:
        """Those of names, each with whether an indirect name uses it. Ends even where names depend on each other."""
        dims = {d.name: d for d in self.md_hom.dims}
        if not self.indirect:
            return frozenset([name for name, _ in left if name in dims])
        ragged = {d.name for d in self.ragged}
        seen: set[tuple[str, bool]] = set()
        while left:
            name, inside = left.pop()
            if (name, inside) in seen:
                continue
            seen.add((name, inside))
            if name in dims:
                left += [(n, False) for n in dims[name].extent.names] if inside and name in ragged else []
            elif (indirect := self.named(name)) is not None:
                left += [(n, True) for n in _used(indirect)]
        return frozenset(name for name, _ in seen if name in dims)

    def buffer(self, name: str) -> Buffer:
        return next(b for b in self.buffers if b.name == name)

    def __str__(self) -> str:
        functions = [show.applied("out_view", self._types(self.out_view), self._view(self.out_view))]
        if (finish := self.finish) is not None:
            empty = "" if finish.empty is None else f"where empty: {show.tuple_of(finish.empty)}"
            functions.append(show.applied("finish", (), str(finish.function), self._view(finish.inp_view), empty))
        functions.append(self._md_hom())
        functions.append(show.applied("inp_view", self._types(self.inp_view), self._view(self.inp_view)))
        operators = [c.operator for c in self.md_hom.combine if not isinstance(c, Concatenation)]
        definitions = dict.fromkeys(str(o) for o in operators if not o.is_elementary)
        where = [*map(str, self.indirect), *definitions, *map(str, self.procedures)]
        return show.composed(self.name, functions, where)

    def _md_hom(self) -> str:
        if not self.between:
            return str(self.md_hom)
        m = self.md_hom
        names = [d.name for d in m.dims]
        parts = [str(m.function)]
        for b in self.between:
            outside = show.tuple_of(names[: b.depth])
            parts.append(f"between {outside} and {show.tuple_of(names[b.depth :])}: {b.function}")
            parts += [self._view(b.inp_view)]
        combine = show.guarded(show.tuple_of(m.combine), [str(g) for g in m.guard])
        return show.applied("md_hom", [str(d.extent) for d in m.dims], *parts, combine)

    def _types(self, view: tuple[Access, ...]) -> list[str]:
        return [str(self.buffer(a.buffer).type) for a in view]

    def _view(self, view: tuple[Access, ...]) -> str:
        dims = [d.name for d in self.md_hom.dims]
        return show.view(dims, [(a.buffer, [*map(str, a.index)], [*map(str, a.guard)]) for a in view])


@dataclass(frozen=True, slots=True)
class Sequential:
    """Steps repeated for `dim.name` = 0, 1, …, in this order: time steps, loop-carried dependences.

    Inside, the dimension's name stands for a number, like a size.

    until: boolean scalars that steps of `body` write. As soon as one of these steps, all of it, is done and one of
    its scalars holds, the loop is over: what follows in `body` does not happen any more.
    """

    dim: Dim
    body: tuple[Step, ...]
    reason: str = ""
    loc: Loc | None = field(default=None, compare=False, repr=False)
    until: tuple[str, ...] = ()

    def ends(self, step: Step) -> tuple[str, ...]:
        """The scalars of `until` that are looked at behind a step."""
        written = step.written if self.until and isinstance(step, Expression) else frozenset()
        return tuple(name for name in self.until if name in written)

    def __str__(self) -> str:
        until = f" until {' or '.join(self.until)}" if self.until else ""
        reason = f"  # {self.reason}" if self.reason else ""
        return f"for {self.dim}{until}:{reason}\n" + indent("\n".join(map(str, self.body)))


@dataclass(frozen=True, slots=True)
class Together:
    """Steps that each point of an independent dimension executes in this order, the points in any order or at once.

    Inside, the dimension's name stands for a number, like a size. local: arrays that each point has for itself, with
    unknown contents at its beginning; only `body` knows them. Of every other array that a step writes, no two points
    touch the same element (see `independence`). No step inside is a `Together` again, or can end in an error.
    """

    dim: Dim
    body: tuple[Step, ...]
    local: tuple[Allocation, ...] = ()
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        own = [f"local {a}" for a in self.local]
        return f"together for {self.dim}:\n" + indent("\n".join([*own, *map(str, self.body)]))


Step = Expression | Sequential | Together


@dataclass(frozen=True, slots=True)
class ArrayParameter:
    """An array argument. ones: the axes whose extent is 1 in all calls that the program is for; steps: axes along which
    elements lie a known number of elements apart in all of them, with that number; rows: whether elements lie one
    behind the other in all of them, those of the last axis next to each other."""

    name: str
    type: ScalarType
    rank: int
    ones: tuple[int, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()
    rows: bool = False

    def __str__(self) -> str:
        return _typed(self.name, self.type, ("1" if axis in self.ones else ":" for axis in range(self.rank)))


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A scalar argument: a rank-0 input buffer; an integer one may also be named in affine expressions."""

    name: str
    type: ScalarType

    def __str__(self) -> str:
        return _typed(self.name, self.type, ())


Parameter = ArrayParameter | ScalarParameter


@dataclass(frozen=True, slots=True)
class Allocation:
    """An array made inside the function; `fill` None leaves it uninitialised (np.empty). Rank 0: a local scalar.

    fortran: it is returned, and lies in memory in the order of Fortran: neighbours are so along its first axis.
    """

    name: str
    type: ScalarType
    shape: tuple[Affine, ...]
    fill: Constant | None = None
    loc: Loc | None = field(default=None, compare=False, repr=False)
    fortran: bool = False

    def __str__(self) -> str:
        content = "" if self.fill is None else f" = {self.fill}"
        return _typed(self.name, self.type, map(str, self.shape)) + content + " in Fortran's order" * self.fortran


@dataclass(frozen=True, slots=True)
class RowView:
    """An array parameter, or a returned array, of rank 1 under other subscripts: name[i, j] is of[shape[1]*i + j].

    The last row may be incomplete: checks see to it that no subscript is beyond the array.
    """

    name: str
    of: str
    type: ScalarType
    shape: tuple[Affine, ...]

    def __str__(self) -> str:
        return f"{_typed(self.name, self.type, map(str, self.shape))} = rows of {self.of}"


@record(frozen=True, slots=True)
class Definition:
    """A name for a size that is no affine expression of others (e.g. the extent of a loop with step 3)."""

    name: str
    value: SizeExpr

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"


@record(frozen=True, slots=True)
class Check:
    """`value ≥ 0` must hold at a call if every expression of `when` is > 0; else an error before anything is written.

    kind: "bounds" (IndexError), "shape" (ValueError), "zero" (ZeroDivisionError), "value" (ValueError); "fallback":
    the compiled form does not cover this call though Python may; run the undecorated function (with one warning); or
    "raise": the function itself raises; run it undecorated (without one). place: of a "fallback" that tracing can know
    to fail, its name in the set that `trace` is given; "" for all others.
    """

    value: Affine
    kind: str
    message: str
    when: tuple[Affine, ...] = ()
    loc: Loc | None = field(default=None, compare=False, repr=False)
    place: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        when = f" if {' and '.join(f'{w} > 0' for w in self.when)}" if self.when else ""
        return f"{self.kind}: {self.value} ≥ 0{when}"


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that values of a program may be: what `faulted` refers to by its number.

    kind: "zero" (ZeroDivisionError), "value" (ValueError), "range" (OverflowError), "index" (IndexError),
    "unbound" (UnboundLocalError), "linalg" (numpy.linalg.LinAlgError), the name of an exception of Python's that the
    function raises itself, or "raise": what it raises is found out by running it undecorated.
    """

    kind: str
    message: str
    loc: Loc | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    """`return name`: an allocation (rank 0: its scalar) or an array parameter.

    weak: the scalar is to be a number of Python's, of this type; None: it is NumPy's. length: an allocated integer that
    says how many rows of an allocated array are returned, the first ones; empty: all.
    """

    name: str
    weak: ScalarType | None = None
    length: str = ""

    def __str__(self) -> str:
        return f"{self.name}[:{self.length}]" if self.length else self.name


def returned_names(returns: Iterable[Return] | None) -> frozenset[str]:
    """What is returned, and the numbers that say how much of it."""
    return frozenset(name for r in returns or () for name in (r.name, r.length) if name)


@dataclass(frozen=True, slots=True)
class Program:
    """A whole function: what it takes, what it computes in which order, what it returns.

    returns: None for a function without a return value; a 1-tuple is returned as the bare value unless
    `returns_tuple`; a tuple as a list where `returns_list`. values: of the function, where some of them are views
    or tuples, made of what is returned; a number: what has this number itself.
    merged: names of computations that are parts of others, in the order in which they became so: of all that used
    (one,), or the first of (two, names) of the second.
    """

    name: str
    parameters: tuple[Parameter, ...]
    definitions: tuple[Definition, ...]
    allocations: tuple[Allocation, ...]
    checks: tuple[Check, ...]
    steps: tuple[Step, ...]
    returns: tuple[Return, ...] | None = None
    returns_tuple: bool = False
    loc: Loc | None = field(default=None, compare=False, repr=False)
    faults: tuple[Fault, ...] = ()
    returns_list: bool = False
    views: tuple[RowView, ...] = ()
    merged: tuple[tuple[str, ...], ...] = ()
    values: tuple[ValueReturned, ...] = ()

    @property
    def returned(self) -> frozenset[str]:
        """What somebody reads after the program: see `returned_names`."""
        return returned_names(self.returns)

    def __str__(self) -> str:
        lines = [f"size {d}" for d in self.definitions]
        lines += [f"view {v}" for v in self.views]
        lines += [f"check {c}" for c in self.checks]
        lines += [f"allocate {a}" for a in self.allocations]
        lines += [str(s) for s in self.steps]
        if self.returns is not None:
            names = [str(r) for r in self.returns]
            names = [shown_value(v, names) for v in self.values] or names
            several = f"[{', '.join(names)}]" if self.returns_list else show.tuple_of(names)
            lines.append(f"return {several if self.returns_tuple else ', '.join(names)}")
        return f"{self.name}({', '.join(map(str, self.parameters))}):\n" + indent("\n".join(lines))


def _typed(name: str, type: ScalarType, shape: Iterable[str]) -> str:
    subscripts = ", ".join(shape)
    return f"{name}: {type}[{subscripts}]" if subscripts else f"{name}: {type}"


def _used(indirect: Indirect) -> list[str]:
    """The names of sizes, dimensions and data that an indirect name is computed from."""
    used = [i for a in indirect.inp_view for i in (*a.index, *a.guard)]
    return [n for affine in (*used, *index_values(indirect.function)) for n in affine.names]


def expressions(steps: tuple[Step, ...]) -> tuple[Expression, ...]:
    """All expressions of a program in order, those inside other steps included."""
    found: list[Expression] = []
    for step in steps:
        if isinstance(step, Expression):
            found.append(step)
        else:
            found.extend(expressions(step.body))
    return tuple(found)
