import { Effect, Result } from "effect"
import { internetPulse, PULSE_TIMEOUT_MS, type Pulse } from "../../schemas/feeds/internet-pulse.ts"
import { source } from "../source.ts"

/** Public regional endpoints of one cloud, whose hosts stand in the region they name, and the front doors of two others. */
const targets: ReadonlyArray<{ readonly name: Pulse["name"]; readonly url: string }> = [
  { name: "US East", url: "https://dynamodb.us-east-1.amazonaws.com/ping" },
  { name: "US West", url: "https://dynamodb.us-west-2.amazonaws.com/ping" },
  { name: "Europe", url: "https://dynamodb.eu-central-1.amazonaws.com/ping" },
  { name: "Asia", url: "https://dynamodb.ap-northeast-1.amazonaws.com/ping" },
  { name: "CDN", url: "https://www.cloudflare.com/cdn-cgi/trace" },
  { name: "Search", url: "https://www.google.com/generate_204" },
]

export default source({
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
      // When nothing at all answers, it is our own line that is down, and nothing is known of the targets.
      const [first] = probes
      if (first !== undefined && Result.isFailure(first) && probes.every(Result.isFailure))
        return yield* Effect.fail(first.failure)
      return probes.map((probe) => (Result.isSuccess(probe) ? probe.success.latencyMs : null))
    }),
  normalise: (latencies) => ({
    payload: {
      items: targets.map(({ name, url }, index) => {
        const latencyMs = latencies[index] ?? null
        return {
          name,
          host: new URL(url).host,
          latencyMs: latencyMs === null ? null : Math.min(60_000, Math.max(0, Math.round(latencyMs))),
        }
      }),
    },
    contentAtMs: null,
  }),
  attribution: {
    provider: "Tidewire (own measurement)",
    licence: "CC0 1.0",
    // The list of the regional endpoints that are measured.
    url: "https://docs.aws.amazon.com/general/latest/gr/ddb.html",
  },
})
