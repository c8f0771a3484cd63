"""Calls operations with the installed client, as a test asks for: one JSON request on standard input, one JSON outcome out."""

from __future__ import annotations

import json
import sys
from typing import Any

import tidewire_client
from tidewire_client import Tidewire, TidewireError


def described(error: TidewireError) -> dict[str, Any]:
    members = ("idempotency_key", "status", "error", "parameter", "allowed", "retry_after_seconds", "problem", "as_of", "reply")
    return {"type": type(error).__name__, **{name: getattr(error, name) for name in members if hasattr(error, name)}}


def main() -> None:
    asked = json.load(sys.stdin)
    client = Tidewire(asked["base_url"], **asked["client"])
    statuses: list[int] = []
    replayed: list[bool] = []

    def on_response(status: int, headers: Any) -> None:
        statuses.append(status)
        replayed.append(headers.get("idempotent-replayed") == "true")

    outcome: dict[str, Any] = {"reply": None, "error": None}
    try:
        method = getattr(client, asked["operation"])
        arguments = {f"{name}_" if name == "from" else name: value for name, value in asked["parameters"].items()}
        bodies = [] if asked["body"] is None else [asked["body"]]
        outcome["reply"] = method(*bodies, **arguments, **asked["options"], on_response=on_response)
    except TidewireError as error:
        outcome["error"] = described(error)
    outcome |= {"statuses": statuses, "replayed": replayed, "from": tidewire_client.__file__}
    json.dump(outcome, sys.stdout)


main()
