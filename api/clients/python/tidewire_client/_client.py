"""Calls operations: sends again what was refused for now, makes problems errors, verifies receipts, refuses stale data."""

from __future__ import annotations

import dataclasses
import json
import time
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request

from ._changes import Changes, ChangesOptions, Doors
from ._errors import NoReplyError, ReceiptError, StaleDataError
from ._options import CallOptions, Operation, Settings
from ._receipt import ReceiptRequest, ReceiptVerdict, verify_receipt
from ._transport import Call, Deadline, Response, refusal_error, retry_after_seconds, send

_PAUSE_SECONDS = 0.25
"""The first pause before a request is sent again that had no response; it doubles each time."""
_NOW = "now"
"""`at` that names another instant at each call."""
_IN_FLIGHT = "idempotency_key_in_flight"


def _query_of(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a request, as the texts that are sent: a list is sent as a comma list."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple)):
            return ",".join(map(text, value))
        return str(value)

    return {name: text(value) for name, value in parameters.items() if value is not None}


def _is_paid_once(query: Mapping[str, str]) -> bool:
    """Whether a premium call is paid once a day without a key: it asks for the reply of one instant of the past."""
    return query.get("at", _NOW) != _NOW


def _query_of_receipt(query: Mapping[str, str], body: Mapping[str, Any]) -> Mapping[str, str]:
    """The query that a receipt names: that of the request; of a past reply with its instant in the place of `at`."""
    past = body.get("_meta", {}).get("at") if "at" in query else None
    return query if past is None else {**query, "at": past["known_at"]}


def _is_refused_for_now(operation: Operation, response: Response) -> bool:
    """Whether a refused request had no effect, so that it can be sent again once `Retry-After` has passed."""
    if response.status == 429 or (response.status == 503 and operation.method == "GET"):
        return True
    return response.status == 409 and isinstance(response.body, dict) and response.body.get("error") == _IN_FLIGHT


def _refuse_stale(response: Response, max_age_seconds: float | None, call: Call) -> None:
    body = response.body
    meta = body.get("_meta") if isinstance(body, dict) else None
    if max_age_seconds is None or "memento-datetime" in response.headers:
        # A reply of the past is as old as was asked.
        return
    if isinstance(meta, dict):
        as_of = meta.get("as_of")
    elif isinstance(body, str) and "x-service-as-of" in response.headers:
        # A table has no `_meta`, but its time beside it.
        as_of = response.headers["x-service-as-of"]
    else:
        return
    try:
        age = None if as_of is None else datetime.now(timezone.utc) - datetime.fromisoformat(as_of)
    except (TypeError, ValueError):
        age = None
    if age is None or age.total_seconds() > max_age_seconds:
        known = as_of if isinstance(as_of, str) else None
        raise StaleDataError(known, max_age_seconds, body, call.operation, call.idempotency_key)


class Client:
    """Calls operations of a service. `Tidewire` has a method for each operation.

    `base_url` is the address of the service without the path of an operation. `token` is that of premium calls; it is sent
    to operations that take it alone. `keys` (a JSON Web Key Set) are those that receipts are verified with; by default they
    are read from the service, and again where one is missing. Calls block; a client may be shared by threads.
    """

    user_agent = "tidewire-client-python"
    _keys_operation: Operation

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        keys: Mapping[str, Any] | None = None,
        timeout_seconds: float = Settings.timeout_seconds,
        retries_max: int = Settings.retries_max,
        max_age_seconds: float | None = None,
        verify_receipts: bool = True,
        body_bytes_max: int = Settings.body_bytes_max,
    ) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname or address.query or address.fragment:
            raise ValueError("base_url must be an address of http or https without a query")
        if address.username is not None or address.password is not None:
            raise ValueError("base_url must have no credentials")
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._keys = keys
        self._keys_are_pinned = keys is not None
        self._settings = Settings(
            timeout_seconds=timeout_seconds,
            retries_max=retries_max,
            max_age_seconds=max_age_seconds,
            verify_receipts=verify_receipts,
            body_bytes_max=body_bytes_max,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base_url!r})"

    def _call(self, operation: Operation, parameters: Mapping[str, Any], body: Any, options: CallOptions) -> Any:
        """Calls an operation, and gives the decoded body of its reply."""
        settings = self._settings.of_call(options)
        query = _query_of(parameters)
        is_paid = operation.credits > 0
        is_once = _is_paid_once(query)
        key = options.get("idempotency_key", None if is_once else str(uuid.uuid4())) if is_paid else None
        call = Call(operation.name, key)
        request = self._request(operation, query, body, key)
        deadline = Deadline(settings.timeout_seconds, call)
        retries_max = 0 if is_paid and not is_once and key is None else settings.retries_max
        response = self._send(operation, request, retries_max, settings, deadline, call)
        if not 200 <= response.status <= 299:
            raise refusal_error(response, call)
        if is_paid and settings.verify_receipts:
            self._verify(operation, query, response, settings, deadline, call)
        _refuse_stale(response, settings.max_age_seconds, call)
        return response.body

    def _request(self, operation: Operation, query: Mapping[str, str], body: Any, key: str | None) -> Request:
        search = urlencode(query)
        headers = {"Accept": operation.accept, "User-Agent": self.user_agent}
        if self._token is not None and operation.bearer != "none":
            headers["Authorization"] = f"Bearer {self._token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        content = None if body is None else json.dumps(body).encode("utf-8")
        if content is not None:
            headers["Content-Type"] = "application/json"
        url = f"{self._base_url}{operation.path}{'?' if search else ''}{search}"
        return Request(url, data=content, headers=headers, method=operation.method)

    def _read_changes(
        self, stream: Operation, page: Operation, parameters: Mapping[str, Any], options: ChangesOptions
    ) -> Changes[Any]:
        """Reads changes. `changes` of `Tidewire` calls it with the operations and types of the contract."""

        def request_of(operation: Operation, more: Mapping[str, Any]) -> Request:
            return self._request(operation, _query_of({**parameters, **more}), None, None)

        doors = Doors(
            stream.name, partial(request_of, stream), partial(request_of, page), self._settings.body_bytes_max
        )
        return Changes(doors, parameters.get("after"), options)

    def _send(
        self,
        operation: Operation,
        request: Request,
        retries_max: int,
        settings: Settings,
        deadline: Deadline,
        call: Call,
    ) -> Response:
        """Sends a request until it is answered, or refused for longer than the call may take."""
        retries = 0
        while True:
            try:
                response = send(request, deadline, settings.body_bytes_max, call)
            except NoReplyError:
                pause = _PAUSE_SECONDS * 2**retries
                if operation.method != "GET" or retries >= retries_max or not deadline.allows(pause):
                    raise
            else:
                if settings.on_response is not None:
                    settings.on_response(response.status, response.headers)
                seconds = retry_after_seconds(response) if _is_refused_for_now(operation, response) else None
                if seconds is None or retries >= retries_max or not deadline.allows(seconds):
                    return response
                pause = seconds
            time.sleep(pause)
            retries += 1

    def _verify(
        self,
        operation: Operation,
        query: Mapping[str, str],
        response: Response,
        settings: Settings,
        deadline: Deadline,
        call: Call,
    ) -> None:
        reply = response.body if isinstance(response.body, dict) else {}
        request = ReceiptRequest(operation.method, operation.path, _query_of_receipt(query, reply))

        def checked(keys: Mapping[str, Any]) -> ReceiptVerdict:
            return verify_receipt(reply, keys, request)

        def renewed() -> Mapping[str, Any]:
            try:
                asked = self._request(self._keys_operation, {}, None, None)
                quiet = dataclasses.replace(settings, on_response=None)
                read = self._send(self._keys_operation, asked, settings.retries_max, quiet, deadline, call)
            except Exception as cause:
                raise ReceiptError("keys_unavailable", reply, call.operation, call.idempotency_key) from cause
            listed = read.body.get("keys") if read.status == 200 and isinstance(read.body, dict) else None
            if not isinstance(listed, list):
                raise ReceiptError("keys_unavailable", reply, call.operation, call.idempotency_key)
            keys: Mapping[str, Any] = read.body
            self._keys = keys
            return keys

        known = self._keys
        verdict = checked(renewed() if known is None else known)
        # Keys are rotated: they are read again once for a receipt of an unknown key.
        if verdict.problem == "unknown_key" and known is not None and not self._keys_are_pinned:
            verdict = checked(renewed())
        if verdict.problem is not None:
            raise ReceiptError(verdict.problem, reply, call.operation, call.idempotency_key)
