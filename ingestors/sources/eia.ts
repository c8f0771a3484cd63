import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { dayMs, dayOf } from "../../schemas/day.ts"
import { ECONOMIC_NUMBERS_MAX, factsOfSeries } from "../../schemas/feeds/economic-series.ts"
import { type CollectFailed, document, isOfDocument, isOfKey, type Upstream, UpstreamError } from "../document.ts"
import { eiaAccess } from "../providers/eia.ts"
import { monthOf } from "../readers/civil-time.ts"
import { type SeriesRows, seriesSource } from "../readers/economic-series.ts"
import { htmlTables } from "../readers/html-tables.ts"
import { Decimal, maybe } from "../readers/wire.ts"
import { termsOf } from "../terms.ts"

const DAY_MS = 86_400_000

/** The series of the administration by the ids of the feed: names in files, addresses, units of the API. */
const spots = {
  DCOILWTICO: {
    code: "RWTC",
    page: "pet/hist/RWTCD.htm",
    workbook: "pet/hist_xls/RWTCd.xls",
    api: "petroleum/pri/spt",
    unit: "$/BBL",
    title: /\bWTI Spot Price\b/i,
  },
  DHHNGSP: {
    code: "RNGWHHD",
    page: "ng/hist/rngwhhdD.htm",
    workbook: "ng/hist_xls/RNGWHHDd.xls",
    api: "natural-gas/pri/fut",
    unit: "$/MMBTU",
    title: /\bHenry Hub Natural Gas Spot Price\b/i,
  },
} as const
type Spot = (typeof spots)[keyof typeof spots]

/** Prices of a page or a workbook, with the series that it names itself as. */
const Prices = Schema.Struct({
  code: Schema.String,
  rows: Schema.Array(
    Schema.Struct({ date: Schema.NullOr(Schema.String), value: Schema.Union([Schema.String, Schema.Finite]) }),
  ),
})
type Prices = typeof Prices.Type

/** The series of a page: by the workbook that it links, else by its title. Null for a page of another one. */
const codeOfPage = (html: string): string | null => {
  const linked = /\bhist_xls\/([a-z0-9_]{1,40})d\.xls/i.exec(html)?.[1]?.toUpperCase()
  const [named] = Object.values(spots).filter(({ code, title }) =>
    linked === undefined ? title.test(html) : linked === code,
  )
  return named?.code ?? null
}

/** A week is named by its Monday and its Friday; its year is that of the Monday, and days below ten have a space. */
const WEEK = /^(\d{4}) ([a-z]{3})- ?(\d{1,2}) to [a-z]{3}- ?\d{1,2}$/i

/** The Monday of a week's name; undefined where it is no week, null where it does not begin with a Monday. */
const mondayOf = (text: string): number | null | undefined => {
  const [, year, month = "", day = ""] = WEEK.exec(text) ?? []
  if (year === undefined) return undefined
  const ms = dayMs(`${year}-${String(monthOf(month)).padStart(2, "0")}-${day.padStart(2, "0")}`)
  return ms !== null && new Date(ms).getUTCDay() === 1 ? ms : null
}

const WEEKDAYS = 5

/** Thousands are separated by commas. */
const plainNumber = (text: string): string => text.replaceAll(/,(?=\d{3}\b)/g, "")

const pricesOfPage = (html: string): Prices["rows"] =>
  htmlTables(html).flatMap((grid) =>
    grid.flatMap(([week = "", ...cells]) => {
      const monday = mondayOf(week)
      // The header, a footer or an empty row.
      if (monday === undefined) return []
      return cells.slice(0, WEEKDAYS).map((cell, at) => ({
        date: monday === null ? null : dayOf(monday + at * DAY_MS),
        value: plainNumber(cell),
      }))
    }),
  )

const page = document({
  format: "text",
  wire: Schema.String.check(
    Schema.makeFilter((html: string) =>
      codeOfPage(html) === null
        ? "the page names no series that is read"
        : pricesOfPage(html).length > 0 || "the page has no table of weeks",
    ),
  ).pipe(
    Schema.decodeTo(Prices, {
      decode: SchemaGetter.transform(
        (html: string): Prices => ({ code: codeOfPage(html) ?? "", rows: pricesOfPage(html) }),
      ),
      encode: SchemaGetter.forbidden(() => "a page is read only"),
    }),
  ),
  url: (spot: Spot) => `https://www.eia.gov/dnav/${spot.page}`,
  // Its answers take up to eight seconds.
  timeoutMs: 20_000,
})

const Cell = Schema.Union([Schema.Finite, Schema.String, Schema.Null])
const Sheets = Schema.Array(Schema.Struct({ name: Schema.String, rows: Schema.Array(Schema.Array(Cell)) }))
type Sheets = typeof Sheets.Type

/** The day of a workbook's date, which counts from 30 December 1899. */
const dayOfSerial = (serial: number): string | null =>
  Number.isInteger(serial) && serial > 25_569 && serial < 73_051 ? dayOf((serial - 25_569) * DAY_MS) : null

/** The sheet whose second row names the series; its prices begin with the first date. */
const pricesOfSheets = (sheets: Sheets): Prices | null => {
  for (const { rows } of sheets) {
    const code = rows.find(([name]) => name === "Sourcekey")?.[1]
    if (typeof code !== "string") continue
    return {
      code: code.toUpperCase(),
      rows: rows.flatMap(([serial, value]) =>
        typeof serial === "number" && typeof value === "number" ? [{ date: dayOfSerial(serial), value }] : [],
      ),
    }
  }
  return null
}

