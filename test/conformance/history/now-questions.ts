import type { ResultRow } from "../../support/world-history.ts"

/** A naive question to a view, and the reply of the API that has the same answer. */
export interface Question {
  readonly view: string
  readonly sql: string
  /** Whether the reply lists the latest ones alone, of all that the view holds. */
  readonly isWindow?: true
  /** Key of the reply: a path, with parameters. */
  readonly reply: string
  /** The rows of the reply, under the names of the columns. */
  readonly rows: (data: never) => ReadonlyArray<ResultRow>
}

// biome-ignore lint/suspicious/noExplicitAny: the data of a reply, whose members the questions name.
type Data = any
type Member = string | ((row: Data) => unknown)

/** The rows of a list, by column: the member of that name, or the one that is named, or what is made of the row. */
const listed =
  (list: (data: Data) => ReadonlyArray<Data>, columns: Readonly<Record<string, Member>>) =>
  (data: Data): ReadonlyArray<ResultRow> =>
    list(data).map((row) =>
      Object.fromEntries(
        Object.entries(columns).map(([name, member]) => [
          name,
          typeof member === "string" ? row[member === "" ? name : member] : member(row),
        ]),
      ),
    )

const question = (
  view: string,
  reply: string,
  list: (data: Data) => ReadonlyArray<Data>,
  columns: Readonly<Record<string, Member>>,
  rest = "",
): Question => ({
  view,
  reply,
  sql: `SELECT ${Object.keys(columns).join(", ")} FROM ${view} ${rest}`.trim(),
  rows: listed(list, columns) as Question["rows"],
})

const one = (data: Data) => [data]
/** An empty text is no text. */
const text =
  (member: string) =>
  (row: Data): string =>
    row[member] ?? ""
const percent =
  (member: string) =>
  (row: Data): number =>
    Math.round(row[member] * 10)

