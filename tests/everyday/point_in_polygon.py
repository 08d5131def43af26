"""Which points lie in a polygon: the corner before is carried along."""

import numpy as np


def program(polygon, points):
    inside = np.zeros(len(points), dtype=np.bool_)
    n = len(polygon)
    for k in range(len(points)):
        x, y = points[k]
        odd = False
        j = n - 1
        for i in range(n):
            xi, yi = polygon[i]
            xj, yj = polygon[j]
            if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
                odd = not odd
            j = i
        inside[k] = odd
    return inside


def arguments(rng):
    return (rng.random((9, 2)), rng.random((30, 2)))
