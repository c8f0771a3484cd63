"""Changes behind a cursor, then each as it comes: by streams, or by pages that wait where a stream is held back."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, NoReturn, TypedDict, TypeVar, get_args
from urllib.request import Request

from ._canonical import read_json
from ._errors import (
    CursorError,
    CursorProblem,
    NoReplyError,
    ProblemError,
    TidewireError,
    TimedOutError,
    UnreadableReplyError,
)
from ._transport import Call, Deadline, EventConnection, Response, connect, refusal_error, retry_after_seconds, send

_SILENCE_SECONDS = 45.0
_PAUSE_SECONDS = 1.0
"""The pause before another connection until the service names one. It doubles with each failure in a row."""
_PAUSE_MIN_SECONDS = 0.1
_PAUSE_MAX_SECONDS = 60.0
_DOUBLINGS_MAX = 16
_RETRY_AFTER_MAX_SECONDS = 300.0
_PAGE_CHANGES = 1_000
_PAGE_WAIT_SECONDS = 25
_START = "start"
_NOW = "now"
_CURSOR_PROBLEMS: dict[str, CursorProblem] = {problem: problem for problem in get_args(CursorProblem)}
_WHOLE = re.compile(r"[0-9]{1,9}")

Change = TypeVar("Change")


class ChangesOptions(TypedDict, total=False):
    """Options of an iteration over changes."""

    on_cursor: Callable[[str], None]
    """Sees the cursor each time that it moves on without a change: a caller with filters stores it as that of a change."""
    on_reconnect: Callable[[TidewireError | None, float], None]
    """Sees why a connection ended, None where the service closed it in turn, and the pause before the next one in seconds."""
    failures_max: int
    """How many connections in a row may fail: without a bound by default. The error of the last one is raised."""
    silence_seconds: float
    """The longest silence of a connection: 45 seconds by default, as the service sends something every 15 seconds."""


@dataclass(frozen=True)
class Doors:
    """Where changes are read, by what is added to the parameters of the caller."""

    name: str
    stream: Callable[[Mapping[str, Any]], Request]
    page: Callable[[Mapping[str, Any]], Request]
    bytes_max: int


class _Refused(Exception):
    """A response that is not the expected one."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


@dataclass
class _Event:
    """What stands between two empty lines of an event stream."""

    name: str = "message"
    id: str | None = None
    data: list[str] = field(default_factory=list)
    retry_ms: int | None = None


