import { CONFIRMS_PER_MINUTE, PAYMENT_CALLS_PER_MINUTE } from "../../schemas/contract/payment.ts"

/** The limits of the public port. */
export interface ApiLimits {
  /** Requests a day of one client address for free data. Its network gets 16 times as many, and its provider 128 times. */
  readonly requestsPerDay: number
  /** Requests a minute of one client address for the catalog, documents, keys, buying, refusals and errors. */
  readonly serviceRequestsPerMinute: number
  /** Requests a minute of one client address for pages and what they load. */
  readonly pageRequestsPerMinute: number
  /** Premium requests a minute of one account, whichever of its tokens they are made with. */
  readonly tokenRequestsPerMinute: number
  /** Receipts that are verified in a minute for one client. */
  readonly receiptVerifiesPerMinute: number
  /** Calls of the payment endpoints of one client in a minute, confirms aside. */
  readonly paymentCallsPerMinute: number
  /** Confirms of one client in a minute. */
  readonly confirmsPerMinute: number
  /** Confirms with a proof of one client in a day: each may look up a transaction. */
  readonly chainLookupsPerDay: number
  /** Those of all clients, within the quota of the chain's providers. */
  readonly chainLookupsPerMinuteInAll: number
  readonly chainLookupsPerDayInAll: number
  /** Clients with at most this many of them today may use the reserve. */
  readonly chainLookupsOfNewClient: number
  /** Pages of changes, and streams opened, of one client in a minute. */
  readonly changesRequestsPerMinute: number
  /** Streams and waiting calls of one client. */
  readonly streamsPerClientMax: number
  /** Those of one network, of one provider, and in all. */
  readonly streamsPerNetworkMax: number
  readonly streamsPerProviderMax: number
  readonly streamsMax: number
  /** Timeout for the data of a premium call; past it the call fails, free of charge. */
  readonly premiumContentMs: number
  /** Time since the request within which a settle of unknown outcome is retried. */
  readonly premiumSettleMs: number
  /** Time since the request within which a premium call is answered in any case. */
  readonly premiumAnswerMs: number
  /** Selections of filtered endpoints a minute of one client that are not cached. */
  readonly selectionsPerMinute: number
  /** Size of the cache of filtered endpoints' replies (an estimate). */
  readonly selectionBytesMax: number
  /** Formats and pages a minute of one client that are not cached. */
  readonly renditionsPerMinute: number
  /** Size of the cache of formats and pages (an estimate). */
  readonly renditionBytesMax: number
  /** Past replies a minute of one client that are not cached. */
  readonly pastRepliesPerMinute: number
  /** The longest time in which the history is read for one of them. */
  readonly pastReadMs: number
  /** Size of the cache of past replies (an estimate). */
  readonly pastBytesMax: number
  readonly urlLengthMax: number
  readonly headerBytesMax: number
  readonly bodyBytesMax: number
  readonly connectionsMax: number
  /** Open connections of one client; behind a trusted proxy, its requests in flight. */
  readonly connectionsPerClientMax: number
  /** Open connections of one /24 (IPv4) or /48 (IPv6), which may hold many clients. */
  readonly connectionsPerNetworkMax: number
  /** Open connections of one /16 (IPv4) or /32 (IPv6). */
  readonly connectionsPerProviderMax: number
  /** Requests of one connection without a complete reply; the next one ends the connection. */
  readonly unfinishedPerConnectionMax: number
  /** Timeout for the headers of a request. */
  readonly headersTimeoutMs: number
  /** Timeout for the whole request. */
  readonly requestTimeoutMs: number
  /** Longest idle time of a connection between requests. */
  readonly keepAliveTimeoutMs: number
  /** Longest time without progress in the middle of a request or a reply. */
  readonly stalledTimeoutMs: number
  /** Interval of the check for slow requests. */
  readonly checkEveryMs: number
  /** Longest wait of an on-demand request for its own fetch. */
  readonly demandWaitMs: number
  /** Requests that wait for the same on-demand key; those of one provider are at most half of them. */
  readonly demandWaitersMax: number
  /** Keys that are fetched on demand at the same time. */
  readonly demandFlightsMax: number
  /** Fetches on demand of one client, refreshes included. */
  readonly demandFetchesPerMinute: number
  readonly demandFetchesPerDay: number
  /** Fetches on demand of all clients, within the quota of the strictest provider. */
  readonly demandFetchesPerMinuteInAll: number
  readonly demandFetchesPerDayInAll: number
  /** Clients with at most this many fetches today may use the reserve. */
  readonly demandFetchesOfNewClient: number
}

export const defaultLimits: ApiLimits = {
  requestsPerDay: 100_000,
  serviceRequestsPerMinute: 300,
  pageRequestsPerMinute: 600,
  tokenRequestsPerMinute: 600,
  receiptVerifiesPerMinute: 60,
  paymentCallsPerMinute: PAYMENT_CALLS_PER_MINUTE,
  confirmsPerMinute: CONFIRMS_PER_MINUTE,
  chainLookupsPerDay: 1_000,
  chainLookupsPerMinuteInAll: 600,
  chainLookupsPerDayInAll: 50_000,
  chainLookupsOfNewClient: 20,
  changesRequestsPerMinute: 120,
  streamsPerClientMax: 10,
  streamsPerNetworkMax: 250,
  streamsPerProviderMax: 2_000,
  streamsMax: 10_000,
  premiumContentMs: 15_000,
  premiumSettleMs: 25_000,
  premiumAnswerMs: 29_000,
  selectionsPerMinute: 120,
  selectionBytesMax: 16 * 1024 * 1024,
  renditionsPerMinute: 120,
  renditionBytesMax: 16 * 1024 * 1024,
  pastRepliesPerMinute: 240,
  pastReadMs: 5_000,
  pastBytesMax: 16 * 1024 * 1024,
  urlLengthMax: 2_048,
  headerBytesMax: 16 * 1024,
  bodyBytesMax: 64 * 1024,
  connectionsMax: 12_000,
  connectionsPerClientMax: 256,
  connectionsPerNetworkMax: 1_024,
  connectionsPerProviderMax: 4_096,
  unfinishedPerConnectionMax: 32,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  keepAliveTimeoutMs: 30_000,
  stalledTimeoutMs: 60_000,
  checkEveryMs: 2_000,
  demandWaitMs: 3_000,
  demandWaitersMax: 64,
  demandFlightsMax: 256,
  demandFetchesPerMinute: 20,
  demandFetchesPerDay: 500,
  demandFetchesPerMinuteInAll: 80,
  demandFetchesPerDayInAll: 9_000,
  demandFetchesOfNewClient: 5,
}
