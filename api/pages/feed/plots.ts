import type { Plot } from "../../../schemas/contract/plot.ts"
import { linePath } from "../assets/sparkline.js"
import { instantText, valueText } from "../assets/world-view.js"
import { type Html, html } from "../html.ts"
import { htmlTable, type Piece, type Table } from "../page.ts"

// Plots as HTML: lines and bars are SVG without text, so that it scales; numbers and names are text beside them, and each line has
// its table.

/** Rows of the table of a line: its points at the most. */
const ROWS_MAX = 120

const withUnit = (value: number, unit: string | null): string =>
  `${valueText(value)}${unit === null ? "" : unit === "%" ? "%" : ` ${unit}`}`

const tableOf = (plot: Plot): Table => {
  switch (plot.kind) {
    case "ranking":
      return {
        head: ["", plot.unit ?? "Value", "Of"],
        rows: plot.bars.map(({ label, value, note = "" }) => [label, valueText(value), note]),
      }
    case "states":
      return { head: ["", "State"], rows: plot.cells.map(({ label, words }) => [label, words]) }
    case "series":
      return {
        head: ["Time (UTC)", plot.unit ?? "Value"],
        rows: plot.points
          .slice(-ROWS_MAX)
          .map(({ at, value }) => [instantText(at), value === null ? "" : valueText(value)]),
      }
  }
}

/** A share of the width of a bar, from 0 to 100. */
const shareOf = (value: number, most: number): string => ((100 * Math.abs(value)) / (most || 1)).toFixed(1)

const rankingHtml = ({ bars, unit }: Extract<Plot, { readonly kind: "ranking" }>): Html => {
  const most = Math.max(...bars.map(({ value }) => Math.abs(value)))
  return html`<ol class="ranking">${bars.map(
    ({ label, value, note }) =>
      html`<li><span class="name">${label}${note === undefined ? null : html` <small>${note}</small>`}</span><svg class="bar${value < 0 && " minus"}" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${shareOf(value, most)}" height="1"/></svg><span class="number">${withUnit(value, unit)}</span></li>
`,
  )}</ol>`
}

const statesHtml = ({ cells }: Extract<Plot, { readonly kind: "states" }>): Html =>
  html`<ul class="states">${cells.map(({ label, state, words }) => html`<li><b>${label}</b> <span class="state ${state}">${words}</span></li>\n`)}</ul>`

const seriesHtml = (plot: Extract<Plot, { readonly kind: "series" }>): Html | null => {
  const { points, unit } = plot
  const known = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const [first, last] = [points[0], points.at(-1)]
  if (known.length < 2 || first === undefined || last === undefined) return null
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return html`<div class="line"><p class="scale"><span>${withUnit(most, unit)}</span><span>${withUnit(least, unit)}</span></p>
<svg viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true"><path class="grid" d="M0 2H100M0 12H100M0 22H100"/><path d="${linePath(points.map(({ value }) => value))}"/></svg>
<p class="axis small soft"><time datetime="${first.at}">${instantText(first.at)}</time> <time datetime="${last.at}">${instantText(last.at)}</time></p></div>
<details><summary>As a table</summary>
${htmlTable(tableOf(plot))}</details>`
}

const drawn = (plot: Plot): Html | null =>
  plot.kind === "ranking" ? rankingHtml(plot) : plot.kind === "states" ? statesHtml(plot) : seriesHtml(plot)

const isEmpty = (plot: Plot): boolean =>
  plot.kind === "ranking"
    ? plot.bars.length === 0
    : plot.kind === "states"
      ? plot.cells.length === 0
      : plot.points.filter(({ value }) => value !== null).length < 2

/** What is drawn of a plot; null where there is nothing to draw. */
export const drawingHtml = (plot: Plot): Html | null => (isEmpty(plot) ? null : drawn(plot))

/** The same under its title. */
export const plotHtml = (plot: Plot): Html | null =>
  isEmpty(plot)
    ? null
    : html`<figure class="plot"><figcaption><h3>${plot.title}</h3></figcaption>
${drawn(plot)}
</figure>`

/** The same as Markdown. */
export const plotPieces = (plot: Plot): ReadonlyArray<Piece> =>
  isEmpty(plot) ? [] : [{ text: `${plot.title}:` }, { table: tableOf(plot) }]
