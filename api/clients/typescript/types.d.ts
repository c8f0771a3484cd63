// Printed by `npm run clients` from the contract. Change the contract, or the printer.

/** ISO 8601 instant in UTC with milliseconds */
export type Instant = string

export interface SourceMeta {
  /** Provider.metric, stable */
  readonly name: string
  /** live: it answered and keeps its promise; stale: its last good answer is older than promised; fallback: another source stands in for it; error: it has failed; null: it has never answered */
  readonly status: "live" | "error" | "fallback" | "stale" | null
  /** Time of its last good answer; null before the first */
  readonly fetched_at: Instant | null
  /** How long that answer took, milliseconds */
  readonly latency_ms: number | null
  /** Why it is not live */
  readonly reason?: string
  /** The source that stands in */
  readonly fallback_source?: string
}

export interface Meta {
  /** Time of the last successful fetch that confirmed the data, for its oldest part; null without data */
  readonly as_of: Instant | null
  /** When the data last changed; for a selection, when any part of the whole view last changed */
  readonly changed_at: Instant | null
  /** Until when the data keeps its promise of freshness; null without data */
  readonly stale_after: Instant | null
  /** Whether `stale_after` has passed, or there is no data */
  readonly stale: boolean
  /** True while there has never been data and it may come; else absent */
  readonly warming?: boolean
  /** Why there is no data: with `warming` while it may come; alone where no source of it is configured (not_configured) or licensed (not_licensed) here */
  readonly reason?: string
  /** The upstreams of this reply */
  readonly sources: ReadonlyArray<SourceMeta>
}

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly error: string
  readonly message: string
  readonly parameter?: string
  readonly allowed?: ReadonlyArray<string>
  readonly retry_after_seconds?: number
  readonly did_you_mean?: string
  readonly catalog?: string
  readonly docs?: string
}

export interface Billing {
  /** Credits that this call cost */
  readonly credits_charged: number
  /** Balance after the call */
  readonly credits_remaining: number
  /** Why the call was free of charge; absent where it was charged */
  readonly no_charge_reason?: string
}

export interface Receipt {
  /** Also in X-Service-Receipt-Id */
  readonly id: string
  /** Ed25519 signature in JWS compact form; its keys are at /.well-known/jwks.json */
  readonly jws: string
}

export interface PremiumPaymentRequired {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly error: "missing_token" | "invalid_token" | "insufficient_credits" | "expired" | "billing_unavailable" | "payment_required"
  readonly message: string
  readonly parameter?: string
  readonly allowed?: ReadonlyArray<string>
  readonly retry_after_seconds?: number
  readonly did_you_mean?: string
  readonly catalog?: string
  readonly docs?: string
  /** The exact cause, where `error` has several; for programs */
  readonly reason?: string
  /** Address of the page that explains how credits are bought */
  readonly signup: string
  /** Credits by price key: those that one dollar buys (`1_usd`), and those of a call by its path */
  readonly pricing: { readonly [key: string]: string }
}

export interface PremiumFailure {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly error: string
  readonly message: string
  readonly parameter?: string
  readonly allowed?: ReadonlyArray<string>
  readonly retry_after_seconds?: number
  readonly did_you_mean?: string
  readonly catalog?: string
  readonly docs?: string
  readonly source?: "tidewire-pro"
  readonly endpoint?: string
  readonly billing?: Billing
  /** Null where signing failed too */
  readonly receipt?: Receipt | null
}

export interface AlreadyCredited {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly error: "already_credited"
  readonly message: string
  readonly parameter?: string
  readonly allowed?: ReadonlyArray<string>
  readonly retry_after_seconds?: number
  readonly did_you_mean?: string
  readonly catalog?: string
  readonly docs?: string
  /** The proof that opened the account with the credits; showing it returns that account's token */
  readonly opened_by: "memo" | "payer" | "operator"
  /** The next step of the account's owner: show_memo: confirm with that memo as `nonce`; sign: confirm with the payer's signature and the same claim key, without `nonce`; send_token: confirm with the bearer token that the credits were added to; ask_operator: only an operator can help */
  readonly next_step: "show_memo" | "sign" | "send_token" | "ask_operator"
  /** The memo's hash, or the payer, that opened the account, where the transaction shows it; else null */
  readonly shown: string | null
}

export interface PayerProofRequired {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly error: "payer_proof_required"
  readonly message: string
  readonly parameter?: string
  readonly allowed?: ReadonlyArray<string>
  readonly retry_after_seconds?: number
  readonly did_you_mean?: string
  readonly catalog?: string
  readonly docs?: string
  /** proof_required: neither memo nor signature was sent; beneficiary_required: nor is it said where the credits go; claim_key_required: the signature was sent without the claim key; signature_refused: it is not one of this text by a wallet that paid; signature_expired: its day is over, sign the new text */
  readonly reason: "proof_required" | "beneficiary_required" | "claim_key_required" | "signature_refused" | "signature_expired"
  /** The paying wallet signs this text (EIP-191 personal_sign). It names where the credits go: to the bearer token that was sent, else to the memo, else to the claim key. Send the signature as `signature`, with `signature_until` and the same token, `nonce` or `claim_key`. Null for beneficiary_required: send one of these first */
  readonly text_to_sign: string | null
  /** The day that the text names: a signature of it may be used until its end. Send it back with the signature */
  readonly signature_until: string | null
}

export interface PaymentPending {
  readonly status: "pending"
  /** Blocks from its own on; 0 while it is in no block */
  readonly confirmations: number
  /** Required confirmations; safe: the block must have the tag safe, as for more than 20 USD */
  readonly required: number | "safe"
  /** Also in Retry-After */
  readonly retry_after_seconds: number
}

export interface PurchaseRecord {
  /** 0x and 64 lower-case hex digits */
  readonly tx_hash: string
  /** Dollars that were transferred */
  readonly amount_usd: number
  readonly credits_added: number
  readonly block_number: number
  /** When the credits were added */
  readonly confirmed_at: string
  /** provisional: a few blocks deep; confirmed: its block has the tag safe; final: its block is finalized; reversed: its block left the chain, and the credits were taken back */
  readonly status: "provisional" | "confirmed" | "final" | "reversed"
}

export interface JsonRpcReplyError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface JsonRpcReply {
  readonly jsonrpc: "2.0"
  readonly id: string | number | null
  readonly result?: { readonly [key: string]: unknown }
  readonly error?: JsonRpcReplyError
}

export interface FeatureCollectionFeaturesItemGeometry {
  readonly type: "Point"
  /** Longitude, then latitude */
  readonly coordinates: readonly [number, number]
}

export interface FeatureCollectionFeaturesItem {
  readonly type: "Feature"
  readonly id?: string | number
  /** Null for an item without a known place */
  readonly geometry: FeatureCollectionFeaturesItemGeometry | null
  /** The members of the item as in JSON, without its coordinates */
  readonly properties: { readonly [key: string]: unknown }
}

export interface FeatureCollection {
  readonly type: "FeatureCollection"
  readonly source: string
  readonly endpoint: string
  readonly updated_at: Instant | null
  readonly _meta: Meta
  readonly features: ReadonlyArray<FeatureCollectionFeaturesItem>
}

export interface AiCatalogEntriesItem {
  readonly identifier: string
  readonly displayName: string
  readonly type: string
  readonly url: string
}

export interface AiCatalogReply {
  readonly specVersion: string
  readonly entries: ReadonlyArray<AiCatalogEntriesItem>
}

export interface ApiCatalogLinksetItemItemItem {
  readonly href: string
  readonly type?: string
  readonly title?: string
}

export interface ApiCatalogLinksetItem {
  /** The address that the links are about */
  readonly anchor: string
  readonly item?: ReadonlyArray<ApiCatalogLinksetItemItemItem>
  readonly "service-desc"?: ReadonlyArray<ApiCatalogLinksetItemItemItem>
  readonly "service-doc"?: ReadonlyArray<ApiCatalogLinksetItemItemItem>
  readonly "service-meta"?: ReadonlyArray<ApiCatalogLinksetItemItemItem>
  readonly status?: ReadonlyArray<ApiCatalogLinksetItemItemItem>
}

export interface ApiCatalogReply {
  readonly linkset: ReadonlyArray<ApiCatalogLinksetItem>
}

export interface JwksKeysItem {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  /** The public key: 32 bytes as base64url */
  readonly x: string
  /** Its RFC 7638 thumbprint, which receipts name */
  readonly kid: string
  readonly use: "sig"
  readonly alg: "EdDSA"
}

export interface JwksReply {
  readonly keys: ReadonlyArray<JwksKeysItem>
}

export interface McpWellKnownCardRemotesItemHeadersItem {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly isSecret: boolean
}

export interface McpWellKnownCardRemotesItem {
  readonly type: "streamable-http"
  readonly url: string
  readonly supportedProtocolVersions: ReadonlyArray<string>
  readonly headers: ReadonlyArray<McpWellKnownCardRemotesItemHeadersItem>
}

export interface McpWellKnownCardReply {
  readonly $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
  readonly name: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly websiteUrl?: string
  readonly remotes: ReadonlyArray<McpWellKnownCardRemotesItem>
}

export interface CatalogEndpointsItemParametersItem {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly unit: string | null
  readonly default: string | null
  readonly allowed: ReadonlyArray<string> | null
  readonly example: string
  /** False: left out of tool definitions, as its replies would harm a program that acts on them by itself */
  readonly for_agents: boolean
}

export interface CatalogEndpointsItemNoChargeItem {
  readonly reason: string
  readonly description: string
  /** before: the call needs no credits; after: it needs them, and they are refunded */
  readonly decided: "before" | "after"
}

export interface CatalogEndpointsItemDeprecatedItem {
  /** Day of the notice */
  readonly since: string
  /** Day from which on it may be gone */
  readonly until: string
  readonly note: string
  /** The deprecated field; absent for the whole endpoint */
  readonly field?: string
  /** Path of what replaces it */
  readonly successor?: string
}

export interface CatalogEndpointsItemAttributionItem {
  readonly provider: string
  readonly licence: string
  readonly url: string
}

export interface CatalogEndpointsItem {
  readonly path: string
  readonly name: string
  readonly method: "GET" | "POST"
  readonly tier: "free" | "premium" | "payment" | "service"
  readonly kind: "prepared" | "filtered" | "on-demand" | "queried" | "document" | "command"
  /** Media types of a reply */
  readonly media_types: ReadonlyArray<string>
  /** The share that a call counts against. daily: the client's share of a day for free data; minute, receipts, payments, confirms: shares of the client for a minute; token: the token's share of a minute; never: none */
  readonly counted: "daily" | "minute" | "pages" | "receipts" | "payments" | "confirms" | "token" | "never"
  /** Credits a call costs */
  readonly credits: number
  /** For how long a reply may be reused, in seconds */
  readonly cache_seconds: number
  readonly summary: string
  readonly description: string
  readonly parameters: ReadonlyArray<CatalogEndpointsItemParametersItem>
  /** Whether a token is read (Authorization: Bearer) */
  readonly bearer: "none" | "optional" | "required"
  /** When a premium call is free of charge */
  readonly no_charge: ReadonlyArray<CatalogEndpointsItemNoChargeItem>
  /** Feeds whose data is left out of these premium replies, as the terms of a source forbid selling it: notes say where. Where nothing else was requested, the call is free of charge (not_licensed) */
  readonly withheld_feeds: ReadonlyArray<string>
  /** What of it will be removed */
  readonly deprecated: ReadonlyArray<CatalogEndpointsItemDeprecatedItem>
  readonly attribution: ReadonlyArray<CatalogEndpointsItemAttributionItem>
}

export interface CatalogReply {
  readonly service: string
  readonly contract_version: string
  /** Version of the software */
  readonly version: string
  /** Null: the address under which the catalog was requested */
  readonly base_url: string | null
  readonly openapi: string
  /** Address of the page that explains how credits are bought */
  readonly signup: string
  readonly endpoints: ReadonlyArray<CatalogEndpointsItem>
}

/** Parameters of `/api/ai-stack-cves` */
export interface AiStackCvesParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `packages` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface AiStackCvesDataBySeverity {
  readonly critical: number
  readonly high: number
  readonly medium: number
  readonly low: number
  readonly unstated: number
}

export interface AiStackCvesDataByCategory {
  readonly framework: number
  readonly inference: number
  readonly orchestration: number
  readonly mlops: number
  readonly notebook: number
}

export interface AiStackCvesDataTopCve {
  readonly id: string
  readonly package: "torch" | "tensorflow" | "keras" | "transformers" | "onnx" | "huggingface-hub" | "vllm" | "ollama" | "bentoml" | "langchain" | "langchain-core" | "langchain-community" | "llama-index" | "litellm" | "langflow" | "mlflow" | "ray" | "gradio" | "jupyter-server"
  readonly severity: "critical" | "high" | "medium" | "low" | "unstated"
  /** CVSS 3 base score; null without a vector of that version */
  readonly cvss: number | null
  /** Probability of exploitation within 30 days (EPSS), 0 to 1; null without an estimate */
  readonly epss: number | null
  readonly exploited: boolean | null
  readonly summary: string | null
  readonly published: Instant | null
  /** Address of a page, http or https */
  readonly url: string
}

export interface AiStackCvesDataPackagesItem {
  readonly name: "torch" | "tensorflow" | "keras" | "transformers" | "onnx" | "huggingface-hub" | "vllm" | "ollama" | "bentoml" | "langchain" | "langchain-core" | "langchain-community" | "llama-index" | "litellm" | "langflow" | "mlflow" | "ray" | "gradio" | "jupyter-server"
  readonly ecosystem: "PyPI" | "Go"
  readonly category: "framework" | "inference" | "orchestration" | "mlops" | "notebook"
  readonly total: number
  readonly exploited: number | null
  readonly critical: number
  readonly high: number
}

export interface AiStackCvesData {
  readonly total: number
  /** Null while the catalogue was never read */
  readonly exploited_in_wild_count: number | null
  /** Published in the last 30 days */
  readonly last_30d_count: number
  readonly by_severity: AiStackCvesDataBySeverity
  readonly by_category: AiStackCvesDataByCategory
  /** The gravest: exploited first, then by severity, CVSS, EPSS, and the latest published */
  readonly top_cve: AiStackCvesDataTopCve | null
  /** The packages that were read so far */
  readonly packages: ReadonlyArray<AiStackCvesDataPackagesItem>
  readonly source_license: string
  readonly source_attribution: string
}

export interface AiStackCvesReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "ai-stack-cves"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: AiStackCvesData | null
  readonly _meta: Meta
}

/** Parameters of `/api/ai-stats` */
export interface AiStatsParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `agents`, `recent_calls`, `endpoints_24h` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface AiStatsDataAgentsItem {
  readonly agent: string
  readonly hits_24h: number
}

export interface AiStatsDataRecentCallsItem {
  /** The minute in which the requests were reported */
  readonly minute: string
  readonly endpoint: string
  /** Kind of program, judged from its User-Agent */
  readonly client: "ai_agent" | "browser" | "crawler" | "library" | "mcp" | "monitor" | "other" | "none"
  readonly agent: string | null
  readonly requests: number
}

export interface AiStatsDataEndpoints24hItem {
  readonly endpoint: string
  readonly hits_24h: number
}

export interface AiStatsData {
  /** Requests since `counted_since`, those that were refused included */
  readonly total_hits: number
  /** Of the last 24 hours, counted in steps of five minutes */
  readonly hits_24h: number
  /** Of these, by well-known agents of AI services */
  readonly ai_agent_hits_24h: number
  /** How many of these agents were seen */
  readonly unique_ai_agents_24h: number
  /** Most requests first, by the name that the agent gives itself in its User-Agent: unverified */
  readonly agents: ReadonlyArray<AiStatsDataAgentsItem>
  /** Newest first: how often one kind of client called one endpoint in a minute */
  readonly recent_calls: ReadonlyArray<AiStatsDataRecentCallsItem>
  /** Most requests first */
  readonly endpoints_24h: ReadonlyArray<AiStatsDataEndpoints24hItem>
  /** Begin of the first report */
  readonly counted_since: string
}

export interface AiStatsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "ai-stats"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: AiStatsData | null
  readonly _meta: Meta
}

/** Parameters of `/api/air-quality` */
export interface AirQualityParameters {
  /** Latitude, degrees north, -90 to 90 (degrees) */
  readonly lat?: number | undefined
  /** Longitude, degrees east, -180 to 180 (degrees) */
  readonly lon?: number | undefined
}

export interface AirQualityDataSnapshot {
  /** When the values hold */
  readonly time: string
  /** US Air Quality Index */
  readonly us_aqi: number | null
  /** European Air Quality Index */
  readonly european_aqi: number | null
  /** Particles up to 2.5 micrometres, micrograms in a cubic metre; null where the model has no value */
  readonly pm2_5: number | null
  /** Particles up to 10 micrometres, micrograms in a cubic metre; null where the model has no value */
  readonly pm10: number | null
  /** Ozone, micrograms in a cubic metre; null where the model has no value */
  readonly ozone: number | null
  /** Nitrogen dioxide, micrograms in a cubic metre; null where the model has no value */
  readonly nitrogen_dioxide: number | null
  /** Sulphur dioxide, micrograms in a cubic metre; null where the model has no value */
  readonly sulphur_dioxide: number | null
  /** Carbon monoxide, micrograms in a cubic metre; null where the model has no value */
  readonly carbon_monoxide: number | null
}

export interface AirQualityDataCategory {
  /** Band of the US index, up to 50, 100, 150, 200, 300, and above */
  readonly label: "good" | "moderate" | "unhealthy_sensitive" | "unhealthy" | "very_unhealthy" | "hazardous"
  readonly color: "green" | "yellow" | "orange" | "red" | "purple" | "maroon"
}

