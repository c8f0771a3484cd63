import { setTimeout as sleep } from "node:timers/promises"

// node test/world/wait-filled.ts [PATH ...]
//
// Waits beside a demo until it has a history and no reply of these paths is still to come, and where its clock stands until all of
// that instant is served: `start()` of the modules for test
// containers runs it inside, so that no request of a test's own address is spent. A feed that cannot be had ends the wait, too.
// It prints one line of JSON: the wallet that is paid to, if there is one, and the names of all endpoints by their paths.

const API = `http://127.0.0.1:${process.env.PORT || "8787"}`
const CLOCK = `http://127.0.0.1:${process.env.WORLD_PORT}/_world/clock`
const ADMIN = `http://127.0.0.1:${process.env.ADMIN_PORT || "9787"}`
const PAUSE_MS = 200
const PATIENCE_MS = 120_000

const read = async (url: string): Promise<Readonly<Record<string, unknown>> | null> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  return response.ok ? JSON.parse(text) : null
}

/** Why callers are not served in full yet; what a feed lacks is asked of the feed. */
const missingParts = async (): Promise<ReadonlyArray<string>> =>
  ((await read(`${ADMIN}/readyz`))?.degraded as ReadonlyArray<string> | undefined)?.filter(
    (part) => !part.startsWith("api data:"),
  ) ?? ["it is not ready"]

/** A reply that is refused is no reply to wait for: the endpoint is paid, or has parameters. */
const missingReply = async (path: string): Promise<ReadonlyArray<string>> => {
  const reply = await read(`${API}${path}`)
  const reason = (reply?._meta as { readonly reason?: string } | undefined)?.reason
  return reply?.data === null && reason?.startsWith("not_tried_yet") === true ? [`${path}: ${reason}`] : []
}

/** What is still to be done of the instant at which the clock stands, if it does. */
const missingOfInstant = async (): Promise<ReadonlyArray<string>> => {
  if (!process.env.WORLD_TIME) return []
  const answer = await fetch(CLOCK, { method: "PUT", body: '{"frozen": true}' })
  return answer.ok ? [] : [await answer.text()]
}

const names = async (): Promise<Readonly<Record<string, string>>> => {
  const { paths } = (await read(`${API}/openapi.json`)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  }
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ operationId }) => (operationId === undefined ? [] : [[path, operationId]])),
    ),
  )
}

const paths = process.argv.slice(2)
const deadlineMs = Date.now() + PATIENCE_MS
for (;;) {
  const missing = await Promise.all([missingParts(), ...paths.map(missingReply)])
    .then((found) => found.flat())
    .then(async (found) => (found.length === 0 ? missingOfInstant() : found))
    .catch((cause) => [String(cause)])
  if (missing.length === 0) break
  if (Date.now() > deadlineMs) {
    process.stderr.write(`${missing.join("\n")}\n`)
    process.exit(1)
  }
  await sleep(PAUSE_MS)
}
const wallet = (await read(`${API}/api/payment/info`))?.wallet ?? null
process.stdout.write(`${JSON.stringify({ wallet, endpoints: await names() })}\n`)
