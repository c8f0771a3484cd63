"""A program over the client in Python: that it passes `mypy --strict`, with nothing asserted, is its test."""

from __future__ import annotations

from tidewire_client import CursorError, PaymentRequiredError, ProblemError, Tidewire, claim_by_signature
from tidewire_client.types import EarthquakeDataEarthquakesItem, FeatureCollection

tidewire = Tidewire("http://127.0.0.1:8080", max_age_seconds=600)


def strongest() -> EarthquakeDataEarthquakesItem | None:
    reply = tidewire.earthquake()
    data = reply["data"]
    if data is None:
        raise LookupError(reply["_meta"].get("reason", "warming"))
    return max(data["earthquakes"], key=lambda quake: quake["magnitude"] or 0.0, default=None)


def formats() -> tuple[str, FeatureCollection, int]:
    table = tidewire.climate_earthquakes(period="week", format="csv")
    places = tidewire.climate_earthquakes(magnitude="4.5", format="geojson")
    rows = tidewire.climate_earthquakes(limit=10, timeout_seconds=1.0)["data"]
    return table, places, 0 if rows is None else rows["count"]


def chosen() -> list[str]:
    reply = tidewire.climate_earthquakes(period="day", fields=["place", "magnitude"])
    table = tidewire.climate_earthquakes(fields=["place"], format="csv")
    return [table, *(str(quake["place"]) for quake in reply["data"]["earthquakes"])]


def before(instant: str) -> str | None:
    past = tidewire.earthquake(at=instant)["_meta"].get("at")
    paid = tidewire.pro_macro(at="now")["_meta"].get("at")
    if past is None or paid is None:
        raise LookupError("a reply of the present")
    return past["cursor"] or paid["known_at"]


def follow(stored: str | None, cursors: list[str]) -> str | None:
    try:
        with tidewire.changes(after=stored, feeds=["earthquakes"], types=["gone"], on_cursor=cursors.append) as changes:
            for change in changes:
                cursors.append(change["cursor"])
        page = tidewire.changes_page(after="now", wait=20)
        return None if page is None else page["next"]
    except CursorError as lost:
        return lost.oldest


def spend(token: str) -> str:
    try:
        reply = Tidewire("http://127.0.0.1:8080", token=token).pro_briefing(include=["earthquakes"])
        quakes = reply["sections"].get("earthquakes")
        latest = None if quakes is None else quakes["latest"]
        return f"{reply['billing']['credits_remaining']} {'nowhere' if latest is None else latest['place']}"
    except PaymentRequiredError as refused:
        return f"{refused.signup} {refused.pricing['1_usd']}"
    except ProblemError as refused:
        return f"{refused.error} {refused.allowed or refused.parameter}"


def confirm(transaction_hash: str, memo: str) -> str:
    reply = tidewire.payment_confirm({"tx_hash": transaction_hash, "nonce": memo})
    if "status" in reply:
        return f"pending: {reply['confirmations']} of {reply['required']}"
    return reply["token"]


def claim(transaction_hash: str, keys: list[str]) -> str:
    reply = claim_by_signature(tidewire, transaction_hash, lambda text: f"0x{text}", on_claim_key=keys.append)
    return reply["token"]
