import { cursorText, parseCursor } from "../../schemas/change.ts"
import { LOG_NAME } from "../changes/numbered-changes.ts"
import type { Chance } from "../changes/simulation/chance.ts"

/** How a reader reads, and which changes it wants. */
export interface ReaderKind {
  readonly door: "page" | "long-poll" | "stream"
  /** Parameters of its filter. */
  readonly query: Readonly<Record<string, string>>
  readonly wants: (ordinal: number) => boolean
}

/** A reader over HTTP that connects again and again, and compares each change with the one that is due. */
export interface ChangesReader {
  /** Everything up to this number was got, or passed by. */
  readonly at: () => number
  /** Resolves when it has got everything up to `end`; rejects with what went wrong. */
  readonly ended: Promise<void>
}

/** Starts a reader of the changes with the numbers 1 to `end`; its connections are cut at random moments. */
export const startReader = (
  url: string,
  { door, query, wants }: ReaderKind,
  chance: Chance,
  end: number,
): ChangesReader => {
  let at = 0

  const receive = (cursor: string): void => {
    const ordinal = parseCursor(cursor)?.ordinal ?? Number.NaN
    let due = at + 1
    while (!wants(due)) due += 1
    if (ordinal !== due) throw new Error(`a ${door} reader got ${cursor} behind ${at}; due was ${due}`)
    at = ordinal
  }
  const moveTo = (cursor: string): void => {
    const ordinal = parseCursor(cursor)?.ordinal ?? Number.NaN
    for (let passed = at + 1; passed <= ordinal; passed += 1)
      if (wants(passed)) throw new Error(`a ${door} reader was moved from ${at} to ${cursor}, past ${passed}`)
    if (!(ordinal >= at)) throw new Error(`a ${door} reader was moved back from ${at} to ${cursor}`)
    at = ordinal
  }

  const readPage = async (signal: AbortSignal): Promise<void> => {
    const after = at === 0 ? "start" : cursorText({ log: LOG_NAME, ordinal: at })
    const asked = { ...query, after, limit: "200", ...(door === "long-poll" ? { wait: "2" } : {}) }
    const response = await fetch(`${url}/api/changes?${new URLSearchParams(asked)}`, { signal })
    if (response.status === 204) return moveTo(response.headers.get("x-service-next-cursor") ?? "")
    if (response.status !== 200) return expectBusy(response)
    // A body that is cut is none.
    const { changes, next } = (await response.json()) as {
      readonly changes: ReadonlyArray<{ readonly cursor: string }>
      readonly next: string | null
    }
    for (const { cursor } of changes) receive(cursor)
    if (next !== null) moveTo(next)
  }

  const readStream = async (signal: AbortSignal): Promise<void> => {
    const begun = at === 0
    const response = await fetch(
      `${url}/api/stream?${new URLSearchParams({ ...query, ...(begun ? { after: "start" } : {}) })}`,
      { signal, headers: begun ? {} : { "last-event-id": cursorText({ log: LOG_NAME, ordinal: at }) } },
    )
    if (response.status !== 200 || response.body === null) return expectBusy(response)
    let rest = ""
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      rest += piece
      const events = rest.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) {
        const id = /^id: (.*)$/m.exec(event)?.[1]
        if (event.includes("event: gap")) throw new Error(`a gap was sent: ${event}`)
        if (id === undefined) continue
        if (event.includes("\ndata: ")) receive(id)
        else moveTo(id)
      }
      if (at >= end) return
    }
  }

  /** Refusals that pass: the process has just begun, or is about to end. */
  const expectBusy = async (response: Response): Promise<void> => {
    const text = await response.text()
    if (response.status !== 503) throw new Error(`a ${door} reader was refused: ${response.status} ${text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }

  const read = async (): Promise<void> => {
    while (at < end) {
      const cut = new AbortController()
      const timer = setTimeout(() => cut.abort(), 100 + chance.below(3_000))
      try {
        await (door === "stream" ? readStream(cut.signal) : readPage(cut.signal))
      } catch (error) {
        // Connections are cut by the reader, and by the death of the process.
        if (!(error instanceof TypeError || (error instanceof Error && error.name === "AbortError"))) throw error
        await new Promise((resolve) => setTimeout(resolve, 10))
      } finally {
        clearTimeout(timer)
      }
    }
  }
  return { at: () => at, ended: read() }
}
