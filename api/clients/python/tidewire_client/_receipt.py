"""Verification of receipts: offline, with the public keys of the service."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _ed25519
from ._canonical import canonical_sha256, read_json
from ._errors import ReceiptProblem

_JWS_CHARACTERS_MAX = 4_096
_ALGORITHM = "EdDSA"
_TYPE = "tidewire-receipt+jws"
_TEXTS = ("iss", "jti", "time", "endpoint", "request_sha256", "response_sha256")


@dataclass(frozen=True)
class ReceiptRequest:
    """The request that a reply belongs to; its parameters as the texts that were sent."""

    method: str
    path: str
    query: Mapping[str, str]


@dataclass(frozen=True)
class ReceiptVerdict:
    """The result of a verification. `payload` is None unless the receipt is valid, `problem` None where it is."""

    valid: bool
    problem: ReceiptProblem | None
    payload: dict[str, Any] | None


def _refused(problem: ReceiptProblem) -> ReceiptVerdict:
    return ReceiptVerdict(valid=False, problem=problem, payload=None)


def _base64url(text: str) -> bytes | None:
    """The bytes of a text in base64url; None where it is none, or has stray bits at its end."""
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.urlsafe_b64encode(decoded).decode("ascii").rstrip("=") == text else None


def _object(encoded: bytes) -> dict[str, Any]:
    """The JSON object of some bytes; an empty one where they are none."""
    try:
        value = read_json(encoded.decode("utf-8"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _key_of(keys: Mapping[str, Any], kid: str) -> bytes | None:
    listed = keys.get("keys")
    for key in listed if isinstance(listed, list) else []:
        if isinstance(key, dict) and (key.get("kid"), key.get("kty"), key.get("crv")) == (kid, "OKP", "Ed25519"):
            decoded = _base64url(str(key.get("x")))
            return decoded if decoded is not None and len(decoded) == 32 else None
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_payload(payload: dict[str, Any]) -> bool:
    reason, entry = payload.get("reason"), payload.get("ledger")
    return (
        payload.get("v") == 1
        and all(isinstance(payload.get(name), str) and payload[name] != "" for name in _TEXTS)
        and _is_count(payload.get("credits"))
        and "reason" in payload
        and (reason is None or isinstance(reason, str))
        and "ledger" in payload
        and (
            entry is None
            or isinstance(entry, dict)
            and _is_count(entry.get("account_sequence"))
            and isinstance(entry.get("entry_sha256"), str)
        )
    )


def _verify_signature(jws: str, keys: Mapping[str, Any]) -> ReceiptVerdict:
    parts = [_base64url(part) for part in jws.split(".")] if len(jws) <= _JWS_CHARACTERS_MAX else []
    if len(parts) != 3 or parts[0] is None or parts[1] is None or parts[2] is None:
        return _refused("malformed")
    header, payload = _object(parts[0]), _object(parts[1])
    kid = header.get("kid")
    if header != {"alg": _ALGORITHM, "typ": _TYPE, "kid": kid} or not isinstance(kid, str) or kid == "":
        return _refused("malformed")
    key = _key_of(keys, kid)
    if key is None:
        return _refused("unknown_key")
    if not _ed25519.verify(key, jws.rpartition(".")[0].encode("ascii"), parts[2]):
        return _refused("wrong_signature")
    if not _is_payload(payload):
        return _refused("malformed")
    return ReceiptVerdict(valid=True, problem=None, payload=payload)


def _sha256(value: Any) -> str | None:
    try:
        return canonical_sha256(value)
    except (ValueError, RecursionError):
        return None


def verify_receipt(
    reply: Mapping[str, Any], keys: Mapping[str, Any], request: ReceiptRequest | None = None
) -> ReceiptVerdict:
    """Verifies a premium reply and its receipt offline.

    Checks the signature, that the reply is the signed one, and, where `request` is given, that it was signed for that
    request. Pin `keys` (a JSON Web Key Set), or fetch them over https from the service itself.
    """
    receipt = reply.get("receipt")
    if not isinstance(receipt, dict) or not isinstance(receipt.get("jws"), str):
        return _refused("malformed")
    verdict = _verify_signature(receipt["jws"], keys)
    if verdict.payload is None:
        return verdict
    body = {name: value for name, value in reply.items() if name != "receipt"}
    if _sha256(body) != verdict.payload["response_sha256"]:
        return _refused("body_differs")
    if receipt.get("id") != verdict.payload["jti"]:
        return _refused("id_differs")
    if request is None:
        return verdict
    asked = {"method": request.method.upper(), "path": request.path, "query": dict(request.query)}
    return verdict if _sha256(asked) == verdict.payload["request_sha256"] else _refused("request_differs")
