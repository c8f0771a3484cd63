import * as Effect from "effect/Effect"
import { type Change, cursorText } from "../../schemas/change.ts"
import { instant } from "../../schemas/event.ts"
import { HistoryUnavailable, HistoryUndecodable } from "../../schemas/ports/history.ts"
import type { HistoryPlace, ItemHistory } from "../../schemas/ports/item-history.ts"

const LOG = "k7f2qdxa"
const KNOWN_AT = "2026-08-17T20:35:00.000Z"

/** What a change of a test says; the rest is filled in. */
type Listed = Partial<Pick<Change, "type" | "feed" | "endpoint" | "parameters" | "key" | "item">>

/** A history of one change a second from the epoch on, in a list. It can be away, or hold what nothing can read. */
export class ListedHistory implements ItemHistory {
  state: "there" | "away" | "damaged" = "there"
  /** When its first change became known. */
  first: number | null = null
  /** How often it was read. */
  reads = 0
  readonly #all: ReadonlyArray<readonly [HistoryPlace, Change]>

  constructor(listed: ReadonlyArray<Listed>) {
    this.#all = listed.map((one, index) => {
      const place = { log: LOG, ordinal: index + 1, timeMs: index * 1_000 }
      const change: Change = {
        cursor: cursorText(place),
        type: "appeared",
        feed: "earthquakes",
        endpoint: "climate/earthquakes",
        parameters: { magnitude: "all", period: "day" },
        key: `quake ${place.ordinal}`,
        item: { magnitude: 5 },
        happened_at: instant(place.timeMs),
        known_at: KNOWN_AT,
        source: "USGS",
        ...one,
      }
      return [place, change]
    })
  }

  readonly firstMs: ItemHistory["firstMs"] = Effect.sync(() => this.first)

  readonly page: ItemHistory["page"] = ({ feed, fromMs, toMs, order }, behind, max) =>
    Effect.suspend((): ReturnType<ItemHistory["page"]> => {
      this.reads += 1
      if (this.state === "away") return Effect.fail(new HistoryUnavailable({ problem: "nobody there" }))
      if (this.state === "damaged") return Effect.fail(new HistoryUndecodable({ problem: "a row of another form" }))
      const within = this.#all.filter(
        ([{ timeMs }, change]) =>
          change.feed === feed && timeMs >= (fromMs ?? 0) && timeMs < (toMs ?? Number.POSITIVE_INFINITY),
      )
      const ordered = order === "asc" ? within : within.toReversed()
      const begin = behind === null ? 0 : ordered.findIndex(([{ ordinal }]) => ordinal === behind.ordinal) + 1
      const page = ordered.slice(begin, begin + max)
      const next = begin + max < ordered.length ? (page.at(-1)?.[0] ?? null) : null
      return Effect.succeed({ changes: page.map(([, change]) => change), next })
    })
}
