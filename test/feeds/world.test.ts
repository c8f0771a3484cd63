import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { sources } from "../../ingestors/registry.ts"
import { simulatedUpstreams } from "../world/server.ts"
import { unitedUpstreams } from "../world/upstream.ts"
import { worldAt } from "../world/world.ts"
import { normalised } from "./support/read.ts"
import { keyOf, upstreamOf } from "./support/world.ts"

// Tests of the whole service run at the current time: the world must hold the data that they wait for at any time.

const everyone = unitedUpstreams(simulatedUpstreams)

/** Instants over a year, at all hours. */
const instants = [0, 2, 4, 6, 8, 10].map((month) => Date.UTC(2026, month, 1 + 2 * month, 2 * month, 7 * month))

it.for(sources.map((source) => ({ name: source.name, source })))(
  "the world has items for $name at any time",
  async ({ source }) => {
    for (const atMs of instants) {
      const upstream = upstreamOf(everyone, worldAt("any time", atMs))
      let items = 0
      for (const parameters of source.instances) {
        const collected = await Effect.runPromise(
          source.collect(upstream, { parameters, observedAtMs: atMs, key: keyOf(source) }),
        )
        const { payload } = normalised(source, collected, { parameters, observedAtMs: atMs })
        items += source.fills.items(payload).length
      }
      expect(items, new Date(atMs).toISOString()).toBeGreaterThan(0)
    }
  },
)
