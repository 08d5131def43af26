"""Scalar functions as straight-line code: operations on vectors, and where they have no meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass, record
from jitmdh.base.source import Loc
from jitmdh.base.status import Status
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Procedure, Scalar, ScalarFunction, Variable
from jitmdh.mdh.codegen.context.tile_shapes import Point
from jitmdh.mdh.codegen.microkernel.procedure_code import Faults, ProcedureCode
from jitmdh.mdh.codegen.microkernel.quotients import neighbours, quotient
from jitmdh.mdh.codegen.microkernel.tile_code import TileCode
from jitmdh.mdh.kernel.arithmetic import both, either, spread
from jitmdh.mdh.kernel.ir import Apply, Fail, Literal, Name, Splat, Value


@record(frozen=True, slots=True)
class Term:
    """A value, and where it has no meaning (a division by zero), None: nowhere."""

    value: Value
    faults: Faults = ()


@dataclass(frozen=True, slots=True)
class ScalarCode:
    """Writes scalar functions into `code`. index_value: the value of an affine expression at a point of the tile;
    relaxed: sums may be reassociated and fused; inside: in one place, which points procedures are executed at."""

    code: TileCode
    index_value: Callable[[Affine, Point], Value]
    relaxed: bool
    inside: list[Value | None] = field(default_factory=lambda: [None])
    procedures: dict[object, list[Term]] = field(default_factory=dict)

    def apply(self, function: ScalarFunction, arguments: Sequence[Value], point: Point) -> tuple[Value, ...]:
        """`function(arguments)`, index values taken at `point`; a faulty result fails."""
        terms = self.terms(function, [Term(a) for a in arguments], point)
        self.fail(terms, ())
        return tuple(t.value for t in terms)

    def terms(self, function: ScalarFunction, arguments: Sequence[Term], point: Point) -> tuple[Term, ...]:
        """`function(arguments)`; faults of arguments and of divisions inside travel with the results that use them."""
        values: dict[str, Term] = {p.name: a for p, a in zip(function.parameters, arguments)}
        for variable, expression in function.bindings:
            term = self._scalar(expression, values, point)
            if not isinstance(term.value, (Name, Literal)):
                of_sizes = term.value.lanes == 1 and term.value.type.kind in "bi"
                name = (self.code.shared if of_sizes else self.code.let)(variable.name, term.value)
                term = Term(name, term.faults)
            values[variable.name] = term
        return tuple(self._scalar(r, values, point) for r in function.results)

    def fail(self, terms: Sequence[Term], guard: Sequence[Value | None]) -> None:
        """End in an error if one of `terms` has a fault at a point that exists and where all of `guard` hold."""
        for status, fault in {f: None for t in terms for f in t.faults}:
            where: Value | None = fault
            for condition in guard:
                where = both(where, condition)
            if fault.lanes > 1:
                where = both(where, self.code.lane_mask({}))
            assert where is not None
            self.code.out.append(Fail(where, status))

    def _scalar(self, node: Scalar, values: Mapping[str, Term], point: Point) -> Term:
        match node:
            case Constant():
                return Term(Literal(node.value, node.type))
            case Variable():
                return values[node.name]
            case IndexValue():
                value = self.index_value(node.index, point)
                return Term(value if node.type == value.type else Apply("cast", (value,), node.type, value.lanes))
            case Operation("call", (Procedure() as procedure, Constant(int() as number), *arguments)):
                given = [self._scalar(a, values, point) for a in arguments]
                return self._called(procedure, given, point)[number]
            case Procedure():
                raise InternalError("a loop that is not called")
            case Operation():
                operands = [self._scalar(o, values, point) for o in node.operands]
                term = self._operation(node.op, operands, node.type)
                return term if node.loc is None else _placed(term, node.loc)

    def _called(self, procedure: Procedure, given: list[Term], point: Point) -> list[Term]:
        """The results of a procedure; it is executed once, however many of them are asked for."""
        key = ("call", id(procedure), tuple(t.value for t in given), tuple(sorted(point.items())))
        found = self.procedures.get(key)
        if found is None:
            lanes = max((d.lanes for d in self.code.dims.values()), default=1)

            def evaluate(node: Scalar, names: Mapping[str, tuple[Value, Faults]]) -> tuple[Value, Faults]:
                term = self._scalar(node, {n: Term(*pair) for n, pair in names.items()}, point)
                return term.value, term.faults

            execution = ProcedureCode(self.code, evaluate, lanes)
            results = execution.run(procedure, [(t.value, t.faults) for t in given], self.inside[0])
            found = self.procedures[key] = [Term(*pair) for pair in results]
        return found

    def _operation(self, op: str, operands: list[Term], type: ScalarType) -> Term:
        lanes = max(o.value.lanes for o in operands)
        wide = [spread(o.value, lanes) for o in operands]
        faults = self._faults(op, operands)
        if op == "faulted":
            number = operands[2].value
            assert isinstance(number, Literal) and isinstance(number.value, int)
            wrong = wide[1] if isinstance(wide[1], Name) else self.code.let("wrong", wide[1])
            return Term(wide[0], with_fault(faults, Status.FIRST_FAULT + number.value, wrong))
        if op in ("floordiv", "mod") and type.kind in "iu":
            if lanes > 1 and operands[1].value.lanes == 1:
                divided = self._of_neighbours(op, wide[0], operands[1].value, faults)
                if divided is not None:
                    return divided
            divisor = wide[1] if isinstance(wide[1], (Literal, Name)) else self.code.let("divisor", wide[1])
            if not (isinstance(operands[1].value, Literal) and operands[1].value.value):
                zero: Value = spread(Literal(0, divisor.type), lanes)
                is_zero = self.code.let("is_zero", Apply("eq", (divisor, zero), bool_, lanes))
                faults = with_fault(faults, Status.DIVISION_BY_ZERO, is_zero)
                one: Value = spread(Literal(1, divisor.type), lanes)
                divisor = self.code.let("divisor", Apply("select", (is_zero, one, divisor), divisor.type, lanes))
            wide[1] = divisor
        if op == "pow" and type.kind == "i" and not isinstance(operands[1].value, Literal):
            exponent = wide[1] if isinstance(wide[1], Name) else self.code.let("exponent", wide[1])
            zero = spread(Literal(0, exponent.type), lanes)
            negative = self.code.let("is_negative", Apply("lt", (exponent, zero), bool_, lanes))
            faults = with_fault(faults, Status.NEGATIVE_POWER, negative)
            wide[1] = exponent
        if op == "accumulate":
            chosen = _product_or_absent(wide[1])
            if chosen is None:
                return Term(_accumulated(wide[0], wide[1], type, lanes), faults)
            known, product = chosen
            sum: Value = wide[0] if isinstance(wide[0], (Name, Literal)) else self.code.let("sum", wide[0])
            added = _accumulated(sum, product, type, lanes)
            return Term(Apply("select", (known, added, sum), type, lanes), faults)
        relaxed = self.relaxed and type.kind == "f"
        if relaxed and op == "add" and isinstance(wide[1], Apply) and wide[1].op in ("add_product", "sub_product"):
            # sum + (p ± b·c), of complex products: both terms are taken up one after the other, fused.
            first, *factors = wide[1].operands
            sum = Apply("add", (wide[0], first), type, lanes, True)
            return Term(Apply(wide[1].op, (sum, *factors), type, lanes, True), faults)
        return Term(Apply(op, tuple(wide), type, lanes, relaxed), faults)

    def _of_neighbours(self, op: str, dividend: Value, divisor: Value, faults: Faults) -> Term | None:
        """A quotient or remainder of neighbours, by one number; None if they are none."""
        if neighbours(self.code, dividend) is None:
            return None
        divisor = self.code.shared("divisor", divisor)
        if not (isinstance(divisor, Literal) and divisor.value):
            is_zero = self.code.shared("is_zero", Apply("eq", (divisor, Literal(0, divisor.type)), bool_))
            faults = with_fault(faults, Status.DIVISION_BY_ZERO, is_zero)
            one = Literal(1, divisor.type)
            divisor = self.code.shared("divisor", Apply("select", (is_zero, one, divisor), divisor.type))
        value = quotient(self.code, op, dividend, divisor)
        return None if value is None else Term(value, faults)

    def _faults(self, op: str, operands: list[Term]) -> Faults:
        """Where an operation has the faults of its operands: of a `select`, those of the operand taken."""
        total: Faults = ()
        if op != "select":
            for operand in operands:
                for status, fault in operand.faults:
                    total = with_fault(total, status, fault)
        else:
            condition, *chosen = operands
            anyway = {*condition.faults, *(f for f in chosen[0].faults if f in chosen[1].faults)}
            for status, fault in (*condition.faults, *chosen[0].faults):
                if (status, fault) in anyway:
                    total = with_fault(total, status, fault)
            taken = condition.value
            for operand, where in zip(chosen, (taken, Apply("not", (taken,), bool_, taken.lanes))):
                for status, fault in operand.faults:
                    if (status, fault) not in anyway:
                        there = both(fault, where)
                        assert there is not None
                        total = with_fault(total, status, there)
        return tuple((s, f if isinstance(f, Name) else self.code.let("fault", f)) for s, f in total)


def _placed(term: Term, loc: Loc) -> Term:
    """The same, which comes from `loc`."""
    value = term.value
    if isinstance(value, Apply) and value.loc is None:
        value = Apply(value.op, value.operands, value.type, value.lanes, value.relaxed, loc)
    return Term(value, term.faults)


def _product_or_absent(term: Value) -> tuple[Value, Value] | None:
    """Of a product that is absent under a condition: the condition under which it is not, and the product. Where it is
    absent the term is -0.0, which changes no sum."""
    match term:
        case Apply("select", (known, Apply("mul") as product, Literal() | Splat() as absent)):
            zero = absent.value if isinstance(absent, Splat) else absent
            return (known, product) if isinstance(zero, Literal) and str(zero.value) == "-0.0" else None
    return None


def _accumulated(sum: Value, term: Value, type: ScalarType, lanes: int) -> Value:
    """A sum and its next term, rounded once where that is a product."""
    if isinstance(term, Apply) and term.op == "mul":
        return Apply("add_product", (sum, *term.operands), type, lanes, True)
    return Apply("add", (sum, term), type, lanes, True)


def with_fault(faults: Faults, status: int, where: Value) -> Faults:
    """`faults`, and `status` at `where`."""
    known = dict(faults)
    if known.get(status) != where:
        known[status] = either(known[status], where) if status in known else where
    return tuple(known.items())
