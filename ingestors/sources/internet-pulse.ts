import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { internetPulse, PULSE_TIMEOUT_MS, type Pulse } from "../../schemas/feeds/internet-pulse.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** Public regional endpoints of one cloud, whose hosts stand in the region they name, and the front doors of two others. */
const targets: ReadonlyArray<{ readonly name: Pulse["name"]; readonly url: string }> = [
  { name: "US East", url: "https://dynamodb.us-east-1.amazonaws.com/ping" },
  { name: "US West", url: "https://dynamodb.us-west-2.amazonaws.com/ping" },
  { name: "Europe", url: "https://dynamodb.eu-central-1.amazonaws.com/ping" },
  { name: "Asia", url: "https://dynamodb.ap-northeast-1.amazonaws.com/ping" },
  { name: "CDN", url: "https://www.cloudflare.com/cdn-cgi/trace" },
  { name: "Search", url: "https://www.google.com/generate_204" },
]

const LATENCY_MAX_MS = 60_000

export default listSource({
  name: "internet-pulse",
  provider: "Tidewire.internet_pulse",
  fills: internetPulse,
  every: "1 minute",
  documents: {},
  collect: (upstream) =>
    Effect.gen(function* () {
      const probes = yield* Effect.forEach(targets, ({ url }) => Effect.result(upstream.probe(url, PULSE_TIMEOUT_MS)), {
        concurrency: targets.length,
      })
      // If no target answers, the local connection is down, and the state of the targets is unknown.
      const [first] = probes
      if (first !== undefined && Result.isFailure(first) && probes.every(Result.isFailure))
        return yield* Effect.fail(first.failure)
      return targets.map((target, index) => ({ target, probe: probes[index] ?? null }))
    }),
  candidates: (collected) => collected,
  toItem: ({ target: { name, url }, probe }) => ({
    name,
    host: new URL(url).host,
    latencyMs:
      probe === null || Result.isFailure(probe)
        ? null
        : Math.min(LATENCY_MAX_MS, Math.max(0, Math.round(probe.success.latencyMs))),
  }),
  contentAtMs: () => null,
  attribution: {
    provider: "Tidewire (own measurement)",
    licence: "CC0 1.0",
    // The list of the regional endpoints that are measured.
    url: "https://docs.aws.amazon.com/general/latest/gr/ddb.html",
  },
  terms: openTerms("https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
})
