"""Whether a result is what it should be."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def difference(found: Array, wanted: Array, tolerance: float | None = None) -> str:
    """Where and by how much a result differs from what it should be; empty if it does not.

    Floats may differ by `tolerance` times the greatest of `wanted` (default: the square root of the type's precision:
    3.5e-4 for float32), all else not at all. Not-a-number equals itself.

    >>> difference(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    '[2]: 4.0 instead of 3.0 (1 of 3 differ)'
    >>> difference(np.float32([1, 2]), np.array([1, 2 + 1e-5]))
    ''
    """
    if found.shape != wanted.shape:
        if found.size != wanted.size:
            return f": {found.size} elements instead of {wanted.size}"
        wanted = wanted.reshape(found.shape)
    if found.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            scale = float(np.max(np.abs(wanted[np.isfinite(wanted)]), initial=0.0))
            bound = (float(np.finfo(found.dtype).eps) ** 0.5 if tolerance is None else tolerance) * scale
            far = np.asarray(~(np.abs(found - wanted) <= bound))
            far &= ~((found == wanted) | ((found != found) & (wanted != wanted)))
    else:
        far = np.asarray(found != wanted)
    if not far.any():
        return ""
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(far)), far.shape))
    at = f"[{', '.join(map(str, place))}]" if place else ""
    return f"{at}: {found[place]} instead of {wanted[place]} ({int(far.sum())} of {found.size} differ)"
