"""Operations and the options of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict


@dataclass(frozen=True)
class Operation:
    """An operation of the contract, as far as a call needs it."""

    name: str
    method: Literal["GET", "POST"]
    path: str
    credits: int
    """Credits of a call; 0 where it is free."""
    bearer: Literal["none", "optional", "required"]
    """Whether the token is sent. It is sent to no operation that does not take it."""
    accept: str
    """The media types that it is asked for."""


class CallOptions(TypedDict, total=False):
    """Options of one call; what is left out is as the client has it."""

    timeout_seconds: float
    """Bound of the whole call, its retries and their pauses included."""
    retries_max: int
    """How often the call is sent again at most."""
    max_age_seconds: float
    """The oldest data that is accepted, by `_meta.as_of` and the local clock. Older data is a `StaleDataError`; a reply of
    the past (`at`) has the age that was asked for."""
    verify_receipts: bool
    """Whether the receipt of a premium reply is verified."""
    idempotency_key: str | None
    """The key under which a premium call is charged once. By default each call has a new one, which its retries repeat, but
    for calls with `at`, which are charged once a day without one. None sends none: a call of the present is then never sent
    again."""
    on_response: Callable[[int, Mapping[str, str]], None]
    """Sees status and headers of each response, also of those that are retried."""


@dataclass(frozen=True)
class Settings:
    """The options of a call, each with its value."""

    timeout_seconds: float = 30.0
    retries_max: int = 2
    max_age_seconds: float | None = None
    verify_receipts: bool = True
    body_bytes_max: int = 64 * 1024 * 1024
    on_response: Callable[[int, Mapping[str, str]], None] | None = None

    def of_call(self, options: CallOptions) -> Settings:
        """The options of a call: its own, else these."""
        return Settings(
            timeout_seconds=options.get("timeout_seconds", self.timeout_seconds),
            retries_max=options.get("retries_max", self.retries_max),
            max_age_seconds=options.get("max_age_seconds", self.max_age_seconds),
            verify_receipts=options.get("verify_receipts", self.verify_receipts),
            body_bytes_max=self.body_bytes_max,
            on_response=options.get("on_response"),
        )
