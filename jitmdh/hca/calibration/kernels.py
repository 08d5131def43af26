"""The loops that a calibration times, as LLVM IR: `run(area, count, groups)` goes `count` times through a body.

Loads and stores are volatile: each is done, and no sum of what was loaded stands in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LINE, PAGE = 64, 4096
CHAIN = 16
"""Dependent integer operations of one cycle each in the body of `clock`."""
STEPS = 8
"""Vectors, or lines, in the body of most others."""


def _loop(
    start: Iterable[str], carried: Sequence[tuple[str, str, str]], body: Iterable[str], end: Sequence[str]
) -> str:
    """carried: name, type and first value; its next value is `%name.next`. end: what keeps the last values alive."""
    phis = [f"  %{name} = phi {kind} [ {first}, %entry ], [ %{name}.next, %loop ]" for name, kind, first in carried]
    return "\n".join(
        [
            "define void @run(ptr %area, i64 %count, i64 %groups) {",
            "entry:",
            *start,
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]",
            *phis,
            *body,
            "  %i.next = add i64 %i, 1",
            "  %more = icmp slt i64 %i.next, %count",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *end,
            "  ret void",
            "}",
            "",
        ]
    )


def clock() -> str:
    """A chain of additions and exclusive ors, each of which waits for the one before."""
    body, value = [], "%a"
    for n in range(CHAIN // 2):
        following = "%a.next" if n == CHAIN // 2 - 1 else f"%x{n}"
        body += [f"  %s{n} = add i64 {value}, %p", f"  {following} = xor i64 %s{n}, %q"]
        value = following
    start = ["  %p = load i64, ptr %area", "  %at = getelementptr i64, ptr %area, i64 1", "  %q = load i64, ptr %at"]
    return _loop(start, [("a", "i64", "%p")], body, ["  store i64 %a.next, ptr %area"])


def multiply_adds(bits: int, chains: int) -> str:
    """`chains` multiply-adds, each of which waits for itself only."""
    kind = f"<{bits // 32} x float>"
    start = [f"  %x = load {kind}, ptr %area, align 64"]
    body = [f"  %m{n} = fmul contract {kind} %a{n}, %x\n  %a{n}.next = fadd contract {kind} %m{n}, %x"
            for n in range(chains)]  # fmt: skip
    end = [f"  store volatile {kind} %a{n}.next, ptr %area, align 64" for n in range(chains)]
    return _loop(start, [(f"a{n}", kind, "%x") for n in range(chains)], body, end)


def shuffles(bits: int) -> str:
    """`STEPS` vectors, each of whose elements move by one lane."""
    lanes = bits // 32
    kind, order = f"<{lanes} x float>", ", ".join(f"i32 {(n + 1) % lanes}" for n in range(lanes))
    body = [f"  %a{n}.next = shufflevector {kind} %a{n}, {kind} poison, <{lanes} x i32> <{order}>"
            for n in range(STEPS)]  # fmt: skip
    end = [f"  store volatile {kind} %a{n}.next, ptr %area, align 64" for n in range(STEPS)]
    return _loop([f"  %x = load {kind}, ptr %area, align 64"], [(f"a{n}", kind, "%x") for n in range(STEPS)], body, end)


def loads(bits: int, offsets: Sequence[int]) -> str:
    """A vector from each of these places in bytes."""
    return _loop([], [], [_load(bits, n, offset) for n, offset in enumerate(offsets)], [])


def stores(bits: int, offsets: Sequence[int]) -> str:
    kind = f"<{bits // 32} x float>"
    body = [f"{_at(n, offset)}\n  store volatile {kind} %x, ptr %at{n}, align 4" for n, offset in enumerate(offsets)]
    return _loop([f"  %x = load {kind}, ptr %area, align 64"], [], body, [])


def gathers(bits: int) -> str:
    """A vector whose elements lie in lines of their own."""
    lanes, kind, places = _apart(bits)
    name, lanes_on = f"@llvm.masked.gather.v{lanes}f32.v{lanes}p0", f"<{lanes} x i1>"
    given = f"<{lanes} x ptr> %at, i32 4, {lanes_on} splat (i1 true), {kind} zeroinitializer"
    body = [*places, f"  %a.next = call {kind} {name}({given})", f"  %b.next = fadd {kind} %b, %a.next"]
    carried = [("a", kind, "zeroinitializer"), ("b", kind, "zeroinitializer")]
    text = _loop([], carried, body, [f"  store volatile {kind} %b.next, ptr %area, align 64"])
    return f"{text}declare {kind} {name}(<{lanes} x ptr>, i32, {lanes_on}, {kind})\n"


def scatters(bits: int) -> str:
    """A vector whose elements go to lines of their own."""
    lanes, kind, places = _apart(bits)
    name, lanes_on = f"@llvm.masked.scatter.v{lanes}f32.v{lanes}p0", f"<{lanes} x i1>"
    given = f"{kind} %x, <{lanes} x ptr> %at, i32 4, {lanes_on} splat (i1 true)"
    body = [*places, f"  call void {name}({given})"]
    text = _loop([f"  %x = load {kind}, ptr %area, align 64"], [], body, [])
    return f"{text}declare void {name}({kind}, <{lanes} x ptr>, i32, {lanes_on})\n"


def chosen_lines() -> str:
    """An element from each of `STEPS` lines that a list of 32-bit numbers chooses: none waits for another. The list has
    `groups` numbers, a power of two and at least `STEPS`, and is gone through again and again; the lines are behind it.
    """
    start = ["  %size = shl i64 %groups, 2", "  %lines = getelementptr i8, ptr %area, i64 %size",
             "  %last = sub i64 %groups, 1"]  # fmt: skip
    body = [f"  %next = mul i64 %i, {STEPS}\n  %first = and i64 %next, %last"]
    for n in range(STEPS):
        body += [
            f"  %number{n} = add i64 %first, {n}\n  %place{n} = getelementptr i32, ptr %area, i64 %number{n}",
            f"  %short{n} = load i32, ptr %place{n}\n  %line{n} = zext i32 %short{n} to i64",
            f"  %at{n} = getelementptr [{LINE} x i8], ptr %lines, i64 %line{n}",
            f"  %v{n} = load volatile i64, ptr %at{n}",
        ]
    return _loop(start, [], body, [])


def forwarding(bits: int) -> str:
    """A vector that is stored and loaded again, `STEPS` times."""
    kind = f"<{bits // 32} x float>"
    pair = f"  %v# = load volatile {kind}, ptr %area, align 64\n  store volatile {kind} %v#, ptr %area, align 64"
    return _loop([], [], [pair.replace("#", str(n)) for n in range(STEPS)], [])


def behind(distance: int) -> str:
    """Loads so many bytes behind the last store, of which the next store waits for each."""
    pair = "  %v# = load volatile i64, ptr %far\n  store volatile i64 %v#, ptr %area"
    start = [f"  %far = getelementptr i8, ptr %area, i64 {distance}"]
    return _loop(start, [], [pair.replace("#", str(n)) for n in range(STEPS)], [])


def chase() -> str:
    """`STEPS` loads, each from where the one before says. The first goes on where the last call ended, which the
    second word of the area keeps: a time of few loads would else see the same lines again, near by now."""
    body, value = [], "%p"
    for n in range(STEPS):
        following = "%p.next" if n == STEPS - 1 else f"%p{n}"
        body.append(f"  {following} = load ptr, ptr {value}")
        value = following
    start = ["  %place = getelementptr i8, ptr %area, i64 8", "  %first = load ptr, ptr %place"]
    return _loop(start, [("p", "ptr", "%first")], body, ["  store ptr %p.next, ptr %place"])


def rows(bits: int, number: int) -> str:
    """`number` rows side by side, a line of each; `groups` is how many bytes lie between them."""
    body = [f"  %from = mul i64 %i, {LINE}"]
    for n in range(number):
        body.append(f"  %row{n} = mul i64 %groups, {n}\n  %o{n} = add i64 %row{n}, %from")
        body += [_load(bits, n * LINE + k, f"%o{n}", k) for k in range(0, LINE, bits // 8)]
    return _loop([], [], body, [])


def copies(bits: int) -> str:
    """`STEPS` lines to where `groups` bytes further on."""
    kind, body = f"<{bits // 32} x float>", [f"  %from = mul i64 %i, {STEPS * LINE}\n  %to = add i64 %from, %groups"]
    for n in range(0, STEPS * LINE, bits // 8):
        body.append(f"  %a{n} = getelementptr i8, ptr %area, i64 %from\n"
                    f"  %b{n} = getelementptr i8, ptr %a{n}, i64 {n}\n  %v{n} = load {kind}, ptr %b{n}, align 64\n"
                    f"  %c{n} = getelementptr i8, ptr %area, i64 %to\n  %d{n} = getelementptr i8, ptr %c{n}, i64 {n}\n"
                    f"  store {kind} %v{n}, ptr %d{n}, align 64")  # fmt: skip
    return _loop([], [], body, [])


def memory_text(kind: str, lanes: int) -> str:
    """`count` steps over an area of `groups` groups of vectors, round and round.

    kind: read, write, stream (by non-temporal stores); copy, copy streamed: to as many groups behind the area.
    """
    vector, numbers = f"<{lanes} x i32>", range(STEPS)
    copies, reads = kind.startswith("copy"), kind == "read"
    hint = ", !nontemporal !0" if kind in ("stream", "copy streamed") else ""
    body, phis, end = [], [], []
    for n in numbers:
        body.append(f"  %p{n} = getelementptr {vector}, ptr %group, i64 {n}")
        if reads or copies:
            body.append(f"  %v{n} = load {vector}, ptr %p{n}, align 64")
        if reads:
            phis.append(f"  %a{n} = phi {vector} [ zeroinitializer, %entry ], [ %b{n}, %loop ]")
            body.append(f"  %b{n} = xor {vector} %a{n}, %v{n}")
            if n:
                end.append(f"  %t{n} = xor {vector} {'%b0' if n == 1 else f'%t{n - 1}'}, %b{n}")
        elif copies:
            body.append(f"  %q{n} = getelementptr {vector}, ptr %p{n}, i64 %size")
            body.append(f"  store {vector} %v{n}, ptr %q{n}, align 64{hint}")
        else:
            body.append(f"  store {vector} %x, ptr %p{n}, align 64{hint}")
    if reads:
        end.append(f"  store volatile {vector} %t{STEPS - 1}, ptr %sink, align 64")
    lines = "\n".join
    return f"""
