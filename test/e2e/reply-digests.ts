import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { canonicalJson } from "../../schemas/json.ts"
import { freeReplies } from "../support/some-feed.ts"

// The free replies of two services with one seed and one clock are the same, but for what is named here.

/** Endpoints that are not compared, each with its reason. */
const NOT_COMPARED = new Set([
  // It counts the requests of callers, by the minute of the machine.
  "/api/ai-stats",
])

/** Members of bodies that are not compared, wherever they stand, each with its reason. */
const LEFT_OUT = new Set([
  // Measured: how long an upstream, or a probed host, took to answer.
  "latency_ms",
])

/** Headers that are compared; the others name the request, the connection, or the coding and length of the whole body. */
const HEADERS = ["cache-control", "content-type", "last-modified", "link", "retry-after", "vary"]

/** A fetch on request that takes longer than a caller waits is asked for again: on a busy machine it may. */
const WARMING_TRIES_MAX = 10
const PAUSE_MS = 500

interface ComparedBody {
  readonly _meta?: { readonly warming?: boolean }
}

const withoutLeftOut = (text: string): ComparedBody =>
  JSON.parse(text, (name, value: unknown) => (LEFT_OUT.has(name) ? undefined : value))

const digestOf = async (address: string, tries = 1): Promise<string> => {
  const response = await fetch(address, { signal: AbortSignal.timeout(30_000) })
  const { status, headers } = response
  const body = withoutLeftOut(await response.text())
  if (body._meta?.warming === true && tries < WARMING_TRIES_MAX) {
    await sleep(PAUSE_MS)
    return digestOf(address, tries + 1)
  }
  const comparable = { status, headers: Object.fromEntries(HEADERS.map((name) => [name, headers.get(name)])), body }
  return createHash("sha256").update(canonicalJson(comparable)).digest("hex").slice(0, 16)
}

/** A digest of the reply of each free endpoint of these paths, by its path and parameters; of all free endpoints by default. */
export const replyDigests = async (
  url: string,
  offered: ReadonlyArray<string> | null = null,
): Promise<Readonly<Record<string, string>>> => {
  const digests: Record<string, string> = {}
  // One after the other: what is fetched on request is logged in the order of the requests.
  for (const { endpoint, path } of freeReplies)
    if (!NOT_COMPARED.has(endpoint.path) && (offered?.includes(endpoint.path) ?? true))
      digests[path] = await digestOf(`${url}${path}`)
  return digests
}
