"""The auto-tuner (thesis chapter 5), usable on its own: `from jitmdh import atf`. Loads no compiler.

Names are handed on when they are first used: who searches a space loads neither directives nor recorded spaces.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jitmdh.atf.directives.directives import read_directives
    from jitmdh.atf.directives.programs import program, run_time
    from jitmdh.atf.recorded.spaces import recorded_space, replay
    from jitmdh.atf.results.history import History
    from jitmdh.atf.results.measure import maximise
    from jitmdh.atf.results.outcome import Evaluation, Invalid, InvalidConfiguration, Measured, invalid
    from jitmdh.atf.results.result import TuningResult
    from jitmdh.atf.search.protocol import Search, Technique
    from jitmdh.atf.space.configuration import Configuration
    from jitmdh.atf.space.constraint import divides, equal, greater_than, less_than, multiple_of, unequal
    from jitmdh.atf.space.expressions.symbolic import evaluate
    from jitmdh.atf.space.expressions.terms import maximum, minimum
    from jitmdh.atf.space.parameter import TuningParameter, tuning_parameter
    from jitmdh.atf.space.ranges import interval, pow_of, values
    from jitmdh.atf.space.space import SearchSpace, search_space, space_of_rows
    from jitmdh.atf.techniques.registry import technique_names
    from jitmdh.atf.tuning.abort import cost, duration, evaluations, fraction, speedup
    from jitmdh.atf.tuning.tuner import Tuner, tuner

_HOMES = {
    "Configuration": "jitmdh.atf.space.configuration",
    "Evaluation": "jitmdh.atf.results.outcome",
    "History": "jitmdh.atf.results.history",
    "Invalid": "jitmdh.atf.results.outcome",
    "InvalidConfiguration": "jitmdh.atf.results.outcome",
    "Measured": "jitmdh.atf.results.outcome",
    "Search": "jitmdh.atf.search.protocol",
    "SearchSpace": "jitmdh.atf.space.space",
    "Technique": "jitmdh.atf.search.protocol",
    "Tuner": "jitmdh.atf.tuning.tuner",
    "TuningParameter": "jitmdh.atf.space.parameter",
    "TuningResult": "jitmdh.atf.results.result",
    "cost": "jitmdh.atf.tuning.abort",
    "divides": "jitmdh.atf.space.constraint",
    "duration": "jitmdh.atf.tuning.abort",
    "equal": "jitmdh.atf.space.constraint",
    "evaluate": "jitmdh.atf.space.expressions.symbolic",
    "evaluations": "jitmdh.atf.tuning.abort",
    "fraction": "jitmdh.atf.tuning.abort",
    "greater_than": "jitmdh.atf.space.constraint",
    "interval": "jitmdh.atf.space.ranges",
    "invalid": "jitmdh.atf.results.outcome",
    "less_than": "jitmdh.atf.space.constraint",
    "maximise": "jitmdh.atf.results.measure",
    "maximum": "jitmdh.atf.space.expressions.terms",
    "minimum": "jitmdh.atf.space.expressions.terms",
    "multiple_of": "jitmdh.atf.space.constraint",
    "pow_of": "jitmdh.atf.space.ranges",
    "program": "jitmdh.atf.directives.programs",
    "read_directives": "jitmdh.atf.directives.directives",
    "recorded_space": "jitmdh.atf.recorded.spaces",
    "replay": "jitmdh.atf.recorded.spaces",
    "run_time": "jitmdh.atf.directives.programs",
    "search_space": "jitmdh.atf.space.space",
    "space_of_rows": "jitmdh.atf.space.space",
    "speedup": "jitmdh.atf.tuning.abort",
    "technique_names": "jitmdh.atf.techniques.registry",
    "tuner": "jitmdh.atf.tuning.tuner",
    "tuning_parameter": "jitmdh.atf.space.parameter",
    "unequal": "jitmdh.atf.space.constraint",
    "values": "jitmdh.atf.space.ranges",
}

__all__ = [
    "Configuration",
    "Evaluation",
    "History",
    "Invalid",
    "InvalidConfiguration",
    "Measured",
    "Search",
    "SearchSpace",
    "Technique",
    "Tuner",
    "TuningParameter",
    "TuningResult",
    "cost",
    "divides",
    "duration",
    "equal",
    "evaluate",
    "evaluations",
    "fraction",
    "greater_than",
    "interval",
    "invalid",
    "less_than",
    "maximise",
    "maximum",
    "minimum",
    "multiple_of",
    "pow_of",
    "program",
    "read_directives",
    "recorded_space",
    "replay",
    "run_time",
    "search_space",
    "space_of_rows",
    "speedup",
    "technique_names",
    "tuner",
    "tuning_parameter",
    "unequal",
    "values",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'jitmdh.atf' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
