import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { register } from "prom-client"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { complaintsAboutAlerts, promtoolMissing } from "../support/promtool.ts"
import { scene } from "./scene.ts"
import { httpFailure, keyOf, thingSource } from "./scripted.ts"

const HOUR_MS = 60 * 60 * 1000
const rule = ["TidewireFeedOld"]

/** The feed ages of a role that began to poll so long ago, on a clock that reaches the present. */
const agesOfRole = ({ beganMsAgo, fails }: { readonly beganMsAgo: number; readonly fails: boolean }) =>
  Effect.scoped(
    Effect.gen(function* () {
      // A source without its key rests: its feed has no age.
      const sources = [thingSource("alpha"), thingSource("beta", { access: keyOf("BETA_KEY") })]
      const { scripted, options } = yield* scene({ sources })
      yield* TestClock.setTime(Date.now() - beganMsAgo)
      if (fails) scripted.answer(() => httpFailure("timeout"))
      yield* startIngest(options)
      yield* TestClock.adjust(beganMsAgo)
      return yield* Effect.promise(async () => {
        const names = ["tidewire_ingest_feed_age_seconds", "tidewire_ingest_feed_age_max_seconds"]
        return (await Promise.all(names.map((name) => register.getSingleMetricAsString(name)))).join("\n")
      })
    }),
  )

const sample = (text: string, name: string) =>
  Number(new RegExp(`^${name}\\{feed="things"\\} (\\S+)$`, "m").exec(text)?.[1])

describe("the age of a feed", () => {
  it.effect("counts from the first poll where its upstream has never confirmed it", () =>
    Effect.gen(function* () {
      const text = yield* agesOfRole({ beganMsAgo: 3 * HOUR_MS, fails: true })
      assert.isAtLeast(sample(text, "tidewire_ingest_feed_age_seconds"), (3 * HOUR_MS) / 1000)
      assert.strictEqual(sample(text, "tidewire_ingest_feed_age_max_seconds"), HOUR_MS / 1000)
      const confirmed = yield* agesOfRole({ beganMsAgo: 3 * HOUR_MS, fails: false })
      assert.isBelow(sample(confirmed, "tidewire_ingest_feed_age_seconds"), HOUR_MS / 1000)
    }),
  )

  it.effect.skipIf(promtoolMissing() !== undefined)("fires its alert once it is above what the feed may have", () =>
    Effect.gen(function* () {
      const before = yield* agesOfRole({ beganMsAgo: HOUR_MS / 2, fails: true })
      const during = yield* agesOfRole({ beganMsAgo: 2 * HOUR_MS, fails: true })
      assert.strictEqual(complaintsAboutAlerts({ before, during }, { fire: rule, silentBefore: rule }), "")
    }),
  )
})
