import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import hackerNews from "../../ingestors/sources/hacker-news.ts"
import launchLibrary from "../../ingestors/sources/launch-library.ts"
import openNotify from "../../ingestors/sources/open-notify.ts"
import polymarket from "../../ingestors/sources/polymarket-gamma.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import latest from "../../processors/folds/latest.ts"
import { foldingBench, observed as saw, unchangedPoll } from "../../processors/testing/folding.ts"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import type { Reading } from "../../processors/view/view.ts"
import proBriefing from "../../processors/views/pro-briefing.ts"
import { WITHHELD_NOTE } from "../../schemas/contract/provenance.ts"
import { proBriefingEndpoint } from "../../schemas/endpoints/pro-briefing.ts"
import type { BitcoinPrice } from "../../schemas/feeds/btc-price.ts"
import {
  PRO_MARKETS_MAX,
  ProBriefing,
  ProBriefingFull,
  type ProBriefingWord,
  proBriefingWords,
  SERIES_MAX_ROWS,
  SERIES_WINDOW_MS,
} from "../../schemas/payloads/pro-briefing.ts"
import { selectProBriefing } from "../../schemas/payloads/pro-briefing-selection.ts"
import { eventReader } from "../../schemas/registry.ts"
import hackerNewsWorld from "../world/upstreams/hacker-news.ts"
import launchLibraryWorld from "../world/upstreams/launch-library.ts"
import openNotifyWorld from "../world/upstreams/open-notify.ts"
import polymarketWorld from "../world/upstreams/polymarket-gamma.ts"
import usgsWorld from "../world/upstreams/usgs-earthquakes.ts"
import { DAILY, QUAKES, quake } from "./support/briefing-feeds.ts"
import { built, NOW_MS } from "./support/pro-briefing.ts"
import { reading } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const strict = { onExcessProperty: "error" } as const

const price = (value: number): BitcoinPrice => ({
  currency: "USD",
  price: value,
  change24hPercent: null,
  high24h: null,
  low24h: null,
  volume24h: null,
})
const nothing: ProBriefingFull["sections"] = {
  earthquakes: null,
  tech_news: null,
  humans_in_space: null,
  launches: null,
  predictions: null,
}

