import { type ChangeFilter, matches, type ReadyChange } from "./filter.ts"
import type { ChangeWindow } from "./window.ts"

/** Bytes of one write, at most; a single change may exceed it. */
const BATCH_MAX_BYTES = 64 * 1024
/** Batches that are shared by the streams of one pass. */
const BATCHES_MAX = 64

/** An event with empty data is dispatched, so that a page notices that none comes; one without any is not. */
const heartbeatOf = (id: string | null): Buffer =>
  Buffer.from(`event: heartbeat\n${id === null ? "" : `id: ${id}\n`}data:\n\n`)

/** An event that says which changes can no longer be read. */
export const gapOf = (from: string | null, to: string | null): Buffer =>
  Buffer.from(`event: gap\nid: ${to}\ndata: ${JSON.stringify({ from, to })}\n\n`)

/** What a stream begins with: when to come back after its end, and where it is. */
export const openingOf = (retryMs: number, id: string | null): Buffer =>
  Buffer.from(`retry: ${retryMs}\n${id === null ? "" : `id: ${id}\n`}\n`)

/** Changes in the form of one write. */
export interface Batch {
  /** Null where none matches. */
  readonly bytes: Buffer | null
  readonly reached: number
}

/** Frames that match, as many as fit into `bytesMax`, at least one; `reached`: of all. */
export const batchOf = (
  changes: Iterable<ReadyChange>,
  filter: ChangeFilter,
  after: number,
  reached: number,
  bytesMax: number,
): Batch => {
  const frames: Array<Buffer> = []
  let bytes = 0
  let looked = after
  for (const change of changes) {
    if (matches(filter, change)) {
      if (frames.length > 0 && bytes + change.frame.length > bytesMax) return { bytes: joined(frames), reached: looked }
      frames.push(change.frame)
      bytes += change.frame.length
    }
    looked = change.ordinal
  }
  return { bytes: joined(frames), reached }
}

const joined = (frames: ReadonlyArray<Buffer>): Buffer | null => {
  const [first, ...others] = frames
  if (first === undefined) return null
  return others.length === 0 ? first : Buffer.concat(frames)
}

/** The writes of one pass, made once for all streams that are at the same place and want the same. */
export class Batches {
  readonly #window: ChangeWindow
  readonly #kept = new Map<string, Batch>()

  constructor(window: ChangeWindow) {
    this.#window = window
  }

  /** What the window holds behind a number, as much as one write takes. */
  behind(cursor: number, filter: ChangeFilter): Batch {
    const window = this.#window
    const key = `${cursor} ${filter.key}`
    return (
      this.#kept.get(key) ??
      this.#keep(key, batchOf(window.behind(cursor), filter, cursor, window.reached, BATCH_MAX_BYTES))
    )
  }

  /** The event that says where a stream is. */
  heartbeat(cursor: number): Batch {
    const key = `beat ${cursor}`
    return (
      this.#kept.get(key) ?? this.#keep(key, { bytes: heartbeatOf(this.#window.cursorOf(cursor)), reached: cursor })
    )
  }

  /** Forgets them: the window has changed. */
  clear(): void {
    this.#kept.clear()
  }

  #keep(key: string, batch: Batch): Batch {
    if (this.#kept.size < BATCHES_MAX) this.#kept.set(key, batch)
    return batch
  }
}
