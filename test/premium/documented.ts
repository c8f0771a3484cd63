import type { DocumentedMembers } from "./documented-types.ts"

// The premium endpoints as the contract of the service documents them, written down by hand. Removed members stay out.

/** One premium endpoint of the contract. */
export interface DocumentedEndpoint {
  readonly credits: number
  /** Seconds for which a reply is cached; absent where the contract does not say. */
  readonly cacheSeconds?: number
  /** Query parameters, each with texts that it takes. All of them may be left out. */
  readonly query: Readonly<Record<string, ReadonlyArray<string>>>
  readonly members: DocumentedMembers
  /** Members that were removed. */
  readonly removed?: ReadonlyArray<string>
}

/** The members of every premium reply. Most have `notes` and `sample_size` by the contract; here all have them. */
export const commonMembers: DocumentedMembers = {
  source: "string",
  endpoint: "string",
  generated_at: "date-time",
  notes: "object",
  sample_size: "object",
  billing: "object",
  receipt: "object",
}

const observations = (path: string): DocumentedMembers => ({
  [`${path}.value`]: "number or null",
  [`${path}.date`]: "date",
  [`${path}.source`]: "string",
  [`${path}.series?[].date`]: "date",
  [`${path}.series?[].value`]: "number",
})
const commodity = (path: string): DocumentedMembers => ({
  [path]: "object or null",
  [`${path}.price_usd`]: "number",
  [`${path}.date`]: "date",
  [`${path}.source`]: "string",
})
const all = (type: string, paths: ReadonlyArray<string>): DocumentedMembers =>
  Object.fromEntries(paths.map((path) => [path, type]))

