"""Counts of what a decorated function has done."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.hca.interface.statistics import Statistics
from jitmdh.jit.trials.record import Record

_REASONS_KEPT = 256


@dataclass(slots=True)
class Stats:
    """calls: all; slow_calls: those of them decided in Python; misses: why code was not found, by signature.

    While the function ran: trials, calls that were timed to compare two codes; background_compiles of candidates;
    switches to a faster one; seconds_lost, all that the budget was charged with, and by what (lost_by: trials, copies,
    compiling, deciding); seconds_gained, estimated, and between what it lies with 90 %.

    Of a device with memory of its own: bytes_to_device, bytes_from_device: copied; allocations: pieces of memory it was
    asked for; launches: kernels started.
    """

    calls: int = 0
    slow_calls: int = 0
    compiles: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    fallbacks: int = 0
    tuning_steps: int = 0
    compile_seconds: float = 0.0
    tuning_seconds: float = 0.0
    bytes_to_device: int = 0
    bytes_from_device: int = 0
    allocations: int = 0
    launches: int = 0
    misses: Mapping[str, str] = field(default_factory=dict)
    trials: int = 0
    background_compiles: int = 0
    switches: int = 0
    seconds_lost: float = 0.0
    lost_by: Mapping[str, float] = field(default_factory=dict)
    seconds_gained: float = 0.0
    seconds_gained_interval: tuple[float, float] = (0.0, 0.0)

    def missed(self, signature: str, reason: str) -> None:
        """Notes that no code was found for a signature."""
        self.cache_misses += 1
        kept = list({**self.misses, signature: reason}.items())
        self.misses = dict(kept[-_REASONS_KEPT:])

    def tuned(self, steps: int, seconds: float) -> None:
        """Counts a search."""
        self.tuning_steps += steps
        self.tuning_seconds += seconds

    def reason(self, signature: str) -> str | None:
        return self.misses.get(signature)

    def snapshot(self, native_calls: int, record: Record, device: Statistics) -> Stats:
        """A copy as of now, with what has been tried while the function ran; device: what its code has counted."""
        gained, least, most = record.gained_seconds()
        return dataclasses.replace(
            self, calls=self.slow_calls + native_calls, misses=dict(self.misses), trials=record.trials,
            background_compiles=record.compiles, switches=record.switches, seconds_lost=record.lost_seconds,
            lost_by=dict(record.lost), seconds_gained=gained, seconds_gained_interval=(least, most),
            bytes_to_device=device.bytes_to_devices, bytes_from_device=device.bytes_from_devices,
            allocations=device.allocations, launches=device.launches,
        )  # fmt: skip

    def with_others(self, others: Iterable[Stats]) -> Stats:
        """With the counts of the same function for other targets, or called with what its arguments hold."""
        total: dict[str, Any] = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        for other in others:
            for name, own in total.items():
                if isinstance(own, int | float):
                    total[name] = own + getattr(other, name)
            total["misses"] = total["misses"] | other.misses
            kinds = dict.fromkeys((*total["lost_by"], *other.lost_by))
            total["lost_by"] = {k: total["lost_by"].get(k, 0.0) + other.lost_by.get(k, 0.0) for k in kinds}
        return Stats(**total)