describe("the premium briefing", () => {
  it("is null before the first feed has answered", () => {
    const none = () => undefined
    const empty = { feed: none, payload: none, declared: none, remembered: none }
    expect(buildData(viewInstance(proBriefing, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
  })

  it("is null, never zero, in what is missing, and distinguishes an empty answer from it", () => {
    expect(built(new Map()).sections).toEqual(nothing)
    expect(built(new Map([[QUAKES, reading({ items: [] }, DAILY)]])).sections).toEqual({
      ...nothing,
      earthquakes: { count: 0, latest: null },
    })
  })

  it("shows the newest quake that has a magnitude and a place, its time in milliseconds, and counts all", () => {
    const quakes = { items: [quake(null, "here"), quake(3, null), quake(4, ""), quake(6.1, "Kodiak"), quake(7, "x")] }
    expect(built(new Map([[QUAKES, reading(quakes, DAILY)]])).sections.earthquakes).toEqual({
      count: 5,
      latest: { magnitude: 6.1, place: "Kodiak", time: Date.parse("2026-11-20T12:00:00.000Z") },
    })
  })

  it("leaves markets out whose turnover is not known", () => {
    const market = (id: string, volume24hUsd: number | null) => ({
      id,
      question: id,
      outcomes: [{ name: "Yes", probability: 0.25 }],
      volume24hUsd,
      volumeUsd: 1,
      endsAt: null,
      url: null,
    })
    const items = [market("a", 9), market("b", null), ...Array.from({ length: 20 }, (_, at) => market(`m${at}`, 1))]
    const { predictions } = built(new Map([["predictions", reading({ items })]])).sections
    expect(predictions?.count).toBe(22)
    expect(predictions?.top).toHaveLength(PRO_MARKETS_MAX)
    expect(predictions?.top[0]).toEqual({
      question: "a",
      volume_24hr: 9,
      outcomes: [{ name: "Yes", percent: 25 }],
    })
    expect(predictions?.top[1]?.question).toBe("m0")
  })

  it("of the world has everything", async () => {
    const full = built(
      new Map<string, Reading<unknown>>([
        [QUAKES, reading((await observed(usgs, usgsWorld, NOW_MS, DAILY)).payload, DAILY)],
        ["tech-news", reading((await observed(hackerNews, hackerNewsWorld, NOW_MS)).payload)],
        ["humans-in-space", reading((await observed(openNotify, openNotifyWorld, NOW_MS)).payload)],
        ["launches", reading((await observed(launchLibrary, launchLibraryWorld, NOW_MS)).payload)],
        ["predictions", reading((await observed(polymarket, polymarketWorld, NOW_MS)).payload)],
      ]),
      [[NOW_MS, 1]],
    )
    expect(Object.values(full.sections)).not.toContain(null)
    expect(full.sections.launches?.next).not.toBeNull()
    expect(full.sections.humans_in_space?.names.length).toBe(full.sections.humans_in_space?.count)
    expect(full.sections.predictions?.top).toHaveLength(PRO_MARKETS_MAX)
    expect(full.series.btc_24h).toEqual([{ ts: NOW_MS, price: 1 }])
    // Removed parts stay out.
    expect(JSON.stringify(full)).not.toMatch(/fear|change_24h|"btc"/)
  })
})

const section: Record<ProBriefingWord, string> = {
  earthquakes: "earthquakes",
  "tech-news": "tech_news",
  "humans-in-space": "humans_in_space",
  launches: "launches",
  predictions: "predictions",
}
const input: Record<ProBriefingWord, string> = {
  earthquakes: "quakes",
  "tech-news": "frontPage",
  "humans-in-space": "people",
  launches: "catalogue",
  predictions: "markets",
}
const full: ProBriefingFull = {
  sections: {
    earthquakes: { count: 3, latest: null },
    tech_news: { top_story_count: 30 },
    humans_in_space: null,
    launches: { count: 1, next: null },
    predictions: { count: 0, top: [] },
  },
  series: { btc_24h: [{ ts: 1, price: 2 }] },
}
const select = proBriefingEndpoint.select ?? (() => expect.fail("the endpoint selects nothing"))

describe("what is selected", () => {
  it("is, for every choice of sections and with or without the series, exactly that", () => {
    const subsets = Array.from({ length: 2 ** proBriefingWords.length }, (_, mask) =>
      proBriefingWords.filter((_word, at) => (mask >> at) % 2 === 1),
    )
    for (const include of [undefined, ...subsets])
      for (const history of [undefined, "24h"] as const) {
        const selected = select(full, { include, history }, new Set())
        const data = Schema.decodeUnknownSync(ProBriefing, strict)(selected.data)
        const wanted = (include ?? proBriefingWords).map((word) => section[word])
        expect(Object.keys(data.sections).sort()).toEqual([...wanted].sort())
        for (const name of wanted) expect(Reflect.get(data.sections, name)).toEqual(Reflect.get(full.sections, name))
        expect(data.series).toEqual(history === "24h" ? full.series : undefined)
        expect("series" in data).toBe(history === "24h")
        expect([...selected.inputs].sort()).toEqual(
          [
            ...(include ?? proBriefingWords).map((word) => input[word]),
            ...(history === "24h" ? ["btc24h"] : []),
          ].sort(),
        )
        expect(Object.keys(proBriefing.reads)).toEqual(expect.arrayContaining([...selected.inputs]))
        const held = [...wanted.map((name) => Reflect.get(full.sections, name)), data.series ?? null]
        expect(proBriefingEndpoint.empty(data)).toBe(held.every((member) => member === null))
        const sized = wanted.filter((name) => Reflect.get(full.sections, name) !== null)
        expect(Object.keys(data.sample_size).sort()).toEqual(
          [...sized, ...(history === "24h" ? ["btc_24h"] : [])].sort(),
        )
        expect(Object.keys(data.notes).sort()).toEqual([...wanted, ...(history === "24h" ? ["btc_24h"] : [])].sort())
      }
  })

  it("changes nothing of what it selects from", () => {
    const before = JSON.stringify(full)
    selectProBriefing(full, { include: ["launches"], history: "24h" }, new Set(["catalogue", "btc24h"]))
    expect(JSON.stringify(full)).toBe(before)
  })
})

describe("what may not be sold", () => {
  const everything = { include: undefined, history: "24h" } as const
  const all = Object.keys(proBriefing.reads)

  it("leaves the prices out, with a note, and no trace in inputs and sizes", () => {
    const { data, inputs } = selectProBriefing(full, everything, new Set(["btc24h"]))
    expect(data).not.toHaveProperty("series")
    expect(data.sample_size).not.toHaveProperty("btc_24h")
    expect(data.notes.btc_24h).toBe(WITHHELD_NOTE)
    expect(data.sections).toEqual(full.sections)
    expect([...inputs].sort()).toEqual(all.filter((name) => name !== "btc24h").sort())
    expect(Schema.is(ProBriefing)(data)).toBe(true)
    // Without history nothing is missing.
    const without = selectProBriefing(full, { ...everything, history: undefined }, new Set(["btc24h"]))
    expect(without).toEqual(selectProBriefing(full, { ...everything, history: undefined }, new Set()))
  })

  it("is null in the sections, each with a note, whichever are withheld", () => {
    fc.assert(
      fc.property(fc.subarray(all), (names) => {
        const withheld = new Set(names)
        const { data, inputs } = selectProBriefing(full, everything, withheld)
        expect(inputs.filter((name) => withheld.has(name))).toEqual([])
        for (const word of proBriefingWords) {
          const isWithheld = withheld.has(input[word])
          const name = section[word]
          expect(Reflect.get(data.sections, name)).toEqual(isWithheld ? null : Reflect.get(full.sections, name))
          expect(data.notes[name] === WITHHELD_NOTE).toBe(isWithheld)
          if (isWithheld) expect(data.sample_size).not.toHaveProperty(name)
        }
        expect(Schema.is(ProBriefing)(data)).toBe(true)
        expect(proBriefingEndpoint.empty(data)).toBe(
          Object.values(data.sections).every((one) => one === null) && !data.series,
        )
      }),
    )
  })

  it("is told apart from what has not answered", () => {
    const { notes } = selectProBriefing(full, everything, new Set()).data
    expect(notes.humans_in_space).toMatch(/^Null: no source of it has answered here/)
    expect(notes.launches).not.toMatch(/^Null/)
  })
})

describe("its parameters", () => {
  const read = makeParameterReader(proBriefingEndpoint)

  it("take any list of the known words, whatever order, blanks and repetition, as one canonical text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...proBriefingWords), { minLength: 1, maxLength: 8 }), (words) => {
        const expected = proBriefingWords.filter((word) => words.includes(word)).join(",")
        expect(read({ include: words.join(", ") })).toMatchObject({
          _tag: "Accepted",
          parameters: { include: expected },
        })
      }),
    )
  })

  it.each(["", ",", "earthquakes,", "quakes", "earthquakes,Launches", "earthquakes;launches", "__proto__"])(
    "refuse %j, and list the allowed words",
    (include) => {
      expect(read({ include })).toMatchObject({
        _tag: "Refused",
        error: "invalid_parameter",
        parameter: "include",
        allowed: proBriefingWords,
      })
    },
  )

  it("take 24h and no other history, and may both be left out", () => {
    expect(read({ history: "24h" })).toMatchObject({ _tag: "Accepted", parameters: { history: "24h" } })
    expect(read({ history: "7d" })).toMatchObject({ _tag: "Refused", parameter: "history", allowed: ["24h"] })
    expect(read({})).toMatchObject({ _tag: "Accepted", parameters: {} })
  })
})

