"""The auto-tuner (thesis chapter 5), usable on its own: `from jitmdh import atf`. Loads no compiler."""

from jitmdh.atf.directives.directives import read_directives
from jitmdh.atf.directives.programs import program, run_time
from jitmdh.atf.recorded.spaces import recorded_space, replay
from jitmdh.atf.results.history import History
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
