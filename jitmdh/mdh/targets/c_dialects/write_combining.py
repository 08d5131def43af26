"""Write-combining buffers in OpenCL C: tables of cache lines that a work-item keeps, of which it has written parts.

As for processors (`targets/llvm/write_combining.py`): a line that is not completed is written word by word, or under a
mask, and no byte that is not in a run.
"""

from __future__ import annotations

from jitmdh.mdh.targets.c_dialects.native_vectors import AVX512, STREAMED

LINE_BYTES = 64
_SLOTS = 128

TABLE = f"""typedef struct {{ uint16 line[{_SLOTS}]; ulong at[{_SLOTS}]; ushort there[{_SLOTS}]; }} lines_in_parts;

void write_words(ulong at, uint16 line, ushort there)
{{
    #if {AVX512}
    typedef int native __attribute__((vector_size(64)));
    union {{ uint16 of_opencl; native v; }} words = {{line}};
    __builtin_ia32_storedqusi512_mask((void *)at, words.v, there);
    #else
    uint words[16];
    vstore16(line, 0, words);
    for (int n = 0; n < 16; n++) if (there >> n & 1) ((global uint *)at)[n] = words[n];
    #endif
}}

void combine_words(lines_in_parts *table, ulong at, int shift, uint16 words, ushort given)
{{
    int slot = (int)(at >> shift) & {_SLOTS - 1};
    ulong held = table->at[slot];
    ushort there = held == at ? table->there[slot] | given : given;
    int16 bits = (int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768);
    uint16 joined = select(table->line[slot], words, ((int16)given & bits) != 0);
    if (there == 0xffff) {{
        store_streamed(joined, (global uint16 *)at);
        table->at[slot] = 0;
        return;
    }}
    if (held != 0 && held != at) write_words(held, table->line[slot], table->there[slot]);
    table->line[slot] = joined;
    table->at[slot] = at;
    table->there[slot] = there;
}}

void combine_ends(lines_in_parts *table, ulong begin, int lines, int shift, uint16 head, uint16 tail)
{{
    ulong behind = begin % {LINE_BYTES}, first = begin - behind;
    ushort before = (ushort)((1 << behind / 4) - 1);
    if (behind == 0) {{
        store_streamed(head, (global uint16 *)first);
        return;
    }}
    combine_words(table, first, shift, head, ~before);
    combine_words(table, first + (ulong)lines * {LINE_BYTES}, shift, tail, before);
}}

void complete_lines(lines_in_parts *table)
{{
    for (int slot = 0; slot < {_SLOTS}; slot++) {{
        if (table->at[slot] != 0) write_words(table->at[slot], table->line[slot], table->there[slot]);
        table->at[slot] = 0;
    }}
}}"""
FUNCTIONS = {"store_streamed": STREAMED, "lines_in_parts": TABLE}
"""What is written in front of kernels that have such tables."""


def empty_table(name: str) -> list[str]:
    """The declaration of a table."""
    return [f"lines_in_parts {name};", f"for (int slot = 0; slot < {_SLOTS}; slot++) {name}.at[slot] = 0;"]


def combined(table: str, place: str, lines: int, head: str, tail: str) -> str:
    """`CombineEnds` of a run of so many whole lines from the pointer `place` on."""
    shift = (LINE_BYTES * lines).bit_length() - 1  # lines that are usually shared next to each other differ in slots
    return f"combine_ends(&{table}, (ulong)({place}), {lines}, {shift}, as_uint16({head}), as_uint16({tail}));"
