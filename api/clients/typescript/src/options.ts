import type { KeySet } from "./receipt.ts"

/** Options of a client, and of all its calls unless a call has its own. */
export interface ClientOptions extends CallDefaults {
  /** Address of the service, without the path of an operation: `https://data.example`. */
  readonly baseUrl: string
  /** The token of premium calls, as a confirmed purchase returns it. It is sent to operations that take it alone. */
  readonly token?: string | undefined
  /** The keys that receipts are verified with. By default they are read from the service, and again where one is missing. */
  readonly keys?: KeySet | undefined
  /** Stands in for the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined
}

/** Options that a client has for all its calls. */
export interface CallDefaults {
  /** Bound of a whole call, its retries and their pauses included: 30,000 ms by default. */
  readonly timeoutMs?: number | undefined
  /** How often a call is sent again at most: 2 by default. */
  readonly retriesMax?: number | undefined
  /**
   * The oldest data that is accepted, by `_meta.as_of` and the local clock. Older data is a `StaleDataError`; a reply of the
   * past (`at`) has the age that was asked for.
   */
  readonly maxAgeMs?: number | undefined
  /** The longest reply that is read: 64 MiB by default. */
  readonly bodyBytesMax?: number | undefined
  /** Whether the receipt of each premium reply is verified: true by default. */
  readonly verifyReceipts?: boolean | undefined
}

/** Options of one call. */
export interface CallOptions extends CallDefaults {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  /**
   * The key under which a premium call is charged once. By default each call has a new one, which its retries repeat, but for
   * calls with `at`, which are charged once a day without one. Null sends none: a call of the present is then never sent again.
   */
  readonly idempotencyKey?: string | null | undefined
  /** Sees status and headers of each response, also of those that are retried. */
  readonly onResponse?: ((response: { readonly status: number; readonly headers: Headers }) => void) | undefined
}