/** Questions to the views of what holds now; `NOW` is the instant at which they are asked. */
export const questions: ReadonlyArray<Question> = [
  question(
    "airport_events_now",
    "/api/faa-status",
    (data) => data.delays,
    {
      airport: "",
      direction: "",
      minimum_minutes: "min_minutes",
      maximum_minutes: "max_minutes",
      reason: "",
    },
    "WHERE kind = 'delay'",
  ),
  question(
    "airport_events_now",
    "/api/faa-status",
    (data) => data.closures,
    {
      airport: "",
      starts_at: "start",
      ends_at: "reopen",
    },
    "WHERE kind = 'closure'",
  ),
  question(
    "alerts_now",
    "/api/climate/weather-alerts",
    (data) => data.alerts.filter(({ status }: Data) => status === "Actual").map(({ row }: Data) => row),
    {
      id: "",
      event: "",
      severity: "",
      area: "areaDesc",
      expires: "",
      ends: "",
    },
    "WHERE status = 'Actual' AND message_type != 'Cancel' AND coalesce(ends, expires) > NOW",
  ),
  question("chain_network_now", "/api/chain-network", one, {
    slot: "",
    slot_ms: "",
    epoch: "",
    block_height: "",
    transactions_per_second: "tps",
    at: "",
  }),
  question("chess_games_now", "/api/chess-tv", (data) => data.channels, {
    channel: "",
    player: "",
    title: text("title"),
    rating: "",
    game_id: "",
  }),
  question(
    "coin_quotes_now",
    "/api/pro/crypto-deep",
    (data) => data.coins_top50,
    {
      symbol: "",
      name: "",
      price_usd: "",
      change_24h_percent: "",
      rank: "",
    },
    "ORDER BY rank LIMIT 50",
  ),
  question("correlations_now", "/api/pro/correlation-matrix", (data) => data.pairs, {
    a: "",
    b: "",
    pearson_r: "",
    n_observations: "",
  }),
  question("crew_now", "/api/humans-in-space", (data) => data.people, { name: "", craft: text("craft") }),
  {
    ...question("disasters_now", "/api/disaster-alerts", (data) => data.alerts, {
      id: "",
      type: "",
      alert_level: "",
      from_at: "date",
      severity_value: (row) => row.severity?.value ?? null,
      url: text("url"),
    }),
    isWindow: true,
  },
  question(
    "earthquakes_now",
    "/api/climate/earthquakes?magnitude=all&period=day",
    (data) => data.earthquakes,
    {
      id: "",
      magnitude: "",
      place: "",
      time: "",
      depth_km: "",
      latitude: "lat",
      longitude: "lon",
      tsunami: "",
    },
    "WHERE time > NOW - INTERVAL 1 DAY",
  ),
  question(
    "economic_series_now",
    "/api/economic-data",
    (data) => [data.yield_10y],
    { value: "", date: "", unit: "" },
    "WHERE series = 'DGS10' ORDER BY date DESC LIMIT 1",
  ),
  question(
    "ethereum_blocks_now",
    "/api/pro/whales",
    (data) => [data.eth.block],
    {
      number: "",
      hash: "",
      at: "timestamp",
      transactions: "",
      base_fee_gwei: "",
    },
    "ORDER BY number DESC LIMIT 1",
  ),
  question("ethereum_gas_now", "/api/pro/crypto-deep", (data) => [data.eth_gas], {
    block_number: "last_block",
    base_fee_gwei: "",
    low_gwei: "",
    standard_gwei: "",
    fast_gwei: "",
  }),
  question("bitcoin_network_now", "/api/pro/crypto-deep", (data) => [data.network_btc], {
    block_height: "",
    fee_fastest_sat_per_vb: (row) => row.fees_sat_per_vb.fastest,
    hashrate_eh_s: (row) => row.hashrate.current_eh_s,
  }),
  question(
    "event_markets_now",
    "/api/event-market",
    (data) => data.markets,
    {
      event_ticker: "",
      leader: "",
      market_count: "",
      closes_at: "",
    },
    "ORDER BY volume_24h_contracts DESC LIMIT 10",
  ),
  question("fear_greed_now", "/api/fear-greed", one, { value: "", label: "" }, "ORDER BY day DESC LIMIT 1"),
  question("feed_probes_now", "/api/feed-reliability", (data) => [...data.feeds, ...data.low_coverage], {
    instance: "feed",
    verdict: "status",
  }),
  question(
    "fires_now",
    "/api/wildfires",
    (data) => data.fires,
    {
      latitude: "lat",
      longitude: "lon",
      us_state: text("state"),
      radiative_power_mw: "",
      satellite: "",
      acquired_at: "",
    },
    "WHERE acquired_at >= NOW - INTERVAL 1 DAY ORDER BY radiative_power_mw DESC LIMIT 25",
  ),
  question(
    "funding_rates_now",
    "/api/funding-rates",
    (data) => data.rates,
    { venue: "", symbol: "", period_hours: "" },
    "ORDER BY abs(annualized_percent) DESC LIMIT 20",
  ),
  question(
    "fx_rates_now",
    "/api/forex",
    (data) =>
      Object.entries(data.rates).map(([currency, rate]) => ({
        currency,
        rate,
        day: data.date,
      })),
    { currency: "", rate: "", day: "" },
    "WHERE day = (SELECT max(day) FROM fx_rates_now)",
  ),
  question("game_players_now", "/api/game-platform-top", (data) => data.games, {
    appid: "",
    rank: "",
    name: text("name"),
    players: "players_now",
    is_free: "",
  }),
  question(
    "harness_scores_now",
    "/api/harnesses?view=raw",
    (data) => data.revisions.flatMap(({ revision, rows }: Data) => rows.map((row: Data) => ({ ...row, revision }))),
    {
      revision: "",
      model: "",
      harness: "",
      reasoning_effort: text("reasoning_effort"),
      score: "",
      ci_low: "",
    },
  ),
  question("internet_pulse_now", "/api/internet-pulse", (data) => data, { target: "name", latency_ms: "" }),
  {
    ...question(
      "known_exploited_now",
      "/api/cyber-threats?raw=true",
      (data) => data.threats.filter(({ source }: Data) => source === "cisa_kev"),
      { cve: "indicator", added_on: "date" },
    ),
    isWindow: true,
  },
  question(
    "launches_now",
    "/api/launches",
    (data) => data.launches,
    {
      id: "",
      name: "",
      status: "",
      status_abbrev: "",
      net: "",
      pad: text("pad"),
    },
    "WHERE net >= NOW ORDER BY net LIMIT 20",
  ),
  question("models_now", "/api/model-hub-trending", (data) => data.models, {
    id: "",
    likes: "",
    downloads: "",
    trending_score: "",
    license: text("license"),
    updated_at: "updated",
  }),
  question("prediction_markets_now", "/api/predictions", (data) => data, {
    question: "",
    volume_24h_usd: "",
    url: text("url"),
    "round(yes_probability * 1000) AS yes": (row) => (row.yes_percent === null ? null : percent("yes_percent")(row)),
  }),
  question(
    "prices_now",
    "/api/btc-price",
    one,
    { price: "price_usd", change_24h_percent: "", high_24h: "" },
    "WHERE asset = 'BTC' AND feed = 'btc-price'",
  ),
  question(
    "reactor_power_now",
    "/api/reactors",
    (data) => [...data.reduced, ...data.offline],
    {
      unit: "",
      power_percent: "power_pct",
    },
    "WHERE power_percent < 100 AND report_date = (SELECT max(report_date) FROM reactor_power_now)",
  ),
  question(
    "repositories_now",
    "/api/code-host-trending",
    (data) => data.repositories,
    {
      full_name: "",
      stars: "",
      forks: "",
      language: text("language"),
      pushed_at: "",
    },
    "WHERE set_name = 'trending' ORDER BY stars DESC LIMIT 25",
  ),
  question("service_incidents_now", "/api/service-status", (data) => data.flatMap(({ incidents }: Data) => incidents), {
    name: "",
  }),
  question("space_weather_now", "/api/space-weather", one, {
    kp_index: "",
    kp_at: "kp_time",
    solar_wind_speed_km_s: "",
    solar_wind_density_cm3: "",
    xray_peak_flux_w_m2: "flare_peak_flux_w_m2",
  }),
  question("stock_quotes_now", "/api/stocks", (data) => data.quotes, {
    symbol: "",
    price: "",
    high: "",
    low: "",
    previous_close: "",
    traded_at: "as_of",
  }),
  question("stories_now", "/api/tech-news", (data) => data, {
    id: "",
    title: "",
    url: text("url"),
    score: "",
    comments: "comment_count",
    author: text("author"),
  }),
  question(
    "trade_halts_now",
    "/api/trade-halts",
    (data) => data.halts,
    {
      symbol: "",
      market: "",
      reason_code: "",
      halted_at: "",
      resumption_at: "",
    },
    "WHERE resumption_at IS NULL OR resumption_at > NOW",
  ),
  {
    ...question("tsunami_messages_now", "/api/tsunami", (data) => data.messages, {
      centre: "",
      event: text("event"),
      number: "",
      category: "",
      title: "",
    }),
    isWindow: true,
  },
  {
    ...question(
      "threat_indicators_now",
      "/api/cyber-threats?raw=true",
      (data) => data.threats.filter(({ source }: Data) => source === "urlhaus"),
      { source: "", indicator: "indicator_raw", threat: "", first_seen: "date" },
    ),
    isWindow: true,
  },
  {
    ...question(
      "headlines_now",
      "/api/pro/sentiment",
      (data) => data.headlines.filter(({ input }: Data) => input !== "stories"),
      { title: "", url: "", published_at: "publishedAt" },
    ),
    isWindow: true,
  },
  {
    ...question("large_transfers_now", "/api/pro/whales", (data) => data.btc.transfers, {
      hash: "txid",
      amount: "value_btc",
      fee_sat: "",
    }),
    isWindow: true,
  },
  question(
    "exchange_flows_now",
    "/api/pro/exchange-flows",
    (data) => data.flows.flows_by_exchange,
    {
      exchange: "",
      "round(sumIf(amount_eth, direction = 'inflow'), 6) AS inflow": "inflow_eth",
      "countIf(direction = 'outflow') AS outflows": "outflow_count",
    },
    "WHERE block_number > (SELECT max(number) - 25 FROM ethereum_blocks_now) GROUP BY exchange",
  ),
  question("volcano_reports_now", "/api/volcanoes", (data) => data.reports, {
    name: "",
    country: text("country"),
    volcano_number: "",
    category: text("category"),
    url: "link",
  }),
  question(
    "vulnerabilities_now",
    "/api/ai-stack-cves",
    (data) => data.packages,
    {
      package: "name",
      "count() AS total": "total",
      "countIf(severity = 'critical') AS critical": "critical",
    },
    "GROUP BY package",
  ),
]
