import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { Counter, type Metric, type Registry } from "prom-client"
import { REQUEST_ID } from "../../ledger/client.ts"
import { instant } from "../../schemas/event.ts"
import type { UsageCount } from "../../schemas/events/usage.ts"
import { type ClientKind, clientKinds } from "./client.ts"

// What is recorded of requests: their ids, the counts of answered ones, and the access log.

/** Upper bounds of the latency histogram, in seconds. */
const BUCKETS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 10]
const STATUS_CLASSES = [1, 2, 3, 4, 5] as const
/** Name under which requests for paths that do not exist are counted. */
export const UNKNOWN_ENDPOINT = "unknown"
const durations = "tidewire_api_request_duration_seconds"
const FLUSH_EVERY_MS = 500
/** Text buffered until the next flush; lines beyond it are dropped and counted. */
const PENDING_MAX_CHARACTERS = 1024 * 1024
const methods = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"])

declare module "node:http" {
  interface IncomingMessage {
    /** The id of a request of the public port, once it was needed. */
    requestId?: string
  }
}

const PROCESS_BYTES = 4
const PROCESS = randomBytes(PROCESS_BYTES).toString("hex")
let requests = 0

/** A new id: a random name of this process, and a counter. It names one request, and says nothing of its client. */
export const newRequestId = (): string => {
  requests += 1
  return `${PROCESS}-${requests.toString(36)}`
}

/**
 * The id of a request, the same for each call. It is the `X-Request-Id` that the request brings if it comes through a
 * trusted proxy and has the form of one; a client cannot choose it otherwise.
 */
export const requestIdOf = (request: IncomingMessage, isProxied: (request: IncomingMessage) => boolean): string => {
  if (request.requestId !== undefined) return request.requestId
  const sent = request.headers["x-request-id"]
  const taken = typeof sent === "string" && REQUEST_ID.test(sent) && isProxied(request)
  request.requestId = taken ? sent : newRequestId()
  return request.requestId
}

/** An answered request. */
interface AnsweredRequest {
  readonly status: number
  readonly bytes: number
  readonly durationMs: number
  readonly client: ClientKind
}

/** Counts of one endpoint, as plain numbers, because they change with every request and are read a few times a minute. */
export class Meter {
  readonly endpoint: string
  readonly statuses: Array<number> = STATUS_CLASSES.map(() => 0)
  readonly buckets: Array<number> = BUCKETS_SECONDS.map(() => 0)
  count = 0
  durationSeconds = 0
  bytes = 0
  notModified = 0
  rateLimited = 0
  /** Requests, refused requests and bytes of each kind of client since usage was last taken. */
  #usage: Float64Array = new Float64Array(clientKinds.length * 3)

  constructor(endpoint: string) {
    this.endpoint = endpoint
  }

  /** Counts one request. */
  add({ status, bytes, durationMs, client }: AnsweredRequest): void {
    const seconds = durationMs / 1000
    this.count += 1
    this.bytes += bytes
    this.durationSeconds += seconds
    const statusClass = Math.floor(status / 100) - 1
    this.statuses[statusClass] = (this.statuses[statusClass] ?? 0) + 1
    if (status === 304) this.notModified += 1
    if (status === 429) this.rateLimited += 1
    // Most requests fall into the first buckets.
    for (let at = 0; at < BUCKETS_SECONDS.length; at++)
      if (seconds <= (BUCKETS_SECONDS[at] ?? 0)) {
        this.buckets[at] = (this.buckets[at] ?? 0) + 1
        break
      }
    const at = client.index * 3
    const usage = this.#usage
    usage[at] = (usage[at] ?? 0) + 1
    if (status >= 400) usage[at + 1] = (usage[at + 1] ?? 0) + 1
    usage[at + 2] = (usage[at + 2] ?? 0) + bytes
  }

  /** Returns the counts by kind of client since the last call. */
  takeUsage(): ReadonlyArray<UsageCount> {
    const usage = this.#usage
    this.#usage = new Float64Array(usage.length)
    return clientKinds.flatMap(({ index, client, agent }) => {
      const [requests = 0, refused = 0, bytes = 0] = usage.subarray(index * 3, index * 3 + 3)
      return requests === 0 ? [] : [{ endpoint: this.endpoint, client, agent, requests, refused, bytes }]
    })
  }
}

/** The counts of all endpoints of one API process. */
export class Traffic {
  readonly #meters = new Map<string, Meter>()

  /** The counts of an endpoint. */
  meter(endpoint: string): Meter {
    const existing = this.#meters.get(endpoint)
    if (existing !== undefined) return existing
    const meter = new Meter(endpoint)
    this.#meters.set(endpoint, meter)
    return meter
  }

