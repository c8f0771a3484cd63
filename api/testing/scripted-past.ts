import * as Effect from "effect/Effect"
import { type Cursor, cursorText } from "../../schemas/change.ts"
import { instant } from "../../schemas/event.ts"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import { type Past, type PastRecords, type Purge, VersionDamaged } from "../../schemas/ports/past.ts"
import {
  VIEW_BODY_VERSION,
  VIEW_FRESHNESS_VERSION,
  type ViewFreshness,
  viewBodyText,
} from "../../schemas/view-record.ts"
import type { PastSource } from "../past/known-view.ts"

/** The name of the log whose changes a script numbers. */
export const SCRIPTED_LOG = "k7f2qdxa"

interface Version {
  readonly knownMs: number
  readonly body: Uint8Array | null
  readonly freshness: Uint8Array | null
}

/** A past that tests write, version by version. */
export interface ScriptedPast {
  readonly source: PastSource
  /** From `knownMs` on a view had this data, fresh for five minutes unless given, of these sources. */
  readonly version: (
    view: string,
    knownMs: number,
    data: unknown,
    freshness?: { readonly freshForMs?: number; readonly source?: string } | ViewFreshness,
  ) => void
  /** From `knownMs` on the body of a view was recorded as this text. */
  readonly record: (view: string, knownMs: number, body: string) => void
  /** From `knownMs` on a view had no data, and never had. */
  readonly cold: (view: string, knownMs: number) => void
  /** A change of an item that became known then. */
  readonly change: (ordinal: number, knownMs: number) => string
  /** The last instant that is settled; null for none. */
  readonly settle: (ms: number | null) => void
  /** How it answers from now on. */
  readonly fail: (how: "not" | "unavailable" | "never" | "damaged") => void
  /** A source may no longer be shown. */
  readonly withdraw: (source: string) => void
  /** An operator takes out the replies of an endpoint that were known between two instants. */
  readonly purge: (path: string, fromMs: number, toMs: number) => void
  /** The terms of a source require this line of credit. */
  readonly credit: (source: string, line: string) => void
  /** How many records were read. */
  readonly reads: () => number
}

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const freshnessFor = (knownMs: number, freshForMs: number, name: string): ViewFreshness => ({
  v: VIEW_FRESHNESS_VERSION,
  asOf: instant(knownMs),
  staleAfter: instant(knownMs + freshForMs),
  sources: [
    {
      name,
      status: "live",
      fetched_at: instant(knownMs),
      latency_ms: 12,
      staleAfter: instant(knownMs + freshForMs),
    },
  ],
})

/** Makes a past without a version, in which nothing is settled. */
export const scriptedPast = (): ScriptedPast => {
  const versions = new Map<string, Array<Version>>()
  const changes: Array<{ readonly cursor: Cursor; readonly knownMs: number }> = []
  const withdrawn = new Set<string>()
  const purged: Array<Purge> = []
  const credits = new Map<string, string>()
  let settledMs: number | null = null
  let failure: "not" | "unavailable" | "never" | "damaged" = "not"
  let reads = 0

  const answer = <A>(make: () => A) =>
    Effect.suspend(() => {
      if (failure === "unavailable") return Effect.fail(new HistoryUnavailable({ problem: "away" }))
      return failure === "never" ? Effect.never : Effect.succeed(make())
    })
  const changeAt = (atMs: number) => changes.findLast(({ knownMs }) => knownMs <= atMs)?.cursor ?? null
  const add = (view: string, one: Version) => {
    const all = [...(versions.get(view) ?? []), one].sort((a, b) => a.knownMs - b.knownMs)
    versions.set(view, all)
  }

  const views: Past = {
    settledMs: answer(() => settledMs),
    knownAt: (view, atMs) =>
      Effect.gen(function* () {
        reads += 1
        if (failure === "damaged") return yield* new VersionDamaged({ view, atMs })
        return yield* answer(() => {
          const records = versions.get(view)?.findLast(({ knownMs }) => knownMs <= atMs)
          return records === undefined ? null : { records, change: changeAt(atMs) }
        })
      }),
    changeAt: (atMs) => answer(() => changeAt(atMs)),
    knownMsOf: ({ log, ordinal }) =>
      answer(() => {
        const [first] = changes.filter(({ cursor }) => cursor.log === log)
        if (first !== undefined && ordinal < first.cursor.ordinal) return "before"
        return changes.find(({ cursor }) => cursor.log === log && cursor.ordinal >= ordinal)?.knownMs ?? null
      }),
    recordsTogether: (views, atMs) =>
      Effect.suspend(() => {
        reads += 1
        return answer(
          () =>
            new Map(
              views.flatMap((view): ReadonlyArray<[string, PastRecords | VersionDamaged]> => {
                const known = versions.get(view)?.findLast(({ knownMs }) => knownMs <= atMs)
                if (known === undefined) return []
                return [[view, failure === "damaged" ? new VersionDamaged({ view, atMs }) : known]]
              }),
            ),
        )
      }),
    purges: answer(() => [...purged]),
    firstMs: (views) =>
      answer(
        () =>
          new Map(
            views.flatMap((view): ReadonlyArray<[string, number]> => {
              const first = versions.get(view)?.[0]
              return first === undefined ? [] : [[view, first.knownMs]]
            }),
          ),
      ),
  }
  return {
    source: { views, isShown: (provider) => !withdrawn.has(provider), credits },
    version: (view, knownMs, data, freshness = {}) => {
      const stated =
        "v" in freshness
          ? freshness
          : freshnessFor(knownMs, freshness.freshForMs ?? 300_000, freshness.source ?? "Provider.things")
      const body = viewBodyText({ v: VIEW_BODY_VERSION, changedAt: instant(knownMs) }, JSON.stringify(data))
      add(view, { knownMs, body: Buffer.from(body), freshness: bytes(stated) })
    },
    record: (view, knownMs, body) => add(view, { knownMs, body: Buffer.from(body), freshness: null }),
    cold: (view, knownMs) => {
      const sources = [
        {
          name: "Provider.things",
          status: null,
          fetched_at: null,
          latency_ms: null,
          staleAfter: null,
          reason: "timeout: it did not answer",
        },
      ]
      const freshness = bytes({ v: VIEW_FRESHNESS_VERSION, asOf: null, staleAfter: null, sources })
      add(view, { knownMs, body: null, freshness })
    },
    change: (ordinal, knownMs) => {
      const cursor = { log: SCRIPTED_LOG, ordinal }
      changes.push({ cursor, knownMs })
      return cursorText(cursor)
    },
    settle: (ms) => {
      settledMs = ms
    },
    fail: (how) => {
      failure = how
    },
    withdraw: (source) => withdrawn.add(source),
    purge: (path, fromMs, toMs) => purged.push({ path, fromMs, toMs }),
    credit: (source, line) => credits.set(source, line),
    reads: () => reads,
  }
}
