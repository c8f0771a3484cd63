"""Canonical JSON (RFC 8785), and a strict reader of JSON, so that what is verified is what is read."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import Any

_INTEGER_MAX = 2**53
_DIGITS_MAX = 21
_ZEROS_MAX = 6


def read_json(text: str) -> Any:
    """Reads JSON. Raises ValueError where parsers disagree: a member twice, and numbers that JSON does not have."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            raise ValueError("an object has two members of one name")
        return value

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, object_pairs_hook=members, parse_constant=constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _float_text(value: float) -> str:
    """The shortest decimal of a double, written as ECMAScript writes it."""
    if value == 0:
        return "0"
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("a number that is not finite has no canonical form")
    _, parts, exponent = Decimal(repr(abs(value))).as_tuple()
    shortest = "".join(map(str, parts))
    digits = shortest.rstrip("0")
    point = len(shortest) + int(exponent)
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= _DIGITS_MAX:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= _DIGITS_MAX:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -_ZEROS_MAX < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def _integer_text(value: int) -> str:
    if abs(value) <= _INTEGER_MAX:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        raise ValueError("a number beyond a double has no canonical form") from None
    # The shortest decimal of the double, not its exact value, is what other parsers write.
    if int(Decimal(repr(double))) != value:
        raise ValueError("a number that a double does not hold has no canonical form")
    return _float_text(double)


def _text(value: str) -> str:
    # Half of a surrogate pair cannot be encoded: UnicodeEncodeError is a ValueError.
    value.encode("utf-8")
    return json.dumps(value, ensure_ascii=False)


def _order(name: str) -> bytes:
    """Members are sorted by their UTF-16 code units."""
    return name.encode("utf-16-be", "surrogatepass")


def canonical_json(value: Any) -> str:
    """The canonical text of a JSON value. Raises ValueError for a value without one."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical_json, value))}]"
    if isinstance(value, dict):
        members = (f"{_text(name)}:{canonical_json(value[name])}" for name in sorted(value, key=_order))
        return f"{{{','.join(members)}}}"
    raise ValueError(f"{type(value).__name__} has no canonical form")


def canonical_sha256(value: Any) -> str:
    """SHA-256 over the canonical text, as 64 lower-case hex digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()