export interface AirQualityData {
  /** Latitude asked for, degrees north, two decimals */
  readonly lat: number
  /** Longitude asked for, degrees east, two decimals */
  readonly lon: number
  /** Zone of the snapshot's time */
  readonly timezone: "GMT"
  readonly snapshot: AirQualityDataSnapshot
  /** Band of the US index; null without one */
  readonly category: AirQualityDataCategory | null
}

export interface AirQualityReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "air-quality"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: AirQualityData | null
  readonly _meta: Meta
}

export interface BriefingSectionsCrypto {
  readonly symbol: "BTC"
  /** Last traded price of one bitcoin, US dollars */
  readonly price_usd: number
  /** Change against the price 24 hours ago, percent; null where the venue does not give that price */
  readonly change_24h_percent: number | null
  /** Highest trade of 24 hours, US dollars */
  readonly high_24h: number | null
  /** Lowest trade of 24 hours, US dollars */
  readonly low_24h: number | null
  /** Turnover of 24 hours at this venue, US dollars */
  readonly volume_24h_usd: number | null
}

export interface BriefingSectionsFearGreed {
  /** 0 (extreme fear) to 100 (extreme greed) */
  readonly value: number
  /** The publisher's class of the value */
  readonly label: "Extreme Fear" | "Fear" | "Neutral" | "Greed" | "Extreme Greed"
}

export interface BriefingSectionsEarthquakesLatest {
  /** Kind of event, in the agency's words */
  readonly type: "earthquake" | "volcanic eruption" | "volcanic explosion" | "landslide" | "ice quake" | "avalanche" | "snow avalanche" | "debris avalanche" | "rock avalanche"
  /** Magnitude, as the agency prefers it */
  readonly magnitude: number | null
  /** Nearest place, in words */
  readonly location: string | null
  /** Origin time */
  readonly time: string
  /** Depth below sea level in kilometres */
  readonly depth_km: number | null
}

export interface BriefingSectionsEarthquakes {
  /** Of magnitude 2.5 and above, last 24 hours, worldwide */
  readonly count: number
  readonly latest: BriefingSectionsEarthquakesLatest | null
  readonly strongest: BriefingSectionsEarthquakesLatest | null
}

export interface BriefingSectionsPredictionsItemOutcomesItem {
  readonly name: string
  /** Probability, percent; null before the first price */
  readonly percent: number | null
}

export interface BriefingSectionsPredictionsItem {
  readonly question: string
  /** Probability of Yes, percent; null where the outcomes are not Yes and No, or have no price yet */
  readonly yes_percent: number | null
  /** Probability of No, percent; null as for yes_percent */
  readonly no_percent: number | null
  /** Turnover since the market began, US dollars (USDC) */
  readonly volume_usd: number | null
  /** Turnover of the last 24 hours, US dollars (USDC) */
  readonly volume_24h_usd: number | null
  readonly outcomes: ReadonlyArray<BriefingSectionsPredictionsItemOutcomesItem>
  readonly url: string | null
}

export interface BriefingSectionsNewsItem {
  /** Number of the story at Hacker News */
  readonly id: number
  readonly title: string
  /** What the story links to; null where it is a text of its own */
  readonly url: string | null
  /** Address of a page, http or https */
  readonly discussion_url: string
  /** Votes */
  readonly score: number | null
  /** Comments at all depths */
  readonly comment_count: number | null
  readonly author: string | null
  /** ISO 8601 instant in UTC with milliseconds */
  readonly posted_at: string
}

export interface BriefingSectionsServicesItem {
  readonly name: string
  /** The page's own word for the worst that is going on. Where that is none although parts are degraded: minor, with a major outage of a part major, with planned work alone maintenance. Null while the page has never been read */
  readonly status: "operational" | "minor" | "major" | "critical" | "maintenance" | null
  /** The page's own sentence */
  readonly description: string | null
  /** Unresolved incidents; null where the page does not say */
  readonly incident_count: number | null
  /** Parts of the service that are not operational, planned maintenance included */
  readonly components_affected: number | null
  /** Parts that the page lists */
  readonly component_count: number | null
}

export interface BriefingSectionsCrewPeopleItem {
  /** Full name */
  readonly name: string
  /** Station or ship they are aboard, such as ISS or Tiangong; null where the source does not say */
  readonly craft: string | null
}

export interface BriefingSectionsCrew {
  /** People in space */
  readonly count: number
  readonly people: ReadonlyArray<BriefingSectionsCrewPeopleItem>
}

export interface BriefingSections {
  readonly crypto: BriefingSectionsCrypto | null
  readonly fear_greed: BriefingSectionsFearGreed | null
  readonly earthquakes: BriefingSectionsEarthquakes | null
  readonly predictions: ReadonlyArray<BriefingSectionsPredictionsItem> | null
  readonly news: ReadonlyArray<BriefingSectionsNewsItem> | null
  /** Stories on the front page */
  readonly top_story_count: number | null
  readonly services: ReadonlyArray<BriefingSectionsServicesItem> | null
  readonly crew: BriefingSectionsCrew | null
}

export interface BriefingReply {
  readonly source: "tidewire"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly _meta: Meta
  /** One sentence made of the sections with data */
  readonly summary: string
  readonly sections: BriefingSections
}

export interface BtcPriceData {
  /** Last traded price of one bitcoin, US dollars */
  readonly price_usd: number
  /** Change against the price 24 hours ago, percent; null where the venue does not give that price */
  readonly change_24h_percent: number | null
  /** Highest trade of 24 hours, US dollars */
  readonly high_24h: number | null
  /** Lowest trade of 24 hours, US dollars */
  readonly low_24h: number | null
  /** Turnover of 24 hours at this venue, US dollars */
  readonly volume_24h_usd: number | null
}

export interface BtcPriceReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "btc-price"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: BtcPriceData | null
  readonly _meta: Meta
}

export interface ChainNetworkData {
  /** Transactions a second in the newest sample of a minute, votes included */
  readonly tps: number | null
  /** The same over the newest three samples */
  readonly tps_avg: number | null
  /** In the newest sample, without votes; null where they are not counted apart */
  readonly tps_non_vote: number | null
  /** Newest finalised slot */
  readonly slot: number
  /** Mean time of a slot, milliseconds */
  readonly slot_ms: number | null
  readonly epoch: number
  /** How much of the epoch has passed, percent */
  readonly epoch_progress_pct: number
  /** Blocks so far; skipped slots have none */
  readonly block_height: number | null
  /** When the block of `slot` was made */
  readonly at: Instant | null
}

export interface ChainNetworkReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "chain-network"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ChainNetworkData | null
  readonly _meta: Meta
}

/** Parameters of `/api/chess-tv` */
export interface ChessTvParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `channels` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface ChessTvDataChannelsItem {
  readonly channel: "best" | "bullet" | "blitz" | "rapid" | "classical" | "chess960"
  /** Name of the channel */
  readonly label: "Top Rated" | "Bullet" | "Blitz" | "Rapid" | "Classical" | "Chess960"
  readonly player: string
  /** Such as GM or BOT; null without a title */
  readonly title: string | null
  /** Of the player in this variant */
  readonly rating: number | null
  /** The side of the player */
  readonly color: "white" | "black" | null
  readonly game_id: string
  /** Address of a page, http or https */
  readonly url: string
}

export interface ChessTvData {
  /** How many channels are listed */
  readonly count: number
  readonly channels: ReadonlyArray<ChessTvDataChannelsItem>
}

export interface ChessTvReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "chess-tv"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ChessTvData | null
  readonly _meta: Meta
}

/** Parameters of `/api/climate/earthquakes` */
export interface ClimateEarthquakesParameters {
  /** Least magnitude, or those that the agency calls significant */
  readonly magnitude?: "significant" | "4.5" | "2.5" | "1.0" | "all" | undefined
  /** How far back the list goes */
  readonly period?: "hour" | "day" | "week" | "month" | undefined
  /** Format of the reply. json: the whole reply. csv: a table of `earthquakes` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `earthquakes` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | "geojson" | undefined
  /** Most rows of `earthquakes` in the reply, 1 to 1000. Without limit and cursor the list is whole */
  readonly limit?: number | undefined
  /** The place after which the page begins, as `next` of an earlier reply holds it. Without limit, up to 1000 rows */
  readonly cursor?: string | undefined
}

export interface ClimateEarthquakesDataEarthquakesItem {
  readonly id: string
  /** Kind of event, in the agency's words */
  readonly type: "earthquake" | "volcanic eruption" | "volcanic explosion" | "landslide" | "ice quake" | "avalanche" | "snow avalanche" | "debris avalanche" | "rock avalanche"
  /** Magnitude, as the agency prefers it */
  readonly magnitude: number | null
  readonly place: string | null
  readonly time: Instant
  /** Depth below sea level in kilometres */
  readonly depth_km: number | null
  readonly lat: number
  readonly lon: number
  /** Large event in an oceanic region; not that a tsunami exists */
  readonly tsunami: boolean
  /** Detail page */
  readonly url: string | null
}

export interface ClimateEarthquakesData {
  readonly magnitude: "significant" | "4.5" | "2.5" | "1.0" | "all"
  readonly period: "hour" | "day" | "week" | "month"
  readonly count: number
  readonly earthquakes: ReadonlyArray<ClimateEarthquakesDataEarthquakesItem>
  /** How many the whole list holds; with limit or cursor only */
  readonly total?: number
  /** Address of the next page; null on the last one. With limit or cursor only */
  readonly next?: string | null
}

export interface ClimateEarthquakesReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "climate/earthquakes"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ClimateEarthquakesData | null
  readonly _meta: Meta
}

/** Parameters of `/api/climate/weather-alerts` */
export interface ClimateWeatherAlertsParameters {
  /** State, territory or marine area as two letters: an alert matches when one of its zones lies there */
  readonly area?: "AL" | "AK" | "AZ" | "AR" | "CA" | "CO" | "CT" | "DE" | "FL" | "GA" | "HI" | "ID" | "IL" | "IN" | "IA" | "KS" | "KY" | "LA" | "ME" | "MD" | "MA" | "MI" | "MN" | "MS" | "MO" | "MT" | "NE" | "NV" | "NH" | "NJ" | "NM" | "NY" | "NC" | "ND" | "OH" | "OK" | "OR" | "PA" | "RI" | "SC" | "SD" | "TN" | "TX" | "UT" | "VT" | "VA" | "WA" | "WV" | "WI" | "WY" | "DC" | "PR" | "GU" | "VI" | "AS" | "MP" | "PW" | "FM" | "MH" | "AM" | "AN" | "GM" | "LC" | "LE" | "LH" | "LM" | "LO" | "LS" | "PH" | "PK" | "PM" | "PS" | "PZ" | "SL" | undefined
  /** Exact name of the event but for case; an unknown one matches nothing */
  readonly event?: string | undefined
  /** Severity */
  readonly severity?: "Extreme" | "Severe" | "Moderate" | "Minor" | "Unknown" | undefined
  /** Urgency */
  readonly urgency?: "Immediate" | "Expected" | "Future" | "Past" | "Unknown" | undefined
  /** Status of the message; only `Actual` messages are real alerts */
  readonly status?: "Actual" | "Exercise" | "System" | "Test" | "Draft" | undefined
  /** How many alerts at most, 1 to 100 */
  readonly limit?: number | undefined
  /** Format of the reply. json: the whole reply. csv: a table of `alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

/** The filters that were applied */
export interface ClimateWeatherAlertsDataFilters {
  readonly area: "AL" | "AK" | "AZ" | "AR" | "CA" | "CO" | "CT" | "DE" | "FL" | "GA" | "HI" | "ID" | "IL" | "IN" | "IA" | "KS" | "KY" | "LA" | "ME" | "MD" | "MA" | "MI" | "MN" | "MS" | "MO" | "MT" | "NE" | "NV" | "NH" | "NJ" | "NM" | "NY" | "NC" | "ND" | "OH" | "OK" | "OR" | "PA" | "RI" | "SC" | "SD" | "TN" | "TX" | "UT" | "VT" | "VA" | "WA" | "WV" | "WI" | "WY" | "DC" | "PR" | "GU" | "VI" | "AS" | "MP" | "PW" | "FM" | "MH" | "AM" | "AN" | "GM" | "LC" | "LE" | "LH" | "LM" | "LO" | "LS" | "PH" | "PK" | "PM" | "PS" | "PZ" | "SL" | null
  /** As it is listed; null without this filter, and where no alert in force is of this event */
  readonly event: string | null
  readonly severity: "Extreme" | "Severe" | "Moderate" | "Minor" | "Unknown" | null
  readonly urgency: "Immediate" | "Expected" | "Future" | "Past" | "Unknown" | null
  readonly status: "Actual" | "Exercise" | "System" | "Test" | "Draft"
  readonly limit: number
}

export interface ClimateWeatherAlertsDataAlertsItem {
  readonly id: string
  /** Kind of alert, such as Winter Storm Warning */
  readonly event: string
  readonly severity: "Extreme" | "Severe" | "Moderate" | "Minor" | "Unknown"
  readonly urgency: "Immediate" | "Expected" | "Future" | "Past" | "Unknown"
  readonly certainty: "Observed" | "Likely" | "Possible" | "Unlikely" | "Unknown"
  readonly headline: string | null
  /** The text of the alert, at most 2,000 characters */
  readonly description: string | null
  /** Names of the zones */
  readonly areaDesc: string
  readonly sent: Instant
  readonly effective: Instant
  /** When the message lapses */
  readonly expires: string
  /** When the hazard ends; null where the message does not say */
  readonly ends: Instant | null
  /** Forecast office */
  readonly sender_name: string
  readonly web: string | null
}

export interface ClimateWeatherAlertsData {
  /** How many alerts are listed */
  readonly count: number
  /** How many match, including those beyond the limit */
  readonly total_matching: number
  /** The filters that were applied */
  readonly filters: ClimateWeatherAlertsDataFilters
  readonly alerts: ReadonlyArray<ClimateWeatherAlertsDataAlertsItem>
}

export interface ClimateWeatherAlertsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "climate/weather-alerts"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ClimateWeatherAlertsData | null
  readonly _meta: Meta
}

/** Parameters of `/api/code-host-trending` */
export interface CodeHostTrendingParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `repositories` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface CodeHostTrendingDataRepositoriesItem {
  readonly name: string
  /** Owner and name */
  readonly full_name: string
  readonly description: string | null
  /** Main programming language */
  readonly language: string | null
  readonly stars: number
  /** Stars by days since its creation, at least one day */
  readonly stars_per_day: number
  readonly forks: number
  /** Issues and pull requests */
  readonly open_issues: number | null
  readonly topics: ReadonlyArray<string>
  /** By SPDX; null without one that the host recognises */
  readonly license: string | null
  readonly owner: string
  /** User or Organization */
  readonly owner_type: string
  readonly created_at: Instant
  readonly pushed_at: Instant
  /** Address of a page, http or https */
  readonly url: string
}

export interface CodeHostTrendingData {
  /** How many repositories are listed */
  readonly count: number
  /** How long ago the repositories were created at most */
  readonly window: "7d"
  readonly repositories: ReadonlyArray<CodeHostTrendingDataRepositoriesItem>
}

export interface CodeHostTrendingReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "code-host-trending"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: CodeHostTrendingData | null
  readonly _meta: Meta
}

/** Parameters of `/api/crypto-movers` */
export interface CryptoMoversParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `movers` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface CryptoMoversDataMoversItem {
  /** Ticker in capitals; not unique */
  readonly symbol: string
  readonly name: string
  /** Price, US dollars */
  readonly price_usd: number
  /** Price times coins in circulation, US dollars; null where these are not known */
  readonly market_cap: number | null
  /** Change of the price in 24 hours, percent */
  readonly change_24h_percent: number
  /** Place by market capitalisation, from 1; null where it has none */
  readonly rank: number | null
  /** Turnover of the last 24 hours, US dollars */
  readonly volume_24h_usd: number | null
}

export interface CryptoMoversData {
  /** How many coins are listed */
  readonly count: number
  readonly movers: ReadonlyArray<CryptoMoversDataMoversItem>
}

export interface CryptoMoversReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "crypto-movers"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: CryptoMoversData | null
  readonly _meta: Meta
}

/** Parameters of `/api/cyber-threats` */
export interface CyberThreatsParameters {
  /** Whether rows hold the indicator as it is (`indicator_raw`) too, for blocklists */
  readonly raw?: "false" | "true" | undefined
  /** Format of the reply. json: the whole reply. csv: a table of `threats` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

/** How many of each source are held: at most 200 of URLhaus and of ThreatFox, and the whole catalogue of CISA; null where a source was never read */
export interface CyberThreatsDataCountsBySource {
  readonly urlhaus: number | null
  readonly threatfox: number | null
  readonly cisa_kev: number | null
}

export interface CyberThreatsDataThreatsItem {
  readonly source: "urlhaus" | "threatfox" | "cisa_kev"
  readonly type: "malware_url" | "domain" | "ip_port" | "url" | "file_hash" | "exploited_vulnerability"
  /** Defanged: http is hxxp, and every dot is [.]; cut to 500 characters. Of a vulnerability its CVE id */
  readonly indicator: string
  /** Only with raw=true: exactly as the source writes it. Never open it */
  readonly indicator_raw?: string
  /** Kind of threat, such as malware_download or botnet_cc; of a vulnerability its name */
  readonly threat: string
  /** When it was first reported; a day where the source states no time */
  readonly date: Instant | string
  /** Malware family; null where it is unknown or not stated */
  readonly malware: string | null
  /** How sure the reporter is, percent; null where it is not stated */
  readonly confidence: number | null
  /** Words of the reporters, defanged */
  readonly tags: ReadonlyArray<string>
  /** Page about it at its source, or of a vulnerability in the National Vulnerability Database */
  readonly reference: string | null
}

export interface CyberThreatsData {
  /** How many threats are listed */
  readonly count: number
  /** How many of each source are held: at most 200 of URLhaus and of ThreatFox, and the whole catalogue of CISA; null where a source was never read */
  readonly counts_by_source: CyberThreatsDataCountsBySource
  readonly threats: ReadonlyArray<CyberThreatsDataThreatsItem>
}

export interface CyberThreatsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "cyber-threats"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: CyberThreatsData | null
  readonly _meta: Meta
}

