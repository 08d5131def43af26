"""What a target is to the compiler: machine models, what it refuses, and how kernel IR becomes its text.

A target knows no driver. What compiles, loads and runs its text is its back end, `jitmdh.jit.compilation.backend`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.pass_manager import Pass
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.model import Machine, Place


def refusal(name: str, target: str) -> Callable[[str], NotAnMdhError]:
    """Makes the error for what a target has no code for, from the name of that."""

    def refused(what: str) -> NotAnMdhError:
        return NotAnMdhError(f"{what} is not supported by the {name} back end", hint=f'leave target="{target}" out')

    return refused


class Target(Protocol):
    """One row of `jitmdh.mdh.targets.registry`; every value is immutable, every method pure."""

    passes: tuple[Pass, ...]
    """What is done to kernel IR before it is spelled, in this order."""
    fits_multiples: bool
    """Whether a first code is made without remainders, for sizes that are multiples of its tiles only."""

    runs_together: bool
    """Whether it has code for several nests under one loop; else each is by itself, over all points."""

    def machines(self, place: Place) -> tuple[Machine, ...]:
        """The models that configurations may be chosen for, the best first: one is tried after the other."""
        ...

    def require(self, program: Program) -> None:
        """NotAnMdhError for a program of which it is known before lowering that the target has no code."""
        ...

    def emit(self, kernel: Kernel, guard: Kernel, machine: Machine) -> Any:
        """The text; `str` of it is readable. NotAnMdhError for what the target has no spelling of."""
        ...

    def simpler(self, configuration: Configuration) -> Configuration:
        """What to try where the text for a configuration was refused; the same where there is nothing simpler."""
        ...
