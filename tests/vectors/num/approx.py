#!/usr/bin/env python3
"""Writes approx.txt: f32 results of the approximated operations, worked out with mpmath.

Each line: operation, argument, result rounded to nearest even, down, and up. All in hex.
Run: python3 approx.py > approx.txt     (needs mpmath; 400 bits of precision)
"""
import struct
from fractions import Fraction

import mpmath
from mpmath import mp, mpf

mp.prec = 400
MASK = (1 << 64) - 1

# Arguments for which a 47-bit evaluation cannot decide the rounding, found by exhaustive search
# over a few binades.
HARD = {
    "exp2": "3b36dee0 3b3e76ac 3b429d37 3b53aa14 3bf689e9 3c02a9ad 3cfe4448 3d036455 3d48323f 3dc9abe2"
    " 3deb2f8e 3e196c0e 3e49bcf6 3e89645a 3e96975c 3ec8766f 3f05f315 3f4746f3 3f4d2720 3f7c90e5 3f800b8b"
    " 3fa5a5d7 3fe69390 403349c8",
    "log2": "3f442160 3f7e3274 3feddffd 3fff7307 40207ab9 4026a4a6 402c6ede 40707492 408d64de 40d6dade"
    " 40de248e 40e485eb 40fa6eb9",
    "sin": "30039c0d 30839c0d 31039c0d 31839c0d 32039c0d 327c1538 32839c0d 32fc1538 33039c0d 337683c7"
    " 337c1538 33e03e03 33e5cf74 341146c8 343943ec 34654db5 34831a4e 349e6fc4 34b8406e 34d8a596 34f3794d"
    " 34fe1a70 359652f2 35cd79e0",
    "cos": "3822f981 3822f982 3822f983 3822f984 3822f985 3822f986 388d23e4 38b63612 38d79860 390721a7"
    " 3912e744 391dccaf 39436657 394bb7e5 3953b5d7 3999cdd2 39ccbc04 3a1c25b1 3a25301b 3a4c7b26 3a5a39ea"
    " 3a765d64 3a79b610 3a8c7eeb",
    "tanh": "3a27ba3b 3a46dce7 3a5e773a 3abc6065 3ac37de2 3adbc904 3af41fd8 3afc9f57 3bc11b0b 3bc8b605"
    " 3be46e2b 3c4e34b0 3c5a35d5 3c96ae2e 3ca1e990 3cc854ca 3cd41b91 3d2cd0ca 3d35a6ac 3d7c3055 3da99442"
    " 3dc95db7 3ddca6fc 3dee483b",
    "rsq": "3f09f038 3f3a18e3 3f7ffffe 3f8a5c86 3fba2a39 3fd2208f 3fdae942 3fed3230",
}

# Powers of two, their neighbours, fractions of a turn, thresholds of over- and underflow.
EDGES = [0x1, 0x2, 0x7FFFFF, 0x800000, 0x800001, 0x7F7FFFFF, 0x7F000000, 0x7E800001]
for exponent in (1, 20, 60, 66, 67, 80, 100, 104, 110, 120, *range(122, 137), 149, 150, 157, 158, 200):
    for fraction in (0, 1, 0x400000, 0x3FFFFF, 0x7FFFFF):
        EDGES.append(exponent << 23 | fraction)
EDGES += [0x43160000, 0x43150000, 0x43150001, 0x42FC0000, 0x42FFFFFF, 0x43000000, 0x41102CB3, 0x41102CB4]
EDGES += [0x3E000000 + k for k in (-1, 1)] + [0x3E2AAAAB, 0x3DAAAAAB, 0x3F600000, 0x3F5FFFFF, 0x3F600001]


def mix(seed, index):
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def value(bits):
    return struct.unpack(">f", bits.to_bytes(4, "big"))[0]


def exact(x):
    """An mpf as a fraction."""
    if not mp.isfinite(x):
        raise ValueError(x)
    sign, man, exp, _ = x._mpf_
    number = Fraction(int(man)) * (Fraction(2) ** exp)
    return -number if sign else number


def floor_bits(q):
    """The largest f32 magnitude not above q >= 0, as bits, and whether it is q."""
    if q == 0:
        return 0, True
    lead = q.numerator.bit_length() - q.denominator.bit_length()
    if Fraction(2) ** lead > q:
        lead -= 1
    low = max(lead, -126) - 23
    count = int(q / Fraction(2) ** low)
    bits = ((low + 23 + 126) << 23) + count
    if bits >= 0x7F800000:
        return 0x7F7FFFFF, False
    return bits, Fraction(2) ** low * count == q


def magnitude(bits):
    return Fraction(2) ** 128 if bits == 0x7F800000 else Fraction(value(bits))


def rounded(q):
    """(nearest even, down, up) of a fraction that is not zero."""
    sign = 0x80000000 if q < 0 else 0
    below, same = floor_bits(abs(q))
    above = below if same else below + 1
    rest = 2 * abs(q) - magnitude(below) - magnitude(above)
    nearest = above if rest > 0 or (rest == 0 and below & 1) else below
    down, up = (above, below) if sign else (below, above)
    return sign | nearest, sign | down, sign | up


def evaluate(name, x):
    whole = Fraction(x)
    if name == "exp2":
        # Beyond this every result rounds the same; 2^x itself would be too long to write.
        return mp.power(2, mpf(max(min(x, 300.0), -300.0)))
    if name == "log2":
        return mp.log(mpf(x)) / mp.log(2)
    if name == "rsq":
        return 1 / mp.sqrt(mpf(x))
    if name == "tanh":
        return mpf(1) - mpf(2) ** -200 if x > 90 else mp.tanh(mpf(x))
    turn = whole - (whole.numerator // whole.denominator)
    if turn > Fraction(1, 2):
        turn -= 1
    part = mpf(turn.numerator) / turn.denominator
    special = {0: (0, 1), 1: (1, 0), 2: (0, -1), -1: (-1, 0)}
    if (turn * 4).denominator == 1:
        return mpf(special[int(turn * 4)][name == "cos"])
    return (mp.sin if name == "sin" else mp.cos)(2 * mp.pi * part)


def log2_of_power(bits):
    """log2 of a power of two, which must not be an inexact quotient."""
    q = Fraction(value(bits))
    n = q.numerator.bit_length() - q.denominator.bit_length()
    return Fraction(n) if Fraction(2) ** n == q else None


def arguments(name):
    both = name in ("exp2", "sin", "cos")
    out = [int(h, 16) for h in HARD[name].split()] + EDGES
    for k in range(300):
        r = mix(len(name), k)
        near = (100 + r % 40) << 23 | r >> 40 & 0x7FFFFF
        out.append(near if k % 4 else r >> 8 & 0x7F7FFFFF)
    if both:
        out += [b | 0x80000000 for b in out]
    elif name == "tanh":
        out += [b | 0x80000000 for b in out[::7]]
    return out


def main():
    print(f"# mpmath {mpmath.__version__}, by approx.py: operation argument nearest down up")
    for name in HARD:
        for bits in arguments(name):
            x = value(bits)
            q = log2_of_power(bits) if name == "log2" else None
            if q is None:
                q = exact(-evaluate(name, -x)) if name == "tanh" and x < 0 else exact(evaluate(name, x))
            if q == 0:
                zero = bits & 0x80000000 if name == "sin" else 0
                print(f"{name} {bits:08x} {zero:08x} {zero:08x} {zero:08x}")
                continue
            nearest, down, up = rounded(q)
            print(f"{name} {bits:08x} {nearest:08x} {down:08x} {up:08x}")


main()