/** Parameters of `/api/disaster-alerts` */
export interface DisasterAlertsParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `alerts` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | "geojson" | undefined
}

export interface DisasterAlertsDataCountsByLevel {
  readonly red: number
  readonly orange: number
  readonly green: number
}

export interface DisasterAlertsDataAlertsItemSeverity {
  readonly value: number | null
  readonly unit: string
  readonly text: string
}

export interface DisasterAlertsDataAlertsItem {
  /** Type and number in the system, such as EQ1548439 */
  readonly id: string
  readonly type: "earthquake" | "tropical_cyclone" | "flood" | "volcano" | "drought" | "wildfire" | "tsunami"
  readonly name: string
  readonly alert_level: "red" | "orange" | "green"
  /** A country, several, or a part of the sea */
  readonly country: string | null
  /** Countries that are affected; empty where none is named */
  readonly countries: ReadonlyArray<string>
  /** When it began */
  readonly date: string
  /** Until when it is observed so far */
  readonly to: string | null
  /** ISO 8601 instant in UTC with milliseconds */
  readonly updated_at: string
  /** The system's own flag, false for every drought; null where it is not given */
  readonly is_current: boolean | null
  /** Degrees north */
  readonly lat: number | null
  /** Degrees east */
  readonly lon: number | null
  /** Magnitude (M), wind speed (km/h) or area (ha, km2), by type; null where it is not measured. `value` is null where `text` states another */
  readonly severity: DisasterAlertsDataAlertsItemSeverity | null
  /** The report */
  readonly url: string | null
}

export interface DisasterAlertsData {
  /** How many alerts are listed */
  readonly count: number
  /** How many alerts there are */
  readonly total: number
  readonly counts_by_level: DisasterAlertsDataCountsByLevel
  readonly alerts: ReadonlyArray<DisasterAlertsDataAlertsItem>
}

export interface DisasterAlertsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "disaster-alerts"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: DisasterAlertsData | null
  readonly _meta: Meta
}

/** Parameters of `/api/earthquake` */
export interface EarthquakeParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `earthquakes` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface EarthquakeDataEarthquakesItem {
  /** Kind of event, in the agency's words */
  readonly type: "earthquake" | "volcanic eruption" | "volcanic explosion" | "landslide" | "ice quake" | "avalanche" | "snow avalanche" | "debris avalanche" | "rock avalanche"
  /** Magnitude, as the agency prefers it */
  readonly magnitude: number | null
  /** Nearest place, in words */
  readonly location: string | null
  /** Origin time */
  readonly time: string
  /** Depth below sea level in kilometres */
  readonly depth_km: number | null
}

export interface EarthquakeData {
  readonly count: number
  readonly earthquakes: ReadonlyArray<EarthquakeDataEarthquakesItem>
}

export interface EarthquakeReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "earthquake"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: EarthquakeData | null
  readonly _meta: Meta
}

export interface EconomicDataDataFedRatePrevious {
  readonly value: number
  /** Day in UTC, YYYY-MM-DD */
  readonly date: string
}

/** Federal funds effective rate, monthly average */
export interface EconomicDataDataFedRate {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

/** Consumer price index, all items, seasonally adjusted */
export interface EconomicDataDataCpi {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

export interface EconomicDataDataUnemployment {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

/** Real gross domestic product, change on the quarter before at an annual rate */
export interface EconomicDataDataGdpGrowth {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

/** Market yield of US Treasury securities, 10 years */
export interface EconomicDataDataYield10y {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

/** Market yield of US Treasury securities, 2 years */
export interface EconomicDataDataYield2y {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

/** 30-year fixed rate mortgage average (Freddie Mac) */
export interface EconomicDataDataMortgage30y {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

/** 10-year less 2-year yield, on the newest day on which both have a number */
export interface EconomicDataDataYieldCurve210 {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  readonly unit: string
  /** fred:<series>, or computed */
  readonly source: string
  /** The number before the newest one */
  readonly previous: EconomicDataDataFedRatePrevious | null
}

export interface EconomicDataData {
  /** Federal funds effective rate, monthly average */
  readonly fed_rate: EconomicDataDataFedRate
  /** Consumer price index, all items, seasonally adjusted */
  readonly cpi: EconomicDataDataCpi
  /** Change of the index on the same month a year before, percent; null without that month */
  readonly cpi_yoy_pct: number | null
  readonly unemployment: EconomicDataDataUnemployment
  /** Real gross domestic product, change on the quarter before at an annual rate */
  readonly gdp_growth: EconomicDataDataGdpGrowth
  /** Market yield of US Treasury securities, 10 years */
  readonly yield_10y: EconomicDataDataYield10y
  /** Market yield of US Treasury securities, 2 years */
  readonly yield_2y: EconomicDataDataYield2y
  /** 30-year fixed rate mortgage average (Freddie Mac) */
  readonly mortgage_30y: EconomicDataDataMortgage30y
  /** 10-year less 2-year yield, on the newest day on which both have a number */
  readonly yield_curve_2_10: EconomicDataDataYieldCurve210
}

export interface EconomicDataReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "economic-data"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: EconomicDataData | null
  readonly _meta: Meta
}

/** Parameters of `/api/event-market` */
export interface EventMarketParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `markets` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface EventMarketDataMarketsItem {
  readonly event_ticker: string
  readonly title: string
  /** Such as Economics; null where it is not known */
  readonly category: string | null
  /** Answer with the highest probability; null while none has a price */
  readonly leader: string | null
  /** Probability of that answer, percent */
  readonly leader_pct: number | null
  /** Contracts traded in the last 24 hours */
  readonly volume_24h: number
  /** Contracts that are held */
  readonly open_interest: number | null
  /** How many answers can be traded */
  readonly market_count: number
  /** When the last of its markets closes */
  readonly closes_at: Instant | null
}

export interface EventMarketData {
  /** How many events are listed */
  readonly count: number
  readonly markets: ReadonlyArray<EventMarketDataMarketsItem>
}

export interface EventMarketReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "event-market"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: EventMarketData | null
  readonly _meta: Meta
}

/** Parameters of `/api/exposure-scan` */
export interface ExposureScanParameters {
  /** Public IPv4 address in four decimal parts; private and reserved ranges are refused */
  readonly ip?: string | undefined
}

/** How many entries each list has at the upstream */
export interface ExposureScanDataSingleResultTotals {
  readonly ports: number
  readonly vulns: number
  readonly hostnames: number
  readonly tags: number
  readonly cpes: number
}

export interface ExposureScanDataSingleResult {
  readonly ip: string
  readonly found: boolean
  /** Open ports, ascending */
  readonly ports: ReadonlyArray<number>
  /** CVE ids that the versions in banners suggest, newest first: unverified */
  readonly vulns: ReadonlyArray<string>
  readonly hostnames: ReadonlyArray<string>
  /** What kind of host it seems to be, as cdn or vpn */
  readonly tags: ReadonlyArray<string>
  /** Software that banners name, as Common Platform Enumeration */
  readonly cpes: ReadonlyArray<string>
  /** How many entries each list has at the upstream */
  readonly totals: ExposureScanDataSingleResultTotals
}

export interface ExposureScanDataSingleNotes {
  readonly source: string
  readonly vulns: string
  readonly found: string
  readonly privacy: string
}

export interface ExposureScanDataSingle {
  readonly mode: "single"
  readonly result: ExposureScanDataSingleResult
  readonly notes: ExposureScanDataSingleNotes
}

export interface ExposureScanDataDemoTargetsItem {
  readonly label: string
  readonly ip: string
  readonly found: boolean
  /** Open ports, ascending */
  readonly ports: ReadonlyArray<number>
  /** CVE ids that the versions in banners suggest, newest first: unverified */
  readonly vulns: ReadonlyArray<string>
  readonly hostnames: ReadonlyArray<string>
  /** What kind of host it seems to be, as cdn or vpn */
  readonly tags: ReadonlyArray<string>
  /** Software that banners name, as Common Platform Enumeration */
  readonly cpes: ReadonlyArray<string>
  /** How many entries each list has at the upstream */
  readonly totals: ExposureScanDataSingleResultTotals
}

export interface ExposureScanDataDemo {
  readonly mode: "demo"
  /** Some of twelve well-known public hosts; the choice moves by one every hour */
  readonly targets: ReadonlyArray<ExposureScanDataDemoTargetsItem>
  readonly notes: ExposureScanDataSingleNotes
}

export interface ExposureScanReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "exposure-scan"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ExposureScanDataSingle | ExposureScanDataDemo | null
  readonly _meta: Meta
}

/** Parameters of `/api/faa-status` */
export interface FaaStatusParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `ground_stops`, `ground_delays`, `closures`, `delays`, `restrictions` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface FaaStatusDataGroundStopsItem {
  /** Code of the FAA, such as SFO */
  readonly airport: string
  readonly reason: string
  /** In the words of the FAA, such as 8:00 am EDT */
  readonly end_time: string | null
}

export interface FaaStatusDataGroundDelaysItem {
  /** Code of the FAA, such as SFO */
  readonly airport: string
  readonly reason: string
  readonly avg_minutes: number | null
  readonly max_minutes: number | null
}

export interface FaaStatusDataClosuresItemDailyWindow {
  readonly from: string
  readonly to: string
  readonly weekdays: ReadonlyArray<"SUN" | "MON" | "TUE" | "WED" | "THU" | "FRI" | "SAT"> | null
}

export interface FaaStatusDataClosuresItem {
  /** Code of the FAA, such as SFO */
  readonly airport: string
  readonly reason: string
  /** UTC; null where the notice does not say */
  readonly start: string | null
  /** UTC; null where the notice does not say */
  readonly reopen: string | null
  /** The hours at which it is closed, UTC; `weekdays` null: every day. Null: closed throughout, or not read */
  readonly daily_window: FaaStatusDataClosuresItemDailyWindow | null
  /** Null where the hours of the notice are not read */
  readonly closed_now: boolean | null
}

export interface FaaStatusDataDelaysItem {
  /** Code of the FAA, such as SFO */
  readonly airport: string
  readonly reason: string
  readonly direction: "arrival" | "departure"
  readonly min_minutes: number | null
  readonly max_minutes: number | null
  readonly trend: "increasing" | "decreasing" | "no_change" | null
}

export interface FaaStatusDataRestrictionsItem {
  /** Code of the FAA, such as SFO */
  readonly airport: string
  readonly reason: string
  /** UTC; null where the notice does not say */
  readonly start: string | null
  /** UTC; null where the notice does not say */
  readonly reopen: string | null
}

export interface FaaStatusData {
  /** When the FAA wrote the list */
  readonly updated: string
  readonly ground_stops: ReadonlyArray<FaaStatusDataGroundStopsItem>
  readonly ground_delays: ReadonlyArray<FaaStatusDataGroundDelaysItem>
  readonly closures: ReadonlyArray<FaaStatusDataClosuresItem>
  readonly delays: ReadonlyArray<FaaStatusDataDelaysItem>
  readonly restrictions: ReadonlyArray<FaaStatusDataRestrictionsItem>
  /** All but restrictions */
  readonly total_events: number
}

export interface FaaStatusReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "faa-status"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: FaaStatusData | null
  readonly _meta: Meta
}

export interface FearGreedData {
  /** 0 (extreme fear) to 100 (extreme greed) */
  readonly value: number
  /** The publisher's class of the value */
  readonly label: "Extreme Fear" | "Fear" | "Neutral" | "Greed" | "Extreme Greed"
}

export interface FearGreedReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "fear-greed"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: FearGreedData | null
  readonly _meta: Meta
}

/** Parameters of `/api/feed-reliability` */
export interface FeedReliabilityParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `feeds`, `low_coverage`, `not_configured` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface FeedReliabilityDataWindow {
  /** Length of the rolling window, days */
  readonly days: number
  /** Time between two checks, minutes */
  readonly interval_minutes: number
}

export interface FeedReliabilityDataCounts {
  readonly monitored: number
  readonly ranked: number
  readonly low_coverage: number
  readonly not_configured: number
  /** Monitored feeds whose latest verdict is ok */
  readonly ok: number
  readonly stale: number
  readonly dark: number
}

export interface FeedReliabilityDataFeedsItem {
  readonly rank: number
  /** Stable identifier of the monitored feed */
  readonly feed: string
  /** Provider.metric of its first choice, as in _meta.sources[].name */
  readonly name: string
  /** 100 x (ok + half of stale) / checks, rounded */
  readonly score: number
  /** ok / checks */
  readonly uptime: number
  /** (ok + stale) / checks */
  readonly availability: number
  /** stale / checks */
  readonly staleness_rate: number
  /** dark / checks */
  readonly dark_rate: number
  /** Verdicts in the window, one each five minutes at most */
  readonly checks: number
  /** high from 288 checks, medium from 12, else low */
  readonly trust: "high" | "medium" | "low"
  /** Fewer than 12 checks: listed apart, not ranked */
  readonly low_coverage: boolean
  /** The latest verdict */
  readonly status: "ok" | "stale" | "dark"
}

export interface FeedReliabilityDataLowCoverageItem {
  /** Stable identifier of the monitored feed */
  readonly feed: string
  /** Provider.metric of its first choice, as in _meta.sources[].name */
  readonly name: string
  /** 100 x (ok + half of stale) / checks, rounded */
  readonly score: number
  /** ok / checks */
  readonly uptime: number
  /** (ok + stale) / checks */
  readonly availability: number
  /** stale / checks */
  readonly staleness_rate: number
  /** dark / checks */
  readonly dark_rate: number
  /** Verdicts in the window, one each five minutes at most */
  readonly checks: number
  /** high from 288 checks, medium from 12, else low */
  readonly trust: "high" | "medium" | "low"
  /** Fewer than 12 checks: listed apart, not ranked */
  readonly low_coverage: boolean
  /** The latest verdict */
  readonly status: "ok" | "stale" | "dark"
}

export interface FeedReliabilityDataNotConfiguredItem {
  readonly feed: string
  readonly name: string
  /** not_configured: a key is missing; not_licensed: the terms of its sources forbid it here */
  readonly reason: "not_configured" | "not_licensed"
}

export interface FeedReliabilityData {
  /** When the monitor last judged the feeds */
  readonly captured_at: string
  readonly window: FeedReliabilityDataWindow
  readonly counts: FeedReliabilityDataCounts
  /** Best first: by score, uptime, checks, then identifier */
  readonly feeds: ReadonlyArray<FeedReliabilityDataFeedsItem>
  readonly low_coverage: ReadonlyArray<FeedReliabilityDataLowCoverageItem>
  /** Feeds that this installation does not poll; they are not judged, and never dark */
  readonly not_configured: ReadonlyArray<FeedReliabilityDataNotConfiguredItem>
}

export interface FeedReliabilityReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "feed-reliability"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: FeedReliabilityData | null
  readonly _meta: Meta
}

/** Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent */
export interface ForexDataRates {
  readonly EUR?: number
  readonly GBP?: number
  readonly JPY?: number
  readonly CAD?: number
  readonly AUD?: number
  readonly CHF?: number
  readonly CNY?: number
  readonly INR?: number
  readonly MXN?: number
  readonly BRL?: number
  readonly KRW?: number
  readonly SGD?: number
  readonly HKD?: number
  readonly SEK?: number
  readonly NOK?: number
  readonly NZD?: number
}

export interface ForexDataPrevious {
  /** Working day of the rates, YYYY-MM-DD */
  readonly date: string
  /** Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent */
  readonly rates: ForexDataRates
}

export interface ForexData {
  /** The currency that rates are counted against */
  readonly base: "USD"
  /** Working day of the rates, YYYY-MM-DD */
  readonly date: string
  /** Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent */
  readonly rates: ForexDataRates
  /** The same of the working day before; null where that is not known */
  readonly previous: ForexDataPrevious | null
}

export interface ForexReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "forex"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ForexData | null
  readonly _meta: Meta
}

/** Parameters of `/api/funding-rates` */
export interface FundingRatesParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `rates` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface FundingRatesDataRatesItem {
  readonly venue: "binance" | "bybit" | "okx" | "hyperliquid"
  /** The venue's own name of the contract */
  readonly symbol: string
  /** The coin as the venue counts it: 1000PEPE and kPEPE are 1,000 PEPE */
  readonly base: string
  /** Hours from one payment to the next */
  readonly period_hours: number
  /** Rate of a period, a fraction: 0.0001 is 0.01 percent */
  readonly period_rate: number
  /** period_rate x 8760 / period_hours x 100 */
  readonly annualized_pct: number
  /** In USDT; at Hyperliquid in US dollars */
  readonly mark_price: number | null
  /** The coming payment; null at Hyperliquid, which pays at every full hour and does not say so */
  readonly next_funding_time: Instant | null
}

export interface FundingRatesDataVenuesItem {
  readonly venue: "binance" | "bybit" | "okx" | "hyperliquid"
  /** failed: not read for three minutes; unread: never read. _meta.sources has the reason */
  readonly status: "ok" | "failed" | "unread"
  /** Contracts that the venue lists, as last read; null while it was never read */
  readonly markets: number | null
}

