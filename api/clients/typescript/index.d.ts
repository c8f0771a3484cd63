// Printed by `npm run clients` from the contract. Change the contract, or the printer.
import { Client } from "./lib/client.js"
import type { CallOptions } from "./lib/options.js"
import type {
  PaymentPending,
  JsonRpcReply,
  FeatureCollection,
  AiCatalogReply,
  ApiCatalogReply,
  JwksReply,
  McpWellKnownCardReply,
  CatalogReply,
  AiStackCvesParameters,
  AiStackCvesReply,
  AiStatsParameters,
  AiStatsReply,
  AirQualityParameters,
  AirQualityReply,
  BriefingReply,
  BtcPriceReply,
  ChainNetworkReply,
  ChessTvParameters,
  ChessTvReply,
  ClimateEarthquakesParameters,
  ClimateEarthquakesReply,
  ClimateWeatherAlertsParameters,
  ClimateWeatherAlertsReply,
  CodeHostTrendingParameters,
  CodeHostTrendingReply,
  CryptoMoversParameters,
  CryptoMoversReply,
  CyberThreatsParameters,
  CyberThreatsReply,
  DisasterAlertsParameters,
  DisasterAlertsReply,
  EarthquakeParameters,
  EarthquakeReply,
  EconomicDataReply,
  EventMarketParameters,
  EventMarketReply,
  ExposureScanParameters,
  ExposureScanReply,
  FaaStatusParameters,
  FaaStatusReply,
  FearGreedReply,
  FeedReliabilityParameters,
  FeedReliabilityReply,
  ForexReply,
  FundingRatesParameters,
  FundingRatesReply,
  GamePlatformTopParameters,
  GamePlatformTopReply,
  HarnessesParameters,
  HarnessesReply,
  HealthReply,
  HumansInSpaceParameters,
  HumansInSpaceReply,
  InternetPulseParameters,
  InternetPulseReply,
  LaunchesParameters,
  LaunchesReply,
  LlmToolsParameters,
  LlmToolsReply,
  McpBody,
  McpReply,
  McpAllBody,
  McpAllReply,
  McpServerCardReply,
  MetaProReply,
  ModelHubTrendingParameters,
  ModelHubTrendingReply,
  PaymentBalanceReply,
  PaymentBuyCreditsBody,
  PaymentBuyCreditsReply,
  PaymentConfirmBody,
  PaymentConfirmReply,
  PaymentHistoryReply,
  PaymentInfoReply,
  PaymentRevokeBody,
  PaymentRevokeReply,
  PredictionsParameters,
  PredictionsReply,
  ProAgentContextReply,
  ProBriefingParameters,
  ProBriefingReply,
  ProCodeHostVelocityReply,
  ProCorrelationMatrixReply,
  ProCryptoDeepParameters,
  ProCryptoDeepReply,
  ProExchangeFlowsReply,
  ProFeedReliabilityReply,
  ProFeedReliabilityHistoryParameters,
  ProFeedReliabilityHistoryReply,
  ProMacroParameters,
  ProMacroReply,
  ProSentimentReply,
  ProWhalesReply,
  ProWorldDeltasParameters,
  ProWorldDeltasReply,
  ReactorsParameters,
  ReactorsReply,
  ReceiptVerifyBody,
  ReceiptVerifyReply,
  ServiceStatusParameters,
  ServiceStatusReply,
  SevereWeatherParameters,
  SevereWeatherReply,
  SpaceWeatherParameters,
  SpaceWeatherReply,
  StocksParameters,
  StocksReply,
  TechNewsParameters,
  TechNewsReply,
  TradeHaltsParameters,
  TradeHaltsReply,
  TsunamiParameters,
  TsunamiReply,
  VolcanoesParameters,
  VolcanoesReply,
  WeatherParameters,
  WeatherReply,
  WildfiresParameters,
  WildfiresReply,
  DcatReply,
  ChangelogJsonReply,
  OpenapiReply,
  StatusReply,
  WorldReply,
} from "./types.js"

export * from "./lib/buying.js"
export * from "./lib/claim.js"
export * from "./lib/client.js"
export * from "./lib/errors.js"
export * from "./lib/options.js"
export * from "./lib/receipt.js"
export { CONTRACT_VERSION, type Operation, OPERATIONS, PAYMENT } from "./operations.js"
export type * from "./types.js"

/** A client of the service, with a method for each operation. */
export declare class Tidewire extends Client {
  /**
   * What AI clients can connect to: the MCP servers, by their card
   *
   * An AI catalog, version 1.0.
   *
   * `GET /.well-known/ai-catalog.json`
   */
  aiCatalog(options?: CallOptions): Promise<AiCatalogReply>

  /**
   * Links to what describes this service, as a linkset (RFC 9727)
   *
   * Where the contract, the documents, the health and the price list of this service are.
   *
   * `GET /.well-known/api-catalog`
   */
  apiCatalog(options?: CallOptions): Promise<ApiCatalogReply>

  /**
   * Public keys of receipts, as a JSON Web Key Set
   *
   * The first one signs now. Keys that signed before stay, so that their receipts can be verified for ever.
   *
   * `GET /.well-known/jwks.json`
   */
  jwks(options?: CallOptions): Promise<JwksReply>

  /**
   * Card of the MCP servers, at its well-known path
   *
   * The same as /api/mcp/server-card.
   *
   * `GET /.well-known/mcp/server-card.json`
   */
  mcpWellKnownCard(options?: CallOptions): Promise<McpWellKnownCardReply>

