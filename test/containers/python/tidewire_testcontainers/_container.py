from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict, Unpack
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from testcontainers.core.container import DockerContainer
from tidewire_client import Tidewire
from typing_extensions import Self

#: The image of this release: none that moves.
IMAGE = "tidewire:0.1.0-demo"

API_PORT = 8787
ADMIN_PORT = 9787
SQL_PORT = 8123
WORLD_PORT = 9090
CHAIN_PORT = 8545

#: The data is simulated, so that its password is no secret.
ANALYST_PASSWORD = "tidewire"

STARTUP_TIMEOUT_SECONDS = 180.0
REQUEST_TIMEOUT_SECONDS = 30.0
#: The clock answers when all that is due is served, a few seconds for each half hour where everything is offered.
CLOCK_TIMEOUT_SECONDS = 600.0
#: Sources are polled at least this often, so that a fault and its end are soon seen.
POLL_SECONDS = 2
#: A reply may be read shortly before it is counted.
COUNTED_WITHIN_SECONDS = 2.0
BACKUP_PATH = "/tmp/begin.backup"
LOG_MAX_CHARACTERS = 20_000

FaultKind = Literal[
    "latency",
    "server-error",
    "unauthorized",
    "rate-limited",
    "cut-body",
    "wrong-type",
    "wrong-content-type",
    "frozen",
    "future",
    "past",
    "hostile-text",
    "huge-body",
    "bomb",
    "many-objects",
    "deep-json",
    "redirect",
    "not-json",
    "no-body",
    "echo",
    "empty",
    "reset",
    "flapping",
    "announces",
    "hostile-headers",
]


class Fault(TypedDict):
    """A fault of one upstream host, or of every one (`*`), until it is healed."""

    host: str
    kind: FaultKind
    #: Milliseconds of `latency`; seconds of `Retry-After` for `rate-limited`; days of `future` and `past`.
    amount: NotRequired[float]
    #: Only for paths that begin so.
    path: NotRequired[str]


class Clock(TypedDict):
    """The clock of the container: its world, its chain and the service."""

    now: str
    #: Whether it stands.
    frozen: bool


class Answer(TypedDict):
    """What an upstream answers to requests of a path, in the wire format of its provider."""

    host: str
    #: The whole path, without a query.
    path: str
    #: Sent as JSON, or as it is where it is text.
    body: Any
    #: 200 by default.
    status: NotRequired[int]
    contentType: NotRequired[str]


class RequestedDocument(TypedDict):
    """A document of an upstream, and how often it was asked for."""

    host: str
    path: str
    count: int


class ClientOptions(TypedDict, total=False):
    """Options of a client, as its constructor has them."""

    token: str | None
    timeout_seconds: float
    retries_max: int
    max_age_seconds: float | None
    verify_receipts: bool
    body_bytes_max: int


_CALLS = re.compile(r'^tidewire_api_requests_total\{endpoint="([^"]*)"[^}]*\} (\d+)$', re.MULTILINE)


