"""Made-up spaces by other generators than `synthetic.SHAPES` and `synthetic_kernels.KERNELS`, for a second look.

Variants of the default technique were compared on all of them, though with other seeds than `benchmarks.atf`
uses. `effects`, `waves` and `tiny` are harder: few configurations come near the best one, as in spaces recorded
on real devices. Each is drawn from a seed; the costs are positive and scaled so that the best one is 1.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping

from jitmdh import atf
from jitmdh.atf.recorded.spaces import RecordedSpace, of_function
from jitmdh.atf.recorded.synthetic_kernels import quirks

CostOf = Callable[[atf.Configuration], "float | atf.Invalid"]


def _scaled(name: str, space: atf.SearchSpace, cost: CostOf) -> RecordedSpace:
    found = {c.index: cost(c) for c in space}
    least = min(f for f in found.values() if not isinstance(f, atf.Invalid))
    return of_function(name, space, lambda c: f if isinstance(f := found[c.index], atf.Invalid) else f / least)


def pipeline(seed: int) -> RecordedSpace:
    """Stages of a pipeline with workers and chunk sizes: the slowest stage counts, with queueing cliffs."""
    rng = random.Random(seed)
    workers = [atf.tuning_parameter(f"W{k}", atf.interval(1, 8)) for k in range(3)]
    chunk = atf.tuning_parameter("CHUNK", atf.interval(0, 10, generator=atf.pow_of(2)))
    depth = atf.tuning_parameter("DEPTH", atf.values(1, 2, 3, 5, 8))
    cores = rng.randint(8, 16)
    space = atf.search_space(*workers, chunk, depth, constraints=[lambda W0, W1, W2: W0 + W1 + W2 <= 16])
    loads, fixed = [rng.uniform(1, 9) for _ in range(3)], rng.uniform(1, 60)
    cache = 2 ** rng.uniform(3, 9)

    def cost(c: atf.Configuration) -> float:
        used = [c["W0"], c["W1"], c["W2"]]
        crowded = max(1.0, sum(used) / cores) ** 1.5
        stages = [load / w**0.9 for load, w in zip(loads, used)]
        slow = 1.4 if c["CHUNK"] * c["DEPTH"] > cache else 1.0
        wait = sum(sorted(stages)[:2]) / c["DEPTH"]
        return crowded * slow * (max(stages) + 0.5 * wait) + fixed / c["CHUNK"] + 0.01 * c["CHUNK"] ** 0.5

    return _scaled("pipeline", space, cost)


def flags(seed: int) -> RecordedSpace:
    """Twelve switches, as of a compiler: few matter, some only together, some pairs spoil each other."""
    rng = random.Random(seed)
    space = atf.search_space(*(atf.tuning_parameter(f"F{k}", atf.values(0, 1)) for k in range(12)))
    single = [rng.gauss(0, 0.03) if rng.random() < 0.7 else rng.gauss(0, 0.2) for _ in range(12)]
    groups = [(rng.sample(range(12), rng.choice((2, 2, 3))), rng.gauss(0, 0.2)) for _ in range(10)]

    def cost(c: atf.Configuration) -> float:
        on = [c[f"F{k}"] for k in range(12)]
        total = sum(s for s, o in zip(single, on) if o)
        return math.exp(total + sum(w for members, w in groups if all(on[m] for m in members)))

    return _scaled("flags", space, cost)


def deceptive(seed: int) -> RecordedSpace:
    """Two valleys: a wide one that leads away, and a narrow one with the best cost at its bottom."""
    rng = random.Random(seed)
    space = atf.search_space(*(atf.tuning_parameter(f"X{k}", atf.interval(1, 7)) for k in range(4)))
    wide, narrow = ([rng.randint(1, 7) for _ in range(4)] for _ in range(2))
    while sum(abs(a - b) for a, b in zip(wide, narrow)) < 8:
        narrow = [rng.randint(1, 7) for _ in range(4)]

    def cost(c: atf.Configuration) -> float:
        x = [c[f"X{k}"] for k in range(4)]
        broad = 1.3 + 0.08 * sum(abs(a - b) for a, b in zip(x, wide))
        deep = 1.0 + 0.25 * sum(abs(a - b) for a, b in zip(x, narrow))
        return min(broad, deep)

    return _scaled("deceptive", space, cost)


def layouts(seed: int) -> RecordedSpace:
    """An order of five loops, two tile sizes and a data layout: cost by strides, reuse and edges."""
    rng = random.Random(seed)
    orders = ["".join(p) for p in itertools.permutations("ijklm")]
    order = atf.tuning_parameter("ORDER", atf.values(*orders))
    tiles = [atf.tuning_parameter(n, atf.values(4, 8, 12, 16, 24, 32)) for n in ("T1", "T2")]
    layout = atf.tuning_parameter("LAYOUT", atf.values("row", "column"))
    space = atf.search_space(order, *tiles, layout, constraints=[lambda T1, T2: T1 * T2 <= 512])
    stride = {name: rng.uniform(0.1, 3) for name in "ijklm"}
    extent = rng.choice((100, 120, 250))
    limit = rng.uniform(100, 500)

    def cost(c: atf.Configuration) -> float:
        inner = sum(stride[d] * 0.5 ** (4 - p) for p, d in enumerate(c["ORDER"]))
        flipped = 0.6 if (c["LAYOUT"] == "row") == (c["ORDER"].index("j") > c["ORDER"].index("k")) else 0.0
        edges = math.prod(math.ceil(extent / c[t]) * c[t] / extent for t in ("T1", "T2"))
        reuse = 4 / c["T1"] + 6 / c["T2"]
        return edges * (0.5 + inner + flipped + reuse + 0.4 * max(0.0, c["T1"] * c["T2"] / limit - 1))

    return _scaled("layouts", space, cost)


def ridge(seed: int) -> RecordedSpace:
    """A narrow curved valley over two ordered parameters and one choice, some of it invalid."""
    rng = random.Random(seed)
    space = atf.search_space(
        atf.tuning_parameter("A", atf.interval(1, 40)),
        atf.tuning_parameter("B", atf.interval(1, 40)),
        atf.tuning_parameter("KIND", atf.values("p", "q", "r")),
    )
    bend, slope, best = rng.uniform(0.01, 0.04), rng.uniform(0.002, 0.02), rng.randint(5, 35)
    kinds = {kind: rng.uniform(1, 1.3) for kind in "pqr"}
    shift = {kind: rng.randint(-4, 4) for kind in "pqr"}

    def cost(c: atf.Configuration) -> float | atf.Invalid:
        if c["A"] + c["B"] > 70:
            return atf.invalid("too large")
        valley = 5 + shift[c["KIND"]] + bend * (c["A"] - 8) ** 2
        return kinds[c["KIND"]] * (1 + 0.15 * abs(c["B"] - valley) ** 0.8 + slope * abs(c["A"] - best))

    return _scaled("ridge", space, cost)


def stencil(seed: int) -> RecordedSpace:
    """Several time steps of a stencil in one kernel: redundant halos against traffic, registers and occupancy."""
    rng = random.Random(seed)
    BX = atf.tuning_parameter("BX", atf.values(*range(16, 257, 16)))
    BY = atf.tuning_parameter("BY", atf.values(1, 2, 4, 8, 16), lambda BX, BY: 64 <= BX * BY <= 1024)
    STEPS, PER = atf.tuning_parameter("STEPS", atf.interval(1, 6)), atf.tuning_parameter("PER", atf.values(1, 2, 4, 8))
    SCRATCH, LIMIT = (
        atf.tuning_parameter("SCRATCH", atf.values(0, 1)),
        atf.tuning_parameter("LIMIT", atf.values(0, 2, 4)),
    )
    space = atf.search_space(BX, BY, STEPS, PER, SCRATCH, LIMIT)
    n, units, spare = rng.choice((1000, 2048, 4096)), rng.choice((30, 60, 100)), rng.uniform(15, 40)
    dear, launch, wait = rng.uniform(2, 10), rng.uniform(0.2, 3), rng.uniform(0.2, 2)
    odd = quirks(space, rng, pairs=0.03, rest=0.02)

    def cost(c: atf.Configuration) -> float | atf.Invalid:
        threads, halo = c["BX"] * c["BY"], 2 * (c["STEPS"] - 1)
        tile = (c["BX"], c["BY"] * c["PER"])
        useful = (tile[0] - halo) * (tile[1] - halo)
        if useful <= 0:
            return atf.invalid("the halo is the whole tile")
        registers = spare + 4 * c["PER"] * (1 + 0.5 * c["STEPS"])
        spilled = 0.0
        if c["LIMIT"] and registers > 65536 / (threads * c["LIMIT"]):
            left = 65536 / (threads * c["LIMIT"])
            spilled, registers = 0.3 * math.log2(registers / left), left
        bytes_used = 8 * tile[0] * tile[1] * c["SCRATCH"]
        resident = min(2048 // threads, int(65536 // (threads * registers)), 48000 // bytes_used if bytes_used else 32)
        if resident == 0:
            return atf.invalid("too many resources")
        groups = n * n / useful
        waves = math.ceil(groups / (units * resident)) * units * resident / groups
        area = tile[0] * tile[1] / useful
        traffic = dear / c["STEPS"] * area * (1.0 if c["BX"] % 32 == 0 else 1.15)
        compute = area * (1.0 if c["SCRATCH"] else 1.6) * (1 + spilled)
        hidden = 1 + wait / (resident * threads / 512 * min(2.0, c["PER"] ** 0.5))
        return (waves * (traffic + compute) * hidden + launch / c["STEPS"]) * odd(c)

    return _scaled("stencil", space, cost)


def reduction(seed: int) -> RecordedSpace:
    """A sum at the memory's limit: most configurations are nearly as good, some far worse."""
    rng = random.Random(seed)
    space = atf.search_space(
        atf.tuning_parameter("BLOCK", atf.values(32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)),
        atf.tuning_parameter("ITEMS", atf.values(1, 2, 3, 4, 6, 8, 12, 16, 24, 32)),
        atf.tuning_parameter("VECTOR", atf.values(1, 2, 4)),
        atf.tuning_parameter("GRID", atf.values(1, 2, 4, 8, 16, "all")),
        atf.tuning_parameter("FINISH", atf.values("atomic", "second", "shuffle")),
        constraints=[lambda ITEMS, VECTOR: ITEMS % VECTOR == 0],
    )
    n, units = 2 ** rng.uniform(18, 25), rng.choice((20, 56, 108))
    atomic, second, width = rng.uniform(0.001, 0.02), rng.uniform(0.05, 0.6), rng.choice((1, 2, 4))
    odd = quirks(space, rng, pairs=0.015, rest=0.01)

    def cost(c: atf.Configuration) -> float:
        groups = n / (c["BLOCK"] * c["ITEMS"]) if c["GRID"] == "all" else units * c["GRID"]
        flight = min(groups, units * (2048 // c["BLOCK"])) * c["BLOCK"] * min(c["ITEMS"], 8) * c["VECTOR"] ** 0.5
        limited = max(1.0, units * 6000 / flight) ** 0.8
        waste = 1 + 0.2 * (c["BLOCK"] % 128 > 0) + 0.1 * abs(math.log2(c["VECTOR"] / width))
        spill = 0.5 * (c["ITEMS"] > 16)
        finish = {"atomic": atomic * groups / units, "second": second, "shuffle": 0.3 * second + 0.02 * c["BLOCK"] / 32}
        return (n / 2**22 * limited * (waste + spill) + finish[c["FINISH"]] + 0.1) * odd(c)

    return _scaled("reduction", space, cost)


_MENUS = (
    tuple(range(16, 257, 16)),
    (1, 2, 4, 8, 16, 32),
    (1, 2, 3, 4, 6, 8),
    (1, 2, 4, 8),
    (1, 2, 3, 4),
    (32, 64, 128, 256, 512),
    (8, 16, 24, 32, 48, 64),
)


def effects(seed: int) -> RecordedSpace:
    """Effects that multiply: a best value for each size, pairs of sizes that fit or use up something, switches
    that pay for some sizes only, and a rest that is noise. Up to half of the configurations fail."""
    rng = random.Random(seed)
    names, switches = [f"N{k}" for k in range(4)], [f"F{k}" for k in range(rng.randint(2, 4))]
    menus = dict(zip(names, rng.sample(_MENUS, 4)))
    sizes = [atf.tuning_parameter(name, atf.values(*menu)) for name, menu in menus.items()]
    space = atf.search_space(*sizes, *(atf.tuning_parameter(name, atf.values(0, 1)) for name in switches))
    own = {n: (rng.random(), rng.uniform(0.1, 0.7), rng.uniform(0.7, 1.6)) for n in names}
    pairs = []
    for _ in range(4):
        sign, (a, b) = rng.choice((-1, 1)), rng.sample(names, 2)
        limit = rng.uniform(0.4, 1.6) if sign > 0 else rng.uniform(-0.6, 0.6)
        cliff = rng.choice((None, rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.4)))
        pairs.append((a, b, sign, limit, rng.uniform(0.2, 0.8), cliff))
    paying = [(f, rng.gauss(0, 0.2), rng.choice(names), rng.uniform(0.2, 0.8), rng.gauss(0, 0.3)) for f in switches]
    together = [(rng.sample(switches, 2), rng.gauss(0, 0.2)) for _ in range(2)]
    uneven, penalty, rest = rng.choice(names), rng.uniform(0, 0.2), rng.uniform(0.01, 0.06)
    noise, scarce, most = random.Random(rng.getrandbits(64)), rng.sample(names, 2), rng.uniform(1.2, 2.2)

    def cost(c: atf.Configuration) -> float | atf.Invalid:
        x = {n: math.log2(c[n] / m[0]) / math.log2(m[-1] / m[0]) for n, m in menus.items()}
        if x[scarce[0]] + x[scarce[1]] > most:
            return atf.invalid("too many resources")
        total = sum(weight * abs(x[n] - best) ** power for n, (best, weight, power) in own.items())
        for a, b, sign, limit, weight, cliff in pairs:
            beyond = x[a] + sign * x[b] - limit
            if cliff is None:
                total += weight * abs(beyond)
            elif beyond > 0:
                total += cliff + weight * beyond
        total += sum(c[f] * (always + (above if x[n] > at else 0.0)) for f, always, n, at, above in paying)
        total += sum(weight * c[a] * c[b] for (a, b), weight in together)
        return math.exp(total + penalty * (c[uneven] % 32 > 0) + noise.gauss(0, rest))

    return _scaled("effects", space, cost)


def waves(seed: int) -> RecordedSpace:
    """Whole waves of resident groups, the dearest of three resources, latency that only many threads hide."""
    rng = random.Random(seed)
    BX = atf.tuning_parameter("BX", atf.values(*range(16, 257, 16)))
    BY = atf.tuning_parameter("BY", atf.values(1, 2, 4, 8, 16, 32), lambda BX, BY: 32 <= BX * BY <= 1024)
    TX, TY = atf.tuning_parameter("TX", atf.interval(1, 8)), atf.tuning_parameter("TY", atf.values(1, 2, 4))
    VECTOR = atf.tuning_parameter("VECTOR", atf.values(1, 2, 4), lambda VECTOR, TX: TX % VECTOR == 0)
    rest = (atf.tuning_parameter("SCRATCH", atf.values(0, 1)), atf.tuning_parameter("UNROLL", atf.values(0, 1, 2)))
    space = atf.search_space(BX, BY, TX, TY, VECTOR, *rest)
    n, units, threads = rng.choice((1000, 1920, 4096)), rng.choice((40, 80, 108)), rng.choice((1024, 1536, 2048))
    spare, each, halo, width = rng.uniform(16, 40), rng.uniform(1, 5), rng.choice((0, 2, 4, 16)), rng.choice((1, 2, 4))
    traffic, issue, local = (rng.uniform(0.3, 1.0) for _ in range(3))
    latency, banks, chains, misfit = rng.uniform(0.3, 2.5), rng.uniform(1, 2), rng.uniform(1, 4), rng.uniform(0.05, 0.4)
    deviation, noise = rng.uniform(0.01, 0.05), random.Random(rng.getrandbits(64))

    def cost(c: atf.Configuration) -> float | atf.Invalid:
        group, tile = c["BX"] * c["BY"], (c["BX"] * c["TX"], c["BY"] * c["TY"])
        registers = spare + each * c["TX"] * c["TY"] * (1 + 0.5 * c["UNROLL"])
        scratch = 4 * (tile[0] + halo) * (tile[1] + halo) * c["SCRATCH"]
        by_registers = int(65536 // (group * math.ceil(registers / 8) * 8))
        resident = min(threads // group, by_registers, 98304 // scratch if scratch else 16, 16)
        if scratch > 49152 or registers > 255 or resident == 0:
            return atf.invalid("too many resources")
        area = tile[0] * tile[1]
        groups = math.ceil(n / tile[0]) * math.ceil(n / tile[1])
        work = math.ceil(groups / (units * resident)) * units * resident * area / n**2
        again = (tile[0] + halo) * (tile[1] + halo) / area if c["SCRATCH"] else 1 + 0.15 * halo
        memory = traffic * again * (1 + misfit * abs(math.log2(c["VECTOR"] / width))) * (1.2 if tile[0] % 32 else 1.0)
        compute = issue * (1 + 0.4 / (1 + c["UNROLL"]) / c["TX"])
        clash = banks if c["BX"] % 32 == 0 and c["TX"] % 2 == 0 else 1.0
        dearest = max(memory, compute, local * c["SCRATCH"] * clash)
        parallel = resident * group / threads * min(chains, c["TX"] * c["TY"]) ** 0.5
        hidden = 1 + latency * max(0.0, 0.9 - parallel)
        return work * dearest * hidden * (1 + 0.3 * min(memory, compute)) * math.exp(noise.gauss(0, deviation))

    return _scaled("waves", space, cost)


def tiny(seed: int) -> RecordedSpace:
    """A few hundred configurations: two sizes with a limit on their product, a choice, a switch."""
    rng = random.Random(seed)
    space = atf.search_space(
        atf.tuning_parameter("A", atf.values(1, 2, 4, 8, 16, 32)),
        atf.tuning_parameter("B", atf.values(1, 2, 4, 8)),
        atf.tuning_parameter("C", atf.interval(0, rng.randint(3, 9))),
        atf.tuning_parameter("K", atf.values("x", "y")),
    )
    best, weights = (rng.uniform(0, 5), rng.uniform(0, 3), rng.randint(0, 9)), [rng.uniform(0.1, 0.5) for _ in range(3)]
    other, limit, noise = rng.gauss(0, 0.3), rng.uniform(2, 7), random.Random(rng.getrandbits(64))

    def cost(c: atf.Configuration) -> float:
        a, b = math.log2(c["A"]), math.log2(c["B"])
        total = weights[0] * abs(a - best[0]) + weights[1] * abs(b - best[1]) + weights[2] * (c["C"] != best[2])
        return math.exp(total + other * (c["K"] == "x") + 0.7 * (a + b > limit) + noise.gauss(0, 0.05))

    return _scaled("tiny", space, cost)


FURTHER: Mapping[str, Callable[[int], RecordedSpace]] = {
    "pipeline": pipeline,
    "flags": flags,
    "deceptive": deceptive,
    "layouts": layouts,
    "ridge": ridge,
    "stencil": stencil,
    "reduction": reduction,
    "effects": effects,
    "waves": waves,
    "tiny": tiny,
}
