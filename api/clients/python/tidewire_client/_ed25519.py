"""Verification of Ed25519 signatures (RFC 8032), as the standard library has none.

Signatures, messages and public keys are public, so it does not matter that the time depends on them. Nothing is signed here.
"""

from __future__ import annotations

import hashlib
from typing import TypeAlias

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

_KEY_BYTES = 32
_SIGNATURE_BYTES = 64

_Point: TypeAlias = tuple[int, int, int, int]
"""A point in extended coordinates: x = X/Z, y = Y/Z, x y = T/Z."""

_NEUTRAL: _Point = (0, 1, 1, 0)


def _x_of(y: int, sign: int) -> int | None:
    """The x of a point of the curve with this y and this lowest bit; None where there is none (RFC 8032, 5.1.3)."""
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    if square == 0:
        return None if sign else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _SQRT_OF_MINUS_ONE % _P
    if (x * x - square) % _P != 0:
        return None
    return _P - x if x & 1 != sign else x


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _multiplied(point: _Point, scalar: int) -> _Point:
    product = _NEUTRAL
    while scalar > 0:
        if scalar & 1:
            product = _add(product, point)
        point = _add(point, point)
        scalar >>= 1
    return product


def _equal(one: _Point, other: _Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % _P == 0 and (one[1] * other[2] - other[1] * one[2]) % _P == 0


def _decoded(encoded: bytes) -> _Point | None:
    number = int.from_bytes(encoded, "little")
    y = number & ((1 << 255) - 1)
    x = _x_of(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % _P)


_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE_X = _x_of(_BASE_Y, 0) or 0
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature of the message was made with the private half of this key."""
    if len(public_key) != _KEY_BYTES or len(signature) != _SIGNATURE_BYTES:
        return False
    key, point = _decoded(public_key), _decoded(signature[:_KEY_BYTES])
    scalar = int.from_bytes(signature[_KEY_BYTES:], "little")
    if key is None or point is None or scalar >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:_KEY_BYTES] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _equal(_multiplied(_BASE, scalar), _add(point, _multiplied(key, challenge)))
