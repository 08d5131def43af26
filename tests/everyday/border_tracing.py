"""The border of a figure, by its neighbours in turn (Moore): tuples of steps, of which data choose one."""

import numpy as np


def program(img, ys, xs):
    h, w = img.shape
    dy = (0, 1, 1, 1, 0, -1, -1, -1)
    dx = (1, 1, 0, -1, -1, -1, 0, 1)
    sy = -1
    sx = -1
    for y in range(h):
        for x in range(w):
            if img[y, x] != 0:
                sy, sx = y, x
                break
        if sy >= 0:
            break
    if sy < 0:
        return 0
    y, x, d, n = sy, sx, 0, 0
    while n < ys.shape[0]:
        ys[n] = y
        xs[n] = x
        n += 1
        found = False
        for k in range(8):
            e = (d + 5 + k) % 8
            yy = y + dy[e]
            xx = x + dx[e]
            if 0 <= yy < h and 0 <= xx < w and img[yy, xx] != 0:
                y, x, d = yy, xx, e
                found = True
                break
        if not found or (y == sy and x == sx):
            break
    return n


def arguments(rng):
    y, x = np.mgrid[:20, :20]
    figure = ((y - 10) ** 2 + (x - 9) ** 2 < 50).astype(np.uint8)
    return figure, np.zeros(200, np.int64), np.zeros(200, np.int64)
