"""The types of the contract's bodies and replies.

Printed by `npm run clients` from the contract. Change the contract, or the printer.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, final

Instant: TypeAlias = str
"""ISO 8601 instant in UTC with milliseconds"""


@final
class SourceMeta(TypedDict):
    name: str
    """Provider.metric, stable"""
    status: Literal["live", "error", "fallback", "stale"] | None
    """live: it answered and keeps its promise; stale: its last good answer is older than promised; fallback: another source stands in for it; error: it has failed; null: it has never answered"""
    fetched_at: Instant | None
    """Time of its last good answer; null before the first"""
    latency_ms: int | None
    """How long that answer took, milliseconds"""
    reason: NotRequired[str]
    """Why it is not live"""
    fallback_source: NotRequired[str]
    """The source that stands in"""


@final
class Meta(TypedDict):
    as_of: Instant | None
    """Time of the last successful fetch that confirmed the data, for its oldest part; null without data"""
    changed_at: Instant | None
    """When the data last changed; for a selection, when any part of the whole view last changed"""
    stale_after: Instant | None
    """Until when the data keeps its promise of freshness; null without data"""
    stale: bool
    """Whether `stale_after` has passed, or there is no data"""
    warming: NotRequired[bool]
    """True while there has never been data and it may come; else absent"""
    reason: NotRequired[str]
    """Why there is no data: with `warming` while it may come; alone where no source of it is configured (not_configured) or licensed (not_licensed) here"""
    sources: list[SourceMeta]
    """The upstreams of this reply"""


@final
class Problem(TypedDict):
    type: str
    title: str
    status: int
    error: str
    message: str
    parameter: NotRequired[str]
    allowed: NotRequired[list[str]]
    retry_after_seconds: NotRequired[int]
    did_you_mean: NotRequired[str]
    catalog: NotRequired[str]
    docs: NotRequired[str]


@final
class Billing(TypedDict):
    credits_charged: int
    """Credits that this call cost"""
    credits_remaining: int
    """Balance after the call"""
    no_charge_reason: NotRequired[str]
    """Why the call was free of charge; absent where it was charged"""


@final
class Receipt(TypedDict):
    id: str
    """Also in X-Service-Receipt-Id"""
    jws: str
    """Ed25519 signature in JWS compact form; its keys are at /.well-known/jwks.json"""


@final
class PremiumPaymentRequired(TypedDict):
    type: str
    title: str
    status: int
    error: Literal["missing_token", "invalid_token", "insufficient_credits", "expired", "billing_unavailable", "payment_required"]
    message: str
    parameter: NotRequired[str]
    allowed: NotRequired[list[str]]
    retry_after_seconds: NotRequired[int]
    did_you_mean: NotRequired[str]
    catalog: NotRequired[str]
    docs: NotRequired[str]
    reason: NotRequired[str]
    """The exact cause, where `error` has several; for programs"""
    signup: str
    """Address of the page that explains how credits are bought"""
    pricing: dict[str, str]
    """Credits by price key: those that one dollar buys (`1_usd`), and those of a call by its path"""


@final
class PremiumFailure(TypedDict):
    type: str
    title: str
    status: int
    error: str
    message: str
    parameter: NotRequired[str]
    allowed: NotRequired[list[str]]
    retry_after_seconds: NotRequired[int]
    did_you_mean: NotRequired[str]
    catalog: NotRequired[str]
    docs: NotRequired[str]
    source: NotRequired[Literal["tidewire-pro"]]
    endpoint: NotRequired[str]
    billing: NotRequired[Billing]
    receipt: NotRequired[Receipt | None]
    """Null where signing failed too"""


@final
class AlreadyCredited(TypedDict):
    type: str
    title: str
    status: int
    error: Literal["already_credited"]
    message: str
    parameter: NotRequired[str]
    allowed: NotRequired[list[str]]
    retry_after_seconds: NotRequired[int]
    did_you_mean: NotRequired[str]
    catalog: NotRequired[str]
    docs: NotRequired[str]
    opened_by: Literal["memo", "payer", "operator"]
    """The proof that opened the account with the credits; showing it returns that account's token"""
    next_step: Literal["show_memo", "sign", "send_token", "ask_operator"]
    """The next step of the account's owner: show_memo: confirm with that memo as `nonce`; sign: confirm with the payer's signature and the same claim key, without `nonce`; send_token: confirm with the bearer token that the credits were added to; ask_operator: only an operator can help"""
    shown: str | None
    """The memo's hash, or the payer, that opened the account, where the transaction shows it; else null"""


@final
class PayerProofRequired(TypedDict):
    type: str
    title: str
    status: int
    error: Literal["payer_proof_required"]
    message: str
    parameter: NotRequired[str]
    allowed: NotRequired[list[str]]
    retry_after_seconds: NotRequired[int]
    did_you_mean: NotRequired[str]
    catalog: NotRequired[str]
    docs: NotRequired[str]
    reason: Literal["proof_required", "beneficiary_required", "claim_key_required", "signature_refused", "signature_expired"]
    """proof_required: neither memo nor signature was sent; beneficiary_required: nor is it said where the credits go; claim_key_required: the signature was sent without the claim key; signature_refused: it is not one of this text by a wallet that paid; signature_expired: its day is over, sign the new text"""
    text_to_sign: str | None
    """The paying wallet signs this text (EIP-191 personal_sign). It names where the credits go: to the bearer token that was sent, else to the memo, else to the claim key. Send the signature as `signature`, with `signature_until` and the same token, `nonce` or `claim_key`. Null for beneficiary_required: send one of these first"""
    signature_until: str | None
    """The day that the text names: a signature of it may be used until its end. Send it back with the signature"""


@final
class PaymentPending(TypedDict):
    status: Literal["pending"]
    confirmations: int
    """Blocks from its own on; 0 while it is in no block"""
    required: Literal["safe"] | int
    """Required confirmations; safe: the block must have the tag safe, as for more than 20 USD"""
    retry_after_seconds: int
    """Also in Retry-After"""


@final
class PurchaseRecord(TypedDict):
    tx_hash: str
    """0x and 64 lower-case hex digits"""
    amount_usd: float
    """Dollars that were transferred"""
    credits_added: int
    block_number: int
    confirmed_at: str
    """When the credits were added"""
    status: Literal["provisional", "confirmed", "final", "reversed"]
    """provisional: a few blocks deep; confirmed: its block has the tag safe; final: its block is finalized; reversed: its block left the chain, and the credits were taken back"""


@final
class JsonRpcReplyError(TypedDict):
    code: int
    message: str
    data: NotRequired[Any]


@final
class JsonRpcReply(TypedDict):
    jsonrpc: Literal["2.0"]
    id: str | int | None
    result: NotRequired[dict[str, Any]]
    error: NotRequired[JsonRpcReplyError]


@final
class FeatureCollectionFeaturesItemGeometry(TypedDict):
    type: Literal["Point"]
    coordinates: list[float]
    """Longitude, then latitude"""


@final
class FeatureCollectionFeaturesItem(TypedDict):
    type: Literal["Feature"]
    id: NotRequired[str | float]
    geometry: FeatureCollectionFeaturesItemGeometry | None
    """Null for an item without a known place"""
    properties: dict[str, Any]
    """The members of the item as in JSON, without its coordinates"""


@final
class FeatureCollection(TypedDict):
    type: Literal["FeatureCollection"]
    source: str
    endpoint: str
    updated_at: Instant | None
    _meta: Meta
    features: list[FeatureCollectionFeaturesItem]


@final
class AiCatalogEntriesItem(TypedDict):
    identifier: str
    displayName: str
    type: str
    url: str


@final
class AiCatalogReply(TypedDict):
    specVersion: str
    entries: list[AiCatalogEntriesItem]


@final
class ApiCatalogLinksetItemItemItem(TypedDict):
    href: str
    type: NotRequired[str]
    title: NotRequired[str]


ApiCatalogLinksetItem = TypedDict(
    "ApiCatalogLinksetItem",
    {
        "anchor": str,
        "item": NotRequired[list[ApiCatalogLinksetItemItemItem]],
        "service-desc": NotRequired[list[ApiCatalogLinksetItemItemItem]],
        "service-doc": NotRequired[list[ApiCatalogLinksetItemItemItem]],
        "service-meta": NotRequired[list[ApiCatalogLinksetItemItemItem]],
        "status": NotRequired[list[ApiCatalogLinksetItemItemItem]],
    },
)


@final
class ApiCatalogReply(TypedDict):
    linkset: list[ApiCatalogLinksetItem]