  /** Returns the counts by endpoint and kind of client since the last call. */
  takeUsage(): ReadonlyArray<UsageCount> {
    return [...this.#meters.values()].flatMap((meter) => meter.takeUsage())
  }

  /** Registers the metrics, in place of those of an earlier API of the same process. */
  register(registry: Registry): void {
    const meters = () => this.#meters.values()
    const counter = (name: string, help: string, read: (meter: Meter) => number) => {
      registry.removeSingleMetric(name)
      new Counter({
        name,
        help,
        labelNames: ["endpoint"],
        registers: [registry],
        collect() {
          this.reset()
          for (const meter of meters()) this.inc({ endpoint: meter.endpoint }, read(meter))
        },
      })
    }
    counter("tidewire_api_response_bytes_total", "Body bytes sent", ({ bytes }) => bytes)
    counter("tidewire_api_not_modified_total", "Answers with status 304", ({ notModified }) => notModified)
    counter("tidewire_api_rate_limited_total", "Answers with status 429", ({ rateLimited }) => rateLimited)
    const requests = "tidewire_api_requests_total"
    registry.removeSingleMetric(requests)
    new Counter({
      name: requests,
      help: "Requests answered, by class of status",
      labelNames: ["endpoint", "status"],
      registers: [registry],
      collect() {
        this.reset()
        for (const { endpoint, statuses } of meters())
          statuses.forEach((count, at) => {
            if (count > 0) this.inc({ endpoint, status: `${STATUS_CLASSES[at]}xx` }, count)
          })
      },
    })
    registerDurations(registry, meters)
  }
}

/**
 * Registers the histogram of latencies. The library's histogram hashes its labels at each observation, which costs more than
 * the request that it measures; this one computes its values when it is read.
 */
const registerDurations = (registry: Registry, meters: () => Iterable<Meter>): void => {
  const facts = { name: durations, help: "From the first look at a request to its answer", type: "histogram" }
  const get = async () => ({
    ...facts,
    aggregator: "sum",
    values: [...meters()].flatMap(({ endpoint, buckets, count, durationSeconds }) => {
      let below = 0
      return [
        ...BUCKETS_SECONDS.map((le, at) => {
          below += buckets[at] ?? 0
          return { metricName: `${durations}_bucket`, labels: { endpoint, le }, value: below }
        }),
        { metricName: `${durations}_bucket`, labels: { endpoint, le: "+Inf" }, value: count },
        { metricName: `${durations}_sum`, labels: { endpoint }, value: durationSeconds },
        { metricName: `${durations}_count`, labels: { endpoint }, value: count },
      ]
    }),
  })
  registry.removeSingleMetric(durations)
  // The registry uses only `name` and `get`; its type admits only the library's own classes.
  registry.registerMetric({ ...facts, get } as unknown as Metric)
}

/** A request as the access log records it: without address, query or any other text of the client. */
interface AccessLine {
  readonly endpoint: string
  readonly method: string
  readonly status: number
  readonly bytes: number
  readonly coding: string
  readonly durationMs: number
  readonly client: string
  /** The id of the request, which its reply and the log lines about it carry too. */
  readonly request: string
}

/**
 * Writes one JSON line for each request, in batches: at thousands of requests a second, a write for each request would cost
 * more than its reply. `write` gets whole lines.
 */
export class AccessLog {
  readonly #write: (lines: string) => void
  readonly #nowMs: () => number
  readonly #origin: string
  readonly #timer: NodeJS.Timeout
  #pending = ""
  #dropped = 0

  /** `origin`: members of every line, such as the role and the process. */
  constructor(
    write: (lines: string) => void,
    nowMs: () => number = Date.now,
    origin: Readonly<Record<string, string>> = {},
  ) {
    this.#write = write
    this.#origin = Object.entries(origin)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
      .join("")
    this.#nowMs = nowMs
    this.#timer = setInterval(() => this.flush(), FLUSH_EVERY_MS)
    this.#timer.unref()
  }

  /** Adds one line. Its texts come from closed sets of this service, and the id from a closed alphabet, so none needs to be escaped. */
  add(line: AccessLine): void {
    if (this.#pending.length > PENDING_MAX_CHARACTERS) {
      this.#dropped += 1
      return
    }
    const method = methods.has(line.method) ? line.method : "other"
    this.#pending += `{"level":"info","time":"${instant(this.#nowMs())}",${this.#origin}"msg":"request","endpoint":"${line.endpoint}","method":"${method}","status":${line.status},"bytes":${line.bytes},"coding":"${line.coding}","duration_us":${Math.round(line.durationMs * 1000)},"client":"${line.client}","request":"${line.request}"}\n`
  }

  /** Writes the pending lines. */
  flush(): void {
    if (this.#dropped > 0) {
      this.#pending += `{"level":"warn","time":"${instant(this.#nowMs())}",${this.#origin}"msg":"access lines dropped","dropped":${this.#dropped}}\n`
      this.#dropped = 0
    }
    if (this.#pending === "") return
    const lines = this.#pending
    this.#pending = ""
    this.#write(lines)
  }

  /** Writes the pending lines and stops the timer. */
  close(): void {
    clearInterval(this.#timer)
    this.flush()
  }
}