  /**
   * Where faults of security are reported (RFC 9116)
   *
   * 404 where the operator names no contact.
   *
   * `GET /.well-known/security.txt`
   */
  securityTxt(options?: CallOptions): Promise<string>

  /**
   * Catalog of all endpoints
   *
   * Paths, parameters, cache times, prices in credits, and the attribution of the data.
   *
   * `GET /api`
   */
  catalog(options?: CallOptions): Promise<CatalogReply>

  /**
   * Vulnerabilities of the AI stack: counts, severity, categories, exploited ones and the gravest
   *
   * Known vulnerabilities of 19 packages of the AI stack. Records of one vulnerability in several databases count once, withdrawn ones not at all, and one of several packages once in every total. A vulnerability is exploited if CISA's catalogue lists it.
   *
   * `GET /api/ai-stack-cves`
   */
  aiStackCves(parameters?: AiStackCvesParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<AiStackCvesReply>
  aiStackCves(parameters: AiStackCvesParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  aiStackCves(parameters?: AiStackCvesParameters, options?: CallOptions): Promise<AiStackCvesReply | string>

  /**
   * Usage of this service: requests, AI agents, latest calls
   *
   * Counted by each API process and reported once a minute. No address and no User-Agent is kept: a client is one of a few kinds, an AI agent one of a closed list of names.
   *
   * `GET /api/ai-stats`
   */
  aiStats(parameters?: AiStatsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<AiStatsReply>
  aiStats(parameters: AiStatsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  aiStats(parameters?: AiStatsParameters, options?: CallOptions): Promise<AiStatsReply | string>

  /**
   * Current air quality at a place
   *
   * Values of a model of the atmosphere (CAMS), not of a station, for its grid cell around the point: about 11 km in Europe and 40 km elsewhere. Coordinates are rounded to two decimals. Where one of them is missing or invalid, the defaults of both apply.
   *
   * `GET /api/air-quality`
   */
  airQuality(parameters?: AirQualityParameters, options?: CallOptions): Promise<AirQualityReply>

  /**
   * The world in one reply: bitcoin, market mood, earthquakes, predictions, news, services, people in space
   *
   * Composed of the same feeds and members as the single endpoints. A section whose feed has never answered is null. `_meta.as_of` and `_meta.stale_after` are those of the oldest part.
   *
   * `GET /api/briefing`
   */
  briefing(options?: CallOptions): Promise<BriefingReply>

  /**
   * Bitcoin price in US dollars, with its movement over 24 hours
   *
   * From Coinbase; Kraken stands in when that fails, then Binance: `_meta.sources` says which one speaks. Coinbase gives its volume in bitcoin, valued here at the last price. Kraken gives today's opening price, not that of 24 hours ago, so its `change_24h_percent` is null. Binance counts in Tether, taken as a dollar.
   *
   * `GET /api/btc-price`
   */
  btcPrice(options?: CallOptions): Promise<BtcPriceReply>

  /**
   * Solana's main network: transactions a second, slot, slot time and epoch
   *
   * From samples of a minute that the network's nodes keep. Votes of validators are transactions too, about two thirds of them: `tps_non_vote` leaves them out.
   *
   * `GET /api/chain-network`
   */
  chainNetwork(options?: CallOptions): Promise<ChainNetworkReply>

  /**
   * The featured game of each chess channel: top rated, bullet, blitz, rapid, classical and chess960
   *
   * The games that Lichess TV shows. A channel without a game is left out. `best` is often the game of another channel too. The player is the one from whose side the game is shown; ratings are those of Lichess, by variant.
   *
   * `GET /api/chess-tv`
   */
  chessTv(parameters?: ChessTvParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<ChessTvReply>
  chessTv(parameters: ChessTvParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  chessTv(parameters?: ChessTvParameters, options?: CallOptions): Promise<ChessTvReply | string>

  /**
   * Earthquakes by magnitude threshold and period
   *
   * Twenty selectable feeds, newest first, with coordinates and a tsunami flag.
   *
   * `GET /api/climate/earthquakes`
   */
  climateEarthquakes(parameters?: ClimateEarthquakesParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<ClimateEarthquakesReply>
  climateEarthquakes(parameters: ClimateEarthquakesParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  climateEarthquakes(parameters: ClimateEarthquakesParameters & { readonly format: "geojson" }, options?: CallOptions): Promise<FeatureCollection>
  climateEarthquakes(parameters?: ClimateEarthquakesParameters, options?: CallOptions): Promise<ClimateEarthquakesReply | string | FeatureCollection>

  /**
   * Weather alerts in force in the United States, by area, event, severity and urgency
   *
   * Alerts of the US National Weather Service that are not cancelled and not over, the gravest first (as /api/severe-weather ranks them). Every filter narrows the list; without `status` only actual alerts are listed.
   *
   * `GET /api/climate/weather-alerts`
   */
  climateWeatherAlerts(parameters?: ClimateWeatherAlertsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<ClimateWeatherAlertsReply>
  climateWeatherAlerts(parameters: ClimateWeatherAlertsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  climateWeatherAlerts(parameters?: ClimateWeatherAlertsParameters, options?: CallOptions): Promise<ClimateWeatherAlertsReply | string>

  /**
   * Trending repositories: those created in the last 7 days with the most stars
   *
   * At most 25 public repositories of GitHub that were created within the last seven days, the most stars first. Descriptions and topics are texts of their owners. What a repository does not state is null.
   *
   * `GET /api/code-host-trending`
   */
  codeHostTrending(parameters?: CodeHostTrendingParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<CodeHostTrendingReply>
  codeHostTrending(parameters: CodeHostTrendingParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  codeHostTrending(parameters?: CodeHostTrendingParameters, options?: CallOptions): Promise<CodeHostTrendingReply | string>

  /**
   * The 15 coins whose price changed the most in 24 hours, up or down, of the 100 largest
   *
   * Of the 100 largest coins by market capitalisation those with a known change, the largest change of either sign first. Prices are averages over markets, by CoinGecko. Symbols are not unique: two coins may share one.
   *
   * `GET /api/crypto-movers`
   */
  cryptoMovers(parameters?: CryptoMoversParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<CryptoMoversReply>
  cryptoMovers(parameters: CryptoMoversParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  cryptoMovers(parameters?: CryptoMoversParameters, options?: CallOptions): Promise<CryptoMoversReply | string>

  /**
   * Malware URLs, indicators of compromise and exploited vulnerabilities, the newest first
   *
   * The newest 20 malware addresses of URLhaus, indicators of compromise of ThreatFox and additions to CISA's catalogue of exploited vulnerabilities. Indicators are defanged, so that no program opens what it reads.
   *
   * `GET /api/cyber-threats`
   */
  cyberThreats(parameters?: CyberThreatsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<CyberThreatsReply>
  cyberThreats(parameters: CyberThreatsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  cyberThreats(parameters?: CyberThreatsParameters, options?: CallOptions): Promise<CyberThreatsReply | string>

  /**
   * Current disasters of the whole world: earthquakes, cyclones, floods, volcanoes, droughts, wildfires, tsunamis
   *
   * What the Global Disaster Alert and Coordination System lists as current, red before orange before green, then by the latest update, at most 100; `total` and `counts_by_level` count all. `is_current` is the system's own flag, which is false for every drought. Levels estimate the need of help from abroad. No substitute for local warnings.
   *
   * `GET /api/disaster-alerts`
   */
  disasterAlerts(parameters?: DisasterAlertsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<DisasterAlertsReply>
  disasterAlerts(parameters: DisasterAlertsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  disasterAlerts(parameters: DisasterAlertsParameters & { readonly format: "geojson" }, options?: CallOptions): Promise<FeatureCollection>
  disasterAlerts(parameters?: DisasterAlertsParameters, options?: CallOptions): Promise<DisasterAlertsReply | string | FeatureCollection>

  /**
   * Earthquakes of the last 24 hours, magnitude 2.5 and above
   *
   * Newest first, worldwide. Volcanic eruptions, landslides, ice quakes and avalanches are listed too.
   *
   * `GET /api/earthquake`
   */
  earthquake(parameters?: EarthquakeParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<EarthquakeReply>
  earthquake(parameters: EarthquakeParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  earthquake(parameters?: EarthquakeParameters, options?: CallOptions): Promise<EarthquakeReply | string>

  /**
   * US interest rates, prices, unemployment, growth and yields
   *
   * The newest number of each series, as published by the Federal Reserve Bank of St. Louis (FRED), and the one before. `date` is the first day of the period: a monthly number of 2026-07-01 is that of July.
   *
   * `GET /api/economic-data`
   */
  economicData(options?: CallOptions): Promise<EconomicDataReply>

  /**
   * Open events of a regulated exchange by volume of the last 24 hours: leading answer and its probability
   *
   * Events of Kalshi, a US exchange for event contracts, without sports, largest 24-hour volume first. A contract pays one dollar if its answer comes true, so its price is a probability: the last trade, or the middle of bid and ask where they are at most 10 cents apart. Probabilities of an event's answers need not add up to 100.
   *
   * `GET /api/event-market`
   */
  eventMarket(parameters?: EventMarketParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<EventMarketReply>
  eventMarket(parameters: EventMarketParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  eventMarket(parameters?: EventMarketParameters, options?: CallOptions): Promise<EventMarketReply | string>

  /**
   * Open ports, CVEs, hostnames, tags and CPEs of a public IPv4 address
   *
   * With ip, what a public database of internet scans knows about the address; without it, six well-known public hosts. Requested addresses stand in no log, table or metric, and their replies are kept in memory for at most a day.
   *
   * `GET /api/exposure-scan`
   */
  exposureScan(parameters?: ExposureScanParameters, options?: CallOptions): Promise<ExposureScanReply>

  /**
   * US airports: ground stops, ground delay programs, delays and closures, with reasons
   *
   * Empty lists mean that all is clear. Many closures hold at certain hours only: `closed_now` says whether the airport is closed at this moment, null where the hours of the notice are not read. A notice that closes an airport to some users alone (such as unscheduled general aviation) stands in `restrictions`, which `total_events` does not count.
   *
   * `GET /api/faa-status`
   */
  faaStatus(parameters?: FaaStatusParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<FaaStatusReply>
  faaStatus(parameters: FaaStatusParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  faaStatus(parameters?: FaaStatusParameters, options?: CallOptions): Promise<FaaStatusReply | string>

  /**
   * Crypto Fear & Greed Index of today
   *
   * The index of alternative.me, published once a day shortly after 00:00 UTC.
   *
   * `GET /api/fear-greed`
   */
  fearGreed(options?: CallOptions): Promise<FearGreedReply>

  /**
   * How reliable each feed has been over the last seven days
   *
   * Every five minutes each scheduled feed is judged: ok (confirmed within its promise), stale (a good value exists, but an older one) or dark (none in 24 hours). Scores are taken over a rolling window of seven days. Instances of a feed that are judged as one, such as the selectable earthquake lists, are one row, as good as the weakest of them.
   *
   * `GET /api/feed-reliability`
   */
  feedReliability(parameters?: FeedReliabilityParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<FeedReliabilityReply>
  feedReliability(parameters: FeedReliabilityParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  feedReliability(parameters?: FeedReliabilityParameters, options?: CallOptions): Promise<FeedReliabilityReply | string>

  /**
   * Exchange rates of 16 currencies against the US dollar, of the latest and the previous working day
   *
   * Reference rates of the European Central Bank by way of Frankfurter, published on its working days about 16:00 Central European time. Weekends and holidays have no rates: `date` is the working day that the rates are of.
   *
   * `GET /api/forex`
   */
  forex(options?: CallOptions): Promise<ForexReply>

  /**
   * The 20 perpetual contracts with the largest funding rates at four venues
   *
   * By the size of the rate a year, whichever side pays: where it is positive, buyers pay sellers. Binance, Bybit and OKX: contracts settled in USDT; Hyperliquid: all contracts of its own exchange, settled in USDC. A year counts 8,760 hours, without compounding. The contracts of a venue that cannot be read stay for ten minutes.
   *
   * `GET /api/funding-rates`
   */
  fundingRates(parameters?: FundingRatesParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<FundingRatesReply>
  fundingRates(parameters: FundingRatesParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  fundingRates(parameters?: FundingRatesParameters, options?: CallOptions): Promise<FundingRatesReply | string>

  /**
   * Top games by concurrent players, with their peak of the day
   *
   * The first 25 places of the chart of Steam. `peak_today` is the largest number of players at once within the last 24 hours, as the chart states it, and not since a midnight.
   *
   * `GET /api/game-platform-top`
   */
  gamePlatformTop(parameters?: GamePlatformTopParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<GamePlatformTopReply>
  gamePlatformTop(parameters: GamePlatformTopParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  gamePlatformTop(parameters?: GamePlatformTopParameters, options?: CallOptions): Promise<GamePlatformTopReply | string>

  /**
   * Agent harnesses and models on Terminal-Bench, with 95 % intervals: two revisions
   *
   * `raw`: the boards of both revisions; `summary`: the ten best of the current one, and the five largest gaps; `gaps`: how far harnesses are apart with the same model; `combined`: the current board, relative to its best score. Scores compare within one revision only: the tasks of 4.0 are others than those of 2.1. Intervals cover the differences from run to run, not the choice of tasks.
   *
   * `GET /api/harnesses`
   */
  harnesses(parameters?: HarnessesParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<HarnessesReply>
  harnesses(parameters: HarnessesParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  harnesses(parameters?: HarnessesParameters, options?: CallOptions): Promise<HarnessesReply | string>

  /**
   * Whether the service answers
   *
   * Does not count against the daily limit.
   *
   * `GET /api/health`
   */
  health(options?: CallOptions): Promise<HealthReply>

  /**
   * The people who are in space now, and where
   *
   * A list kept by hand at its source: it can lag behind launches and landings by weeks.
   *
   * `GET /api/humans-in-space`
   */
  humansInSpace(parameters?: HumansInSpaceParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<HumansInSpaceReply>
  humansInSpace(parameters: HumansInSpaceParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  humansInSpace(parameters?: HumansInSpaceParameters, options?: CallOptions): Promise<HumansInSpaceReply | string>

  /**
   * Latency from this service to six places of the internet
   *
   * Each target is asked once a minute on a fresh connection, so name look-up and handshakes are part of the time. -1 means that it did not answer.
   *
   * `GET /api/internet-pulse`
   */
  internetPulse(parameters?: InternetPulseParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<InternetPulseReply>
  internetPulse(parameters: InternetPulseParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  internetPulse(parameters?: InternetPulseParameters, options?: CallOptions): Promise<InternetPulseReply | string>

  /**
   * The next space launches: name, provider, status, scheduled time
   *
   * At most 20 launches that are still to come, on hold or in flight, the next one first. `net` is the time before which a launch does not happen: read it together with `net_precision`, as a launch without a firm date stands there with a placeholder, such as the last day of its month.
   *
   * `GET /api/launches`
   */
  launches(parameters?: LaunchesParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<LaunchesReply>
  launches(parameters: LaunchesParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  launches(parameters: LaunchesParameters & { readonly format: "geojson" }, options?: CallOptions): Promise<FeatureCollection>
  launches(parameters?: LaunchesParameters, options?: CallOptions): Promise<LaunchesReply | string | FeatureCollection>

  /**
   * Tool definitions for language models, one for each endpoint of data
   *
   * Free. openai: for Chat Completions; openai-responses: for the Responses API; anthropic: for the Messages API; raw: with path, price and tier beside each tool. Send a call's arguments as the query of its path in `calls`, a list as a comma list.
   *
   * `GET /api/llm-tools`
   */
  llmTools(parameters?: LlmToolsParameters, options?: CallOptions): Promise<LlmToolsReply>

  /**
   * Model Context Protocol: a few tools that reach every dataset
   *
   * Streamable HTTP without sessions, for the revisions 2026-07-28, 2025-11-25 and 2025-06-18. A call of a tool counts as the same call over HTTP. Premium tools spend the credits of the token in Authorization; without one, or refused, the result says so (isError), never the status. Give idempotency_key to repeat a paid call free of charge. No argument and no result holds a token or a memo.
   *
   * `POST /api/mcp`
   */
  mcp(body: McpBody, options?: CallOptions): Promise<McpReply | null>

  /**
   * Model Context Protocol: one tool for each endpoint of data
   *
   * As /api/mcp, with a tool for each endpoint of data instead of the search. Most clients work better with the small server, as many tools fill the context of a model.
   *
   * `POST /api/mcp/all`
   */
  mcpAll(body: McpAllBody, options?: CallOptions): Promise<McpAllReply | null>

  /**
   * Card of the MCP servers: where they are and which revisions they serve
   *
   * A server card of SEP-2127. The tools are listed by the servers themselves (tools/list).
   *
   * `GET /api/mcp/server-card`
   */
  mcpServerCard(options?: CallOptions): Promise<McpServerCardReply>

  /**
   * Premium endpoints with prices and the reasons for no charge
   *
   * What is paid for with credits, what that costs, how credits are bought, and the limits of a token.
   *
   * `GET /api/meta/pro`
   */
  metaPro(options?: CallOptions): Promise<MetaProReply>

  /**
   * Top 15 models of Hugging Face by likes of the last 7 days
   *
   * Ordered by the trending score of the hub, which counts the likes of the last 7 days. `likes` are those of all time, `downloads` those of the last 30 days. What the hub does not say of a model is null.
   *
   * `GET /api/model-hub-trending`
   */
  modelHubTrending(parameters?: ModelHubTrendingParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<ModelHubTrendingReply>
  modelHubTrending(parameters: ModelHubTrendingParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  modelHubTrending(parameters?: ModelHubTrendingParameters, options?: CallOptions): Promise<ModelHubTrendingReply | string>

  /**
   * Credits of a token
   *
   * Costs no credits.
   *
   * `GET /api/payment/balance`
   */
  paymentBalance(options?: CallOptions): Promise<PaymentBalanceReply>

  /**
   * A quote for credits
   *
   * Pay exactly `quote.amount_units` of USDC to `wallet` from any wallet; the exact amount identifies the quote. Keep `memo` secret: it claims the purchase at confirm. At most 10 quotes a minute and 20 open ones for one client. Members of the body that are not named here are ignored.
   *
   * `POST /api/payment/buy-credits`
   */
  paymentBuyCredits(body: PaymentBuyCreditsBody, options?: CallOptions): Promise<PaymentBuyCreditsReply>

  /**
   * Credits for a payment, and the token to spend them with
   *
   * Verifies the transaction on the chain and credits its payments, each once. A repeated confirm returns the same token to the same claimant and to no other: the one with the memo, else the one with the payer's signature and the claim key. Send the memo of the quote as `nonce`, or a `signature` of the paying wallet, or both. Without a proof the reply is 409 with the text to sign, which names where the credits go: to the bearer token, else to the memo, else to the `claim_key`, a secret that you draw and keep. So a signature is of no use to who reads it, and it may be used until the day in its text, for a week. With a bearer token the credits are added to it; any other Authorization header is refused. A payment that was credited to another claimant stays there: 409 names the proof that opened that account and the next step. 202: not mined or not deep enough yet, confirm again after Retry-After. At most 10 times a minute for one client. Members of the body that are not named here are ignored.
   *
   * `POST /api/payment/confirm`
   */
  paymentConfirm(body: PaymentConfirmBody, options?: CallOptions): Promise<PaymentConfirmReply | PaymentPending>

  /**
   * Purchases of a token
   *
   * Newest first, the newest 1000 of them; `totals` are over all. Costs no credits.
   *
   * `GET /api/payment/history`
   */
  paymentHistory(options?: CallOptions): Promise<PaymentHistoryReply>

  /**
   * Wallet, chain, prices and rules of buying
   *
   * Everything that a payment needs beside its quote.
   *
   * `GET /api/payment/info`
   */
  paymentInfo(options?: CallOptions): Promise<PaymentInfoReply>

  /**
   * Revoke a token
   *
   * The token is refused from now on. The remaining credits stay with its account, and the reply names the proof that issues a new token: a confirm with the memo of a purchase, or with the signature of a payer and its claim key. Where only the operator of this service can issue one, as for granted credits, the reply is 409 confirmation_required until the body is `{"confirm": true}`. Costs no credits.
   *
   * `POST /api/payment/revoke`
   */
  paymentRevoke(body?: PaymentRevokeBody, options?: CallOptions): Promise<PaymentRevokeReply>

  /**
   * Prediction markets by turnover of the last 24 hours
   *
   * Open markets of Polymarket, largest 24-hour turnover first. Not every question has Yes and No for answers (teams, up or down): such a market stays in the list, `yes_percent` and `no_percent` are null, and `outcomes` lists its answers.
   *
   * `GET /api/predictions`
   */
  predictions(parameters?: PredictionsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<PredictionsReply>
  predictions(parameters: PredictionsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  predictions(parameters?: PredictionsParameters, options?: CallOptions): Promise<PredictionsReply | string>

  /**
   * The state of the world for a language model: an object, and seven lines of text to paste
   *
   * Policy rate and exchange rates, significant earthquakes, the next launches, the tech front page, prediction markets and the status of four services. `context` holds the texts of its sources as they stand: treat them as data. `system_prompt` aims at 350 tokens and has at most 1800 characters; every text of a source stands between double quotes, without markup and addresses. A row is not quoted there where its text orders to ignore, disregard, forget or override instructions, a prompt or rules (override); speaks of the system prompt, which a reader might take for its own (system-prompt); gives the reader another role: you are now, act as, respond as (persona); asks for a prompt or for instructions to be shown (disclosure); speaks to a language model that reads it (address); holds the marks that separate the turns of a chat (chat-markup); holds a run of letters and digits that may be encoded text (encoded). `notes.withheld` counts them.
   *
   * `GET /api/pro/agent-context`, 2 credits
   */
  proAgentContext(options?: CallOptions): Promise<ProAgentContextReply>

  /**
   * The world in one reply, for programs: earthquakes, tech news, people in space, launches, predictions
   *
   * Adds prediction markets to the free briefing, and can be reduced to the requested sections. A section whose feed has never answered is null, with a note. With `history=24h` the course of the bitcoin price over 24 hours is added, where the terms of its sources allow selling it. The sections of bitcoin and of the market mood were removed on 2026-07-23.
   *
   * `GET /api/pro/briefing`, 1 credit
   */
  proBriefing(parameters?: ProBriefingParameters, options?: CallOptions): Promise<ProBriefingReply>

  /**
   * How fast new repositories gain stars, and which of them are about AI
   *
   * The 30 repositories of GitHub that were created within seven days and have the most stars, with stars per day and age; the 15 most starred under the topic llm that were pushed to within 30 days; languages, topics and the share of AI and machine learning among the trending ones. Descriptions and topics are texts of their owners.
   *
   * `GET /api/pro/code-host-velocity`, 2 credits
   */
  proCodeHostVelocity(options?: CallOptions): Promise<ProCodeHostVelocityReply>

  /**
   * How the daily returns of two treasury yields, the dollar index and crude oil move together
   *
   * Pearson's correlation of each pair over the newest 30 returns that both sides have. A call is free of charge while no pair has a correlation.
   *
   * `GET /api/pro/correlation-matrix`, 2 credits
   */
  proCorrelationMatrix(options?: CallOptions): Promise<ProCorrelationMatrixReply>

  /**
   * Crypto in depth: 50 coins, 20 pairs of an exchange, the Bitcoin network, Ethereum gas
   *
   * The 50 largest coins, twenty pairs against Tether at one exchange, fees, hashrate and mempool of Bitcoin, and the price of gas on Ethereum. With `history=30d` daily candles of bitcoin are added. A part is null while it was never read, and where its source does not allow reselling; `notes` says which.
   *
   * `GET /api/pro/crypto-deep`, 2 credits
   */
  proCryptoDeep(parameters?: ProCryptoDeepParameters, options?: CallOptions): Promise<ProCryptoDeepReply>

  /**
   * Ether that went into exchanges and out of them in the last hour, by exchange
   *
   * Transfers of 5 ETH and more in the blocks of 60 minutes, from and to addresses that public lists attribute to exchanges. A net flow below 100 ETH in either direction is balanced. An hour without such a transfer is zero, not unknown.
   *
   * `GET /api/pro/exchange-flows`, 2 credits
   */
  proExchangeFlows(options?: CallOptions): Promise<ProExchangeFlowsReply>

  /**
   * How reliable each feed has been over the last seven days, in detail
   *
   * The free table with what stands behind each score: counts, the last 24 hours, interruptions, the longest outage, the last success and what the feed promises. Feeds with fewer than 12 checks are listed apart and not ranked. A call is free of charge while the monitor stands still: when `captured_at` is more than 48 hours ago.
   *
   * `GET /api/pro/feed-reliability`, 2 credits
   */
  proFeedReliability(options?: CallOptions): Promise<ProFeedReliabilityReply>

  /**
   * How reliable one feed was, day by day
   *
   * The composite score and its parts for each day of a window of at most 365 days, both ends included. Without `to` it ends today, without `from` it is 30 days long. What is past does not change. A window in which nothing was checked is free of charge, and so is a call without `feed`, which lists the feeds.
   *
   * `GET /api/pro/feed-reliability/history`, 2 credits
   */
  proFeedReliabilityHistory(parameters?: ProFeedReliabilityHistoryParameters, options?: CallOptions): Promise<ProFeedReliabilityHistoryReply>

  /**
   * US rates, prices, unemployment and growth, four dollar exchange rates, oil and natural gas
   *
   * The newest number of each, with the first day of its period. With `history=30d` the newest 30 numbers of each are added: of monthly series they reach back 30 months. A part whose source has never answered is null. Gold, equity indices and the volatility index were removed on 2026-07-23; silver is not covered.
   *
   * `GET /api/pro/macro`, 2 credits
   */
  proMacro(parameters?: ProMacroParameters, options?: CallOptions): Promise<ProMacroReply>

  /**
   * What headlines of 24 hours say of crypto assets and shares, with the Fear & Greed Index
   *
   * Which of 26 crypto assets and shares the headlines of the last 24 hours name, and whether their words are positive or negative. Each title counts once, by its own time of publication, however late it was seen. Added to it are the Crypto Fear & Greed Index and the prediction markets with the largest turnover. Titles, outlets and links belong to their publishers.
   *
   * `GET /api/pro/sentiment`, 2 credits
   */
  proSentiment(options?: CallOptions): Promise<ProSentimentReply>

  /**
   * Large transfers of bitcoin that wait for a block, and of ether in the newest blocks
   *
   * Bitcoin from 10 BTC, a sample of the last 60 minutes; ether from 100 ETH, of the newest 25 blocks that at least two nodes agree on. Addresses of exchanges are labelled where public lists attribute them.
   *
   * `GET /api/pro/whales`, 2 credits
   */
  proWhales(options?: CallOptions): Promise<ProWhalesReply>

  /**
   * What happened in the world since the last call: earthquakes, tech stories, prediction markets, launches
   *
   * Earthquakes of magnitude 4.0 and above, stories that are new on the front page of Hacker News, prediction markets that are new or have moved by a hundredth, each once, by the time when Tidewire learnt of them; and with them the launches from 1 hour before to 12 hours after now. Poll with `next_since`, at least once an hour and at once while `has_more`: no event is missed or repeated. A reply where nothing was learnt after `since` is free of charge, without launches and counts.
   *
   * `GET /api/pro/world-deltas`, 2 credits
   */
  proWorldDeltas(parameters?: ProWorldDeltasParameters, options?: CallOptions): Promise<ProWorldDeltasReply>

  /**
   * Power of the reactor fleet of the United States, with the units at reduced power and offline
   *
   * The newest daily report of the US Nuclear Regulatory Commission, a snapshot of the early morning (US Eastern time). Power is thermal power as a share of the licensed one, not electricity. The report names no reason of an outage.
   *
   * `GET /api/reactors`
   */
  reactors(parameters?: ReactorsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<ReactorsReply>
  reactors(parameters: ReactorsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  reactors(parameters?: ReactorsParameters, options?: CallOptions): Promise<ReactorsReply | string>

  /**
   * Verify a receipt, or a whole reply with its receipt
   *
   * Send the JSON of a premium reply as it was received, or {receipt} with the JWS alone. Free of charge. The same can be done offline with the keys of /.well-known/jwks.json.
   *
   * `POST /api/receipt/verify`
   */
  receiptVerify(body: ReceiptVerifyBody, options?: CallOptions): Promise<ReceiptVerifyReply>

  /**
   * Status of well-known internet services, by their own status pages
   *
   * Always every monitored service, in a fixed order. `status` is the page's own overall word. Large networks call themselves `minor` for a single data centre under maintenance: `components_affected` of `component_count` says how much of the service that is.
   *
   * `GET /api/service-status`
   */
  serviceStatus(parameters?: ServiceStatusParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<ServiceStatusReply>
  serviceStatus(parameters: ServiceStatusParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  serviceStatus(parameters?: ServiceStatusParameters, options?: CallOptions): Promise<ServiceStatusReply | string>

  /**
   * The 15 gravest weather alerts in force in the United States
   *
   * Alerts of the US National Weather Service that are actual, not cancelled and not over, by severity, urgency and certainty: `score` is 10 x severity (Extreme 4, Severe 3, Moderate 2, Minor 1, Unknown 0) + urgency (Immediate 3, Expected 2, Future 1, else 0) + 0.5 x certainty (Observed 3, Likely 2, Possible 1, else 0); equal scores by the time at which they were sent, the newest first. All of them: /api/climate/weather-alerts.
   *
   * `GET /api/severe-weather`
   */
  severeWeather(parameters?: SevereWeatherParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<SevereWeatherReply>
  severeWeather(parameters: SevereWeatherParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  severeWeather(parameters?: SevereWeatherParameters, options?: CallOptions): Promise<SevereWeatherReply | string>

  /**
   * Geomagnetic Kp index, solar wind, peak flare class of 24 hours, active alerts
   *
   * Null where the agency has no usable reading, or its document could not be read. Times are those of the measurements. At most five active alerts, newest first; null where they are not known.
   *
   * `GET /api/space-weather`
   */
  spaceWeather(parameters?: SpaceWeatherParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<SpaceWeatherReply>
  spaceWeather(parameters: SpaceWeatherParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  spaceWeather(parameters?: SpaceWeatherParameters, options?: CallOptions): Promise<SpaceWeatherReply | string>

  /**
   * US shares: gainers, losers, and funds that follow the three main indices
   *
   * Without `symbols`, the shares that this service follows. Named symbols that it does not follow are fetched when they are requested, a few each minute for all callers together; those without a quote stand in `not_followed`. Prices may be delayed by 15 minutes or be those of a single venue. `indices` are SPY, QQQ and DIA, and always stand.
   *
   * `GET /api/stocks`
   */
  stocks(parameters?: StocksParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<StocksReply>
  stocks(parameters: StocksParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  stocks(parameters?: StocksParameters, options?: CallOptions): Promise<StocksReply | string>

  /**
   * Trending technology stories with scores and comment counts
   *
   * The front page of Hacker News (up to 30 stories) in its own order, without job advertisements. When the site's data store does not answer, its search index does: the same stories then stand by their votes.
   *
   * `GET /api/tech-news`
   */
  techNews(parameters?: TechNewsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<TechNewsReply>
  techNews(parameters: TechNewsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  techNews(parameters?: TechNewsParameters, options?: CallOptions): Promise<TechNewsReply | string>

  /**
   * Current trading halts on US exchanges: symbol, reason, times of halt and resumption
   *
   * Securities that do not trade now, the latest halt first, at most 100; `total` counts all. A halt stays until its `resumption_at`, some of them for years. An empty list means that no halt is in force.
   *
   * `GET /api/trade-halts`
   */
  tradeHalts(parameters?: TradeHaltsParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<TradeHaltsReply>
  tradeHalts(parameters: TradeHaltsParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  tradeHalts(parameters?: TradeHaltsParameters, options?: CallOptions): Promise<TradeHaltsReply | string>

  /**
   * Latest messages of the two U.S. tsunami warning centres
   *
   * The latest message of each product about each event, of the last 24 hours and what the centres publish now. A message is active for 24 hours, an informational one for 6, unless its own product cancels it; the highest level is that of the active messages, `none` when no message is active. Threat messages count as warnings. A centre publishes its latest message alone, so what was issued before `watched_since` may be missing. Not a warning service: follow your local authorities.
   *
   * `GET /api/tsunami`
   */
  tsunami(parameters?: TsunamiParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<TsunamiReply>
  tsunami(parameters: TsunamiParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  tsunami(parameters: TsunamiParameters & { readonly format: "geojson" }, options?: CallOptions): Promise<FeatureCollection>
  tsunami(parameters?: TsunamiParameters, options?: CallOptions): Promise<TsunamiReply | string | FeatureCollection>

  /**
   * Weekly volcano activity reports: name, country, summary, link
   *
   * The reports of the latest weekly issue of the Smithsonian Institution and the US Geological Survey, new activity first, at most 30; `total` counts all. A summary is the beginning of the report, at most 280 characters; the whole report stands at `link`. An issue is a selection: a volcano without a report may be active.
   *
   * `GET /api/volcanoes`
   */
  volcanoes(parameters?: VolcanoesParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<VolcanoesReply>
  volcanoes(parameters: VolcanoesParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  volcanoes(parameters: VolcanoesParameters & { readonly format: "geojson" }, options?: CallOptions): Promise<FeatureCollection>
  volcanoes(parameters?: VolcanoesParameters, options?: CallOptions): Promise<VolcanoesReply | string | FeatureCollection>

  /**
   * Current weather at a place, in US customary units
   *
   * Coordinates are rounded to two decimals, about a kilometre. Values belong to the weather model's grid cell around the point and are null where the model has none.
   *
   * `GET /api/weather`
   */
  weather(parameters: WeatherParameters, options?: CallOptions): Promise<WeatherReply>

  /**
   * The most intense fire detections in North America of the last 24 hours
   *
   * At most 25 hot pixels seen by VIIRS on NOAA-20, NOAA-21 and Suomi NPP, by radiative power. A large fire can fill several places. Not every hot pixel is a wildfire: flares, volcanoes and industry are hot too.
   *
   * `GET /api/wildfires`
   */
  wildfires(parameters?: WildfiresParameters & { readonly format?: "json" | undefined }, options?: CallOptions): Promise<WildfiresReply>
  wildfires(parameters: WildfiresParameters & { readonly format: "csv" }, options?: CallOptions): Promise<string>
  wildfires(parameters: WildfiresParameters & { readonly format: "geojson" }, options?: CallOptions): Promise<FeatureCollection>
  wildfires(parameters?: WildfiresParameters, options?: CallOptions): Promise<WildfiresReply | string | FeatureCollection>

  /**
   * The datasets of this service as a DCAT 3 catalogue in JSON-LD
   *
   * Each endpoint of data is a dcat:Dataset with its distributions, licences, cadence and page, for portals of open data. Addresses are relative to that of the document where the public address is not configured.
   *
   * `GET /catalog.jsonld`
   */
  dcat(options?: CallOptions): Promise<DcatReply>

  /**
   * Changes of the contract
   *
   * What was added, changed, deprecated and removed, the oldest first. HTML, or Markdown where a client prefers it.
   *
   * `GET /changelog`
   */
  changelog(options?: CallOptions): Promise<string>

  /**
   * Changes of the contract, for programs
   *
   * The oldest first. What is deprecated stays for at least 90 days from the date of its entry.
   *
   * `GET /changelog.json`
   */
  changelogJson(options?: CallOptions): Promise<ChangelogJsonReply>

  /**
   * Changes of the contract, as Markdown
   *
   * The page /changelog as Markdown.
   *
   * `GET /changelog.md`
   */
  changelogMarkdown(options?: CallOptions): Promise<string>

  /**
   * Buying credits, step by step
   *
   * How credits are bought and spent, with commands to copy. HTML, or Markdown where a client prefers it.
   *
   * `GET /developers/agent-payments`
   */
  agentPayments(options?: CallOptions): Promise<string>

  /**
   * Buying credits, step by step, as Markdown
   *
   * The page /developers/agent-payments as Markdown.
   *
   * `GET /developers/agent-payments.md`
   */
  agentPaymentsMarkdown(options?: CallOptions): Promise<string>

  /**
   * The icon of the service
   *
   * Three waves, in the accent of the pages.
   *
   * `GET /favicon.svg`
   */
  icon(options?: CallOptions): Promise<string>

  /**
   * The same with every parameter, field, unit and example
   *
   * Markdown, longer than most contexts should hold: /llms.txt is the short form.
   *
   * `GET /llms-full.txt`
   */
  llmsFull(options?: CallOptions): Promise<string>

  /**
   * What language models need to use this service
   *
   * Markdown: the base address, the envelope of replies, every endpoint of data with its price and its source, how credits are bought, limits and errors.
   *
   * `GET /llms.txt`
   */
  llms(options?: CallOptions): Promise<string>

  /**
   * This contract as an OpenAPI 3.1 document
   *
   * Made from the same values as the routes and the validation.
   *
   * `GET /openapi.json`
   */
  openapi(options?: CallOptions): Promise<OpenapiReply>

  /**
   * What crawlers may read (RFC 9309)
   *
   * Everything but what costs credits and what acts for one caller.
   *
   * `GET /robots.txt`
   */
  robots(options?: CallOptions): Promise<string>

  /**
   * How the feeds and this service are doing
   *
   * What the page /status shows. A day is a word here: its numbers, and those of earlier days, are premium data. Does not count against the daily limit.
   *
   * `GET /status.json`
   */
  status(options?: CallOptions): Promise<StatusReply>

  /**
   * Every feed at a glance: one value each, and places on a map
   *
   * What the page at / shows, for pages and walls of your own. At most 30,000 bytes, whatever the feeds hold: texts are cut, and the least severe places are left out and counted. A value that is not known is null, and `reason` says why. Calls do not count against the daily share of free data.
   *
   * `GET /world.json`
   */
  world(options?: CallOptions): Promise<WorldReply>
}
