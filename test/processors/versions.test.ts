import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import { type Processor, processor } from "../../processors/processor.ts"
import { observed, tick } from "../../processors/testing/folding.ts"
import { feedObserved } from "../../schemas/events/observations.ts"
import { type ViewVersion, viewsChanged } from "../../schemas/events/versions.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import { VIEW_BODY_VERSION, type ViewBody } from "../../schemas/view-record.ts"
import { foldAll, withLog, write } from "../support/counting.ts"

const SLOW = "/api/btc-price"
const QUICK = "/api/earthquake"
const FOREIGN = "/api/pro/world-deltas"
const JANUARY = Date.parse("2026-01-31T23:59:00.000Z")
const FEBRUARY = Date.parse("2026-02-01T00:00:00.000Z")

/** Writes one view of its own when something is observed, and another one at each tick. */
const writing = (name: string, slow: string, quick: string): Processor =>
  processor({
    name,
    publishes: [...new Set([slow, quick])],
    step: (_, event, nowMs) => {
      const body: ViewBody = { v: VIEW_BODY_VERSION, changedAt: event.time, data: nowMs }
      return { views: [{ key: event.type === feedObserved.type ? slow : quick, body }] }
    },
  })

/** The events of the topic `versions`, in their order. */
const versionsIn = (log: EventLog) =>
  Stream.runFold(
    log.read("versions", 0),
    (): Array<{ readonly time: string; readonly begins: boolean; readonly versions: ReadonlyArray<ViewVersion> }> => [],
    (all, { records }) => {
      for (const { value } of records) {
        const event = Result.getOrThrow(eventReader.readEvent(value ?? new Uint8Array()))
        if (event.type !== viewsChanged.type) continue
        const { begins = false, versions } = event.data as typeof viewsChanged.data.Type
        all.push({ time: event.time, begins, versions })
      }
      return all
    },
  )

const dataOf = ({ view, whole }: ViewVersion) => [view, JSON.parse(whole ?? "null").data] as const

it("a month begins with every view of the fold, whole, as it was before the commit, in the same commit", () =>
  withLog((log) =>
    Effect.gen(function* () {
      const latest = writing("latest", SLOW, QUICK)
      yield* write(log, [observed(JANUARY, "things", 1), tick(JANUARY + 10_000)])
      yield* foldAll(log, latest)
      // A view of another processor stands in the log, too: that one begins its months with it.
      yield* foldAll(log, writing("world-deltas", FOREIGN, FOREIGN))
      const before = (yield* versionsIn(log)).length
      // A restart between the months: what the views were is read from the log.
      yield* write(log, [tick(FEBRUARY + 3_000), tick(FEBRUARY + 13_000)])
      yield* foldAll(log, latest)
      const [begin, change, ...others] = (yield* versionsIn(log)).slice(before)
      expect(begin).toMatchObject({ time: "2026-02-01T00:00:13.000Z", begins: true })
      expect(new Map((begin?.versions ?? []).map(dataOf))).toEqual(
        new Map([
          [SLOW, JANUARY],
          [QUICK, JANUARY + 10_000],
        ]),
      )
      expect(change).toMatchObject({ time: begin?.time, begins: false })
      expect(change?.versions.map(dataOf)).toEqual([[QUICK, FEBRUARY + 13_000]])
      expect(others).toEqual([])
      // Within the month no commit says so again, after a restart either.
      yield* write(log, [tick(FEBRUARY + 23_000)])
      yield* foldAll(log, latest)
      expect((yield* versionsIn(log)).slice(before).map(({ begins }) => begins)).toEqual([true, false, false])
    }),
  ))

it("a fold that catches up commits before a gap, so that each side of it is known as of its own time", () =>
  withLog((log) =>
    Effect.gen(function* () {
      const latest = writing("latest", SLOW, QUICK)
      const HOUR_MS = 3_600_000
      const noon = JANUARY - 12 * HOUR_MS
      yield* write(log, [
        observed(noon, "things", 1),
        // Within a quarter of an hour: one commit, and of a view that changes twice the last version.
        tick(noon + 10_000),
        tick(noon + 14 * 60_000),
        observed(noon + 3 * HOUR_MS, "things", 2),
        tick(noon + 3 * HOUR_MS + 15 * 60_000),
      ])
      yield* foldAll(log, latest)
      const changed = (yield* versionsIn(log)).filter(({ begins }) => !begins)
      expect(changed.map(({ time, versions }) => [Date.parse(time) - noon, versions.map(dataOf)])).toEqual([
        [
          14 * 60_000,
          [
            [SLOW, noon],
            [QUICK, noon + 14 * 60_000],
          ],
        ],
        [3 * HOUR_MS, [[SLOW, noon + 3 * HOUR_MS]]],
        [3 * HOUR_MS + 15 * 60_000, [[QUICK, noon + 3 * HOUR_MS + 15 * 60_000]]],
      ])
    }),
  ))