class TidewireContainer(DockerContainer):
    """Tidewire with a simulated world, a local chain and every role, in one container.

    Several may run at once, each on random ports of this machine.
    """

    def __init__(self, image: str | None = None, **kwargs: Any) -> None:
        """Takes the image of this release, or another one: by the variable TIDEWIRE_IMAGE, or by its name here."""
        super().__init__(image or os.environ.get("TIDEWIRE_IMAGE") or IMAGE, **kwargs)
        self._offered: Sequence[str] = ()
        self._credits: int | None = None
        self._token: str | None = None
        self._wallet: str | None = None
        self._endpoints: dict[str, str] = {}
        self._counts_at_start: Counter[str] = Counter()
        self.with_exposed_ports(API_PORT, ADMIN_PORT, SQL_PORT, WORLD_PORT, CHAIN_PORT)
        self.with_envs(
            ADMIN_HOST="0.0.0.0",
            WORLD_HOST="0.0.0.0",
            WORLD_PORT=str(WORLD_PORT),
            WORLD_OUTAGES="off",
            CHAIN_PORT=str(CHAIN_PORT),
            CLICKHOUSE_ANALYST_PASSWORD=ANALYST_PASSWORD,
            POLL_SECONDS_MAX=str(POLL_SECONDS),
        )

    def with_seed(self, seed: str) -> Self:
        """Chooses the world: the same seed, the same world."""
        return self.with_env("WORLD_SEED", seed)

    def with_offered(self, paths: Sequence[str]) -> Self:
        """Offers these endpoints of data alone (their paths), so that it starts sooner and polls less."""
        self._offered = tuple(paths)
        return self.with_env("WORLD_OFFERED", ",".join(paths))

    def with_time_frozen_at(self, instant: str | datetime) -> Self:
        """The clock of the container stands at this instant (`2026-11-20T00:00Z`) from the start on.

        The same seed then gives the same replies. `advance` moves it on. A `datetime` needs its zone.
        """
        if isinstance(instant, str):
            return self.with_env("WORLD_TIME", instant)
        return self.with_env("WORLD_TIME", instant.isoformat(timespec="milliseconds"))

    def with_credits(self, credits: int) -> Self:
        """Opens an account with so many credits: `token` of the started container spends them."""
        if credits < 1:
            raise ValueError("with_credits: must be a whole number above 0")
        self._credits = credits
        return self

    def with_faults(self, faults: Sequence[Fault]) -> Self:
        """Faults of upstreams from the first poll on."""
        return self.with_env("WORLD_FAULTS", json.dumps(list(faults)))

    def without_past(self) -> Self:
        """Leaves out the day before the start: it is the first start of a service that has seen nothing."""
        return self.with_env("WORLD_PAST", "off")

    def with_backup(self, file: str) -> Self:
        """Begins with a backup of this machine, in place of the day before the start."""
        return self.with_volume_mapping(file, BACKUP_PATH, "ro").with_env("WORLD_BACKUP", BACKUP_PATH)

    def start(self) -> Self:
        """Starts it, and waits until no offered reply is still to come.

        A failure has the last lines of the container's output.
        """
        try:
            super().start()
            self._wait_until_ready()
            if self._credits is not None:
                granted = ["ledger", "grant", "new", str(self._credits)]
                reasons = ["--operator", "testcontainers", "--reason", "test", "--json"]
                self._token = self._run_inside("infra/commands/main.js", *granted, *reasons)["token"]
            facts = self._run_inside("test/world/wait-filled.ts", *self._offered)
            self._wallet, self._endpoints = facts["wallet"], facts["endpoints"]
            self._counts_at_start = self._counts()
        except Exception as cause:
            output = self._output()
            self.stop()
            raise RuntimeError(f"Tidewire did not start: {cause}\n{output}") from cause
        return self

    @property
    def url(self) -> str:
        """Address of the API."""
        return self._address(API_PORT)

    @property
    def mcp_url(self) -> str:
        """Address of the MCP server."""
        return f"{self.url}/api/mcp"

    @property
    def sql_url(self) -> str:
        """ClickHouse's HTTP interface as the user `analyst`, with the password: queries are posted to it."""
        return f"{self._address(SQL_PORT)}/?user=analyst&password={ANALYST_PASSWORD}&database=tidewire"

    @property
    def rpc_url(self) -> str:
        """Address of the local chain (JSON-RPC, id 8453, a block a second)."""
        return self._address(CHAIN_PORT)

    @property
    def wallet(self) -> str:
        """The wallet that is paid to."""
        if self._wallet is None:
            raise RuntimeError("the image has no chain, so that nothing can be bought")
        return self._wallet

    @property
    def token(self) -> str:
        """The bearer token of the credits. Raises without `with_credits`."""
        if self._token is None:
            raise RuntimeError("there is no token: start the container with_credits")
        return self._token

    def client(self, **options: Unpack[ClientOptions]) -> Tidewire:
        """The typed client of this container, with its token if it has one."""
        merged: ClientOptions = {"token": self._token, **options}
        return Tidewire(self.url, **merged)

    def fault(self, host: str, kind: FaultKind, *, amount: float | None = None, path: str | None = None) -> None:
        """Adds a fault, from the next request to that upstream on."""
        fault = Fault(host=host, kind=kind)
        if amount is not None:
            fault["amount"] = amount
        if path is not None:
            fault["path"] = path
        self._put_faults([*json.loads(_read(self._world_url("faults"))), fault])

    def heal(self) -> None:
        """Ends every fault."""
        self._put_faults([])

    def set_answer(self, answer: Answer) -> None:
        """An upstream answers this to requests of a path from now on, in place of what the world says.

        The decoder of its source reads it as every other document of the provider.
        """
        answers: list[Answer] = json.loads(_read(self._world_url("answers")))
        place = (answer["host"], answer["path"])
        others = [one for one in answers if (one["host"], one["path"]) != place]
        _put(self._world_url("answers"), [*others, answer])

    def clear_answers(self) -> None:
        """Every upstream answers as the world does again."""
        _put(self._world_url("answers"), [])

    def set_feed(self, path: str, items: Sequence[Mapping[str, Any]]) -> None:
        """The provider of a feed publishes these items from now on, and no others.

        They are given in the form of the rows of an endpoint, and pass the decoder of their source. Raises with the endpoints
        that can be given where this is none of them, and with the member that is wrong.
        """
        feeds: dict[str, Any] = json.loads(_read(self._world_url("feeds")))
        _put(self._world_url("feeds"), {**feeds, path: list(items)})

    def clear_feeds(self) -> None:
        """Every provider publishes what the world says again."""
        _put(self._world_url("feeds"), {})

    def requested_documents(self) -> list[RequestedDocument]:
        """The documents of upstreams that were asked for since the start: what the offered endpoints read."""
        documents: list[RequestedDocument] = json.loads(_read(self._world_url("requests")))
        return documents

    def clock(self) -> Clock:
        """The clock of the container."""
        clock: Clock = json.loads(_read(self._world_url("clock")))
        return clock

    def set_clock(
        self, *, frozen: bool | None = None, advance: str | None = None, instant: str | None = None
    ) -> Clock:
        """Sets the clock: a way forward or a later instant, and whether it stands from then on.

        Returns when all that is due by then was polled, and is served.
        """
        wish = {"frozen": frozen, "advance": advance, "time": instant}
        given = {name: value for name, value in wish.items() if value is not None}
        clock: Clock = json.loads(_put(self._world_url("clock"), given, CLOCK_TIMEOUT_SECONDS))
        return clock

    def advance(self, duration: str) -> Clock:
        """Moves the clock on (`90s`, `15m`, `2h`, `3d`). Returns when all that is due by then was polled, and is served."""
        return self.set_clock(advance=duration)

    def calls_of(self, path: str) -> int:
        """How often the API was asked for a path since the start, refused requests included."""
        if path not in self._endpoints:
            raise ValueError(f"the API has no path {path}")
        endpoint = self._endpoints[path]
        return self._counts()[endpoint] - self._counts_at_start[endpoint]

    def verify_called(self, path: str, times: int) -> None:
        """Raises AssertionError unless the API was asked for a path exactly so often."""
        deadline = time.monotonic() + COUNTED_WITHIN_SECONDS
        calls = self.calls_of(path)
        while calls < times and time.monotonic() < deadline:
            time.sleep(0.05)
            calls = self.calls_of(path)
        if calls != times:
            raise AssertionError(f"{path} was asked for {calls} times, not {times}")

    def _world_url(self, what: Literal["answers", "clock", "faults", "requests"]) -> str:
        return f"{self._address(WORLD_PORT)}/_world/{what}"

    def _put_faults(self, faults: Sequence[Fault]) -> None:
        _put(self._world_url("faults"), faults)

    def _address(self, port: int) -> str:
        return f"http://{self.get_container_host_ip()}:{self._get_exposed_port(port)}"

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + STARTUP_TIMEOUT_SECONDS
        container = self._docker_container()
        while True:
            container.reload()
            if container.status not in ("created", "running"):
                raise RuntimeError(f"the container has {container.status}")
            try:
                _read(f"{self._address(ADMIN_PORT)}/readyz")
                return
            except (OSError, URLError) as cause:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"it is not ready: {cause}") from cause
            time.sleep(0.2)

    def _run_inside(self, program: str, *words: str) -> Any:
        """Runs a program of the image and gives the JSON that it printed."""
        result = self._docker_container().exec_run(["node", program, *words], demux=True)
        printed, complained = (part.decode() if part else "" for part in result.output)
        if result.exit_code != 0:
            raise RuntimeError(f"{program} ended with {result.exit_code}: {complained}{printed}")
        return json.loads(printed)

    def _counts(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for endpoint, count in _CALLS.findall(_read(f"{self._address(ADMIN_PORT)}/metrics")):
            counts[endpoint] += int(count)
        return counts

    def _output(self) -> str:
        if self._container is None:
            return ""
        logs: bytes = self._docker_container().logs()
        return logs.decode(errors="replace")[-LOG_MAX_CHARACTERS:]

    def _docker_container(self) -> Any:
        """The container of the Docker package, which has no types."""
        return self.get_wrapped_container()


def _read(request: str | Request, timeout: float = REQUEST_TIMEOUT_SECONDS) -> str:
    with urlopen(request, timeout=timeout) as response:
        text: bytes = response.read()
    return text.decode()


def _put(url: str, body: object, timeout: float = REQUEST_TIMEOUT_SECONDS) -> str:
    try:
        return _read(Request(url, data=json.dumps(body).encode(), method="PUT"), timeout)
    except HTTPError as refused:
        raise RuntimeError(f"{url} answered {refused.code}: {refused.read().decode()}") from refused
