import { describe, expect, it } from "vitest"
import { makeLatest } from "../../processors/folds/latest.ts"
import { failed, foldingBench, observed as seen, tick } from "../../processors/testing/folding.ts"
import tsunamiView from "../../processors/views/tsunami.ts"
import type { Feed } from "../../schemas/feed.ts"
import { type TsunamiCategory, type TsunamiMessage, tsunami } from "../../schemas/feeds/tsunami.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey } from "../../schemas/view-record.ts"

const HOUR_MS = 3_600_000
const PAAQ = { centre: "PAAQ" }
const PHEB = { centre: "PHEB" }

describe("messages of several products", () => {
  const feeds = new Map<string, Feed>([[tsunami.name, tsunami as unknown as Feed]])
  const MINUTE_MS = 60_000
  const at = (time: string): number => Date.parse(`2026-10-09T${time}:00.000Z`)
  const message = (
    product: string | null,
    number: number,
    category: TsunamiCategory,
    time: string,
  ): TsunamiMessage => ({
    centre: "PHEB",
    event: product === null ? null : "26282001",
    product,
    number,
    category,
    issuedAt: new Date(at(time)).toISOString(),
    title: "Bulletin",
    place: "PANAMA",
    latitude: 7.6,
    longitude: -82.3,
    magnitude: 7.6,
    magnitudeType: null,
    note: null,
    url: null,
  })
  /** Folds the Pacific centre's feed as it is at each poll; gives the endpoint's data after the last one. */
  const scene = () => {
    const bench = foldingBench(makeLatest([tsunamiView], feeds), eventReader)
    const poll = { parameters: PHEB, provider: "NOAA.tsunami_pheb" }
    return {
      bench,
      issue: (one: TsunamiMessage) =>
        bench.fold(
          seen(Date.parse(one.issuedAt) + MINUTE_MS, "tsunami", { items: [one], facts: {} } as unknown as Json, poll),
        ),
      at: (time: string) => {
        bench.fold(tick(at(time)))
        return (bench.view("/api/tsunami") as { readonly data: Record<string, unknown> }).data
      },
      poll,
    }
  }

  it("given a threat, when an information statement about the same event follows, then the threat stands", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "18:32"))
    panama.issue(message("WEZS42", 1, "information", "18:39"))
    expect(panama.at("18:45")).toMatchObject({
      highest_level: "warning",
      messages: [
        { product: "WEZS42", level: "info", active: true },
        { product: "WEPA40", level: "warning", active: true },
      ],
    })
    panama.issue(message("WEPA40", 2, "threat", "18:51"))
    expect(panama.at("18:55")).toMatchObject({
      highest_level: "warning",
      active_count: 2,
      messages: [{ product: "WEPA40", number: 2 }, { product: "WEZS42" }],
    })
  })
  it("given a threat, then its own cancellation ends it, that of another product does not", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "18:32"))
    panama.issue(message("WECA41", 1, "cancellation", "19:00"))
    expect(panama.at("19:10")).toMatchObject({ highest_level: "warning" })
    panama.issue(message("WEPA40", 2, "cancellation", "20:00"))
    expect(panama.at("20:10")).toMatchObject({ highest_level: "none", active_count: 0 })
  })
  it("given a threat and silence, then age ends it", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "00:10"))
    panama.issue(message("WEZS42", 1, "information", "00:20"))
    expect(panama.at("23:50")).toMatchObject({ highest_level: "warning", active_count: 1 })
    panama.bench.fold(tick(at("00:11") + 24 * HOUR_MS))
    expect(panama.at("23:59")).toMatchObject({ highest_level: "none" })
  })
  it("given a message that was read from a title, then the centre's next word about the danger replaces it", () => {
    const mexico = scene()
    mexico.issue(message(null, 7, "threat", "10:00"))
    mexico.issue(message("WEZS42", 1, "information", "10:05"))
    expect(mexico.at("10:10")).toMatchObject({ highest_level: "warning" })
    mexico.issue(message("WEPA40", 8, "cancellation", "11:00"))
    expect(mexico.at("11:10")).toMatchObject({ highest_level: "info" })
  })
  it("give the time since which the centres are watched without a gap", () => {
    const both = scene()
    const national = { ...both.poll, parameters: PAAQ, provider: "NOAA.tsunami_paaq" }
    const quiet = { items: [{ ...message("WEAK53", 1, "information", "00:01"), centre: "PAAQ" }], facts: {} }
    both.issue(message("WEGM42", 1, "information", "09:59"))
    expect(both.at("10:00")).toMatchObject({ watched_since: null })
    const pollBoth = (time: string) => {
      const standing = { items: [message("WEGM42", 1, "information", "09:59")], facts: {} }
      both.bench.fold(
        seen(at(time), "tsunami", standing as unknown as Json, both.poll),
        seen(at(time), "tsunami", quiet as unknown as Json, national),
      )
    }
    pollBoth("10:01")
    pollBoth("10:02")
    expect(both.at("10:02")).toMatchObject({ watched_since: "2026-10-09T10:01:00.000Z" })
    both.bench.fold(failed(at("10:03"), "tsunami", "timeout", "no answer", both.poll))
    pollBoth("10:30")
    expect(both.at("10:30")).toMatchObject({ watched_since: "2026-10-09T10:30:00.000Z" })
  })
  it("are remembered across a restart", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "18:32"))
    panama.issue(message("WEZS42", 1, "information", "18:39"))
    const again = foldingBench(makeLatest([tsunamiView], feeds), eventReader, panama.bench.checkpoint())
    again.fold(
      seen(
        at("18:50"),
        "tsunami",
        { items: [message("WEZS42", 2, "information", "18:49")], facts: {} } as unknown as Json,
        panama.poll,
      ),
    )
    expect(again.view("/api/tsunami")).toMatchObject({ data: { highest_level: "warning" } })
    expect(again.view(freshnessKey("/api/tsunami"))).toBeDefined()
  })
})