export interface FundingRatesData {
  readonly rates: ReadonlyArray<FundingRatesDataRatesItem>
  readonly venues: ReadonlyArray<FundingRatesDataVenuesItem>
  /** Venues that are not read now, or never were */
  readonly failed_venues: ReadonlyArray<"binance" | "bybit" | "okx" | "hyperliquid">
}

export interface FundingRatesReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "funding-rates"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: FundingRatesData | null
  readonly _meta: Meta
}

/** Parameters of `/api/game-platform-top` */
export interface GamePlatformTopParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `games` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface GamePlatformTopDataGamesItem {
  /** 1: the most played */
  readonly rank: number
  /** Number of the game on Steam */
  readonly appid: number
  /** Null where the platform does not name the game */
  readonly name: string | null
  /** Concurrent players */
  readonly players_now: number
  /** Most concurrent players within the last 24 hours */
  readonly peak_today: number | null
  /** Free to play; null where the platform says nothing about the game */
  readonly is_free: boolean | null
  /** Address of a page, http or https */
  readonly url: string
}

export interface GamePlatformTopData {
  /** How many games are listed */
  readonly count: number
  /** When the platform made the chart */
  readonly updated_at: string
  readonly games: ReadonlyArray<GamePlatformTopDataGamesItem>
}

export interface GamePlatformTopReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "game-platform-top"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: GamePlatformTopData | null
  readonly _meta: Meta
}

/** Parameters of `/api/harnesses` */
export interface HarnessesParameters {
  /** Which view of the boards */
  readonly view?: "raw" | "summary" | "gaps" | "combined" | undefined
  /** Format of the reply. json: the whole reply. csv: a table of `revisions`, `ranking`, `biggest_gaps`, `gaps`, `leaderboard` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface HarnessesDataRawRevisionsItemRowsItem {
  /** Rank on the board; equal scores share one */
  readonly rank: number
  /** The agent that works with the model */
  readonly harness: string
  readonly model: string
  /** Setting of the model; null where the board names none */
  readonly reasoning_effort: string | null
  /** Tasks that were solved, percent */
  readonly score: number
  /** Lower end of the 95 % interval, percent; null where the board gives no interval */
  readonly ci_low: number | null
  /** Upper end of the 95 % interval, percent */
  readonly ci_high: number | null
  /** Of all trials together */
  readonly tokens: number | null
  /** Of all trials together, US dollars */
  readonly cost_usd: number | null
}

export interface HarnessesDataRawRevisionsItem {
  readonly revision: "4.0" | "2.1"
  /** Scores compare within one revision only */
  readonly comparable: false
  /** When the board was last read */
  readonly checked_at: string
  /** Page of the board */
  readonly source_url: string
  readonly rows: ReadonlyArray<HarnessesDataRawRevisionsItemRowsItem>
}

export interface HarnessesDataRaw {
  readonly view: "raw"
  readonly current: "4.0" | "2.1"
  readonly note: string
  /** The boards that were read */
  readonly revisions: ReadonlyArray<HarnessesDataRawRevisionsItem>
}

/** The best harness, by its best score with the model */
export interface HarnessesDataSummaryBiggestGapsItemBest {
  readonly harness: string
  readonly reasoning_effort: string | null
  readonly score: number
}

/** The harness whose best score with the model is the lowest */
export interface HarnessesDataSummaryBiggestGapsItemWorst {
  readonly harness: string
  readonly reasoning_effort: string | null
  readonly score: number
}

export interface HarnessesDataSummaryBiggestGapsItem {
  readonly revision: "4.0" | "2.1"
  readonly model: string
  /** The best harness, by its best score with the model */
  readonly best: HarnessesDataSummaryBiggestGapsItemBest
  /** The harness whose best score with the model is the lowest */
  readonly worst: HarnessesDataSummaryBiggestGapsItemWorst
  /** Difference of the two scores, percentage points */
  readonly delta: number
  /** Whether the 95 % intervals overlap; null where one has none */
  readonly overlap: boolean | null
}

export interface HarnessesDataSummary {
  readonly view: "summary"
  readonly revision: "4.0" | "2.1"
  /** The best rows of the current revision; null while it was never read */
  readonly ranking: ReadonlyArray<HarnessesDataRawRevisionsItemRowsItem> | null
  readonly biggest_gaps: ReadonlyArray<HarnessesDataSummaryBiggestGapsItem>
  /** The revisions that were read */
  readonly revisions_read: ReadonlyArray<"4.0" | "2.1">
}

export interface HarnessesDataGaps {
  readonly view: "gaps"
  /** Models with two harnesses or more within a revision, the largest difference first */
  readonly gaps: ReadonlyArray<HarnessesDataSummaryBiggestGapsItem>
  /** The revisions that were read */
  readonly revisions_read: ReadonlyArray<"4.0" | "2.1">
}

export interface HarnessesDataCombinedLeaderboardItem {
  /** Rank on the board; equal scores share one */
  readonly rank: number
  /** The agent that works with the model */
  readonly harness: string
  readonly model: string
  /** Setting of the model; null where the board names none */
  readonly reasoning_effort: string | null
  /** Tasks that were solved, percent */
  readonly score: number
  /** Lower end of the 95 % interval, percent; null where the board gives no interval */
  readonly ci_low: number | null
  /** Upper end of the 95 % interval, percent */
  readonly ci_high: number | null
  /** Of all trials together */
  readonly tokens: number | null
  /** Of all trials together, US dollars */
  readonly cost_usd: number | null
  /** 100 x score / the highest score; null while all scores are 0 */
  readonly normalized: number | null
}

export interface HarnessesDataCombined {
  readonly view: "combined"
  readonly revision: "4.0" | "2.1"
  /** The current revision; null while it was never read */
  readonly leaderboard: ReadonlyArray<HarnessesDataCombinedLeaderboardItem> | null
}

export interface HarnessesReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "harnesses"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: HarnessesDataRaw | HarnessesDataSummary | HarnessesDataGaps | HarnessesDataCombined | null
  readonly _meta: Meta
}

export interface HealthReply {
  readonly status: "ok"
  /** Version of the software */
  readonly version: string
  /** Seconds since the process started */
  readonly uptime: number
  /** The service's time, milliseconds since the epoch */
  readonly ts: number
}

/** Parameters of `/api/humans-in-space` */
export interface HumansInSpaceParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `people` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface HumansInSpaceDataPeopleItem {
  /** Full name */
  readonly name: string
  /** Station or ship they are aboard, such as ISS or Tiangong; null where the source does not say */
  readonly craft: string | null
}

export interface HumansInSpaceData {
  /** How many people are listed */
  readonly count: number
  readonly people: ReadonlyArray<HumansInSpaceDataPeopleItem>
}

export interface HumansInSpaceReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "humans-in-space"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: HumansInSpaceData | null
  readonly _meta: Meta
}

/** Parameters of `/api/internet-pulse` */
export interface InternetPulseParameters {
  /** Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface InternetPulseDataItem {
  readonly name: "US East" | "US West" | "Europe" | "Asia" | "CDN" | "Search"
  /** Whole milliseconds; -1 when the target is unreachable */
  readonly latency_ms: number
}

export interface InternetPulseReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "internet-pulse"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ReadonlyArray<InternetPulseDataItem> | null
  readonly _meta: Meta
}

/** Parameters of `/api/launches` */
export interface LaunchesParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `launches` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `launches` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | "geojson" | undefined
}

export interface LaunchesDataLaunchesItem {
  /** Stays the same when the launch slips */
  readonly id: string
  /** Vehicle and mission */
  readonly name: string
  readonly provider: string | null
  readonly vehicle: string | null
  readonly mission: string | null
  /** In the words of the source, such as Go for Launch */
  readonly status: string
  /** Such as Go, TBC, TBD, Hold, In Flight */
  readonly status_abbrev: string
  /** No earlier than; a placeholder where the precision is coarse */
  readonly net: Instant | null
  /** How exact `net` is; null where the source does not say */
  readonly net_precision: "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "half" | "year" | null
  readonly window_start: Instant | null
  readonly window_end: Instant | null
  readonly pad: string | null
  readonly location: string | null
  /** Of the pad, degrees north */
  readonly lat: number | null
  /** Of the pad, degrees east */
  readonly lon: number | null
  /** Chance of acceptable weather, percent; null where none is given */
  readonly probability: number | null
  /** Whether a webcast is on the air */
  readonly webcast_live: boolean | null
  /** The entry in the catalogue */
  readonly url: string | null
}

export interface LaunchesData {
  /** How many launches are listed */
  readonly count: number
  readonly launches: ReadonlyArray<LaunchesDataLaunchesItem>
}

export interface LaunchesReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "launches"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: LaunchesData | null
  readonly _meta: Meta
}

/** Parameters of `/api/llm-tools` */
export interface LlmToolsParameters {
  /** For which interface the tools are written */
  readonly format?: "raw" | "openai" | "openai-responses" | "anthropic" | undefined
}

export interface LlmToolsCallsValue {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly tier: "free" | "premium"
  /** Credits a call costs */
  readonly credits: number
  /** Whether a token is sent (Authorization: Bearer). It is never an argument */
  readonly bearer: "none" | "required"
}

export interface LlmToolsReply {
  readonly source: "tidewire"
  readonly generated_at: Instant
  readonly format: "raw" | "openai" | "openai-responses" | "anthropic"
  /** In the exact form of that interface */
  readonly tools: ReadonlyArray<unknown>
  /** How each tool is called, by its name. Arguments are the query */
  readonly calls: { readonly [key: string]: LlmToolsCallsValue }
}

export interface McpBody {
  readonly jsonrpc: "2.0"
  /** Absent in a notification, which is answered with 202 */
  readonly id?: string | number | undefined
  readonly method: string
  readonly params?: { readonly [key: string]: unknown } | undefined
}

export type McpReply = JsonRpcReply

export interface McpAllBody {
  readonly jsonrpc: "2.0"
  /** Absent in a notification, which is answered with 202 */
  readonly id?: string | number | undefined
  readonly method: string
  readonly params?: { readonly [key: string]: unknown } | undefined
}

export type McpAllReply = JsonRpcReply

export interface McpServerCardRemotesItemHeadersItem {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly isSecret: boolean
}

export interface McpServerCardRemotesItem {
  readonly type: "streamable-http"
  readonly url: string
  readonly supportedProtocolVersions: ReadonlyArray<string>
  readonly headers: ReadonlyArray<McpServerCardRemotesItemHeadersItem>
}

export interface McpServerCardReply {
  readonly $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
  readonly name: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly websiteUrl?: string
  readonly remotes: ReadonlyArray<McpServerCardRemotesItem>
}

export interface MetaProPaymentEndpointsItem {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly summary: string
}

export interface MetaProEndpointsItem {
  readonly path: string
  readonly name: string
  readonly summary: string
  /** Credits a call costs */
  readonly credits: number
  /** The same in dollars */
  readonly price_usd: number
  /** Names; the catalog describes them */
  readonly parameters: ReadonlyArray<string>
  /** Reasons for which a call is free of charge; `no_charge` of the document describes them */
  readonly no_charge: ReadonlyArray<string>
  /** Feeds whose data is left out here, as the terms of a source forbid selling it */
  readonly withheld_feeds: ReadonlyArray<string>
}

export interface MetaProReply {
  readonly source: "tidewire-pro"
  readonly contract_version: string
  readonly credits_per_usd: number
  /** The smallest purchase in dollars */
  readonly purchase_usd_min: number
  /** The largest quote in dollars */
  readonly purchase_usd_max: number
  /** Whether credits can be bought from this installation */
  readonly sold_here: boolean
  /** Premium calls a minute of one account, whichever of its tokens they are made with */
  readonly token_requests_per_minute: number
  /** Calls of an account in a day (UTC) that may end free of charge through its callers (client_gone, empty_range) */
  readonly free_ends_per_day: number
  /** New tokens that an account is issued in a day (UTC), as after a revoke */
  readonly tokens_per_day: number
  /** Address of the page that explains how credits are bought */
  readonly signup: string
  readonly payment_endpoints: ReadonlyArray<MetaProPaymentEndpointsItem>
  /** What each reason means */
  readonly no_charge: { readonly [key: string]: string }
  readonly endpoints: ReadonlyArray<MetaProEndpointsItem>
}

/** Parameters of `/api/model-hub-trending` */
export interface ModelHubTrendingParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `models` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface ModelHubTrendingDataModelsItem {
  /** Author and name */
  readonly id: string
  /** Person or organisation; null for very old models */
  readonly author: string | null
  readonly name: string
  /** Of all time */
  readonly likes: number
  /** Of the last 30 days */
  readonly downloads: number
  /** Task, such as text-generation */
  readonly pipeline: string | null
  /** Address of a page, http or https */
  readonly url: string
  /** When the model's files last changed */
  readonly updated: Instant | null
  /** Likes of the last 7 days */
  readonly trending_score: number | null
  readonly library: string | null
  /** Short name, such as apache-2.0 or other */
  readonly license: string | null
}

export interface ModelHubTrendingData {
  /** How many models are listed */
  readonly count: number
  readonly models: ReadonlyArray<ModelHubTrendingDataModelsItem>
}

export interface ModelHubTrendingReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "model-hub-trending"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ModelHubTrendingData | null
  readonly _meta: Meta
}

export interface PaymentBalanceReply {
  /** Credits that can be spent */
  readonly credits: number
  /** When this token was issued */
  readonly issued_at: string
  /** Credits of a payment that left the chain after they were spent; new credits fill it first */
  readonly shortfall: number
}

export interface PaymentBuyCreditsBody {
  /** Dollars: 1 to 10,000, at most 2 decimals */
  readonly amount_usd: number
}

export interface PaymentBuyCreditsQuote {
  /** Amount to pay, in dollars: the requested amount plus a fraction of a cent that is unique among open quotes */
  readonly amount_usd: number
  /** The same in millionths of a dollar, as the token counts */
  readonly amount_units: string
  /** Credits for that amount */
  readonly credits: number
  readonly chain: string
  readonly chain_id: number
  /** USDC; payments in other tokens are not detected */
  readonly token_contract: string
  /** keccak-256 of the memo: may be used on the chain, as the nonce of an EIP-3009 authorization or behind the arguments of a plain transfer */
  readonly memo_hash: string
  /** amount: the exact amount identifies this quote; signature: it does not, so sign as payer at confirm */
  readonly proof: "amount" | "signature"
}

export interface PaymentBuyCreditsReply {
  /** Where to pay */
  readonly wallet: string
  /** Your secret: send it to confirm as `nonce`, and nowhere else */
  readonly memo: string
  readonly quote: PaymentBuyCreditsQuote
  /** End of the quote's validity; a later payment is credited too */
  readonly expires_at: string
}

export interface PaymentConfirmBody {
  /** Hash of the transaction that paid */
  readonly tx_hash: string
  /** The memo of the quote */
  readonly nonce?: string | null | undefined
  /** The paying wallet's signature of `text_to_sign` (EIP-191; EIP-1271 and EIP-6492 for contracts) */
  readonly signature?: string | null | undefined
  /** The day that the signed text names, as it stands beside `text_to_sign` */
  readonly signature_until?: string | null | undefined
  /** Where the credits go that are claimed by signature, without token and memo: a secret of yours, `tw_claim_` and 64 random hex digits. Keep it, and send it with each confirm: the signature is void without it */
  readonly claim_key?: string | null | undefined
  /** SHA-256 of the claim key, in hex: enough to get the text to sign, while the key stays with you */
  readonly claim_key_hash?: string | null | undefined
  /** The wallet that signed, for contract wallets: it is checked before other payers of the transaction */
  readonly payer?: string | null | undefined
}

export interface PaymentConfirmReply {
  /** Send it as Authorization: Bearer; the one that was sent, where the credits were added to that */
  readonly token: string
  /** Credits of this transaction, added now or before */
  readonly credits: number
  /** Credits of the token now */
  readonly balance: number
  /** Whether a reorganisation of the chain could still reverse the payment, and with it the credits */
  readonly provisional: boolean
  /** One for each transfer of the transaction */
  readonly purchases: ReadonlyArray<PurchaseRecord>
}

export interface PaymentHistoryTotals {
  /** Dollars of all purchases that were not reversed */
  readonly total_purchased_usd: number
  /** By purchases and grants, less what was reversed */
  readonly total_credits_added: number
  readonly total_credits_spent: number
  /** Purchases that were not reversed */
  readonly purchase_count: number
}

export interface PaymentHistoryReply {
  readonly purchases: ReadonlyArray<PurchaseRecord>
  readonly current_balance: number
  readonly totals: PaymentHistoryTotals
}

export interface PaymentInfoChain {
  readonly name: string
  readonly chain_id: number
}

export interface PaymentInfoToken {
  readonly symbol: "USDC"
  /** 0x and 40 hex digits */
  readonly contract: string
  readonly decimals: 6
}

export interface PaymentInfoPrices {
  readonly credits_per_usd: number
  /** Less than this in one transaction credits nothing */
  readonly minimum_usd: number
  readonly maximum_quote_usd: number
  /** Credits of a call, by its path */
  readonly credits_by_endpoint: { readonly [key: string]: number }
}

export interface PaymentInfoConfirmation {
  /** Amounts up to this need only a few blocks */
  readonly up_to_usd: number
  /** Number of blocks, the payment's own included; credited as provisional */
  readonly blocks: number
  /** Block tag that larger amounts wait for */
  readonly above: "safe"
  /** Block tag at which a purchase is final */
  readonly final: "finalized"
}

export interface PaymentInfoVerification {
  /** Providers of the chain that verify a payment; null where unknown */
  readonly providers: number | null
  /** How many of them must agree; null where unknown */
  readonly agreement: number | null
  /** The rule by which a payment is accepted, in a sentence */
  readonly trusted: string
}

