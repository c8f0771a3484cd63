import type { QuotaWindow } from "./checkpoint.ts"
import type { Quota, QuotaPeriod } from "./provider-access.ts"

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long each period is, and in what pieces its requests are counted. */
const periods: Readonly<Record<QuotaPeriod, { readonly lengthMs: number; readonly pieceMs: number }>> = {
  minute: { lengthMs: 60 * SECOND_MS, pieceMs: 5 * SECOND_MS },
  hour: { lengthMs: HOUR_MS, pieceMs: 60 * SECOND_MS },
  day: { lengthMs: DAY_MS, pieceMs: HOUR_MS },
  month: { lengthMs: 31 * DAY_MS, pieceMs: DAY_MS },
}

type Piece = QuotaWindow["pieces"][number]

/** The pieces that still count: a piece counts until its last moment is older than the period. */
const counted = (pieces: ReadonlyArray<Piece>, per: QuotaPeriod, nowMs: number): ReadonlyArray<Piece> => {
  const { lengthMs, pieceMs } = periods[per]
  const thisPieceMs = nowMs - (nowMs % pieceMs)
  return (
    pieces
      .filter(({ startMs }) => startMs + pieceMs + lengthMs > nowMs)
      // A clock that was ahead and went back: what it counted is of now, not of a time to come.
      .map((piece) => (piece.startMs <= nowMs ? piece : { ...piece, startMs: thisPieceMs }))
  )
}

/** When so many of a kind of request will be counted no more that one is left of `max`; null where one is left now. */
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
 * How long a request has to wait for a quota, in milliseconds; null where it may be sent now. The period slides, so that
 * the quota holds however the provider counts: by its own calendar or by any hour.
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