@final
class JwksKeysItem(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    """The public key: 32 bytes as base64url"""
    kid: str
    """Its RFC 7638 thumbprint, which receipts name"""
    use: Literal["sig"]
    alg: Literal["EdDSA"]


@final
class JwksReply(TypedDict):
    keys: list[JwksKeysItem]


@final
class McpWellKnownCardRemotesItemHeadersItem(TypedDict):
    name: str
    description: str
    isRequired: bool
    isSecret: bool


@final
class McpWellKnownCardRemotesItem(TypedDict):
    type: Literal["streamable-http"]
    url: str
    supportedProtocolVersions: list[str]
    headers: list[McpWellKnownCardRemotesItemHeadersItem]


McpWellKnownCardReply = TypedDict(
    "McpWellKnownCardReply",
    {
        "$schema": Literal["https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"],
        "name": str,
        "version": str,
        "title": str,
        "description": str,
        "websiteUrl": NotRequired[str],
        "remotes": list[McpWellKnownCardRemotesItem],
    },
)


@final
class CatalogEndpointsItemParametersItem(TypedDict):
    name: str
    description: str
    required: bool
    unit: str | None
    default: str | None
    allowed: list[str] | None
    example: str
    for_agents: bool
    """False: left out of tool definitions, as its replies would harm a program that acts on them by itself"""


@final
class CatalogEndpointsItemNoChargeItem(TypedDict):
    reason: str
    description: str
    decided: Literal["before", "after"]
    """before: the call needs no credits; after: it needs them, and they are refunded"""


@final
class CatalogEndpointsItemDeprecatedItem(TypedDict):
    since: str
    """Day of the notice"""
    until: str
    """Day from which on it may be gone"""
    note: str
    field: NotRequired[str]
    """The deprecated field; absent for the whole endpoint"""
    successor: NotRequired[str]
    """Path of what replaces it"""


@final
class CatalogEndpointsItemAttributionItem(TypedDict):
    provider: str
    licence: str
    url: str


@final
class CatalogEndpointsItem(TypedDict):
    path: str
    name: str
    method: Literal["GET", "POST"]
    tier: Literal["free", "premium", "payment", "service"]
    kind: Literal["prepared", "filtered", "on-demand", "queried", "document", "command"]
    media_types: list[str]
    """Media types of a reply"""
    counted: Literal["daily", "minute", "pages", "receipts", "payments", "confirms", "token", "never"]
    """The share that a call counts against. daily: the client's share of a day for free data; minute, receipts, payments, confirms: shares of the client for a minute; token: the token's share of a minute; never: none"""
    credits: int
    """Credits a call costs"""
    cache_seconds: int
    """For how long a reply may be reused, in seconds"""
    summary: str
    description: str
    parameters: list[CatalogEndpointsItemParametersItem]
    bearer: Literal["none", "optional", "required"]
    """Whether a token is read (Authorization: Bearer)"""
    no_charge: list[CatalogEndpointsItemNoChargeItem]
    """When a premium call is free of charge"""
    withheld_feeds: list[str]
    """Feeds whose data is left out of these premium replies, as the terms of a source forbid selling it: notes say where. Where nothing else was requested, the call is free of charge (not_licensed)"""
    deprecated: list[CatalogEndpointsItemDeprecatedItem]
    """What of it will be removed"""
    attribution: list[CatalogEndpointsItemAttributionItem]


@final
class CatalogReply(TypedDict):
    service: str
    contract_version: str
    version: str
    """Version of the software"""
    base_url: str | None
    """Null: the address under which the catalog was requested"""
    openapi: str
    signup: str
    """Address of the page that explains how credits are bought"""
    endpoints: list[CatalogEndpointsItem]


@final
class AiStackCvesDataBySeverity(TypedDict):
    critical: int
    high: int
    medium: int
    low: int
    unstated: int


@final
class AiStackCvesDataByCategory(TypedDict):
    framework: int
    inference: int
    orchestration: int
    mlops: int
    notebook: int


@final
class AiStackCvesDataTopCve(TypedDict):
    id: str
    package: Literal["torch", "tensorflow", "keras", "transformers", "onnx", "huggingface-hub", "vllm", "ollama", "bentoml", "langchain", "langchain-core", "langchain-community", "llama-index", "litellm", "langflow", "mlflow", "ray", "gradio", "jupyter-server"]
    severity: Literal["critical", "high", "medium", "low", "unstated"]
    cvss: float | None
    """CVSS 3 base score; null without a vector of that version"""
    epss: float | None
    """Probability of exploitation within 30 days (EPSS), 0 to 1; null without an estimate"""
    exploited: bool | None
    summary: str | None
    published: Instant | None
    url: str
    """Address of a page, http or https"""


@final
class AiStackCvesDataPackagesItem(TypedDict):
    name: Literal["torch", "tensorflow", "keras", "transformers", "onnx", "huggingface-hub", "vllm", "ollama", "bentoml", "langchain", "langchain-core", "langchain-community", "llama-index", "litellm", "langflow", "mlflow", "ray", "gradio", "jupyter-server"]
    ecosystem: Literal["PyPI", "Go"]
    category: Literal["framework", "inference", "orchestration", "mlops", "notebook"]
    total: int
    exploited: int | None
    critical: int
    high: int


@final
class AiStackCvesData(TypedDict):
    total: int
    exploited_in_wild_count: int | None
    """Null while the catalogue was never read"""
    last_30d_count: int
    """Published in the last 30 days"""
    by_severity: AiStackCvesDataBySeverity
    by_category: AiStackCvesDataByCategory
    top_cve: AiStackCvesDataTopCve | None
    """The gravest: exploited first, then by severity, CVSS, EPSS, and the latest published"""
    packages: list[AiStackCvesDataPackagesItem]
    """The packages that were read so far"""
    source_license: str
    source_attribution: str


@final
class AiStackCvesReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["ai-stack-cves"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: AiStackCvesData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class AiStatsDataAgentsItem(TypedDict):
    agent: str
    hits_24h: int


@final
class AiStatsDataRecentCallsItem(TypedDict):
    minute: str
    """The minute in which the requests were reported"""
    endpoint: str
    client: Literal["ai_agent", "browser", "crawler", "library", "mcp", "monitor", "other", "none"]
    """Kind of program, judged from its User-Agent"""
    agent: str | None
    requests: int


@final
class AiStatsDataEndpoints24hItem(TypedDict):
    endpoint: str
    hits_24h: int


@final
class AiStatsData(TypedDict):
    total_hits: int
    """Requests since `counted_since`, those that were refused included"""
    hits_24h: int
    """Of the last 24 hours, counted in steps of five minutes"""
    ai_agent_hits_24h: int
    """Of these, by well-known agents of AI services"""
    unique_ai_agents_24h: int
    """How many of these agents were seen"""
    agents: list[AiStatsDataAgentsItem]
    """Most requests first, by the name that the agent gives itself in its User-Agent: unverified"""
    recent_calls: list[AiStatsDataRecentCallsItem]
    """Newest first: how often one kind of client called one endpoint in a minute"""
    endpoints_24h: list[AiStatsDataEndpoints24hItem]
    """Most requests first"""
    counted_since: str
    """Begin of the first report"""


@final
class AiStatsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["ai-stats"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: AiStatsData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class AirQualityDataSnapshot(TypedDict):
    time: str
    """When the values hold"""
    us_aqi: int | None
    """US Air Quality Index"""
    european_aqi: int | None
    """European Air Quality Index"""
    pm2_5: float | None
    """Particles up to 2.5 micrometres, micrograms in a cubic metre; null where the model has no value"""
    pm10: float | None
    """Particles up to 10 micrometres, micrograms in a cubic metre; null where the model has no value"""
    ozone: float | None
    """Ozone, micrograms in a cubic metre; null where the model has no value"""
    nitrogen_dioxide: float | None
    """Nitrogen dioxide, micrograms in a cubic metre; null where the model has no value"""
    sulphur_dioxide: float | None
    """Sulphur dioxide, micrograms in a cubic metre; null where the model has no value"""
    carbon_monoxide: float | None
    """Carbon monoxide, micrograms in a cubic metre; null where the model has no value"""


@final
class AirQualityDataCategory(TypedDict):
    label: Literal["good", "moderate", "unhealthy_sensitive", "unhealthy", "very_unhealthy", "hazardous"]
    """Band of the US index, up to 50, 100, 150, 200, 300, and above"""
    color: Literal["green", "yellow", "orange", "red", "purple", "maroon"]


@final
class AirQualityData(TypedDict):
    lat: float
    """Latitude asked for, degrees north, two decimals"""
    lon: float
    """Longitude asked for, degrees east, two decimals"""
    timezone: Literal["GMT"]
    """Zone of the snapshot's time"""
    snapshot: AirQualityDataSnapshot
    category: AirQualityDataCategory | None
    """Band of the US index; null without one"""


@final
class AirQualityReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["air-quality"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: AirQualityData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class BriefingSectionsCrypto(TypedDict):
    symbol: Literal["BTC"]
    price_usd: float
    """Last traded price of one bitcoin, US dollars"""
    change_24h_percent: float | None
    """Change against the price 24 hours ago, percent; null where the venue does not give that price"""
    high_24h: float | None
    """Highest trade of 24 hours, US dollars"""
    low_24h: float | None
    """Lowest trade of 24 hours, US dollars"""
    volume_24h_usd: float | None
    """Turnover of 24 hours at this venue, US dollars"""


@final
class BriefingSectionsFearGreed(TypedDict):
    value: int
    """0 (extreme fear) to 100 (extreme greed)"""
    label: Literal["Extreme Fear", "Fear", "Neutral", "Greed", "Extreme Greed"]
    """The publisher's class of the value"""


@final
class BriefingSectionsEarthquakesLatest(TypedDict):
    type: Literal["earthquake", "volcanic eruption", "volcanic explosion", "landslide", "ice quake", "avalanche", "snow avalanche", "debris avalanche", "rock avalanche"]
    """Kind of event, in the agency's words"""
    magnitude: float | None
    """Magnitude, as the agency prefers it"""
    location: str | None
    """Nearest place, in words"""
    time: str
    """Origin time"""
    depth_km: float | None
    """Depth below sea level in kilometres"""


@final
class BriefingSectionsEarthquakes(TypedDict):
    count: int
    """Of magnitude 2.5 and above, last 24 hours, worldwide"""
    latest: BriefingSectionsEarthquakesLatest | None
    strongest: BriefingSectionsEarthquakesLatest | None


@final
class BriefingSectionsPredictionsItemOutcomesItem(TypedDict):
    name: str
    percent: float | None
    """Probability, percent; null before the first price"""


@final
class BriefingSectionsPredictionsItem(TypedDict):
    question: str
    yes_percent: float | None
    """Probability of Yes, percent; null where the outcomes are not Yes and No, or have no price yet"""
    no_percent: float | None
    """Probability of No, percent; null as for yes_percent"""
    volume_usd: float | None
    """Turnover since the market began, US dollars (USDC)"""
    volume_24h_usd: float | None
    """Turnover of the last 24 hours, US dollars (USDC)"""
    outcomes: list[BriefingSectionsPredictionsItemOutcomesItem]
    url: str | None


@final
class BriefingSectionsNewsItem(TypedDict):
    id: int
    """Number of the story at Hacker News"""
    title: str
    url: str | None
    """What the story links to; null where it is a text of its own"""
    discussion_url: str
    """Address of a page, http or https"""
    score: int | None
    """Votes"""
    comment_count: int | None
    """Comments at all depths"""
    author: str | None
    posted_at: str
    """ISO 8601 instant in UTC with milliseconds"""


@final
class BriefingSectionsServicesItem(TypedDict):
    name: str
    status: Literal["operational", "minor", "major", "critical", "maintenance"] | None
    """The page's own word for the worst that is going on. Where that is none although parts are degraded: minor, with a major outage of a part major, with planned work alone maintenance. Null while the page has never been read"""
    description: str | None
    """The page's own sentence"""
    incident_count: int | None
    """Unresolved incidents; null where the page does not say"""
    components_affected: int | None
    """Parts of the service that are not operational, planned maintenance included"""
    component_count: int | None
    """Parts that the page lists"""


@final
class BriefingSectionsCrewPeopleItem(TypedDict):
    name: str
    """Full name"""
    craft: str | None
    """Station or ship they are aboard, such as ISS or Tiangong; null where the source does not say"""


@final
class BriefingSectionsCrew(TypedDict):
    count: int
    """People in space"""
    people: list[BriefingSectionsCrewPeopleItem]


@final
class BriefingSections(TypedDict):
    crypto: BriefingSectionsCrypto | None
    fear_greed: BriefingSectionsFearGreed | None
    earthquakes: BriefingSectionsEarthquakes | None
    predictions: list[BriefingSectionsPredictionsItem] | None
    news: list[BriefingSectionsNewsItem] | None
    top_story_count: int | None
    """Stories on the front page"""
    services: list[BriefingSectionsServicesItem] | None
    crew: BriefingSectionsCrew | None


@final
class BriefingReply(TypedDict):
    source: Literal["tidewire"]
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    _meta: Meta
    summary: str
    """One sentence made of the sections with data"""
    sections: BriefingSections


@final
class BtcPriceData(TypedDict):
    price_usd: float
    """Last traded price of one bitcoin, US dollars"""
    change_24h_percent: float | None
    """Change against the price 24 hours ago, percent; null where the venue does not give that price"""
    high_24h: float | None
    """Highest trade of 24 hours, US dollars"""
    low_24h: float | None
    """Lowest trade of 24 hours, US dollars"""
    volume_24h_usd: float | None
    """Turnover of 24 hours at this venue, US dollars"""


@final
class BtcPriceReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["btc-price"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: BtcPriceData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ChainNetworkData(TypedDict):
    tps: float | None
    """Transactions a second in the newest sample of a minute, votes included"""
    tps_avg: float | None
    """The same over the newest three samples"""
    tps_non_vote: float | None
    """In the newest sample, without votes; null where they are not counted apart"""
    slot: int
    """Newest finalised slot"""
    slot_ms: float | None
    """Mean time of a slot, milliseconds"""
    epoch: int
    epoch_progress_pct: float
    """How much of the epoch has passed, percent"""
    block_height: int | None
    """Blocks so far; skipped slots have none"""
    at: Instant | None
    """When the block of `slot` was made"""


@final
class ChainNetworkReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["chain-network"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ChainNetworkData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ChessTvDataChannelsItem(TypedDict):
    channel: Literal["best", "bullet", "blitz", "rapid", "classical", "chess960"]
    label: Literal["Top Rated", "Bullet", "Blitz", "Rapid", "Classical", "Chess960"]
    """Name of the channel"""
    player: str
    title: str | None
    """Such as GM or BOT; null without a title"""
    rating: int | None
    """Of the player in this variant"""
    color: Literal["white", "black"] | None
    """The side of the player"""
    game_id: str
    url: str
    """Address of a page, http or https"""


@final
class ChessTvData(TypedDict):
    count: int
    """How many channels are listed"""
    channels: list[ChessTvDataChannelsItem]


@final
class ChessTvReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["chess-tv"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ChessTvData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ClimateEarthquakesDataEarthquakesItem(TypedDict):
    id: str
    type: Literal["earthquake", "volcanic eruption", "volcanic explosion", "landslide", "ice quake", "avalanche", "snow avalanche", "debris avalanche", "rock avalanche"]
    """Kind of event, in the agency's words"""
    magnitude: float | None
    """Magnitude, as the agency prefers it"""
    place: str | None
    time: Instant
    depth_km: float | None
    """Depth below sea level in kilometres"""
    lat: float
    lon: float
    tsunami: bool
    """Large event in an oceanic region; not that a tsunami exists"""
    url: str | None
    """Detail page"""


@final
class ClimateEarthquakesData(TypedDict):
    magnitude: Literal["significant", "4.5", "2.5", "1.0", "all"]
    period: Literal["hour", "day", "week", "month"]
    count: int
    earthquakes: list[ClimateEarthquakesDataEarthquakesItem]
    total: NotRequired[int]
    """How many the whole list holds; with limit or cursor only"""
    next: NotRequired[str | None]
    """Address of the next page; null on the last one. With limit or cursor only"""


@final
class ClimateEarthquakesReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["climate/earthquakes"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ClimateEarthquakesData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ClimateWeatherAlertsDataFilters(TypedDict):
    """The filters that were applied"""

    area: Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC", "PR", "GU", "VI", "AS", "MP", "PW", "FM", "MH", "AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL"] | None
    event: str | None
    """As it is listed; null without this filter, and where no alert in force is of this event"""
    severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"] | None
    urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"] | None
    status: Literal["Actual", "Exercise", "System", "Test", "Draft"]
    limit: int


@final
class ClimateWeatherAlertsDataAlertsItem(TypedDict):
    id: str
    event: str
    """Kind of alert, such as Winter Storm Warning"""
    severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"]
    urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"]
    certainty: Literal["Observed", "Likely", "Possible", "Unlikely", "Unknown"]
    headline: str | None
    description: str | None
    """The text of the alert, at most 2,000 characters"""
    areaDesc: str
    """Names of the zones"""
    sent: Instant
    effective: Instant
    expires: str
    """When the message lapses"""
    ends: Instant | None
    """When the hazard ends; null where the message does not say"""
    sender_name: str
    """Forecast office"""
    web: str | None


@final
class ClimateWeatherAlertsData(TypedDict):
    count: int
    """How many alerts are listed"""
    total_matching: int
    """How many match, including those beyond the limit"""
    filters: ClimateWeatherAlertsDataFilters
    """The filters that were applied"""
    alerts: list[ClimateWeatherAlertsDataAlertsItem]


@final
class ClimateWeatherAlertsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["climate/weather-alerts"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ClimateWeatherAlertsData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class CodeHostTrendingDataRepositoriesItem(TypedDict):
    name: str
    full_name: str
    """Owner and name"""
    description: str | None
    language: str | None
    """Main programming language"""
    stars: int
    stars_per_day: float
    """Stars by days since its creation, at least one day"""
    forks: int
    open_issues: int | None
    """Issues and pull requests"""
    topics: list[str]
    license: str | None
    """By SPDX; null without one that the host recognises"""
    owner: str
    owner_type: str
    """User or Organization"""
    created_at: Instant
    pushed_at: Instant
    url: str
    """Address of a page, http or https"""


@final
class CodeHostTrendingData(TypedDict):
    count: int
    """How many repositories are listed"""
    window: Literal["7d"]
    """How long ago the repositories were created at most"""
    repositories: list[CodeHostTrendingDataRepositoriesItem]


@final
class CodeHostTrendingReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["code-host-trending"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: CodeHostTrendingData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class CryptoMoversDataMoversItem(TypedDict):
    symbol: str
    """Ticker in capitals; not unique"""
    name: str
    price_usd: float
    """Price, US dollars"""
    market_cap: float | None
    """Price times coins in circulation, US dollars; null where these are not known"""
    change_24h_percent: float
    """Change of the price in 24 hours, percent"""
    rank: int | None
    """Place by market capitalisation, from 1; null where it has none"""
    volume_24h_usd: float | None
    """Turnover of the last 24 hours, US dollars"""


@final
class CryptoMoversData(TypedDict):
    count: int
    """How many coins are listed"""
    movers: list[CryptoMoversDataMoversItem]


@final
class CryptoMoversReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["crypto-movers"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: CryptoMoversData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class CyberThreatsDataCountsBySource(TypedDict):
    """How many of each source are held: at most 200 of URLhaus and of ThreatFox, and the whole catalogue of CISA; null where a source was never read"""

    urlhaus: int | None
    threatfox: int | None
    cisa_kev: int | None


@final
class CyberThreatsDataThreatsItem(TypedDict):
    source: Literal["urlhaus", "threatfox", "cisa_kev"]
    type: Literal["malware_url", "domain", "ip_port", "url", "file_hash", "exploited_vulnerability"]
    indicator: str
    """Defanged: http is hxxp, and every dot is [.]; cut to 500 characters. Of a vulnerability its CVE id"""
    indicator_raw: NotRequired[str]
    """Only with raw=true: exactly as the source writes it. Never open it"""
    threat: str
    """Kind of threat, such as malware_download or botnet_cc; of a vulnerability its name"""
    date: Instant | str
    """When it was first reported; a day where the source states no time"""
    malware: str | None
    """Malware family; null where it is unknown or not stated"""
    confidence: int | None
    """How sure the reporter is, percent; null where it is not stated"""
    tags: list[str]
    """Words of the reporters, defanged"""
    reference: str | None
    """Page about it at its source, or of a vulnerability in the National Vulnerability Database"""


@final
class CyberThreatsData(TypedDict):
    count: int
    """How many threats are listed"""
    counts_by_source: CyberThreatsDataCountsBySource
    """How many of each source are held: at most 200 of URLhaus and of ThreatFox, and the whole catalogue of CISA; null where a source was never read"""
    threats: list[CyberThreatsDataThreatsItem]


@final
class CyberThreatsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["cyber-threats"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: CyberThreatsData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class DisasterAlertsDataCountsByLevel(TypedDict):
    red: int
    orange: int
    green: int


@final
class DisasterAlertsDataAlertsItemSeverity(TypedDict):
    value: float | None
    unit: str
    text: str


@final
class DisasterAlertsDataAlertsItem(TypedDict):
    id: str
    """Type and number in the system, such as EQ1548439"""
    type: Literal["earthquake", "tropical_cyclone", "flood", "volcano", "drought", "wildfire", "tsunami"]
    name: str
    alert_level: Literal["red", "orange", "green"]
    country: str | None
    """A country, several, or a part of the sea"""
    countries: list[str]
    """Countries that are affected; empty where none is named"""
    date: str
    """When it began"""
    to: str | None
    """Until when it is observed so far"""
    updated_at: str
    """ISO 8601 instant in UTC with milliseconds"""
    is_current: bool | None
    """The system's own flag, false for every drought; null where it is not given"""
    lat: float | None
    """Degrees north"""
    lon: float | None
    """Degrees east"""
    severity: DisasterAlertsDataAlertsItemSeverity | None
    """Magnitude (M), wind speed (km/h) or area (ha, km2), by type; null where it is not measured. `value` is null where `text` states another"""
    url: str | None
    """The report"""


@final
class DisasterAlertsData(TypedDict):
    count: int
    """How many alerts are listed"""
    total: int
    """How many alerts there are"""
    counts_by_level: DisasterAlertsDataCountsByLevel
    alerts: list[DisasterAlertsDataAlertsItem]


@final
class DisasterAlertsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["disaster-alerts"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: DisasterAlertsData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class EarthquakeDataEarthquakesItem(TypedDict):
    type: Literal["earthquake", "volcanic eruption", "volcanic explosion", "landslide", "ice quake", "avalanche", "snow avalanche", "debris avalanche", "rock avalanche"]
    """Kind of event, in the agency's words"""
    magnitude: float | None
    """Magnitude, as the agency prefers it"""
    location: str | None
    """Nearest place, in words"""
    time: str
    """Origin time"""
    depth_km: float | None
    """Depth below sea level in kilometres"""


@final
class EarthquakeData(TypedDict):
    count: int
    earthquakes: list[EarthquakeDataEarthquakesItem]


@final
class EarthquakeReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["earthquake"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: EarthquakeData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class EconomicDataDataFedRatePrevious(TypedDict):
    value: float
    date: str
    """Day in UTC, YYYY-MM-DD"""


@final
class EconomicDataDataFedRate(TypedDict):
    """Federal funds effective rate, monthly average"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataCpi(TypedDict):
    """Consumer price index, all items, seasonally adjusted"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataUnemployment(TypedDict):
    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataGdpGrowth(TypedDict):
    """Real gross domestic product, change on the quarter before at an annual rate"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataYield10y(TypedDict):
    """Market yield of US Treasury securities, 10 years"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataYield2y(TypedDict):
    """Market yield of US Treasury securities, 2 years"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataMortgage30y(TypedDict):
    """30-year fixed rate mortgage average (Freddie Mac)"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataDataYieldCurve210(TypedDict):
    """10-year less 2-year yield, on the newest day on which both have a number"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    unit: str
    source: str
    """fred:<series>, or computed"""
    previous: EconomicDataDataFedRatePrevious | None
    """The number before the newest one"""


@final
class EconomicDataData(TypedDict):
    fed_rate: EconomicDataDataFedRate
    """Federal funds effective rate, monthly average"""
    cpi: EconomicDataDataCpi
    """Consumer price index, all items, seasonally adjusted"""
    cpi_yoy_pct: float | None
    """Change of the index on the same month a year before, percent; null without that month"""
    unemployment: EconomicDataDataUnemployment
    gdp_growth: EconomicDataDataGdpGrowth
    """Real gross domestic product, change on the quarter before at an annual rate"""
    yield_10y: EconomicDataDataYield10y
    """Market yield of US Treasury securities, 10 years"""
    yield_2y: EconomicDataDataYield2y
    """Market yield of US Treasury securities, 2 years"""
    mortgage_30y: EconomicDataDataMortgage30y
    """30-year fixed rate mortgage average (Freddie Mac)"""
    yield_curve_2_10: EconomicDataDataYieldCurve210
    """10-year less 2-year yield, on the newest day on which both have a number"""


@final
class EconomicDataReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["economic-data"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: EconomicDataData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class EventMarketDataMarketsItem(TypedDict):
    event_ticker: str
    title: str
    category: str | None
    """Such as Economics; null where it is not known"""
    leader: str | None
    """Answer with the highest probability; null while none has a price"""
    leader_pct: float | None
    """Probability of that answer, percent"""
    volume_24h: float
    """Contracts traded in the last 24 hours"""
    open_interest: float | None
    """Contracts that are held"""
    market_count: int
    """How many answers can be traded"""
    closes_at: Instant | None
    """When the last of its markets closes"""


@final
class EventMarketData(TypedDict):
    count: int
    """How many events are listed"""
    markets: list[EventMarketDataMarketsItem]


@final
class EventMarketReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["event-market"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: EventMarketData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ExposureScanDataSingleResultTotals(TypedDict):
    """How many entries each list has at the upstream"""

    ports: int
    vulns: int
    hostnames: int
    tags: int
    cpes: int


@final
class ExposureScanDataSingleResult(TypedDict):
    ip: str
    found: bool
    ports: list[int]
    """Open ports, ascending"""
    vulns: list[str]
    """CVE ids that the versions in banners suggest, newest first: unverified"""
    hostnames: list[str]
    tags: list[str]
    """What kind of host it seems to be, as cdn or vpn"""
    cpes: list[str]
    """Software that banners name, as Common Platform Enumeration"""
    totals: ExposureScanDataSingleResultTotals
    """How many entries each list has at the upstream"""


@final
class ExposureScanDataSingleNotes(TypedDict):
    source: str
    vulns: str
    found: str
    privacy: str


@final
class ExposureScanDataSingle(TypedDict):
    mode: Literal["single"]
    result: ExposureScanDataSingleResult
    notes: ExposureScanDataSingleNotes


@final
class ExposureScanDataDemoTargetsItem(TypedDict):
    label: str
    ip: str
    found: bool
    ports: list[int]
    """Open ports, ascending"""
    vulns: list[str]
    """CVE ids that the versions in banners suggest, newest first: unverified"""
    hostnames: list[str]
    tags: list[str]
    """What kind of host it seems to be, as cdn or vpn"""
    cpes: list[str]
    """Software that banners name, as Common Platform Enumeration"""
    totals: ExposureScanDataSingleResultTotals
    """How many entries each list has at the upstream"""


@final
class ExposureScanDataDemo(TypedDict):
    mode: Literal["demo"]
    targets: list[ExposureScanDataDemoTargetsItem]
    """Some of twelve well-known public hosts; the choice moves by one every hour"""
    notes: ExposureScanDataSingleNotes


@final
class ExposureScanReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["exposure-scan"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ExposureScanDataSingle | ExposureScanDataDemo | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class FaaStatusDataGroundStopsItem(TypedDict):
    airport: str
    """Code of the FAA, such as SFO"""
    reason: str
    end_time: str | None
    """In the words of the FAA, such as 8:00 am EDT"""


@final
class FaaStatusDataGroundDelaysItem(TypedDict):
    airport: str
    """Code of the FAA, such as SFO"""
    reason: str
    avg_minutes: int | None
    max_minutes: int | None


FaaStatusDataClosuresItemDailyWindow = TypedDict(
    "FaaStatusDataClosuresItemDailyWindow",
    {
        "from": str,
        "to": str,
        "weekdays": list[Literal["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]] | None,
    },
)


@final
class FaaStatusDataClosuresItem(TypedDict):
    airport: str
    """Code of the FAA, such as SFO"""
    reason: str
    start: str | None
    """UTC; null where the notice does not say"""
    reopen: str | None
    """UTC; null where the notice does not say"""
    daily_window: FaaStatusDataClosuresItemDailyWindow | None
    """The hours at which it is closed, UTC; `weekdays` null: every day. Null: closed throughout, or not read"""
    closed_now: bool | None
    """Null where the hours of the notice are not read"""


@final
class FaaStatusDataDelaysItem(TypedDict):
    airport: str
    """Code of the FAA, such as SFO"""
    reason: str
    direction: Literal["arrival", "departure"]
    min_minutes: int | None
    max_minutes: int | None
    trend: Literal["increasing", "decreasing", "no_change"] | None


@final
class FaaStatusDataRestrictionsItem(TypedDict):
    airport: str
    """Code of the FAA, such as SFO"""
    reason: str
    start: str | None
    """UTC; null where the notice does not say"""
    reopen: str | None
    """UTC; null where the notice does not say"""


@final
class FaaStatusData(TypedDict):
    updated: str
    """When the FAA wrote the list"""
    ground_stops: list[FaaStatusDataGroundStopsItem]
    ground_delays: list[FaaStatusDataGroundDelaysItem]
    closures: list[FaaStatusDataClosuresItem]
    delays: list[FaaStatusDataDelaysItem]
    restrictions: list[FaaStatusDataRestrictionsItem]
    total_events: int
    """All but restrictions"""


@final
class FaaStatusReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["faa-status"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: FaaStatusData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class FearGreedData(TypedDict):
    value: int
    """0 (extreme fear) to 100 (extreme greed)"""
    label: Literal["Extreme Fear", "Fear", "Neutral", "Greed", "Extreme Greed"]
    """The publisher's class of the value"""


@final
class FearGreedReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["fear-greed"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: FearGreedData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class FeedReliabilityDataWindow(TypedDict):
    days: int
    """Length of the rolling window, days"""
    interval_minutes: int
    """Time between two checks, minutes"""


@final
class FeedReliabilityDataCounts(TypedDict):
    monitored: int
    ranked: int
    low_coverage: int
    not_configured: int
    ok: int
    """Monitored feeds whose latest verdict is ok"""
    stale: int
    dark: int


@final
class FeedReliabilityDataFeedsItem(TypedDict):
    rank: int
    feed: str
    """Stable identifier of the monitored feed"""
    name: str
    """Provider.metric of its first choice, as in _meta.sources[].name"""
    score: int
    """100 x (ok + half of stale) / checks, rounded"""
    uptime: float
    """ok / checks"""
    availability: float
    """(ok + stale) / checks"""
    staleness_rate: float
    """stale / checks"""
    dark_rate: float
    """dark / checks"""
    checks: int
    """Verdicts in the window, one each five minutes at most"""
    trust: Literal["high", "medium", "low"]
    """high from 288 checks, medium from 12, else low"""
    low_coverage: bool
    """Fewer than 12 checks: listed apart, not ranked"""
    status: Literal["ok", "stale", "dark"]
    """The latest verdict"""


@final
class FeedReliabilityDataLowCoverageItem(TypedDict):
    feed: str
    """Stable identifier of the monitored feed"""
    name: str
    """Provider.metric of its first choice, as in _meta.sources[].name"""
    score: int
    """100 x (ok + half of stale) / checks, rounded"""
    uptime: float
    """ok / checks"""
    availability: float
    """(ok + stale) / checks"""
    staleness_rate: float
    """stale / checks"""
    dark_rate: float
    """dark / checks"""
    checks: int
    """Verdicts in the window, one each five minutes at most"""
    trust: Literal["high", "medium", "low"]
    """high from 288 checks, medium from 12, else low"""
    low_coverage: bool
    """Fewer than 12 checks: listed apart, not ranked"""
    status: Literal["ok", "stale", "dark"]
    """The latest verdict"""


@final
class FeedReliabilityDataNotConfiguredItem(TypedDict):
    feed: str
    name: str
    reason: Literal["not_configured", "not_licensed"]
    """not_configured: a key is missing; not_licensed: the terms of its sources forbid it here"""


@final
class FeedReliabilityData(TypedDict):
    captured_at: str
    """When the monitor last judged the feeds"""
    window: FeedReliabilityDataWindow
    counts: FeedReliabilityDataCounts
    feeds: list[FeedReliabilityDataFeedsItem]
    """Best first: by score, uptime, checks, then identifier"""
    low_coverage: list[FeedReliabilityDataLowCoverageItem]
    not_configured: list[FeedReliabilityDataNotConfiguredItem]
    """Feeds that this installation does not poll; they are not judged, and never dark"""


@final
class FeedReliabilityReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["feed-reliability"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: FeedReliabilityData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ForexDataRates(TypedDict):
    """Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent"""

    EUR: NotRequired[float]
    GBP: NotRequired[float]
    JPY: NotRequired[float]
    CAD: NotRequired[float]
    AUD: NotRequired[float]
    CHF: NotRequired[float]
    CNY: NotRequired[float]
    INR: NotRequired[float]
    MXN: NotRequired[float]
    BRL: NotRequired[float]
    KRW: NotRequired[float]
    SGD: NotRequired[float]
    HKD: NotRequired[float]
    SEK: NotRequired[float]
    NOK: NotRequired[float]
    NZD: NotRequired[float]


@final
class ForexDataPrevious(TypedDict):
    date: str
    """Working day of the rates, YYYY-MM-DD"""
    rates: ForexDataRates
    """Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent"""


@final
class ForexData(TypedDict):
    base: Literal["USD"]
    """The currency that rates are counted against"""
    date: str
    """Working day of the rates, YYYY-MM-DD"""
    rates: ForexDataRates
    """Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent"""
    previous: ForexDataPrevious | None
    """The same of the working day before; null where that is not known"""


@final
class ForexReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["forex"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ForexData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class FundingRatesDataRatesItem(TypedDict):
    venue: Literal["binance", "bybit", "okx", "hyperliquid"]
    symbol: str
    """The venue's own name of the contract"""
    base: str
    """The coin as the venue counts it: 1000PEPE and kPEPE are 1,000 PEPE"""
    period_hours: float
    """Hours from one payment to the next"""
    period_rate: float
    """Rate of a period, a fraction: 0.0001 is 0.01 percent"""
    annualized_pct: float
    """period_rate x 8760 / period_hours x 100"""
    mark_price: float | None
    """In USDT; at Hyperliquid in US dollars"""
    next_funding_time: Instant | None
    """The coming payment; null at Hyperliquid, which pays at every full hour and does not say so"""


@final
class FundingRatesDataVenuesItem(TypedDict):
    venue: Literal["binance", "bybit", "okx", "hyperliquid"]
    status: Literal["ok", "failed", "unread"]
    """failed: not read for three minutes; unread: never read. _meta.sources has the reason"""
    markets: int | None
    """Contracts that the venue lists, as last read; null while it was never read"""


@final
class FundingRatesData(TypedDict):
    rates: list[FundingRatesDataRatesItem]
    venues: list[FundingRatesDataVenuesItem]
    failed_venues: list[Literal["binance", "bybit", "okx", "hyperliquid"]]
    """Venues that are not read now, or never were"""


@final
class FundingRatesReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["funding-rates"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: FundingRatesData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class GamePlatformTopDataGamesItem(TypedDict):
    rank: int
    """1: the most played"""
    appid: int
    """Number of the game on Steam"""
    name: str | None
    """Null where the platform does not name the game"""
    players_now: int
    """Concurrent players"""
    peak_today: int | None
    """Most concurrent players within the last 24 hours"""
    is_free: bool | None
    """Free to play; null where the platform says nothing about the game"""
    url: str
    """Address of a page, http or https"""


@final
class GamePlatformTopData(TypedDict):
    count: int
    """How many games are listed"""
    updated_at: str
    """When the platform made the chart"""
    games: list[GamePlatformTopDataGamesItem]


@final
class GamePlatformTopReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["game-platform-top"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: GamePlatformTopData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class HarnessesDataRawRevisionsItemRowsItem(TypedDict):
    rank: int
    """Rank on the board; equal scores share one"""
    harness: str
    """The agent that works with the model"""
    model: str
    reasoning_effort: str | None
    """Setting of the model; null where the board names none"""
    score: float
    """Tasks that were solved, percent"""
    ci_low: float | None
    """Lower end of the 95 % interval, percent; null where the board gives no interval"""
    ci_high: float | None
    """Upper end of the 95 % interval, percent"""
    tokens: int | None
    """Of all trials together"""
    cost_usd: float | None
    """Of all trials together, US dollars"""


@final
class HarnessesDataRawRevisionsItem(TypedDict):
    revision: Literal["4.0", "2.1"]
    comparable: Literal[False]
    """Scores compare within one revision only"""
    checked_at: str
    """When the board was last read"""
    source_url: str
    """Page of the board"""
    rows: list[HarnessesDataRawRevisionsItemRowsItem]


@final
class HarnessesDataRaw(TypedDict):
    view: Literal["raw"]
    current: Literal["4.0", "2.1"]
    note: str
    revisions: list[HarnessesDataRawRevisionsItem]
    """The boards that were read"""


@final
class HarnessesDataSummaryBiggestGapsItemBest(TypedDict):
    """The best harness, by its best score with the model"""

    harness: str
    reasoning_effort: str | None
    score: float


@final
class HarnessesDataSummaryBiggestGapsItemWorst(TypedDict):
    """The harness whose best score with the model is the lowest"""

    harness: str
    reasoning_effort: str | None
    score: float


@final
class HarnessesDataSummaryBiggestGapsItem(TypedDict):
    revision: Literal["4.0", "2.1"]
    model: str
    best: HarnessesDataSummaryBiggestGapsItemBest
    """The best harness, by its best score with the model"""
    worst: HarnessesDataSummaryBiggestGapsItemWorst
    """The harness whose best score with the model is the lowest"""
    delta: float
    """Difference of the two scores, percentage points"""
    overlap: bool | None
    """Whether the 95 % intervals overlap; null where one has none"""


@final
class HarnessesDataSummary(TypedDict):
    view: Literal["summary"]
    revision: Literal["4.0", "2.1"]
    ranking: list[HarnessesDataRawRevisionsItemRowsItem] | None
    """The best rows of the current revision; null while it was never read"""
    biggest_gaps: list[HarnessesDataSummaryBiggestGapsItem]
    revisions_read: list[Literal["4.0", "2.1"]]
    """The revisions that were read"""


@final
class HarnessesDataGaps(TypedDict):
    view: Literal["gaps"]
    gaps: list[HarnessesDataSummaryBiggestGapsItem]
    """Models with two harnesses or more within a revision, the largest difference first"""
    revisions_read: list[Literal["4.0", "2.1"]]
    """The revisions that were read"""


@final
class HarnessesDataCombinedLeaderboardItem(TypedDict):
    rank: int
    """Rank on the board; equal scores share one"""
    harness: str
    """The agent that works with the model"""
    model: str
    reasoning_effort: str | None
    """Setting of the model; null where the board names none"""
    score: float
    """Tasks that were solved, percent"""
    ci_low: float | None
    """Lower end of the 95 % interval, percent; null where the board gives no interval"""
    ci_high: float | None
    """Upper end of the 95 % interval, percent"""
    tokens: int | None
    """Of all trials together"""
    cost_usd: float | None
    """Of all trials together, US dollars"""
    normalized: float | None
    """100 x score / the highest score; null while all scores are 0"""


@final
class HarnessesDataCombined(TypedDict):
    view: Literal["combined"]
    revision: Literal["4.0", "2.1"]
    leaderboard: list[HarnessesDataCombinedLeaderboardItem] | None
    """The current revision; null while it was never read"""


@final
class HarnessesReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["harnesses"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: HarnessesDataRaw | HarnessesDataSummary | HarnessesDataGaps | HarnessesDataCombined | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class HealthReply(TypedDict):
    status: Literal["ok"]
    version: str
    """Version of the software"""
    uptime: int
    """Seconds since the process started"""
    ts: int
    """The service's time, milliseconds since the epoch"""


@final
class HumansInSpaceDataPeopleItem(TypedDict):
    name: str
    """Full name"""
    craft: str | None
    """Station or ship they are aboard, such as ISS or Tiangong; null where the source does not say"""


@final
class HumansInSpaceData(TypedDict):
    count: int
    """How many people are listed"""
    people: list[HumansInSpaceDataPeopleItem]


@final
class HumansInSpaceReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["humans-in-space"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: HumansInSpaceData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class InternetPulseDataItem(TypedDict):
    name: Literal["US East", "US West", "Europe", "Asia", "CDN", "Search"]
    latency_ms: int
    """Whole milliseconds; -1 when the target is unreachable"""


@final
class InternetPulseReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["internet-pulse"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: list[InternetPulseDataItem] | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class LaunchesDataLaunchesItem(TypedDict):
    id: str
    """Stays the same when the launch slips"""
    name: str
    """Vehicle and mission"""
    provider: str | None
    vehicle: str | None
    mission: str | None
    status: str
    """In the words of the source, such as Go for Launch"""
    status_abbrev: str
    """Such as Go, TBC, TBD, Hold, In Flight"""
    net: Instant | None
    """No earlier than; a placeholder where the precision is coarse"""
    net_precision: Literal["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year"] | None
    """How exact `net` is; null where the source does not say"""
    window_start: Instant | None
    window_end: Instant | None
    pad: str | None
    location: str | None
    lat: float | None
    """Of the pad, degrees north"""
    lon: float | None
    """Of the pad, degrees east"""
    probability: int | None
    """Chance of acceptable weather, percent; null where none is given"""
    webcast_live: bool | None
    """Whether a webcast is on the air"""
    url: str | None
    """The entry in the catalogue"""


@final
class LaunchesData(TypedDict):
    count: int
    """How many launches are listed"""
    launches: list[LaunchesDataLaunchesItem]


@final
class LaunchesReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["launches"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: LaunchesData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class LlmToolsCallsValue(TypedDict):
    method: Literal["GET", "POST"]
    path: str
    tier: Literal["free", "premium"]
    credits: int
    """Credits a call costs"""
    bearer: Literal["none", "required"]
    """Whether a token is sent (Authorization: Bearer). It is never an argument"""


@final
class LlmToolsReply(TypedDict):
    source: Literal["tidewire"]
    generated_at: Instant
    format: Literal["raw", "openai", "openai-responses", "anthropic"]
    tools: list[Any]
    """In the exact form of that interface"""
    calls: dict[str, LlmToolsCallsValue]
    """How each tool is called, by its name. Arguments are the query"""


@final
class McpBody(TypedDict):
    jsonrpc: Literal["2.0"]
    id: NotRequired[str | int]
    """Absent in a notification, which is answered with 202"""
    method: str
    params: NotRequired[dict[str, Any]]


McpReply: TypeAlias = JsonRpcReply


@final
class McpAllBody(TypedDict):
    jsonrpc: Literal["2.0"]
    id: NotRequired[str | int]
    """Absent in a notification, which is answered with 202"""
    method: str
    params: NotRequired[dict[str, Any]]


McpAllReply: TypeAlias = JsonRpcReply


@final
class McpServerCardRemotesItemHeadersItem(TypedDict):
    name: str
    description: str
    isRequired: bool
    isSecret: bool


@final
class McpServerCardRemotesItem(TypedDict):
    type: Literal["streamable-http"]
    url: str
    supportedProtocolVersions: list[str]
    headers: list[McpServerCardRemotesItemHeadersItem]


McpServerCardReply = TypedDict(
    "McpServerCardReply",
    {
        "$schema": Literal["https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"],
        "name": str,
        "version": str,
        "title": str,
        "description": str,
        "websiteUrl": NotRequired[str],
        "remotes": list[McpServerCardRemotesItem],
    },
)


@final
class MetaProPaymentEndpointsItem(TypedDict):
    method: Literal["GET", "POST"]
    path: str
    summary: str


@final
class MetaProEndpointsItem(TypedDict):
    path: str
    name: str
    summary: str
    credits: int
    """Credits a call costs"""
    price_usd: float
    """The same in dollars"""
    parameters: list[str]
    """Names; the catalog describes them"""
    no_charge: list[str]
    """Reasons for which a call is free of charge; `no_charge` of the document describes them"""
    withheld_feeds: list[str]
    """Feeds whose data is left out here, as the terms of a source forbid selling it"""


@final
class MetaProReply(TypedDict):
    source: Literal["tidewire-pro"]
    contract_version: str
    credits_per_usd: int
    purchase_usd_min: float
    """The smallest purchase in dollars"""
    purchase_usd_max: float
    """The largest quote in dollars"""
    sold_here: bool
    """Whether credits can be bought from this installation"""
    token_requests_per_minute: int
    """Premium calls a minute of one account, whichever of its tokens they are made with"""
    free_ends_per_day: int
    """Calls of an account in a day (UTC) that may end free of charge through its callers (client_gone, empty_range)"""
    tokens_per_day: int
    """New tokens that an account is issued in a day (UTC), as after a revoke"""
    signup: str
    """Address of the page that explains how credits are bought"""
    payment_endpoints: list[MetaProPaymentEndpointsItem]
    no_charge: dict[str, str]
    """What each reason means"""
    endpoints: list[MetaProEndpointsItem]


@final
class ModelHubTrendingDataModelsItem(TypedDict):
    id: str
    """Author and name"""
    author: str | None
    """Person or organisation; null for very old models"""
    name: str
    likes: int
    """Of all time"""
    downloads: int
    """Of the last 30 days"""
    pipeline: str | None
    """Task, such as text-generation"""
    url: str
    """Address of a page, http or https"""
    updated: Instant | None
    """When the model's files last changed"""
    trending_score: float | None
    """Likes of the last 7 days"""
    library: str | None
    license: str | None
    """Short name, such as apache-2.0 or other"""


@final
class ModelHubTrendingData(TypedDict):
    count: int
    """How many models are listed"""
    models: list[ModelHubTrendingDataModelsItem]


@final
class ModelHubTrendingReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["model-hub-trending"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ModelHubTrendingData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class PaymentBalanceReply(TypedDict):
    credits: int
    """Credits that can be spent"""
    issued_at: str
    """When this token was issued"""
    shortfall: int
    """Credits of a payment that left the chain after they were spent; new credits fill it first"""


@final
class PaymentBuyCreditsBody(TypedDict):
    amount_usd: float
    """Dollars: 1 to 10,000, at most 2 decimals"""


@final
class PaymentBuyCreditsQuote(TypedDict):
    amount_usd: float
    """Amount to pay, in dollars: the requested amount plus a fraction of a cent that is unique among open quotes"""
    amount_units: str
    """The same in millionths of a dollar, as the token counts"""
    credits: int
    """Credits for that amount"""
    chain: str
    chain_id: int
    token_contract: str
    """USDC; payments in other tokens are not detected"""
    memo_hash: str
    """keccak-256 of the memo: may be used on the chain, as the nonce of an EIP-3009 authorization or behind the arguments of a plain transfer"""
    proof: Literal["amount", "signature"]
    """amount: the exact amount identifies this quote; signature: it does not, so sign as payer at confirm"""


@final
class PaymentBuyCreditsReply(TypedDict):
    wallet: str
    """Where to pay"""
    memo: str
    """Your secret: send it to confirm as `nonce`, and nowhere else"""
    quote: PaymentBuyCreditsQuote
    expires_at: str
    """End of the quote's validity; a later payment is credited too"""


@final
class PaymentConfirmBody(TypedDict):
    tx_hash: str
    """Hash of the transaction that paid"""
    nonce: NotRequired[str | None]
    """The memo of the quote"""
    signature: NotRequired[str | None]
    """The paying wallet's signature of `text_to_sign` (EIP-191; EIP-1271 and EIP-6492 for contracts)"""
    signature_until: NotRequired[str | None]
    """The day that the signed text names, as it stands beside `text_to_sign`"""
    claim_key: NotRequired[str | None]
    """Where the credits go that are claimed by signature, without token and memo: a secret of yours, `tw_claim_` and 64 random hex digits. Keep it, and send it with each confirm: the signature is void without it"""
    claim_key_hash: NotRequired[str | None]
    """SHA-256 of the claim key, in hex: enough to get the text to sign, while the key stays with you"""
    payer: NotRequired[str | None]
    """The wallet that signed, for contract wallets: it is checked before other payers of the transaction"""


@final
class PaymentConfirmReply(TypedDict):
    token: str
    """Send it as Authorization: Bearer; the one that was sent, where the credits were added to that"""
    credits: int
    """Credits of this transaction, added now or before"""
    balance: int
    """Credits of the token now"""
    provisional: bool
    """Whether a reorganisation of the chain could still reverse the payment, and with it the credits"""
    purchases: list[PurchaseRecord]
    """One for each transfer of the transaction"""


@final
class PaymentHistoryTotals(TypedDict):
    total_purchased_usd: float
    """Dollars of all purchases that were not reversed"""
    total_credits_added: int
    """By purchases and grants, less what was reversed"""
    total_credits_spent: int
    purchase_count: int
    """Purchases that were not reversed"""


@final
class PaymentHistoryReply(TypedDict):
    purchases: list[PurchaseRecord]
    current_balance: int
    totals: PaymentHistoryTotals


@final
class PaymentInfoChain(TypedDict):
    name: str
    chain_id: int


@final
class PaymentInfoToken(TypedDict):
    symbol: Literal["USDC"]
    contract: str
    """0x and 40 hex digits"""
    decimals: Literal[6]


@final
class PaymentInfoPrices(TypedDict):
    credits_per_usd: int
    minimum_usd: int
    """Less than this in one transaction credits nothing"""
    maximum_quote_usd: int
    credits_by_endpoint: dict[str, int]
    """Credits of a call, by its path"""


@final
class PaymentInfoConfirmation(TypedDict):
    up_to_usd: int
    """Amounts up to this need only a few blocks"""
    blocks: int
    """Number of blocks, the payment's own included; credited as provisional"""
    above: Literal["safe"]
    """Block tag that larger amounts wait for"""
    final: Literal["finalized"]
    """Block tag at which a purchase is final"""


@final
class PaymentInfoVerification(TypedDict):
    providers: int | None
    """Providers of the chain that verify a payment; null where unknown"""
    agreement: int | None
    """How many of them must agree; null where unknown"""
    trusted: str
    """The rule by which a payment is accepted, in a sentence"""


@final
class PaymentInfoReply(TypedDict):
    wallet: str
    """0x and 40 hex digits"""
    chain: PaymentInfoChain
    token: PaymentInfoToken
    prices: PaymentInfoPrices
    confirmation: PaymentInfoConfirmation
    verification: PaymentInfoVerification
    quote_minutes: int
    """Validity of a quote"""
    signup: str
    """Address of the page that explains buying step by step"""


@final
class PaymentRevokeBody(TypedDict):
    confirm: NotRequired[bool]
    """true: revoke also where only the operator of this service can issue a new token"""


@final
class PaymentRevokeWayBack(TypedDict):
    by: Literal["memo", "payer", "operator"]
    """The proof that issues a new token. memo: confirm `tx_hash` with the memo as `nonce`; payer: confirm it with the payer's signature and the same claim key; operator: ask the operator of this service"""
    tx_hash: str | None
    """The transaction to confirm; null for an operator, or where the payment was reversed"""
    shown: str | None
    """The hash of the memo, or the address of the payer; null for an operator"""
    message: str


@final
class PaymentRevokeReply(TypedDict):
    revoked: Literal[True]
    credits: int
    """Remaining credits, for a new token"""
    way_back: PaymentRevokeWayBack


@final
class PredictionsDataItemOutcomesItem(TypedDict):
    name: str
    percent: float | None
    """Probability, percent; null before the first price"""


@final
class PredictionsDataItem(TypedDict):
    question: str
    yes_percent: float | None
    """Probability of Yes, percent; null where the outcomes are not Yes and No, or have no price yet"""
    no_percent: float | None
    """Probability of No, percent; null as for yes_percent"""
    volume_usd: float | None
    """Turnover since the market began, US dollars (USDC)"""
    volume_24h_usd: float | None
    """Turnover of the last 24 hours, US dollars (USDC)"""
    outcomes: list[PredictionsDataItemOutcomesItem]
    url: str | None


@final
class PredictionsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["predictions"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: list[PredictionsDataItem] | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ProAgentContextContextDatetime(TypedDict):
    iso: Instant
    unix_ms: int
    human_readable_utc: str


@final
class ProAgentContextContextMarketsFedFundsRate(TypedDict):
    value: float
    """Percent, average of the month"""
    as_of: str
    """First day of the month"""
    source: str


@final
class ProAgentContextContextMarketsForexUsdBase(TypedDict):
    """Units of the currency for one US dollar"""

    date: str | None
    """Working day of the rates"""
    EUR: float | None
    JPY: float | None
    GBP: float | None
    CHF: float | None


@final
class ProAgentContextContextMarkets(TypedDict):
    fed_funds_rate: ProAgentContextContextMarketsFedFundsRate | None
    """Effective policy rate of the United States"""
    forex_usd_base: ProAgentContextContextMarketsForexUsdBase
    """Units of the currency for one US dollar"""


@final
class ProAgentContextContextWorldEventsSignificantEarthquakes24hItem(TypedDict):
    magnitude: float | None
    place: str | None
    time: Instant
    url: str | None


@final
class ProAgentContextContextWorldEventsUpcomingSpaceLaunchesItem(TypedDict):
    mission: str | None
    vehicle: str | None
    provider: str | None
    net: Instant | None
    """No earlier than; a placeholder where the precision is coarse"""
    net_precision: Literal["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year"] | None
    status: str


@final
class ProAgentContextContextWorldEventsTechNewsFrontPageTop5Item(TypedDict):
    title: str
    points: int | None
    comments: int | None
    url: str
    """What the story links to; its discussion where it is a text of its own"""


@final
class ProAgentContextContextWorldEventsPredictionMarketsTop3Item(TypedDict):
    question: str
    yes_probability: float | None
    volume_24h: float | None
    """Turnover of the last 24 hours, US dollars (USDC)"""
    url: str | None


@final
class ProAgentContextContextWorldEvents(TypedDict):
    significant_earthquakes_24h: list[ProAgentContextContextWorldEventsSignificantEarthquakes24hItem]
    """Those that USGS calls significant, the strongest first"""
    upcoming_space_launches: list[ProAgentContextContextWorldEventsUpcomingSpaceLaunchesItem]
    """The next one first; those on hold and in flight are among them"""
    tech_news_front_page_top5: list[ProAgentContextContextWorldEventsTechNewsFrontPageTop5Item]
    prediction_markets_top3: list[ProAgentContextContextWorldEventsPredictionMarketsTop3Item]
    """Largest turnover of the last 24 hours first"""


@final
class ProAgentContextContextInfrastructureDetails(TypedDict):
    """The word of each status page; unknown while it was never read"""

    github: Literal["operational", "minor", "major", "critical", "maintenance", "unknown"]
    cloudflare: Literal["operational", "minor", "major", "critical", "maintenance", "unknown"]
    openai: Literal["operational", "minor", "major", "critical", "maintenance", "unknown"]
    anthropic: Literal["operational", "minor", "major", "critical", "maintenance", "unknown"]


@final
class ProAgentContextContextInfrastructure(TypedDict):
    summary: str
    """In the service's own words"""
    details: ProAgentContextContextInfrastructureDetails
    """The word of each status page; unknown while it was never read"""
    all_operational: bool
    """Whether all four are known to be operational"""


@final
class ProAgentContextContext(TypedDict):
    datetime: ProAgentContextContextDatetime | None
    """The time of the context: the last full five minutes"""
    markets: ProAgentContextContextMarkets
    world_events: ProAgentContextContextWorldEvents
    infrastructure: ProAgentContextContextInfrastructure


@final
class ProAgentContextReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/agent-context"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    context: ProAgentContextContext
    system_prompt: str | None
    sample_size: dict[str, int]
    """Number of items behind each part; parts that were never read are left out"""
    notes: dict[str, str]
    """Explanation of the parts, and of each null member by its path"""


@final
class ProBriefingSectionsEarthquakesLatest(TypedDict):
    magnitude: float
    """Magnitude, as the agency prefers it"""
    place: str
    """Nearest place, in words"""
    time: int
    """Origin time, milliseconds since the epoch"""


@final
class ProBriefingSectionsEarthquakes(TypedDict):
    count: int
    """Earthquakes of magnitude 2.5 and above in 24 hours, worldwide"""
    latest: ProBriefingSectionsEarthquakesLatest | None
    """The newest one that has a magnitude and a place; null where there is none"""


@final
class ProBriefingSectionsTechNews(TypedDict):
    top_story_count: int
    """Stories on the front page"""


@final
class ProBriefingSectionsHumansInSpace(TypedDict):
    count: int
    """People in space"""
    names: list[str]


@final
class ProBriefingSectionsLaunchesNext(TypedDict):
    name: str
    """Vehicle and mission"""
    provider: str | None
    """Null where the catalogue names none"""
    status: str
    """In the words of the source, such as Go for Launch"""
    time: int
    """Not earlier than this, milliseconds since the epoch; a placeholder where the precision is coarse"""
    time_precision: Literal["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year"] | None
    """How exact `time` is; null where the catalogue does not say"""


@final
class ProBriefingSectionsLaunches(TypedDict):
    count: int
    """Launches to come, on hold or in flight, as /api/launches lists them; 20 at most"""
    next: ProBriefingSectionsLaunchesNext | None
    """The first one whose time is still ahead; null where none has such a time"""


@final
class ProBriefingSectionsPredictionsTopItemOutcomesItem(TypedDict):
    name: str
    percent: float | None
    """Probability, percent; null before the first price"""


@final
class ProBriefingSectionsPredictionsTopItem(TypedDict):
    question: str
    volume_24hr: float
    """Turnover of the last 24 hours, US dollars (USDC)"""
    outcomes: list[ProBriefingSectionsPredictionsTopItemOutcomesItem]
    """Each possible answer with its probability in percent, at most 20"""


@final
class ProBriefingSectionsPredictions(TypedDict):
    count: int
    """Open markets that are followed"""
    top: list[ProBriefingSectionsPredictionsTopItem]
    """Largest turnover of the last 24 hours first; only markets whose turnover is known"""


@final
class ProBriefingSections(TypedDict):
    """The requested sections; null, never zero, while the feed has not answered yet"""

    earthquakes: NotRequired[ProBriefingSectionsEarthquakes | None]
    tech_news: NotRequired[ProBriefingSectionsTechNews | None]
    humans_in_space: NotRequired[ProBriefingSectionsHumansInSpace | None]
    launches: NotRequired[ProBriefingSectionsLaunches | None]
    predictions: NotRequired[ProBriefingSectionsPredictions | None]


@final
class ProBriefingSeriesBtc24hItem(TypedDict):
    ts: int
    """When the price was seen, milliseconds since the epoch"""
    price: float
    """One bitcoin, US dollars"""


@final
class ProBriefingSeries(TypedDict):
    """Only with history=24h; left out, with a note, where the terms of a source forbid selling the prices"""

    btc_24h: list[ProBriefingSeriesBtc24hItem]
    """The first price seen in each five minutes of the last 24 hours, oldest first; gaps stay gaps"""


@final
class ProBriefingReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/briefing"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    sections: ProBriefingSections
    """The requested sections; null, never zero, while the feed has not answered yet"""
    series: NotRequired[ProBriefingSeries]
    """Only with history=24h; left out, with a note, where the terms of a source forbid selling the prices"""
    sample_size: dict[str, int]
    """Number of items behind each part; parts without data are left out"""
    notes: dict[str, str]
    """Explanation of each part, and why it is null"""


@final
class ProCodeHostVelocityTrendingReposItem(TypedDict):
    name: str
    full_name: str
    """Owner and name"""
    description: str | None
    language: str | None
    """Main programming language"""
    stars: int
    stars_per_day: float
    """Stars by days since its creation, at least one day"""
    forks: int
    open_issues: int | None
    """Issues and pull requests"""
    topics: list[str]
    license: str | None
    """By SPDX; null without one that the host recognises"""
    owner: str
    owner_type: str
    """User or Organization"""
    created_at: Instant
    pushed_at: Instant
    url: str
    """Address of a page, http or https"""
    age_days: float
    """Days since its creation"""
    is_ai_ml: bool
    """About AI or machine learning, by the published list of terms"""


@final
class ProCodeHostVelocityByLanguageItem(TypedDict):
    language: str
    count: int
    total_stars: int


@final
class ProCodeHostVelocityByTopicItem(TypedDict):
    topic: str
    count: int


@final
class ProCodeHostVelocityAggregate(TypedDict):
    trending_count: int | None
    total_stars: int | None
    """Stars of the trending repositories"""
    ai_ml_in_trending_count: int | None
    ai_ml_share_pct: float | None
    """Share of repositories about AI or machine learning among the trending ones, percent, one decimal"""
    ai_ml_active_30d_count: int | None
    """How many are listed in ai_ml_repos_active_30d"""
    languages: int | None
    """Different languages of the trending repositories, none not counted"""


@final
class ProCodeHostVelocityReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/code-host-velocity"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    window: Literal["7d"]
    """How long ago the trending repositories were created at most"""
    trending_repos: list[ProCodeHostVelocityTrendingReposItem] | None
    """Created within seven days, the most stars first"""
    ai_ml_repos_active_30d: list[ProCodeHostVelocityTrendingReposItem] | None
    """Under the topic llm, pushed to within 30 days, the most stars first"""
    by_language: list[ProCodeHostVelocityByLanguageItem] | None
    """Main languages of the trending repositories; none where a repository states no language"""
    by_topic: list[ProCodeHostVelocityByTopicItem] | None
    """Topics of the trending repositories, also those that their rows leave out"""
    aggregate: ProCodeHostVelocityAggregate
    sample_size: dict[str, int]
    """Number of repositories behind each set; a set that was never read is left out"""
    notes: dict[str, str]
    """Explanation of the parts, and of each null member by its path"""


@final
class ProCorrelationMatrixAssetsItem(TypedDict):
    symbol: Literal["TREASURY_10Y", "TREASURY_2Y", "USD_INDEX", "OIL_WTI"]
    asset_class: Literal["rates", "fx", "commodity"]
    observations: int
    """Daily numbers of the series in view; 0 while it was never read"""


@final
class ProCorrelationMatrixPairsItem(TypedDict):
    a: Literal["TREASURY_10Y", "TREASURY_2Y", "USD_INDEX", "OIL_WTI"]
    b: Literal["TREASURY_10Y", "TREASURY_2Y", "USD_INDEX", "OIL_WTI"]
    pearson_r: float
    """Correlation, from -1 to 1, 4 decimals"""
    n_observations: int
    """Returns that the correlation is of"""
    relationship: Literal["negligible", "weak", "moderate", "strong"]
    direction: Literal["positive", "negative", "none"]
    """none where the relationship is negligible"""


@final
class ProCorrelationMatrixMatrixTREASURY10Y(TypedDict):
    TREASURY_10Y: float | None
    TREASURY_2Y: float | None
    USD_INDEX: float | None
    OIL_WTI: float | None


@final
class ProCorrelationMatrixMatrix(TypedDict):
    """matrix[a][b] is the correlation of a and b, 1 on the diagonal; null without one"""

    TREASURY_10Y: ProCorrelationMatrixMatrixTREASURY10Y
    TREASURY_2Y: ProCorrelationMatrixMatrixTREASURY10Y
    USD_INDEX: ProCorrelationMatrixMatrixTREASURY10Y
    OIL_WTI: ProCorrelationMatrixMatrixTREASURY10Y


@final
class ProCorrelationMatrixSampleSize(TypedDict):
    assets_requested: int
    assets_with_data: int
    pairs_left_out: int
    """Pairs without a correlation"""


@final
class ProCorrelationMatrixReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/correlation-matrix"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    window: Literal["30d"]
    method: str
    """The method in words"""
    assets: list[ProCorrelationMatrixAssetsItem]
    pairs: list[ProCorrelationMatrixPairsItem]
    """The largest absolute correlation first; pairs without one are left out"""
    matrix: ProCorrelationMatrixMatrix
    """matrix[a][b] is the correlation of a and b, 1 on the diagonal; null without one"""
    sample_size: ProCorrelationMatrixSampleSize
    notes: dict[str, str]
    """Explanations, and under `<a>/<b>` why a pair is left out"""


@final
class ProCryptoDeepCoinsTop50Item(TypedDict):
    symbol: str
    name: str
    price_usd: float
    change_1h_percent: float | None
    change_24h_percent: float | None
    change_7d_percent: float | None
    market_cap: float | None
    """Price times coins in circulation, US dollars"""
    volume_24h: float | None
    """Turnover of 24 hours on all markets, US dollars"""
    rank: int | None
    """Place by market capitalisation, from 1"""


@final
class ProCryptoDeepExchangeTop20UsdtItem(TypedDict):
    pair: str
    price: float
    """Last trade, Tether"""
    change_24h_percent: float | None
    volume_24h: float | None
    """Turnover of 24 hours at this exchange, Tether"""
    high_24h: float | None
    low_24h: float | None
    trades_24h: int | None


@final
class ProCryptoDeepNetworkBtcFeesSatPerVb(TypedDict):
    """What a place in a block costs within a time, satoshi a virtual byte"""

    fastest: float
    half_hour: float
    hour: float
    economy: float | None
    minimum: float | None


@final
class ProCryptoDeepNetworkBtcHashrate(TypedDict):
    current_eh_s: float | None
    """Exahashes (10^18 hashes) a second, an estimate"""
    current_difficulty: float | None


@final
class ProCryptoDeepNetworkBtcMempool(TypedDict):
    count: int
    """Transactions that wait for a block"""
    vsize: float
    """Their size, virtual bytes"""
    total_fee_sat: float | None
    """What they offer to pay, satoshi"""


@final
class ProCryptoDeepNetworkBtc(TypedDict):
    block_height: int
    fees_sat_per_vb: ProCryptoDeepNetworkBtcFeesSatPerVb
    """What a place in a block costs within a time, satoshi a virtual byte"""
    hashrate: ProCryptoDeepNetworkBtcHashrate
    mempool: ProCryptoDeepNetworkBtcMempool


@final
class ProCryptoDeepEthGas(TypedDict):
    low_gwei: float
    standard_gwei: float
    fast_gwei: float
    base_fee_gwei: float
    """Base fee of the block after last_block"""
    last_block: int


@final
class ProCryptoDeepSeriesBtc30dItem(TypedDict):
    ts: int
    """Begin of the day (UTC), milliseconds since the epoch"""
    low: float
    high: float
    open: float
    close: float
    volume: float
    """Turnover of the day at this exchange, bitcoin"""


@final
class ProCryptoDeepSeries(TypedDict):
    """Only with history=30d"""

    btc_30d: list[ProCryptoDeepSeriesBtc30dItem] | None
    """Daily candles of bitcoin in US dollars, the oldest first; the open day is left out, and gaps stay gaps"""


@final
class ProCryptoDeepReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/crypto-deep"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    coins_top50: list[ProCryptoDeepCoinsTop50Item] | None
    """The largest coins by market capitalisation, the largest first"""
    exchange_top20_usdt: list[ProCryptoDeepExchangeTop20UsdtItem] | None
    """BTC, ETH, BNB, SOL, XRP, DOGE, ADA, TRX, AVAX, LINK, DOT, LTC, BCH, UNI, XLM, NEAR, APT, ARB, ATOM, FIL against Tether at one exchange, the largest turnover first; a pair that is halted is left out"""
    network_btc: ProCryptoDeepNetworkBtc | None
    eth_gas: ProCryptoDeepEthGas | None
    series: NotRequired[ProCryptoDeepSeries]
    """Only with history=30d"""
    sample_size: dict[str, int]
    """Number of rows of each list; lists without data are left out"""
    notes: dict[str, str]
    """Explanation of each part: what it is, or why it is null, and why members of it are"""


@final
class ProExchangeFlowsFlowsByExchangeItem(TypedDict):
    exchange: str
    inflow_eth: float
    outflow_eth: float
    net_flow_eth: float
    """Inflow less outflow"""
    inflow_count: int
    outflow_count: int


@final
class ProExchangeFlowsRecentTransfersItem(TypedDict):
    hash: str
    block_number: int
    timestamp: str
    """When the block was made"""
    exchange: str
    direction: Literal["inflow", "outflow"]
    """inflow: to the exchange"""
    counterparty_label: str | None
    """The exchange on the other side; null where its address has no label"""
    value_eth: float
    value_usd: float | None
    """US dollars; null without a price"""


@final
class ProExchangeFlowsAggregate(TypedDict):
    transfer_count: int
    """Transfers, one between exchanges counted once"""
    total_inflow_eth: float
    total_outflow_eth: float
    net_flow_eth: float
    net_flow_usd: int | None
    """Whole US dollars; null without a price"""
    bias: Literal["inflow_dominant", "outflow_dominant", "balanced"]


@final
class ProExchangeFlowsThreshold(TypedDict):
    transfer_min_eth: float
    balanced_below_eth: float


@final
class ProExchangeFlowsReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/exchange-flows"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    spot_eth_usd: float | None
    """Last trade of ether against Tether, which counts as a dollar"""
    blocks_scanned: list[int] | None
    blocks_missing: int | None
    flows_by_exchange: list[ProExchangeFlowsFlowsByExchangeItem] | None
    recent_transfers: list[ProExchangeFlowsRecentTransfersItem] | None
    """The newest block first and in it the largest; one between exchanges has a row for each"""
    aggregate: ProExchangeFlowsAggregate | None
    threshold: ProExchangeFlowsThreshold
    exchanges_tracked: list[str]
    """Exchanges that have a labelled address, in alphabetical order"""
    sample_size: dict[str, int]
    """What the flows are made of"""
    notes: dict[str, str]
    """Explanations by member; each member that is null has one"""


@final
class ProFeedReliabilityWindow(TypedDict):
    days: int
    """Length of the rolling window, days"""
    interval_minutes: int
    """Time between two checks, minutes"""


@final
class ProFeedReliabilityCounts(TypedDict):
    monitored: int
    ranked: int
    low_coverage: int
    not_configured: int
    ok: int
    """Monitored feeds whose latest verdict is ok"""
    stale: int
    dark: int


@final
class ProFeedReliabilityFeedsItemSubscores(TypedDict):
    uptime: float
    """ok / checks"""
    availability: float
    """(ok + stale) / checks"""
    staleness_rate: float
    """stale / checks"""
    dark_rate: float
    """dark / checks"""


@final
class ProFeedReliabilityFeedsItemCounts(TypedDict):
    ok: int
    """Checks that found the feed within its promise"""
    stale: int
    """Checks that found a good value, older than promised"""
    dark: int
    """Checks that found none, or one older than 24 hours"""
    missed: int
    """Five-minute slots since the first check of the window in which there was none: the service was away"""


@final
class ProFeedReliabilityFeedsItemLast24Hours(TypedDict):
    composite: int
    """100 x (ok + half of stale) / checks, rounded"""
    uptime: float
    """ok / checks"""
    checks: int
    """At most 288"""


ProFeedReliabilityFeedsItemLongestOutage = TypedDict(
    "ProFeedReliabilityFeedsItemLongestOutage",
    {
        "from": str,
        "until": str,
        "seconds": int,
        "checks": int,
        "dark_checks": int,
        "ongoing": bool,
    },
)


@final
class ProFeedReliabilityFeedsItem(TypedDict):
    rank: int
    feed: str
    """Stable identifier of the monitored feed"""
    name: str
    """Provider.metric of its first choice, as in _meta.sources[].name"""
    composite: int
    """100 x (ok + half of stale) / checks, rounded"""
    subscores: ProFeedReliabilityFeedsItemSubscores
    trust: Literal["high", "medium", "low"]
    """high from 288 checks, medium from 12, else low"""
    low_coverage: bool
    """Fewer than 12 checks: listed apart, not ranked"""
    checks: int
    """Verdicts in the window, one each five minutes at most"""
    counts: ProFeedReliabilityFeedsItemCounts
    last_24_hours: ProFeedReliabilityFeedsItemLast24Hours | None
    """The same scores over the last 24 hours alone; null without a check in them"""
    status: Literal["ok", "stale", "dark"]
    """The latest verdict"""
    status_since: str
    """Since which five-minute slot the latest verdict has been the same, as far as the window goes back"""
    interruptions: int
    """How many times an ok feed was found stale or dark next"""
    longest_outage: ProFeedReliabilityFeedsItemLongestOutage | None
    """The longest run of checks without an ok, the latest of equals; null without any"""
    last_success_at: str | None
    """When a poll last succeeded; of several instances the oldest; null where one never has"""
    content_at: str | None
    """The upstream's own time of its newest content then; null where it has none"""
    fresh_until: str | None
    """Until when that success keeps the feed's promise"""
    content_age_max_seconds: int | None
    """How old the newest content may be, seconds; null where content has no time"""


@final
class ProFeedReliabilityLowCoverageItem(TypedDict):
    feed: str
    """Stable identifier of the monitored feed"""
    name: str
    """Provider.metric of its first choice, as in _meta.sources[].name"""
    composite: int
    """100 x (ok + half of stale) / checks, rounded"""
    subscores: ProFeedReliabilityFeedsItemSubscores
    trust: Literal["high", "medium", "low"]
    """high from 288 checks, medium from 12, else low"""
    low_coverage: bool
    """Fewer than 12 checks: listed apart, not ranked"""
    checks: int
    """Verdicts in the window, one each five minutes at most"""
    counts: ProFeedReliabilityFeedsItemCounts
    last_24_hours: ProFeedReliabilityFeedsItemLast24Hours | None
    """The same scores over the last 24 hours alone; null without a check in them"""
    status: Literal["ok", "stale", "dark"]
    """The latest verdict"""
    status_since: str
    """Since which five-minute slot the latest verdict has been the same, as far as the window goes back"""
    interruptions: int
    """How many times an ok feed was found stale or dark next"""
    longest_outage: ProFeedReliabilityFeedsItemLongestOutage | None
    """The longest run of checks without an ok, the latest of equals; null without any"""
    last_success_at: str | None
    """When a poll last succeeded; of several instances the oldest; null where one never has"""
    content_at: str | None
    """The upstream's own time of its newest content then; null where it has none"""
    fresh_until: str | None
    """Until when that success keeps the feed's promise"""
    content_age_max_seconds: int | None
    """How old the newest content may be, seconds; null where content has no time"""


@final
class ProFeedReliabilityNotConfiguredItem(TypedDict):
    feed: str
    name: str
    reason: Literal["not_configured", "not_licensed"]
    """not_configured: a key is missing; not_licensed: the terms of its sources forbid it here"""


@final
class ProFeedReliabilitySampleSize(TypedDict):
    feeds: int
    checks: int
    """Checks of all feeds in the window"""


@final
class ProFeedReliabilityReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/feed-reliability"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    captured_at: str | None
    window: ProFeedReliabilityWindow
    counts: ProFeedReliabilityCounts | None
    feeds: list[ProFeedReliabilityFeedsItem] | None
    low_coverage: list[ProFeedReliabilityLowCoverageItem] | None
    not_configured: list[ProFeedReliabilityNotConfiguredItem] | None
    sample_size: ProFeedReliabilitySampleSize | None
    notes: dict[str, str]


@final
class ProFeedReliabilityHistorySeriesItem(TypedDict):
    date: str
    """Day in UTC, YYYY-MM-DD"""
    composite: int
    """100 x (ok + half of stale) / checks, rounded"""
    uptime: float
    """ok / checks"""
    availability: float
    """(ok + stale) / checks"""
    staleness_rate: float
    """stale / checks"""
    dark_rate: float
    """dark / checks"""
    checks: int
    """Checks of the day, at most 288"""
    ok: int
    stale: int
    dark: int
    complete: bool
    """The day is over, and the row is final"""


@final
class ProFeedReliabilityHistorySampleSize(TypedDict):
    days: int
    """Days of the window that have a row"""
    days_asked: int
    """Days of the window"""
    checks: int


ProFeedReliabilityHistoryReply = TypedDict(
    "ProFeedReliabilityHistoryReply",
    {
        "source": Literal["tidewire-pro"],
        "endpoint": Literal["pro/feed-reliability/history"],
        "generated_at": Instant,
        "billing": Billing,
        "receipt": Receipt,
        "_meta": Meta,
        "feed": str | None,
        "feeds": NotRequired[list[str]],
        "from": str,
        "to": str,
        "empty": bool,
        "series": list[ProFeedReliabilityHistorySeriesItem],
        "sample_size": ProFeedReliabilityHistorySampleSize,
        "notes": dict[str, str],
    },
)


@final
class ProMacroEconomicFedRateSeriesItem(TypedDict):
    date: str
    """Day in UTC, YYYY-MM-DD"""
    value: float


@final
class ProMacroEconomicFedRate(TypedDict):
    """Federal funds effective rate, percent, monthly"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    source: str
    """fred:<series>"""
    series: NotRequired[list[ProMacroEconomicFedRateSeriesItem]]
    """Only with history=30d"""


@final
class ProMacroEconomicCpi(TypedDict):
    """Consumer price index, 1982-84=100, monthly"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    source: str
    """fred:<series>"""
    series: NotRequired[list[ProMacroEconomicFedRateSeriesItem]]
    """Only with history=30d"""


@final
class ProMacroEconomicUnemployment(TypedDict):
    """Unemployment rate, percent, monthly"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    source: str
    """fred:<series>"""
    series: NotRequired[list[ProMacroEconomicFedRateSeriesItem]]
    """Only with history=30d"""


@final
class ProMacroEconomicGdpGrowth(TypedDict):
    """Real growth at an annual rate, percent, quarterly"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    source: str
    """fred:<series>"""
    series: NotRequired[list[ProMacroEconomicFedRateSeriesItem]]
    """Only with history=30d"""


@final
class ProMacroEconomicTreasury10y(TypedDict):
    """Yield of 10-year US Treasury securities, percent, daily"""

    value: float | None
    """Newest number; null while the series was never read"""
    date: str | None
    """First day of the period that the number is of"""
    source: str
    """fred:<series>"""
    series: NotRequired[list[ProMacroEconomicFedRateSeriesItem]]
    """Only with history=30d"""


@final
class ProMacroEconomic(TypedDict):
    fed_rate: ProMacroEconomicFedRate
    """Federal funds effective rate, percent, monthly"""
    cpi: ProMacroEconomicCpi
    """Consumer price index, 1982-84=100, monthly"""
    unemployment: ProMacroEconomicUnemployment
    """Unemployment rate, percent, monthly"""
    gdp_growth: ProMacroEconomicGdpGrowth
    """Real growth at an annual rate, percent, quarterly"""
    treasury_10y: ProMacroEconomicTreasury10y
    """Yield of 10-year US Treasury securities, percent, daily"""


@final
class ProMacroForexRates(TypedDict):
    """Units of the currency for one US dollar; null where that day has no rate of it"""

    EUR: float | None
    JPY: float | None
    GBP: float | None
    CHF: float | None


@final
class ProMacroForexSeriesEURItem(TypedDict):
    date: str
    """Day in UTC, YYYY-MM-DD"""
    value: float


@final
class ProMacroForexSeries(TypedDict):
    """Only with history=30d"""

    EUR: list[ProMacroForexSeriesEURItem]
    """The newest published numbers, oldest first"""
    JPY: list[ProMacroForexSeriesEURItem]
    """The newest published numbers, oldest first"""
    GBP: list[ProMacroForexSeriesEURItem]
    """The newest published numbers, oldest first"""
    CHF: list[ProMacroForexSeriesEURItem]
    """The newest published numbers, oldest first"""


@final
class ProMacroForex(TypedDict):
    base: Literal["USD"]
    date: str
    """Working day of the rates"""
    rates: ProMacroForexRates
    """Units of the currency for one US dollar; null where that day has no rate of it"""
    series: NotRequired[ProMacroForexSeries]
    """Only with history=30d"""


@final
class ProMacroCommoditiesOil(TypedDict):
    price_usd: float
    date: str
    """Day in UTC, YYYY-MM-DD"""
    source: str
    """fred:<series>"""
    series: NotRequired[list[ProMacroEconomicFedRateSeriesItem]]
    """Only with history=30d"""


@final
class ProMacroCommodities(TypedDict):
    oil: ProMacroCommoditiesOil | None
    """WTI crude oil, US dollars a barrel"""
    nat_gas: ProMacroCommoditiesOil | None
    """Henry Hub natural gas, US dollars a million BTU"""


@final
class ProMacroReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/macro"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    economic: ProMacroEconomic
    forex: ProMacroForex | None
    commodities: ProMacroCommodities
    sample_size: dict[str, int]
    """Entries of each part that hold a number; with history=30d also the length of each series"""
    notes: dict[str, str]
    """Explanation of each entry, and why it is null where it is"""


@final
class ProSentimentMarketIndicesCryptoFearGreed(TypedDict):
    value: int
    """0 (extreme fear) to 100 (extreme greed)"""
    label: Literal["Extreme Fear", "Fear", "Neutral", "Greed", "Extreme Greed"]
    """The publisher's class of the value"""
    source: str


@final
class ProSentimentMarketIndicesStocksVix(TypedDict):
    value: float
    change_percent: float
    label: Literal["low_volatility", "normal", "elevated", "high_volatility", "unknown"]
    source: str


@final
class ProSentimentMarketIndices(TypedDict):
    crypto_fear_greed: ProSentimentMarketIndicesCryptoFearGreed | None
    """Index of the current day"""
    stocks_vix: ProSentimentMarketIndicesStocksVix | None
    """Removed: always null"""


@final
class ProSentimentTrendingItemSampleHeadlinesItem(TypedDict):
    title: str
    url: str | None
    source: str
    sentiment_signal: Literal["+", "-", "neutral"]
    """neutral as well where no word is in the lexicon"""
    scored: bool
    """Whether a word of it is in the lexicon"""


@final
class ProSentimentTrendingItem(TypedDict):
    symbol: Literal["BTC", "ETH", "SOL", "XRP", "DOGE", "ADA", "BNB", "LINK", "USDT", "USDC", "AAPL", "MSFT", "NVDA", "AMZN", "GOOGL", "META", "TSLA", "AMD", "INTC", "NFLX", "JPM", "COIN", "MSTR", "MARA", "RIOT", "HOOD"]
    asset_class: Literal["crypto", "equity", "crypto-equity"]
    """crypto-equity: shares of companies whose value follows crypto assets"""
    mention_count_24h: int
    """Headlines that name it, each title once"""
    sources: dict[str, Any]
    """Those headlines by source"""
    sentiment_score: float
    """(positive - negative) / (positive + negative) headlines; 0 where there is neither"""
    sentiment_label: Literal["negative", "moderately_negative", "neutral", "moderately_positive", "positive"]
    """By the score: up to -0.3, up to -0.1, below 0.1, below 0.3, above"""
    scored: int
    """Headlines with a word of the lexicon"""
    low_sample: bool
    """Fewer than three headlines are positive or negative"""
    sample_headlines: list[ProSentimentTrendingItemSampleHeadlinesItem]
    """The newest first"""


@final
class ProSentimentPredictionMarketsSignalsItem(TypedDict):
    question: str
    yes_probability: float | None
    """Probability of Yes, 0 to 1; null where the answers are not Yes and No, or have no price yet"""
    volume_24h: float
    """Turnover of the last 24 hours, US dollars (USDC)"""
    url: str | None


@final
class ProSentimentSampleSize(TypedDict):
    headlines_scanned: int
    """Headlines of 24 hours, each title once"""
    headlines_scored: int
    """Those with a word of the lexicon"""
    tickers_with_mentions: int
    """Of the 26 that are followed"""


@final
class ProSentimentReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/sentiment"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    window: Literal["24h"]
    lexicon: Literal["lexicon-1"]
    """Name of the word list; another list has another name"""
    market_indices: ProSentimentMarketIndices
    trending: list[ProSentimentTrendingItem]
    """The most named first, then by symbol"""
    prediction_markets_signals: list[ProSentimentPredictionMarketsSignalsItem]
    """Open markets with the largest turnover of 24 hours, whatever their subject"""
    sample_size: ProSentimentSampleSize
    notes: dict[str, str]
    """Explanation of each part, and of each member that is null"""


@final
class ProWhalesSpotPrices(TypedDict):
    btc_usd: float | None
    eth_usd: float | None


@final
class ProWhalesBtcWhalesUnconfirmedItem(TypedDict):
    txid: str
    value_btc: float
    """Sum of all outputs, the change that returns to the sender among them"""
    fee_sat: int | None
    """Fee, satoshi"""
    vsize: float | None
    """Size, virtual bytes"""
    seen_at: str
    """When the transaction was first seen"""
    value_usd: float | None
    """US dollars; null without a price"""


ProWhalesEthWhalesLatestBlockItem = TypedDict(
    "ProWhalesEthWhalesLatestBlockItem",
    {
        "hash": str,
        "block_number": int,
        "from": str,
        "to": str | None,
        "value_eth": float,
        "from_label": str | None,
        "to_label": str | None,
        "value_usd": float | None,
    },
)


@final
class ProWhalesEthBlock(TypedDict):
    number: int
    hash: str
    timestamp: str
    """ISO 8601 instant in UTC with milliseconds"""
    transactions: int
    base_fee_gwei: float | None


@final
class ProWhalesAggregate(TypedDict):
    """Over all transfers of the window and of the scanned blocks, those that no row shows included"""

    btc_count: int | None
    btc_total: float | None
    btc_total_usd: float | None
    """US dollars; null without a price"""
    eth_count: int | None
    eth_total: float | None
    eth_total_usd: float | None
    """US dollars; null without a price"""


@final
class ProWhalesThresholds(TypedDict):
    btc: float
    eth: float


@final
class ProWhalesReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/whales"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    spot_prices: ProWhalesSpotPrices | None
    """Last trades against Tether, which counts as a dollar"""
    btc_whales_unconfirmed: list[ProWhalesBtcWhalesUnconfirmedItem] | None
    """Transfers of the last 60 minutes that were seen before a block held them, the newest first"""
    eth_whales_latest_block: list[ProWhalesEthWhalesLatestBlockItem] | None
    """Transfers of the scanned blocks, the newest block first and in it the largest"""
    eth_block: ProWhalesEthBlock | None
    """The newest block"""
    eth_blocks_scanned: list[int] | None
    """Numbers of the scanned blocks, the newest first: one chain without gaps"""
    aggregate: ProWhalesAggregate
    """Over all transfers of the window and of the scanned blocks, those that no row shows included"""
    sample_share: float | None
    """Estimated share of all new bitcoin transactions that was seen"""
    thresholds: ProWhalesThresholds
    sample_size: dict[str, int]
    """What each part is made of"""
    notes: dict[str, str]
    """Explanations by member; each member that is null has one"""


@final
class ProWorldDeltasEventsItemEarthquakeData(TypedDict):
    id: str
    type: Literal["earthquake", "volcanic eruption", "volcanic explosion"]
    """Kind of event, in the agency's words"""
    magnitude: float
    """Magnitude at the time when it was learnt; the agency may revise it"""
    place: str | None
    """Nearest place, in words"""
    depth_km: float | None
    """Depth below sea level in kilometres"""
    mag_type: str | None
    """Scale of the magnitude, such as mww or ml"""
    time: str
    """Origin time"""
    url: str | None
    """Detail page"""


@final
class ProWorldDeltasEventsItemEarthquake(TypedDict):
    type: Literal["earthquake"]
    timestamp: Instant
    severity: Literal["minor", "moderate", "major"]
    data: ProWorldDeltasEventsItemEarthquakeData


@final
class ProWorldDeltasEventsItemTechNewsStoryData(TypedDict):
    id: int
    """Number of the story at Hacker News"""
    title: str
    url: str | None
    """What the story links to; null where it is a text of its own"""
    points: int | None
    """Votes when it was learnt"""
    num_comments: int | None
    """Comments at all depths when it was learnt"""
    author: str | None
    time: str
    """When it was posted"""


@final
class ProWorldDeltasEventsItemTechNewsStory(TypedDict):
    type: Literal["tech_news_story"]
    timestamp: Instant
    severity: Literal["minor", "moderate", "major"]
    data: ProWorldDeltasEventsItemTechNewsStoryData


@final
class ProWorldDeltasEventsItemPredictionMarketUpdateData(TypedDict):
    id: str
    question: str
    outcome: str
    """The leading outcome"""
    probability: float
    """Probability of that outcome, 0 to 1"""
    previous: float | None
    """Probability of the same outcome when the market was last stated; null for a newly listed market"""
    volume_24h: float
    """Turnover of the last 24 hours, US dollars (USDC)"""
    url: str | None


@final
class ProWorldDeltasEventsItemPredictionMarketUpdate(TypedDict):
    type: Literal["prediction_market_update"]
    timestamp: Instant
    severity: Literal["minor", "moderate", "major"]
    data: ProWorldDeltasEventsItemPredictionMarketUpdateData


@final
class ProWorldDeltasEventsItemSpaceLaunchDataWindow(TypedDict):
    start: Instant | None
    end: Instant | None


@final
class ProWorldDeltasEventsItemSpaceLaunchData(TypedDict):
    id: str
    """Stays the same when the launch slips"""
    mission: str | None
    vehicle: str | None
    provider: str | None
    status: str
    """In the words of the source, such as Go for Launch"""
    net: str
    """No earlier than; a placeholder where the precision is coarse"""
    net_precision: Literal["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year"] | None
    """How exact `net` is"""
    window: ProWorldDeltasEventsItemSpaceLaunchDataWindow | None
    """Launch window"""
    url: str | None
    """The entry in the catalogue"""


@final
class ProWorldDeltasEventsItemSpaceLaunch(TypedDict):
    type: Literal["space_launch"]
    timestamp: Instant
    severity: Literal["minor", "moderate", "major"]
    data: ProWorldDeltasEventsItemSpaceLaunchData


@final
class ProWorldDeltasCounts(TypedDict):
    """Events of this reply by type; no member where nothing was learnt after `since`"""

    earthquake: NotRequired[int]
    tech_news_story: NotRequired[int]
    prediction_market_update: NotRequired[int]
    space_launch: NotRequired[int]


@final
class ProWorldDeltasSampleSize(TypedDict):
    events_in_rolling_hour: int | None
    """Events learnt within the hour, without launches; null where none of them is after `since`"""
    events_after_since_filter: int
    """Those of them after `since`, also where they exceed this reply"""


@final
class ProWorldDeltasReply(TypedDict):
    source: Literal["tidewire-pro"]
    endpoint: Literal["pro/world-deltas"]
    """Name of the endpoint called"""
    generated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    billing: Billing
    receipt: Receipt
    _meta: Meta
    since: Instant | None
    """Effective lower bound: later events are in the reply. Null before the first feed was read"""
    since_clamped: bool
    """The given `since` was older than the rolling hour: events may have been missed"""
    next_since: Instant | None
    """The `since` of the next call, which then holds every later event, and none of these"""
    has_more: bool
    """More than 200 events are later than `since`: the oldest are here, and `next_since` gives the others"""
    events: list[ProWorldDeltasEventsItemEarthquake | ProWorldDeltasEventsItemTechNewsStory | ProWorldDeltasEventsItemPredictionMarketUpdate | ProWorldDeltasEventsItemSpaceLaunch]
    """Newest timestamp first; empty, without launches, where nothing was learnt after `since`"""
    counts: ProWorldDeltasCounts
    """Events of this reply by type; no member where nothing was learnt after `since`"""
    sample_size: ProWorldDeltasSampleSize
    notes: dict[str, str]
    """Explanations; of a member that is null under its name, in an event as type.member"""


@final
class ReactorsDataReducedItem(TypedDict):
    unit: str
    power_pct: float
    """Percent of the licensed thermal power"""


@final
class ReactorsData(TypedDict):
    report_date: str
    """Day of the report, YYYY-MM-DD"""
    total: int
    """How many units report"""
    at_full_power: int
    """Units at 100 percent or above"""
    reduced_count: int
    """Units above 0 and below 100 percent"""
    offline_count: int
    """Units at 0 percent"""
    reduced: list[ReactorsDataReducedItem]
    offline: list[ReactorsDataReducedItem]


@final
class ReactorsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["reactors"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: ReactorsData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class ReceiptVerifyBodyReceipt(TypedDict):
    """As it stands in a reply"""

    id: str
    jws: str
    """The receipt: a compact JWS"""


@final
class ReceiptVerifyBody(TypedDict):
    receipt: str | ReceiptVerifyBodyReceipt


@final
class ReceiptVerifyReceiptLedger(TypedDict):
    account_sequence: int
    entry_sha256: str
    """SHA-256, 64 lower-case hex digits"""


@final
class ReceiptVerifyReceipt(TypedDict):
    id: str
    """Of the receipt: X-Service-Receipt-Id"""
    issuer: str
    kid: str
    """Which key of /.well-known/jwks.json signed it"""
    time: Instant
    endpoint: str
    request_sha256: str
    """SHA-256 over the RFC 8785 form of {method, path, query}, 64 lower-case hex digits"""
    response_sha256: str
    """SHA-256 over the RFC 8785 form of the reply without its member receipt, 64 lower-case hex digits"""
    credits: int
    """Credits that the call cost"""
    reason: str | None
    """Why it was free of charge; null when charged"""
    ledger: ReceiptVerifyReceiptLedger | None
    """The ledger entry of the charge, by its place in the account and its hash; null where nothing was charged"""


@final
class ReceiptVerifyReply(TypedDict):
    valid: bool
    """Whether this service signed the receipt, and the reply sent with it is the signed one"""
    reason: Literal["malformed", "unknown_key", "wrong_signature", "body_differs", "id_differs"] | None
    """Why it is not valid; null when it is"""
    body: Literal["matches", "differs", "not_given"]
    """Whether the reply is the one that the receipt was signed for"""
    receipt: ReceiptVerifyReceipt | None
    """The claims of the receipt; null unless its signature is valid"""


@final
class ServiceStatusDataItem(TypedDict):
    name: str
    status: Literal["operational", "minor", "major", "critical", "maintenance"] | None
    """The page's own word for the worst that is going on. Where that is none although parts are degraded: minor, with a major outage of a part major, with planned work alone maintenance. Null while the page has never been read"""
    description: str | None
    """The page's own sentence"""
    incident_count: int | None
    """Unresolved incidents; null where the page does not say"""
    components_affected: int | None
    """Parts of the service that are not operational, planned maintenance included"""
    component_count: int | None
    """Parts that the page lists"""


@final
class ServiceStatusReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["service-status"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: list[ServiceStatusDataItem] | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class SevereWeatherDataCountsBySeverity(TypedDict):
    """How many of them are of each severity"""

    Extreme: int
    Severe: int
    Moderate: int
    Minor: int
    Unknown: int


@final
class SevereWeatherDataAlertsItem(TypedDict):
    id: str
    event: str
    """Kind of alert, such as Winter Storm Warning"""
    severity: Literal["Extreme", "Severe", "Moderate", "Minor", "Unknown"]
    urgency: Literal["Immediate", "Expected", "Future", "Past", "Unknown"]
    certainty: Literal["Observed", "Likely", "Possible", "Unlikely", "Unknown"]
    score: float
    """10 x severity (Extreme 4, Severe 3, Moderate 2, Minor 1, Unknown 0) + urgency (Immediate 3, Expected 2, Future 1, else 0) + 0.5 x certainty (Observed 3, Likely 2, Possible 1, else 0)"""
    area_desc: str
    """Names of the zones"""
    headline: str | None
    effective: Instant
    expires: str
    """When the message lapses"""
    ends: Instant | None
    """When the hazard ends; null where the message does not say"""
    sender_name: str
    """Forecast office"""
    category: str
    web: str | None


@final
class SevereWeatherData(TypedDict):
    total_active: int
    """Alerts in force, those that are not shown included"""
    counts_by_severity: SevereWeatherDataCountsBySeverity
    """How many of them are of each severity"""
    alerts: list[SevereWeatherDataAlertsItem]


@final
class SevereWeatherReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["severe-weather"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: SevereWeatherData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class SpaceWeatherDataActiveAlertsItem(TypedDict):
    code: str
    kind: Literal["alert", "warning", "watch"]
    headline: str
    scale: str | None
    """NOAA scale: G, R or S with 1 to 5"""
    issued_at: Instant
    active_until: Instant


@final
class SpaceWeatherData(TypedDict):
    kp_index: float | None
    """Planetary K index of the newest three-hour interval, 0 to 9"""
    kp_time: Instant | None
    """Start of that interval"""
    kp_estimated: float | None
    """Highest running estimate of the last three hours, 0 to 9"""
    solar_wind_speed_km_s: float | None
    """Proton speed in kilometres per second"""
    solar_wind_density_cm3: float | None
    """Protons per cubic centimetre"""
    solar_wind_time: Instant | None
    flare_class: Literal["A", "B", "C", "M", "X"] | None
    """Letter of the peak X-ray flux of 24 hours: A below 1e-7 W/m2, then B, C, M, and X from 1e-4 W/m2"""
    flare_peak: str | None
    """The peak as a full class, such as M1.3"""
    flare_peak_flux_w_m2: float | None
    """Peak flux at 0.1 to 0.8 nm, watts per square metre"""
    flare_peak_time: Instant | None
    active_alerts: list[SpaceWeatherDataActiveAlertsItem] | None


@final
class SpaceWeatherReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["space-weather"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: SpaceWeatherData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class StocksDataGainersItem(TypedDict):
    symbol: str
    price: float
    """Price of the last trade, US dollars"""
    high: float | None
    """Highest price of the session, US dollars"""
    low: float | None
    """Lowest price of the session, US dollars"""
    as_of: str
    """When the last trade was; it repeats while the market is closed"""
    change_percent: float
    """Change against the previous close, percent"""
    change: float
    """Change against the previous close, US dollars"""
    previous_close: float
    """Last price of the session before, US dollars"""


@final
class StocksDataQuotesItem(TypedDict):
    symbol: str
    price: float
    """Price of the last trade, US dollars"""
    high: float | None
    """Highest price of the session, US dollars"""
    low: float | None
    """Lowest price of the session, US dollars"""
    as_of: str
    """When the last trade was; it repeats while the market is closed"""
    change_percent: float | None
    """Change against the previous close, percent; null where that is not known"""
    change: float | None
    previous_close: float | None


@final
class StocksData(TypedDict):
    gainers: list[StocksDataGainersItem]
    """Prices above the previous close, the largest change in percent first"""
    losers: list[StocksDataGainersItem]
    """Prices below the previous close, the largest change in percent first"""
    indices: list[StocksDataGainersItem]
    """SPY, QQQ and DIA in this order, without those whose change is not known"""
    quotes: list[StocksDataQuotesItem]
    """Every symbol that was named, or that is followed, and has a quote, by symbol"""
    not_followed: list[str]
    """Named symbols without a quote: unknown to the source, or beyond what may be fetched on request"""


@final
class StocksReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["stocks"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: StocksData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class TechNewsDataItem(TypedDict):
    id: int
    """Number of the story at Hacker News"""
    title: str
    url: str | None
    """What the story links to; null where it is a text of its own"""
    discussion_url: str
    """Address of a page, http or https"""
    score: int | None
    """Votes"""
    comment_count: int | None
    """Comments at all depths"""
    author: str | None
    posted_at: Instant


@final
class TechNewsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["tech-news"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: list[TechNewsDataItem] | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class TradeHaltsDataHaltsItem(TypedDict):
    symbol: str
    name: str
    """Name of the security; empty where none is given"""
    market: str
    """Listing market, such as NASDAQ, NYSE or AMEX"""
    reason_code: str
    """As the exchange writes it, such as T1 or LUDP"""
    reason: str | None
    """The code in words; null for one that is not known"""
    halted_at: Instant
    pause_threshold_price: float | None
    """Price that set off the pause, US dollars; null where none is given"""
    resumption_quote_at: Instant | None
    """From when on quotes are accepted"""
    resumption_at: Instant | None
    """From when on it trades again; null until that is announced"""


@final
class TradeHaltsData(TypedDict):
    count: int
    """How many halts are listed"""
    total: int
    """How many halts are in force"""
    halts: list[TradeHaltsDataHaltsItem]


@final
class TradeHaltsReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["trade-halts"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: TradeHaltsData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class TsunamiDataMessagesItem(TypedDict):
    centre: Literal["PAAQ", "PHEB"]
    """PAAQ: National Tsunami Warning Center; PHEB: Pacific Tsunami Warning Center"""
    event: str | None
    """The centre's name of the event"""
    product: str | None
    """The weather service's name of the series of messages, such as WEPA40; null where it is not given"""
    number: int | None
    """Counts the messages about the event, from 1"""
    level: Literal["info", "watch", "advisory", "warning"]
    category: Literal["information", "watch", "advisory", "warning", "threat", "cancellation", "no_threat", "test"]
    """The centre's own word for the message; no_threat and test are never active"""
    active: bool
    title: str
    place: str
    issued_at: Instant
    magnitude: float | None
    """Preliminary magnitude of the earthquake"""
    lat: float | None
    """Epicentre, degrees north"""
    lon: float | None
    """Epicentre, degrees east"""
    note: str | None
    url: str | None
    """The bulletin in words"""


@final
class TsunamiData(TypedDict):
    highest_level: Literal["none", "info", "watch", "advisory", "warning"]
    """The highest level among active messages: none, info, watch, advisory, warning"""
    active_count: int
    """How many messages are active"""
    watched_since: Instant | None
    """Since when both centres have been read without a gap; null while one of them has never been read"""
    messages: list[TsunamiDataMessagesItem]


@final
class TsunamiReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["tsunami"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: TsunamiData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class VolcanoesDataReportsItem(TypedDict):
    name: str
    country: str | None
    """Country, or an area such as Undersea Features"""
    summary: str
    """Beginning of the report, at most 280 characters"""
    link: str
    """Address of a page, http or https"""
    category: str | None
    """In the words of the source, such as New Eruptive Activity or Continuing Unrest"""
    period: str
    """Week of the report, in the words of the source"""
    period_start: str | None
    """First day of the period, YYYY-MM-DD"""
    period_end: str | None
    """Last day of the period, YYYY-MM-DD"""
    volcano_number: int | None
    """Number of the volcano in the catalogue of the Global Volcanism Program"""
    lat: float | None
    """Degrees north"""
    lon: float | None
    """Degrees east"""
    published_at: Instant


@final
class VolcanoesData(TypedDict):
    count: int
    """How many reports are listed"""
    total: int
    """How many reports the issue has"""
    reports: list[VolcanoesDataReportsItem]


@final
class VolcanoesReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["volcanoes"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: VolcanoesData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class WeatherData(TypedDict):
    lat: float
    """Latitude asked for, degrees north, two decimals"""
    lon: float
    """Longitude asked for, degrees east, two decimals"""
    time: str
    """When the conditions held"""
    temperature_f: float | None
    """Air temperature at 2 m, degrees Fahrenheit"""
    feels_like_f: float | None
    """Apparent temperature, degrees Fahrenheit"""
    weather_code: int | None
    """WMO code 4677 of the present weather"""
    conditions: str | None
    """The weather code in words"""
    wind_speed_mph: float | None
    """Wind speed at 10 m, miles per hour"""
    wind_gust_mph: float | None
    """Gusts at 10 m, miles per hour"""
    humidity_percent: float | None
    """Relative humidity at 2 m, percent"""


@final
class WeatherReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["weather"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: WeatherData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


@final
class WildfiresDataFiresItem(TypedDict):
    lat: float
    """Centre of the pixel, degrees north"""
    lon: float
    """Centre of the pixel, degrees east"""
    state: str | None
    """Approximate US state, district or territory as two letters, from outlines at 1:10,000,000: it may be wrong within some two kilometres of a border or coast. Null outside the United States"""
    radiative_power_mw: float | None
    """Fire radiative power, megawatts"""
    confidence: Literal["low", "nominal", "high"] | None
    satellite: str
    acquired_at: str
    """When the satellite saw it"""
    daytime: bool | None


@final
class WildfiresData(TypedDict):
    count: int
    """How many detections are listed"""
    fires: list[WildfiresDataFiresItem]


@final
class WildfiresReply(TypedDict):
    source: Literal["tidewire"]
    endpoint: Literal["wildfires"]
    """Name of the endpoint called"""
    updated_at: Instant | None
    """When the data was last refreshed from its upstream (_meta.as_of); null while there is none"""
    data: WildfiresData | None
    """Null while there is no data: see _meta.warming and _meta.reason"""
    _meta: Meta


DcatReply = TypedDict(
    "DcatReply",
    {
        "@context": dict[str, Any],
        "@id": str,
        "@type": Literal["dcat:Catalog"],
        "dct:title": str,
        "dct:description": str,
        "dct:publisher": dict[str, Any],
        "dcat:themeTaxonomy": dict[str, Any],
        "dcat:service": list[dict[str, Any]],
        "dcat:dataset": list[dict[str, Any]],
    },
)


@final
class ChangelogJsonEntriesItem(TypedDict):
    date: str
    kind: Literal["added", "changed", "deprecated", "removed"]
    path: NotRequired[str]
    field: NotRequired[str]
    """The member of its reply"""
    text: str
    effective: NotRequired[str]


@final
class ChangelogJsonReply(TypedDict):
    contract_version: str
    entries: list[ChangelogJsonEntriesItem]


@final
class OpenapiInfo(TypedDict):
    title: str
    version: str


@final
class OpenapiReply(TypedDict):
    openapi: str
    info: OpenapiInfo
    paths: dict[str, Any]
    components: NotRequired[Any]


@final
class StatusCounts(TypedDict):
    monitored: int
    ok: int
    stale: int
    dark: int


@final
class StatusPartsItem(TypedDict):
    part: Literal["polling", "folding", "history", "replies", "credits", "chain"]
    state: Literal["works", "starting", "impaired"]
    """impaired: it waits for something, or has stopped"""
    since: str
    """ISO 8601 instant in UTC with milliseconds"""


@final
class StatusFeedsItem(TypedDict):
    feed: str
    """Stable identifier of the monitored feed"""
    name: str
    """Provider.metric of its first choice, as in _meta.sources[].name"""
    status: Literal["ok", "stale", "dark"]
    """The latest verdict"""
    since: str
    """Since when the latest verdict has been the same, as far as 7 days go back"""
    uptime_24_hours: float | None
    """ok / checks; null without a check in this time"""
    uptime_7_days: float | None
    """The same over 7 days"""
    checked_minutes: int
    """How long it was checked within 7 days, minutes"""
    uptime_90_days: float | None
    """The same over the days of `days`; null without a check in them, or where the history cannot be read now"""
    days: str | None


StatusOutagesItem = TypedDict(
    "StatusOutagesItem",
    {
        "feed": str,
        "from": str,
        "until": str | None,
        "minutes": int,
        "worst": Literal["stale", "dark"],
    },
)


@final
class StatusNotPolledItem(TypedDict):
    feed: str
    name: str
    reason: Literal["not_configured", "not_licensed"]
    """not_configured: a key is missing; not_licensed: the terms of its sources forbid it here"""


@final
class StatusReply(TypedDict):
    captured_at: str | None
    checked_until: str | None
    """When the next check is overdue: after it the verdicts are old"""
    counts: StatusCounts | None
    """Feeds by their latest verdict; null before the first check"""
    parts: list[StatusPartsItem]
    """The parts that run in the process which answers; others run in processes of their own"""
    first_day: str
    """The day of the first letter in `days`, UTC"""
    feeds: list[StatusFeedsItem]
    """Those that are not ok first, then by identifier"""
    outages: list[StatusOutagesItem] | None
    """Outages that began within 7 days, the latest first; null where the history cannot be read now"""
    not_polled: list[StatusNotPolledItem]
    """Feeds that this installation does not poll; they are not judged, and never dark"""


@final
class WorldTilesItem(TypedDict):
    name: str
    """Name of the endpoint"""
    path: str
    title: str
    subject: Literal["earth", "space", "markets", "infrastructure", "technology", "world", "service"]
    value: float | str | None
    """A number in `unit`, or a few words, cut where they are long; null where it is not known"""
    unit: str | None
    """Null for words, and for what `note` counts"""
    note: str
    """The meaning of the value, cut where it is long"""
    as_of: Instant | None
    """As `_meta.as_of` of the endpoint"""
    stale_after: Instant | None
    """As `_meta.stale_after` of the endpoint"""
    stale: bool
    """As `_meta.stale` of the endpoint"""
    status: Literal["live", "fallback", "error", "stale", "warming", "not_configured", "not_licensed"]
    """live; fallback: another source stands in; error: a source fails while the data is within its promise, or the data could not be read; stale: older than its promise; warming: no data yet; not_configured, not_licensed: no data here"""
    reason: str | None
    """Why it is not live; null where it is"""
    source: str | None
    """Providers of the data; null where it has none"""


@final
class WorldMarksItemPointsItem(TypedDict):
    lat: float
    lon: float
    weight: float
    """From 0 to 1, one of the most severe of its kind"""
    at: Instant | None
    """When it happened or will happen; null where it has no time"""
    title: str


@final
class WorldMarksItem(TypedDict):
    name: str
    """Name of the endpoint whose tile it belongs to"""
    points: list[WorldMarksItemPointsItem]
    """The most severe first"""
    omitted: int
    """Less severe ones that were left out for the size of the reply"""
    known: bool
    """False where the places could not be read: no points then says nothing about the world"""


@final
class WorldReply(TypedDict):
    generated_at: Instant
    tiles: list[WorldTilesItem]
    """By subject, then by path"""
    marks: list[WorldMarksItem]
    """Places on a map, by the endpoint that they are of"""
