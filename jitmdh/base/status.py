"""What a kernel returns: 0, or the number of what went wrong; shared by code generation, calls and the runtime."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Single numbers, and the first of each range of numbers.

    From FIRST_EARLY and FIRST_LATE on, data that do not fulfil condition `status - first` of the program, found before
    anything is written or after that; from FIRST_FAULT on, fault `status - FIRST_FAULT` of the program; from
    FIRST_ACCESS on, load or store `status - FIRST_ACCESS` of the kernel, which was to leave its array; from
    FIRST_OF_DRIVER on, error `FIRST_OF_DRIVER - status` of a device's driver. ONLY_BY_COPIES: the device cannot use the
    arrays as they are.

    >>> Status.of_data((1 << 20) + 3), Status.of_data(2)
    (3, None)
    """

    DONE = 0
    DIVISION_BY_ZERO = 1
    OUT_OF_MEMORY = 2
    NEGATIVE_POWER = 3
    NOT_AFTER_FORK = 5
    INTERRUPTED = 6
    FIRST_EARLY = 16
    ONLY_BY_COPIES = (1 << 20) - 1
    FIRST_LATE = 1 << 20
    FIRST_FAULT = 1 << 24
    FIRST_ACCESS = 1 << 32
    FIRST_OF_DRIVER = 1 << 40

    @staticmethod
    def of_data(status: int) -> int | None:
        """The number of the condition on data that a status stands for; None if it stands for none."""
        for first, end in ((Status.FIRST_EARLY, Status.FIRST_LATE), (Status.FIRST_LATE, Status.FIRST_FAULT)):
            if first <= status < end:
                return status - first
        return None

    @staticmethod
    def of_fault(status: int) -> int | None:
        """The number of the fault that a status stands for; None if it stands for none."""
        return status - Status.FIRST_FAULT if Status.FIRST_FAULT <= status < Status.FIRST_ACCESS else None

    @staticmethod
    def of_access(status: int) -> int | None:
        """The number of the load or store that a status stands for; None if it stands for none."""
        return status - Status.FIRST_ACCESS if Status.FIRST_ACCESS <= status < Status.FIRST_OF_DRIVER else None

    @staticmethod
    def of_driver(status: int) -> int | None:
        """The number of the driver's error that a status stands for; None if it stands for none."""
        return Status.FIRST_OF_DRIVER - status if status >= Status.FIRST_OF_DRIVER else None
