import { randomUUID } from "node:crypto"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { register } from "prom-client"
import { writeForeignBatches } from "../../../infra/log/kafka/testing/foreign-batches.ts"
import type { EventLog, Offset } from "../../../schemas/ports/event-log.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { readThrough, record, textOf } from "./harness.ts"
import { brokerUnderTest } from "./kafka-broker.ts"
import { open } from "./kafka-quiet.ts"

const { missing, optionsOf } = await brokerUnderTest()

const TOPIC = "observations"

const followThrough = (log: EventLog, from: Offset, end: Offset) =>
  log.follow(TOPIC, from).pipe(
    Stream.takeUntil(({ next }) => next >= end),
    Stream.flatMap(({ records }) => Stream.fromIterable(records)),
    Stream.runCollect,
  )

const repeatsCounted = async (): Promise<number> =>
  (await register.getSingleMetric("tidewire_log_kafka_repeated_commits_total")?.get())?.values.find(
    ({ labels }) => labels.topic === TOPIC,
  )?.value ?? 0

describeUnless(missing, "a commit that stands twice in a topic", () => {
  it.live("is read and followed once, with the offsets of its first copy, from every offset", () =>
    Effect.gen(function* () {
      const options = optionsOf()
      const log = yield* open(options)
      const writer = yield* log.claim("ingest", [TOPIC])
      yield* writer.commit([record(TOPIC, "k", "before")])
      const [first, second] = [randomUUID(), randomUUID()]
      yield* Effect.promise(() =>
        writeForeignBatches(options, TOPIC, [
          { id: first, texts: ["a", "b", "c"] },
          { id: second, texts: ["d"] },
          { id: first, texts: ["a", "b", "c"] },
          { id: second, texts: ["d"] },
          { id: first, texts: ["a", "b", "c"] },
        ]),
      )
      yield* writer.commit([record(TOPIC, "k", "after")])
      const end = yield* log.end(TOPIC)
      const all = yield* readThrough(log, TOPIC, 0, end)
      expect(all.map(textOf)).toEqual(["before", "a", "b", "c", "d", "after"])
      const counted = yield* Effect.promise(repeatsCounted)
      for (let from = 0; from < end; from++) {
        const wanted = all.filter(({ offset }) => offset >= from)
        expect(yield* readThrough(log, TOPIC, from, end)).toEqual(wanted)
        expect(yield* followThrough(log, from, end)).toEqual(wanted)
      }
      expect(yield* Effect.promise(repeatsCounted)).toBeGreaterThan(counted)
    }),
  )
})