define void @run(ptr %area, i64 %count, i64 %groups) {{
entry:
  %sink = alloca {vector}, align 64
  %size = mul i64 %groups, {STEPS}
  %x1 = insertelement {vector} poison, i32 1065353216, i32 0
  %x = shufflevector {vector} %x1, {vector} poison, <{lanes} x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %g = phi i64 [ 0, %entry ], [ %place, %loop ]
{lines(phis)}
  %at = mul i64 %g, {STEPS}
  %group = getelementptr {vector}, ptr %area, i64 %at
{lines(body)}
  %after = add i64 %g, 1
  %wraps = icmp eq i64 %after, %groups
  %place = select i1 %wraps, i64 0, i64 %after
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
{lines(end)}
  ret void
}}
!0 = !{{i32 1}}
"""


def ping_pong() -> str:
    """Waits for a number in a line of `area` to be as odd as `groups`, and counts it up; gives up after a long wait."""
    return """define void @run(ptr %area, i64 %count, i64 %groups) {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %i.next, %mine ]
  br label %wait
wait:
  %spins = phi i64 [ 0, %turn ], [ %spins.next, %again ]
  %now = load atomic i64, ptr %area acquire, align 8
  %odd = and i64 %now, 1
  %ours = icmp eq i64 %odd, %groups
  br i1 %ours, label %mine, label %again
