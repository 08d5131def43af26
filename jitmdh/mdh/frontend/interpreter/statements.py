"""Executing statements symbolically."""

from __future__ import annotations

import ast
from dataclasses import replace

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.expr import Check
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays.gathers import assigned, gathered, has_arrays
from jitmdh.mdh.frontend.arrays.outputs import fits, mask_of, select_where, store_where
from jitmdh.mdh.frontend.arrays.selection import mask_along
from jitmdh.mdh.frontend.interpreter import imports, raising
from jitmdh.mdh.frontend.interpreter.evaluation_order import after, has_writes, in_order
from jitmdh.mdh.frontend.interpreter.expressions import (
    array_target,
    condition_of,
    evaluate,
    operation,
    record_target,
    used,
)
from jitmdh.mdh.frontend.interpreter.plain_subscripts import plain_subscript
from jitmdh.mdh.frontend.procedures.loops import RETURNED, VALUE, is_left, returns
from jitmdh.mdh.frontend.procedures.run import run_loop
from jitmdh.mdh.frontend.python.array_expressions import is_array, lazy, once, same_mask, store
from jitmdh.mdh.frontend.python.bindings import bound, one_array, owned
from jitmdh.mdh.frontend.python.inlining import define, flattened
from jitmdh.mdh.frontend.python.records import fields
from jitmdh.mdh.frontend.python.subscripts import has_no_axes, is_element, read_element, write_elements
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Lazy,
    Masked,
    Poison,
    RecordRef,
    Sided,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.python.values import as_scalar, merged
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard, implied_guard

_REFUSED = {
    ast.Try: ("try", "check for the condition before"),
    ast.With: ("with", "do it outside the function"),
    ast.ClassDef: ("a class", "define it outside"),
    ast.Global: ("global", "return the value instead"),
    ast.Nonlocal: ("nonlocal", "return the value instead"),
    ast.AsyncFor: ("async", "write plain Python"),
    ast.AsyncWith: ("async", "write plain Python"),
    ast.Match: ("match", "write if and elif"),
}


_LEAVING = (ast.Return, ast.Continue, ast.Break)


def run(t: Tracer, body: list[ast.stmt]) -> SymbolicValue | None:
    """Execute statements; the value of `return` if it was reached."""
    for n, statement in enumerate(body):
        t.frame.node = statement
        match statement:
            case ast.Return(value) if t.frame.loops:
                t.env[RETURNED] = t.arithmetic.literal(True)
                t.env[VALUE] = Static(None) if value is None else _returned(t, value)
                if value is not None and not flattened(t.env[VALUE]):
                    hint = "return numbers, or return the array behind the loop"
                    t.error(value, "what is returned inside of a loop is no number", hint=hint)
                return None
            case ast.Return(value):
                return Static(None) if value is None else _returned(t, value)
            case ast.Continue():
                return None
            case ast.Break():
                t.env[t.frame.loops[-1]] = t.arithmetic.literal(True)
                return None
            case ast.While(ast.Constant(value), inside) if value and returns(inside) and not _may_end(t, inside):
                _execute(t, statement)
                return t.env[VALUE]
            case ast.For(body=inside) | ast.While(body=inside) if returns(inside):
                _execute(t, statement)
                return _branches(t, *_unless_returned(t, statement, body[n + 1 :]))
            case ast.If(test, then, orelse) if _leaves(then) or _leaves(orelse):
                rest = body[n + 1 :]
                return _branches(t, test, _followed(then, rest), _followed(orelse, rest))
            case ast.If(test, then, []) if raising.always(then):
                if _raise_where(t, test, then) is not None:
                    return raising.NEVER
            case ast.If(test, then, orelse):
                if _branches(t, test, then, orelse) is not None:
                    return raising.NEVER
            case ast.Raise():
                return raising.raised(t, statement)
            case ast.Assert():
                if raising.asserted(t, statement) is not None:
                    return raising.NEVER
            case _:
                _execute(t, statement)
    return None


