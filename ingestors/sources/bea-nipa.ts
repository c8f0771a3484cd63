import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { type CollectFailed, document, isOfDocument, isOfKey, UpstreamError } from "../document.ts"
import { decoderOf } from "../poll/read.ts"
import { beaAccess } from "../providers/bea.ts"
import { daysBack, type SeriesRows, seriesSource, yearsOf } from "../readers/economic-series.ts"
import { parseBytes } from "../readers/formats.ts"
import { maybe } from "../readers/wire.ts"
import { openTerms } from "../terms.ts"

/** Real gross domestic product, percent change on the quarter before at an annual rate: line 1 of table 1.1.1. */
const CODE = "A191RL"
const DAY_MS = 86_400_000

const Quarters = Schema.Array(Schema.Struct({ period: Schema.String, value: Schema.String }))
type Quarters = typeof Quarters.Type

/** Values are quoted, as levels have separators of thousands. */
const LINE = /^A191RL,([^,]*),"?([^"]*)"?\s*$/
const HEADER = /^\ufeff?%?SeriesCode,Period,Value/i

const quartersOf = (text: string): Quarters =>
  text.split(/\r?\n/).flatMap((line) => {
    const [, period, value] = LINE.exec(line) ?? []
    return period === undefined || value === undefined ? [] : [{ period, value }]
  })

/** The rows of a code stand together: after its last one, the rest of the file is of no use. */
const linesOfCode = () => {
  let isFound = false
  return (line: string) => {
    if (line.startsWith(`${CODE},`)) {
      isFound = true
      return "keep"
    }
    return isFound ? "end" : line.includes("SeriesCode") ? "keep" : "skip"
  }
}

/**
 * All quarterly numbers of the national accounts, of which one series is kept. The file changes with a release; until then
 * each request is answered that it has not.
 */
const file = document({
  format: "text",
  wire: Schema.String.check(
    Schema.makeFilter(
      (text: string) => (HEADER.test(text) && quartersOf(text).length > 0) || "the file has no row of the series",
    ),
  ).pipe(
    Schema.decodeTo(Quarters, {
      decode: SchemaGetter.transform(quartersOf),
      encode: SchemaGetter.forbidden(() => "a file is read only"),
    }),
  ),
  url: "https://apps.bea.gov/national/Release/TXT/NipaDataQ.txt",
  lines: linesOfCode,
  // It had 35 megabytes in 2026.
  bodyBytesMax: 128 * 1024 * 1024,
  timeoutMs: 45_000,
  validatorsAgeMaxMs: 35 * DAY_MS,
})

const Row = Schema.Struct({
  SeriesCode: maybe(Schema.String),
  LineNumber: maybe(Schema.String),
  TimePeriod: Schema.String,
  DataValue: Schema.String,
})
const decodeRow = Schema.decodeUnknownOption(Row)
const Answer = Schema.Struct({ BEAAPI: Schema.Record(Schema.String, Schema.Unknown) })
type Answer = typeof Answer.Type
const decodeData = Schema.decodeUnknownOption(
  Schema.Struct({ Results: Schema.Struct({ Data: Schema.Array(Schema.Unknown) }) }),
)
const decodeAnswer = decoderOf(Answer)

/** Parses the JSON of an answer; null for an empty body, which is the answer to a refused key. */
const answerOf = (text: string): Result.Result<Answer | null, string> =>
  text.trim() === ""
    ? Result.succeed(null)
    : Result.flatMap(parseBytes("json", Buffer.from(text)), (value) => decodeAnswer(value))

const api = document({
  format: "text",
  wire: Schema.String.check(
    Schema.makeFilter((text: string) => {
      const answer = answerOf(text)
      return Result.isSuccess(answer) || answer.failure
    }),
  ).pipe(
    Schema.decodeTo(Schema.NullOr(Answer), {
      decode: SchemaGetter.transform((text: string): Answer | null => Result.getOrElse(answerOf(text), () => null)),
      encode: SchemaGetter.forbidden(() => "an answer is read only"),
    }),
  ),
  url: ({ key, years }: { readonly key: string; readonly years: ReadonlyArray<number> }) =>
    `https://apps.bea.gov/api/data?UserID=${encodeURIComponent(key)}&method=GetData&DataSetName=NIPA&TableName=T10101&Frequency=Q&Year=${years.join(",")}&ResultFormat=JSON`,
})

const keyRefused = new UpstreamError({ message: "the key is refused", reason: "key_refused" })

const quartersOfAnswer = (answer: Answer | null): Effect.Effect<Quarters, UpstreamError> => {
  if (answer === null) return Effect.fail(keyRefused)
  const data = Option.getOrNull(decodeData(answer.BEAAPI))
  if (data === null)
    return Effect.fail(
      /UserID/i.test(JSON.stringify(answer.BEAAPI.Results ?? answer.BEAAPI.Error ?? null))
        ? keyRefused
        : new UpstreamError({ message: "the query is refused" }),
    )
  return Effect.succeed(
    data.Results.Data.flatMap((one) => {
      const row = Option.getOrNull(decodeRow(one))
      // Passed on undecoded, so that it is counted as an unreadable row.
      if (row === null) return [{ period: "", value: "" }]
      const isOurs = row.SeriesCode == null ? row.LineNumber === "1" : row.SeriesCode === CODE
      return isOurs ? [{ period: row.TimePeriod, value: row.DataValue }] : []
    }),
  )
}

/** The first day of a quarter (`2026Q2`); other texts unchanged, which then fail the schema of a row. */
const dayOfQuarter = (period: string): string =>
  period
    .trim()
    .replace(/^(\d{4})Q([1-4])$/i, (_, year, quarter) => `${year}-${String(3 * quarter - 2).padStart(2, "0")}-01`)

const rowsOf = (quarters: Quarters): SeriesRows => ({
  rows: quarters
    .filter(({ period }) => !/^(19[0-6]\d)Q[1-4]$/.test(period))
    .map(({ period, value }) => ({ date: dayOfQuarter(period), value: value.trim().replaceAll(",", "") })),
})

export default seriesSource({
  name: "bea-nipa",
  organisation: "BEA",
  series: ["A191RL1Q225SBEA"],
  every: "2 hours",
  access: beaAccess,
  documents: { file, api },
  collect: (upstream, { key, observedAtMs }): Effect.Effect<SeriesRows, CollectFailed> => {
    const whole = upstream.fetch(file, undefined)
    if (key === null) return Effect.map(whole, rowsOf)
    const years = yearsOf(observedAtMs, daysBack.quarter)
    const byKey = Effect.flatMap(upstream.fetch(api, { key, years }), quartersOfAnswer)
    return Effect.map(
      Effect.catch(byKey, (failed: CollectFailed) =>
        isOfDocument(failed) && !isOfKey(failed) ? Effect.mapError(whole, () => failed) : Effect.fail(failed),
      ),
      rowsOf,
    )
  },
  attribution: {
    provider: "US Bureau of Economic Analysis",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.bea.gov/data/gdp/gross-domestic-product",
  },
  terms: openTerms(
    "https://apps.bea.gov/api/_pdf/bea_api_tos.pdf",
    "a federal work; values are not changed under the bureau's name",
    {
      credit:
        "Source: US Bureau of Economic Analysis. This product uses the Bureau of Economic Analysis (BEA) Data API but is not endorsed or certified by BEA.",
    },
  ),
})
