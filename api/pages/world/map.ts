import type { Tile, World } from "../../../schemas/endpoints/world.ts"
import { WORLD } from "../assets/map/view-box.js"
import { countText, emptyText, instantText, isCurrentLayer, severest, squareOf } from "../assets/world-view.js"
import { assets } from "../assets.ts"
import { type Html, html } from "../html.ts"

type Layers = World["marks"]

/** The shape of a kind of place, in a square of ten units, and its colour of the palette. */
interface Shape {
  readonly path: string
  readonly tone: "accent" | "good" | "warn" | "bad" | "text"
}

const shapes: Readonly<Record<string, Shape>> = {
  climate_earthquakes: { path: "M5 .5a4.5 4.5 0 1 0 .01 0z", tone: "accent" },
  wildfires: { path: "M5 .3 9.7 5 5 9.7.3 5z", tone: "warn" },
  volcanoes: { path: "M5 .6 9.8 9.2H.2z", tone: "bad" },
  tsunami: { path: "M.8.8h8.4v8.4H.8z", tone: "text" },
  disaster_alerts: { path: "M3.4.4h3.2v3h3v3.2h-3v3H3.4v-3h-3V3.4h3z", tone: "bad" },
  launches: { path: "M5 .2 9.4 9.8 5 7.4.6 9.8z", tone: "good" },
}

/** Shapes of the kinds of places that `shapes` does not name: a new feed edits nothing here. */
const spares: ReadonlyArray<Shape> = [
  { path: "M5 .4 9 2.7v4.6L5 9.6 1 7.3V2.7z", tone: "accent" },
  { path: "M5 .2 6.3 3.7 9.8 5 6.3 6.3 5 9.8 3.7 6.3.2 5l3.5-1.3z", tone: "good" },
  { path: "M.2.8h9.6L5 9.4z", tone: "warn" },
  { path: "M.8.8h8.4L5.9 5l3.3 4.2H.8L4.1 5z", tone: "text" },
]
/** The shape of the kinds for which no spare one is left. */
const PLAIN: Shape = { path: "M5 2.5a2.5 2.5 0 1 0 .01 0z", tone: "text" }

/**
 * The shapes of the kinds of places of one map, by the names of their endpoints. Kinds without a shape of their own take the
 * spare ones in their order.
 */
export const shapesOf = (names: ReadonlyArray<string>): ReadonlyMap<string, Shape> => {
  const unnamed = names.filter((name) => shapes[name] === undefined)
  return new Map(names.map((name) => [name, shapes[name] ?? spares[unnamed.indexOf(name)] ?? PLAIN]))
}

const VIEW = [WORLD.x, WORLD.y, WORLD.width, WORLD.height].join(" ")

const symbol = ([name, { path }]: readonly [string, Shape]): Html =>
  html`<symbol id="shape-${name}" viewBox="0 0 10 10" overflow="visible"><path d="${path}"/></symbol>`

const mark = (name: string, point: Layers[number]["points"][number]): Html => {
  const { x, y, size } = squareOf(point)
  return html`<use href="#shape-${name}" x="${x}" y="${y}" width="${size}" height="${size}"${point.at === null ? null : html` data-at="${point.at}"`}><title>${point.title}</title></use>`
}

const layerHtml = ({ name, points, known, harmless }: Layers[number], { tone }: Shape, isCurrent: boolean): Html =>
  html`<g class="layer ${tone}" data-layer="${name}"${isCurrent ? null : html` data-old`}${known ? null : html` data-unknown`}${harmless ? html` data-harmless` : null}>${points.map((point) => mark(name, point))}</g>`

const keyHtml = (name: string, { tone }: Shape): Html =>
  html`<svg class="key ${tone}" data-key="${name}" viewBox="-1 -1 12 12" width="14" height="14" aria-hidden="true"><use href="#shape-${name}" width="10" height="10"/></svg>`

/** The places of one feed on a map, named under the pointer; a list beside it names them for those who see none. */
export const feedMapHtml = (name: string, points: Layers[number]["points"]): Html => {
  const shape = shapesOf([name]).get(name) ?? PLAIN
  return html`<svg class="globe" viewBox="${VIEW}" role="img" aria-label="Map of the world with ${String(points.length)} places, which are listed below.">
<defs>${symbol([name, shape])}</defs>
<image class="land" href="${assets().pathOf("land.svg")}" width="360" height="180"/>
${layerHtml({ name, points, omitted: 0, known: true, harmless: false }, shape, true)}
</svg>`
}

/** What is shown of a layer that is not current: how old it is. */
const ageHtml = (asOf: string | null, isPast: boolean): Html =>
  html`<span class="layer-age" data-layer-age>not current<span class="since">: <time${isPast ? null : html` data-age`}${asOf === null ? null : html` datetime="${asOf}"`}>${asOf === null ? null : instantText(asOf)}</time></span></span>`

const legendEntry = (
  layer: Layers[number],
  shape: Shape,
  { title, asOf, isCurrent, isPast }: { title: string; asOf: string | null; isCurrent: boolean; isPast: boolean },
): Html =>
  html`<li data-entry="${layer.name}"${isCurrent ? null : html` data-old`}><label><input type="checkbox" data-shows="${layer.name}" checked>${keyHtml(layer.name, shape)}${title} <span class="soft" data-count="${layer.name}">${countText(layer)}</span></label> ${ageHtml(asOf, isPast)}</li>`

