"""Records as values: what an operator over records takes and gives, and what a loop carries on.

`points[i]` is a place in an array, as NumPy's is, until its fields have to be read: `RecordRef` becomes `Fields`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from jitmdh.base.errors import MeaningError
from jitmdh.base.text import listing
from jitmdh.mdh.frontend.python.subscripts import is_element, read_element
from jitmdh.mdh.frontend.python.tracer import ListOf, RecordRef, Structure, SymbolicValue, Tracer


class Fields(tuple["SymbolicValue", ...]):
    """The fields of one record, as numbers."""

    names: tuple[str, ...]

    def __new__(cls, values: Iterable[SymbolicValue], names: tuple[str, ...]) -> Fields:
        made = super().__new__(cls, values)
        made.names = names
        return made


def is_record(t: Tracer, value: SymbolicValue) -> bool:
    """Whether a value is one record of an array."""
    return isinstance(value, RecordRef) and is_element(t, value.field(value.fields[0]))


def fields(t: Tracer, node: ast.AST, value: SymbolicValue) -> SymbolicValue:
    """The fields of a record as they are now; any other value as it is."""
    if not isinstance(value, RecordRef) or not is_record(t, value):
        return value
    return Fields((read_element(t, node, value.field(name)) for name in value.fields), value.fields)


def like(value: tuple[SymbolicValue, ...], parts: Iterable[SymbolicValue]) -> tuple[SymbolicValue, ...]:
    """`parts` as a tuple of the kind of `value`, or a list."""
    if isinstance(value, ListOf):
        return ListOf(parts)
    if isinstance(value, Structure):
        return Structure(parts, value.names, value.kind, value.is_tuple)
    return Fields(parts, value.names) if isinstance(value, Fields) else tuple(parts)


def field_of(t: Tracer, node: ast.Subscript, record: Fields | RecordRef) -> SymbolicValue | None:
    """`record["name"]`, or `record[0]` where all that is left to choose is a field; None for anything else."""
    names = record.names if isinstance(record, Fields) else record.fields
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if isinstance(key, bool) or not isinstance(key, (int, str)):
        return None
    if isinstance(key, int) and not (isinstance(record, Fields) or is_record(t, record)):
        return None
    if isinstance(key, int):
        if not -len(names) <= key < len(names):
            t.error(node, f"index {key} is out of range for a record of {len(names)} fields")
        key = names[key]
    if key not in names:
        owner = f"`{record.name}`" if isinstance(record, RecordRef) else "the record"
        t.error(node.slice, f"{owner} has no field {key!r}", hint=f"its fields are {listing(map(repr, names))}")
    return record[names.index(key)] if isinstance(record, Fields) else record.field(key)


def carried(t: Tracer, node: ast.AST, names: Iterable[str]) -> dict[str, RecordRef]:
    """Reads the records that a loop gives other values; where they stood."""
    found = {n: v for n in names if isinstance(v := t.env.get(n), RecordRef) and is_record(t, v)}
    for name, value in found.items():
        t.env[name] = fields(t, node, value)
    return found


def require_untouched(t: Tracer, node: ast.AST, places: Mapping[str, RecordRef], since: int) -> None:
    """Refuses a loop that writes to the array of a record that it carries: in NumPy the record would change, too."""
    written = {buffer for buffer, at in t.trace.stored.items() if at > since}
    for name, place in places.items():
        if any(place.field(f).buffer in written for f in place.fields):
            hint = f"start from its fields: {name} = (…)"
            text = f"`{name}` is a record of `{place.name}`, which the loop writes"
            raise MeaningError(text, loc=t.loc(node), hint=hint)
