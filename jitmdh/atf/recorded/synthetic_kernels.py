"""Made-up kernels with recorded costs: tiles, vectors, registers, caches and occupancy, all interacting.

Where `synthetic` has plain shapes, these resemble what kernels on real devices do: cliffs where a tile leaves
a cache or a register file, whole waves of whole groups, penalties where sizes do not divide, invalid
configurations, and a rest that follows from pairs of parameters and from nothing at all (`quirks`). Each is
drawn from a seed; the costs are positive and scaled so that the best one is 1.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from jitmdh.atf.recorded.spaces import RecordedSpace, of_function
from jitmdh.atf.results.outcome import Invalid
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.parameter import tuning_parameter
from jitmdh.atf.space.ranges import values
from jitmdh.atf.space.space import SearchSpace, search_space

CostOf = Callable[[Configuration], "float | Invalid"]


def tiled_product(seed: int) -> RecordedSpace:
    """Matrix multiplication on an accelerator: tiles of groups and threads, vectors, scratch memory."""
    rng = random.Random(seed)
    MG, NG = (tuning_parameter(n, values(16, 32, 64, 128)) for n in ("MG", "NG"))
    KG = tuning_parameter("KG", values(16, 32))
    MT, NT = (tuning_parameter(n, values(8, 16, 32)) for n in ("MT", "NT"))
    VM = tuning_parameter("VM", values(1, 2, 4, 8), lambda VM, MG, MT: MG % (MT * VM) == 0)
    VN = tuning_parameter("VN", values(1, 2, 4, 8), lambda VN, NG, NT: NG % (NT * VN) == 0)
    SA, SB = (tuning_parameter(n, values(0, 1)) for n in ("SA", "SB"))
    UNROLL = tuning_parameter("UNROLL", values(1, 2, 8))
    space = search_space(MG, NG, KG, MT, NT, VM, VN, SA, SB, UNROLL)
    n, units = rng.choice((512, 1024, 1536, 4096)), rng.choice((20, 56, 108))
    spare, memory = rng.uniform(20, 40), rng.choice((16e3, 32e3, 48e3))
    loads, latency, width = rng.uniform(4, 30), rng.uniform(0.2, 1.5), rng.choice((2, 4, 8))
    odd = quirks(space, rng, pairs=0.03, rest=0.02)

    def cost(c: Configuration) -> float | Invalid:
        threads, wm, wn = c["MT"] * c["NT"], c["MG"] // c["MT"], c["NG"] // c["NT"]
        scratch = 4 * c["KG"] * (c["SA"] * c["MG"] + c["SB"] * c["NG"])
        registers = spare + wm * wn + (wm + wn) * (1 + 0.3 * c["UNROLL"])
        if scratch > memory or threads > 1024:
            return Invalid("too many resources")
        spilled = max(0.0, registers - 255) / 64 + (registers > 255) * 0.5
        by_registers, by_memory = int(65536 // (threads * min(255, registers))), int(2 * memory // max(1, scratch))
        resident = min(2048 // threads, by_registers, by_memory)
        if resident == 0:
            return Invalid("too many registers")
        groups = math.ceil(n / c["MG"]) * math.ceil(n / c["NG"])
        waves = math.ceil(groups / (units * resident)) * resident * c["MG"] * c["NG"]
        vector = (1 + 0.25 * abs(math.log2(c["VM"] / width))) * (1.0 if c["SA"] else 1.3)
        vector += (1 + 0.25 * abs(math.log2(c["VN"] / width))) * (1.0 if c["SB"] else 1.3)
        traffic = loads * vector * (1 / (wm * (4 if c["SB"] else 1)) + 1 / (wn * (4 if c["SA"] else 1)))
        hidden = 1 + latency / (resident * threads / 512 * min(4.0, wm * wn / 2))
        sync = (c["SA"] + c["SB"]) * 2.0 / c["KG"]
        issue = 1 + 0.15 / c["UNROLL"] + spilled + sync
        return float(waves * (issue + traffic / 8) * hidden * odd(c))

    return _scaled("tiled_product", space, cost)


def blocked_product(seed: int) -> RecordedSpace:
    """Matrix multiplication on a processor: blocks for three caches, register tiles, packing, remainders."""
    rng = random.Random(seed)
    MC, KC = (tuning_parameter(n, values(24, 32, 48, 64, 96, 128, 192, 256)) for n in ("MC", "KC"))
    NC = tuning_parameter("NC", values(64, 256, 1024))
    MR, VR = tuning_parameter("MR", values(1, 2, 3, 4, 6, 8)), tuning_parameter("VR", values(1, 2, 3, 4))
    UNROLL, PACK = tuning_parameter("UNROLL", values(1, 2, 4)), tuning_parameter("PACK", values("none", "b", "ab"))
    space = search_space(MC, KC, NC, MR, VR, UNROLL, PACK)
    n, lanes, registers = rng.choice((100, 250, 500, 1000)), rng.choice((4, 8, 16)), rng.choice((16, 32))
    first, second = rng.choice((4e3, 6e3)), rng.choice((32e3, 64e3, 128e3))
    ports, copying, aliasing = rng.uniform(0.8, 2), rng.uniform(0.01, 0.1), rng.uniform(0, 0.3)
    odd = quirks(space, rng, pairs=0.02, rest=0.015)

    def cost(c: Configuration) -> float:
        mr, columns = c["MR"], c["VR"] * lanes
        needed = mr * c["VR"] + c["VR"] + 1
        spilled = 0.35 * max(0, needed - registers) ** 0.7
        chains = max(1.0, 8 / (mr * c["VR"]))
        loads = ports * (mr + c["VR"]) / (mr * c["VR"])
        rows = min(c["MC"], n)
        edge = math.ceil(rows / mr) * mr / rows * math.ceil(min(c["NC"], n) / columns) * columns / min(c["NC"], n)
        near = c["KC"] * (columns + mr)
        miss = 0.3 * (near > first) * (1 if c["PACK"] != "none" else 1.7)
        miss += (0.5 if c["PACK"] == "ab" else 0.8) * (c["MC"] * c["KC"] > second)
        again = 6 / c["KC"] + 3 / c["MC"] + 1.5 / c["NC"]
        pack = copying * {"none": 0, "b": n / rows, "ab": n / rows + n / min(c["NC"], n)}[c["PACK"]]
        alias = aliasing * (c["PACK"] == "none") * (c["KC"] % 64 == 0)
        loop = 0.25 / (c["UNROLL"] * mr * c["VR"]) + 0.05 * (c["UNROLL"] * mr * c["VR"] > 48)
        return float(edge * (max(chains, loads) + spilled + miss + again + loop + alias + pack) * odd(c))

    return _scaled("blocked_product", space, cost)


def fused_chain(seed: int) -> RecordedSpace:
    """Two fused operators on an accelerator: most configurations need too much of something and fail."""
    rng = random.Random(seed)
    BX = tuning_parameter("BX", values(8, 16, 24, 32, 48, 64, 96, 128))
    BY = tuning_parameter("BY", values(1, 2, 4, 8, 16))
    TX, TY = (tuning_parameter(n, values(1, 2, 3, 4, 6, 8)) for n in ("TX", "TY"))
    KEEP = tuning_parameter("KEEP", values("registers", "scratch", "memory"))
    DEPTH, PAD = tuning_parameter("DEPTH", values(1, 2, 3)), tuning_parameter("PAD", values(0, 1))
    space = search_space(BX, BY, TX, TY, KEEP, DEPTH, PAD, constraints=[lambda BX, BY: 32 <= BX * BY <= 1024])
    n, halo, units = rng.choice((720, 1000, 2000)), rng.choice((2, 4, 8)), rng.choice((16, 40, 80))
    memory, spare = rng.choice((12e3, 24e3, 48e3)), rng.uniform(24, 60)
    dear, wait, clash = rng.uniform(1, 6), rng.uniform(0.2, 2), rng.uniform(0.1, 0.8)
    odd = quirks(space, rng, pairs=0.04, rest=0.02)

    def cost(c: Configuration) -> float | Invalid:
        threads, tile = c["BX"] * c["BY"], (c["BX"] * c["TX"], c["BY"] * c["TY"])
        area = (tile[0] + halo + c["PAD"]) * (tile[1] + halo)
        scratch = 4 * area * c["DEPTH"] * (c["KEEP"] == "scratch")
        registers = spare + c["TX"] * c["TY"] * (2 + 2 * c["DEPTH"] * (c["KEEP"] == "registers"))
        resident = min(2048 // threads, int(65536 // (threads * registers)), int(memory // scratch) if scratch else 32)
        if resident == 0 or registers > 128:
            return Invalid("too many resources")
        groups = math.ceil(n / tile[0]) * math.ceil(n / tile[1])
        waves = math.ceil(groups / (units * resident)) * resident * tile[0] * tile[1]
        again = area / (tile[0] * tile[1])
        between = {"registers": again**2 * 0.6, "scratch": again * 0.8, "memory": 1.0 + dear / 2}[c["KEEP"]]
        banks = 1 + clash * (c["KEEP"] == "scratch") * (c["PAD"] == 0) * (c["BX"] % 32 == 0)
        lanes = math.ceil(c["BX"] / 32) * 32 / c["BX"] if c["BY"] < 4 or c["BX"] > 32 else 1.0
        hidden = 1 + wait / (resident * threads / 256 * (0.5 + 0.5 * c["DEPTH"]))
        return float(waves * (dear * again + between * banks + 0.3 / c["TX"]) * lanes**0.5 * hidden * odd(c))

    return _scaled("fused_chain", space, cost)


KERNELS: Mapping[str, Callable[[int], RecordedSpace]] = {
    "tiled_product": tiled_product,
    "blocked_product": blocked_product,
    "fused_chain": fused_chain,
}


def quirks(space: SearchSpace, rng: random.Random, pairs: float, rest: float) -> Callable[[Configuration], float]:
    """What no model of a machine explains: a factor for pairs of values of some parameters, by tables with this
    relative deviation, and one for each configuration."""
    names = list(space.names)
    chosen = [tuple(rng.sample(names, 2)) for _ in range(4)]
    tables: list[dict[tuple[Any, Any], float]] = [{} for _ in chosen]
    noise = random.Random(rng.getrandbits(64))

    def factor(c: Configuration) -> float:
        total = noise.gauss(0.0, rest)
        for (a, b), table in zip(chosen, tables):
            key = (c[a], c[b])
            if key not in table:
                table[key] = noise.gauss(0.0, pairs)
            total += table[key]
        return math.exp(total)

    return factor


def _scaled(name: str, space: SearchSpace, cost: CostOf) -> RecordedSpace:
    found = {c.index: cost(c) for c in space}
    least = min(f for f in found.values() if not isinstance(f, Invalid))
    return of_function(name, space, lambda c: f if isinstance(f := found[c.index], Invalid) else f / least)