export interface PaymentInfoReply {
  /** 0x and 40 hex digits */
  readonly wallet: string
  readonly chain: PaymentInfoChain
  readonly token: PaymentInfoToken
  readonly prices: PaymentInfoPrices
  readonly confirmation: PaymentInfoConfirmation
  readonly verification: PaymentInfoVerification
  /** Validity of a quote */
  readonly quote_minutes: number
  /** Address of the page that explains buying step by step */
  readonly signup: string
}

export interface PaymentRevokeBody {
  /** true: revoke also where only the operator of this service can issue a new token */
  readonly confirm?: boolean | undefined
}

export interface PaymentRevokeWayBack {
  /** The proof that issues a new token. memo: confirm `tx_hash` with the memo as `nonce`; payer: confirm it with the payer's signature and the same claim key; operator: ask the operator of this service */
  readonly by: "memo" | "payer" | "operator"
  /** The transaction to confirm; null for an operator, or where the payment was reversed */
  readonly tx_hash: string | null
  /** The hash of the memo, or the address of the payer; null for an operator */
  readonly shown: string | null
  readonly message: string
}

export interface PaymentRevokeReply {
  readonly revoked: true
  /** Remaining credits, for a new token */
  readonly credits: number
  readonly way_back: PaymentRevokeWayBack
}

/** Parameters of `/api/predictions` */
export interface PredictionsParameters {
  /** Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface PredictionsDataItemOutcomesItem {
  readonly name: string
  /** Probability, percent; null before the first price */
  readonly percent: number | null
}

export interface PredictionsDataItem {
  readonly question: string
  /** Probability of Yes, percent; null where the outcomes are not Yes and No, or have no price yet */
  readonly yes_percent: number | null
  /** Probability of No, percent; null as for yes_percent */
  readonly no_percent: number | null
  /** Turnover since the market began, US dollars (USDC) */
  readonly volume_usd: number | null
  /** Turnover of the last 24 hours, US dollars (USDC) */
  readonly volume_24h_usd: number | null
  readonly outcomes: ReadonlyArray<PredictionsDataItemOutcomesItem>
  readonly url: string | null
}

export interface PredictionsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "predictions"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ReadonlyArray<PredictionsDataItem> | null
  readonly _meta: Meta
}

export interface ProAgentContextContextDatetime {
  readonly iso: Instant
  readonly unix_ms: number
  readonly human_readable_utc: string
}

export interface ProAgentContextContextMarketsFedFundsRate {
  /** Percent, average of the month */
  readonly value: number
  /** First day of the month */
  readonly as_of: string
  readonly source: string
}

/** Units of the currency for one US dollar */
export interface ProAgentContextContextMarketsForexUsdBase {
  /** Working day of the rates */
  readonly date: string | null
  readonly EUR: number | null
  readonly JPY: number | null
  readonly GBP: number | null
  readonly CHF: number | null
}

export interface ProAgentContextContextMarkets {
  /** Effective policy rate of the United States */
  readonly fed_funds_rate: ProAgentContextContextMarketsFedFundsRate | null
  /** Units of the currency for one US dollar */
  readonly forex_usd_base: ProAgentContextContextMarketsForexUsdBase
}

export interface ProAgentContextContextWorldEventsSignificantEarthquakes24hItem {
  readonly magnitude: number | null
  readonly place: string | null
  readonly time: Instant
  readonly url: string | null
}

export interface ProAgentContextContextWorldEventsUpcomingSpaceLaunchesItem {
  readonly mission: string | null
  readonly vehicle: string | null
  readonly provider: string | null
  /** No earlier than; a placeholder where the precision is coarse */
  readonly net: Instant | null
  readonly net_precision: "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "half" | "year" | null
  readonly status: string
}

export interface ProAgentContextContextWorldEventsTechNewsFrontPageTop5Item {
  readonly title: string
  readonly points: number | null
  readonly comments: number | null
  /** What the story links to; its discussion where it is a text of its own */
  readonly url: string
}

export interface ProAgentContextContextWorldEventsPredictionMarketsTop3Item {
  readonly question: string
  readonly yes_probability: number | null
  /** Turnover of the last 24 hours, US dollars (USDC) */
  readonly volume_24h: number | null
  readonly url: string | null
}

export interface ProAgentContextContextWorldEvents {
  /** Those that USGS calls significant, the strongest first */
  readonly significant_earthquakes_24h: ReadonlyArray<ProAgentContextContextWorldEventsSignificantEarthquakes24hItem>
  /** The next one first; those on hold and in flight are among them */
  readonly upcoming_space_launches: ReadonlyArray<ProAgentContextContextWorldEventsUpcomingSpaceLaunchesItem>
  readonly tech_news_front_page_top5: ReadonlyArray<ProAgentContextContextWorldEventsTechNewsFrontPageTop5Item>
  /** Largest turnover of the last 24 hours first */
  readonly prediction_markets_top3: ReadonlyArray<ProAgentContextContextWorldEventsPredictionMarketsTop3Item>
}

/** The word of each status page; unknown while it was never read */
export interface ProAgentContextContextInfrastructureDetails {
  readonly github: "operational" | "minor" | "major" | "critical" | "maintenance" | "unknown"
  readonly cloudflare: "operational" | "minor" | "major" | "critical" | "maintenance" | "unknown"
  readonly openai: "operational" | "minor" | "major" | "critical" | "maintenance" | "unknown"
  readonly anthropic: "operational" | "minor" | "major" | "critical" | "maintenance" | "unknown"
}

export interface ProAgentContextContextInfrastructure {
  /** In the service's own words */
  readonly summary: string
  /** The word of each status page; unknown while it was never read */
  readonly details: ProAgentContextContextInfrastructureDetails
  /** Whether all four are known to be operational */
  readonly all_operational: boolean
}

export interface ProAgentContextContext {
  /** The time of the context: the last full five minutes */
  readonly datetime: ProAgentContextContextDatetime | null
  readonly markets: ProAgentContextContextMarkets
  readonly world_events: ProAgentContextContextWorldEvents
  readonly infrastructure: ProAgentContextContextInfrastructure
}

export interface ProAgentContextReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/agent-context"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  readonly context: ProAgentContextContext
  readonly system_prompt: string | null
  /** Number of items behind each part; parts that were never read are left out */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanation of the parts, and of each null member by its path */
  readonly notes: { readonly [key: string]: string }
}

/** Parameters of `/api/pro/briefing` */
export interface ProBriefingParameters {
  /** Comma list of sections: earthquakes, tech-news, humans-in-space, launches, predictions; all of them when left out */
  readonly include?: ReadonlyArray<"earthquakes" | "tech-news" | "humans-in-space" | "launches" | "predictions"> | undefined
  /** 24h adds series.btc_24h */
  readonly history?: "24h" | undefined
}

export interface ProBriefingSectionsEarthquakesLatest {
  /** Magnitude, as the agency prefers it */
  readonly magnitude: number
  /** Nearest place, in words */
  readonly place: string
  /** Origin time, milliseconds since the epoch */
  readonly time: number
}

export interface ProBriefingSectionsEarthquakes {
  /** Earthquakes of magnitude 2.5 and above in 24 hours, worldwide */
  readonly count: number
  /** The newest one that has a magnitude and a place; null where there is none */
  readonly latest: ProBriefingSectionsEarthquakesLatest | null
}

export interface ProBriefingSectionsTechNews {
  /** Stories on the front page */
  readonly top_story_count: number
}

export interface ProBriefingSectionsHumansInSpace {
  /** People in space */
  readonly count: number
  readonly names: ReadonlyArray<string>
}

export interface ProBriefingSectionsLaunchesNext {
  /** Vehicle and mission */
  readonly name: string
  /** Null where the catalogue names none */
  readonly provider: string | null
  /** In the words of the source, such as Go for Launch */
  readonly status: string
  /** Not earlier than this, milliseconds since the epoch; a placeholder where the precision is coarse */
  readonly time: number
  /** How exact `time` is; null where the catalogue does not say */
  readonly time_precision: "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "half" | "year" | null
}

export interface ProBriefingSectionsLaunches {
  /** Launches to come, on hold or in flight, as /api/launches lists them; 20 at most */
  readonly count: number
  /** The first one whose time is still ahead; null where none has such a time */
  readonly next: ProBriefingSectionsLaunchesNext | null
}

export interface ProBriefingSectionsPredictionsTopItemOutcomesItem {
  readonly name: string
  /** Probability, percent; null before the first price */
  readonly percent: number | null
}

export interface ProBriefingSectionsPredictionsTopItem {
  readonly question: string
  /** Turnover of the last 24 hours, US dollars (USDC) */
  readonly volume_24hr: number
  /** Each possible answer with its probability in percent, at most 20 */
  readonly outcomes: ReadonlyArray<ProBriefingSectionsPredictionsTopItemOutcomesItem>
}

export interface ProBriefingSectionsPredictions {
  /** Open markets that are followed */
  readonly count: number
  /** Largest turnover of the last 24 hours first; only markets whose turnover is known */
  readonly top: ReadonlyArray<ProBriefingSectionsPredictionsTopItem>
}

/** The requested sections; null, never zero, while the feed has not answered yet */
export interface ProBriefingSections {
  readonly earthquakes?: ProBriefingSectionsEarthquakes | null
  readonly tech_news?: ProBriefingSectionsTechNews | null
  readonly humans_in_space?: ProBriefingSectionsHumansInSpace | null
  readonly launches?: ProBriefingSectionsLaunches | null
  readonly predictions?: ProBriefingSectionsPredictions | null
}

export interface ProBriefingSeriesBtc24hItem {
  /** When the price was seen, milliseconds since the epoch */
  readonly ts: number
  /** One bitcoin, US dollars */
  readonly price: number
}

/** Only with history=24h; left out, with a note, where the terms of a source forbid selling the prices */
export interface ProBriefingSeries {
  /** The first price seen in each five minutes of the last 24 hours, oldest first; gaps stay gaps */
  readonly btc_24h: ReadonlyArray<ProBriefingSeriesBtc24hItem>
}

export interface ProBriefingReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/briefing"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** The requested sections; null, never zero, while the feed has not answered yet */
  readonly sections: ProBriefingSections
  /** Only with history=24h; left out, with a note, where the terms of a source forbid selling the prices */
  readonly series?: ProBriefingSeries
  /** Number of items behind each part; parts without data are left out */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanation of each part, and why it is null */
  readonly notes: { readonly [key: string]: string }
}

export interface ProCodeHostVelocityTrendingReposItem {
  readonly name: string
  /** Owner and name */
  readonly full_name: string
  readonly description: string | null
  /** Main programming language */
  readonly language: string | null
  readonly stars: number
  /** Stars by days since its creation, at least one day */
  readonly stars_per_day: number
  readonly forks: number
  /** Issues and pull requests */
  readonly open_issues: number | null
  readonly topics: ReadonlyArray<string>
  /** By SPDX; null without one that the host recognises */
  readonly license: string | null
  readonly owner: string
  /** User or Organization */
  readonly owner_type: string
  readonly created_at: Instant
  readonly pushed_at: Instant
  /** Address of a page, http or https */
  readonly url: string
  /** Days since its creation */
  readonly age_days: number
  /** About AI or machine learning, by the published list of terms */
  readonly is_ai_ml: boolean
}

export interface ProCodeHostVelocityByLanguageItem {
  readonly language: string
  readonly count: number
  readonly total_stars: number
}

export interface ProCodeHostVelocityByTopicItem {
  readonly topic: string
  readonly count: number
}

export interface ProCodeHostVelocityAggregate {
  readonly trending_count: number | null
  /** Stars of the trending repositories */
  readonly total_stars: number | null
  readonly ai_ml_in_trending_count: number | null
  /** Share of repositories about AI or machine learning among the trending ones, percent, one decimal */
  readonly ai_ml_share_pct: number | null
  /** How many are listed in ai_ml_repos_active_30d */
  readonly ai_ml_active_30d_count: number | null
  /** Different languages of the trending repositories, none not counted */
  readonly languages: number | null
}

export interface ProCodeHostVelocityReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/code-host-velocity"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** How long ago the trending repositories were created at most */
  readonly window: "7d"
  /** Created within seven days, the most stars first */
  readonly trending_repos: ReadonlyArray<ProCodeHostVelocityTrendingReposItem> | null
  /** Under the topic llm, pushed to within 30 days, the most stars first */
  readonly ai_ml_repos_active_30d: ReadonlyArray<ProCodeHostVelocityTrendingReposItem> | null
  /** Main languages of the trending repositories; none where a repository states no language */
  readonly by_language: ReadonlyArray<ProCodeHostVelocityByLanguageItem> | null
  /** Topics of the trending repositories, also those that their rows leave out */
  readonly by_topic: ReadonlyArray<ProCodeHostVelocityByTopicItem> | null
  readonly aggregate: ProCodeHostVelocityAggregate
  /** Number of repositories behind each set; a set that was never read is left out */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanation of the parts, and of each null member by its path */
  readonly notes: { readonly [key: string]: string }
}

export interface ProCorrelationMatrixAssetsItem {
  readonly symbol: "TREASURY_10Y" | "TREASURY_2Y" | "USD_INDEX" | "OIL_WTI"
  readonly asset_class: "rates" | "fx" | "commodity"
  /** Daily numbers of the series in view; 0 while it was never read */
  readonly observations: number
}

export interface ProCorrelationMatrixPairsItem {
  readonly a: "TREASURY_10Y" | "TREASURY_2Y" | "USD_INDEX" | "OIL_WTI"
  readonly b: "TREASURY_10Y" | "TREASURY_2Y" | "USD_INDEX" | "OIL_WTI"
  /** Correlation, from -1 to 1, 4 decimals */
  readonly pearson_r: number
  /** Returns that the correlation is of */
  readonly n_observations: number
  readonly relationship: "negligible" | "weak" | "moderate" | "strong"
  /** none where the relationship is negligible */
  readonly direction: "positive" | "negative" | "none"
}

export interface ProCorrelationMatrixMatrixTREASURY10Y {
  readonly TREASURY_10Y: number | null
  readonly TREASURY_2Y: number | null
  readonly USD_INDEX: number | null
  readonly OIL_WTI: number | null
}

/** matrix[a][b] is the correlation of a and b, 1 on the diagonal; null without one */
export interface ProCorrelationMatrixMatrix {
  readonly TREASURY_10Y: ProCorrelationMatrixMatrixTREASURY10Y
  readonly TREASURY_2Y: ProCorrelationMatrixMatrixTREASURY10Y
  readonly USD_INDEX: ProCorrelationMatrixMatrixTREASURY10Y
  readonly OIL_WTI: ProCorrelationMatrixMatrixTREASURY10Y
}

export interface ProCorrelationMatrixSampleSize {
  readonly assets_requested: number
  readonly assets_with_data: number
  /** Pairs without a correlation */
  readonly pairs_left_out: number
}

export interface ProCorrelationMatrixReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/correlation-matrix"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  readonly window: "30d"
  /** The method in words */
  readonly method: string
  readonly assets: ReadonlyArray<ProCorrelationMatrixAssetsItem>
  /** The largest absolute correlation first; pairs without one are left out */
  readonly pairs: ReadonlyArray<ProCorrelationMatrixPairsItem>
  /** matrix[a][b] is the correlation of a and b, 1 on the diagonal; null without one */
  readonly matrix: ProCorrelationMatrixMatrix
  readonly sample_size: ProCorrelationMatrixSampleSize
  /** Explanations, and under `<a>/<b>` why a pair is left out */
  readonly notes: { readonly [key: string]: string }
}

/** Parameters of `/api/pro/crypto-deep` */
export interface ProCryptoDeepParameters {
  /** 30d adds series.btc_30d */
  readonly history?: "30d" | undefined
}

export interface ProCryptoDeepCoinsTop50Item {
  readonly symbol: string
  readonly name: string
  readonly price_usd: number
  readonly change_1h_percent: number | null
  readonly change_24h_percent: number | null
  readonly change_7d_percent: number | null
  /** Price times coins in circulation, US dollars */
  readonly market_cap: number | null
  /** Turnover of 24 hours on all markets, US dollars */
  readonly volume_24h: number | null
  /** Place by market capitalisation, from 1 */
  readonly rank: number | null
}

export interface ProCryptoDeepExchangeTop20UsdtItem {
  readonly pair: string
  /** Last trade, Tether */
  readonly price: number
  readonly change_24h_percent: number | null
  /** Turnover of 24 hours at this exchange, Tether */
  readonly volume_24h: number | null
  readonly high_24h: number | null
  readonly low_24h: number | null
  readonly trades_24h: number | null
}

/** What a place in a block costs within a time, satoshi a virtual byte */
export interface ProCryptoDeepNetworkBtcFeesSatPerVb {
  readonly fastest: number
  readonly half_hour: number
  readonly hour: number
  readonly economy: number | null
  readonly minimum: number | null
}

export interface ProCryptoDeepNetworkBtcHashrate {
  /** Exahashes (10^18 hashes) a second, an estimate */
  readonly current_eh_s: number | null
  readonly current_difficulty: number | null
}

export interface ProCryptoDeepNetworkBtcMempool {
  /** Transactions that wait for a block */
  readonly count: number
  /** Their size, virtual bytes */
  readonly vsize: number
  /** What they offer to pay, satoshi */
  readonly total_fee_sat: number | null
}

export interface ProCryptoDeepNetworkBtc {
  readonly block_height: number
  /** What a place in a block costs within a time, satoshi a virtual byte */
  readonly fees_sat_per_vb: ProCryptoDeepNetworkBtcFeesSatPerVb
  readonly hashrate: ProCryptoDeepNetworkBtcHashrate
  readonly mempool: ProCryptoDeepNetworkBtcMempool
}

