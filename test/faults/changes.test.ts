import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { numberedChange, otherEvent } from "../changes/numbered-changes.ts"
import { seededChance } from "../changes/simulation/chance.ts"
import { type AdapterSpec, openAdapter } from "../conformance/log/harness.ts"
import { lmdbSpec } from "../conformance/log/lmdb-under-test.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing, type KafkaBroker, startKafka } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { spawnScript } from "../support/script-process.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { type ReaderKind, startReader } from "./changes-readers.ts"

/** Changes of a round; `npm run soak` makes a million. */
const CHANGES_PER_ROUND = 10_000
const ROUNDS = Number(process.env.ROUNDS ?? 1)
const LAST = ROUNDS * CHANGES_PER_ROUND
/** After so many changes the process is killed, and starts again. */
const KILLED_EVERY = 3_500
/** The writer waits for readers that are further behind: the log would only grow. */
const BEHIND_MAX = 1_500

const all: Omit<ReaderKind, "door"> = { query: {}, wants: () => true }
/** Magnitudes of the workload are from 0.0 to 5.9, by the number. */
const strong: Omit<ReaderKind, "door"> = { query: { min_magnitude: "5" }, wants: (ordinal) => ordinal % 60 >= 50 }
const kinds: ReadonlyArray<ReaderKind> = (["page", "long-poll", "stream"] as const).flatMap((door) => [
  { door, ...all },
  { door, ...strong },
])

/** The last change that a reader wants. */
const lastOf = ({ wants }: ReaderKind): number => {
  let last = LAST
  while (!wants(last)) last -= 1
  return last
}

/** The process with the doors, which is killed and started again on the same port. */
const startApi = (
  spec: AdapterSpec,
  port: number,
): Effect.Effect<{ readonly kill: Effect.Effect<void> }, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isListening = false
    const child = yield* spawnScript(new URL("changes-api.ts", import.meta.url), { log: spec, port }, (line) => {
      isListening ||= line === "listening"
    })
    yield* Effect.promise(() => eventually("the doors are open", () => isListening))
    return {
      kill: Effect.promise(async () => {
        child.signal("SIGKILL")
        await eventually("the process has ended", () => child.hasEnded())
      }),
    }
  })

const survive = (spec: AdapterSpec) =>
  Effect.gen(function* () {
    const chance = seededChance(ROUNDS)
    const port = yield* Effect.promise(freePort)
    const log = yield* openAdapter(spec)
    const writer = yield* log.claim("test", ["deltas"])
    yield* writer.commit([numberedChange(1)])
    let api = yield* startApi(spec, port)
    const readers = kinds.map((kind) => startReader(`http://127.0.0.1:${port}`, kind, chance, lastOf(kind)))
    const ended = Promise.all(readers.map((one) => one.ended))
    ended.catch(() => undefined)
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
        api = yield* startApi(spec, port)
      }
      yield* Effect.promise(() =>
        Promise.race([
          ended,
          eventually("no reader is far behind", () => readers.every(({ at }) => ordinal - at() < BEHIND_MAX)),
        ]),
      )
    }
    yield* Effect.promise(() => ended)
    return { kills, at: readers.map(({ at }) => at()) }
  })

const readsOn = (spec: () => Promise<AdapterSpec> | AdapterSpec) =>
  it(
    `brings each of ${LAST} changes once, in order, through every door, over cut connections and a killed process`,
    async () => {
      const log = await spec()
      const { kills, at } = await Effect.runPromise(Effect.scoped(survive(log)))
      expect(kills).toBeGreaterThan(0)
      for (const [index, kind] of kinds.entries()) expect(at[index]).toBeGreaterThanOrEqual(lastOf(kind))
    },
    Math.max(120_000, ROUNDS * 60_000),
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
