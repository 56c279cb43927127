#!/usr/bin/env python3
"""Writes approx_wide.txt: values of the approximated operations to 112 bits, by mpmath.

Each line: operation, f64 argument in hex, sign (+ or -), exponent, significand in hex. The value is
significand * 2^exponent, cut to 112 bits. Results that are representable are left out.
Run: python3 approx_wide.py > approx_wide.txt     (needs mpmath; 600 bits of precision)
"""
import struct
from fractions import Fraction

import mpmath
from mpmath import mp, mpf

mp.prec = 600
MASK = (1 << 64) - 1


def mix(seed, index):
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def number(bits):
    return struct.unpack(">d", bits.to_bytes(8, "big"))[0]


def turn(x):
    rest = Fraction(x) % 1
    return 2 * mp.pi * mpf(rest.numerator) / rest.denominator


# Name, function, range of the stored exponent, whether below zero too.
OPERATIONS = {
    "exp2": (lambda x: mp.power(2, mpf(x)), (985, 1032), True),
    "log2": (lambda x: mp.log(mpf(x)) / mp.log(2), (985, 1080), False),
    "sin": (lambda x: mp.sin(turn(x)), (930, 1070), True),
    "cos": (lambda x: mp.cos(turn(x)), (985, 1070), True),
    "tanh": (lambda x: mp.tanh(mpf(x)), (985, 1026), True),
}


def arguments(name, low, high, both):
    for k in range(120):
        r = mix(len(name) * 77, k)
        sign = (r & 1) << 63 if both else 0
        yield sign | (low + (r >> 1) % (high - low)) << 52 | mix(5, k) & (1 << 52) - 1
    # The ends of the reduced ranges, where series converge slowest.
    for x in (0.75, 1.5, 0.125, 0.375, 0.625, 0.875, 0.5, 1.0, 0.34657359, 0.69314718):
        bits = struct.unpack(">Q", struct.pack(">d", x))[0]
        yield from (bits - 1, bits + 1)


def main():
    print(f"# mpmath {mpmath.__version__}, by approx_wide.py: operation argument sign exponent significand")
    for name, (function, (low, high), both) in OPERATIONS.items():
        for bits in arguments(name, low, high, both):
            value = function(number(bits))
            sign, man, exp, count = value._mpf_
            # A short significand is a representable result (a quarter turn, a whole number).
            if count < 300:
                continue
            cut = count - 112
            print(f"{name} {bits:016x} {'-' if sign else '+'} {exp + cut} {int(man) >> cut:x}")


main()