export interface ProCryptoDeepEthGas {
  readonly low_gwei: number
  readonly standard_gwei: number
  readonly fast_gwei: number
  /** Base fee of the block after last_block */
  readonly base_fee_gwei: number
  readonly last_block: number
}

export interface ProCryptoDeepSeriesBtc30dItem {
  /** Begin of the day (UTC), milliseconds since the epoch */
  readonly ts: number
  readonly low: number
  readonly high: number
  readonly open: number
  readonly close: number
  /** Turnover of the day at this exchange, bitcoin */
  readonly volume: number
}

/** Only with history=30d */
export interface ProCryptoDeepSeries {
  /** Daily candles of bitcoin in US dollars, the oldest first; the open day is left out, and gaps stay gaps */
  readonly btc_30d: ReadonlyArray<ProCryptoDeepSeriesBtc30dItem> | null
}

export interface ProCryptoDeepReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/crypto-deep"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** The largest coins by market capitalisation, the largest first */
  readonly coins_top50: ReadonlyArray<ProCryptoDeepCoinsTop50Item> | null
  /** BTC, ETH, BNB, SOL, XRP, DOGE, ADA, TRX, AVAX, LINK, DOT, LTC, BCH, UNI, XLM, NEAR, APT, ARB, ATOM, FIL against Tether at one exchange, the largest turnover first; a pair that is halted is left out */
  readonly exchange_top20_usdt: ReadonlyArray<ProCryptoDeepExchangeTop20UsdtItem> | null
  readonly network_btc: ProCryptoDeepNetworkBtc | null
  readonly eth_gas: ProCryptoDeepEthGas | null
  /** Only with history=30d */
  readonly series?: ProCryptoDeepSeries
  /** Number of rows of each list; lists without data are left out */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanation of each part: what it is, or why it is null, and why members of it are */
  readonly notes: { readonly [key: string]: string }
}

export interface ProExchangeFlowsFlowsByExchangeItem {
  readonly exchange: string
  readonly inflow_eth: number
  readonly outflow_eth: number
  /** Inflow less outflow */
  readonly net_flow_eth: number
  readonly inflow_count: number
  readonly outflow_count: number
}

export interface ProExchangeFlowsRecentTransfersItem {
  readonly hash: string
  readonly block_number: number
  /** When the block was made */
  readonly timestamp: string
  readonly exchange: string
  /** inflow: to the exchange */
  readonly direction: "inflow" | "outflow"
  /** The exchange on the other side; null where its address has no label */
  readonly counterparty_label: string | null
  readonly value_eth: number
  /** US dollars; null without a price */
  readonly value_usd: number | null
}

export interface ProExchangeFlowsAggregate {
  /** Transfers, one between exchanges counted once */
  readonly transfer_count: number
  readonly total_inflow_eth: number
  readonly total_outflow_eth: number
  readonly net_flow_eth: number
  /** Whole US dollars; null without a price */
  readonly net_flow_usd: number | null
  readonly bias: "inflow_dominant" | "outflow_dominant" | "balanced"
}

export interface ProExchangeFlowsThreshold {
  readonly transfer_min_eth: number
  readonly balanced_below_eth: number
}

export interface ProExchangeFlowsReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/exchange-flows"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** Last trade of ether against Tether, which counts as a dollar */
  readonly spot_eth_usd: number | null
  readonly blocks_scanned: ReadonlyArray<number> | null
  readonly blocks_missing: number | null
  readonly flows_by_exchange: ReadonlyArray<ProExchangeFlowsFlowsByExchangeItem> | null
  /** The newest block first and in it the largest; one between exchanges has a row for each */
  readonly recent_transfers: ReadonlyArray<ProExchangeFlowsRecentTransfersItem> | null
  readonly aggregate: ProExchangeFlowsAggregate | null
  readonly threshold: ProExchangeFlowsThreshold
  /** Exchanges that have a labelled address, in alphabetical order */
  readonly exchanges_tracked: ReadonlyArray<string>
  /** What the flows are made of */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanations by member; each member that is null has one */
  readonly notes: { readonly [key: string]: string }
}

export interface ProFeedReliabilityWindow {
  /** Length of the rolling window, days */
  readonly days: number
  /** Time between two checks, minutes */
  readonly interval_minutes: number
}

export interface ProFeedReliabilityCounts {
  readonly monitored: number
  readonly ranked: number
  readonly low_coverage: number
  readonly not_configured: number
  /** Monitored feeds whose latest verdict is ok */
  readonly ok: number
  readonly stale: number
  readonly dark: number
}

export interface ProFeedReliabilityFeedsItemSubscores {
  /** ok / checks */
  readonly uptime: number
  /** (ok + stale) / checks */
  readonly availability: number
  /** stale / checks */
  readonly staleness_rate: number
  /** dark / checks */
  readonly dark_rate: number
}

export interface ProFeedReliabilityFeedsItemCounts {
  /** Checks that found the feed within its promise */
  readonly ok: number
  /** Checks that found a good value, older than promised */
  readonly stale: number
  /** Checks that found none, or one older than 24 hours */
  readonly dark: number
  /** Five-minute slots since the first check of the window in which there was none: the service was away */
  readonly missed: number
}

export interface ProFeedReliabilityFeedsItemLast24Hours {
  /** 100 x (ok + half of stale) / checks, rounded */
  readonly composite: number
  /** ok / checks */
  readonly uptime: number
  /** At most 288 */
  readonly checks: number
}

export interface ProFeedReliabilityFeedsItemLongestOutage {
  /** Slot of the first check that found it stale or dark */
  readonly from: string
  /** End of the slot of the last such check in a row; `captured_at` where that slot is not over */
  readonly until: string
  /** From `from` to `until`, without the slots in which there was no check, seconds */
  readonly seconds: number
  /** Checks in it; slots without a check neither end nor count */
  readonly checks: number
  /** Those of them that found it dark */
  readonly dark_checks: number
  readonly ongoing: boolean
}

export interface ProFeedReliabilityFeedsItem {
  readonly rank: number
  /** Stable identifier of the monitored feed */
  readonly feed: string
  /** Provider.metric of its first choice, as in _meta.sources[].name */
  readonly name: string
  /** 100 x (ok + half of stale) / checks, rounded */
  readonly composite: number
  readonly subscores: ProFeedReliabilityFeedsItemSubscores
  /** high from 288 checks, medium from 12, else low */
  readonly trust: "high" | "medium" | "low"
  /** Fewer than 12 checks: listed apart, not ranked */
  readonly low_coverage: boolean
  /** Verdicts in the window, one each five minutes at most */
  readonly checks: number
  readonly counts: ProFeedReliabilityFeedsItemCounts
  /** The same scores over the last 24 hours alone; null without a check in them */
  readonly last_24_hours: ProFeedReliabilityFeedsItemLast24Hours | null
  /** The latest verdict */
  readonly status: "ok" | "stale" | "dark"
  /** Since which five-minute slot the latest verdict has been the same, as far as the window goes back */
  readonly status_since: string
  /** How many times an ok feed was found stale or dark next */
  readonly interruptions: number
  /** The longest run of checks without an ok, the latest of equals; null without any */
  readonly longest_outage: ProFeedReliabilityFeedsItemLongestOutage | null
  /** When a poll last succeeded; of several instances the oldest; null where one never has */
  readonly last_success_at: string | null
  /** The upstream's own time of its newest content then; null where it has none */
  readonly content_at: string | null
  /** Until when that success keeps the feed's promise */
  readonly fresh_until: string | null
  /** How old the newest content may be, seconds; null where content has no time */
  readonly content_age_max_seconds: number | null
}

export interface ProFeedReliabilityLowCoverageItem {
  /** Stable identifier of the monitored feed */
  readonly feed: string
  /** Provider.metric of its first choice, as in _meta.sources[].name */
  readonly name: string
  /** 100 x (ok + half of stale) / checks, rounded */
  readonly composite: number
  readonly subscores: ProFeedReliabilityFeedsItemSubscores
  /** high from 288 checks, medium from 12, else low */
  readonly trust: "high" | "medium" | "low"
  /** Fewer than 12 checks: listed apart, not ranked */
  readonly low_coverage: boolean
  /** Verdicts in the window, one each five minutes at most */
  readonly checks: number
  readonly counts: ProFeedReliabilityFeedsItemCounts
  /** The same scores over the last 24 hours alone; null without a check in them */
  readonly last_24_hours: ProFeedReliabilityFeedsItemLast24Hours | null
  /** The latest verdict */
  readonly status: "ok" | "stale" | "dark"
  /** Since which five-minute slot the latest verdict has been the same, as far as the window goes back */
  readonly status_since: string
  /** How many times an ok feed was found stale or dark next */
  readonly interruptions: number
  /** The longest run of checks without an ok, the latest of equals; null without any */
  readonly longest_outage: ProFeedReliabilityFeedsItemLongestOutage | null
  /** When a poll last succeeded; of several instances the oldest; null where one never has */
  readonly last_success_at: string | null
  /** The upstream's own time of its newest content then; null where it has none */
  readonly content_at: string | null
  /** Until when that success keeps the feed's promise */
  readonly fresh_until: string | null
  /** How old the newest content may be, seconds; null where content has no time */
  readonly content_age_max_seconds: number | null
}

export interface ProFeedReliabilityNotConfiguredItem {
  readonly feed: string
  readonly name: string
  /** not_configured: a key is missing; not_licensed: the terms of its sources forbid it here */
  readonly reason: "not_configured" | "not_licensed"
}

export interface ProFeedReliabilitySampleSize {
  readonly feeds: number
  /** Checks of all feeds in the window */
  readonly checks: number
}

export interface ProFeedReliabilityReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/feed-reliability"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  readonly captured_at: string | null
  readonly window: ProFeedReliabilityWindow
  readonly counts: ProFeedReliabilityCounts | null
  readonly feeds: ReadonlyArray<ProFeedReliabilityFeedsItem> | null
  readonly low_coverage: ReadonlyArray<ProFeedReliabilityLowCoverageItem> | null
  readonly not_configured: ReadonlyArray<ProFeedReliabilityNotConfiguredItem> | null
  readonly sample_size: ProFeedReliabilitySampleSize | null
  readonly notes: { readonly [key: string]: string }
}

/** Parameters of `/api/pro/feed-reliability/history` */
export interface ProFeedReliabilityHistoryParameters {
  /** Feed id, as in `feed` of /api/feed-reliability; without one the reply lists them */
  readonly feed?: "ai-stack-cves" | "air-quality?lat=34.05&lon=-118.24" | "bitcoin-network" | "bitcoin-transfers" | "btc-candles" | "btc-price" | "chain-network" | "chess-tv" | "coins" | "disaster-alerts" | "earthquakes" | "economic-series" | "ethereum-gas" | "ethereum-transfers" | "event-market" | "exchange-tickers" | "exposure-scan" | "faa-status" | "fear-greed" | "forex" | "funding-rates?venue=binance" | "funding-rates?venue=bybit" | "funding-rates?venue=hyperliquid" | "funding-rates?venue=okx" | "game-platform-top" | "harnesses?revision=2.1" | "harnesses?revision=4.0" | "headlines?outlet=coindesk" | "humans-in-space" | "internet-pulse" | "known-exploited" | "launches" | "malware-urls" | "model-hub-trending" | "predictions" | "press-releases?office=federal-reserve" | "press-releases?office=sec" | "reactors" | "repositories?set=llm" | "repositories?set=trending" | "service-status?service=atlassian" | "service-status?service=claude" | "service-status?service=cloudflare" | "service-status?service=digitalocean" | "service-status?service=discord" | "service-status?service=github" | "service-status?service=netlify" | "service-status?service=npm" | "service-status?service=openai" | "service-status?service=reddit" | "service-status?service=twilio" | "service-status?service=vercel" | "space-weather" | "stock-quotes" | "tech-news" | "threat-indicators" | "trade-halts" | "tsunami?centre=PAAQ" | "tsunami?centre=PHEB" | "volcanoes" | "weather-alerts" | "weather?lat=40.71&lon=-74.01" | "wildfires?satellite=noaa-20" | "wildfires?satellite=noaa-21" | "wildfires?satellite=suomi-npp" | undefined
  /** First day, UTC, YYYY-MM-DD */
  readonly from?: string | undefined
  /** Last day, UTC, YYYY-MM-DD */
  readonly to?: string | undefined
}

export interface ProFeedReliabilityHistorySeriesItem {
  /** Day in UTC, YYYY-MM-DD */
  readonly date: string
  /** 100 x (ok + half of stale) / checks, rounded */
  readonly composite: number
  /** ok / checks */
  readonly uptime: number
  /** (ok + stale) / checks */
  readonly availability: number
  /** stale / checks */
  readonly staleness_rate: number
  /** dark / checks */
  readonly dark_rate: number
  /** Checks of the day, at most 288 */
  readonly checks: number
  readonly ok: number
  readonly stale: number
  readonly dark: number
  /** The day is over, and the row is final */
  readonly complete: boolean
}

export interface ProFeedReliabilityHistorySampleSize {
  /** Days of the window that have a row */
  readonly days: number
  /** Days of the window */
  readonly days_asked: number
  readonly checks: number
}

export interface ProFeedReliabilityHistoryReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/feed-reliability/history"
  readonly generated_at: Instant
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** Feed id; null where the call named none */
  readonly feed: string | null
  /** Only where the call named no feed: the ids of all feeds */
  readonly feeds?: ReadonlyArray<string>
  /** First day of the window, UTC */
  readonly from: string
  /** Last day of the window, UTC */
  readonly to: string
  /** No feed was named, or nothing was checked in the window: the call is free of charge */
  readonly empty: boolean
  /** Oldest day first; days without a check are left out */
  readonly series: ReadonlyArray<ProFeedReliabilityHistorySeriesItem>
  readonly sample_size: ProFeedReliabilityHistorySampleSize
  readonly notes: { readonly [key: string]: string }
}

/** Parameters of `/api/pro/macro` */
export interface ProMacroParameters {
  /** 30d adds the newest 30 numbers of each series */
  readonly history?: "30d" | undefined
}

export interface ProMacroEconomicFedRateSeriesItem {
  /** Day in UTC, YYYY-MM-DD */
  readonly date: string
  readonly value: number
}

/** Federal funds effective rate, percent, monthly */
export interface ProMacroEconomicFedRate {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  /** fred:<series> */
  readonly source: string
  /** Only with history=30d */
  readonly series?: ReadonlyArray<ProMacroEconomicFedRateSeriesItem>
}

/** Consumer price index, 1982-84=100, monthly */
export interface ProMacroEconomicCpi {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  /** fred:<series> */
  readonly source: string
  /** Only with history=30d */
  readonly series?: ReadonlyArray<ProMacroEconomicFedRateSeriesItem>
}

/** Unemployment rate, percent, monthly */
export interface ProMacroEconomicUnemployment {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  /** fred:<series> */
  readonly source: string
  /** Only with history=30d */
  readonly series?: ReadonlyArray<ProMacroEconomicFedRateSeriesItem>
}

/** Real growth at an annual rate, percent, quarterly */
export interface ProMacroEconomicGdpGrowth {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  /** fred:<series> */
  readonly source: string
  /** Only with history=30d */
  readonly series?: ReadonlyArray<ProMacroEconomicFedRateSeriesItem>
}

/** Yield of 10-year US Treasury securities, percent, daily */
export interface ProMacroEconomicTreasury10y {
  /** Newest number; null while the series was never read */
  readonly value: number | null
  /** First day of the period that the number is of */
  readonly date: string | null
  /** fred:<series> */
  readonly source: string
  /** Only with history=30d */
  readonly series?: ReadonlyArray<ProMacroEconomicFedRateSeriesItem>
}

export interface ProMacroEconomic {
  /** Federal funds effective rate, percent, monthly */
  readonly fed_rate: ProMacroEconomicFedRate
  /** Consumer price index, 1982-84=100, monthly */
  readonly cpi: ProMacroEconomicCpi
  /** Unemployment rate, percent, monthly */
  readonly unemployment: ProMacroEconomicUnemployment
  /** Real growth at an annual rate, percent, quarterly */
  readonly gdp_growth: ProMacroEconomicGdpGrowth
  /** Yield of 10-year US Treasury securities, percent, daily */
  readonly treasury_10y: ProMacroEconomicTreasury10y
}

/** Units of the currency for one US dollar; null where that day has no rate of it */
export interface ProMacroForexRates {
  readonly EUR: number | null
  readonly JPY: number | null
  readonly GBP: number | null
  readonly CHF: number | null
}

export interface ProMacroForexSeriesEURItem {
  /** Day in UTC, YYYY-MM-DD */
  readonly date: string
  readonly value: number
}

/** Only with history=30d */
export interface ProMacroForexSeries {
  /** The newest published numbers, oldest first */
  readonly EUR: ReadonlyArray<ProMacroForexSeriesEURItem>
  /** The newest published numbers, oldest first */
  readonly JPY: ReadonlyArray<ProMacroForexSeriesEURItem>
  /** The newest published numbers, oldest first */
  readonly GBP: ReadonlyArray<ProMacroForexSeriesEURItem>
  /** The newest published numbers, oldest first */
  readonly CHF: ReadonlyArray<ProMacroForexSeriesEURItem>
}

export interface ProMacroForex {
  readonly base: "USD"
  /** Working day of the rates */
  readonly date: string
  /** Units of the currency for one US dollar; null where that day has no rate of it */
  readonly rates: ProMacroForexRates
  /** Only with history=30d */
  readonly series?: ProMacroForexSeries
}

