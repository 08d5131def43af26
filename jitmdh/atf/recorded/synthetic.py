"""Made-up spaces with recorded costs, to compare search techniques on shapes nobody tuned them to.

Each is drawn from a seed; the costs are positive and scaled so that the best one is 1.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

from jitmdh.atf.recorded.spaces import RecordedSpace, of_function
from jitmdh.atf.results.outcome import Invalid
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.constraint import divides
from jitmdh.atf.space.parameter import TuningParameter, tuning_parameter
from jitmdh.atf.space.ranges import interval, pow_of, values
from jitmdh.atf.space.space import SearchSpace, search_space

CostOf = Callable[[Configuration], "float | Invalid"]


def separable(seed: int) -> RecordedSpace:
    """Each parameter contributes on its own, with one best value."""
    rng = random.Random(seed)
    space = search_space(*(tuning_parameter(f"P{k}", interval(1, rng.choice((4, 6, 9)))) for k in range(5)))
    return _recorded("separable", space, _valleys(space, rng))


def interacting(seed: int) -> RecordedSpace:
    """Tiles of two dimensions in a cache of limited size, vector width, unrolling: a made-up loop nest."""
    space, cost = _loop_nest(random.Random(seed))
    return _recorded("interacting", space, cost)


def rugged(seed: int) -> RecordedSpace:
    """The loop nest with a fixed random factor of about 15 % on every configuration."""
    rng = random.Random(seed)
    space, cost = _loop_nest(rng)
    factor = {c.index: math.exp(rng.gauss(0.0, 0.15)) for c in space}
    return _recorded("rugged", space, lambda c: _times(cost(c), factor[c.index]))


def plateaus(seed: int) -> RecordedSpace:
    """Costs that take few different values, so most neighbours cost the same."""
    rng = random.Random(seed)
    space, cost = _loop_nest(rng)
    return _recorded("plateaus", space, lambda c: math.exp(math.ceil(3 * math.log(_number(cost(c)))) / 3))


def with_invalid(seed: int) -> RecordedSpace:
    """The loop nest where the larger half of the tiles fails to run, as with registers or shared memory."""
    rng = random.Random(seed)
    space, cost = _loop_nest(rng)
    sizes = sorted(c["TI"] * c["TJ"] * c["U"] for c in space)
    limit = sizes[int(len(sizes) * 0.55)]

    def limited(c: Configuration) -> float | Invalid:
        return Invalid("out of registers") if c["TI"] * c["TJ"] * c["U"] > limit else cost(c)

    return _recorded("with_invalid", space, limited)


def categorical(seed: int) -> RecordedSpace:
    """Unordered choices that interact in pairs by random tables (an NK landscape)."""
    rng = random.Random(seed)
    counts = [rng.choice((2, 3, 4, 5)) for _ in range(7)]
    parameters = [
        tuning_parameter(f"C{k}", values(*(f"{k}{chr(97 + v)}" for v in range(n)))) for k, n in enumerate(counts)
    ]
    space = search_space(*parameters)
    pairs = [(k, rng.choice([j for j in range(7) if j != k])) for k in range(7)]
    tables: list[Mapping[tuple[str, str], float]] = [
        {(a, b): rng.gauss(0, 0.25) for a in parameters[i].range.sequence() for b in parameters[j].range.sequence()}
        for i, j in pairs
    ]
    own = [{v: rng.gauss(0, 0.2) for v in p.range.sequence()} for p in parameters]

    def cost(c: Configuration) -> float:
        total = sum(table[c[f"C{i}"], c[f"C{j}"]] for (i, j), table in zip(pairs, tables))
        return math.exp(total + sum(o[c[p.name]] for o, p in zip(own, parameters)))

    return _recorded("categorical", space, cost)


def hierarchical(seed: int) -> RecordedSpace:
    """Chains of divisors as in multi-layer tiling, with a common resource limit."""
    rng = random.Random(seed)
    names = [f"{d}{layer}" for d in "IJ" for layer in range(3)]
    parameters: list[TuningParameter] = []
    for k, name in enumerate(names):
        outer = parameters[-1] if k % 3 else 256
        parameters.append(tuning_parameter(name, interval(1, 256), divides(outer)))
    space = search_space(*parameters, constraints=[lambda I2, J2: I2 * J2 <= 256])
    return _recorded("hierarchical", space, _valleys(space, rng, coupling=0.6))


def occupancy(seed: int) -> RecordedSpace:
    """A made-up accelerator: whole waves of whole groups, limited registers and scratch memory."""
    rng = random.Random(seed)
    names = ("GX", "GY", "WX", "WY", "SCRATCH", "UNROLL")
    GX = tuning_parameter("GX", values(*range(8, 8 * rng.choice((9, 13, 17)), 8)))
    GY = tuning_parameter("GY", values(1, 2, 4, 8, 16), lambda GX, GY: 32 <= GX * GY <= 1024)
    rest = [tuning_parameter(n, values(*v)) for n, v in zip(names[2:], ((1, 2, 3, 4), (1, 2, 3, 4), (0, 1), (1, 2, 4)))]
    space = search_space(GX, GY, *rest)
    n, units = rng.choice((1000, 1500, 2048, 4000)), rng.choice((20, 56, 108))
    registers, memory, halo = rng.uniform(10, 30), rng.uniform(20e3, 100e3), rng.choice((2, 8, 16))
    weight = {name: rng.uniform(0.3, 1.5) for name in ("traffic", "issue", "latency")}

    def cost(c: Configuration) -> float | Invalid:
        threads, tile = c["GX"] * c["GY"], (c["GX"] * c["WX"], c["GY"] * c["WY"])
        used = threads * (registers + 3 * c["WX"] * c["WY"] * c["UNROLL"])
        bytes_used = 4 * (tile[0] + halo) * (tile[1] + halo) * c["SCRATCH"]
        if used > 65536 or bytes_used > memory:
            return Invalid("too many resources")
        resident = min(2048 // threads, int(65536 // used), int(memory // bytes_used) if bytes_used else 32)
        groups = math.ceil(n / tile[0]) * math.ceil(n / tile[1])
        waves = math.ceil(groups / (units * resident))
        reuse = (tile[0] + halo) * (tile[1] + halo) / (tile[0] * tile[1]) if c["SCRATCH"] else 2.0 + 4.0 / c["WX"]
        lanes = math.ceil(threads / 32) * 32 / threads * (1.0 + (c["GX"] % 32 > 0) * 0.3)
        hidden = 1.0 + weight["latency"] / (resident * threads / 512 * c["UNROLL"] ** 0.5)
        work = weight["traffic"] * reuse + weight["issue"] * lanes * (1 + 0.4 / c["UNROLL"] + 0.2 * c["SCRATCH"])
        return float(waves * resident * tile[0] * tile[1] * work * hidden)

    return _recorded("occupancy", space, cost)


SHAPES: Mapping[str, Callable[[int], RecordedSpace]] = {
    "separable": separable,
    "interacting": interacting,
    "rugged": rugged,
    "plateaus": plateaus,
    "with_invalid": with_invalid,
    "categorical": categorical,
    "hierarchical": hierarchical,
    "occupancy": occupancy,
}


def _recorded(name: str, space: SearchSpace, cost: CostOf) -> RecordedSpace:
    least = min(c for c in map(cost, space) if not isinstance(c, Invalid))
    return of_function(name, space, lambda c: _times(cost(c), 1 / least))


def _number(cost: float | Invalid) -> float:
    assert not isinstance(cost, Invalid), "this shape has no invalid configurations"
    return cost


def _times(cost: float | Invalid, factor: float) -> float | Invalid:
    return cost if isinstance(cost, Invalid) else cost * factor


def _valleys(space: SearchSpace, rng: random.Random, coupling: float = 0.0) -> CostOf:
    """Distance from a best value per parameter, on a logarithmic scale; `coupling` ties neighbours."""
    best = space.sample(rng)
    names = space.names
    weights = {name: 0.05 + 0.3 * rng.random() ** 2 for name in names}
    pairs = [(a, b, coupling * 0.1 * rng.choice((-1, 1))) for a, b in zip(names, names[2:])]

    def cost(c: Configuration) -> float:
        off = {name: math.log2(c[name]) - math.log2(best[name]) for name in names}
        total = sum(weights[n] * abs(off[n]) ** 1.3 for n in names)
        return math.exp(total + sum(w * abs(off[a] + off[b]) for a, b, w in pairs if w > 0))

    return cost


def _loop_nest(rng: random.Random) -> tuple[SearchSpace, CostOf]:
    TI = tuning_parameter("TI", interval(0, 9, generator=pow_of(2)))
    TJ = tuning_parameter("TJ", interval(0, 9, generator=pow_of(2)))
    V = tuning_parameter("V", values(1, 2, 4, 8, 16), divides(TJ))
    U = tuning_parameter("U", values(1, 2, 3, 4, 6, 8))
    order = tuning_parameter("ORDER", values("ij", "ji"))
    pack = tuning_parameter("PACK", values(False, True))
    space = search_space(TI, TJ, V, U, order, pack)
    cache = 2 ** rng.uniform(9, 14)
    width = rng.choice((4, 8, 16))
    registers = rng.uniform(12, 40)
    loop, packing, misfit = rng.uniform(0.5, 4), rng.uniform(0.05, 0.3), rng.uniform(1.2, 3)

    def cost(c: Configuration) -> float:
        footprint = c["TI"] * c["TJ"] + 8 * (c["TI"] + c["TJ"])
        compute = 1.0 / min(c["V"], width) + 0.02 * max(0, c["V"] - width)
        overhead = loop / (c["U"] * c["V"]) * 0.2 + 0.3 / c["TI"] + 0.5 / c["TJ"]
        spill = 0.1 * max(0.0, c["U"] * c["V"] / registers * 4 - 1)
        miss = misfit * max(0.0, math.log2(footprint / cache)) * (0.5 if c["PACK"] else 1.0) * 0.15
        stride = 0.25 if (c["ORDER"] == "ji") != c["PACK"] else 0.0
        return float(0.1 + compute + overhead + spill + miss + stride + (packing if c["PACK"] else 0.0))

    return space, cost
