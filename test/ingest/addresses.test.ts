import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { sources } from "../../ingestors/registry.ts"
import { scene } from "./scene.ts"

const mirrored = sources.filter(({ access }) => (access?.addresses ?? null) !== null)

it.effect.each(mirrored.map((source) => [source.name, source] as const))(
  "a poll of %s goes to the address that its setting names",
  ([, source]) =>
    Effect.gen(function* () {
      const { setting = "", names = [] } = source.access?.addresses ?? {}
      const named = Object.fromEntries(names.map((name) => [name, `https://boards.example/${name}`]))
      const { scripted, options } = yield* scene({
        sources: [source],
        addresses: (one) => (one === setting ? named : {}),
      })
      yield* startIngest(options)
      yield* TestClock.adjust("1 minute")
      const hosts = new Set(scripted.requests.map(({ url }) => new URL(url).host))
      expect([...hosts]).toEqual(["boards.example"])
      expect(new Set(scripted.requests.map(({ url }) => url))).toEqual(new Set(Object.values(named)))
    }),
)
