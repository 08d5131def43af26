"""Numbers inside of a circle, with points that are given."""


def program(points):
    inside = 0
    for p in points:
        if p[0] ** 2 + p[1] ** 2 < 1.0:
            inside += 1
    return 4.0 * inside / len(points)


def arguments(rng):
    return (rng.random((500, 2)),)
