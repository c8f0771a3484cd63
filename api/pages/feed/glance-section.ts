import type { ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { counted, type Headline } from "../../../schemas/contract/glance.ts"
import type { Plot } from "../../../schemas/contract/plot.ts"
import type { Point } from "../../../schemas/endpoints/world.ts"
import { type WorldHistory, type WorldRange, worldRanges } from "../../../schemas/endpoints/world-history.ts"
import { isRowObject, rowsOf } from "../../../schemas/formats/table.ts"
import type { Json } from "../../../schemas/json.ts"
import type { BoardHistory } from "../../world/board-history.ts"
import { GLANCE_DATA_MAX_BYTES } from "../../world/tile.ts"
import { instantText, valueKind, valueText } from "../assets/world-view.js"
import { type Html, html } from "../html.ts"
import { htmlTable, type Section, section, type Table } from "../page.ts"
import { feedMapHtml } from "../world/map.ts"
import { drawingHtml, plotHtml, plotPieces } from "./plots.ts"

/** What the first part of a feed's page shows. */
export interface FeedGlance {
  readonly headline: Headline
  readonly plots: ReadonlyArray<Plot>
  /** The places of the data; null where it has none. */
  readonly points: ReadonlyArray<Point> | null
  /** The first rows of the data, where nothing else is drawn of it. */
  readonly rows: Table | null
  /** The history of the headline, where it is a number; the latest range first. */
  readonly histories: ReadonlyArray<WorldHistory>
}

/** The glance at data; null where the endpoint has none, or the data cannot be shown. */
export const glanceAt = (
  { glance, table }: ViewEndpoint,
  bytes: Buffer | null,
): Omit<FeedGlance, "histories"> | null => {
  if (glance === null || bytes === null || bytes.length > GLANCE_DATA_MAX_BYTES) return null
  try {
    const data = JSON.parse(bytes.toString())
    const plots = glance.plots?.(data) ?? []
    return {
      headline: glance.headline(data),
      plots,
      points:
        glance.marks?.(data).map(({ latitude, longitude, ...mark }) => ({ lat: latitude, lon: longitude, ...mark })) ??
        null,
      rows: plots.length > 0 || table === null ? null : firstRows(table, data),
    }
  } catch {
    // Data that another version of the service wrote: the reply is shown, and nothing is drawn of it.
    return null
  }
}

const DAYS: Readonly<Record<WorldRange, number>> = { "24h": 1, "7d": 7, "30d": 30 }
const DAY_MS = 86_400_000

/** The histories of all tiles that go further back than the range before; none where no past is kept. */
export const historiesOf = async (history: BoardHistory): Promise<ReadonlyArray<WorldHistory>> => {
  const day = await history.of("24h")
  const lengthMs = Date.parse(day.instants.at(-1) ?? "") - Date.parse(day.first ?? "")
  const longer = worldRanges.filter((_, at) => at > 0 && lengthMs > DAYS[worldRanges[at - 1] ?? "24h"] * DAY_MS)
  return [day, ...(await Promise.all(longer.map((range) => history.of(range))))]
}

/** The rows and columns of a table that shows what the data is; all of them are a click away. */
const ROWS_MAX = 10
const COLUMNS_MAX = 6
const CELL_MAX_CHARACTERS = 120
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

const cellText = (value: Json | undefined): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number") return valueText(value)
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value !== "string") return ""
  if (INSTANT.test(value)) return instantText(value)
  return value.length <= CELL_MAX_CHARACTERS ? value : `${value.slice(0, CELL_MAX_CHARACTERS).trimEnd()}…`
}

const memberAt = (value: Json, path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isRowObject(at) ? at[name] : undefined), value)

/** The first rows of data by its table; null where there is none. */
const firstRows = (table: NonNullable<ViewEndpoint["table"]>, data: Json): Table | null => {
  const found = rowsOf(table, data)
  if (found === null || found.rows.length === 0) return null
  const rows = found.rows.slice(0, ROWS_MAX)
  // What no row has, ids and addresses say nothing to a reader.
  const columns = found.form.columns
    .filter(({ name, holds, path }) => {
      if (holds !== "value" || /(?:^|[._])(?:id|url)$/.test(name)) return false
      return rows.some(({ value }) => cellText(memberAt(value, path)) !== "")
    })
    .slice(0, COLUMNS_MAX)
  return {
    head: columns.map(({ name, unit }) => `${name.replaceAll(/[_.]/g, " ")}${unit === null ? "" : `, ${unit}`}`),
    rows: rows.map(({ value }) => columns.map(({ path }) => cellText(memberAt(value, path)))),
  }
}

/** The map of places with their list. */
const mapHtml = (name: string, points: ReadonlyArray<Point>): Html =>
  html`<figure class="plot">${feedMapHtml(name, points)}
<details><summary>${counted(points.length, "place")} as a list</summary><ul>${points.map(({ title }) => html`<li>${title}</li>\n`)}</ul></details></figure>`

const rangeTitles: Readonly<Record<WorldRange, string>> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" }

/** The history of the headline as a line; it has fewer than two values where there is nothing to draw. */
const seriesOf = (name: string, { range, instants, tiles }: WorldHistory): Extract<Plot, { kind: "series" }> => {
  const tile = tiles.find((one) => one.name === name)
  return {
    kind: "series",
    title: rangeTitles[range],
    unit: tile?.unit ?? null,
    points: instants.map((at, place) => ({ at, value: tile?.values[place] ?? null })),
  }
}

const seriesHtml = (series: ReadonlyArray<Plot>, isComplete: boolean): Html | null => {
  const drawn = series.flatMap((plot) => {
    const content = drawingHtml(plot)
    return content === null ? [] : [{ title: plot.title, content }]
  })
  if (drawn.length === 0) return null
  return html`<div class="ranges-of">${drawn.map(
    ({ title, content }, at) =>
      html`<details name="range"${at === 0 && html` open`}><summary>${title}</summary>${content}</details>\n`,
  )}</div>
${isComplete ? null : html`<p class="small soft">Earlier values are being read: they are here with the next load of this page.</p>`}`
}

/** What the data says: its headline, what is drawn of it, and the history of the headline. */
export const glanceSection = (endpoint: ViewEndpoint, shown: FeedGlance): Section => {
  const { headline, plots, points, rows, histories } = shown
  const { value, unit, note } = headline
  const series = histories.map((history) => seriesOf(endpoint.name, history))
  const head = html`<p class="headline ${valueKind(value)}"><span class="value">${valueText(value)}</span> <span class="unit">${value === null ? null : unit}</span></p>
<p>${note}</p>`
  return section(
    "glance",
    endpoint.glance?.title ?? "At a glance",
    [
      { text: `${valueText(value)}${unit === null || value === null ? "" : ` ${unit}`}. ${note}` },
      ...plots.flatMap(plotPieces),
      ...(rows === null ? [] : [{ table: rows }]),
      ...series.flatMap(plotPieces),
    ],
    html`<div class="glance">${head}
${points === null || points.length === 0 ? null : mapHtml(endpoint.name, points)}
${seriesHtml(
  series,
  histories.every(({ complete, reason }) => complete || reason !== null),
)}
<div class="plots">${plots.map(plotHtml)}</div>
${rows === null ? null : htmlTable(rows)}</div>`,
  )
}
