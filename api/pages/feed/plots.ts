import { PLOT_POINTS_MAX, type Plot } from "../../../schemas/contract/plot.ts"
import { linePath } from "../assets/sparkline.js"
import { instantText, valueText } from "../assets/world-view.js"
import { type Html, html, markdownText } from "../html.ts"
import { dataTable, dataTableHtml } from "../html-table.ts"
import type { Piece, Table } from "../page.ts"

// Plots as HTML: lines and bars are SVG without text, so that it scales; numbers and names are text beside them, and each line has
// its table.

const withUnit = (value: number, unit: string | null): string =>
  `${valueText(value)}${unit === null ? "" : unit === "%" ? "%" : ` ${unit}`}`

const tableOf = (plot: Plot): Table => {
  switch (plot.kind) {
    case "ranking":
      return {
        head: ["", plot.unit ?? "Value", "Of"],
        rows: plot.bars.map(({ label, value, note = "" }) => [label, valueText(value), note]),
      }
    case "matrix":
      return {
        head: [plot.of, ...plot.columns],
        rows: plot.rows.map(({ label, values }) => [
          label,
          ...values.map((value) => (value === null ? "" : valueText(value))),
        ]),
      }
    case "states":
      return { head: ["", "State"], rows: plot.cells.map(({ label, words }) => [label, words]) }
    case "series": {
      const hasNotes = plot.points.some(({ note }) => note !== undefined)
      return {
        head: ["Time", plot.unit ?? "Value", ...(hasNotes ? ["Of"] : [])],
        rows: plot.points
          .slice(-PLOT_POINTS_MAX)
          .map(({ at, value, note = "" }) => [at, value === null ? "" : valueText(value), ...(hasNotes ? [note] : [])]),
      }
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

/** The colours of a matrix: so many steps of size, for each sign. */
const SHADES = 4

/** The class of a cell, by its size among the largest. Its number says the same. */
const shadeOf = (value: number, most: number): string => {
  const size = Math.ceil((SHADES * Math.abs(value)) / (most || 1))
  return size === 0 ? "shade" : `shade ${value < 0 ? "minus" : "plus"}-${size}`
}

/** A matrix is a table, and so its own twin. */
const matrixHtml = ({ of, columns, rows, note, isColoured }: Extract<Plot, { readonly kind: "matrix" }>): Html => {
  const most = Math.max(0, ...rows.flatMap(({ values }) => values.map((value) => Math.abs(value ?? 0))))
  const cell = (value: number | null): Html =>
    value === null
      ? html`<td class="number"></td>`
      : html`<td class="number${isColoured && ` ${shadeOf(value, most)}`}">${valueText(value)}</td>`
  return html`<div class="scroll" tabindex="0"><table class="matrix">
<thead><tr><th scope="col">${of}</th>${columns.map((column) => html`<th scope="col" class="number">${column}</th>`)}</tr></thead>
<tbody>${rows.map(({ label, values }) => html`<tr><th scope="row">${label}</th>${values.map(cell)}</tr>\n`)}</tbody>
</table></div>
<p class="small soft">${note}.</p>`
}

type Series = Extract<Plot, { readonly kind: "series" }>

/** An instant or a day on an axis. */
const timeHtml = (at: string): Html =>
  at.includes("T") ? html`<time datetime="${at}">${instantText(at)}</time>` : html`${at}`

/** Units of the picture of bars, whose width is a unit for each. */
const HEIGHT = 24
const EDGE = 2
/** So much is seen of a bar of 0, which is known, unlike one that is missing. */
const ZERO = 0.4

/** Bars that stand on the lowest line of the picture. */
const barsSvg = ({ points, unit }: Series, most: number): Html =>
  html`<svg class="bars" viewBox="0 0 ${points.length} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="grid" d="M0 2H${points.length}M0 12H${points.length}M0 22H${points.length}"/>${points.map(
    ({ at, value, note, state }, place) => {
      if (value === null) return null
      const height = Math.max(ZERO, (Math.min(value, most) / (most || 1)) * (HEIGHT - 2 * EDGE))
      const words = [at.includes("T") ? instantText(at) : at, withUnit(value, unit), note ?? ""]
      return html`<rect${state !== undefined && html` class="${state}"`} x="${place + 0.1}" y="${(HEIGHT - EDGE - height).toFixed(2)}" width="0.8" height="${height.toFixed(2)}"><title>${words.filter((one) => one !== "").join(", ")}</title></rect>`
    },
  )}</svg>`

/** What the colours of bars mean, with the number of bars of each; nothing where they have one colour. */
const statesLegend = ({ points }: Series): Html | null => {
  const looks = Map.groupBy(
    points.filter(({ state, value }) => state !== undefined && value !== null),
    ({ state, note }) => `${state} ${note}`,
  )
  return looks.size === 0
    ? null
    : html`<p class="looks small">${[...looks.values()].map((alike) => html`<span class="state ${alike[0]?.state}">${alike[0]?.note} (${alike.length})</span> `)}</p>`
}

const lineSvg = ({ points }: Series): Html =>
  html`<svg viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="grid" d="M0 2H100M0 12H100M0 22H100"/><path d="${linePath(points.map(({ value }) => value))}"/></svg>`

const seriesHtml = (plot: Series): Html | null => {
  const { points, unit, bars } = plot
  const known = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const [first, last] = [points[0], points.at(-1)]
  if (known.length < 2 || first === undefined || last === undefined) return null
  const most = bars?.most ?? Math.max(...known)
  const least = bars === undefined ? Math.min(...known) : 0
  return html`<div class="line"><p class="scale"><span>${withUnit(most, unit)}</span><span>${withUnit(least, unit)}</span></p>
${bars === undefined ? lineSvg(plot) : barsSvg(plot, most)}
<p class="axis small soft"><span>${timeHtml(first.at)}</span> <span>${timeHtml(last.at)}${last.state === undefined && last.note !== undefined && `, ${last.note}`}</span></p></div>
${statesLegend(plot)}<details><summary>As a table</summary>
${dataTableHtml(tableOf(plot))}</details>`
}

const drawn = (plot: Plot): Html | null => {
  switch (plot.kind) {
    case "ranking":
      return rankingHtml(plot)
    case "matrix":
      return matrixHtml(plot)
    case "states":
      return statesHtml(plot)
    case "series":
      return seriesHtml(plot)
  }
}

const isEmpty = (plot: Plot): boolean => {
  switch (plot.kind) {
    case "ranking":
      return plot.bars.length === 0
    case "matrix":
      return plot.rows.length === 0
    case "states":
      return plot.cells.length === 0
    case "series":
      return plot.points.filter(({ value }) => value !== null).length < 2
  }
}

/** What is drawn of a plot; null where there is nothing to draw. */
export const drawingHtml = (plot: Plot): Html | null => (isEmpty(plot) ? null : drawn(plot))

/** The same under its title. */
export const plotHtml = (plot: Plot): Html | null =>
  isEmpty(plot)
    ? null
    : html`<figure class="plot"><figcaption><h3>${plot.title}${plot.kind === "matrix" && plot.unit !== null && `, ${plot.unit}`}</h3></figcaption>
${drawn(plot)}
</figure>`

/** The same as Markdown. */
export const plotPieces = (plot: Plot): ReadonlyArray<Piece> =>
  isEmpty(plot)
    ? []
    : [
        { text: `${markdownText(plot.title)}:` },
        { table: dataTable(tableOf(plot)) },
        ...(plot.kind === "matrix" ? [{ text: `${plot.note}.` }] : []),
      ]
