import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { providerKeys } from "../../ingestors/providers.ts"
import { sources } from "../../ingestors/registry.ts"
import { eventually } from "../support/eventually.ts"
import { filesWith, spellings } from "../support/files-with.ts"
import { JUDGED, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { freeReplies } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

// The keys of every provider, while upstreams repeat them, fail, and refuse them.

const keys = Object.fromEntries(providerKeys.map(({ setting }) => [setting, randomBytes(16).toString("hex")]))
/** What stands in the place of a key that an upstream repeated. */
const REMOVED = Buffer.from("[key removed]")

const providersOfKeys = sources.filter(({ key }) => key !== null)
const keyedFeeds = new Set(providersOfKeys.map(({ fills }) => fills.name))
/** The free endpoints over a source with a key. */
const offered = freeReplies
  .filter(({ feeds }) => feeds.some(({ name }) => keyedFeeds.has(name)))
  .map(({ path }) => path)

const directory = temporaryDirectory()
let world: WorldServer
let service: Service
const bodies: Array<string> = []

/** The bodies of every endpoint, of readiness and of metrics. */
const look = async (): Promise<void> => {
  const urls = [...[JUDGED, ...offered].map((path) => `${service.url}${path}`), `${service.adminUrl}/readyz`]
  for (const url of [...urls, `${service.adminUrl}/metrics`]) bodies.push(await (await fetch(url)).text())
}

/** Reasons for which a source does not reach its upstream: too many requests, too many failures, a key that rests. */
const unreached = ["key_refused", "budget_exhausted", "circuit_open"]
/** Waits until a source of each key has failed for one of these reasons. */
const failing = (...reasons: ReadonlyArray<string>) =>
  eventually(reasons.join(" or "), async () => {
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    const failed = new Set(
      [...metrics.matchAll(/^tidewire_ingest_polls_total\{provider="([^"]+)",outcome="([^"]+)"[^}]*\} [1-9]/gm)]
        .filter(([, , outcome]) => reasons.includes(outcome ?? ""))
        .map(([, provider]) => provider),
    )
    const lacking = providersOfKeys.filter(
      (source) => !source.instances.some((parameters) => failed.has(source.provider(parameters))),
    )
    if (lacking.length > 0) throw new Error(`not yet: ${lacking.map(({ name }) => name).join(", ")}`)
    return true
  })

beforeAll(async () => {
  world = await startWorld({ seed: "keys" })
  world.setFaults([{ host: "*", kind: "echo" }])
  service = await startService({
    dataDirectory: directory,
    keys,
    offered,
    // The only source with a key that rests without its provider's consent.
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "2", LOG_LEVEL: "trace", RESTRICTED_SOURCES: "fred" },
  })
  await service.ready()
})
afterAll(async () => {
  await service?.end("SIGKILL")
  await world?.close()
  removeDirectory(directory)
})

it("stand in no reply, log line, metric, quarantined document or file, even where an upstream repeats them", async () => {
  expect(providerKeys.length).toBeGreaterThan(2)
  // Where an upstream states its refusals as an error, what it repeats is read as one, of its key perhaps: that then rests.
  await failing("undecodable", "upstream_error", "key_refused")
  await look()
  world.setFaults([{ host: "*", kind: "server-error" }])
  // At the pace of this test, retries exceed the quotas of some providers and open the circuits of their hosts, which are
  // then not reached for a while.
  await failing("status", ...unreached)
  await look()
  world.setFaults([{ host: "*", kind: "unauthorized" }])
  await failing(...unreached)
  await look()

  const needles = Object.values(keys).flatMap(spellings)
  for (const text of [service.output(), ...bodies])
    expect(needles.filter((needle) => Buffer.from(text).includes(needle))).toEqual([])
  // Proof that keys were sent, that they came back, and that the search finds what is there.
  expect(await filesWith(directory, [REMOVED])).not.toEqual([])
  expect(await filesWith(directory, needles)).toEqual([])
})
