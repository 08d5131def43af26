"""All shortest paths of a graph."""


def program(distance):
    n = len(distance)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if distance[i, k] + distance[k, j] < distance[i, j]:
                    distance[i, j] = distance[i, k] + distance[k, j]


def arguments(rng):
    return (rng.random((14, 14)),)
