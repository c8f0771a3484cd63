import type { QuotaWindow } from "./checkpoint.ts"
import type { Quota, QuotaPeriod } from "./provider-access.ts"

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The length of each period, and of the pieces in which its requests are counted. */
const periods: Readonly<Record<QuotaPeriod, { readonly lengthMs: number; readonly pieceMs: number }>> = {
  minute: { lengthMs: 60 * SECOND_MS, pieceMs: 5 * SECOND_MS },
  hour: { lengthMs: HOUR_MS, pieceMs: 60 * SECOND_MS },
  day: { lengthMs: DAY_MS, pieceMs: HOUR_MS },
  month: { lengthMs: 31 * DAY_MS, pieceMs: DAY_MS },
}

type Piece = QuotaWindow["pieces"][number]

/** The pieces that still count: a piece expires once its end is older than the period. */
const counted = (pieces: ReadonlyArray<Piece>, per: QuotaPeriod, nowMs: number): ReadonlyArray<Piece> => {
  const { lengthMs, pieceMs } = periods[per]
  const thisPieceMs = nowMs - (nowMs % pieceMs)
  return (
    pieces
      .filter(({ startMs }) => startMs + pieceMs + lengthMs > nowMs)
      // After the clock was set back, pieces in the future count as now; otherwise they would not expire in time.
      .map((piece) => (piece.startMs <= nowMs ? piece : { ...piece, startMs: thisPieceMs }))
  )
}

/** Milliseconds until enough pieces expire that the count is below `max`; null if it is below now. */
const waitMs = (
  pieces: ReadonlyArray<Piece>,
  per: QuotaPeriod,
  max: number,
  countOf: (piece: Piece) => number,
  nowMs: number,
): number | null => {
  const { lengthMs, pieceMs } = periods[per]
  let count = pieces.reduce((sum, piece) => sum + countOf(piece), 0)
  if (count < max) return null
  for (const piece of pieces) {
    count -= countOf(piece)
    if (count < max) return Math.max(1, piece.startMs + pieceMs + lengthMs - nowMs)
  }
  return lengthMs
}

/**
 * Milliseconds until a quota admits a request; null if it does now. The period slides, so that the quota holds whether the
 * provider counts by calendar or by any period.
 */
export const quotaWaitMs = (
  { per, requestsMax, onRequestMax }: Quota,
  window: QuotaWindow | undefined,
  isOnRequest: boolean,
  nowMs: number,
): number | null => {
  const pieces = counted(window?.pieces ?? [], per, nowMs)
  const waits = [
    waitMs(pieces, per, requestsMax, ({ requests }) => requests, nowMs),
    isOnRequest && onRequestMax !== undefined
      ? waitMs(pieces, per, onRequestMax, ({ onRequest }) => onRequest, nowMs)
      : null,
  ].filter((wait) => wait !== null)
  return waits.length === 0 ? null : Math.max(...waits)
}

/** The window of a quota after one more request at `nowMs`. */
export const countRequest = (
  per: QuotaPeriod,
  window: QuotaWindow | undefined,
  isOnRequest: boolean,
  nowMs: number,
): QuotaWindow => {
  const { pieceMs } = periods[per]
  const startMs = nowMs - (nowMs % pieceMs)
  const byStart = new Map<number, Piece>()
  const one = { startMs, requests: 1, onRequest: isOnRequest ? 1 : 0 }
  for (const piece of [...counted(window?.pieces ?? [], per, nowMs), one]) {
    const same = byStart.get(piece.startMs)
    byStart.set(piece.startMs, {
      startMs: piece.startMs,
      requests: piece.requests + (same?.requests ?? 0),
      onRequest: piece.onRequest + (same?.onRequest ?? 0),
    })
  }
  return { per, pieces: [...byStart.values()].sort((a, b) => a.startMs - b.startMs) }
}
