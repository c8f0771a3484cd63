import { OPERATIONS, type Operation } from "../operations.js"
import { attempt, type PreparedRequest, prepareRequest, type ReadResponse } from "./attempt.ts"
import { type ChangesOptions, ChangesReader } from "./changes.ts"
import { type Deadline, deadlineOf } from "./deadline.ts"
import { type FailedCall, NoReplyError, ReceiptError, TidewireError } from "./errors.ts"
import { refuseStale } from "./freshness.ts"
import { newIdempotencyKey } from "./idempotency-key.ts"
import { KeyRing } from "./key-ring.ts"
import type { CallOptions, ClientOptions } from "./options.ts"
import { isPaidOnce, queryOfReceipt } from "./past.ts"
import { refusalOf, retryAfterSecondsOf } from "./problem.ts"
import type { ParameterValues, Sent } from "./sent.ts"
import { type Settings, settingsOf } from "./settings.ts"

/** The first pause before a request is sent again that had no response; it doubles each time. */
const PAUSE_MS = 250
/** A call is still in progress under the same key: its reply is there after `Retry-After`. */
const IN_FLIGHT = "idempotency_key_in_flight"

/** Whether a refused request had no effect, so that it can be sent again once `Retry-After` has passed. */
const isRefusedForNow = (operation: Operation, { status, body }: ReadResponse): boolean =>
  status === 429 ||
  (status === 503 && operation.method === "GET") ||
  (status === 409 && typeof body === "object" && body !== null && "error" in body && body.error === IN_FLIGHT)

/**
 * Calls operations of a service: sends again what was refused for now, makes problems errors, verifies receipts and refuses
 * stale data. `Tidewire` has a method for each operation.
 */
export class Client {
  readonly #options: ClientOptions
  readonly #keys: KeyRing

  constructor(options: ClientOptions) {
    const baseUrl = new URL(options.baseUrl)
    const { protocol, username, password, search, hash } = baseUrl
    if (!["http:", "https:"].includes(protocol) || [username, password, search, hash].join("") !== "")
      throw new TypeError("baseUrl must be an address of http or https without credentials and without a query")
    this.#options = { ...options, baseUrl: baseUrl.href.replace(/\/+$/, "") }
    this.#keys = new KeyRing(options.keys)
  }

  /** The options of the client, to make another one that differs: `new Tidewire({ ...client.options, token })`. */
  get options(): ClientOptions {
    return this.#options
  }

  /** Calls an operation. The methods of `Tidewire` call it with the types of the contract. */
  protected async call<Reply>(operation: Operation, sent: Sent, options: CallOptions = {}): Promise<Reply> {
    const settings = settingsOf(options, this.#options)
    const isPaid = operation.credits > 0
    const isOnce = isPaidOnce(sent)
    const given = options.idempotencyKey
    const ownKey = isOnce ? null : newIdempotencyKey()
    const idempotencyKey = isPaid ? (given === undefined ? ownKey : given) : null
    const call: FailedCall = { operation: operation.name, idempotencyKey }
    const { token, baseUrl } = this.#options
    const request = prepareRequest(baseUrl, operation, sent, { token, idempotencyKey })
    const deadline = deadlineOf(settings.timeoutMs, options.signal)
    const maySendAgain = !isPaid || isOnce || idempotencyKey !== null
    try {
      const response = await this.#send(operation, request, maySendAgain ? settings.retriesMax : 0, {
        settings,
        deadline,
        call,
      })
      if (response.status < 200 || response.status > 299) throw refusalOf(response, call)
      if (isPaid && settings.verifyReceipts)
        await this.#verify(operation, request, response, { settings, deadline, call })
      refuseStale(response.headers, response.body, settings.maxAgeMs, call)
      // The contract says which reply an operation has.
      return response.body as Reply
    } catch (cause) {
      throw deadline.errorOf(cause, call)
    }
  }

  /** Reads changes. `changes` of `Tidewire` calls it with the operations and types of the contract. */
  protected read<Change>(
    doors: { readonly stream: Operation; readonly page: Operation },
    parameters: ParameterValues = {},
    options: ChangesOptions = {},
  ): AsyncGenerator<Change, void, void> {
    const { baseUrl, fetch: send = globalThis.fetch } = this.#options
    const { bodyBytesMax } = settingsOf({}, this.#options)
    return new ChangesReader<Change>({ ...doors, baseUrl, fetch: send, bodyBytesMax }, parameters, options).read()
  }

  /** Sends a request until it is answered, or refused for longer than the call may take. */
  async #send(
    operation: Operation,
    request: PreparedRequest,
    retriesMax: number,
    {
      settings,
      deadline,
      call,
    }: { readonly settings: Settings; readonly deadline: Deadline; readonly call: FailedCall },
  ): Promise<ReadResponse> {
    const { bodyBytesMax } = settings
    const send = this.#options.fetch ?? globalThis.fetch
    for (let retries = 0; ; retries += 1) {
      const response = await attempt(request, { fetch: send, deadline, bodyBytesMax, call }).catch((cause: unknown) => {
        const isLost = !(cause instanceof TidewireError) && !deadline.signal.aborted
        if (isLost && operation.method === "GET" && retries < retriesMax) return null
        throw cause instanceof TidewireError || deadline.signal.aborted
          ? cause
          : new NoReplyError("no reply", call, cause)
      })
      if (response === null) {
        await deadline.sleep(PAUSE_MS * 2 ** retries)
        continue
      }
      const { status, headers, body } = response
      settings.onResponse?.({ status, headers })
      const seconds = isRefusedForNow(operation, response) ? retryAfterSecondsOf(headers, body) : null
      if (seconds === null || retries >= retriesMax || !deadline.allows(seconds * 1000)) return response
      await deadline.sleep(seconds * 1000)
    }
  }

  async #verify(
    { method, path }: Operation,
    { query }: PreparedRequest,
    { body }: ReadResponse,
    {
      settings,
      deadline,
      call,
    }: { readonly settings: Settings; readonly deadline: Deadline; readonly call: FailedCall },
  ): Promise<void> {
    const readKeys = async (): Promise<unknown> => {
      const request = prepareRequest(
        this.#options.baseUrl,
        OPERATIONS.jwks,
        {},
        { token: undefined, idempotencyKey: null },
      )
      const asked = { settings: { ...settings, onResponse: undefined }, deadline, call }
      return (await this.#send(OPERATIONS.jwks, request, settings.retriesMax, asked)).body
    }
    const verdict = await this.#keys
      .verify({ reply: body, request: { method, path, query: queryOfReceipt(query, body) } }, readKeys)
      .catch((cause: unknown) => {
        throw new ReceiptError("keys_unavailable", body, call, cause)
      })
    if (!verdict.valid) throw new ReceiptError(verdict.problem, body, call)
  }
}
