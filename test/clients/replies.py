"""Compares replies of the service with the types that the client in Python has for them."""

from __future__ import annotations

import json
import sys
import time
import types
import typing
from collections.abc import Callable
from typing import Any

import tidewire_client
from tidewire_client import ProblemError, Tidewire


def problems(value: Any, expected: Any, place: str, exact: bool) -> list[str]:
    """How a value does not fit a type; a member that an object's type lacks is one, if `exact`."""
    origin, arguments = typing.get_origin(expected), typing.get_args(expected)
    if expected is Any:
        return []
    if expected is None or expected is type(None):
        return [] if value is None else [f"{place} is not null"]
    if origin is typing.Literal:
        same = [one for one in arguments if type(one) is type(value) and one == value]
        return [] if same else [f"{place} is {value!r}, none of {arguments}"]
    if origin in (types.UnionType, typing.Union):
        each = [problems(value, one, place, exact) for one in arguments]
        return [] if [] in each else [f"{place} fits nothing of a union: {min(each, key=len)}"]
    if origin is list:
        if not isinstance(value, list):
            return [f"{place} is no list"]
        return [found for at, one in enumerate(value) for found in problems(one, arguments[0], f"{place}[{at}]", exact)]
    if origin is dict:
        if not isinstance(value, dict):
            return [f"{place} is no object"]
        return [found for name, one in value.items() for found in problems(one, arguments[1], f"{place}.{name}", exact)]
    if typing.is_typeddict(expected):
        return members(value, expected, place, exact)
    kinds = {float: (int, float), int: (int,), str: (str,), bool: (bool,)}[expected]
    fits = isinstance(value, kinds) and isinstance(value, bool) == (expected is bool)
    return [] if fits else [f"{place} is {value!r}, no {expected.__name__}"]


def members(value: Any, expected: Any, place: str, exact: bool) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place} is no object"]
    hints = typing.get_type_hints(expected)
    found = [f"{place}.{name} is missing" for name in sorted(expected.__required_keys__ - value.keys())]
    if exact:
        found += [f"{place}.{name} has no type" for name in sorted(value.keys() - hints.keys())]
    for name, hint in hints.items():
        if name in value:
            found += problems(value[name], hint, f"{place}.{name}", exact)
    return found


def when_allowed(method: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """A reply, waited for as long as refusals say: whatever else this address has asked for counts, too."""
    while True:
        try:
            return method(**parameters)
        except ProblemError as refusal:
            if refusal.error != "rate_limited" or refusal.retry_after_seconds is None:
                raise
            time.sleep(refusal.retry_after_seconds)


def main() -> None:
    asked = json.load(sys.stdin)
    client = Tidewire(asked["base_url"], token=asked["token"])
    found: dict[str, list[str]] = {}
    for call in asked["calls"]:
        method = getattr(client, call["operation"])
        expected = typing.get_type_hints(getattr(Tidewire, call["operation"]))["return"]
        reply = when_allowed(method, call["parameters"])
        found[call["operation"]] = problems(reply, expected, call["operation"], call["exact"])[:5]
    json.dump({"found": found, "from": tidewire_client.__file__}, sys.stdout)


main()
