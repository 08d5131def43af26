"""What each row is meant to reach: the best peer's median time divided by ours."""

from __future__ import annotations

from dataclasses import dataclass

_IN_F64 = 0.9  # of the ratios wanted in f32


@dataclass(frozen=True)
class Target:
    """Ratios that are at least wanted.

    model: with what the model chooses, no tuning; tuned: after `f.tune` of at most 60 s, None if none is set.
    against: the peers that count, empty for all.
    """

    model: float
    tuned: float | None = None
    against: tuple[str, ...] = ()

    def at(self, dtype: str) -> Target:
        """The target for an element type: float64 may stay 10 % behind float32."""
        if dtype == "float32":
            return self
        return Target(_IN_F64 * self.model, None if self.tuned is None else _IN_F64 * self.tuned, self.against)


BESIDE_CPU = Target(0.6, against=("cpu",))
"""Of a row on an OpenCL device that is the same processor; 0.8 is wanted on the geometric mean."""

TARGETS = {
    "matmul 1024,1024,1024": Target(0.80, 0.95),
    "matmul 2048,2048,2048": Target(0.80, 0.95),
    "matmul 16,1000,2048": Target(0.8, 1.1),
    "matmul 10,500,64": Target(0.9, 1.2),
    "matmul_transposed 10,500,64": Target(1.2, 1.8),
    "matmul_batched 16,10,500,64": Target(0.8, 1.0),
    "matvec 4096,4096": Target(0.9, 1.0),
    "matvec 8192,8192": Target(0.9, 1.0),
    "dot 16777216": Target(0.9, 1.0),
    "dot 10000000": Target(0.9, 1.0),
    "jacobi3d 256,256,256": Target(3, 4),
    "jacobi3d 512,512,512": Target(1.6, 2),
    "conv2d 224,224,5,5": Target(8, 12),
    "conv2d 4096,4096,5,5": Target(10, 15),
    "mcc 1,7,7,512,512,3,3": Target(0.7, 1.0),
    "mcc_strided 16,112,112,64,3,7,7": Target(0.7, 1.0),
    "mcc_capsule 1,112,112,64,3,7,7,4,4,4": Target(3, 5, ("torch",)),
    "ccsdt_gdab 24,16,16,24,16,16,24": Target(3, 4),
    "ccsdt_gdac 24,16,16,24,16,16,24": Target(3, 4),
    "ccsdt_gebc 24,16,16,24,16,16,24": Target(3, 4),
    "mttkrp 250,250,250,250": Target(0.8, 1.1),
    "cumsum 16777216": Target(8, None, ("numpy",)),
    "record_linkage 32768,32768": Target(2, None, ("numba",)),
}
