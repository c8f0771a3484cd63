import * as Effect from "effect/Effect"
import { LogFull, LogUnavailable } from "../../../schemas/ports/event-log.ts"
import { isDiskLow } from "../../system/disk.ts"
import { codeOf } from "../../system/error.ts"
import { BytesExceeded } from "./operations.ts"
import type { Signal } from "./signal.ts"
import type { Frame, Store } from "./store.ts"

/** One open log. Several in a thread share the store; each is closed separately. */
export interface OpenLog {
  readonly path: string
  readonly store: Store
  readonly closed: () => boolean
  readonly signal: Signal
  readonly bytesMax: number
  readonly removalsKept: number
  readonly waitingBytesMax: number
  readonly waiting: { bytes: number }
}

/** Why a transaction failed. `full`, `aborted`: nothing was written. `unclear`: it may or may not have been written. */
export type TransactionFailure =
  | { readonly kind: "full"; readonly cause: unknown }
  | { readonly kind: "aborted"; readonly cause: unknown }
  | { readonly kind: "unclear"; readonly cause: unknown }

/**
 * Runs `work` in its own write transaction, which is rolled back if it throws, and succeeds once it is on disk.
 * Transactions that are started together are committed and flushed together, in the order of their start.
 */
export const transact = <A>({ path, store, closed }: OpenLog, work: () => A): Effect.Effect<A, TransactionFailure> =>
  Effect.callback<A, TransactionFailure>((resume) => {
    const attempt = async (): Promise<Effect.Effect<A, TransactionFailure>> => {
      const entering = store.gate.enter()
      if (entering !== undefined) await entering
      try {
        if (closed()) throw new Error("it is closed")
        return Effect.succeed(await store.root.childTransaction(work))
      } catch (error) {
        const { cause, committing } = await lmdbFailure(error)
        if (cause instanceof BytesExceeded) return Effect.fail({ kind: "full", cause })
        if (isDiskFull(path, cause)) {
          store.room.failed()
          return Effect.fail({ kind: "full", cause })
        }
        return Effect.fail({ kind: committing ? "unclear" : "aborted", cause })
      } finally {
        store.gate.leave()
      }
    }
    void attempt().then(resume)
  })

/** Like `transact`, for work that needs disk space: fails at once while the disk is known to be full. */
export const transactWithSpace = <A>(opened: OpenLog, work: () => A): Effect.Effect<A, TransactionFailure> =>
  Effect.suspend(() => {
    const refusal = opened.store.room.refusal()
    return refusal === null ? transact(opened, work) : Effect.fail<TransactionFailure>({ kind: "full", cause: refusal })
  })

/** Runs `work`, which writes `frames`; fails if too many bytes are waiting to be written already. */
export const transactFrames = <A>(
  opened: OpenLog,
  frames: ReadonlyArray<Frame>,
  work: () => A,
): Effect.Effect<A, TransactionFailure> =>
  Effect.suspend(() => {
    const { waiting, waitingBytesMax } = opened
    const bytes = frames.reduce((sum, { entry }) => sum + entry.bytes, 0)
    if (waiting.bytes + bytes > waitingBytesMax)
      return Effect.fail<TransactionFailure>({
        kind: "aborted",
        cause: new Error(`${waiting.bytes} bytes wait to be written`),
      })
    waiting.bytes += bytes
    return transactWithSpace(opened, work).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          waiting.bytes -= bytes
        }),
      ),
    )
  })

/** Maps the cause of a `full` transaction to the port's error. */
export const logFull = (cause: unknown): LogFull =>
  new LogFull({ problem: cause instanceof BytesExceeded ? "it holds its maximum of bytes" : String(cause) })

export const unavailable =
  (problem: string) =>
  (cause: unknown): LogUnavailable =>
    new LogUnavailable({ problem, cause })

/** Reads the store; fails once the log is closed, as its memory is unmapped then. */
export const readStore = <A>({ closed }: OpenLog, read: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.suspend(() =>
    closed()
      ? Effect.fail(unavailable("it is closed")(undefined))
      : Effect.try({ try: read, catch: unavailable("it cannot be read") }),
  )

/** Error codes of a full disk: no space, quota (Linux, macOS), file size limit, and LMDB's two codes for a full map. */
const FULL_CODES: ReadonlySet<unknown> = new Set([28, 122, 69, 27, -30792, -30788])
/** LMDB reports a short write, as on a disk that became full, as an input/output error (EIO). */
const INPUT_OUTPUT_ERROR = 5
/** Longest wait for the library's reason of a failed commit, which normally follows at once. */
const REASON_MAX_MS = 1_000

/**
 * Finds the cause of a failed transaction from the error with which it rejected; `committing` is true if its commit failed.
 * The library rejects every transaction of a failed commit with one error, whose member `commitError` is a promise of the
 * cause. That promise must be handled: an unhandled rejection ends the process.
 */
export const lmdbFailure = async (
  error: unknown,
): Promise<{ readonly cause: unknown; readonly committing: boolean }> => {
  if (typeof error !== "object" || error === null || !("commitError" in error))
    return { cause: error, committing: false }
  const reason = Promise.resolve(error.commitError).catch((cause: unknown) => cause)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<unknown>((resolve) => {
    timer = setTimeout(() => resolve(error), REASON_MAX_MS)
  })
  try {
    return { cause: await Promise.race([reason, late]), committing: true }
  } finally {
    clearTimeout(timer)
  }
}

/** Tests whether an error of the library, or of the system, means that the disk of a path is full. */
export const isDiskFull = (path: string, error: unknown): boolean => {
  const code = codeOf(error)
  return (
    FULL_CODES.has(code) || code === "ENOSPC" || code === "EDQUOT" || (code === INPUT_OUTPUT_ERROR && isDiskLow(path))
  )
}
