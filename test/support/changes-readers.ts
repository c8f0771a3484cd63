import { setTimeout as sleep } from "node:timers/promises"
import type { Change } from "../../schemas/change.ts"
import type { Chance } from "../changes/simulation/chance.ts"

/** The ways to read changes over HTTP. */
export const doors = ["page", "long-poll", "stream"] as const
type Door = (typeof doors)[number]

/** What a reader makes of what it gets. `receive` and `moveTo` throw where that is not what is due. */
export interface ChangesSink {
  /** The cursor to go on behind; null at the start. */
  readonly cursor: () => string | null
  readonly receive: (change: Change) => void
  /** The reader is moved on without a change: what it passes does not match, or is not shown. */
  readonly moveTo: (cursor: string) => void
  readonly hasEnded: () => boolean
}

/** How a reader reads. */
interface ReaderOptions {
  readonly url: string
  readonly door: Door
  /** Parameters of its filter. */
  readonly query?: Readonly<Record<string, string>>
  readonly sink: ChangesSink
  readonly chance: Chance
  /** Its connections are cut at a random moment before this. */
  readonly cutMaxMs: number
  /** The pause behind a refusal, a cut and a page that is the last one. */
  readonly pauseMs: number
}

const CUT_MIN_MS = 100
const PAGE_CHANGES = "200"
const WAIT_SECONDS = "2"

/**
 * Reads changes until the sink has ended, by one connection after another, each from the last cursor. Rejects with what is
 * wrong, which no cut connection, no dead process and no refusal that passes is.
 */
export const readChanges = async (options: ReaderOptions): Promise<void> => {
  const { url, door, query = {}, sink, chance, cutMaxMs, pauseMs } = options

  /** Refusals that pass: the process has just begun, is about to end, or has not come to read the request in time. */
  const expectBusy = async (response: Response): Promise<void> => {
    const text = await response.text()
    if (response.status !== 503 && response.status !== 408) throw new Error(`refused: ${response.status} ${text}`)
    await sleep(pauseMs)
  }

  const readPage = async (signal: AbortSignal): Promise<void> => {
    const wait = door === "long-poll" ? { wait: WAIT_SECONDS } : {}
    const asked = { ...query, after: sink.cursor() ?? "start", limit: PAGE_CHANGES, ...wait }
    const response = await fetch(`${url}/api/changes?${new URLSearchParams(asked)}`, { signal })
    if (response.status === 204) {
      const next = response.headers.get("x-service-next-cursor")
      if (next !== null) sink.moveTo(next)
      return
    }
    if (response.status !== 200) return expectBusy(response)
    // A body that is cut is none.
    const page = (await response.json()) as {
      readonly changes: ReadonlyArray<Change>
      readonly next: string | null
      readonly up_to_date: boolean
    }
    for (const change of page.changes) sink.receive(change)
    if (page.next !== null) sink.moveTo(page.next)
    if (page.up_to_date && door === "page") await sleep(pauseMs)
  }

  const readStream = async (signal: AbortSignal): Promise<void> => {
    const cursor = sink.cursor()
    const response = await fetch(
      `${url}/api/stream?${new URLSearchParams({ ...query, ...(cursor === null ? { after: "start" } : {}) })}`,
      { signal, headers: cursor === null ? {} : { "last-event-id": cursor } },
    )
    if (response.status !== 200 || response.body === null) return expectBusy(response)
    let rest = ""
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      rest += piece
      const events = rest.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) {
        const id = /^id: (.*)$/m.exec(event)?.[1]
        const data = /^event: change\n(?:.*\n)*?data: (.*)$/m.exec(event)?.[1]
        if (event.includes("event: gap")) throw new Error(`a gap was sent: ${event}`)
        if (id === undefined) continue
        if (data === undefined) {
          sink.moveTo(id)
          continue
        }
        const change = JSON.parse(data) as Change
        if (change.cursor !== id) throw new Error(`the change ${change.cursor} was sent as ${id}`)
        sink.receive(change)
      }
      if (sink.hasEnded()) return
    }
  }

  while (!sink.hasEnded()) {
    const cut = new AbortController()
    const timer = setTimeout(() => cut.abort(), CUT_MIN_MS + chance.below(cutMaxMs))
    try {
      await (door === "stream" ? readStream(cut.signal) : readPage(cut.signal))
    } catch (cause) {
      // Connections are cut by the reader, and by the death of the process.
      if (!(cause instanceof TypeError || (cause instanceof Error && cause.name === "AbortError")))
        throw new Error(`the ${door} reader failed`, { cause })
      await sleep(pauseMs)
    } finally {
      clearTimeout(timer)
    }
  }
}
