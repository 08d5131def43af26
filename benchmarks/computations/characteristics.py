"""The data characteristics of the thesis's Appendix .7.1 (Figure 89): sizes, strides and formats of deep learning.

The one place for them. The benchmark suite takes them as they are; the tests take them `scaled` down.

    MCC_CHARACTERISTICS, CAPSULE_CHARACTERISTICS, MATMUL_CHARACTERISTICS

Images are NHWC, filters KRSC, results NPQK, padding VALID. Capsules add matrices of `CAPSULE` × `CAPSULE` elements:
images NHWC·MI·MK, filters KRSC·MK·MJ, results NPQK·MI·MJ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

CAPSULE = 4

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Convolution:
    """MCC (multi-channel convolution) of one network in one phase; `capsule`: with matrices for elements."""

    network: str
    phase: str
    N: int
    H: int
    W: int
    K: int
    R: int
    S: int
    C: int
    stride_h: int
    stride_w: int
    P: int
    Q: int
    capsule: bool = False

    @property
    def name(self) -> str:
        return f"{'MCC_Capsule' if self.capsule else 'MCC'} {self.network} {self.phase}"

    @property
    def image(self) -> Shape:
        """As listed, or as large as P × Q results need it: the table has P = H for VGG-16, whose images are padded."""
        H = max(self.H, (self.P - 1) * self.stride_h + self.R)
        W = max(self.W, (self.Q - 1) * self.stride_w + self.S)
        return (self.N, H, W, self.C, *(CAPSULE, CAPSULE) * self.capsule)

    @property
    def filter(self) -> Shape:
        return (self.K, self.R, self.S, self.C, *(CAPSULE, CAPSULE) * self.capsule)

    @property
    def result(self) -> Shape:
        return (self.N, self.P, self.Q, self.K, *(CAPSULE, CAPSULE) * self.capsule)

    @property
    def dims(self) -> Shape:
        """Extents of the loops: N, P, Q, K, (MI, MJ,) R, S, C(, MK)."""
        matrix = (CAPSULE,) * self.capsule
        return (self.N, self.P, self.Q, self.K, *matrix, *matrix, self.R, self.S, self.C, *matrix)

    @property
    def multiplications(self) -> int:
        product = 1
        for extent in self.dims:
            product *= extent
        return product

    def scaled(self, factor: int) -> Convolution:
        """1/factor of the results along each axis, of the images and of the filters; window, stride and channels stay.

        What is left over of an image behind its last window stays as well.
        """
        P, Q = (max(2, n // factor) for n in (self.P, self.Q))
        return replace(
            self,
            N=max(1, self.N // factor),
            H=self.H - (self.P - P) * self.stride_h,
            W=self.W - (self.Q - Q) * self.stride_w,
            K=max(2, self.K // factor),
            P=P,
            Q=Q,
        )


@dataclass(frozen=True)
class Product:
    """MatMul, C = A·B without transpositions (NN), of one network in one phase."""

    network: str
    phase: str
    M: int
    N: int
    K: int

    @property
    def name(self) -> str:
        return f"MatMul {self.network} {self.phase}"

    def scaled(self, factor: int) -> Product:
        """The same with 1/factor of each extent."""
        return replace(self, **{n: max(1, getattr(self, n) // factor) for n in "MNK"})


MCC_CHARACTERISTICS = (
    Convolution("ResNet-50", "training", 16, 230, 230, 64, 7, 7, 3, 2, 2, 112, 112),
    Convolution("ResNet-50", "inference", 1, 230, 230, 64, 7, 7, 3, 2, 2, 112, 112),
    Convolution("VGG-16", "training", 16, 224, 224, 64, 3, 3, 3, 1, 1, 224, 224),
    Convolution("VGG-16", "inference", 1, 224, 224, 64, 3, 3, 3, 1, 1, 224, 224),
    Convolution("MobileNet", "training", 16, 225, 225, 32, 3, 3, 3, 2, 2, 112, 112),
    Convolution("MobileNet", "inference", 1, 225, 225, 32, 3, 3, 3, 2, 2, 112, 112),
)
"""Figure 89 (a)."""

CAPSULE_CHARACTERISTICS = tuple(replace(c, capsule=True) for c in MCC_CHARACTERISTICS)
"""“The same characteristics as those listed for MCCs”, with three more dimensions of a fixed size of 4."""

MATMUL_CHARACTERISTICS = (
    Product("ResNet-50", "training", 16, 1000, 2048),
    Product("ResNet-50", "inference", 1, 1000, 2048),
    Product("VGG-16", "training", 16, 4096, 25088),
    Product("VGG-16", "inference", 1, 4096, 25088),
)
"""Figure 89 (b)."""
