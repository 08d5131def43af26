"""The errors a user can meet. Facts are fields; they are rendered in one place, `MdhError.__str__`.

The first line of a message ends in the error's code (`error_codes`).

Three families: `UserError` (something in the user's program), `DeviceError` (something about the machine),
`InternalError` (a bug in jitmdh). Concrete classes also derive from the built-in that a Python user would catch.
"""

from __future__ import annotations

import numpy as np

from jitmdh.base.source import Loc, excerpt


class MdhError(Exception):
    """Base of all errors raised by jitmdh.

    message: what is wrong, the important line first; loc: where; reason: why it cannot work; hint: what would;
    code: such as MDH101, that of the class where none is given.
    """

    code: str = "MDH100"

    def __init__(
        self, message: str, *, loc: Loc | None = None, reason: str = "", hint: str = "", code: str | None = None
    ) -> None:
        super().__init__(message, loc, reason, hint)
        self.message, self.loc, self.reason, self.hint = message, loc, reason, hint
        if code is not None:
            self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.loc, self.reason, self.hint, self.code))

    def __str__(self) -> str:
        first, line_end, others = self.message.partition("\n")
        said = f"{first} [{self.code}]{line_end}{others}"
        lines = [f"{self.loc}: {said}" if self.loc else said]
        if self.loc is not None and (shown := excerpt(self.loc)):
            lines.append(shown)
        if self.reason:
            lines.append(f"  {self.reason}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def _rebuild(cls: type[MdhError], message: str, loc: Loc | None, reason: str, hint: str, code: str) -> MdhError:
    return cls(message, loc=loc, reason=reason, hint=hint, code=code)


class UserError(MdhError):
    """Something in the user's program is wrong or not supported."""


class NotAnMdhError(UserError, TypeError):
    """The function cannot be compiled: it is no multi-dimensional homomorphism, or uses unsupported Python."""

    code = "MDH101"


class UnknownAttributeError(NotAnMdhError, AttributeError):
    """The function asks something for an attribute that it does not have."""

    code = "MDH122"


class UnknownNameError(NotAnMdhError, NameError):
    """The function uses a name that nothing is bound to."""

    code = "MDH121"


class MeaningError(NotAnMdhError):
    """However it is compiled, the function would mean something else than in Python, or than what it declares."""

    code = "MDH123"


class ArgumentNeededError(NotAnMdhError):
    """The number that an argument is decides about the code. argument: its name."""

    code = "MDH124"
    argument: str = ""


class TooLargeError(NotAnMdhError):
    """The function is too large, or too deeply nested, to be compiled; plain Python serves its calls."""

    code = "MDH125"


class ArgumentTypeError(UserError, TypeError):
    """An argument has a type, dtype or rank the function cannot take."""

    code = "MDH201"


class ArgumentValueError(UserError, ValueError):
    """An argument has a value or shape the function cannot take."""

    code = "MDH202"


class BoundsError(UserError, IndexError):
    """A subscript leaves its array. Raised before anything is written."""

    code = "MDH211"


class UnboundError(UserError, UnboundLocalError):
    """A local variable has no value where it is used."""

    code = "MDH212"


class DivisionError(UserError, ZeroDivisionError):
    """A division or remainder of numbers by zero, where Python raises."""

    code = "MDH213"


class RangeError(UserError, OverflowError):
    """A number that its type cannot hold, where Python raises."""

    code = "MDH214"


class LinearAlgebraError(UserError, np.linalg.LinAlgError):
    """A matrix is singular, or not positive definite, where NumPy raises."""

    code = "MDH215"


class RedeclarationError(UserError, NameError):
    """Two tensors of a formula have one name."""

    code = "MDH131"


class UndeclaredError(UserError, NameError):
    """A formula uses a name that nothing declares."""

    code = "MDH132"


class UndeclaredAssignmentError(UndeclaredError):
    """A formula assigns to a name that nothing declares."""

    code = "MDH133"


class AssignmentTypeError(UserError, TypeError):
    """The two sides of an assignment of tensors have other extents, or other types of elements."""

    code = "MDH134"


class ExpressionTypeError(UserError, TypeError):
    """Tensors of a formula do not fit together: in the extent of an index, or in the type of their elements."""

    code = "MDH135"


class ConfigurationError(UserError, ValueError):
    """A configuration, schedule or option is not legal."""

    code = "MDH301"


class ScheduleError(ConfigurationError):
    """A transformation of a loop nest is not legal, or does not fit the computation."""

    code = "MDH302"


class DeviceError(MdhError, RuntimeError):
    """Something about this machine: a missing driver, no memory, a lost device."""

    code = "MDH401"


class OutOfMemoryError(DeviceError, MemoryError):
    """Not enough memory for the buffers of a computation."""

    code = "MDH402"


class InternalError(MdhError, RuntimeError):
    """A bug in jitmdh."""

    code = "MDH901"


class JitWarning(UserWarning):
    """A fallback was taken; says which and why."""
