"""One request, sent once, and its response, read within its bounds."""

from __future__ import annotations

import http.client
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._canonical import read_json
from ._errors import NoReplyError, TidewireError, TimedOutError, UnreadableReplyError, problem_error

_PIECE_BYTES = 64 * 1024
_WITHOUT_BODY = (204, 304)
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


def retry_after_seconds(response: Response) -> int | None:
    """The seconds of a `Retry-After`, which may be a date; None where there is none."""
    text = response.headers.get("retry-after")
    if text is not None and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    try:
        at = None if text is None else parsedate_to_datetime(text)
    except ValueError:
        at = None
    if at is not None and at.tzinfo is not None:
        return max(0, round((at - datetime.now(timezone.utc)).total_seconds()))
    seconds = response.body.get("retry_after_seconds") if isinstance(response.body, dict) else None
    return max(0, seconds) if isinstance(seconds, int) else None


def refusal_error(response: Response, call: Call) -> TidewireError:
    """The error that a refusal is."""
    seconds = retry_after_seconds(response)
    problem = problem_error(response.status, response.body, seconds, call.operation, call.idempotency_key)
    if problem is not None:
        return problem
    message = f"status {response.status} without a problem of the contract"
    return UnreadableReplyError(message, call.operation, call.idempotency_key)


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
    # `read1` ends at a broken connection as at the end of the body, and a head that is cut is one with fewer headers.
    is_bounded = response.chunked or response.headers["content-length"] is not None
    if response.length or (count == 0 and not is_bounded and response.status not in _WITHOUT_BODY):
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


@contextmanager
def _failures(deadline: Deadline, call: Call) -> Iterator[None]:
    """Makes failures of the way there errors of the client."""
    try:
        yield
    except TimeoutError as cause:
        raise deadline.error() from cause
    except (URLError, OSError, http.client.HTTPException) as cause:
        if isinstance(cause, URLError) and isinstance(cause.reason, TimeoutError):
            raise deadline.error() from cause
        raise NoReplyError(f"no reply: {cause}", call.operation, call.idempotency_key) from cause


def send(request: Request, deadline: Deadline, bytes_max: int, call: Call) -> Response:
    """Sends a request once. Raises NoReplyError where there is no whole response, TimedOutError where there is no time."""
    with _failures(deadline, call):
        try:
            with _opener.open(request, timeout=deadline.left()) as response:
                return _read(response, deadline, bytes_max, call)
        except HTTPError as refused:
            # It closes its response when it is collected, so it is read within this branch.
            with refused:
                if not isinstance(refused.fp, http.client.HTTPResponse):
                    raise
                return _read(refused.fp, deadline, bytes_max, call)


class EventConnection:
    """The connection of an event stream, until it is closed. Another thread may shut it down."""

    def __init__(self, response: http.client.HTTPResponse, silence_seconds: float, call: Call) -> None:
        self._response = response
        self._silence_seconds = silence_seconds
        self._call = call
        # Of its own, as the one of the response may be closed by the thread that reads, and its number given to another.
        self._socket = socket.socket(fileno=os.dup(response.fileno()))

    def pieces(self) -> Iterator[bytes]:
        """The bytes as they come, until it ends. Raises TimedOutError after a silence, NoReplyError where it breaks."""
        while True:
            with _failures(Deadline(self._silence_seconds, self._call), self._call):
                piece = self._response.read1(_PIECE_BYTES)
            if not piece:
                return
            yield piece

    def shut_down(self) -> None:
        """Ends a read of another thread."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes it."""
        self._socket.close()
        self._response.close()


def connect(request: Request, silence_seconds: float, bytes_max: int, call: Call) -> EventConnection | Response:
    """Opens an event stream; gives the response where it is none. Raises what `send` raises."""
    deadline = Deadline(silence_seconds, call)
    with _failures(deadline, call):
        try:
            response: http.client.HTTPResponse = _opener.open(request, timeout=silence_seconds)
        except HTTPError as refused:
            with refused:
                if not isinstance(refused.fp, http.client.HTTPResponse):
                    raise
                return _read(refused.fp, deadline, bytes_max, call)
        if response.status == 200 and response.headers.get_content_type() == "text/event-stream":
            return EventConnection(response, silence_seconds, call)
        with response:
            return _read(response, deadline, bytes_max, call)