/** The same prices in a workbook, where the page has changed its form. */
const workbook = document({
  format: "xls",
  wire: Sheets.check(
    Schema.makeFilter((sheets: Sheets) => pricesOfSheets(sheets) !== null || "no sheet names a series"),
  ).pipe(
    Schema.decodeTo(Prices, {
      decode: SchemaGetter.transform((sheets: Sheets): Prices => pricesOfSheets(sheets) ?? { code: "", rows: [] }),
      encode: SchemaGetter.forbidden(() => "a workbook is read only"),
    }),
  ),
  url: (spot: Spot) => `https://www.eia.gov/dnav/${spot.workbook}`,
  timeoutMs: 20_000,
})

const Row = Schema.Struct({
  period: Schema.String,
  series: maybe(Schema.String),
  value: Schema.NullOr(Schema.Union([Decimal, Schema.String])),
  units: maybe(Schema.String),
})
const Answer = Schema.Struct({ response: Schema.Struct({ data: Schema.Array(Row) }) })
/** The answer to a missing or wrong key, with status 403. */
const Refusal = Schema.Struct({ error: Schema.Struct({ code: Schema.String }) })

const api = document({
  format: "json",
  wire: Schema.Union([Answer, Refusal]),
  acceptedStatuses: [403],
  url: ({ spot, key }: { readonly spot: Spot; readonly key: string }) =>
    `https://api.eia.gov/v2/${spot.api}/data/?api_key=${encodeURIComponent(key)}&frequency=daily&data[0]=value&facets[series][]=${spot.code}&sort[0][column]=period&sort[0][direction]=desc&length=${ECONOMIC_NUMBERS_MAX + 30}`,
})

const ofAnotherSeries = new UpstreamError({ message: "the answer is of another series than the requested one" })

const rowsOfAnswer = (answer: typeof api.wire.Type, { code, unit }: Spot): Effect.Effect<SeriesRows, UpstreamError> => {
  if ("error" in answer)
    return Effect.fail(
      /api_key/i.test(answer.error.code)
        ? new UpstreamError({ message: "the key is refused", reason: "key_refused" })
        : new UpstreamError({ message: "the query is refused" }),
    )
  const { data } = answer.response
  return data.some(
    ({ series, units }) =>
      (series ?? code).toUpperCase() !== code || (units ?? unit).toUpperCase().replaceAll(" ", "") !== unit,
  )
    ? Effect.fail(ofAnotherSeries)
    : Effect.succeed({ rows: data.map(({ period, value }) => ({ date: period, value })) })
}

/** The prices of the page or, where it fails or has changed, of the workbook. */
const withoutKey = (upstream: Upstream, spot: Spot): Effect.Effect<SeriesRows, CollectFailed> => {
  const checked = (prices: Prices): Effect.Effect<SeriesRows, UpstreamError> =>
    prices.code === spot.code ? Effect.succeed({ rows: prices.rows }) : Effect.fail(ofAnotherSeries)
  return Effect.catch(Effect.flatMap(upstream.fetch(page, spot), checked), (failed: CollectFailed) =>
    isOfDocument(failed)
      ? Effect.mapError(Effect.flatMap(upstream.fetch(workbook, spot), checked), () => failed)
      : Effect.fail(failed),
  )
}

export default seriesSource({
  name: "eia",
  organisation: "EIA",
  series: ["DCOILWTICO", "DHHNGSP"],
  // Prices of days are released once a week.
  every: "6 hours",
  access: eiaAccess,
  documents: { page, workbook, api },
  collect: (upstream, { parameters, key }): Effect.Effect<SeriesRows, CollectFailed> => {
    const { id } = factsOfSeries(parameters)
    const spot = id === "DHHNGSP" ? spots.DHHNGSP : spots.DCOILWTICO
    if (key === null) return withoutKey(upstream, spot)
    const byKey = Effect.flatMap(upstream.fetch(api, { spot, key }), (answer) => rowsOfAnswer(answer, spot))
    // The API fails at times, and the page stands in for it; but a refused key must reach the operator.
    return Effect.catch(byKey, (failed: CollectFailed) =>
      isOfDocument(failed) && !isOfKey(failed)
        ? Effect.mapError(withoutKey(upstream, spot), () => failed)
        : Effect.fail(failed),
    )
  },
  recordedParameters: (wire) => {
    if (typeof wire !== "object" || wire === null) return null
    const answer = wire as Prices | typeof api.wire.Type
    const code =
      "code" in answer ? answer.code : "response" in answer ? (answer.response.data[0]?.series ?? "").toUpperCase() : ""
    const [id] = Object.entries(spots).find(([, spot]) => spot.code === code) ?? []
    return id === undefined ? null : { series: id }
  },
  attribution: {
    provider: "US Energy Information Administration",
    licence: "Public domain (U.S. Government work); spot prices are reported to come from LSEG",
    url: "https://www.eia.gov/dnav/pet/pet_pri_spt_s1_d.htm",
  },
  terms: termsOf({
    use: "provider",
    url: "https://www.eia.gov/about/copyrights_reuse.php",
    clause:
      "public domain, any use with the line of credit; but third parties may have rights, and LSEG is named as the source of spot prices",
    shown: "yes",
    kept: "yes",
    models: "yes",
    credit: "Source: U.S. Energy Information Administration",
  }),
})