class _EventReader:
    """Reads the events of a stream out of its pieces, wherever they are cut. Lines end with LF or CRLF."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._line: list[bytes] = []
        self._bytes = 0
        self._event = _Event()

    def push(self, piece: bytes) -> list[_Event]:
        """The events that a piece completes. Raises ValueError where one is no UTF-8, or larger than the bound."""
        events: list[_Event] = []
        first, *lines = piece.split(b"\n")
        self._line.append(first)
        self._bytes += len(first)
        for line in lines:
            self._take(b"".join(self._line).removesuffix(b"\r").decode("utf-8"), events)
            self._line = [line]
            self._bytes += len(line)
        if self._bytes > self._bytes_max:
            raise ValueError(f"it is larger than {self._bytes_max} bytes")
        return events

    def _take(self, line: str, events: list[_Event]) -> None:
        if line == "":
            events.append(self._event)
            self._event = _Event()
            self._bytes = 0
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._event.id = value
        elif name == "event":
            self._event.name = value
        elif name == "data":
            self._event.data.append(value)
        elif name == "retry" and _WHOLE.fullmatch(value):
            self._event.retry_ms = int(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class Changes(Generic[Change]):
    """Every change behind a cursor, then each as it comes, until it is closed.

    It is iterated over once. `close` ends it, also from another thread; leaving a `with` block closes it.
    """

    def __init__(self, doors: Doors, after: str | None, options: ChangesOptions) -> None:
        self._doors = doors
        self._cursor = after or _NOW
        self._options = options
        self._silence_seconds = options.get("silence_seconds", _SILENCE_SECONDS)
        self._call = Call(doors.name, None)
        self._pause_seconds = _PAUSE_SECONDS
        self._failures = 0
        self._is_by_pages = False
        self._closed = threading.Event()
        self._connection: EventConnection | None = None
        self._changes = self._read()

    def __iter__(self) -> Changes[Change]:
        return self

    def __next__(self) -> Change:
        return next(self._changes)

    def __enter__(self) -> Changes[Change]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the iteration, and closes its connection."""
        self._closed.set()
        connection = self._connection
        if connection is not None:
            connection.shut_down()
        # Another thread that is reading ends by itself.
        with suppress(ValueError):
            self._changes.close()

    def _read(self) -> Generator[Change, None, None]:
        while True:
            error: TidewireError | None = None
            retry_after = 0.0
            try:
                # With a cursor from the beginning, nothing is lost when the first connection breaks.
                if self._cursor == _NOW:
                    self._read_page({"limit": 1})
                yield from self._read_pages() if self._is_by_pages else self._read_stream()
            except (NoReplyError, TimedOutError) as cause:
                error = cause
            except _Refused as cause:
                error = self._passing_refusal(cause.response)
                retry_after = min(retry_after_seconds(cause.response) or 0, _RETRY_AFTER_MAX_SECONDS)
            if self._closed.is_set():
                return
            self._pause_after(error, retry_after)
            if self._closed.is_set():
                return

    def _read_stream(self) -> Generator[Change, None, None]:
        count, is_read = 0, False
        try:
            for event in self._events():
                count += 1
                if event.retry_ms is not None:
                    self._pause_seconds = min(max(event.retry_ms / 1000, _PAUSE_MIN_SECONDS), _PAUSE_MAX_SECONDS)
                if event.name == "gap":
                    self._refuse_gap(event)
                if event.id is None:
                    continue
                is_moved = event.id != self._cursor
                # The first event says where the stream begins: a service that fails behind it is not asked again without a
                # pause.
                if is_moved or count > 1:
                    self._move_to(event.id)
                    is_read = True
                if event.name == "change" and event.data:
                    yield self._decoded(event)
                elif is_moved and "on_cursor" in self._options:
                    self._options["on_cursor"](event.id)
        except TimedOutError:
            self._is_by_pages = count == 0
            raise
        if not is_read:
            raise NoReplyError("the stream ended at its beginning", self._call.operation, None)

    def _events(self) -> Generator[_Event, None, None]:
        bytes_max = self._doors.bytes_max
        reader = _EventReader(bytes_max)
        opened = connect(self._doors.stream({"after": self._cursor}), self._silence_seconds, bytes_max, self._call)
        if isinstance(opened, Response):
            raise _Refused(opened)
        self._connection = opened
        try:
            # It may have been closed while it was opened.
            for piece in () if self._closed.is_set() else opened.pieces():
                try:
                    events = reader.push(piece)
                except ValueError as cause:
                    raise self._unreadable(f"an event that cannot be read: {cause}") from cause
                yield from events
        finally:
            self._connection = None
            opened.close()

    def _read_pages(self) -> Generator[Change, None, None]:
        # A silence that was none of a proxy ends with the first page that fails.
        self._is_by_pages = False
        while not self._closed.is_set():
            before = self._cursor
            wait = min(_PAGE_WAIT_SECONDS, int(self._silence_seconds / 2))
            changes = self._read_page({"limit": _PAGE_CHANGES, "wait": wait})
            yield from changes
            if changes:
                continue
            if self._cursor == before:
                # However fast such pages come, they are not asked for without a pause.
                self._closed.wait(_PAUSE_MIN_SECONDS)
            elif "on_cursor" in self._options:
                self._options["on_cursor"](self._cursor)

    def _read_page(self, more: Mapping[str, Any]) -> list[Change]:
        """Reads a page, and moves on to its end."""
        request = self._doors.page({**more, "after": self._cursor})
        response = send(request, Deadline(self._silence_seconds, self._call), self._doors.bytes_max, self._call)
        if response.status == 204:
            self._move_to(response.headers.get("x-service-next-cursor", self._cursor))
            return []
        if response.status != 200:
            raise _Refused(response)
        body = response.body
        if not isinstance(body, dict) or not isinstance(body.get("changes"), list):
            raise self._unreadable("a page without changes")
        # A log without a change has no cursor yet: whatever comes is behind its start.
        self._move_to(_text(body.get("next")) or (_START if self._cursor == _NOW else self._cursor))
        changes: list[Change] = body["changes"]
        return changes

    def _move_to(self, cursor: str) -> None:
        self._cursor = cursor
        self._failures = 0

    def _decoded(self, event: _Event) -> Any:
        try:
            return read_json("\n".join(event.data))
        except ValueError as cause:
            raise self._unreadable(f"an event that cannot be read: {cause}") from cause

    def _refuse_gap(self, event: _Event) -> NoReturn:
        """Changes behind the cursor are no longer held: to go on without them would be to hide it."""
        gap = self._decoded(event)
        oldest = _text(gap.get("to")) if isinstance(gap, dict) else None
        raise CursorError("cursor_gone", self._cursor, oldest, self._call.operation)

    def _unreadable(self, message: str) -> UnreadableReplyError:
        return UnreadableReplyError(message, self._call.operation, None)

    def _passing_refusal(self, response: Response) -> TidewireError:
        """The error of a refusal that another connection can mend. Raises any other."""
        error = refusal_error(response, self._call)
        if response.status in (408, 429) or response.status >= 500:
            return error
        if isinstance(error, ProblemError) and error.error in _CURSOR_PROBLEMS:
            oldest = _text(error.body.get("oldest"))
            raise CursorError(_CURSOR_PROBLEMS[error.error], self._cursor, oldest, self._call.operation) from error
        raise error

    def _pause_after(self, error: TidewireError | None, retry_after: float) -> None:
        if error is not None:
            self._failures += 1
            if self._failures > self._options.get("failures_max", self._failures):
                raise error
        doublings = min(max(self._failures - 1, 0), _DOUBLINGS_MAX)
        longest = min(self._pause_seconds * 2**doublings, _PAUSE_MAX_SECONDS)
        # Readers whose connections ended together do not come back together.
        pause = retry_after + longest * random.uniform(0.5, 1)
        if "on_reconnect" in self._options:
            self._options["on_reconnect"](error, pause)
        self._closed.wait(pause)
