"""Makes the reference data of the examples. Run from the repository root with NumPy installed.

Each reference is written independently of the compiler: plain Python integers or NumPy, one rounding
an operation.
"""

import numpy as np

MASK = (1 << 64) - 1


def mix(seed, i):
    """Output i of SplitMix64 with initial state seed: the generator of `random`."""
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def mandelbrot(w=96, h=64, limit=200):
    f = np.float32
    out = np.zeros((h, w), np.uint32)
    for py in range(h):
        for px in range(w):
            cx = f(px) * f(0.03125) - f(2.25)
            cy = f(py) * f(0.03125) - f(1.0)
            x = y = f(0)
            trips = 0
            while trips < limit:
                xx, yy = x * x, y * y
                if xx + yy > f(4):
                    break
                xy = x * y
                x = (xx - yy) + cx
                y = (xy + xy) + cy
                trips += 1
            out[py, px] = trips
    return out


def hash64(n=777, rounds=3):
    out = np.zeros(n, np.uint32)
    for i in range(n):
        h = mix(42, i)
        for r in range(rounds):
            h ^= h >> 33
            h = h * 0xFF51AFD7ED558CCD & MASK
            h ^= h >> 33
            h = h * 0xC4CEB9FE1A85EC53 & MASK
            h ^= h >> 33
            h = h + r & MASK
        out[i] = (h >> 32) ^ (h & 0xFFFFFFFF)
    return out


if __name__ == "__main__":
    np.save("examples/data/mandelbrot.npy", mandelbrot())
    np.save("examples/data/hash.npy", hash64())
