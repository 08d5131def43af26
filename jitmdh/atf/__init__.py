"""The auto-tuner (thesis chapter 5), usable on its own: `from jitmdh import atf`. Loads no compiler."""

from jitmdh.atf.configuration import Configuration
from jitmdh.atf.constraint import divides, equal, greater_than, less_than, multiple_of, unequal
from jitmdh.atf.param import TuningParameter, tuning_parameter
from jitmdh.atf.ranges import interval, pow_of, values
from jitmdh.atf.space import SearchSpace, search_space, space_of_rows
from jitmdh.atf.symbolic import evaluate

__all__ = [
    "Configuration",
    "SearchSpace",
    "TuningParameter",
    "divides",
    "equal",
    "evaluate",
    "greater_than",
    "interval",
    "less_than",
    "multiple_of",
    "pow_of",
    "search_space",
    "space_of_rows",
    "tuning_parameter",
    "unequal",
    "values",
]
