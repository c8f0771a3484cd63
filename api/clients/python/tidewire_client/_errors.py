"""The errors of the client."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

ReceiptProblem: TypeAlias = Literal[
    "malformed",
    "unknown_key",
    "wrong_signature",
    "body_differs",
    "id_differs",
    "request_differs",
    "keys_unavailable",
]
"""Why a receipt does not hold, or could not be verified."""


class TidewireError(Exception):
    """Base of every error of this client.

    `idempotency_key` is the key of a premium call: under it the call can be sent again, charged once.
    """

    def __init__(self, message: str, operation: str, idempotency_key: str | None) -> None:
        super().__init__(f"{operation}: {message}")
        self.operation = operation
        self.idempotency_key = idempotency_key


class ProblemError(TidewireError):
    """The service refused the call, or failed, and said why."""

    def __init__(
        self,
        status: int,
        body: dict[str, Any],
        retry_after_seconds: int | None,
        operation: str,
        idempotency_key: str | None,
    ) -> None:
        super().__init__(f"{status} {body['error']}: {body['message']}", operation, idempotency_key)
        self.status = status
        self.body = body
        self.error: str = body["error"]
        """The code of the contract, such as `invalid_parameter` or `rate_limited`."""
        self.parameter: str | None = body.get("parameter")
        self.allowed: list[str] | None = body.get("allowed")
        self.retry_after_seconds = retry_after_seconds
        """When a retry makes sense; None where that is not known."""


class PaymentRequiredError(ProblemError):
    """A token, credits or a payment are missing, or billing is unavailable."""

    @property
    def signup(self) -> str:
        """Address of the page that explains how credits are bought."""
        return str(self.body["signup"])

    @property
    def pricing(self) -> dict[str, str]:
        """Credits by price key."""
        return dict(self.body["pricing"])


class PayerProofError(ProblemError):
    """The payment must be proved: the payer signs `text_to_sign`."""

    @property
    def reason(self) -> str:
        """Why: `proof_required`, `signature_expired` and others of the contract."""
        return str(self.body.get("reason"))

    @property
    def text_to_sign(self) -> str | None:
        """The text that the paying wallet signs (EIP-191); None where it is not said where the credits go."""
        text = self.body["text_to_sign"]
        return text if isinstance(text, str) else None

    @property
    def signature_until(self) -> str | None:
        """The day that the text names, which is sent with the signature."""
        day = self.body.get("signature_until")
        return day if isinstance(day, str) else None


class AlreadyCreditedError(ProblemError):
    """The payment was credited to another claimant before: `next_step` says how its owner goes on."""

    @property
    def next_step(self) -> str:
        """The next step of the account's owner."""
        return str(self.body["next_step"])


CursorProblem: TypeAlias = Literal["cursor_gone", "other_log", "future_cursor"]
"""Why changes cannot be read on from a cursor."""


class CursorError(TidewireError):
    """Changes cannot be read on from a cursor, so what was made of them may lack some: read the data anew.

    `cursor_gone`: some of them are no longer held. `other_log`, `future_cursor`: the service has another log than the one
    that gave the cursor.
    """

    def __init__(self, error: CursorProblem, cursor: str, oldest: str | None, operation: str) -> None:
        super().__init__(f"{error}: changes cannot be read on from {cursor}", operation, None)
        self.error: CursorProblem = error
        self.cursor = cursor
        """The cursor that was refused."""
        self.oldest = oldest
        """The place before all changes that are still held; None where the cursor is of another log."""


class NoReplyError(TidewireError):
    """There was no reply: the connection could not be made, or broke. A paid call may have been charged: repeat its key."""


class TimedOutError(TidewireError):
    """The call took longer than its timeout. A paid call may have been charged: repeat its key."""


class UnreadableReplyError(TidewireError):
    """The reply is not one of the service: not JSON where JSON is documented, a redirect, or too large."""


class StaleDataError(TidewireError):
    """The data is older than `max_age_seconds`, or of unknown age. `reply` holds what was refused."""

    def __init__(
        self, as_of: str | None, max_age_seconds: float, reply: Any, operation: str, idempotency_key: str | None
    ) -> None:
        age = "the age of the data is unknown" if as_of is None else f"the data of {as_of} is too old"
        super().__init__(f"{age}: {max_age_seconds} seconds are accepted", operation, idempotency_key)
        self.as_of = as_of
        self.reply = reply


class ReceiptError(TidewireError):
    """The receipt of a paid reply does not hold, or could not be verified. `reply` holds what was paid for."""

    def __init__(self, problem: ReceiptProblem, reply: Any, operation: str, idempotency_key: str | None) -> None:
        super().__init__(f"the receipt is not verified: {problem}", operation, idempotency_key)
        self.problem: ReceiptProblem = problem
        self.reply = reply


def problem_error(
    status: int, body: Any, retry_after_seconds: int | None, operation: str, idempotency_key: str | None
) -> ProblemError | None:
    """The error that a refusal is; None where the body is no problem of the contract."""
    if not isinstance(body, dict) or not isinstance(body.get("error"), str) or not isinstance(body.get("message"), str):
        return None
    kind = ProblemError
    if body["error"] == "payer_proof_required" and "text_to_sign" in body:
        kind = PayerProofError
    elif body["error"] == "already_credited" and "next_step" in body:
        kind = AlreadyCreditedError
    elif "signup" in body and "pricing" in body:
        kind = PaymentRequiredError
    return kind(status, body, retry_after_seconds, operation, idempotency_key)
