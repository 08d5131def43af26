"""A 5×5 Gaussian blur of a photograph (scikit-learn's sample image, in shades of grey)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jitmdh as mdh
from jitmdh.demo.task import EPSILON, Array, Check, Task

RADIUS, SIGMA = 2, 1.5


@mdh.jit
def blur(out: Array, image: Array, weights: Array) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    total += weights[a, b] * image[i + a, j + b]
            out[i, j] = total


def blur_numpy(image: Array, weights: Array) -> Array:
    """The usual way in NumPy: one shifted, scaled copy of the image for each weight."""
    rows, columns = image.shape[0] - 2 * RADIUS, image.shape[1] - 2 * RADIUS
    out = np.zeros((rows, columns), image.dtype)
    for a in range(weights.shape[0]):
        for b in range(weights.shape[1]):
            out += weights[a, b] * image[a : a + rows, b : b + columns]
    return out


def photograph() -> Array:
    """427 rows of 640 pixels, from 0 (black) to 1 (white)."""
    from sklearn.datasets import load_sample_image

    red, green, blue = np.moveaxis(load_sample_image("china.jpg").astype(np.float32) / 255, 2, 0)
    grey: Array = np.float32(0.299) * red + np.float32(0.587) * green + np.float32(0.114) * blue
    return grey


def mosaic(image: Array, times: int) -> Array:
    """The picture beside and below mirror images of itself: the size of a camera's picture, without a seam."""
    row = np.concatenate([image[:, ::-1] if n % 2 else image for n in range(times)], axis=1)
    return np.concatenate([row[::-1] if n % 2 else row for n in range(times)], axis=0)


def gaussian() -> Array:
    """f32[5, 5], sum 1."""
    line = np.exp(-(np.arange(-RADIUS, RADIUS + 1) ** 2) / (2 * SIGMA**2))
    return np.asarray(np.outer(line, line) / line.sum() ** 2, np.float32)


def task(image: Array, title: str) -> Task:
    """Blurring `image`. Rounding: 25 terms, so at most 25·ε·Σ|weight·pixel| from the exact value."""
    weights = gaussian()
    padded = np.pad(image, RADIUS, mode="edge")
    out = np.zeros_like(image)
    rows = min(4, image.shape[0])
    exact = blur_numpy(padded.astype(np.float64), weights.astype(np.float64))
    bound = weights.size * EPSILON * exact  # pixels and weights are positive
    return Task(
        title,
        f"{image.shape[0]} × {image.shape[1]} pixels",
        blur,
        (out, padded, weights),
        (out,),
        lambda: blur_numpy(padded, weights),
        lambda: Check.of(out, exact, bound),
        (out[:rows].copy(), padded[: rows + 2 * RADIUS], weights),
        rows / image.shape[0],
        operations=float(weights.size * image.size),
        bytes_read=padded.nbytes,
        bytes_written=out.nbytes,
    )


def save_before_and_after(before: Array, after: Array, file: Path) -> None:
    """Both pictures side by side, a detail of each below, four times as large."""
    from PIL import Image

    detail = (slice(130, 210), slice(190, 350))
    gap = np.ones((before.shape[0], 8), np.float32)
    top = np.concatenate([before, gap, after], axis=1)
    near, blurred = (np.kron(picture[detail], np.ones((4, 4), np.float32)) for picture in (before, after))
    below = np.concatenate([near, gap[: len(near)], blurred], axis=1)
    whole = np.concatenate([top, np.ones((8, top.shape[1]), np.float32), below], axis=0)
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.uint8(np.clip(whole, 0, 1) * 255 + 0.5)).save(file, optimize=True)
