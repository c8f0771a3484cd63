import { defaultParameters, type ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { counted, type Headline } from "../../../schemas/contract/glance.ts"
import type { Plot } from "../../../schemas/contract/plot.ts"
import type { Point } from "../../../schemas/endpoints/world.ts"
import {
  type WorldHistory,
  type WorldRange,
  worldRangeDays,
  worldRanges,
} from "../../../schemas/endpoints/world-history.ts"
import { instanceKey, type Parameters } from "../../../schemas/feed.ts"
import { isRowObject, rowsOf } from "../../../schemas/formats/table.ts"
import type { Json } from "../../../schemas/json.ts"
import type { ApiTools } from "../../routes/route.ts"
import type { BoardHistory } from "../../world/board-history.ts"
import { keyOf } from "../../world/layout.ts"
import { GLANCE_DATA_MAX_BYTES } from "../../world/tile.ts"
import { instantText, valueKind, valueText } from "../assets/world-view.js"
import { type Html, html, markdownText } from "../html.ts"
import { dataTable, dataTableHtml } from "../html-table.ts"
import { type Section, section, type Table } from "../page.ts"
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

/** The data of replies as their bytes, null where there is none: that of the page, and those that `plotsOf` names, in its order. */
interface GlanceData {
  readonly own: Buffer | null
  readonly others: ReadonlyArray<Buffer | null>
}

/** What is made of data; null where there is none, and where it cannot be shown. */
const madeOf = <Made>(bytes: Buffer | null | undefined, make: (data: Json) => Made): Made | null => {
  if (bytes === null || bytes === undefined || bytes.length > GLANCE_DATA_MAX_BYTES) return null
  try {
    return make(JSON.parse(bytes.toString()))
  } catch {
    // Data that another version of the service wrote: the reply is shown, and nothing is drawn of it.
    return null
  }
}

/** The glance at data; null where the endpoint has none, or the data cannot be shown. */
const glanceAt = (
  { glance, table }: ViewEndpoint,
  { own, others }: GlanceData,
): Omit<FeedGlance, "histories"> | null =>
  glance === null
    ? null
    : madeOf(own, (data) => {
        const plots = glance.plots?.(data) ?? []
        return {
          headline: glance.headline(data),
          plots: [
            ...plots,
            ...(glance.plotsOf ?? []).flatMap((one, place) => madeOf(others[place], (other) => one.plots(other)) ?? []),
          ],
          points:
            glance
              .marks?.(data)
              .map(({ latitude, longitude, ...mark }) => ({ lat: latitude, lon: longitude, ...mark })) ?? null,
          rows: plots.length > 0 || table === null ? null : firstRows(table, data),
        }
      })

/** What the page of a feed shows of now; null where there is no glance at the endpoint, or no data yet. */
export const glanceNow = async (
  endpoint: ViewEndpoint,
  { options, worldHistory }: Pick<ApiTools, "options" | "worldHistory">,
): Promise<FeedGlance | null> => {
  const dataOf = (key: string | null): Buffer | null =>
    key === null ? null : (options.store.dataOf(key)?.data?.bytes ?? null)
  const others = plottedParameters(endpoint).map((parameters) => dataOf(instanceKey(endpoint.path, parameters)))
  const glance = glanceAt(endpoint, { own: dataOf(keyOf(endpoint)), others })
  if (glance === null) return null
  const isNumber = typeof glance.headline.value === "number" && (options.past ?? null) !== null
  return { ...glance, histories: isNumber ? await historiesOf(worldHistory) : [] }
}

/** The same of an earlier instant, by the data that was known then; it has no history of the headline. */
export const glanceThen = (endpoint: ViewEndpoint, data: GlanceData): FeedGlance | null => {
  const glance = glanceAt(endpoint, data)
  return glance === null ? null : { ...glance, histories: [] }
}

/** The parameters of the replies that `plotsOf` of an endpoint draws, in its order. */
export const plottedParameters = (endpoint: ViewEndpoint): ReadonlyArray<Parameters> =>
  (endpoint.glance?.plotsOf ?? []).map(({ parameters }) => ({ ...defaultParameters(endpoint), ...parameters }))

const DAY_MS = 86_400_000

/** The histories of all tiles that go further back than the range before; none where no past is kept. */
const historiesOf = async (history: BoardHistory): Promise<ReadonlyArray<WorldHistory>> => {
  const day = await history.of("24h")
  const lengthMs = Date.parse(day.instants.at(-1) ?? "") - Date.parse(day.first ?? "")
  const longer = worldRanges.filter(
    (_, at) => at > 0 && lengthMs > worldRangeDays[worldRanges[at - 1] ?? "24h"] * DAY_MS,
  )
  return [day, ...(await Promise.all(longer.map((range) => history.of(range))))]
}

/** The rows and columns of a table that shows what the data is; all of them are a click away. */
const ROWS_MAX = 10
const COLUMNS_MAX = 6
const CELL_MAX_CHARACTERS = 120

const cellText = (value: Json | undefined): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number") return valueText(value)
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value !== "string") return ""
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

const rangeTitles: Readonly<Record<WorldRange, string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "1y": "1 year",
}

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

/** `first`: since when the history knows anything; lines that would begin earlier begin there. */
const seriesHtml = (series: ReadonlyArray<Plot>, first: string | null, isComplete: boolean): Html | null => {
  const drawn = series.flatMap((plot) => {
    const content = drawingHtml(plot)
    return content === null ? [] : [{ title: plot.title, content }]
  })
  const rest = isComplete
    ? null
    : html`<p class="small soft">Earlier values are being read: they are here with the next load of this page.</p>`
  if (drawn.length === 0) return rest
  return html`<h3>The value above, by when it became known here</h3>
<div class="ranges-of">${drawn.map(
    ({ title, content }, at) =>
      html`<details name="range"${at === 0 && html` open`}><summary>${title}</summary>${content}</details>\n`,
  )}</div>
${first === null ? null : html`<p class="small soft">The history here begins at <time datetime="${first}">${instantText(first)}</time>.</p>`}
${rest}`
}

/** What the data says: its headline, what is drawn of it, and the history of the headline. */
export const glanceSection = (endpoint: ViewEndpoint, shown: FeedGlance): Section => {
  const { headline, plots, points, rows, histories } = shown
  const { value, unit, note } = headline
  const series = histories.map((history) => seriesOf(endpoint.name, history))
  const happened = plots.filter(({ kind }) => kind === "series")
  const head = html`<p class="headline ${valueKind(value)}"><span class="value">${valueText(value)}</span> <span class="unit">${value === null ? null : unit}</span></p>
<p>${note}</p>`
  return section(
    "glance",
    endpoint.glance?.title ?? "At a glance",
    [
      { text: markdownText(`${valueText(value)}${unit === null || value === null ? "" : ` ${unit}`}. ${note}`) },
      ...plots.flatMap(plotPieces),
      ...(rows === null ? [] : [{ table: dataTable(rows) }]),
      ...series.flatMap(plotPieces),
    ],
    html`<div class="glance">${head}
${points === null || points.length === 0 ? null : mapHtml(endpoint.name, points)}
<div class="plots">${happened.map(plotHtml)}</div>
${seriesHtml(
  series,
  histories[0]?.first ?? null,
  histories.every(({ complete, reason }) => complete || reason !== null),
)}
<div class="plots">${plots.filter(({ kind }) => kind !== "series").map(plotHtml)}</div>
${rows === null ? null : dataTableHtml(rows)}</div>`,
  )
}
