"""Each row of a matrix sorted in place."""


def program(rows):
    for r in range(rows.shape[0]):
        for i in range(1, rows.shape[1]):
            value = rows[r, i]
            j = i - 1
            while j >= 0 and rows[r, j] > value:
                rows[r, j + 1] = rows[r, j]
                j -= 1
            rows[r, j + 1] = value


def arguments(rng):
    return (rng.random((7, 19)),)
