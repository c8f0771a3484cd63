import type { ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import type { Headline } from "../../../schemas/contract/glance.ts"
import type { Plot } from "../../../schemas/contract/plot.ts"
import { type WorldHistory, type WorldRange, worldRanges } from "../../../schemas/endpoints/world-history.ts"
import type { BoardHistory } from "../../world/board-history.ts"
import { GLANCE_DATA_MAX_BYTES } from "../../world/tile.ts"
import { valueKind, valueText } from "../assets/world-view.js"
import { type Html, html } from "../html.ts"
import { type Section, section } from "../page.ts"
import { drawingHtml, plotHtml, plotPieces } from "./plots.ts"

/** What the first part of a feed's page shows. */
export interface FeedGlance {
  readonly headline: Headline
  readonly plots: ReadonlyArray<Plot>
  /** The history of the headline, where it is a number; the latest range first. */
  readonly histories: ReadonlyArray<WorldHistory>
}

/** The glance at data; null where the endpoint has none, or the data cannot be shown. */
export const glanceAt = (
  { glance }: ViewEndpoint,
  bytes: Buffer | null,
): Pick<FeedGlance, "headline" | "plots"> | null => {
  if (glance === null || bytes === null || bytes.length > GLANCE_DATA_MAX_BYTES) return null
  try {
    const data: unknown = JSON.parse(bytes.toString())
    return { headline: glance.headline(data), plots: glance.plots?.(data) ?? [] }
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
export const glanceSection = (endpoint: ViewEndpoint, { headline, plots, histories }: FeedGlance): Section => {
  const { value, unit, note } = headline
  const series = histories.map((history) => seriesOf(endpoint.name, history))
  const shown = html`<p class="headline ${valueKind(value)}"><span class="value">${valueText(value)}</span> <span class="unit">${value === null ? null : unit}</span></p>
<p>${note}</p>`
  return section(
    "glance",
    endpoint.glance?.title ?? "At a glance",
    [
      { text: `${valueText(value)}${unit === null || value === null ? "" : ` ${unit}`}. ${note}` },
      ...plots.flatMap(plotPieces),
      ...series.flatMap(plotPieces),
    ],
    html`<div class="glance">${shown}
${seriesHtml(
  series,
  histories.every(({ complete, reason }) => complete || reason !== null),
)}
<div class="plots">${plots.map(plotHtml)}</div></div>`,
  )
}
