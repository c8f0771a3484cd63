"""Calls the installed client as a test asks for: one JSON request on standard input, one JSON outcome out."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tidewire_client
from tidewire_client import Tidewire, TidewireError


def described(error: TidewireError) -> dict[str, Any]:
    members = (
        *("idempotency_key", "status", "error", "parameter", "allowed", "retry_after_seconds", "problem", "as_of", "reply"),
        *("cursor", "oldest"),
    )
    return {"type": type(error).__name__, **{name: getattr(error, name) for name in members if hasattr(error, name)}}


def called(asked: dict[str, Any]) -> dict[str, Any]:
    """Calls an operation."""
    client = Tidewire(asked["base_url"], **asked["client"])
    statuses: list[int] = []
    replayed: list[bool] = []

    def on_response(status: int, headers: Any) -> None:
        statuses.append(status)
        replayed.append(headers.get("idempotent-replayed") == "true")

    outcome: dict[str, Any] = {"reply": None, "error": None, "statuses": statuses, "replayed": replayed}
    try:
        method = getattr(client, asked["operation"])
        arguments = {f"{name}_" if name == "from" else name: value for name, value in asked["parameters"].items()}
        bodies = [] if asked["body"] is None else [asked["body"]]
        outcome["reply"] = method(*bodies, **arguments, **asked["options"], on_response=on_response)
    except TidewireError as error:
        outcome["error"] = described(error)
    return outcome


def read(asked: dict[str, Any]) -> dict[str, Any]:
    """Reads changes until the caller stops."""
    stops = asked["stops"]
    changes: list[Any] = []
    cursors: list[str] = []
    ends: list[dict[str, Any]] = []

    def on_cursor(cursor: str) -> None:
        cursors.append(cursor)
        if len(cursors) == stops.get("cursorsMax"):
            threading.Thread(target=reader.close).start()

    def on_reconnect(cause: TidewireError | None, pause_seconds: float) -> None:
        ends.append({"cause": None if cause is None else type(cause).__name__, "pauseMs": pause_seconds * 1000})
        if len(ends) == stops.get("connectionsMax"):
            reader.close()

    outcome: dict[str, Any] = {"changes": changes, "cursors": cursors, "ends": ends, "error": None}
    client = Tidewire(asked["base_url"], **asked["client"])
    with client.changes(
        **asked["parameters"], **asked["options"], on_cursor=on_cursor, on_reconnect=on_reconnect
    ) as reader:
        try:
            for change in reader:
                changes.append(change)
                if len(changes) == stops.get("changesMax"):
                    break
        except TidewireError as error:
            outcome["error"] = described(error)
    return outcome


def main() -> None:
    asked = json.load(sys.stdin)
    if "readers" in asked:
        with ThreadPoolExecutor(len(asked["readers"])) as pool:
            outcome: dict[str, Any] = {"outcomes": list(pool.map(read, asked["readers"]))}
    else:
        outcome = called(asked)
    json.dump(outcome | {"from": tidewire_client.__file__}, sys.stdout)


main()
