import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { startChangesApi, startDueReaders } from "../changes/due-readers.ts"
import { numberedChange, otherEvent } from "../changes/numbered-changes.ts"
import { seededChance } from "../changes/simulation/chance.ts"
import { type AdapterSpec, openAdapter } from "../conformance/log/harness.ts"
import { lmdbSpec } from "../conformance/log/lmdb-under-test.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing, type KafkaBroker, startKafka } from "../support/docker.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"

/** Changes of a round; `npm run soak` makes a million. */
const CHANGES_PER_ROUND = 10_000
const ROUNDS = Number(process.env.ROUNDS ?? 1)
const LAST = ROUNDS * CHANGES_PER_ROUND
/** After so many changes the process is killed, and starts again. */
const KILLED_EVERY = 3_500
/** The writer waits for readers that are further behind: the log would only grow. */
const BEHIND_MAX = 1_500

const survive = (spec: AdapterSpec) =>
  Effect.gen(function* () {
    const chance = seededChance(ROUNDS)
    const port = yield* Effect.promise(freePort)
    const log = yield* openAdapter(spec)
    const writer = yield* log.claim("test", ["deltas"])
    yield* writer.commit([numberedChange(1)])
    let api = yield* startChangesApi(spec, port)
    const readers = startDueReaders(`http://127.0.0.1:${port}`, chance)
    const begun = performance.now()
    let kills = 0
    for (let ordinal = 1; ordinal < LAST; ) {
      const count = Math.min(LAST - ordinal, 1 + chance.below(400))
      yield* writer.commit([
        otherEvent(ordinal),
        ...Array.from({ length: count }, (_, index) => numberedChange(ordinal + index + 1)),
      ])
      ordinal += count
      if (ordinal >= (kills + 1) * KILLED_EVERY) {
        yield* api.kill
        kills += 1
        api = yield* startChangesApi(spec, port)
        const perSecond = Math.round((ordinal * 1_000) / (performance.now() - begun))
        process.stdout.write(`${ordinal} changes, ${perSecond} a second, ${kills} kills\n`)
      }
      yield* Effect.promise(() => readers.reach(ordinal - BEHIND_MAX))
    }
    yield* Effect.promise(() => readers.end(LAST))
    return kills
  })

const readsOn = (spec: () => Promise<AdapterSpec> | AdapterSpec) =>
  it(
    `brings each of ${LAST} changes once, in order, through every door, over cut connections and a killed process`,
    async ({ signal }) => {
      const log = await spec()
      // What is late ends with its processes: one that is left holds up the whole run.
      const kills = await Effect.runPromise(Effect.scoped(survive(log)), { signal })
      expect(kills).toBe(Math.floor(LAST / KILLED_EVERY))
    },
    Math.max(600_000, ROUNDS * 60_000),
  )

describe("the doors to changes on the embedded log", () => {
  readsOn(() => {
    const path = temporaryDirectory()
    onTestFinished(() => removeDirectory(path))
    return lmdbSpec(join(path, "log"))
  })
})

describeUnless(await dockerMissing(), "the doors to changes on Kafka", () => {
  let broker: KafkaBroker | undefined
  afterAll(() => broker?.stop())
  readsOn(async () => {
    broker = await startKafka()
    return {
      module: "test/conformance/log/kafka-quiet.ts",
      open: "open",
      options: { brokers: broker.brokers, clientId: "changes", topicPrefix: "changes." },
    }
  })
})
