import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { entryHash, firstTail, readEntry, type Tail } from "../../../ledger/model/entry.ts"
import { type CacheVerification, verifyCached } from "../../../ledger/verify/cached.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import type { EventLog, ReadFailed } from "../../../schemas/ports/event-log.ts"
import type { Stage } from "../../../schemas/ports/progress.ts"
import type { Settings } from "../../config/settings.ts"
import { openWholeLog, refuseMissing } from "../../log/open.ts"
import { copyLmdbState, openLmdbState, STATE_FOLDER } from "../../state/lmdb-state.ts"
import { openProgress } from "../../telemetry/progress.ts"
import { parseJson, readText, receiptProblems, sentFrom, verifySaved } from "../receipt-verify.ts"
import { Refused, type Report } from "./report.ts"

/** Wraps a log so that its reads advance a progress stage. */
const showReading = (log: EventLog, { advance }: Stage): EventLog => ({
  ...log,
  read: (topic, from) =>
    log.read(topic, from).pipe(Stream.tap(({ records }) => Effect.sync(() => advance(records.length)))),
})

// Commands that only read, so they may run beside the service.

/** Records at the end of the log that are searched for the last entry; doubled until it is found. */
const LAST_RECORDS = 64

/** A saved head, by `head --save` or from a verification. */
const SavedHead = Schema.Struct({
  sequence: Schema.Natural,
  hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)),
})
const isSavedHead = Schema.is(SavedHead)

/** The entry that an anchor names: a saved head, or a receipt with a valid signature. */
const anchorOf = (path: string, jwks: string | undefined, settings: Settings) =>
  Effect.gen(function* () {
    const text = yield* readText(path)
    const value = text.startsWith("{") ? yield* parseJson(text, path) : null
    if (isSavedHead(value)) return value
    const verdict = yield* verifySaved(yield* sentFrom(text, path), jwks, settings)
    const { claims, reason } = verdict
    if (claims === null)
      return yield* new Refused({ problem: `${path}: ${receiptProblems[reason ?? "malformed"]}: it anchors nothing` })
    if (claims.entry === null)
      return yield* new Refused({ problem: `${path}: the call was free of charge: its receipt names no entry` })
    return claims.entry
  })

/** Options of a verification. */
export interface AnchorOptions {
  /** A file with a receipt or a saved head. */
  readonly anchor: string | undefined
  /** File or URL of the public keys of receipts; this installation's own by default. */
  readonly jwks: string | undefined
}

/** Compares the cached state in the data folder with the log, on a copy, as the service may be writing it. Null without one. */
const verifyCache = (settings: Settings, log: EventLog) =>
  Effect.gen(function* () {
    const copy = yield* copyLmdbState(join(settings.dataDirectory, STATE_FOLDER))
    if (copy === null) return null
    const secrets = settings.ledgerOperatorSecret ?? []
    return yield* verifyCached(log, yield* openLmdbState({ path: copy, secrets }))
  }).pipe(
    Effect.catchTags({
      StateDamaged: ({ problem }) => Effect.succeed<CacheVerification>({ sequence: null, verdict: "wrong", problem }),
      StateUnwritable: ({ problem }) =>
        Effect.succeed<CacheVerification>({ sequence: null, verdict: "unread", problem }),
    }),
  )

const cacheLines = ({ sequence, verdict, problem }: CacheVerification): ReadonlyArray<string> => {
  switch (verdict) {
    case "same":
      return [`the cached state holds: it is the fold of the log up to entry ${sequence}`]
    case "unusable":
      return [`the cached state is not used, and folded again at the next start: ${problem}`]
    case "unread":
      return [`the cached state was not read, try again: ${problem}`]
    case "wrong":
      return [
        `THE CACHED STATE DOES NOT HOLD: ${problem}`,
        `stop the service and move the folder ${STATE_FOLDER} out of DATA_DIR: the state is then folded again from the log`,
      ]
  }
}

/** Folds the whole ledger and verifies it, then its cached state. */
export const verify = (settings: Settings, { anchor, jwks }: AnchorOptions) =>
  Effect.gen(function* () {
    const expected = anchor === undefined ? undefined : yield* anchorOf(anchor, jwks, settings)
    yield* refuseMissing(settings)
    const log = yield* openWholeLog(settings)
    const total = (yield* log.end("ledger")) - (yield* log.start("ledger"))
    const proof = yield* verifyLedger(
      showReading(log, (yield* openProgress()).begin("verify", total, "entries")),
      expected,
    )
    const { entries, accounts, purchases, balance, shortfall, tail, anchored, offence } = proof
    const cache = offence === null ? yield* verifyCache(settings, log) : null
    const counts = `${entries} entries, ${accounts} accounts, ${purchases} purchases; balances ${balance}, shortfalls ${shortfall} credits`
    return {
      facts: { ...proof, cache },
      code: offence === null && cache?.verdict !== "wrong" && cache?.verdict !== "unread" ? 0 : 1,
      lines:
        offence === null
          ? [
              `the ledger holds: ${counts}`,
              `last entry ${tail.sequence}, SHA-256 ${tail.hash}`,
              ...(expected === undefined ? [] : [`entry ${anchored ?? 0} is the one of ${anchor}`]),
              ...(cache === null ? [] : cacheLines(cache)),
            ]
          : [
              `THE LEDGER DOES NOT HOLD: entry ${offence.sequence} (offset ${offence.offset}): ${offence.problem}`,
              `up to there: ${counts}`,
            ],
    }
  })

const lastEntry = (log: EventLog, count: number): Effect.Effect<Tail, ReadFailed | Refused> =>
  Effect.gen(function* () {
    const [start, end] = [yield* log.start("ledger"), yield* log.end("ledger")]
    const from = Math.max(start, end - count)
    const last = yield* log.read("ledger", from).pipe(
      Stream.flatMap(({ records }) => Stream.fromIterable(records)),
      Stream.runLast,
    )
    if (last._tag === "None") return from <= start ? firstTail : yield* lastEntry(log, 2 * count)
    const entry = readEntry(last.value.value)
    if (Result.isFailure(entry) || last.value.value === null)
      return yield* new Refused({
        problem: "the last entry cannot be read: `npm run ledger -- verify` shows the reason",
      })
    return { sequence: entry.success.data.sequence, hash: entryHash(last.value.value) }
  })

/** Prints the last entry of the log, and saves it to the file `save`. */
export const head = (settings: Settings, save: string | undefined) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    const last = yield* lastEntry(yield* openWholeLog(settings), LAST_RECORDS)
    if (save !== undefined)
      yield* Effect.try({
        try: () => writeFileSync(save, `${JSON.stringify(last)}\n`),
        catch: (cause) => new Refused({ problem: `${save} cannot be written: ${String(cause)}` }),
      })
    return {
      facts: last,
      lines: [`last entry ${last.sequence}, SHA-256 ${last.hash}`, ...(save === undefined ? [] : [`saved to ${save}`])],
    } satisfies Report
  })