/** The premium endpoints of the contract by their paths; those without a path there stand at the paths that were chosen. */
export const documentedEndpoints: Readonly<Record<string, DocumentedEndpoint>> = {
  "/api/pro/briefing": {
    credits: 1,
    query: {
      include: ["earthquakes", "tech-news", "humans-in-space", "launches", "predictions", "earthquakes,launches"],
      history: ["24h"],
    },
    // A section that `include` leaves out is absent.
    members: {
      "sections.earthquakes?.count": "integer",
      "sections.earthquakes?.latest": "object or null",
      "sections.earthquakes?.latest.magnitude": "number",
      "sections.earthquakes?.latest.place": "string",
      "sections.earthquakes?.latest.time": "integer",
      "sections.tech_news?.top_story_count": "integer",
      "sections.humans_in_space?.count": "integer",
      "sections.humans_in_space?.names[]": "string",
      "sections.predictions?.count": "integer",
      "sections.predictions?.top[].question": "string",
      "sections.predictions?.top[].volume_24hr": "number",
      "sections.predictions?.top[].outcomes": "any",
      "series?.btc_24h[].ts": "integer",
      "series?.btc_24h[].price": "number",
    },
    removed: ["sections.btc", "sections.fear_greed", "btc", "fear_greed"],
  },
  "/api/pro/macro": {
    credits: 2,
    query: { history: ["30d"] },
    members: {
      ...observations("economic.fed_rate"),
      ...observations("economic.cpi"),
      ...observations("economic.unemployment"),
      ...observations("economic.gdp_growth"),
      ...observations("economic.treasury_10y"),
      "forex.base": "string",
      "forex.date": "date",
      "forex.rates": "object",
      ...all("number", ["forex.rates.EUR", "forex.rates.JPY", "forex.rates.GBP", "forex.rates.CHF"]),
      "forex.series?.EUR[].date": "date",
      "forex.series?.EUR[].value": "number",
      "forex.series?.CHF[].value": "number",
      ...commodity("commodities.oil"),
      ...commodity("commodities.nat_gas"),
    },
    removed: ["commodities.gold", "commodities.silver", "markets"],
  },
  "/api/pro/code-host-velocity": {
    credits: 2,
    cacheSeconds: 1800,
    query: {},
    // The contract shows no exact name of its members.
    members: {},
  },
  "/api/pro/feed-reliability": {
    credits: 2,
    query: {},
    // Score, subscores and tier are described there without their names.
    members: { captured_at: "date-time", low_coverage: "array", "low_coverage[].low_coverage": "boolean" },
  },
  "/api/pro/feed-reliability/history": {
    credits: 2,
    query: { feed: ["earthquakes"], from: ["2026-08-01"], to: ["2026-08-17"] },
    // A daily series of composite scores, without the names of its members.
    members: { "series[].date": "date", "series[].composite": "number" },
  },
  "/api/pro/correlation-matrix": {
    credits: 2,
    cacheSeconds: 1800,
    query: {},
    members: {
      window: "string",
      method: "string",
      "assets[].symbol": "string",
      "assets[].asset_class": "string",
      "assets[].observations": "integer",
      "pairs[].a": "string",
      "pairs[].b": "string",
      "pairs[].pearson_r": "number",
      "pairs[].n_observations": "integer",
      "pairs[].relationship": "negligible|weak|moderate|strong",
      "pairs[].direction": "positive|negative|none",
      matrix: "object",
    },
  },
  "/api/pro/agent-context": {
    credits: 2,
    cacheSeconds: 300,
    query: {},
    members: {
      "context.datetime": "object",
      "context.markets.fed_funds_rate": "object or null",
      "context.markets.forex_usd_base": "object",
      ...all("array", [
        "context.world_events.significant_earthquakes_24h",
        "context.world_events.upcoming_space_launches",
        "context.world_events.tech_news_front_page_top5",
        "context.world_events.prediction_markets_top3",
      ]),
      "context.infrastructure.summary": "string",
      "context.infrastructure.details": "object",
      "context.infrastructure.all_operational": "boolean",
      system_prompt: "string",
    },
    removed: ["context.markets.btc", "context.markets.crypto_fear_greed", "context.markets.vix"],
  },
  "/api/pro/world-deltas": {
    credits: 2,
    query: { since: ["2026-08-17T20:35:00Z", "2026-08-17T22:35:00.000+02:00"] },
    members: {
      since: "date-time",
      since_clamped: "boolean",
      "events[].type": "earthquake|tech_news_story|prediction_market_update|space_launch",
      "events[].timestamp": "date-time",
      "events[].severity": "minor|moderate|major",
      "events[].data": "object",
      counts: "object",
    },
  },
  "/api/pro/crypto-deep": {
    credits: 2,
    query: { history: ["30d"] },
    members: {
      ...all("string", ["coins_top50[].symbol", "coins_top50[].name", "exchange_top20_usdt[].pair"]),
      ...all(
        "number",
        [
          ...["price_usd", "change_1h_percent", "change_24h_percent", "change_7d_percent"],
          ...["market_cap", "volume_24h", "rank"],
        ].map((name) => `coins_top50[].${name}`),
      ),
      ...all(
        "number",
        ["price", "change_24h_percent", "volume_24h", "high_24h", "low_24h", "trades_24h"].map(
          (name) => `exchange_top20_usdt[].${name}`,
        ),
      ),
      ...all("number", [
        "network_btc.block_height",
        ...["fastest", "half_hour", "hour", "economy", "minimum"].map((name) => `network_btc.fees_sat_per_vb.${name}`),
        "network_btc.hashrate.current_eh_s",
        "network_btc.hashrate.current_difficulty",
        ...["count", "vsize", "total_fee_sat"].map((name) => `network_btc.mempool.${name}`),
      ]),
      eth_gas: "object or null",
      ...all(
        "number",
        ["low_gwei", "standard_gwei", "fast_gwei", "base_fee_gwei", "last_block"].map((name) => `eth_gas.${name}`),
      ),
      ...all("any", ["series?.btc_30d[].ts"]),
      ...all(
        "number",
        ["low", "high", "open", "close", "volume"].map((name) => `series?.btc_30d[].${name}`),
      ),
    },
  },
  "/api/pro/sentiment": {
    credits: 2,
    query: {},
    members: {
      "market_indices.crypto_fear_greed": "object or null",
      "market_indices.crypto_fear_greed.value": "integer or null",
      "market_indices.crypto_fear_greed.label": "string or null",
      "market_indices.crypto_fear_greed.source": "string or null",
      "market_indices.stocks_vix": "object or null",
      "trending[].symbol": "string",
      "trending[].asset_class": "crypto|equity|crypto-equity",
      "trending[].mention_count_24h": "integer",
      "trending[].sources": "object",
      "trending[].sentiment_score": "number",
      "trending[].sentiment_label": "negative|moderately_negative|neutral|moderately_positive|positive",
      "trending[].sample_headlines[].title": "string",
      "trending[].sample_headlines[].url": "string or null",
      "trending[].sample_headlines[].source": "string",
      "trending[].sample_headlines[].sentiment_signal": "+|-|neutral",
      "prediction_markets_signals[].question": "string",
      "prediction_markets_signals[].yes_probability": "number or null",
      "prediction_markets_signals[].volume_24h": "number",
      "prediction_markets_signals[].url": "string or null",
      "sample_size.headlines_scanned": "integer",
      "sample_size.tickers_with_mentions": "integer",
    },
  },
  "/api/pro/whales": {
    credits: 2,
    query: {},
    members: {
      spot_prices: "any",
      btc_whales_unconfirmed: "array",
      eth_whales_latest_block: "array",
      eth_block: "object",
      eth_blocks_scanned: "array",
      aggregate: "object",
      thresholds: "object",
    },
  },
  "/api/pro/exchange-flows": {
    credits: 2,
    query: {},
    members: {
      spot_eth_usd: "number or null",
      ...all("array", ["blocks_scanned", "flows_by_exchange", "recent_transfers"]),
      ...all(
        "number",
        ["transfer_count", "total_inflow_eth", "total_outflow_eth", "net_flow_eth"].map((name) => `aggregate.${name}`),
      ),
      "aggregate.net_flow_usd": "integer or null",
      "aggregate.bias": "inflow_dominant|outflow_dominant|balanced",
      threshold: "object",
      "exchanges_tracked[]": "string",
    },
  },
}
