"""Grey levels as black and white, errors passed on to neighbours (Floyd and Steinberg)."""


def program(img):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            old = img[y, x]
            new = 255.0 if old > 127.5 else 0.0
            img[y, x] = new
            e = old - new
            if x + 1 < w:
                img[y, x + 1] += e * 7 / 16
            if y + 1 < h:
                if x > 0:
                    img[y + 1, x - 1] += e * 3 / 16
                img[y + 1, x] += e * 5 / 16
                if x + 1 < w:
                    img[y + 1, x + 1] += e * 1 / 16


def arguments(rng):
    return (rng.random((9, 14)) * 255,)