describe("the series of the bitcoin price", () => {
  it("is folded from the log: at most a day of points, each five minutes apart, and survives a restart", () => {
    let made = foldingBench(latest, eventReader)
    const begin = Date.parse("2026-11-19T00:00:00.000Z")
    const STEP_MS = 150_000
    const steps = (2 * SERIES_WINDOW_MS) / STEP_MS
    for (let step = 0; step < steps; step += 1) {
      const atMs = begin + step * STEP_MS
      made.fold(step % 3 === 1 ? unchangedPoll(atMs, "btc-price") : saw(atMs, "btc-price", price(60_000 + step)))
      if (step === steps / 2) made = foldingBench(latest, eventReader, made.checkpoint())
    }
    const body = made.view("/api/pro/briefing") as { readonly data: unknown }
    const { series, sections } = Schema.decodeUnknownSync(ProBriefingFull, strict)(body.data)
    expect(sections).toEqual(nothing)
    expect(series.btc_24h.length).toBe(SERIES_MAX_ROWS - 1)
    for (const [at, { ts, price: seen }] of series.btc_24h.entries()) {
      const step = steps / 2 + 2 * at
      expect(ts).toBe(begin + step * STEP_MS)
      expect(seen).toBe(60_000 + (step % 3 === 1 ? step - 1 : step))
    }
  })
})
