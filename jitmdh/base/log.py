"""The logger of jitmdh. Silent unless the application configures `logging` or the setting `log` asks for output."""

from __future__ import annotations

import logging
import sys
import warnings

from jitmdh.base.errors import JitWarning
from jitmdh.base.settings import config

_handler: logging.Handler | None = None


def logger() -> logging.Logger:
    """The logger "jitmdh". Under the setting `log` (MDH_LOG), it writes to standard error from that level on."""
    global _handler
    log = logging.getLogger("jitmdh")
    if not any(isinstance(handler, logging.NullHandler) for handler in log.handlers):
        log.addHandler(logging.NullHandler())
    level = config.log
    if level != "off":
        if _handler is None:
            _handler = logging.StreamHandler()
            _handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
            log.addHandler(_handler)
        _handler.setLevel(level.upper())
        if log.getEffectiveLevel() > _handler.level:
            log.setLevel(_handler.level)
    elif _handler is not None:
        log.removeHandler(_handler)
        _handler = None
    return log


def dump(title: str, text: str) -> None:
    """Writes what the setting `dump` asks for to standard error, whatever the level of the log."""
    sys.stderr.write(f"==== {title}\n{text}\n")


def warn(text: str) -> None:
    """A warning at the line of the user that calls."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("jitmdh."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, JitWarning, stacklevel=level)