export interface ProMacroCommoditiesOil {
  readonly price_usd: number
  /** Day in UTC, YYYY-MM-DD */
  readonly date: string
  /** fred:<series> */
  readonly source: string
  /** Only with history=30d */
  readonly series?: ReadonlyArray<ProMacroEconomicFedRateSeriesItem>
}

export interface ProMacroCommodities {
  /** WTI crude oil, US dollars a barrel */
  readonly oil: ProMacroCommoditiesOil | null
  /** Henry Hub natural gas, US dollars a million BTU */
  readonly nat_gas: ProMacroCommoditiesOil | null
}

export interface ProMacroReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/macro"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  readonly economic: ProMacroEconomic
  readonly forex: ProMacroForex | null
  readonly commodities: ProMacroCommodities
  /** Entries of each part that hold a number; with history=30d also the length of each series */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanation of each entry, and why it is null where it is */
  readonly notes: { readonly [key: string]: string }
}

export interface ProSentimentMarketIndicesCryptoFearGreed {
  /** 0 (extreme fear) to 100 (extreme greed) */
  readonly value: number
  /** The publisher's class of the value */
  readonly label: "Extreme Fear" | "Fear" | "Neutral" | "Greed" | "Extreme Greed"
  readonly source: string
}

export interface ProSentimentMarketIndicesStocksVix {
  readonly value: number
  readonly change_percent: number
  readonly label: "low_volatility" | "normal" | "elevated" | "high_volatility" | "unknown"
  readonly source: string
}

export interface ProSentimentMarketIndices {
  /** Index of the current day */
  readonly crypto_fear_greed: ProSentimentMarketIndicesCryptoFearGreed | null
  /** Removed: always null */
  readonly stocks_vix: ProSentimentMarketIndicesStocksVix | null
}

export interface ProSentimentTrendingItemSampleHeadlinesItem {
  readonly title: string
  readonly url: string | null
  readonly source: string
  /** neutral as well where no word is in the lexicon */
  readonly sentiment_signal: "+" | "-" | "neutral"
  /** Whether a word of it is in the lexicon */
  readonly scored: boolean
}

export interface ProSentimentTrendingItem {
  readonly symbol: "BTC" | "ETH" | "SOL" | "XRP" | "DOGE" | "ADA" | "BNB" | "LINK" | "USDT" | "USDC" | "AAPL" | "MSFT" | "NVDA" | "AMZN" | "GOOGL" | "META" | "TSLA" | "AMD" | "INTC" | "NFLX" | "JPM" | "COIN" | "MSTR" | "MARA" | "RIOT" | "HOOD"
  /** crypto-equity: shares of companies whose value follows crypto assets */
  readonly asset_class: "crypto" | "equity" | "crypto-equity"
  /** Headlines that name it, each title once */
  readonly mention_count_24h: number
  /** Those headlines by source */
  readonly sources: { readonly [key: string]: unknown }
  /** (positive - negative) / (positive + negative) headlines; 0 where there is neither */
  readonly sentiment_score: number
  /** By the score: up to -0.3, up to -0.1, below 0.1, below 0.3, above */
  readonly sentiment_label: "negative" | "moderately_negative" | "neutral" | "moderately_positive" | "positive"
  /** Headlines with a word of the lexicon */
  readonly scored: number
  /** Fewer than three headlines are positive or negative */
  readonly low_sample: boolean
  /** The newest first */
  readonly sample_headlines: ReadonlyArray<ProSentimentTrendingItemSampleHeadlinesItem>
}

export interface ProSentimentPredictionMarketsSignalsItem {
  readonly question: string
  /** Probability of Yes, 0 to 1; null where the answers are not Yes and No, or have no price yet */
  readonly yes_probability: number | null
  /** Turnover of the last 24 hours, US dollars (USDC) */
  readonly volume_24h: number
  readonly url: string | null
}

export interface ProSentimentSampleSize {
  /** Headlines of 24 hours, each title once */
  readonly headlines_scanned: number
  /** Those with a word of the lexicon */
  readonly headlines_scored: number
  /** Of the 26 that are followed */
  readonly tickers_with_mentions: number
}

export interface ProSentimentReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/sentiment"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  readonly window: "24h"
  /** Name of the word list; another list has another name */
  readonly lexicon: "lexicon-1"
  readonly market_indices: ProSentimentMarketIndices
  /** The most named first, then by symbol */
  readonly trending: ReadonlyArray<ProSentimentTrendingItem>
  /** Open markets with the largest turnover of 24 hours, whatever their subject */
  readonly prediction_markets_signals: ReadonlyArray<ProSentimentPredictionMarketsSignalsItem>
  readonly sample_size: ProSentimentSampleSize
  /** Explanation of each part, and of each member that is null */
  readonly notes: { readonly [key: string]: string }
}

export interface ProWhalesSpotPrices {
  readonly btc_usd: number | null
  readonly eth_usd: number | null
}

export interface ProWhalesBtcWhalesUnconfirmedItem {
  readonly txid: string
  /** Sum of all outputs, the change that returns to the sender among them */
  readonly value_btc: number
  /** Fee, satoshi */
  readonly fee_sat: number | null
  /** Size, virtual bytes */
  readonly vsize: number | null
  /** When the transaction was first seen */
  readonly seen_at: string
  /** US dollars; null without a price */
  readonly value_usd: number | null
}

export interface ProWhalesEthWhalesLatestBlockItem {
  readonly hash: string
  readonly block_number: number
  readonly from: string
  /** Null where the transaction creates a contract */
  readonly to: string | null
  /** Native ether that the transaction moves */
  readonly value_eth: number
  /** The exchange that the address is attributed to, by third parties; null for every other address */
  readonly from_label: string | null
  /** The exchange that the address is attributed to, by third parties; null for every other address */
  readonly to_label: string | null
  /** US dollars; null without a price */
  readonly value_usd: number | null
}

export interface ProWhalesEthBlock {
  readonly number: number
  readonly hash: string
  /** ISO 8601 instant in UTC with milliseconds */
  readonly timestamp: string
  readonly transactions: number
  readonly base_fee_gwei: number | null
}

/** Over all transfers of the window and of the scanned blocks, those that no row shows included */
export interface ProWhalesAggregate {
  readonly btc_count: number | null
  readonly btc_total: number | null
  /** US dollars; null without a price */
  readonly btc_total_usd: number | null
  readonly eth_count: number | null
  readonly eth_total: number | null
  /** US dollars; null without a price */
  readonly eth_total_usd: number | null
}

export interface ProWhalesThresholds {
  readonly btc: number
  readonly eth: number
}

export interface ProWhalesReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/whales"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** Last trades against Tether, which counts as a dollar */
  readonly spot_prices: ProWhalesSpotPrices | null
  /** Transfers of the last 60 minutes that were seen before a block held them, the newest first */
  readonly btc_whales_unconfirmed: ReadonlyArray<ProWhalesBtcWhalesUnconfirmedItem> | null
  /** Transfers of the scanned blocks, the newest block first and in it the largest */
  readonly eth_whales_latest_block: ReadonlyArray<ProWhalesEthWhalesLatestBlockItem> | null
  /** The newest block */
  readonly eth_block: ProWhalesEthBlock | null
  /** Numbers of the scanned blocks, the newest first: one chain without gaps */
  readonly eth_blocks_scanned: ReadonlyArray<number> | null
  /** Over all transfers of the window and of the scanned blocks, those that no row shows included */
  readonly aggregate: ProWhalesAggregate
  /** Estimated share of all new bitcoin transactions that was seen */
  readonly sample_share: number | null
  readonly thresholds: ProWhalesThresholds
  /** What each part is made of */
  readonly sample_size: { readonly [key: string]: number }
  /** Explanations by member; each member that is null has one */
  readonly notes: { readonly [key: string]: string }
}

/** Parameters of `/api/pro/world-deltas` */
export interface ProWorldDeltasParameters {
  /** ISO 8601 instant with its zone, at most 5 minutes ahead: only events learnt after it; 1 hour ago when left out or older */
  readonly since?: string | undefined
}

export interface ProWorldDeltasEventsItemEarthquakeData {
  readonly id: string
  /** Kind of event, in the agency's words */
  readonly type: "earthquake" | "volcanic eruption" | "volcanic explosion"
  /** Magnitude at the time when it was learnt; the agency may revise it */
  readonly magnitude: number
  /** Nearest place, in words */
  readonly place: string | null
  /** Depth below sea level in kilometres */
  readonly depth_km: number | null
  /** Scale of the magnitude, such as mww or ml */
  readonly mag_type: string | null
  /** Origin time */
  readonly time: string
  /** Detail page */
  readonly url: string | null
}

export interface ProWorldDeltasEventsItemEarthquake {
  readonly type: "earthquake"
  readonly timestamp: Instant
  readonly severity: "minor" | "moderate" | "major"
  readonly data: ProWorldDeltasEventsItemEarthquakeData
}

export interface ProWorldDeltasEventsItemTechNewsStoryData {
  /** Number of the story at Hacker News */
  readonly id: number
  readonly title: string
  /** What the story links to; null where it is a text of its own */
  readonly url: string | null
  /** Votes when it was learnt */
  readonly points: number | null
  /** Comments at all depths when it was learnt */
  readonly num_comments: number | null
  readonly author: string | null
  /** When it was posted */
  readonly time: string
}

export interface ProWorldDeltasEventsItemTechNewsStory {
  readonly type: "tech_news_story"
  readonly timestamp: Instant
  readonly severity: "minor" | "moderate" | "major"
  readonly data: ProWorldDeltasEventsItemTechNewsStoryData
}

export interface ProWorldDeltasEventsItemPredictionMarketUpdateData {
  readonly id: string
  readonly question: string
  /** The leading outcome */
  readonly outcome: string
  /** Probability of that outcome, 0 to 1 */
  readonly probability: number
  /** Probability of the same outcome when the market was last stated; null for a newly listed market */
  readonly previous: number | null
  /** Turnover of the last 24 hours, US dollars (USDC) */
  readonly volume_24h: number
  readonly url: string | null
}

export interface ProWorldDeltasEventsItemPredictionMarketUpdate {
  readonly type: "prediction_market_update"
  readonly timestamp: Instant
  readonly severity: "minor" | "moderate" | "major"
  readonly data: ProWorldDeltasEventsItemPredictionMarketUpdateData
}

export interface ProWorldDeltasEventsItemSpaceLaunchDataWindow {
  readonly start: Instant | null
  readonly end: Instant | null
}

export interface ProWorldDeltasEventsItemSpaceLaunchData {
  /** Stays the same when the launch slips */
  readonly id: string
  readonly mission: string | null
  readonly vehicle: string | null
  readonly provider: string | null
  /** In the words of the source, such as Go for Launch */
  readonly status: string
  /** No earlier than; a placeholder where the precision is coarse */
  readonly net: string
  /** How exact `net` is */
  readonly net_precision: "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "half" | "year" | null
  /** Launch window */
  readonly window: ProWorldDeltasEventsItemSpaceLaunchDataWindow | null
  /** The entry in the catalogue */
  readonly url: string | null
}

export interface ProWorldDeltasEventsItemSpaceLaunch {
  readonly type: "space_launch"
  readonly timestamp: Instant
  readonly severity: "minor" | "moderate" | "major"
  readonly data: ProWorldDeltasEventsItemSpaceLaunchData
}

/** Events of this reply by type; no member where nothing was learnt after `since` */
export interface ProWorldDeltasCounts {
  readonly earthquake?: number
  readonly tech_news_story?: number
  readonly prediction_market_update?: number
  readonly space_launch?: number
}

export interface ProWorldDeltasSampleSize {
  /** Events learnt within the hour, without launches; null where none of them is after `since` */
  readonly events_in_rolling_hour: number | null
  /** Those of them after `since`, also where they exceed this reply */
  readonly events_after_since_filter: number
}

export interface ProWorldDeltasReply {
  readonly source: "tidewire-pro"
  /** Name of the endpoint called */
  readonly endpoint: "pro/world-deltas"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly generated_at: Instant | null
  readonly billing: Billing
  readonly receipt: Receipt
  readonly _meta: Meta
  /** Effective lower bound: later events are in the reply. Null before the first feed was read */
  readonly since: Instant | null
  /** The given `since` was older than the rolling hour: events may have been missed */
  readonly since_clamped: boolean
  /** The `since` of the next call, which then holds every later event, and none of these */
  readonly next_since: Instant | null
  /** More than 200 events are later than `since`: the oldest are here, and `next_since` gives the others */
  readonly has_more: boolean
  /** Newest timestamp first; empty, without launches, where nothing was learnt after `since` */
  readonly events: ReadonlyArray<ProWorldDeltasEventsItemEarthquake | ProWorldDeltasEventsItemTechNewsStory | ProWorldDeltasEventsItemPredictionMarketUpdate | ProWorldDeltasEventsItemSpaceLaunch>
  /** Events of this reply by type; no member where nothing was learnt after `since` */
  readonly counts: ProWorldDeltasCounts
  readonly sample_size: ProWorldDeltasSampleSize
  /** Explanations; of a member that is null under its name, in an event as type.member */
  readonly notes: { readonly [key: string]: string }
}

/** Parameters of `/api/reactors` */
export interface ReactorsParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `reduced`, `offline` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface ReactorsDataReducedItem {
  readonly unit: string
  /** Percent of the licensed thermal power */
  readonly power_pct: number
}

export interface ReactorsData {
  /** Day of the report, YYYY-MM-DD */
  readonly report_date: string
  /** How many units report */
  readonly total: number
  /** Units at 100 percent or above */
  readonly at_full_power: number
  /** Units above 0 and below 100 percent */
  readonly reduced_count: number
  /** Units at 0 percent */
  readonly offline_count: number
  readonly reduced: ReadonlyArray<ReactorsDataReducedItem>
  readonly offline: ReadonlyArray<ReactorsDataReducedItem>
}

export interface ReactorsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "reactors"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ReactorsData | null
  readonly _meta: Meta
}

/** As it stands in a reply */
export interface ReceiptVerifyBodyReceipt {
  readonly id: string
  /** The receipt: a compact JWS */
  readonly jws: string
}

export interface ReceiptVerifyBody {
  readonly receipt: string | ReceiptVerifyBodyReceipt
}

export interface ReceiptVerifyReceiptLedger {
  readonly account_sequence: number
  /** SHA-256, 64 lower-case hex digits */
  readonly entry_sha256: string
}

export interface ReceiptVerifyReceipt {
  /** Of the receipt: X-Service-Receipt-Id */
  readonly id: string
  readonly issuer: string
  /** Which key of /.well-known/jwks.json signed it */
  readonly kid: string
  readonly time: Instant
  readonly endpoint: string
  /** SHA-256 over the RFC 8785 form of {method, path, query}, 64 lower-case hex digits */
  readonly request_sha256: string
  /** SHA-256 over the RFC 8785 form of the reply without its member receipt, 64 lower-case hex digits */
  readonly response_sha256: string
  /** Credits that the call cost */
  readonly credits: number
  /** Why it was free of charge; null when charged */
  readonly reason: string | null
  /** The ledger entry of the charge, by its place in the account and its hash; null where nothing was charged */
  readonly ledger: ReceiptVerifyReceiptLedger | null
}

export interface ReceiptVerifyReply {
  /** Whether this service signed the receipt, and the reply sent with it is the signed one */
  readonly valid: boolean
  /** Why it is not valid; null when it is */
  readonly reason: "malformed" | "unknown_key" | "wrong_signature" | "body_differs" | "id_differs" | null
  /** Whether the reply is the one that the receipt was signed for */
  readonly body: "matches" | "differs" | "not_given"
  /** The claims of the receipt; null unless its signature is valid */
  readonly receipt: ReceiptVerifyReceipt | null
}

/** Parameters of `/api/service-status` */
export interface ServiceStatusParameters {
  /** Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface ServiceStatusDataItem {
  readonly name: string
  /** The page's own word for the worst that is going on. Where that is none although parts are degraded: minor, with a major outage of a part major, with planned work alone maintenance. Null while the page has never been read */
  readonly status: "operational" | "minor" | "major" | "critical" | "maintenance" | null
  /** The page's own sentence */
  readonly description: string | null
  /** Unresolved incidents; null where the page does not say */
  readonly incident_count: number | null
  /** Parts of the service that are not operational, planned maintenance included */
  readonly components_affected: number | null
  /** Parts that the page lists */
  readonly component_count: number | null
}

export interface ServiceStatusReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "service-status"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ReadonlyArray<ServiceStatusDataItem> | null
  readonly _meta: Meta
}

/** Parameters of `/api/severe-weather` */
export interface SevereWeatherParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

/** How many of them are of each severity */
export interface SevereWeatherDataCountsBySeverity {
  readonly Extreme: number
  readonly Severe: number
  readonly Moderate: number
  readonly Minor: number
  readonly Unknown: number
}

export interface SevereWeatherDataAlertsItem {
  readonly id: string
  /** Kind of alert, such as Winter Storm Warning */
  readonly event: string
  readonly severity: "Extreme" | "Severe" | "Moderate" | "Minor" | "Unknown"
  readonly urgency: "Immediate" | "Expected" | "Future" | "Past" | "Unknown"
  readonly certainty: "Observed" | "Likely" | "Possible" | "Unlikely" | "Unknown"
  /** 10 x severity (Extreme 4, Severe 3, Moderate 2, Minor 1, Unknown 0) + urgency (Immediate 3, Expected 2, Future 1, else 0) + 0.5 x certainty (Observed 3, Likely 2, Possible 1, else 0) */
  readonly score: number
  /** Names of the zones */
  readonly area_desc: string
  readonly headline: string | null
  readonly effective: Instant
  /** When the message lapses */
  readonly expires: string
  /** When the hazard ends; null where the message does not say */
  readonly ends: Instant | null
  /** Forecast office */
  readonly sender_name: string
  readonly category: string
  readonly web: string | null
}

