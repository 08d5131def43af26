"""Kernel IR as readable C-like text; the base of the C dialects."""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.arithmetic import KERNEL_OPERATIONS
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Arrived,
    Assign,
    Assume,
    Atomic,
    Barrier,
    CombineEnds,
    CombiningBuffer,
    Commit,
    CopyAhead,
    Declare,
    Exchange,
    Fail,
    Failed,
    Fence,
    Flush,
    For,
    Grid,
    If,
    InOrder,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    MaskedStores,
    Merge,
    Misalignment,
    Name,
    Parallel,
    Permute,
    Poll,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Thread,
    Threads,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.kernel.rewrite import bodies


def c_type(type: ScalarType, lanes: int = 1) -> str:
    """
    >>> from jitmdh.base.dtype import float32, int64
    >>> c_type(float32, 16), c_type(int64)
    ('float16', 'long')
    """
    names = {"float32": "float", "float64": "double", "float16": "half", "int64": "long", "int32": "int",
             "int16": "short", "int8": "char", "uint64": "ulong", "uint32": "uint", "uint16": "ushort",
             "uint8": "uchar", "bool": "bool", "int128": "__int128"}  # fmt: skip
    name = names.get(type.name, type.name)
    return name if lanes == 1 else f"{name}{lanes}"


def show_kernel(kernel: Kernel) -> str:
    """A kernel as C-like code; vectors are written `float16`, vector loads `load16(&x[i])`, masks `? m`."""
    head = [f"long {kernel.name}(long *frame)", "{"]
    for b in kernel.buffers:
        qualifier = "" if b.written else "const "
        if b.inline:
            place = f"&frame[{b.slot}]"
        else:
            place = f"frame[{b.slot}]"
        offset = f" + {b.offset}" if b.offset else ""
        restrict = "" if b.inline or b.of else "restrict "
        head.append(f"    {qualifier}{c_type(b.type)} *{restrict}{b.name} = {place}{offset};")
    return "\n".join([*head, *_block(kernel.body, 1), "}"]) + "\n"


def show_statement(node: Statement) -> str:
    """A statement in one line: of what has a body, the head."""
    text = _statement(node)[0]
    return f"{text} …" if bodies(node) else text