/** The places of every feed on a map without controls, with a legend. */
export const boardMapHtml = ({ marks, tiles }: World): Html => {
  const drawn = shapesOf(marks.map(({ name }) => name))
  const shapeOf = (name: string): Shape => drawn.get(name) ?? PLAIN
  const titleOf = (name: string): string => tiles.find((tile) => tile.name === name)?.title ?? name
  return html`<figure class="map">
<svg class="globe" viewBox="${VIEW}" role="img" aria-label="Map of the world with places of ${String(marks.length)} kinds.">
<defs>${[...drawn].map(symbol)}</defs>
<image class="land" href="${assets().pathOf("land.svg")}" width="360" height="180"/>
${marks.toReversed().map((layer) => layerHtml(layer, shapeOf(layer.name), isCurrentLayer(layer, tiles)))}
</svg>
<figcaption><ul class="legend">${marks.map((layer) => {
    const isCurrent = isCurrentLayer(layer, tiles)
    return html`<li${isCurrent ? null : html` data-old`}>${keyHtml(layer.name, shapeOf(layer.name))}${titleOf(layer.name)} <span class="soft">${countText(layer)}</span>${isCurrent ? null : html` <span class="layer-age">not current</span>`}</li>`
  })}</ul></figcaption>
</figure>`
}

/** The controls of the map, which work by scripts alone. */
const zoomHtml = html`<div class="zoom" role="group" aria-label="Zoom">
<button type="button" data-zoom-key="+" disabled aria-label="Zoom in">+</button>
<button type="button" data-zoom-key="-" disabled aria-label="Zoom out">−</button>
<button type="button" data-zoom-key="0" disabled aria-label="Show all">⤢</button>
</div>`

/** How many places there are; none is said only of what was read. */
const placesText = (marks: Layers): string => {
  const count = marks.reduce((sum, { points }) => sum + points.length, 0)
  if (count > 0) return `All ${String(count)} places as a list`
  return marks.some(({ known }) => known) ? "No places" : "No places are known yet"
}

/** Every place as text, for those who see no map. */
const placesHtml = (marks: Layers, titleOf: (name: string) => string): Html => {
  return html`<details class="places" data-places><summary>${placesText(marks)}</summary>
<ul data-place-rows>${marks.map(({ name, points }) => points.map(({ title }) => html`<li>${title} <small>${titleOf(name)}</small></li>`))}</ul>
</details>`
}

/** The age of what has happened. What will happen, as a launch, has its time in its title. */
const timeHtml = (at: string | null, generatedAt: string, isPast: boolean): Html | null =>
  at === null || at > generatedAt
    ? null
    : html` <time datetime="${at}"${isPast ? null : html` data-age`}>${instantText(at)}</time>`

/** The map with its legend, and the most severe places as a list, for those who see no map as well. */
export const mapHtml = (
  world: World,
  {
    pageOf,
    isPast,
    timeBar,
    form,
  }: {
    readonly pageOf: (tile: Tile) => string
    readonly isPast: boolean
    /** What chooses the time that the map shows; null for nothing. */
    readonly timeBar: Html | null
    readonly form: Html | null
  },
): Html => {
  const { marks, tiles, generated_at: generatedAt } = world
  const drawn = shapesOf(marks.map(({ name }) => name))
  const shapeOf = (name: string): Shape => drawn.get(name) ?? PLAIN
  const tileOf = (name: string): Tile | undefined => tiles.find((tile) => tile.name === name)
  const titleOf = (name: string): string => tileOf(name)?.title ?? name
  const linkOf = (name: string): Html | string => {
    const tile = tileOf(name)
    return tile === undefined ? name : html`<a href="${pageOf(tile)}">${tile.title}</a>`
  }
  return html`<figure class="map">
<div class="frame">
<svg class="globe" viewBox="${VIEW}" role="img" data-fine-land="${assets().pathOf("land-fine.svg")}" aria-label="Map of the world with places of ${String(marks.length)} kinds. The most severe are listed beside it.">
<defs>${[...drawn].map(symbol)}</defs>
<image class="land" href="${assets().pathOf("land.svg")}" width="360" height="180"/>
${marks.toReversed().map((layer) => layerHtml(layer, shapeOf(layer.name), isCurrentLayer(layer, tiles)))}
</svg>
${zoomHtml}
<div class="card" role="dialog" aria-labelledby="card-title" data-card hidden></div>
</div>
<figcaption>
${timeBar}
<ul class="legend" aria-label="Kinds of places on the map">${marks.map((layer) =>
    legendEntry(layer, shapeOf(layer.name), {
      title: titleOf(layer.name),
      asOf: tileOf(layer.name)?.as_of ?? null,
      isCurrent: isCurrentLayer(layer, tiles),
      isPast,
    }),
  )}</ul>
${placesHtml(marks, titleOf)}
</figcaption>
<section class="severest" aria-labelledby="severest">
<h2 id="severest">Most severe of each kind</h2>
<ol data-severest data-empty="${emptyText(world)}">${severest(marks).map(({ name, point }) => html`<li data-kind="${name}">${keyHtml(name, shapeOf(name))}<span>${point.title}<br><small>${linkOf(name)}${timeHtml(point.at, generatedAt, isPast)}</small></span></li>`)}</ol>
${form}
</section>
</figure>`
}
