"""A client of Tidewire.

Printed by `npm run clients` from the contract. Change the contract, or the printer.
"""

from typing import Literal, Unpack, overload

from ._canonical import canonical_json, read_json
from ._claiming import PaymentConfirms, claim_by_signature, new_claim_key
from ._client import Client
from ._errors import (
    AlreadyCreditedError,
    NoReplyError,
    PayerProofError,
    PaymentRequiredError,
    ProblemError,
    ReceiptError,
    ReceiptProblem,
    StaleDataError,
    TidewireError,
    TimedOutError,
    UnreadableReplyError,
)
from ._options import CallOptions, Operation
from ._receipt import ReceiptRequest, ReceiptVerdict, verify_receipt
from .operations import CONTRACT_VERSION, OPERATIONS
from .types import (
    AiCatalogReply,
    AiStackCvesReply,
    AiStatsReply,
    AirQualityReply,
    ApiCatalogReply,
    BriefingReply,
    BtcPriceReply,
    CatalogReply,
    ChainNetworkReply,
    ChangelogJsonReply,
    ChessTvReply,
    ClimateEarthquakesReply,
    ClimateWeatherAlertsReply,
    CodeHostTrendingReply,
    CryptoMoversReply,
    CyberThreatsReply,
    DcatReply,
    DisasterAlertsReply,
    EarthquakeReply,
    EconomicDataReply,
    EventMarketReply,
    ExposureScanReply,
    FaaStatusReply,
    FearGreedReply,
    FeatureCollection,
    FeedReliabilityReply,
    ForexReply,
    FundingRatesReply,
    GamePlatformTopReply,
    HarnessesReply,
    HealthReply,
    HumansInSpaceReply,
    InternetPulseReply,
    JwksReply,
    LaunchesReply,
    LlmToolsReply,
    McpAllBody,
    McpAllReply,
    McpBody,
    McpReply,
    McpServerCardReply,
    McpWellKnownCardReply,
    MetaProReply,
    ModelHubTrendingReply,
    OpenapiReply,
    PaymentBalanceReply,
    PaymentBuyCreditsBody,
    PaymentBuyCreditsReply,
    PaymentConfirmBody,
    PaymentConfirmReply,
    PaymentHistoryReply,
    PaymentInfoReply,
    PaymentPending,
    PaymentRevokeBody,
    PaymentRevokeReply,
    PredictionsReply,
    ProAgentContextReply,
    ProBriefingReply,
    ProCodeHostVelocityReply,
    ProCorrelationMatrixReply,
    ProCryptoDeepReply,
    ProExchangeFlowsReply,
    ProFeedReliabilityHistoryReply,
    ProFeedReliabilityReply,
    ProMacroReply,
    ProSentimentReply,
    ProWhalesReply,
    ProWorldDeltasReply,
    ReactorsReply,
    ReceiptVerifyBody,
    ReceiptVerifyReply,
    ServiceStatusReply,
    SevereWeatherReply,
    SpaceWeatherReply,
    StatusReply,
    StocksReply,
    TechNewsReply,
    TradeHaltsReply,
    TsunamiReply,
    VolcanoesReply,
    WeatherReply,
    WildfiresReply,
    WorldReply,
)

__version__ = CONTRACT_VERSION
__all__ = [
    "CONTRACT_VERSION",
    "OPERATIONS",
    "AlreadyCreditedError",
    "CallOptions",
    "Client",
    "NoReplyError",
    "Operation",
    "PayerProofError",
    "PaymentConfirms",
    "PaymentRequiredError",
    "ProblemError",
    "ReceiptError",
    "ReceiptProblem",
    "ReceiptRequest",
    "ReceiptVerdict",
    "StaleDataError",
    "Tidewire",
    "TidewireError",
    "TimedOutError",
    "UnreadableReplyError",
    "canonical_json",
    "claim_by_signature",
    "new_claim_key",
    "read_json",
    "verify_receipt",
]


