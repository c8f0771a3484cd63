"""Claims a payment by a signature of the wallet that paid, and a claim key that its caller keeps."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Protocol, Unpack

from ._errors import NoReplyError, PayerProofError, ProblemError, TimedOutError
from ._options import CallOptions
from .types import PaymentConfirmBody, PaymentConfirmReply, PaymentPending

_CLAIM_TIMEOUT_SECONDS = 40 * 60.0
"""More than the service waits for an unknown transaction."""
_LOST_PAUSE_SECONDS = 5.0
"""Between two confirms after one that had no answer."""
_PAUSE_MIN_SECONDS = 1.0
"""Between any two confirms: the service allows a few in a minute."""
_ASKS_TO_SIGN = ("proof_required", "signature_expired")


class PaymentConfirms(Protocol):
    """The operation that claiming calls: a `Tidewire` has it."""

    def payment_confirm(
        self, body: PaymentConfirmBody, /, **options: Unpack[CallOptions]
    ) -> PaymentConfirmReply | PaymentPending: ...


def new_claim_key() -> str:
    """A new claim key, drawn at random."""
    return f"tw_claim_{secrets.token_hex(32)}"


def _pause_seconds(error: ProblemError | NoReplyError | TimedOutError) -> float | None:
    """The pause after a confirm that failed for now; None after one that will not succeed."""
    if not isinstance(error, ProblemError):
        return _LOST_PAUSE_SECONDS
    if error.status not in (408, 429, 503):
        return None
    seconds = error.retry_after_seconds
    return _LOST_PAUSE_SECONDS if seconds is None else max(_PAUSE_MIN_SECONDS, seconds)


def claim_by_signature(
    client: PaymentConfirms,
    transaction_hash: str,
    sign: Callable[[str], str],
    *,
    claim_key: str | None = None,
    payer: str | None = None,
    on_claim_key: Callable[[str], None] | None = None,
    claim_timeout_seconds: float = _CLAIM_TIMEOUT_SECONDS,
) -> PaymentConfirmReply:
    """Confirms a payment with a signature of the wallet that paid until its credits are there, and gives the token.

    The credits go to the holder of the claim key, so that the signature is of no use without it. Without `claim_key` a new
    one is made. `on_claim_key` gets the key before anything is signed: store it there, as the token is given again for it
    alone, with another signature. `sign` signs a text (EIP-191). A contract wallet is named as `payer`. A client with a token
    adds the credits to that token instead.
    """
    key = new_claim_key() if claim_key is None else claim_key
    if on_claim_key is not None:
        on_claim_key(key)
    body: PaymentConfirmBody = {"tx_hash": transaction_hash, "claim_key": key}
    if payer is not None:
        body["payer"] = payer
    ends_at = time.monotonic() + claim_timeout_seconds
    signed_text: str | None = None
    while True:
        try:
            reply = client.payment_confirm(body)
            if "status" not in reply:
                return reply
            pause = max(_PAUSE_MIN_SECONDS, reply["retry_after_seconds"])
        except PayerProofError as refused:
            text, until = refused.text_to_sign, refused.signature_until
            # What is signed must be this claim and none other; and each text is signed once.
            if refused.reason not in _ASKS_TO_SIGN or text is None or text == signed_text:
                raise
            if transaction_hash.lower() not in text:
                raise
            body["signature"], body["signature_until"], signed_text = sign(text), until, text
            continue
        except (ProblemError, NoReplyError, TimedOutError) as failed:
            wait = _pause_seconds(failed)
            if wait is None:
                raise
            pause = wait
        if time.monotonic() + pause > ends_at:
            raise TimedOutError("the payment is not claimed yet", "claim", None)
        time.sleep(pause)
