"""A computation as the text that makes it, in the words of `jitmdh.dsl`.

>>> index_function(("i", "k"), (Affine.of("i") + 1, Affine.of("k")))
'lambda i, k: (i + 1, k)'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.algebra.combine import (
    CombineOperator,
    Concatenation,
    Operator,
    PrefixSum,
    Scatter,
    elementwise,
    product,
)
from jitmdh.mdh.algebra.expr import Access, Buffer, Expression, Indirect
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.result_types import neutral_element
from jitmdh.mdh.algebra.operations.table import ASSOCIATIVE, OPERATIONS
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.frontend.explicit.data_subscripts import index_text
from jitmdh.mdh.frontend.explicit.expressions import Key

_TYPE_NAMES = {"float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16", "bool": "bool_"}
Names = Callable[[str], str]


def source_of(expression: Expression, outputs: int) -> str:
    """An expression of the explicit representation, the first `outputs` of whose buffers are written."""
    dims = tuple(d.name for d in expression.md_hom.dims)
    written, read = _keys(expression.out_view), _keys(expression.inp_view)
    function = _function(expression.md_hom.function, {"inp": read}, written, "out, inp", "out")
    combine = ", ".join(_combine(c, expression, written) for c in expression.md_hom.combine)
    sizes = ", ".join(str(d.extent) for d in expression.md_hom.dims)
    buffers = expression.buffers
    return (
        f"mdh(out({_declared(buffers[:outputs])}), inp({_declared(buffers[outputs:])}), name={expression.name!r})"
        f"(lambda: (out_view({_view(dims, expression.out_view, expression.indirect)}), "
        f"md_hom[{sizes}]({function}, ({combine},)), "
        f"inp_view({_view(dims, expression.inp_view, expression.indirect)})))"
    )


def type_name(type: ScalarType) -> str:
    return _TYPE_NAMES.get(str(type), str(type))


def _declared(buffers: Sequence[Buffer]) -> str:
    return ", ".join(f"{b.name}=Buffer[{type_name(b.type)}, [{', '.join(map(str, b.shape))}]]" for b in buffers)


def _view(dims: Sequence[str], accesses: Sequence[Access], indirect: Sequence[Indirect]) -> str:
    names = dict.fromkeys(a.buffer for a in accesses)
    lists = {n: [index_function(dims, a.index, indirect) for a in accesses if a.buffer == n] for n in names}
    return ", ".join(f"{name}=[{', '.join(functions)}]" for name, functions in lists.items())


def index_function(dims: Sequence[str], index: Sequence[Affine], indirect: Sequence[Indirect] = ()) -> str:
    inside = ", ".join(index_text(i, indirect) for i in index) + "," * (len(index) == 1)
    return f"lambda {', '.join(dims)}: ({inside})"


def _keys(accesses: Sequence[Access]) -> list[Key]:
    """Each access by its buffer and its number among those of the buffer."""
    seen: dict[str, int] = {}
    keys = []
    for access in accesses:
        keys.append((access.buffer, seen.get(access.buffer, 0)))
        seen[access.buffer] = keys[-1][1] + 1
    return keys


def _key(key: Key, keys: Sequence[Key]) -> str:
    several = sum(k[0] == key[0] for k in keys) > 1
    return repr(key) if several else repr(key[0])


# ------------------------------------------------------------------------------------------------ scalar functions


def _function(
    function: ScalarFunction, inputs: dict[str, Sequence[Key]], results: Sequence[Key], parameters: str, target: str
) -> str:
    """`lambda out, inp: out.update({'w': inp['M'] * inp['v']})`; what is used twice is named by `:=` before."""
    places = [
        f"{name}[{_key(k, keys)[1:-1] if _key(k, keys).startswith('(') else _key(k, keys)}]"
        for name, keys in inputs.items()
        for k in keys
    ]
    texts = {p.name: place for p, place in zip(function.parameters, places, strict=True)}
    texts |= {v.name: v.name for v, _ in function.bindings}
    assignments = [f"({v.name} := {_scalar(e, texts)})" for v, e in function.bindings]
    made = ", ".join(f"{_key(k, results)}: {_result(r, texts)}" for k, r in zip(results, function.results))
    body = f"{target}.update({{{made}}})"
    return f"lambda {parameters}: " + (f"[{', '.join([*assignments, body])}]" if assignments else body)


def _result(node: Scalar, texts: dict[str, str]) -> str:
    return _literal(node) if isinstance(node, Constant) else _scalar(node, texts)


def _literal(node: Constant) -> str:
    text = repr(node.value)
    return text if text.lstrip("-")[0].isdigit() or isinstance(node.value, bool) else f"float({text!r})"


def _scalar(node: Scalar, texts: dict[str, str]) -> str:
    match node:
        case Variable(name):
            return texts[name]
        case Constant(_, type):
            return f"constant({_literal(node)}, {type_name(type)})"
        case Operation("select", (condition, then, otherwise)):
            return f"where({', '.join([_scalar(condition, texts), *_together([then, otherwise], texts)])})"
        case Operation("cast", (operand,), type):
            return f"{_scalar(operand, texts)}.astype({type_name(type)})"
        case Operation(op, (left, right), _) if (symbol := OPERATIONS[op].symbol) is not None:
            a, b = _together([left, right], texts)
            return f"({a} {symbol[0]} {b})"
        case Operation(op, operands):
            return f"operation({', '.join([repr(op), *(_scalar(o, texts) for o in operands)])})"
    raise AssertionError(f"no explicit representation has {node!r}")


def _together(operands: Sequence[Scalar], texts: dict[str, str]) -> list[str]:
    """Operands of one type; a literal beside another adapts to it."""
    literals = not all(isinstance(o, Constant) for o in operands)
    return [_literal(o) if literals and isinstance(o, Constant) else _scalar(o, texts) for o in operands]


# ------------------------------------------------------------------------------------------------------ operators


def _combine(combine: CombineOperator, expression: Expression, keys: Sequence[Key]) -> str:
    if isinstance(combine, Concatenation):
        return "CC"
    arguments = _operator(combine.operator, keys)
    if isinstance(combine, PrefixSum):
        arguments += ", exclusive=True" * combine.exclusive + ", reverse=True" * combine.reverse
        return f"PS({arguments})"
    if isinstance(combine, Scatter):
        return f"SC({arguments})"
    return f"PW({arguments})"


def _operator(operator: Operator, keys: Sequence[Key]) -> str:
    """The arguments of `PW` and `PS` that make the operator."""
    function = _function(operator.function, {"lhs": keys, "rhs": keys}, keys, "res, lhs, rhs", "res")
    standard = _standard(operator)
    if standard is not None:
        return repr(operator.name) if operator.is_elementary else function
    identity = "" if operator.identity is None else f", identity=({', '.join(map(_literal, operator.identity))},)"
    commutative = ", commutative=True" if operator.commutative else ""
    return f"{function}{identity}{commutative}, name={operator.name!r}"


def _standard(operator: Operator) -> Operator | None:
    """The operator, if it is made of known operations alone, one for each component; its identity may be left out."""
    n = operator.arity
    left, right = operator.function.parameters[:n], operator.function.parameters[n:]
    parts = []
    for result, a, b in zip(operator.function.results, left, right):
        if not isinstance(result, Operation) or result.op not in ASSOCIATIVE:
            return None
        if result.operands != (a, b):
            return None
        identity = neutral_element(result.op, result.type)
        parts.append(elementwise(result.op, result.type, identity))
    known = product(tuple(parts))
    return known if operator in (known, replace(known, identity=None)) else None