again:
  %spins.next = add i64 %spins, 1
  %long = icmp sgt i64 %spins.next, 200000
  br i1 %long, label %done, label %wait
mine:
  %after = add i64 %now, 1
  store atomic i64 %after, ptr %area release, align 8
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %count
  br i1 %more, label %turn, label %done
done:
  ret void
}
"""


def _at(name: object, offset: object) -> str:
    return f"  %at{name} = getelementptr i8, ptr %area, i64 {offset}"


def _load(bits: int, name: int, offset: object, further: int = 0) -> str:
    """offset: in bytes, or the name of a value, to which `further` is added."""
    place, base, beyond = "", "%area", offset
    if isinstance(offset, str):
        base, beyond = f"%row.at{name}", further
        place = f"  {base} = getelementptr i8, ptr %area, i64 {offset}\n"
    address = f"  %at{name} = getelementptr i8, ptr {base}, i64 {beyond}"
    return f"{place}{address}\n  %v{name} = load volatile <{bits // 32} x float>, ptr %at{name}, align 4"


def _apart(bits: int) -> tuple[int, str, list[str]]:
    """Lanes, the type of a vector, and addresses whose first one moves from step to step within a line."""
    lanes = bits // 32
    offsets = ", ".join(f"i64 {n * (LINE + 4)}" for n in range(lanes))
    return (
        lanes,
        f"<{lanes} x float>",
        [
            "  %low = and i64 %i, 7\n  %moved = mul i64 %low, 4\n  %base = getelementptr i8, ptr %area, i64 %moved",
            f"  %at = getelementptr i8, ptr %base, <{lanes} x i64> <{offsets}>",
        ],
    )