class Tidewire(Client):
    """A client of the service, with a method for each operation."""

    user_agent = f"tidewire-client-python/{CONTRACT_VERSION}"
    _keys_operation = OPERATIONS["jwks"]

    def ai_catalog(self, **options: Unpack[CallOptions]) -> AiCatalogReply:
        """What AI clients can connect to: the MCP servers, by their card

        An AI catalog, version 1.0.

        `GET /.well-known/ai-catalog.json`"""
        reply: AiCatalogReply = self._call(OPERATIONS["ai_catalog"], {}, None, options)
        return reply

    def api_catalog(self, **options: Unpack[CallOptions]) -> ApiCatalogReply:
        """Links to what describes this service, as a linkset (RFC 9727)

        Where the contract, the documents, the health and the price list of this service are.

        `GET /.well-known/api-catalog`"""
        reply: ApiCatalogReply = self._call(OPERATIONS["api_catalog"], {}, None, options)
        return reply

    def jwks(self, **options: Unpack[CallOptions]) -> JwksReply:
        """Public keys of receipts, as a JSON Web Key Set

        The first one signs now. Keys that signed before stay, so that their receipts can be verified for ever.

        `GET /.well-known/jwks.json`"""
        reply: JwksReply = self._call(OPERATIONS["jwks"], {}, None, options)
        return reply

    def mcp_well_known_card(self, **options: Unpack[CallOptions]) -> McpWellKnownCardReply:
        """Card of the MCP servers, at its well-known path

        The same as /api/mcp/server-card.

        `GET /.well-known/mcp/server-card.json`"""
        reply: McpWellKnownCardReply = self._call(OPERATIONS["mcp_well_known_card"], {}, None, options)
        return reply

    def security_txt(self, **options: Unpack[CallOptions]) -> str:
        """Where faults of security are reported (RFC 9116)

        404 where the operator names no contact.

        `GET /.well-known/security.txt`"""
        reply: str = self._call(OPERATIONS["security_txt"], {}, None, options)
        return reply

    def catalog(self, **options: Unpack[CallOptions]) -> CatalogReply:
        """Catalog of all endpoints

        Paths, parameters, cache times, prices in credits, and the attribution of the data.

        `GET /api`"""
        reply: CatalogReply = self._call(OPERATIONS["catalog"], {}, None, options)
        return reply

    @overload
    def ai_stack_cves(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> AiStackCvesReply: ...

    @overload
    def ai_stack_cves(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def ai_stack_cves(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> AiStackCvesReply | str: ...

    def ai_stack_cves(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> AiStackCvesReply | str:
        """Vulnerabilities of the AI stack: counts, severity, categories, exploited ones and the gravest

        Known vulnerabilities of 19 packages of the AI stack. Records of one vulnerability in several databases count once, withdrawn ones not at all, and one of several packages once in every total. A vulnerability is exploited if CISA's catalogue lists it.

        `GET /api/ai-stack-cves`

        format: Format of the reply. json: the whole reply. csv: a table of `packages` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: AiStackCvesReply | str = self._call(OPERATIONS["ai_stack_cves"], {"format": format}, None, options)
        return reply

    @overload
    def ai_stats(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> AiStatsReply: ...

    @overload
    def ai_stats(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def ai_stats(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> AiStatsReply | str: ...

    def ai_stats(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> AiStatsReply | str:
        """Usage of this service: requests, AI agents, latest calls

        Counted by each API process and reported once a minute. No address and no User-Agent is kept: a client is one of a few kinds, an AI agent one of a closed list of names.

        `GET /api/ai-stats`

        format: Format of the reply. json: the whole reply. csv: a table of `agents`, `recent_calls`, `endpoints_24h` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: AiStatsReply | str = self._call(OPERATIONS["ai_stats"], {"format": format}, None, options)
        return reply

    def air_quality(self, *, lat: float | None = None, lon: float | None = None, **options: Unpack[CallOptions]) -> AirQualityReply:
        """Current air quality at a place

        Values of a model of the atmosphere (CAMS), not of a station, for its grid cell around the point: about 11 km in Europe and 40 km elsewhere. Coordinates are rounded to two decimals. Where one of them is missing or invalid, the defaults of both apply.

        `GET /api/air-quality`

        lat: Latitude, degrees north, -90 to 90 (degrees)

        lon: Longitude, degrees east, -180 to 180 (degrees)"""
        reply: AirQualityReply = self._call(OPERATIONS["air_quality"], {"lat": lat, "lon": lon}, None, options)
        return reply

    def briefing(self, **options: Unpack[CallOptions]) -> BriefingReply:
        """The world in one reply: bitcoin, market mood, earthquakes, predictions, news, services, people in space

        Composed of the same feeds and members as the single endpoints. A section whose feed has never answered is null. `_meta.as_of` and `_meta.stale_after` are those of the oldest part.

        `GET /api/briefing`"""
        reply: BriefingReply = self._call(OPERATIONS["briefing"], {}, None, options)
        return reply

    def btc_price(self, **options: Unpack[CallOptions]) -> BtcPriceReply:
        """Bitcoin price in US dollars, with its movement over 24 hours

        From Coinbase; Kraken stands in when that fails, then Binance: `_meta.sources` says which one speaks. Coinbase gives its volume in bitcoin, valued here at the last price. Kraken gives today's opening price, not that of 24 hours ago, so its `change_24h_percent` is null. Binance counts in Tether, taken as a dollar.

        `GET /api/btc-price`"""
        reply: BtcPriceReply = self._call(OPERATIONS["btc_price"], {}, None, options)
        return reply

    def chain_network(self, **options: Unpack[CallOptions]) -> ChainNetworkReply:
        """Solana's main network: transactions a second, slot, slot time and epoch

        From samples of a minute that the network's nodes keep. Votes of validators are transactions too, about two thirds of them: `tps_non_vote` leaves them out.

        `GET /api/chain-network`"""
        reply: ChainNetworkReply = self._call(OPERATIONS["chain_network"], {}, None, options)
        return reply

    @overload
    def chess_tv(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> ChessTvReply: ...

    @overload
    def chess_tv(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def chess_tv(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ChessTvReply | str: ...

    def chess_tv(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ChessTvReply | str:
        """The featured game of each chess channel: top rated, bullet, blitz, rapid, classical and chess960

        The games that Lichess TV shows. A channel without a game is left out. `best` is often the game of another channel too. The player is the one from whose side the game is shown; ratings are those of Lichess, by variant.

        `GET /api/chess-tv`

        format: Format of the reply. json: the whole reply. csv: a table of `channels` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: ChessTvReply | str = self._call(OPERATIONS["chess_tv"], {"format": format}, None, options)
        return reply

    @overload
    def climate_earthquakes(self, *, magnitude: Literal["significant", "4.5", "2.5", "1.0", "all"] | None = None, period: Literal["hour", "day", "week", "month"] | None = None, format: Literal["json"] | None = None, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]) -> ClimateEarthquakesReply: ...

    @overload
    def climate_earthquakes(self, *, magnitude: Literal["significant", "4.5", "2.5", "1.0", "all"] | None = None, period: Literal["hour", "day", "week", "month"] | None = None, format: Literal["csv"], limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]) -> str: ...

    @overload
    def climate_earthquakes(self, *, magnitude: Literal["significant", "4.5", "2.5", "1.0", "all"] | None = None, period: Literal["hour", "day", "week", "month"] | None = None, format: Literal["geojson"], limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]) -> FeatureCollection: ...

    @overload
    def climate_earthquakes(self, *, magnitude: Literal["significant", "4.5", "2.5", "1.0", "all"] | None = None, period: Literal["hour", "day", "week", "month"] | None = None, format: Literal["json", "csv", "geojson"] | None = None, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]) -> ClimateEarthquakesReply | str | FeatureCollection: ...

    def climate_earthquakes(self, *, magnitude: Literal["significant", "4.5", "2.5", "1.0", "all"] | None = None, period: Literal["hour", "day", "week", "month"] | None = None, format: Literal["json", "csv", "geojson"] | None = None, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]) -> ClimateEarthquakesReply | str | FeatureCollection:
        """Earthquakes by magnitude threshold and period

        Twenty selectable feeds, newest first, with coordinates and a tsunami flag.

        `GET /api/climate/earthquakes`

        magnitude: Least magnitude, or those that the agency calls significant

        period: How far back the list goes

        format: Format of the reply. json: the whole reply. csv: a table of `earthquakes` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `earthquakes` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503

        limit: Most rows of `earthquakes` in the reply, 1 to 1000. Without limit and cursor the list is whole

        cursor: The place after which the page begins, as `next` of an earlier reply holds it. Without limit, up to 1000 rows"""
        reply: ClimateEarthquakesReply | str | FeatureCollection = self._call(OPERATIONS["climate_earthquakes"], {"magnitude": magnitude, "period": period, "format": format, "limit": limit, "cursor": cursor}, None, options)
        return reply

    @overload
    def climate_weather_alerts(self, *, area: Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "VI", "AS", "MP", "PW", "FM", "MH", "AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL"] | None = None, event: str | None = None, severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"] | None = None, urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"] | None = None, status: Literal["Actual", "Exercise", "System", "Test", "Draft"] | None = None, limit: int | None = None, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> ClimateWeatherAlertsReply: ...

    @overload
    def climate_weather_alerts(self, *, area: Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "VI", "AS", "MP", "PW", "FM", "MH", "AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL"] | None = None, event: str | None = None, severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"] | None = None, urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"] | None = None, status: Literal["Actual", "Exercise", "System", "Test", "Draft"] | None = None, limit: int | None = None, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def climate_weather_alerts(self, *, area: Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "VI", "AS", "MP", "PW", "FM", "MH", "AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL"] | None = None, event: str | None = None, severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"] | None = None, urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"] | None = None, status: Literal["Actual", "Exercise", "System", "Test", "Draft"] | None = None, limit: int | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ClimateWeatherAlertsReply | str: ...

    def climate_weather_alerts(self, *, area: Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "VI", "AS", "MP", "PW", "FM", "MH", "AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL"] | None = None, event: str | None = None, severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"] | None = None, urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"] | None = None, status: Literal["Actual", "Exercise", "System", "Test", "Draft"] | None = None, limit: int | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ClimateWeatherAlertsReply | str:
        """Weather alerts in force in the United States, by area, event, severity and urgency

        Alerts of the US National Weather Service that are not cancelled and not over, the gravest first (as /api/severe-weather ranks them). Every filter narrows the list; without `status` only actual alerts are listed.

        `GET /api/climate/weather-alerts`

        area: State, territory or marine area as two letters: an alert matches when one of its zones lies there

        event: Exact name of the event but for case; an unknown one matches nothing

        severity: Severity

        urgency: Urgency

        status: Status of the message; only `Actual` messages are real alerts

        limit: How many alerts at most, 1 to 100

        format: Format of the reply. json: the whole reply. csv: a table of `alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: ClimateWeatherAlertsReply | str = self._call(OPERATIONS["climate_weather_alerts"], {"area": area, "event": event, "severity": severity, "urgency": urgency, "status": status, "limit": limit, "format": format}, None, options)
        return reply

    @overload
    def code_host_trending(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> CodeHostTrendingReply: ...

    @overload
    def code_host_trending(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def code_host_trending(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> CodeHostTrendingReply | str: ...

    def code_host_trending(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> CodeHostTrendingReply | str:
        """Trending repositories: those created in the last 7 days with the most stars

        At most 25 public repositories of GitHub that were created within the last seven days, the most stars first. Descriptions and topics are texts of their owners. What a repository does not state is null.

        `GET /api/code-host-trending`

        format: Format of the reply. json: the whole reply. csv: a table of `repositories` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: CodeHostTrendingReply | str = self._call(OPERATIONS["code_host_trending"], {"format": format}, None, options)
        return reply

    @overload
    def crypto_movers(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> CryptoMoversReply: ...

    @overload
    def crypto_movers(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def crypto_movers(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> CryptoMoversReply | str: ...

    def crypto_movers(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> CryptoMoversReply | str:
        """The 15 coins whose price changed the most in 24 hours, up or down, of the 100 largest

        Of the 100 largest coins by market capitalisation those with a known change, the largest change of either sign first. Prices are averages over markets, by CoinGecko. Symbols are not unique: two coins may share one.

        `GET /api/crypto-movers`

        format: Format of the reply. json: the whole reply. csv: a table of `movers` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: CryptoMoversReply | str = self._call(OPERATIONS["crypto_movers"], {"format": format}, None, options)
        return reply

    @overload
    def cyber_threats(self, *, raw: Literal["false", "true"] | None = None, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> CyberThreatsReply: ...

    @overload
    def cyber_threats(self, *, raw: Literal["false", "true"] | None = None, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def cyber_threats(self, *, raw: Literal["false", "true"] | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> CyberThreatsReply | str: ...

    def cyber_threats(self, *, raw: Literal["false", "true"] | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> CyberThreatsReply | str:
        """Malware URLs, indicators of compromise and exploited vulnerabilities, the newest first

        The newest 20 malware addresses of URLhaus, indicators of compromise of ThreatFox and additions to CISA's catalogue of exploited vulnerabilities. Indicators are defanged, so that no program opens what it reads.

        `GET /api/cyber-threats`

        raw: Whether rows hold the indicator as it is (`indicator_raw`) too, for blocklists

        format: Format of the reply. json: the whole reply. csv: a table of `threats` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: CyberThreatsReply | str = self._call(OPERATIONS["cyber_threats"], {"raw": raw, "format": format}, None, options)
        return reply

    @overload
    def disaster_alerts(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> DisasterAlertsReply: ...

    @overload
    def disaster_alerts(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def disaster_alerts(self, *, format: Literal["geojson"], **options: Unpack[CallOptions]) -> FeatureCollection: ...

    @overload
    def disaster_alerts(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> DisasterAlertsReply | str | FeatureCollection: ...

    def disaster_alerts(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> DisasterAlertsReply | str | FeatureCollection:
        """Current disasters of the whole world: earthquakes, cyclones, floods, volcanoes, droughts, wildfires, tsunamis

        What the Global Disaster Alert and Coordination System lists as current, red before orange before green, then by the latest update, at most 100; `total` and `counts_by_level` count all. `is_current` is the system's own flag, which is false for every drought. Levels estimate the need of help from abroad. No substitute for local warnings.

        `GET /api/disaster-alerts`

        format: Format of the reply. json: the whole reply. csv: a table of `alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `alerts` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503"""
        reply: DisasterAlertsReply | str | FeatureCollection = self._call(OPERATIONS["disaster_alerts"], {"format": format}, None, options)
        return reply

    @overload
    def earthquake(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> EarthquakeReply: ...

    @overload
    def earthquake(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def earthquake(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> EarthquakeReply | str: ...

    def earthquake(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> EarthquakeReply | str:
        """Earthquakes of the last 24 hours, magnitude 2.5 and above

        Newest first, worldwide. Volcanic eruptions, landslides, ice quakes and avalanches are listed too.

        `GET /api/earthquake`

        format: Format of the reply. json: the whole reply. csv: a table of `earthquakes` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: EarthquakeReply | str = self._call(OPERATIONS["earthquake"], {"format": format}, None, options)
        return reply

    def economic_data(self, **options: Unpack[CallOptions]) -> EconomicDataReply:
        """US interest rates, prices, unemployment, growth and yields

        The newest number of each series, as published by the Federal Reserve Bank of St. Louis (FRED), and the one before. `date` is the first day of the period: a monthly number of 2026-07-01 is that of July.

        `GET /api/economic-data`"""
        reply: EconomicDataReply = self._call(OPERATIONS["economic_data"], {}, None, options)
        return reply

    @overload
    def event_market(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> EventMarketReply: ...

    @overload
    def event_market(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def event_market(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> EventMarketReply | str: ...

    def event_market(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> EventMarketReply | str:
        """Open events of a regulated exchange by volume of the last 24 hours: leading answer and its probability

        Events of Kalshi, a US exchange for event contracts, without sports, largest 24-hour volume first. A contract pays one dollar if its answer comes true, so its price is a probability: the last trade, or the middle of bid and ask where they are at most 10 cents apart. Probabilities of an event's answers need not add up to 100.

        `GET /api/event-market`

        format: Format of the reply. json: the whole reply. csv: a table of `markets` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: EventMarketReply | str = self._call(OPERATIONS["event_market"], {"format": format}, None, options)
        return reply

    def exposure_scan(self, *, ip: str | None = None, **options: Unpack[CallOptions]) -> ExposureScanReply:
        """Open ports, CVEs, hostnames, tags and CPEs of a public IPv4 address

        With ip, what a public database of internet scans knows about the address; without it, six well-known public hosts. Requested addresses stand in no log, table or metric, and their replies are kept in memory for at most a day.

        `GET /api/exposure-scan`

        ip: Public IPv4 address in four decimal parts; private and reserved ranges are refused"""
        reply: ExposureScanReply = self._call(OPERATIONS["exposure_scan"], {"ip": ip}, None, options)
        return reply

    @overload
    def faa_status(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> FaaStatusReply: ...

    @overload
    def faa_status(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def faa_status(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> FaaStatusReply | str: ...

    def faa_status(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> FaaStatusReply | str:
        """US airports: ground stops, ground delay programs, delays and closures, with reasons

        Empty lists mean that all is clear. Many closures hold at certain hours only: `closed_now` says whether the airport is closed at this moment, null where the hours of the notice are not read. A notice that closes an airport to some users alone (such as unscheduled general aviation) stands in `restrictions`, which `total_events` does not count.

        `GET /api/faa-status`

        format: Format of the reply. json: the whole reply. csv: a table of `ground_stops`, `ground_delays`, `closures`, `delays`, `restrictions` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: FaaStatusReply | str = self._call(OPERATIONS["faa_status"], {"format": format}, None, options)
        return reply

    def fear_greed(self, **options: Unpack[CallOptions]) -> FearGreedReply:
        """Crypto Fear & Greed Index of today

        The index of alternative.me, published once a day shortly after 00:00 UTC.

        `GET /api/fear-greed`"""
        reply: FearGreedReply = self._call(OPERATIONS["fear_greed"], {}, None, options)
        return reply

    @overload
    def feed_reliability(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> FeedReliabilityReply: ...

    @overload
    def feed_reliability(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def feed_reliability(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> FeedReliabilityReply | str: ...

    def feed_reliability(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> FeedReliabilityReply | str:
        """How reliable each feed has been over the last seven days

        Every five minutes each scheduled feed is judged: ok (confirmed within its promise), stale (a good value exists, but an older one) or dark (none in 24 hours). Scores are taken over a rolling window of seven days. Instances of a feed that are judged as one, such as the selectable earthquake lists, are one row, as good as the weakest of them.

        `GET /api/feed-reliability`

        format: Format of the reply. json: the whole reply. csv: a table of `feeds`, `low_coverage`, `not_configured` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: FeedReliabilityReply | str = self._call(OPERATIONS["feed_reliability"], {"format": format}, None, options)
        return reply

    def forex(self, **options: Unpack[CallOptions]) -> ForexReply:
        """Exchange rates of 16 currencies against the US dollar, of the latest and the previous working day

        Reference rates of the European Central Bank by way of Frankfurter, published on its working days about 16:00 Central European time. Weekends and holidays have no rates: `date` is the working day that the rates are of.

        `GET /api/forex`"""
        reply: ForexReply = self._call(OPERATIONS["forex"], {}, None, options)
        return reply

    @overload
    def funding_rates(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> FundingRatesReply: ...

    @overload
    def funding_rates(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def funding_rates(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> FundingRatesReply | str: ...

    def funding_rates(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> FundingRatesReply | str:
        """The 20 perpetual contracts with the largest funding rates at four venues

        By the size of the rate a year, whichever side pays: where it is positive, buyers pay sellers. Binance, Bybit and OKX: contracts settled in USDT; Hyperliquid: all contracts of its own exchange, settled in USDC. A year counts 8,760 hours, without compounding. The contracts of a venue that cannot be read stay for ten minutes.

        `GET /api/funding-rates`

        format: Format of the reply. json: the whole reply. csv: a table of `rates` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: FundingRatesReply | str = self._call(OPERATIONS["funding_rates"], {"format": format}, None, options)
        return reply

    @overload
    def game_platform_top(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> GamePlatformTopReply: ...

    @overload
    def game_platform_top(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def game_platform_top(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> GamePlatformTopReply | str: ...

    def game_platform_top(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> GamePlatformTopReply | str:
        """Top games by concurrent players, with their peak of the day

        The first 25 places of the chart of Steam. `peak_today` is the largest number of players at once within the last 24 hours, as the chart states it, and not since a midnight.

        `GET /api/game-platform-top`

        format: Format of the reply. json: the whole reply. csv: a table of `games` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: GamePlatformTopReply | str = self._call(OPERATIONS["game_platform_top"], {"format": format}, None, options)
        return reply

    @overload
    def harnesses(self, *, view: Literal["raw", "summary", "gaps", "combined"] | None = None, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> HarnessesReply: ...

    @overload
    def harnesses(self, *, view: Literal["raw", "summary", "gaps", "combined"] | None = None, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def harnesses(self, *, view: Literal["raw", "summary", "gaps", "combined"] | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> HarnessesReply | str: ...

    def harnesses(self, *, view: Literal["raw", "summary", "gaps", "combined"] | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> HarnessesReply | str:
        """Agent harnesses and models on Terminal-Bench, with 95 % intervals: two revisions

        `raw`: the boards of both revisions; `summary`: the ten best of the current one, and the five largest gaps; `gaps`: how far harnesses are apart with the same model; `combined`: the current board, relative to its best score. Scores compare within one revision only: the tasks of 4.0 are others than those of 2.1. Intervals cover the differences from run to run, not the choice of tasks.

        `GET /api/harnesses`

        view: Which view of the boards

        format: Format of the reply. json: the whole reply. csv: a table of `revisions`, `ranking`, `biggest_gaps`, `gaps`, `leaderboard` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: HarnessesReply | str = self._call(OPERATIONS["harnesses"], {"view": view, "format": format}, None, options)
        return reply

    def health(self, **options: Unpack[CallOptions]) -> HealthReply:
        """Whether the service answers

        Does not count against the daily limit.

        `GET /api/health`"""
        reply: HealthReply = self._call(OPERATIONS["health"], {}, None, options)
        return reply

    @overload
    def humans_in_space(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> HumansInSpaceReply: ...

    @overload
    def humans_in_space(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def humans_in_space(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> HumansInSpaceReply | str: ...

    def humans_in_space(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> HumansInSpaceReply | str:
        """The people who are in space now, and where

        A list kept by hand at its source: it can lag behind launches and landings by weeks.

        `GET /api/humans-in-space`

        format: Format of the reply. json: the whole reply. csv: a table of `people` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: HumansInSpaceReply | str = self._call(OPERATIONS["humans_in_space"], {"format": format}, None, options)
        return reply

    @overload
    def internet_pulse(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> InternetPulseReply: ...

    @overload
    def internet_pulse(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def internet_pulse(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> InternetPulseReply | str: ...

    def internet_pulse(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> InternetPulseReply | str:
        """Latency from this service to six places of the internet

        Each target is asked once a minute on a fresh connection, so name look-up and handshakes are part of the time. -1 means that it did not answer.

        `GET /api/internet-pulse`

        format: Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: InternetPulseReply | str = self._call(OPERATIONS["internet_pulse"], {"format": format}, None, options)
        return reply

    @overload
    def launches(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> LaunchesReply: ...

    @overload
    def launches(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def launches(self, *, format: Literal["geojson"], **options: Unpack[CallOptions]) -> FeatureCollection: ...

    @overload
    def launches(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> LaunchesReply | str | FeatureCollection: ...

    def launches(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> LaunchesReply | str | FeatureCollection:
        """The next space launches: name, provider, status, scheduled time

        At most 20 launches that are still to come, on hold or in flight, the next one first. `net` is the time before which a launch does not happen: read it together with `net_precision`, as a launch without a firm date stands there with a placeholder, such as the last day of its month.

        `GET /api/launches`

        format: Format of the reply. json: the whole reply. csv: a table of `launches` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `launches` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503"""
        reply: LaunchesReply | str | FeatureCollection = self._call(OPERATIONS["launches"], {"format": format}, None, options)
        return reply

    def llm_tools(self, *, format: Literal["raw", "openai", "openai-responses", "anthropic"] | None = None, **options: Unpack[CallOptions]) -> LlmToolsReply:
        """Tool definitions for language models, one for each endpoint of data

        Free. openai: for Chat Completions; openai-responses: for the Responses API; anthropic: for the Messages API; raw: with path, price and tier beside each tool. Send a call's arguments as the query of its path in `calls`, a list as a comma list.

        `GET /api/llm-tools`

        format: For which interface the tools are written"""
        reply: LlmToolsReply = self._call(OPERATIONS["llm_tools"], {"format": format}, None, options)
        return reply

    def mcp(self, body: McpBody, **options: Unpack[CallOptions]) -> McpReply | None:
        """Model Context Protocol: a few tools that reach every dataset

        Streamable HTTP without sessions, for the revisions 2026-07-28, 2025-11-25 and 2025-06-18. A call of a tool counts as the same call over HTTP. Premium tools spend the credits of the token in Authorization; without one, or refused, the result says so (isError), never the status. Give idempotency_key to repeat a paid call free of charge. No argument and no result holds a token or a memo.

        `POST /api/mcp`"""
        reply: McpReply | None = self._call(OPERATIONS["mcp"], {}, body, options)
        return reply

    def mcp_all(self, body: McpAllBody, **options: Unpack[CallOptions]) -> McpAllReply | None:
        """Model Context Protocol: one tool for each endpoint of data

        As /api/mcp, with a tool for each endpoint of data instead of the search. Most clients work better with the small server, as many tools fill the context of a model.

        `POST /api/mcp/all`"""
        reply: McpAllReply | None = self._call(OPERATIONS["mcp_all"], {}, body, options)
        return reply

    def mcp_server_card(self, **options: Unpack[CallOptions]) -> McpServerCardReply:
        """Card of the MCP servers: where they are and which revisions they serve

        A server card of SEP-2127. The tools are listed by the servers themselves (tools/list).

        `GET /api/mcp/server-card`"""
        reply: McpServerCardReply = self._call(OPERATIONS["mcp_server_card"], {}, None, options)
        return reply

    def meta_pro(self, **options: Unpack[CallOptions]) -> MetaProReply:
        """Premium endpoints with prices and the reasons for no charge

        What is paid for with credits, what that costs, how credits are bought, and the limits of a token.

        `GET /api/meta/pro`"""
        reply: MetaProReply = self._call(OPERATIONS["meta_pro"], {}, None, options)
        return reply

    @overload
    def model_hub_trending(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> ModelHubTrendingReply: ...

    @overload
    def model_hub_trending(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def model_hub_trending(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ModelHubTrendingReply | str: ...

    def model_hub_trending(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ModelHubTrendingReply | str:
        """Top 15 models of Hugging Face by likes of the last 7 days

        Ordered by the trending score of the hub, which counts the likes of the last 7 days. `likes` are those of all time, `downloads` those of the last 30 days. What the hub does not say of a model is null.

        `GET /api/model-hub-trending`

        format: Format of the reply. json: the whole reply. csv: a table of `models` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: ModelHubTrendingReply | str = self._call(OPERATIONS["model_hub_trending"], {"format": format}, None, options)
        return reply

    def payment_balance(self, **options: Unpack[CallOptions]) -> PaymentBalanceReply:
        """Credits of a token

        Costs no credits.

        `GET /api/payment/balance`"""
        reply: PaymentBalanceReply = self._call(OPERATIONS["payment_balance"], {}, None, options)
        return reply

    def payment_buy_credits(self, body: PaymentBuyCreditsBody, **options: Unpack[CallOptions]) -> PaymentBuyCreditsReply:
        """A quote for credits

        Pay exactly `quote.amount_units` of USDC to `wallet` from any wallet; the exact amount identifies the quote. Keep `memo` secret: it claims the purchase at confirm. At most 10 quotes a minute and 20 open ones for one client. Members of the body that are not named here are ignored.

        `POST /api/payment/buy-credits`"""
        reply: PaymentBuyCreditsReply = self._call(OPERATIONS["payment_buy_credits"], {}, body, options)
        return reply

    def payment_confirm(self, body: PaymentConfirmBody, **options: Unpack[CallOptions]) -> PaymentConfirmReply | PaymentPending:
        """Credits for a payment, and the token to spend them with

        Verifies the transaction on the chain and credits its payments, each once. A repeated confirm returns the same token to the same claimant and to no other: the one with the memo, else the one with the payer's signature and the claim key. Send the memo of the quote as `nonce`, or a `signature` of the paying wallet, or both. Without a proof the reply is 409 with the text to sign, which names where the credits go: to the bearer token, else to the memo, else to the `claim_key`, a secret that you draw and keep. So a signature is of no use to who reads it, and it may be used until the day in its text, for a week. With a bearer token the credits are added to it; any other Authorization header is refused. A payment that was credited to another claimant stays there: 409 names the proof that opened that account and the next step. 202: not mined or not deep enough yet, confirm again after Retry-After. At most 10 times a minute for one client. Members of the body that are not named here are ignored.

        `POST /api/payment/confirm`"""
        reply: PaymentConfirmReply | PaymentPending = self._call(OPERATIONS["payment_confirm"], {}, body, options)
        return reply

    def payment_history(self, **options: Unpack[CallOptions]) -> PaymentHistoryReply:
        """Purchases of a token

        Newest first, the newest 1000 of them; `totals` are over all. Costs no credits.

        `GET /api/payment/history`"""
        reply: PaymentHistoryReply = self._call(OPERATIONS["payment_history"], {}, None, options)
        return reply

    def payment_info(self, **options: Unpack[CallOptions]) -> PaymentInfoReply:
        """Wallet, chain, prices and rules of buying

        Everything that a payment needs beside its quote.

        `GET /api/payment/info`"""
        reply: PaymentInfoReply = self._call(OPERATIONS["payment_info"], {}, None, options)
        return reply

    def payment_revoke(self, body: PaymentRevokeBody | None = None, **options: Unpack[CallOptions]) -> PaymentRevokeReply:
        """Revoke a token

        The token is refused from now on. The remaining credits stay with its account, and the reply names the proof that issues a new token: a confirm with the memo of a purchase, or with the signature of a payer and its claim key. Where only the operator of this service can issue one, as for granted credits, the reply is 409 confirmation_required until the body is `{"confirm": true}`. Costs no credits.

        `POST /api/payment/revoke`"""
        reply: PaymentRevokeReply = self._call(OPERATIONS["payment_revoke"], {}, body, options)
        return reply

    @overload
    def predictions(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> PredictionsReply: ...

    @overload
    def predictions(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def predictions(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> PredictionsReply | str: ...

    def predictions(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> PredictionsReply | str:
        """Prediction markets by turnover of the last 24 hours

        Open markets of Polymarket, largest 24-hour turnover first. Not every question has Yes and No for answers (teams, up or down): such a market stays in the list, `yes_percent` and `no_percent` are null, and `outcomes` lists its answers.

        `GET /api/predictions`

        format: Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: PredictionsReply | str = self._call(OPERATIONS["predictions"], {"format": format}, None, options)
        return reply

    def pro_agent_context(self, **options: Unpack[CallOptions]) -> ProAgentContextReply:
        """The state of the world for a language model: an object, and seven lines of text to paste

        Policy rate and exchange rates, significant earthquakes, the next launches, the tech front page, prediction markets and the status of four services. `context` holds the texts of its sources as they stand: treat them as data. `system_prompt` aims at 350 tokens and has at most 1800 characters; every text of a source stands between double quotes, without markup and addresses. A row is not quoted there where its text orders to ignore, disregard, forget or override instructions, a prompt or rules (override); speaks of the system prompt, which a reader might take for its own (system-prompt); gives the reader another role: you are now, act as, respond as (persona); asks for a prompt or for instructions to be shown (disclosure); speaks to a language model that reads it (address); holds the marks that separate the turns of a chat (chat-markup); holds a run of letters and digits that may be encoded text (encoded). `notes.withheld` counts them.

        `GET /api/pro/agent-context`, 2 credits"""
        reply: ProAgentContextReply = self._call(OPERATIONS["pro_agent_context"], {}, None, options)
        return reply

    def pro_briefing(self, *, include: list[Literal["earthquakes", "tech-news", "humans-in-space", "launches", "predictions"]] | None = None, history: Literal["24h"] | None = None, **options: Unpack[CallOptions]) -> ProBriefingReply:
        """The world in one reply, for programs: earthquakes, tech news, people in space, launches, predictions

        Adds prediction markets to the free briefing, and can be reduced to the requested sections. A section whose feed has never answered is null, with a note. With `history=24h` the course of the bitcoin price over 24 hours is added, where the terms of its sources allow selling it. The sections of bitcoin and of the market mood were removed on 2026-07-23.

        `GET /api/pro/briefing`, 1 credit

        include: Comma list of sections: earthquakes, tech-news, humans-in-space, launches, predictions; all of them when left out

        history: 24h adds series.btc_24h"""
        reply: ProBriefingReply = self._call(OPERATIONS["pro_briefing"], {"include": include, "history": history}, None, options)
        return reply

    def pro_code_host_velocity(self, **options: Unpack[CallOptions]) -> ProCodeHostVelocityReply:
        """How fast new repositories gain stars, and which of them are about AI

        The 30 repositories of GitHub that were created within seven days and have the most stars, with stars per day and age; the 15 most starred under the topic llm that were pushed to within 30 days; languages, topics and the share of AI and machine learning among the trending ones. Descriptions and topics are texts of their owners.

        `GET /api/pro/code-host-velocity`, 2 credits"""
        reply: ProCodeHostVelocityReply = self._call(OPERATIONS["pro_code_host_velocity"], {}, None, options)
        return reply

    def pro_correlation_matrix(self, **options: Unpack[CallOptions]) -> ProCorrelationMatrixReply:
        """How the daily returns of two treasury yields, the dollar index and crude oil move together

        Pearson's correlation of each pair over the newest 30 returns that both sides have. A call is free of charge while no pair has a correlation.

        `GET /api/pro/correlation-matrix`, 2 credits"""
        reply: ProCorrelationMatrixReply = self._call(OPERATIONS["pro_correlation_matrix"], {}, None, options)
        return reply

    def pro_crypto_deep(self, *, history: Literal["30d"] | None = None, **options: Unpack[CallOptions]) -> ProCryptoDeepReply:
        """Crypto in depth: 50 coins, 20 pairs of an exchange, the Bitcoin network, Ethereum gas

        The 50 largest coins, twenty pairs against Tether at one exchange, fees, hashrate and mempool of Bitcoin, and the price of gas on Ethereum. With `history=30d` daily candles of bitcoin are added. A part is null while it was never read, and where its source does not allow reselling; `notes` says which.

        `GET /api/pro/crypto-deep`, 2 credits

        history: 30d adds series.btc_30d"""
        reply: ProCryptoDeepReply = self._call(OPERATIONS["pro_crypto_deep"], {"history": history}, None, options)
        return reply

    def pro_exchange_flows(self, **options: Unpack[CallOptions]) -> ProExchangeFlowsReply:
        """Ether that went into exchanges and out of them in the last hour, by exchange

        Transfers of 5 ETH and more in the blocks of 60 minutes, from and to addresses that public lists attribute to exchanges. A net flow below 100 ETH in either direction is balanced. An hour without such a transfer is zero, not unknown.

        `GET /api/pro/exchange-flows`, 2 credits"""
        reply: ProExchangeFlowsReply = self._call(OPERATIONS["pro_exchange_flows"], {}, None, options)
        return reply

    def pro_feed_reliability(self, **options: Unpack[CallOptions]) -> ProFeedReliabilityReply:
        """How reliable each feed has been over the last seven days, in detail

        The free table with what stands behind each score: counts, the last 24 hours, interruptions, the longest outage, the last success and what the feed promises. Feeds with fewer than 12 checks are listed apart and not ranked. A call is free of charge while the monitor stands still: when `captured_at` is more than 48 hours ago.

        `GET /api/pro/feed-reliability`, 2 credits"""
        reply: ProFeedReliabilityReply = self._call(OPERATIONS["pro_feed_reliability"], {}, None, options)
        return reply

    def pro_feed_reliability_history(self, *, feed: Literal["ai-stack-cves", "air-quality?lat=34.05&lon=-118.24", "bitcoin-network", "bitcoin-transfers", "btc-candles", "btc-price", "chain-network", "chess-tv", "coins", "disaster-alerts", "earthquakes", "economic-series", "ethereum-gas", "ethereum-transfers", "event-market", "exchange-tickers", "exposure-scan", "faa-status", "fear-greed", "forex", "funding-rates?venue=binance", "funding-rates?venue=bybit", "funding-rates?venue=hyperliquid", "funding-rates?venue=okx", "game-platform-top", "harnesses?revision=2.1", "harnesses?revision=4.0", "headlines?outlet=coindesk", "humans-in-space", "internet-pulse", "known-exploited", "launches", "malware-urls", "model-hub-trending", "predictions", "press-releases?office=federal-reserve", "press-releases?office=sec", "reactors", "repositories?set=llm", "repositories?set=trending", "service-status?service=atlassian", "service-status?service=claude", "service-status?service=cloudflare", "service-status?service=digitalocean", "service-status?service=discord", "service-status?service=github", "service-status?service=netlify", "service-status?service=npm", "service-status?service=openai", "service-status?service=reddit", "service-status?service=twilio", "service-status?service=vercel", "space-weather", "stock-quotes", "tech-news", "threat-indicators", "trade-halts", "tsunami?centre=PAAQ", "tsunami?centre=PHEB", "volcanoes", "weather-alerts", "weather?lat=40.71&lon=-74.01", "wildfires?satellite=noaa-20", "wildfires?satellite=noaa-21", "wildfires?satellite=suomi-npp"] | None = None, from_: str | None = None, to: str | None = None, **options: Unpack[CallOptions]) -> ProFeedReliabilityHistoryReply:
        """How reliable one feed was, day by day

        The composite score and its parts for each day of a window of at most 365 days, both ends included. Without `to` it ends today, without `from` it is 30 days long. What is past does not change. A window in which nothing was checked is free of charge, and so is a call without `feed`, which lists the feeds.

        `GET /api/pro/feed-reliability/history`, 2 credits

        feed: Feed id, as in `feed` of /api/feed-reliability; without one the reply lists them

        from_: First day, UTC, YYYY-MM-DD

        to: Last day, UTC, YYYY-MM-DD"""
        reply: ProFeedReliabilityHistoryReply = self._call(OPERATIONS["pro_feed_reliability_history"], {"feed": feed, "from": from_, "to": to}, None, options)
        return reply

    def pro_macro(self, *, history: Literal["30d"] | None = None, **options: Unpack[CallOptions]) -> ProMacroReply:
        """US rates, prices, unemployment and growth, four dollar exchange rates, oil and natural gas

        The newest number of each, with the first day of its period. With `history=30d` the newest 30 numbers of each are added: of monthly series they reach back 30 months. A part whose source has never answered is null. Gold, equity indices and the volatility index were removed on 2026-07-23; silver is not covered.

        `GET /api/pro/macro`, 2 credits

        history: 30d adds the newest 30 numbers of each series"""
        reply: ProMacroReply = self._call(OPERATIONS["pro_macro"], {"history": history}, None, options)
        return reply

    def pro_sentiment(self, **options: Unpack[CallOptions]) -> ProSentimentReply:
        """What headlines of 24 hours say of crypto assets and shares, with the Fear & Greed Index

        Which of 26 crypto assets and shares the headlines of the last 24 hours name, and whether their words are positive or negative. Each title counts once, by its own time of publication, however late it was seen. Added to it are the Crypto Fear & Greed Index and the prediction markets with the largest turnover. Titles, outlets and links belong to their publishers.

        `GET /api/pro/sentiment`, 2 credits"""
        reply: ProSentimentReply = self._call(OPERATIONS["pro_sentiment"], {}, None, options)
        return reply

    def pro_whales(self, **options: Unpack[CallOptions]) -> ProWhalesReply:
        """Large transfers of bitcoin that wait for a block, and of ether in the newest blocks

        Bitcoin from 10 BTC, a sample of the last 60 minutes; ether from 100 ETH, of the newest 25 blocks that at least two nodes agree on. Addresses of exchanges are labelled where public lists attribute them.

        `GET /api/pro/whales`, 2 credits"""
        reply: ProWhalesReply = self._call(OPERATIONS["pro_whales"], {}, None, options)
        return reply

    def pro_world_deltas(self, *, since: str | None = None, **options: Unpack[CallOptions]) -> ProWorldDeltasReply:
        """What happened in the world since the last call: earthquakes, tech stories, prediction markets, launches

        Earthquakes of magnitude 4.0 and above, stories that are new on the front page of Hacker News, prediction markets that are new or have moved by a hundredth, each once, by the time when Tidewire learnt of them; and with them the launches from 1 hour before to 12 hours after now. Poll with `next_since`, at least once an hour and at once while `has_more`: no event is missed or repeated. A reply where nothing was learnt after `since` is free of charge, without launches and counts.

        `GET /api/pro/world-deltas`, 2 credits

        since: ISO 8601 instant with its zone, at most 5 minutes ahead: only events learnt after it; 1 hour ago when left out or older"""
        reply: ProWorldDeltasReply = self._call(OPERATIONS["pro_world_deltas"], {"since": since}, None, options)
        return reply

    @overload
    def reactors(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> ReactorsReply: ...

    @overload
    def reactors(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def reactors(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ReactorsReply | str: ...

    def reactors(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ReactorsReply | str:
        """Power of the reactor fleet of the United States, with the units at reduced power and offline

        The newest daily report of the US Nuclear Regulatory Commission, a snapshot of the early morning (US Eastern time). Power is thermal power as a share of the licensed one, not electricity. The report names no reason of an outage.

        `GET /api/reactors`

        format: Format of the reply. json: the whole reply. csv: a table of `reduced`, `offline` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: ReactorsReply | str = self._call(OPERATIONS["reactors"], {"format": format}, None, options)
        return reply

    def receipt_verify(self, body: ReceiptVerifyBody, **options: Unpack[CallOptions]) -> ReceiptVerifyReply:
        """Verify a receipt, or a whole reply with its receipt

        Send the JSON of a premium reply as it was received, or {receipt} with the JWS alone. Free of charge. The same can be done offline with the keys of /.well-known/jwks.json.

        `POST /api/receipt/verify`"""
        reply: ReceiptVerifyReply = self._call(OPERATIONS["receipt_verify"], {}, body, options)
        return reply

    @overload
    def service_status(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> ServiceStatusReply: ...

    @overload
    def service_status(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def service_status(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ServiceStatusReply | str: ...

    def service_status(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> ServiceStatusReply | str:
        """Status of well-known internet services, by their own status pages

        Always every monitored service, in a fixed order. `status` is the page's own overall word. Large networks call themselves `minor` for a single data centre under maintenance: `components_affected` of `component_count` says how much of the service that is.

        `GET /api/service-status`

        format: Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: ServiceStatusReply | str = self._call(OPERATIONS["service_status"], {"format": format}, None, options)
        return reply

    @overload
    def severe_weather(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> SevereWeatherReply: ...

    @overload
    def severe_weather(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def severe_weather(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> SevereWeatherReply | str: ...

    def severe_weather(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> SevereWeatherReply | str:
        """The 15 gravest weather alerts in force in the United States

        Alerts of the US National Weather Service that are actual, not cancelled and not over, by severity, urgency and certainty: `score` is 10 x severity (Extreme 4, Severe 3, Moderate 2, Minor 1, Unknown 0) + urgency (Immediate 3, Expected 2, Future 1, else 0) + 0.5 x certainty (Observed 3, Likely 2, Possible 1, else 0); equal scores by the time at which they were sent, the newest first. All of them: /api/climate/weather-alerts.

        `GET /api/severe-weather`

        format: Format of the reply. json: the whole reply. csv: a table of `alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: SevereWeatherReply | str = self._call(OPERATIONS["severe_weather"], {"format": format}, None, options)
        return reply

    @overload
    def space_weather(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> SpaceWeatherReply: ...

    @overload
    def space_weather(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def space_weather(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> SpaceWeatherReply | str: ...

    def space_weather(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> SpaceWeatherReply | str:
        """Geomagnetic Kp index, solar wind, peak flare class of 24 hours, active alerts

        Null where the agency has no usable reading, or its document could not be read. Times are those of the measurements. At most five active alerts, newest first; null where they are not known.

        `GET /api/space-weather`

        format: Format of the reply. json: the whole reply. csv: a table of `active_alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: SpaceWeatherReply | str = self._call(OPERATIONS["space_weather"], {"format": format}, None, options)
        return reply

    @overload
    def stocks(self, *, symbols: list[str] | None = None, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> StocksReply: ...

    @overload
    def stocks(self, *, symbols: list[str] | None = None, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def stocks(self, *, symbols: list[str] | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> StocksReply | str: ...

    def stocks(self, *, symbols: list[str] | None = None, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> StocksReply | str:
        """US shares: gainers, losers, and funds that follow the three main indices

        Without `symbols`, the shares that this service follows. Named symbols that it does not follow are fetched when they are requested, a few each minute for all callers together; those without a quote stand in `not_followed`. Prices may be delayed by 15 minutes or be those of a single venue. `indices` are SPY, QQQ and DIA, and always stand.

        `GET /api/stocks`

        symbols: Tickers, 1 to 35, comma separated, in any case

        format: Format of the reply. json: the whole reply. csv: a table of `gainers`, `losers`, `indices`, `quotes` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: StocksReply | str = self._call(OPERATIONS["stocks"], {"symbols": symbols, "format": format}, None, options)
        return reply

    @overload
    def tech_news(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> TechNewsReply: ...

    @overload
    def tech_news(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def tech_news(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> TechNewsReply | str: ...

    def tech_news(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> TechNewsReply | str:
        """Trending technology stories with scores and comment counts

        The front page of Hacker News (up to 30 stories) in its own order, without job advertisements. When the site's data store does not answer, its search index does: the same stories then stand by their votes.

        `GET /api/tech-news`

        format: Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: TechNewsReply | str = self._call(OPERATIONS["tech_news"], {"format": format}, None, options)
        return reply

    @overload
    def trade_halts(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> TradeHaltsReply: ...

    @overload
    def trade_halts(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def trade_halts(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> TradeHaltsReply | str: ...

    def trade_halts(self, *, format: Literal["json", "csv"] | None = None, **options: Unpack[CallOptions]) -> TradeHaltsReply | str:
        """Current trading halts on US exchanges: symbol, reason, times of halt and resumption

        Securities that do not trade now, the latest halt first, at most 100; `total` counts all. A halt stays until its `resumption_at`, some of them for years. An empty list means that no halt is in force.

        `GET /api/trade-halts`

        format: Format of the reply. json: the whole reply. csv: a table of `halts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503"""
        reply: TradeHaltsReply | str = self._call(OPERATIONS["trade_halts"], {"format": format}, None, options)
        return reply

    @overload
    def tsunami(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> TsunamiReply: ...

    @overload
    def tsunami(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def tsunami(self, *, format: Literal["geojson"], **options: Unpack[CallOptions]) -> FeatureCollection: ...

    @overload
    def tsunami(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> TsunamiReply | str | FeatureCollection: ...

    def tsunami(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> TsunamiReply | str | FeatureCollection:
        """Latest messages of the two U.S. tsunami warning centres

        The latest message of each product about each event, of the last 24 hours and what the centres publish now. A message is active for 24 hours, an informational one for 6, unless its own product cancels it; the highest level is that of the active messages, `none` when no message is active. Threat messages count as warnings. A centre publishes its latest message alone, so what was issued before `watched_since` may be missing. Not a warning service: follow your local authorities.

        `GET /api/tsunami`

        format: Format of the reply. json: the whole reply. csv: a table of `messages` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `messages` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503"""
        reply: TsunamiReply | str | FeatureCollection = self._call(OPERATIONS["tsunami"], {"format": format}, None, options)
        return reply

    @overload
    def volcanoes(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> VolcanoesReply: ...

    @overload
    def volcanoes(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def volcanoes(self, *, format: Literal["geojson"], **options: Unpack[CallOptions]) -> FeatureCollection: ...

    @overload
    def volcanoes(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> VolcanoesReply | str | FeatureCollection: ...

    def volcanoes(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> VolcanoesReply | str | FeatureCollection:
        """Weekly volcano activity reports: name, country, summary, link

        The reports of the latest weekly issue of the Smithsonian Institution and the US Geological Survey, new activity first, at most 30; `total` counts all. A summary is the beginning of the report, at most 280 characters; the whole report stands at `link`. An issue is a selection: a volcano without a report may be active.

        `GET /api/volcanoes`

        format: Format of the reply. json: the whole reply. csv: a table of `reports` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `reports` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503"""
        reply: VolcanoesReply | str | FeatureCollection = self._call(OPERATIONS["volcanoes"], {"format": format}, None, options)
        return reply

    def weather(self, *, lat: float, lon: float, **options: Unpack[CallOptions]) -> WeatherReply:
        """Current weather at a place, in US customary units

        Coordinates are rounded to two decimals, about a kilometre. Values belong to the weather model's grid cell around the point and are null where the model has none.

        `GET /api/weather`

        lat: Latitude, degrees north, -90 to 90 (degrees)

        lon: Longitude, degrees east, -180 to 180 (degrees)"""
        reply: WeatherReply = self._call(OPERATIONS["weather"], {"lat": lat, "lon": lon}, None, options)
        return reply

    @overload
    def wildfires(self, *, format: Literal["json"] | None = None, **options: Unpack[CallOptions]) -> WildfiresReply: ...

    @overload
    def wildfires(self, *, format: Literal["csv"], **options: Unpack[CallOptions]) -> str: ...

    @overload
    def wildfires(self, *, format: Literal["geojson"], **options: Unpack[CallOptions]) -> FeatureCollection: ...

    @overload
    def wildfires(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> WildfiresReply | str | FeatureCollection: ...

    def wildfires(self, *, format: Literal["json", "csv", "geojson"] | None = None, **options: Unpack[CallOptions]) -> WildfiresReply | str | FeatureCollection:
        """The most intense fire detections in North America of the last 24 hours

        At most 25 hot pixels seen by VIIRS on NOAA-20, NOAA-21 and Suomi NPP, by radiative power. A large fire can fill several places. Not every hot pixel is a wildfire: flares, volcanoes and industry are hot too.

        `GET /api/wildfires`

        format: Format of the reply. json: the whole reply. csv: a table of `fires` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `fires` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503"""
        reply: WildfiresReply | str | FeatureCollection = self._call(OPERATIONS["wildfires"], {"format": format}, None, options)
        return reply

    def dcat(self, **options: Unpack[CallOptions]) -> DcatReply:
        """The datasets of this service as a DCAT 3 catalogue in JSON-LD

        Each endpoint of data is a dcat:Dataset with its distributions, licences, cadence and page, for portals of open data. Addresses are relative to that of the document where the public address is not configured.

        `GET /catalog.jsonld`"""
        reply: DcatReply = self._call(OPERATIONS["dcat"], {}, None, options)
        return reply

    def changelog(self, **options: Unpack[CallOptions]) -> str:
        """Changes of the contract

        What was added, changed, deprecated and removed, the oldest first. HTML, or Markdown where a client prefers it.

        `GET /changelog`"""
        reply: str = self._call(OPERATIONS["changelog"], {}, None, options)
        return reply

    def changelog_json(self, **options: Unpack[CallOptions]) -> ChangelogJsonReply:
        """Changes of the contract, for programs

        The oldest first. What is deprecated stays for at least 90 days from the date of its entry.

        `GET /changelog.json`"""
        reply: ChangelogJsonReply = self._call(OPERATIONS["changelog_json"], {}, None, options)
        return reply

    def changelog_markdown(self, **options: Unpack[CallOptions]) -> str:
        """Changes of the contract, as Markdown

        The page /changelog as Markdown.

        `GET /changelog.md`"""
        reply: str = self._call(OPERATIONS["changelog_markdown"], {}, None, options)
        return reply

    def agent_payments(self, **options: Unpack[CallOptions]) -> str:
        """Buying credits, step by step

        How credits are bought and spent, with commands to copy. HTML, or Markdown where a client prefers it.

        `GET /developers/agent-payments`"""
        reply: str = self._call(OPERATIONS["agent_payments"], {}, None, options)
        return reply

    def agent_payments_markdown(self, **options: Unpack[CallOptions]) -> str:
        """Buying credits, step by step, as Markdown

        The page /developers/agent-payments as Markdown.

        `GET /developers/agent-payments.md`"""
        reply: str = self._call(OPERATIONS["agent_payments_markdown"], {}, None, options)
        return reply

    def icon(self, **options: Unpack[CallOptions]) -> str:
        """The icon of the service

        Three waves, in the accent of the pages.

        `GET /favicon.svg`"""
        reply: str = self._call(OPERATIONS["icon"], {}, None, options)
        return reply

    def llms_full(self, **options: Unpack[CallOptions]) -> str:
        """The same with every parameter, field, unit and example

        Markdown, longer than most contexts should hold: /llms.txt is the short form.

        `GET /llms-full.txt`"""
        reply: str = self._call(OPERATIONS["llms_full"], {}, None, options)
        return reply

    def llms(self, **options: Unpack[CallOptions]) -> str:
        """What language models need to use this service

        Markdown: the base address, the envelope of replies, every endpoint of data with its price and its source, how credits are bought, limits and errors.

        `GET /llms.txt`"""
        reply: str = self._call(OPERATIONS["llms"], {}, None, options)
        return reply

    def openapi(self, **options: Unpack[CallOptions]) -> OpenapiReply:
        """This contract as an OpenAPI 3.1 document

        Made from the same values as the routes and the validation.

        `GET /openapi.json`"""
        reply: OpenapiReply = self._call(OPERATIONS["openapi"], {}, None, options)
        return reply

    def robots(self, **options: Unpack[CallOptions]) -> str:
        """What crawlers may read (RFC 9309)

        Everything but what costs credits and what acts for one caller.

        `GET /robots.txt`"""
        reply: str = self._call(OPERATIONS["robots"], {}, None, options)
        return reply

    def status(self, **options: Unpack[CallOptions]) -> StatusReply:
        """How the feeds and this service are doing

        What the page /status shows. A day is a word here: its numbers, and those of earlier days, are premium data. Does not count against the daily limit.

        `GET /status.json`"""
        reply: StatusReply = self._call(OPERATIONS["status"], {}, None, options)
        return reply

    def world(self, **options: Unpack[CallOptions]) -> WorldReply:
        """Every feed at a glance: one value each, and places on a map

        What the page at / shows, for pages and walls of your own. At most 30,000 bytes, whatever the feeds hold: texts are cut, and the least severe places are left out and counted. A value that is not known is null, and `reason` says why. Calls do not count against the daily share of free data.

        `GET /world.json`"""
        reply: WorldReply = self._call(OPERATIONS["world"], {}, None, options)
        return reply
