import type { Connection } from "../../../api/changes/connection.ts"
import { type ChangeFilter, filterOf } from "../../../api/changes/filter.ts"
import { pageBehind } from "../../../api/changes/page.ts"
import { placeOf } from "../../../api/changes/place.ts"
import type { ChangeStream } from "../../../api/changes/streams.ts"
import type { Service } from "./service.ts"
import { Place, type Truth, Violation, type Wanted } from "./truth.ts"

/** How a reader reads. */
export type Door = "page" | "long-poll" | "stream"

/** The network between the service and a reader: what was written waits until it is delivered. */
class Wire implements Connection {
  #unsent: Array<Buffer> = []
  #bytes = 0
  isClosed = false
  readonly #onClose: () => void

  constructor(onClose: () => void) {
    this.#onClose = onClose
  }

  get unsentBytes(): number {
    return this.#bytes
  }

  write(bytes: Buffer): void {
    if (this.isClosed) return
    this.#unsent.push(bytes)
    this.#bytes += bytes.length
  }

  end(): void {
    if (this.#bytes === 0) this.destroy()
  }

  destroy(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#unsent = []
    this.#bytes = 0
    this.#onClose()
  }

  /** Delivers at most so many bytes. */
  deliver(bytesMax: number): string {
    const all = Buffer.concat(this.#unsent)
    const delivered = all.subarray(0, bytesMax)
    const rest = all.subarray(bytesMax)
    this.#unsent = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
    return delivered.toString("latin1")
  }
}

/** A reader of changes with a filter and a door: it goes on from its cursor, whatever happens to the service. */
export class Reader {
  readonly name: string
  readonly door: Door
  readonly #truth: Truth
  readonly #wanted: Wanted
  readonly #oldest: (log: string) => number | null
  #place: Place | null = null
  #isBusy = false
  #stream: { readonly service: Service; readonly stream: ChangeStream; readonly wire: Wire } | null = null
  /** The text of a stream behind its last whole event. */
  #rest = ""

  constructor(name: string, door: Door, truth: Truth, wanted: Wanted, oldest: (log: string) => number | null) {
    this.name = name
    this.door = door
    this.#truth = truth
    this.#wanted = wanted
    this.#oldest = oldest
  }

  /** Whether it has got everything that it wants. */
  get isAtEnd(): boolean {
    const { last } = this.#truth
    if (last === null) return true
    const place = this.#place
    return place !== null && place.log === last.log && this.#truth.nextWanted(last.log, place.at, this.#wanted) === null
  }

  /** What it waits for, in words. */
  get situation(): string {
    return `${this.name} (${this.door}) is ${this.#place === null ? "nowhere" : `behind ${this.#place.cursor}`}`
  }

  /** Reads on, where it does not read already. */
  act(service: Service): void {
    if (this.#isBusy || !service.isFilled) return
    if (this.door === "stream") {
      if (this.#stream === null) this.#inTheBackground(() => this.#connect(service))
    } else this.#inTheBackground(() => this.#readPage(service))
  }

  /** Takes what the network delivers of its stream, at most so many bytes. */
  take(bytesMax: number): void {
    const open = this.#stream
    if (open === null) return
    const { wire, stream, service } = open
    const had = wire.unsentBytes
    this.#rest += wire.deliver(bytesMax)
    for (let end = this.#rest.indexOf("\n\n"); end !== -1; end = this.#rest.indexOf("\n\n")) {
      this.#onEvent(this.#rest.slice(0, end))
      this.#rest = this.#rest.slice(end + 2)
    }
    if (had > 0 && wire.unsentBytes === 0) service.streams.resume(stream)
    if (stream.state === "ended" && wire.unsentBytes === 0) wire.destroy()
  }

  /** Loses its connection, with what is on the way. */
  cut(): void {
    this.#stream?.wire.destroy()
  }

  #filter(service: Service): ChangeFilter {
    const { magnitudeMin, type } = this.#wanted
    const filter = filterOf(
      {
        ...(magnitudeMin === null ? {} : { min_magnitude: String(magnitudeMin) }),
        ...(type === null ? {} : { types: type }),
      },
      service.feeds,
    )
    if (filter._tag === "Refused") throw new Violation(`a filter was refused: ${filter.message}`)
    return filter
  }

  #inTheBackground(run: () => Promise<void>): void {
    this.#isBusy = true
    run().then(
      () => {
        this.#isBusy = false
      },
      (cause: unknown) => {
        this.#isBusy = false
        this.failure ??= cause
      },
    )
  }

  /** The first thing that went wrong. */
  failure: unknown = undefined

  /** Where it goes on at a service; null where that refuses it for now. */
  async #begin(service: Service): Promise<{ readonly log: string | null; readonly after: number } | null> {
    const { window, reads } = service
    const place = await placeOf(this.#place?.cursor ?? "start", window, reads, () => !service.isEnded)
    if (service.isEnded) return null
    if (place._tag === "Refused") {
      const { error } = place.problem.body
      if (error === "changes_unavailable") return null
      if (error === "future_cursor" && this.#truth.hasLostTail) return null
      if (error !== "other_log") throw new Violation(`${this.situation}, and is refused: ${error}`)
      if (this.#place?.log === this.#truth.last?.log && !this.#truth.hasLostTail)
        throw new Violation(`${this.situation}, which is called another log`)
      this.#place = null
      return null
    }
    if (this.#place === null) {
      if (place.log === null) return null
      this.#place = new Place(this.#truth, this.#wanted, { log: place.log, ordinal: place.after })
      const oldest = this.#oldest(place.log)
      if (oldest !== null && place.after >= oldest)
        throw new Violation(`the start is behind ${this.#place.cursor}; the oldest change is ${oldest}`)
    }
    return place
  }

  #gone(service: Service, oldest: number): void {
    if (this.#place?.log === service.window.log)
      this.#place?.passGap(service.window.cursorOf(oldest - 1) ?? "", this.#oldest(this.#place.log))
  }

  async #readPage(service: Service): Promise<void> {
    const { window, reads, streams } = service
    const begun = await this.#begin(service)
    if (begun === null || this.#place === null) return
    const filter = this.#filter(service)
    const { log } = begun
    let { after } = begun
    const limit = 1 + (after % 7)
    const untilMs = service.nowMs() + 20_000
    for (;;) {
      const page = await pageBehind(window, reads, filter, { log, after, limit, isWanted: () => !service.isEnded })
      if (service.isEnded || page._tag === "Unavailable" || page._tag === "OtherLog") return
      if (page._tag === "Gone") return this.#gone(service, page.oldest)
      for (const { json } of page.changes) this.#place.receive(JSON.parse(json.toString()).cursor)
      const next = window.cursorOf(page.next)
      if (next !== null) this.#place.moveTo(next)
      if (this.door === "page" || page.changes.length > 0 || !page.isUpToDate || service.nowMs() >= untilMs) return
      after = page.next
      const { promise, resolve } = Promise.withResolvers<void>()
      streams.calls.wait({ filter, after, untilMs, wake: resolve })
      service.onEnd(resolve)
      await promise
      if (service.isEnded) return
    }
  }

  async #connect(service: Service): Promise<void> {
    const begun = await this.#begin(service)
    if (begun === null || service.isEnded || begun.log !== service.window.log) return
    this.#rest = ""
    const wire: Wire = new Wire(() => {
      service.streams.remove(stream)
      this.#stream = null
    })
    const stream = service.streams.add(wire, this.#filter(service), begun.after)
    this.#stream = { service, stream, wire }
    service.onEnd(() => wire.destroy())
  }

  #onEvent(text: string): void {
    const fields = new Map(
      text.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    )
    const id = fields.get("id")
    const place = this.#place
    if (place === null || id === undefined) return
    if (fields.get("event") === "gap") {
      const { to } = JSON.parse(fields.get("data") ?? "")
      place.passGap(to, this.#oldest(place.log))
    } else if (fields.get("event") === "change") {
      const { cursor } = JSON.parse(fields.get("data") ?? "")
      if (cursor !== id) throw new Violation(`the change ${cursor} came with the id ${id}`)
      place.receive(cursor)
    } else place.moveTo(id)
  }
}
