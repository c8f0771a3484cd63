"""One request, sent once, and its response, read within its bounds."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._canonical import read_json
from ._errors import NoReplyError, TimedOutError, UnreadableReplyError

_PIECE_BYTES = 64 * 1024
_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.+-]*\+)?json")


class _NoRedirects(HTTPRedirectHandler):
    """A redirect would send the token to another address than the configured one: it is a reply that cannot be read."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


@dataclass(frozen=True)
class Call:
    """What an error says of the call that failed."""

    operation: str
    idempotency_key: str | None


class Deadline:
    """The time that a call may take."""

    def __init__(self, timeout_seconds: float, call: Call) -> None:
        self._ends_at = time.monotonic() + timeout_seconds
        self._timeout_seconds = timeout_seconds
        self._call = call

    def left(self) -> float:
        """The seconds that are left. Raises TimedOutError when there are none."""
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def allows(self, seconds: float) -> bool:
        """Whether a pause ends before the time is over."""
        return time.monotonic() + seconds < self._ends_at

    def error(self) -> TimedOutError:
        """The error of a call that took too long."""
        message = f"no reply within {self._timeout_seconds} seconds"
        return TimedOutError(message, self._call.operation, self._call.idempotency_key)


@dataclass(frozen=True)
class Response:
    """A response whose body was read."""

    status: int
    headers: Mapping[str, str]
    """By their names in lower case."""
    body: Any
    """The decoded JSON, a text, or None without a body."""


def _read_bytes(response: http.client.HTTPResponse, deadline: Deadline, bytes_max: int, call: Call) -> bytes:
    pieces: list[bytes] = []
    count = 0
    while True:
        deadline.left()
        piece = response.read1(_PIECE_BYTES)
        if not piece:
            break
        count += len(piece)
        if count > bytes_max:
            message = f"the reply is larger than {bytes_max} bytes"
            raise UnreadableReplyError(message, call.operation, call.idempotency_key)
        pieces.append(piece)
    # `read1` ends at a broken connection as at the end of the body.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _decoded(status: int, media_type: str, content: bytes, call: Call) -> Any:
    if content == b"":
        return None
    try:
        text = content.decode("utf-8")
        return read_json(text) if _JSON_TYPE.fullmatch(media_type) else text
    except ValueError as cause:
        message = f"status {status} with a body that cannot be read: {cause}"
        raise UnreadableReplyError(message, call.operation, call.idempotency_key) from cause


def _read(response: http.client.HTTPResponse, deadline: Deadline, bytes_max: int, call: Call) -> Response:
    headers = {name.lower(): value for name, value in response.headers.items()}
    media_type = headers.get("content-type", "").split(";")[0].strip().lower()
    content = _read_bytes(response, deadline, bytes_max, call)
    return Response(response.status, headers, _decoded(response.status, media_type, content, call))


def send(request: Request, deadline: Deadline, bytes_max: int, call: Call) -> Response:
    """Sends a request once. Raises NoReplyError where there is no whole response, TimedOutError where there is no time."""
    try:
        try:
            with _opener.open(request, timeout=deadline.left()) as response:
                return _read(response, deadline, bytes_max, call)
        except HTTPError as refused:
            # It closes its response when it is collected, so it is read within this branch.
            with refused:
                if not isinstance(refused.fp, http.client.HTTPResponse):
                    raise
                return _read(refused.fp, deadline, bytes_max, call)
    except TimeoutError as cause:
        raise deadline.error() from cause
    except (URLError, OSError, http.client.HTTPException) as cause:
        if isinstance(cause, URLError) and isinstance(cause.reason, TimeoutError):
            raise deadline.error() from cause
        raise NoReplyError(f"no reply: {cause}", call.operation, call.idempotency_key) from cause