export interface SevereWeatherData {
  /** Alerts in force, those that are not shown included */
  readonly total_active: number
  /** How many of them are of each severity */
  readonly counts_by_severity: SevereWeatherDataCountsBySeverity
  readonly alerts: ReadonlyArray<SevereWeatherDataAlertsItem>
}

export interface SevereWeatherReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "severe-weather"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: SevereWeatherData | null
  readonly _meta: Meta
}

/** Parameters of `/api/space-weather` */
export interface SpaceWeatherParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `active_alerts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface SpaceWeatherDataActiveAlertsItem {
  readonly code: string
  readonly kind: "alert" | "warning" | "watch"
  readonly headline: string
  /** NOAA scale: G, R or S with 1 to 5 */
  readonly scale: string | null
  readonly issued_at: Instant
  readonly active_until: Instant
}

export interface SpaceWeatherData {
  /** Planetary K index of the newest three-hour interval, 0 to 9 */
  readonly kp_index: number | null
  /** Start of that interval */
  readonly kp_time: Instant | null
  /** Highest running estimate of the last three hours, 0 to 9 */
  readonly kp_estimated: number | null
  /** Proton speed in kilometres per second */
  readonly solar_wind_speed_km_s: number | null
  /** Protons per cubic centimetre */
  readonly solar_wind_density_cm3: number | null
  readonly solar_wind_time: Instant | null
  /** Letter of the peak X-ray flux of 24 hours: A below 1e-7 W/m2, then B, C, M, and X from 1e-4 W/m2 */
  readonly flare_class: "A" | "B" | "C" | "M" | "X" | null
  /** The peak as a full class, such as M1.3 */
  readonly flare_peak: string | null
  /** Peak flux at 0.1 to 0.8 nm, watts per square metre */
  readonly flare_peak_flux_w_m2: number | null
  readonly flare_peak_time: Instant | null
  readonly active_alerts: ReadonlyArray<SpaceWeatherDataActiveAlertsItem> | null
}

export interface SpaceWeatherReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "space-weather"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: SpaceWeatherData | null
  readonly _meta: Meta
}

/** Parameters of `/api/stocks` */
export interface StocksParameters {
  /** Tickers, 1 to 35, comma separated, in any case */
  readonly symbols?: ReadonlyArray<string> | undefined
  /** Format of the reply. json: the whole reply. csv: a table of `gainers`, `losers`, `indices`, `quotes` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface StocksDataGainersItem {
  readonly symbol: string
  /** Price of the last trade, US dollars */
  readonly price: number
  /** Highest price of the session, US dollars */
  readonly high: number | null
  /** Lowest price of the session, US dollars */
  readonly low: number | null
  /** When the last trade was; it repeats while the market is closed */
  readonly as_of: string
  /** Change against the previous close, percent */
  readonly change_percent: number
  /** Change against the previous close, US dollars */
  readonly change: number
  /** Last price of the session before, US dollars */
  readonly previous_close: number
}

export interface StocksDataQuotesItem {
  readonly symbol: string
  /** Price of the last trade, US dollars */
  readonly price: number
  /** Highest price of the session, US dollars */
  readonly high: number | null
  /** Lowest price of the session, US dollars */
  readonly low: number | null
  /** When the last trade was; it repeats while the market is closed */
  readonly as_of: string
  /** Change against the previous close, percent; null where that is not known */
  readonly change_percent: number | null
  readonly change: number | null
  readonly previous_close: number | null
}

export interface StocksData {
  /** Prices above the previous close, the largest change in percent first */
  readonly gainers: ReadonlyArray<StocksDataGainersItem>
  /** Prices below the previous close, the largest change in percent first */
  readonly losers: ReadonlyArray<StocksDataGainersItem>
  /** SPY, QQQ and DIA in this order, without those whose change is not known */
  readonly indices: ReadonlyArray<StocksDataGainersItem>
  /** Every symbol that was named, or that is followed, and has a quote, by symbol */
  readonly quotes: ReadonlyArray<StocksDataQuotesItem>
  /** Named symbols without a quote: unknown to the source, or beyond what may be fetched on request */
  readonly not_followed: ReadonlyArray<string>
}

export interface StocksReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "stocks"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: StocksData | null
  readonly _meta: Meta
}

/** Parameters of `/api/tech-news` */
export interface TechNewsParameters {
  /** Format of the reply. json: the whole reply. csv: a table of the list (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface TechNewsDataItem {
  /** Number of the story at Hacker News */
  readonly id: number
  readonly title: string
  /** What the story links to; null where it is a text of its own */
  readonly url: string | null
  /** Address of a page, http or https */
  readonly discussion_url: string
  /** Votes */
  readonly score: number | null
  /** Comments at all depths */
  readonly comment_count: number | null
  readonly author: string | null
  readonly posted_at: Instant
}

export interface TechNewsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "tech-news"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: ReadonlyArray<TechNewsDataItem> | null
  readonly _meta: Meta
}

/** Parameters of `/api/trade-halts` */
export interface TradeHaltsParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `halts` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | undefined
}

export interface TradeHaltsDataHaltsItem {
  readonly symbol: string
  /** Name of the security; empty where none is given */
  readonly name: string
  /** Listing market, such as NASDAQ, NYSE or AMEX */
  readonly market: string
  /** As the exchange writes it, such as T1 or LUDP */
  readonly reason_code: string
  /** The code in words; null for one that is not known */
  readonly reason: string | null
  readonly halted_at: Instant
  /** Price that set off the pause, US dollars; null where none is given */
  readonly pause_threshold_price: number | null
  /** From when on quotes are accepted */
  readonly resumption_quote_at: Instant | null
  /** From when on it trades again; null until that is announced */
  readonly resumption_at: Instant | null
}

export interface TradeHaltsData {
  /** How many halts are listed */
  readonly count: number
  /** How many halts are in force */
  readonly total: number
  readonly halts: ReadonlyArray<TradeHaltsDataHaltsItem>
}

export interface TradeHaltsReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "trade-halts"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: TradeHaltsData | null
  readonly _meta: Meta
}

/** Parameters of `/api/tsunami` */
export interface TsunamiParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `messages` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `messages` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | "geojson" | undefined
}

export interface TsunamiDataMessagesItem {
  /** PAAQ: National Tsunami Warning Center; PHEB: Pacific Tsunami Warning Center */
  readonly centre: "PAAQ" | "PHEB"
  /** The centre's name of the event */
  readonly event: string | null
  /** The weather service's name of the series of messages, such as WEPA40; null where it is not given */
  readonly product: string | null
  /** Counts the messages about the event, from 1 */
  readonly number: number | null
  readonly level: "info" | "watch" | "advisory" | "warning"
  /** The centre's own word for the message; no_threat and test are never active */
  readonly category: "information" | "watch" | "advisory" | "warning" | "threat" | "cancellation" | "no_threat" | "test"
  readonly active: boolean
  readonly title: string
  readonly place: string
  readonly issued_at: Instant
  /** Preliminary magnitude of the earthquake */
  readonly magnitude: number | null
  /** Epicentre, degrees north */
  readonly lat: number | null
  /** Epicentre, degrees east */
  readonly lon: number | null
  readonly note: string | null
  /** The bulletin in words */
  readonly url: string | null
}

export interface TsunamiData {
  /** The highest level among active messages: none, info, watch, advisory, warning */
  readonly highest_level: "none" | "info" | "watch" | "advisory" | "warning"
  /** How many messages are active */
  readonly active_count: number
  /** Since when both centres have been read without a gap; null while one of them has never been read */
  readonly watched_since: Instant | null
  readonly messages: ReadonlyArray<TsunamiDataMessagesItem>
}

export interface TsunamiReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "tsunami"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: TsunamiData | null
  readonly _meta: Meta
}

/** Parameters of `/api/volcanoes` */
export interface VolcanoesParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `reports` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `reports` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | "geojson" | undefined
}

export interface VolcanoesDataReportsItem {
  readonly name: string
  /** Country, or an area such as Undersea Features */
  readonly country: string | null
  /** Beginning of the report, at most 280 characters */
  readonly summary: string
  /** Address of a page, http or https */
  readonly link: string
  /** In the words of the source, such as New Eruptive Activity or Continuing Unrest */
  readonly category: string | null
  /** Week of the report, in the words of the source */
  readonly period: string
  /** First day of the period, YYYY-MM-DD */
  readonly period_start: string | null
  /** Last day of the period, YYYY-MM-DD */
  readonly period_end: string | null
  /** Number of the volcano in the catalogue of the Global Volcanism Program */
  readonly volcano_number: number | null
  /** Degrees north */
  readonly lat: number | null
  /** Degrees east */
  readonly lon: number | null
  readonly published_at: Instant
}

export interface VolcanoesData {
  /** How many reports are listed */
  readonly count: number
  /** How many reports the issue has */
  readonly total: number
  readonly reports: ReadonlyArray<VolcanoesDataReportsItem>
}

export interface VolcanoesReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "volcanoes"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: VolcanoesData | null
  readonly _meta: Meta
}

/** Parameters of `/api/weather` */
export interface WeatherParameters {
  /** Latitude, degrees north, -90 to 90 (degrees) */
  readonly lat: number
  /** Longitude, degrees east, -180 to 180 (degrees) */
  readonly lon: number
}

export interface WeatherData {
  /** Latitude asked for, degrees north, two decimals */
  readonly lat: number
  /** Longitude asked for, degrees east, two decimals */
  readonly lon: number
  /** When the conditions held */
  readonly time: string
  /** Air temperature at 2 m, degrees Fahrenheit */
  readonly temperature_f: number | null
  /** Apparent temperature, degrees Fahrenheit */
  readonly feels_like_f: number | null
  /** WMO code 4677 of the present weather */
  readonly weather_code: number | null
  /** The weather code in words */
  readonly conditions: string | null
  /** Wind speed at 10 m, miles per hour */
  readonly wind_speed_mph: number | null
  /** Gusts at 10 m, miles per hour */
  readonly wind_gust_mph: number | null
  /** Relative humidity at 2 m, percent */
  readonly humidity_percent: number | null
}

export interface WeatherReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "weather"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: WeatherData | null
  readonly _meta: Meta
}

/** Parameters of `/api/wildfires` */
export interface WildfiresParameters {
  /** Format of the reply. json: the whole reply. csv: a table of `fires` (RFC 4180), without _meta, of which X-Service-As-Of and X-Service-Stale hold the essence. geojson: `fires` as points on a map (RFC 7946). A format other than json has no reply without data, which is refused with 503 */
  readonly format?: "json" | "csv" | "geojson" | undefined
}

export interface WildfiresDataFiresItem {
  /** Centre of the pixel, degrees north */
  readonly lat: number
  /** Centre of the pixel, degrees east */
  readonly lon: number
  /** Approximate US state, district or territory as two letters, from outlines at 1:10,000,000: it may be wrong within some two kilometres of a border or coast. Null outside the United States */
  readonly state: string | null
  /** Fire radiative power, megawatts */
  readonly radiative_power_mw: number | null
  readonly confidence: "low" | "nominal" | "high" | null
  readonly satellite: string
  /** When the satellite saw it */
  readonly acquired_at: string
  readonly daytime: boolean | null
}

export interface WildfiresData {
  /** How many detections are listed */
  readonly count: number
  readonly fires: ReadonlyArray<WildfiresDataFiresItem>
}

export interface WildfiresReply {
  readonly source: "tidewire"
  /** Name of the endpoint called */
  readonly endpoint: "wildfires"
  /** When the data was last refreshed from its upstream (_meta.as_of); null while there is none */
  readonly updated_at: Instant | null
  /** Null while there is no data: see _meta.warming and _meta.reason */
  readonly data: WildfiresData | null
  readonly _meta: Meta
}

export interface DcatReply {
  readonly "@context": { readonly [key: string]: unknown }
  readonly "@id": string
  readonly "@type": "dcat:Catalog"
  readonly "dct:title": string
  readonly "dct:description": string
  readonly "dct:publisher": { readonly [key: string]: unknown }
  readonly "dcat:themeTaxonomy": { readonly [key: string]: unknown }
  readonly "dcat:service": ReadonlyArray<{ readonly [key: string]: unknown }>
  readonly "dcat:dataset": ReadonlyArray<{ readonly [key: string]: unknown }>
}

export interface ChangelogJsonEntriesItem {
  readonly date: string
  readonly kind: "added" | "changed" | "deprecated" | "removed"
  readonly path?: string
  /** The member of its reply */
  readonly field?: string
  readonly text: string
  readonly effective?: string
}

export interface ChangelogJsonReply {
  readonly contract_version: string
  readonly entries: ReadonlyArray<ChangelogJsonEntriesItem>
}

export interface OpenapiInfo {
  readonly title: string
  readonly version: string
}

export interface OpenapiReply {
  readonly openapi: string
  readonly info: OpenapiInfo
  readonly paths: { readonly [key: string]: unknown }
  readonly components?: unknown
}

export interface StatusCounts {
  readonly monitored: number
  readonly ok: number
  readonly stale: number
  readonly dark: number
}

export interface StatusPartsItem {
  readonly part: "polling" | "folding" | "history" | "replies" | "credits" | "chain"
  /** impaired: it waits for something, or has stopped */
  readonly state: "works" | "starting" | "impaired"
  /** ISO 8601 instant in UTC with milliseconds */
  readonly since: string
}

export interface StatusFeedsItem {
  /** Stable identifier of the monitored feed */
  readonly feed: string
  /** Provider.metric of its first choice, as in _meta.sources[].name */
  readonly name: string
  /** The latest verdict */
  readonly status: "ok" | "stale" | "dark"
  /** Since when the latest verdict has been the same, as far as 7 days go back */
  readonly since: string
  /** ok / checks; null without a check in this time */
  readonly uptime_24_hours: number | null
  /** The same over 7 days */
  readonly uptime_7_days: number | null
  /** How long it was checked within 7 days, minutes */
  readonly checked_minutes: number
  /** The same over the days of `days`; null without a check in them, or where the history cannot be read now */
  readonly uptime_90_days: number | null
  readonly days: string | null
}

export interface StatusOutagesItem {
  /** Stable identifier of the monitored feed */
  readonly feed: string
  /** ISO 8601 instant in UTC with milliseconds */
  readonly from: string
  /** Null while it goes on */
  readonly until: string | null
  /** Length without the time in which nothing was checked, minutes */
  readonly minutes: number
  /** stale: an older value was served; dark: there was no value younger than 24 hours */
  readonly worst: "stale" | "dark"
}

export interface StatusNotPolledItem {
  readonly feed: string
  readonly name: string
  /** not_configured: a key is missing; not_licensed: the terms of its sources forbid it here */
  readonly reason: "not_configured" | "not_licensed"
}

export interface StatusReply {
  readonly captured_at: string | null
  /** When the next check is overdue: after it the verdicts are old */
  readonly checked_until: string | null
  /** Feeds by their latest verdict; null before the first check */
  readonly counts: StatusCounts | null
  /** The parts that run in the process which answers; others run in processes of their own */
  readonly parts: ReadonlyArray<StatusPartsItem>
  /** The day of the first letter in `days`, UTC */
  readonly first_day: string
  /** Those that are not ok first, then by identifier */
  readonly feeds: ReadonlyArray<StatusFeedsItem>
  /** Outages that began within 7 days, the latest first; null where the history cannot be read now */
  readonly outages: ReadonlyArray<StatusOutagesItem> | null
  /** Feeds that this installation does not poll; they are not judged, and never dark */
  readonly not_polled: ReadonlyArray<StatusNotPolledItem>
}

export interface WorldTilesItem {
  /** Name of the endpoint */
  readonly name: string
  readonly path: string
  readonly title: string
  readonly subject: "earth" | "space" | "markets" | "infrastructure" | "technology" | "world" | "service"
  /** A number in `unit`, or a few words, cut where they are long; null where it is not known */
  readonly value: number | string | null
  /** Null for words, and for what `note` counts */
  readonly unit: string | null
  /** The meaning of the value, cut where it is long */
  readonly note: string
  /** As `_meta.as_of` of the endpoint */
  readonly as_of: Instant | null
  /** As `_meta.stale_after` of the endpoint */
  readonly stale_after: Instant | null
  /** As `_meta.stale` of the endpoint */
  readonly stale: boolean
  /** live; fallback: another source stands in; error: a source fails while the data is within its promise, or the data could not be read; stale: older than its promise; warming: no data yet; not_configured, not_licensed: no data here */
  readonly status: "live" | "fallback" | "error" | "stale" | "warming" | "not_configured" | "not_licensed"
  /** Why it is not live; null where it is */
  readonly reason: string | null
  /** Providers of the data; null where it has none */
  readonly source: string | null
}

export interface WorldMarksItemPointsItem {
  readonly lat: number
  readonly lon: number
  /** From 0 to 1, one of the most severe of its kind */
  readonly weight: number
  /** When it happened or will happen; null where it has no time */
  readonly at: Instant | null
  readonly title: string
}

export interface WorldMarksItem {
  /** Name of the endpoint whose tile it belongs to */
  readonly name: string
  /** The most severe first */
  readonly points: ReadonlyArray<WorldMarksItemPointsItem>
  /** Less severe ones that were left out for the size of the reply */
  readonly omitted: number
  /** False where the places could not be read: no points then says nothing about the world */
  readonly known: boolean
}

export interface WorldReply {
  readonly generated_at: Instant
  /** By subject, then by path */
  readonly tiles: ReadonlyArray<WorldTilesItem>
  /** Places on a map, by the endpoint that they are of */
  readonly marks: ReadonlyArray<WorldMarksItem>
}