def _block(body: tuple[Statement, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for statement in body:
        lines += ["    " * depth + line if line else "" for line in _statement(statement)]
    return lines


def _nested(head: str, body: tuple[Statement, ...]) -> list[str]:
    return [f"{head} {{", *_block(body, 1), "}"]


def _statement(node: Statement) -> list[str]:
    match node:
        case Let():
            return [f"const {c_type(node.name.type, node.name.lanes)} {node.name.name} = {_top(node.value)};"]
        case Declare():
            return [f"{c_type(node.name.type, node.name.lanes)} {node.name.name} = {_top(node.value)};"]
        case Assign():
            return [f"{node.name.name} = {_top(node.value)};"]
        case Store():
            return [_store(node)]
        case MaskedStores():
            return _nested("together", node.stores)
        case For():
            return _for(node)
        case While():
            condition = f"any({_top(node.condition)})" if node.condition.lanes > 1 else _top(node.condition)
            lines = _nested(f"while ({condition})", node.body)
            return [f"{lines[0]}  // {node.comment}", *lines[1:]] if node.comment else lines
        case Parallel():
            lines = _nested(f"parallel for (long {node.name.name} = 0; {node.name.name} < {_top(node.count)}; "
                            f"{node.name.name}++)", node.body)  # fmt: skip
            return [f"{lines[0]}  // {node.comment}", *lines[1:]]
        case Grid():
            head = f"grid for (long {node.name.name} = 0; {node.name.name} < {_top(node.count)}; {node.name.name}++)"
            lines = _nested(head, node.body)
            return [f"{lines[0]}  // {', '.join(filter(None, (f'{node.threads} threads', node.comment)))}", *lines[1:]]
        case Barrier() | Atomic() | CopyAhead() | Commit() | Arrived():
            return [_of_threads(node)]
        case If():
            return _branch(node)
        case Scratch():
            head = f"{c_type(node.type)} *{node.buffer} = scratch({_top(node.count)});  // {node.region}"
            return [head, "{", *_block(node.body, 1), "}"]
        case View():
            address = f"&{node.of}[{_top(node.offset)}]"
            return [f"auto *{node.buffer} = {f'opaque({address})' if node.opaque else address};"]
        case Fail():
            comment = f"  // {node.comment}" if node.comment else ""
            done = f"leave({node.code})" if node.leaves else f"status = {node.code}"
            return [f"if (any({_top(node.condition)})) {done};{comment}"]
        case SetArgument():
            return [f"frame[{node.slot}] = {_top(node.value)};"]
        case Return():
            return [f"return {'status' if node.value == Literal(0) else _top(node.value)};"]
        case Fence():
            return ["store_fence();"]
        case StoreRun() | CombiningBuffer() | CombineEnds() | Flush():
            return [_of_lines(node)]
        case Assume():
            return [f"assume({_top(node.condition)});"]
        case InOrder():
            return ["loads_in_order();"]
        case Poll():
            return [f"poll({_top(node.amount)});"]
        case Prefetch():
            return [f"prefetch{'_to_write' if node.write else ''}(&{node.buffer}[{_top(node.offset)}]);"]
        case PrefetchInputs() | PrefetchResults():
            return [_prefetched_tile(node)]


def _for(node: For) -> list[str]:
    i = node.name.name
    head = f"for (long {i} = {_top(node.begin)}; {i} < {_top(node.end)}; {i} += {_top(node.step)})"
    lines = _nested(head, node.body)
    remark = ", ".join(
        filter(
            None,
            (node.comment, "opaque" * node.opaque, "branchless" * node.branchless, "independent" * node.independent),
        )
    )
    return [f"{lines[0]}  // {remark}", *lines[1:]] if remark else lines


def _prefetched_tile(node: PrefetchInputs | PrefetchResults) -> str:
    """Indices as in Python; a stride for each of them."""
    strides = ", ".join(map(_top, node.strides))
    places = node.rows if isinstance(node, PrefetchInputs) else node.places
    what = f"&{node.buffer}[{_top(node.offset)}], ({strides}), {', '.join(map(str, places))}"
    if isinstance(node, PrefetchInputs):
        moves = "".join(f", next {move}" for move in node.moves)
        way = "along" if node.along else "across"
        return f"prefetch_inputs({what}; {node.width} {way} axis {node.axis}{moves});"
    further = f", tiles of {node.move}" if any(node.move) else ""
    reading = "" if node.write else ", to read"
    return f"prefetch_results({what}; {node.lanes} lanes {_top(node.lane_stride)} apart{further}{reading});"


def _of_lines(node: StoreRun | CombiningBuffer | CombineEnds | Flush) -> str:
    match node:
        case StoreRun():
            lanes = node.values[0].lanes if node.values else 0  # none: the verifier is about to say so
            name = f"{'stream' if node.streaming else 'store'}_run{lanes}"
            values = ", ".join(_top(v) for v in node.values)
            waiting = f"; {node.combining}" if node.combining else ""
            return f"{name}(&{node.buffer}[{_top(node.offset)}], {values}{waiting});"
        case CombiningBuffer():
            return f"write_combining_buffer {node.name};"
        case CombineEnds():
            place, ends = f"&{node.buffer}[{_top(node.offset)}]", f"{_top(node.head)}, {_top(node.tail)}"
            return f"combine_ends({node.into}, {place}, {ends}; {node.lines});"
        case Flush():
            return f"flush({node.name});"


def _of_threads(node: Barrier | Atomic | CopyAhead | Commit | Arrived) -> str:
    match node:
        case Barrier():
            return f"barrier({node.width or ''});"
        case Atomic():
            guard = f"if ({_top(node.mask)}) " if node.mask is not None else ""
            old = "" if node.before is None else f"const {c_type(node.before.type)} {node.before.name} = "
            return f"{guard}{old}atomic_{node.op}(&{node.buffer}[{_top(node.offset)}], {_top(node.value)});"
        case CopyAhead():
            places = f"&{node.to}[{_top(node.at)}], &{node.buffer}[{_top(node.offset)}]"
            return f"copy_ahead({places}, {node.count});"
        case Commit():
            return "commit();"
        case Arrived():
            return f"arrived({node.pending});"


def _branch(node: If) -> list[str]:
    condition = f"any({_top(node.condition)})" if node.condition.lanes > 1 else _top(node.condition)
    if not node.then:
        return _nested(f"if (!({condition}))", node.otherwise)
    lines = _nested(f"if ({condition})", node.then)
    if node.otherwise:
        lines[-1] = "} else {"
        lines += [*_block(node.otherwise, 1), "}"]
    return lines


def _store(node: Store) -> str:
    lanes = node.value.lanes
    mask = f" ? {_top(node.mask)}" if node.mask is not None else ""
    if lanes == 1:
        guard = f"if ({_top(node.mask)}) " if node.mask is not None else ""
        return f"{guard}{node.buffer}[{_top(node.offset)}] = {_top(node.value)};"
    name = f"{'stream' if node.streaming else 'store'}{lanes}"
    if node.offset.lanes > 1:
        return f"scatter{lanes}({node.buffer}, {_top(node.offset)}, {_top(node.value)}{mask});"
    if node.stride != Literal(1):
        return f"scatter{lanes}(&{node.buffer}[{_top(node.offset)}], {_top(node.stride)}, {_top(node.value)}{mask});"
    return f"{name}(&{node.buffer}[{_top(node.offset)}], {_top(node.value)}{mask});"


def _top(node: Value) -> str:
    text = value_text(node)
    if isinstance(node, Apply) and _infix(node) and text.startswith("("):
        return text[1:-1]
    return text


def value_text(node: Value) -> str:
    match node:
        case Literal():
            return _literal(node)
        case Name():
            return node.name
        case Argument():
            return f"frame[{node.slot}]"
        case Splat():
            literal = isinstance(node.value, Literal)
            return value_text(node.value) if literal else f"splat{node.lanes}({_top(node.value)})"
        case Iota():
            return f"iota{node.lanes}"
        case Threads():
            return "threads()"
        case Failed():
            return "(status != 0)"
        case Thread():
            return "thread()"
        case Exchange():
            return f"exchange{node.width}({_top(node.value)}, {_top(node.source)})"
        case Vote():
            return f"any{node.width}({_top(node.condition)})"
        case Misalignment():
            return f"misalignment{node.count}(&{node.buffer}[{_top(node.offset)}])"
        case Shuffle():
            return f"{value_text(node.value)}[{_picks(node.picks)}]"
        case Merge():
            picks = " ".join(map(str, node.picks))
            return f"merge({_top(node.left)}, {_top(node.right)}; {picks})"
        case Permute():
            return f"permute({_top(node.left)}, {_top(node.right)}; {_top(node.picks)})"
        case Join():
            return f"interleave({', '.join(_top(v) for v in node.values)})"
        case Load():
            return _load(node)
        case Apply():
            return _apply(node)


def _picks(picks: tuple[int, ...]) -> str:
    """
    >>> _picks((3,)), _picks((0, 1, 2)), _picks((1, 3, 5)), _picks((0, 0, 1, 1))
    ('3', '0..2', '1..5:2', '0 0 1 1')
    """
    step = picks[1] - picks[0] if len(picks) > 1 else 0
    if step < 1 or picks != tuple(range(picks[0], picks[-1] + 1, step)):
        return " ".join(map(str, picks))
    return f"{picks[0]}..{picks[-1]}" + (f":{step}" if step > 1 else "")


def _load(node: Load) -> str:
    mask = f" ? {_top(node.mask)}" if node.mask is not None else ""
    if node.lanes == 1:
        place = f"{node.buffer}[{_top(node.offset)}]"
        return f"({_top(node.mask)} ? {place} : 0)" if node.mask is not None else place
    if node.offset.lanes > 1:
        return f"gather{node.lanes}({node.buffer}, {_top(node.offset)}{mask})"
    if node.stride != Literal(1):
        return f"gather{node.lanes}(&{node.buffer}[{_top(node.offset)}], {_top(node.stride)}{mask})"
    return f"load{node.lanes}(&{node.buffer}[{_top(node.offset)}]{mask})"


def _infix(node: Apply) -> str:
    """The operator of C that an operation is, if it is one of two operands."""
    row = KERNEL_OPERATIONS.get(node.op) or OPERATIONS.get(node.op)
    return "" if row is None or len(node.operands) != 2 or row.c.isalnum() else row.c


def _apply(node: Apply) -> str:
    operands = [value_text(o) for o in node.operands]
    symbol = _infix(node)
    if symbol:
        return f"({operands[0]} {symbol} {operands[1]})"
    if node.op in ("add_product", "sub_product"):
        return f"({operands[0]} {'+' if node.op == 'add_product' else '-'} {operands[1]} * {operands[2]})"
    if node.op == "neg":
        return f"-{operands[0]}"
    if node.op == "not":
        return f"!{operands[0]}"
    if node.op == "cast":
        return f"({c_type(node.type, node.lanes)}){operands[0]}"
    if node.op == "select":
        return f"({operands[0]} ? {operands[1]} : {operands[2]})"
    if node.op in ("minimum", "maximum") and node.lanes == 1 and node.type.is_integer:
        return f"{'min' if node.op == 'minimum' else 'max'}({', '.join(_strip(o) for o in operands)})"
    return f"{node.op}({', '.join(_strip(o) for o in operands)})"


def _strip(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text


def _literal(node: Literal) -> str:
    if node.type == bool_:
        return "true" if node.value else "false"
    if node.type.is_integer:
        return str(node.value)
    return f"{node.value}f" if node.type.bits == 32 else str(node.value)
