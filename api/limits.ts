import { CONFIRMS_PER_MINUTE, PAYMENT_CALLS_PER_MINUTE } from "../schemas/payment.ts"

/** Everything of the public port that is bounded. */
export interface ApiLimits {
  /** Requests a day of one client address for free data. */
  readonly requestsPerDay: number
  /** Requests a minute of one client address for all else: catalog, documents, keys, buying, refusals, errors. */
  readonly serviceRequestsPerMinute: number
  /** Premium requests a minute of one token. */
  readonly tokenRequestsPerMinute: number
  /** Receipts that are verified in a minute for one client. */
  readonly receiptVerifiesPerMinute: number
  /** Calls of the payment endpoints of one client in a minute, confirms aside. */
  readonly paymentCallsPerMinute: number
  /** Confirms of one client in a minute. */
  readonly confirmsPerMinute: number
  /** How long the data of a premium call may take; longer is a failure of ours, free of charge. */
  readonly premiumContentMs: number
  /** Until when, since it came, a premium call whose settle has an unknown outcome asks for it again. */
  readonly premiumSettleMs: number
  /** Until when, since it came, a premium call is answered, whatever the answer is. */
  readonly premiumAnswerMs: number
  /** Selections of filtered endpoints that one client may cause in a minute because none of them is kept. */
  readonly selectionsPerMinute: number
  /** Bytes of the replies of filtered endpoints that are kept, about. */
  readonly selectionBytesMax: number
  readonly urlLengthMax: number
  readonly headerBytesMax: number
  readonly bodyBytesMax: number
  readonly connectionsMax: number
  /** Open connections of one client; of one behind a proxy of ours, requests that are being answered. */
  readonly connectionsPerClientMax: number
  /** Open connections of one /24 (IPv4) or /48 (IPv6), which may hold many clients. */
  readonly connectionsPerNetworkMax: number
  /** Requests of one connection without a complete reply; the next one ends the connection. */
  readonly unfinishedPerConnectionMax: number
  /** Until the headers must have arrived. */
  readonly headersTimeoutMs: number
  /** Until the whole request must have arrived. */
  readonly requestTimeoutMs: number
  /** How long a connection may stand idle between requests. */
  readonly keepAliveTimeoutMs: number
  /** How long a connection may stand still in the middle of a request or an answer. */
  readonly stalledTimeoutMs: number
  /** How often slow requests are looked for. */
  readonly checkEveryMs: number
  /** How long an on-demand request waits for its own answer. */
  readonly demandWaitMs: number
  /** Requests that wait for the same on-demand key. */
  readonly demandWaitersMax: number
  /** Keys that are fetched on demand at the same time. */
  readonly demandFlightsMax: number
  /** Fetches on demand that one client may cause, refreshes included. */
  readonly demandFetchesPerMinute: number
  readonly demandFetchesPerDay: number
  /** Fetches that all clients may cause: as many as the strictest provider allows. */
  readonly demandFetchesPerMinuteInAll: number
  readonly demandFetchesPerDayInAll: number
  /** A client that has caused no more fetches today may have those that are kept in reserve. */
  readonly demandFetchesOfNewClient: number
}

export const defaultLimits: ApiLimits = {
  requestsPerDay: 100_000,
  serviceRequestsPerMinute: 300,
  tokenRequestsPerMinute: 600,
  receiptVerifiesPerMinute: 60,
  paymentCallsPerMinute: PAYMENT_CALLS_PER_MINUTE,
  confirmsPerMinute: CONFIRMS_PER_MINUTE,
  premiumContentMs: 15_000,
  premiumSettleMs: 25_000,
  premiumAnswerMs: 29_000,
  selectionsPerMinute: 120,
  selectionBytesMax: 32 * 1024 * 1024,
  urlLengthMax: 2_048,
  headerBytesMax: 16 * 1024,
  bodyBytesMax: 64 * 1024,
  connectionsMax: 10_000,
  connectionsPerClientMax: 256,
  connectionsPerNetworkMax: 1_024,
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
