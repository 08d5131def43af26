"""What to expect of a single change of a configuration, before anything is measured: the order of the search.

The unit is log(present time / its time) where that is positive, on average: 0.05 is 5 %, be it 5 % always or 50 % in
every tenth computation. Tiles are judged by what the model thinks they take, all else by what such a change has gained.
"""

from __future__ import annotations

from math import erf, exp, log, pi, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jitmdh.mdh.lowering.nest.space import Parameter, Value

# Means over 63 random computations (contractions, products, sums, stencils; 4 us to 4 ms a call; two cores of an AMD
# EPYC, Zen 5) of all single changes of the model's configuration, in code for the sizes of the call; gains above 0.5
# count as 0.5. A search of half of them in the order that the other half gives is, after five changes, where one
# parameter after the other (tile, cores, unroll, ...) is after nine. `python -m benchmarks.atf.single_changes` measures
# them anew.
GAINS: dict[str, float] = {
    "unroll": 0.056, "copies": 0.047, "order": 0.04, "parts": 0.03, "padding": 0.03, "cores": 0.02, "block": 0.022,
    "accumulators": 0.013, "results": 0.013, "inputs": 0.013, "waiting": 0.01, "reduction": 0.01,
    "together": 0.056,  # of what is not among these: as much as of the best of them
    "copies none": 0.006, "cores none": 0.045, "accumulators none": 0.043, "block none": 0.051, "block smaller": 0.009,
}  # fmt: skip
"""By the group of a change; see `group_of_value`."""

FOR_OWN_SIZES = 0.045
"""Of the same configuration in code for the sizes of a call instead of a class of sizes: 0.06 of the computations
above, less since: of four loops of `benchmarks.online` (products and a contraction) none gained."""

_SAID = max(GAINS.values())  # of what a schedule leaves open by name: whoever writes that expects something of it

_TOO_MUCH_FOR_ONE = 1 << 24
"""Operations: 0.1 ms and more of one core, beside which the others begin and end for nothing."""

# How far off the model is with tiles: standard deviations of log(time / its estimate). Along other dimensions than the
# present lanes' memory is walked in another way, which the model knows little of. A tile that it thinks as good as the
# present one gains no more than other changes do.
SPREAD, SPREAD_OF_LANES, MOST_OF_A_TILE = 0.2, 0.4, 0.06

_DOUBT = 0.05  # of what the model expects of a whole configuration: less is none


def gain_of_tile(tiles: Parameter, present: int, other: int) -> float:
    """Of the tile at one place of the values instead of that at another."""
    if not tiles.costs:
        return MOST_OF_A_TILE / 2
    spread = SPREAD if lanes(tiles, present) == lanes(tiles, other) else SPREAD_OF_LANES
    return min(MOST_OF_A_TILE, expected_gain(tiles.costs[other] / tiles.costs[present], spread))


def gain_of_lanes(usual: float, tile: float, whole: float) -> float:
    """Of a tile along other lanes than the present one's: as `gain_as_expected`, which goes by the whole configuration.

    The model is as far off with such a whole as with such a tile (for einsum dbea,ec->abcd the whole should take 1.3
    times as long, the tile 0.7 times, and calls took 0.75): what it expects is the geometric mean of both ratios.
    """
    return gain_as_expected(usual, sqrt(tile * whole)) if tile > 0 and whole > 0 else gain_as_expected(usual, whole)


def gain_of_value(parameter: Parameter, value: Value, size: int | None, work: int = 0) -> float:
    """Of another value of a parameter that is no tile. size: the present one, of a block; None: there is none. work:
    operations of the computation, if they are known: one core is not faster than several where there are many."""
    if parameter.said:
        return _SAID
    kind, group = _kind(parameter), group_of_value(parameter, value, size)
    if group == "cores none" and work >= _TOO_MUCH_FOR_ONE:
        return min(GAINS.values())
    return GAINS.get(group, GAINS.get(kind, min(GAINS.values())))


def gain_as_expected(gain: float, ratio: float) -> float:
    """What to expect of a change that gains so much on average, after which the model expects `ratio` of the cycles.

    What it thinks much faster as a whole mostly is, and then much is gained at once; what it thinks slower often is not
    (`python -m benchmarks.atf.single_changes --kinds "two arrays"` compares both orders).
    """
    return gain / max(1.0, ratio) + max(0.0, -log(ratio) - _DOUBT) if ratio > 0 else gain


def group_of_value(parameter: Parameter, value: Value, size: int | None) -> str:
    """What changes to a value have in common, whichever dimension and array they are about: the kind of parameter, and
    of some what it does to it. Arguments as of `gain_of_value`."""
    kind = _kind(parameter)
    if kind == "block" and size and isinstance(value, int) and value < size:
        return "block smaller" if value else "block none"
    return f"{kind} none" if str(value) == "none" else kind


def _kind(parameter: Parameter) -> str:
    return parameter.name.partition("_")[0]


def expected_gain(ratio: float, spread: float) -> float:
    """Of what should take `ratio` of the present time: log(present time / its time), where positive, on average.

    spread: the standard deviation of the logarithm of its time.
    """
    z = -log(ratio) / spread
    return spread * (exp(-z * z / 2) / sqrt(2 * pi) + z * (1 + erf(z / sqrt(2))) / 2)


def lanes(tiles: Parameter, place: int) -> str:
    return str(tiles.values[place]).rpartition("lanes ")[2]