def _raise_where(t: Tracer, test: ast.expr, body: list[ast.stmt]) -> SymbolicValue | None:
    """`if test: …; raise …`; `NEVER` if that always holds."""
    condition = condition_of(t, test)
    if isinstance(condition, Constant):
        return run(t, body) if condition.value else None
    before = dict(t.env)
    for part in raising.alternatives(t, condition):
        with t.where(affine_guard(part), part):
            run(t, body)
        t.env.clear()
        t.env.update(before)
    return None


def _may_end(t: Tracer, endless: list[ast.stmt]) -> bool:
    """Whether a `while True` may end without a return of the function: by a break, or as part of another loop."""
    return is_left(endless) or bool(t.frame.loops)


def _returned(t: Tracer, node: ast.expr) -> SymbolicValue:
    value = evaluate(t, node)
    return (
        read_element(t, node, value) if isinstance(value, ArrayRef) and is_element(t, value) and value.prefix else value
    )


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether statements may end in return or continue (of the loop around)."""
    return any(
        isinstance(s, _LEAVING) or (isinstance(s, ast.If) and (_leaves(s.body) or _leaves(s.orelse))) for s in body
    )


def _followed(body: list[ast.stmt], rest: list[ast.stmt]) -> list[ast.stmt]:
    return body if body and isinstance(body[-1], _LEAVING) else [*body, *rest]


def _unless_returned(
    t: Tracer, loop: ast.stmt, rest: list[ast.stmt]
) -> tuple[ast.expr, list[ast.stmt], list[ast.stmt]]:  # fmt: skip
    """A condition and two branches: what is behind a loop that may return is executed where it did not."""

    def name(text: str) -> ast.expr:
        return ast.copy_location(ast.Name(text, ast.Load()), loop)

    value = name(VALUE) if VALUE in t.env else None
    leave: ast.stmt = ast.Continue() if t.frame.loops else ast.Return(value)
    return name(RETURNED), [ast.copy_location(leave, loop)], rest


def _execute(t: Tracer, statement: ast.stmt) -> None:
    """Errors that name no part of the statement, such as of the types that a loop comes to, name all of it."""
    try:
        _carried_out(t, statement)
    except ArgumentTypeError as error:
        if error.loc is not None:
            raise
        t.error(statement, error.message, error.reason, error.hint)


def _carried_out(t: Tracer, statement: ast.stmt) -> None:
    match statement:
        case ast.Assign(targets, value):
            names = t.names
            t.names = targets[0].id if isinstance(targets[0], ast.Name) else ""
            new = _value(t, value)
            t.names = names
            if len(targets) > 1:  # one array, however many names it has
                new = owned(t, statement, new)
            for target in targets:
                assign(t, target, new)
        case ast.AnnAssign(target, _, value) if value is not None:
            assign(t, target, _value(t, value))
        case ast.AugAssign():
            _augmented(t, statement)
        case ast.For() | ast.While():
            run_loop(t, statement)
        case ast.FunctionDef(name, decorator_list=[]):
            t.env[name] = define(t, statement)
        case ast.FunctionDef():
            t.error(statement, "a decorated function inside the function is not supported", hint="define it outside")
        case ast.Import() | ast.ImportFrom():
            imports.run(t, statement)
        case ast.Pass():
            pass
        case ast.Delete(targets):
            for target in targets:
                _delete(t, target)
        case ast.Expr(ast.Constant()):
            pass
        case ast.Expr(ast.Call() as node):
            evaluate(t, node)
        case ast.Expr(value):
            evaluate(t, value)
        case _:
            what, hint = _REFUSED.get(type(statement), (f"`{ast.unparse(statement).splitlines()[0]}`", ""))
            t.error(statement, f"{what} is not supported in a compiled function", hint=hint)


def _delete(t: Tracer, target: ast.expr) -> None:
    """`del name`."""
    if not isinstance(target, ast.Name):
        t.error(target, f"`del {ast.unparse(target)}` is not supported", hint="del takes names here")
    evaluate(t, target)
    t.env[target.id] = Poison(f"`{target.id}` has been deleted in line {target.lineno}")


def _value(t: Tracer, node: ast.expr) -> SymbolicValue:
    value = evaluate(t, node)
    return (
        read_element(t, node, value) if isinstance(value, ArrayRef) and value.prefix and is_element(t, value) else value
    )


def assign(t: Tracer, target: ast.expr, value: SymbolicValue) -> None:
    """`target = value`."""
    if isinstance(target, ast.Subscript):
        place = target
        (value,), target = after(t, (place,), [value], place, lambda: _turned(t, plain_subscript(t, place)))
    match target:
        case ast.Name(name):
            t.env[name] = bound(t, target, value)
        case ast.Subscript() if (mask := mask_of(t, target)) is not None:
            store_where(t, target, t.evaluate(target.value), mask, value)
        case ast.Subscript() if (records := record_target(t, target)) is not None:
            _assign_record(t, target, records, value)
        case ast.Subscript() if has_arrays(t, target.slice):
            assigned(t, target, t.evaluate(target.value), value)
        case ast.Subscript():
            array = array_target(t, target)
            if isinstance(array, Lazy):
                store(t, target, array, value)
            elif is_array(t, value):
                t.error(target, f"an array is assigned to one element, `{ast.unparse(target)}`", hint="assign a number")
            else:
                write_elements(t, target, [(target, array, as_scalar(t, target, value))])
        case ast.Tuple(elements) | ast.List(elements):
            if is_array(t, value):
                value = _unpacked(t, target, value, len(elements))
            if not isinstance(value, tuple) or (isinstance(value, Structure) and not value.is_tuple):
                t.error(target, "cannot unpack something that is no tuple")
            if len(elements) != len(value):
                t.error(target, f"cannot unpack {len(value)} value{'s' * (len(value) != 1)} into {len(elements)} names")
            subscripts = [e for e in elements if isinstance(e, ast.Subscript)]
            parts: list[SymbolicValue] = list(value)
            if len(subscripts) == len(elements) and not any(is_array(t, v) for v in value):
                values = [as_scalar(t, e, v) for e, v in zip(subscripts, value)]
                if t.recorder is None and not any(isinstance(n, ast.Call) for e in subscripts for n in ast.walk(e)):
                    targets = [(e, array_target(t, e), v) for e, v in zip(subscripts, values)]
                    places = [(e, a, v) for e, a, v in targets if isinstance(a, ArrayRef)]
                    if len({a.buffer for _, a, _ in places}) == len(targets):
                        write_elements(t, target, list(places))
                        return
                parts = list(values)  # each place is looked for when those before it have been written
            if len(subscripts) > 1:  # all are computed before anything is written; views stay views
                parts = [once(t, target, p) if isinstance(p, Lazy) and p.view is None else p for p in parts]
            for element, part in zip(elements, parts):
                assign(t, element, part)
        case ast.Attribute(owner, name):
            hint = "return the value, and assign it outside"
            t.error(target, f"attribute `{name}` of `{ast.unparse(owner)}` is written", hint=hint)
        case _:
            t.error(target, "assignment to this is not supported", hint="assign to a name or an array element")


def _turned(t: Tracer, target: ast.Subscript) -> ast.Subscript:
    """`x[:, mask]` as rows that a mask chooses; any other subscript as it is."""
    found = mask_along(t, target) if isinstance(target.slice, ast.Tuple) else None
    return target if found is None else found[0]


def _unpacked(t: Tracer, node: ast.expr, value: SymbolicValue, count: int) -> tuple[SymbolicValue, ...]:
    """The elements, or rows, of an array for as many names."""
    extent = lazy(t, node, value).shape[0] - count
    message = f"an array of other than {count} elements is unpacked into {count} names"
    t.trace.checks += [Check(d, "fallback", message, (), t.loc(node)) for d in (extent, extent * -1)]
    before, hidden = t.env.get("%unpacked"), ast.copy_location(ast.Name("%unpacked", ast.Load()), node)
    t.env["%unpacked"] = value
    places = [ast.copy_location(ast.Constant(n), node) for n in range(count)]
    parts = [evaluate(t, ast.copy_location(ast.Subscript(hidden, n, ast.Load()), node)) for n in places]
    if before is None:
        del t.env["%unpacked"]
    else:
        t.env["%unpacked"] = before
    return tuple(parts)


def _assign_record(t: Tracer, target: ast.Subscript, records: RecordRef, value: SymbolicValue) -> None:
    """`records[i] = (a, b)`, or another record with as many fields: field by field, all at once."""
    if isinstance(value, RecordRef):
        value = tuple(value.field(name) for name in value.fields)
    if not isinstance(value, tuple) or len(value) != len(records.fields):
        count = len(records.fields)
        hint = f"assign a tuple of {count} numbers, or a record"
        t.error(target, f"a record of {count} fields is assigned something else", hint=hint)
    numbers = [as_scalar(t, target, v) for v in value]
    places = [records.field(name) for name in records.fields]
    if not all(is_element(t, p) for p in places):
        t.error(target, "several records are assigned to", hint="write a loop over them")
    write_elements(t, target, [(target, p, n) for p, n in zip(places, numbers)])


def _augmented(t: Tracer, node: ast.AugAssign) -> None:
    firm = has_writes(t, node.value)  # what is read of the target is read before
    if isinstance(node.target, ast.Subscript):
        target = _turned(t, plain_subscript(t, node.target, firm))
        node = ast.copy_location(ast.AugAssign(target, node.op, node.value), node)
    match node.target:
        case ast.Name(name) as variable:
            old, value = in_order(t, node.target, node.value)
            new = operation(t, node, node.op, old, value)
            if is_array(t, old) or has_no_axes(t, old):
                _updated(t, node, lazy(t, node, old), new)
            else:
                t.env[name] = bound(t, variable, new)  # a number that an array is added to is a new array
        case ast.Subscript(owner, index) if has_arrays(t, index):
            old = gathered(t, node.target, evaluate(t, owner))
            old = once(t, node, old) if firm else old
            new = operation(t, node, node.op, old, evaluate(t, node.value))
            fits(t, node, old, lazy(t, node, new))
            assigned(t, node.target, evaluate(t, owner), new)
        case ast.Subscript() if (mask := mask_of(t, node.target)) is not None:
            chosen = t.evaluate(node.target.value)
            before = once(t, node, lazy(t, node.target, chosen)) if firm else chosen
            value = evaluate(t, node.value)
            if isinstance(value, Masked) and same_mask(t, value.mask, lazy(t, node, mask)):
                value = value.values
            else:
                value = _number(t, node, value)
            new = operation(t, node, node.op, before, value)
            fits(t, node, lazy(t, node.target, chosen), lazy(t, node, new))
            select_where(t, node.target, chosen, mask, new)
        case ast.Subscript():
            array = array_target(t, node.target)
            element = read_element(t, node.target, array) if firm and isinstance(array, ArrayRef) else None
            if isinstance(array, Lazy):  # an element of a view is a number, read before; a view is a view
                before = array.at(()) if firm and not array.shape else array
                _updated(t, node, array, operation(t, node, node.op, before, evaluate(t, node.value)))
                return
            value = evaluate(t, node.value)
            element = read_element(t, node.target, array) if element is None else element
            new = operation(t, node, node.op, element, value)
            write_elements(t, node.target, [(node.target, array, as_scalar(t, node, new))])
        case ast.Attribute(owner, name):
            old = evaluate(t, node.target)
            if not is_array(t, old):
                hint = "return the value, and assign it outside"
                t.error(node.target, f"attribute `{name}` of `{ast.unparse(owner)}` is written", hint=hint)
            _updated(t, node, lazy(t, node, old), operation(t, node, node.op, old, evaluate(t, node.value)))
        case _:
            t.error(node.target, "assignment to this is not supported", hint="assign to a name or an array element")


def _number(t: Tracer, node: ast.AugAssign, value: SymbolicValue) -> SymbolicValue:
    """What the elements that a mask chooses are updated with: one number for all."""
    if is_array(t, value):
        hint = "compute all elements and choose by np.where"
        t.error(node.value, "an array updates the elements that a mask chooses", "how many there are is data", hint)
    return value


def _updated(t: Tracer, node: ast.AugAssign, target: Lazy, value: SymbolicValue) -> None:
    """`target[...] = value`, where NumPy allows the conversion."""
    if target.view is None:
        t.error(node, "an expression is updated in place", hint="assign it to a name first, or write y = y + …")
    source = lazy(t, node, value)
    fits(t, node, target, source)
    if (axes := len(source.shape)) > len(target.shape):  # an assignment leaves axes of length 1 out; `+=` does not
        t.error(node, f"an array with {len(target.shape)} axes cannot take in one with {axes}")
    store(t, node.target, target, value)


def _read_records(t: Tracer, test: ast.expr, before: dict[str, SymbolicValue]) -> None:
    """Records that a side of an `if` has given names become their fields, which can be chosen from."""
    for name, value in t.env.items():
        if isinstance(value, RecordRef) and before.get(name) != value:
            t.env[name] = fields(t, test, value)


def _of_one_element(then: list[ast.stmt], orelse: list[ast.stmt]) -> tuple[ast.Assign, ast.Assign] | None:
    """The assignments that the sides of an `if` are, where both are to the same element, as it is written."""
    match then, orelse:
        case [ast.Assign([ast.Subscript() as one]) as first], [ast.Assign([ast.Subscript() as other]) as second]:
            return (first, second) if ast.dump(one) == ast.dump(other) else None
    return None


def _assign_either(t: Tracer, condition: Scalar, first: ast.Assign, second: ast.Assign) -> None:
    """if c: a[i] = x          a[i] = x if c else y       where both are numbers of one type: one statement of a nest
    else: a[i] = y     ->

    Each number is computed where its side is taken, before anything is written: the sides exclude each other.
    """
    opposite = t.arithmetic.negated(condition)
    sides = (condition, first), (opposite, second)
    values = []
    for holds, side in sides:
        with t.where(affine_guard(holds), holds):
            values.append(used(t, side.value))
    if all(map(is_scalar, values)):
        one, other = (as_scalar(t, side, value) for (_, side), value in zip(sides, values))
        if one.type == other.type:
            _assign_value(t, first, t.arithmetic.select(condition, one, other))
            return
    for (holds, side), value in zip(sides, values):
        with t.where(affine_guard(holds), holds):
            _assign_value(t, side, value)


def _assign_value(t: Tracer, statement: ast.Assign, value: SymbolicValue) -> None:
    """An assignment whose value has been computed."""
    t.env["%side"] = value
    name = ast.copy_location(ast.Name("%side", ast.Load()), statement.value)
    _execute(t, ast.copy_location(ast.Assign(statement.targets, name), statement))
    t.env.pop("%side", None)


def _merged(t: Tracer, test: ast.expr, condition: Scalar, a: SymbolicValue, b: SymbolicValue) -> SymbolicValue:
    """What is `a` behind one side of an `if` and `b` behind the other."""
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return tuple(_merged(t, test, condition, x, y) for x, y in zip(a, b))
    both = one_array(t, test, condition, a, b)
    return merged(t, test, condition, a, b) if both is None else both


def _sided(t: Tracer, condition: Scalar, value: SymbolicValue | None) -> Sided | None:
    """`value`, for later statements under the same condition."""
    guard = affine_guard(condition)
    if guard is None or value is None or isinstance(value, Poison) or t.recorder is not None:
        return None
    return Sided(guard, t.trace.block.number, value)


def _either(t: Tracer, condition: Scalar, opposite: Scalar, a: SymbolicValue, b: SymbolicValue) -> SymbolicValue:
    """Behind an `if`, a name that had no usable value on one side of it; what an `if` before gave it is over."""
    if a is b or a == b:
        return a
    unusable, sided = (a, _sided(t, opposite, b)) if isinstance(a, Poison) else (b, _sided(t, condition, a))
    assert isinstance(unusable, Poison)
    if unusable.sided is not None and (b if unusable is a else a) is unusable.sided.value:
        return unusable  # read, and not set again
    return replace(unusable, sided=sided)


def _take_sides(t: Tracer, condition: Scalar) -> None:
    """Names have the values again that an earlier `if` under the same condition has given them."""
    if t.recorder is not None or not any(isinstance(v, Poison) and v.sided is not None for v in t.env.values()):
        return
    blocks = {block.number for block in t.trace.block.chain}
    holds = {*t.trace.guards, *implied_guard(condition)}
    for name, value in t.env.items():
        sided = value.sided if isinstance(value, Poison) else None
        if sided is not None and sided.block in blocks and holds.issuperset(sided.guard):
            t.env[name] = sided.value


def _branches(t: Tracer, test: ast.expr, then: list[ast.stmt], orelse: list[ast.stmt]) -> SymbolicValue | None:
    condition = condition_of(t, test)
    if isinstance(condition, Constant):
        return run(t, then if condition.value else orelse)
    if affine_guard(condition) is None and (sides := _of_one_element(then, orelse)) is not None:
        _assign_either(t, condition, *sides)
        return None
    before = dict(t.env)
    with t.where(affine_guard(condition), condition):
        _take_sides(t, condition)
        first = run(t, then)
        _read_records(t, test, before)
    after_then = dict(t.env)
    t.env.clear()
    t.env.update(before)
    opposite = t.arithmetic.negated(condition)
    with t.where(affine_guard(opposite), opposite):
        _take_sides(t, opposite)
        second = run(t, orelse)
        _read_records(t, test, before)
    if first is raising.NEVER or second is raising.NEVER:
        if second is raising.NEVER and first is not raising.NEVER:
            t.env.clear()
            t.env.update(after_then)
        return second if first is raising.NEVER else first
    for name in {**after_then, **t.env}:
        a, b = after_then.get(name), t.env.get(name)
        if name == VALUE and (a is None or b is None):
            value = b if a is None else a  # looked at where the loop has returned only
            assert value is not None
            t.env[name] = value
        elif a is None or b is None:
            text = f"`{name}` has a value only on one side of the `if` in line {test.lineno}"
            sided = _sided(t, opposite, b) if a is None else _sided(t, condition, a)
            t.env[name] = Poison(text, f"give `{name}` a value before the if", sided=sided)
        elif isinstance(a, Poison) or isinstance(b, Poison):
            t.env[name] = _either(t, condition, opposite, a, b)
        else:
            t.env[name] = _merged(t, test, condition, a, b)
    if (first is None) != (second is None) and isinstance(test, ast.Name) and test.id == RETURNED:
        t.error(test, "only this loop returns a value", hint="return something behind it, too")
    if (first is None) != (second is None):
        t.error(test, "only one side of this `if` returns a value", hint="return something in both cases")
    if first is None or second is None:
        return None
    result = _merged(t, test, condition, first, second)
    if isinstance(result, Poison) and isinstance(test, ast.Name) and test.id == RETURNED:
        t.error(test, "this loop returns a value of another kind than what is behind it")
    if isinstance(result, Poison):
        t.error(test, "the two sides of this `if` return values of different kinds")
    return result
