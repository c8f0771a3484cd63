import { type Subject, subjects } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPagePath } from "../../../schemas/contract/pages.ts"
import type { AttributionByPath, AttributionEntry } from "../../../schemas/contract/provenance.ts"
import type { Tile, World } from "../../../schemas/endpoints/world.ts"
import { detailText, instantText, severest, standingOf, stateOf, valueKind, valueText } from "../assets/world-view.js"
import { type Html, html, markdownText } from "../html.ts"
import { type LivePages, saidHtml, streamAttribute } from "../live.ts"
import { linkAt, pastForm } from "../past.ts"
import type { PageContent } from "../site-page.ts"
import { mapHtml } from "./map.ts"

/** The numbers of columns that a group of tiles may have on wide and on middle screens; a phone has one. */
const WIDE = [5, 4, 3] as const
const MIDDLE = [3, 2] as const

/** Of several numbers of columns that with the fewest empty places in the last row; of equal ones the first. */
const columnsFor = (count: number, offered: readonly [number, ...ReadonlyArray<number>]): number => {
  const emptyIn = (columns: number): number => (columns - (count % columns)) % columns
  return offered.reduce((best, one) => (emptyIn(one) < emptyIn(best) ? one : best), offered[0])
}

/** Text of an upstream as a cell: no bar ends it. */
const cell = (text: string): string => markdownText(text).replaceAll("|", "\\|")

/** The page as Markdown, without its title. */
const worldMarkdown = ({ tiles, marks, generated_at }: World, options: Options): string => {
  const { past } = options
  const groups = groupsOf(tiles).map(({ title, tiles: ofGroup }) => {
    const rows = ofGroup.map((tile) => {
      const value = `${valueText(tile.value)}${tile.unit === null || tile.value === null ? "" : ` ${tile.unit}`}`
      const asOf = tile.as_of === null ? "" : instantText(tile.as_of)
      const cells = [value, tile.note, stateIn(tile, past).words, asOf, tile.source ?? ""].map(cell)
      return `| [${cell(tile.title)}](${pageOf(tile, options)}) | ${cells.join(" | ")} |`
    })
    return [
      `## ${title}`,
      "",
      "| Feed | Value | Meaning | State | As of | Source |",
      "|---|---|---|---|---|---|",
      ...rows,
    ]
  })
  const places = severest(marks).map(({ point }) => `- ${cell(point.title)} (${point.lat}, ${point.lon})`)
  const list = places.length === 0 ? [] : ["## The most severe of each kind", "", ...places]
  return `${[`${standingOf(tiles).words}, as of ${instantText(generated_at)}. The same as JSON: ${linkAt("/world.json", past?.at ?? null)}`, ...groups.flatMap((lines) => ["", ...lines]), "", ...list].join("\n").trimEnd()}\n`
}

/** The instant of a board of the past. */
interface PastOfBoard {
  readonly at: string
}

interface Options {
  /** Null for the present. */
  readonly past: PastOfBoard | null
  /** Whether the page of the feed of an endpoint has a past. */
  readonly hasPastPage: (path: string) => boolean
  /** Whether the page offers its past. */
  readonly offersPast: boolean
  readonly attribution: AttributionByPath
  /** Where the browser finds the same as JSON, and how often it reads it without the stream of changes. */
  readonly json: { readonly path: string; readonly ttlMs: number }
  readonly live: LivePages
}

/** The page of a tile's feed: of the same instant, where it has a past. */
const pageOf = (tile: Tile, { past, hasPastPage }: Pick<Options, "past" | "hasPastPage">): string =>
  linkAt(feedPagePath(tile), hasPastPage(tile.path) ? (past?.at ?? null) : null)

const stateIn = (tile: Tile, past: PastOfBoard | null): ReturnType<typeof stateOf> => stateOf(tile, past !== null)

/** The time that the page shows, chosen by script alone. It is there before what it can offer, so that nothing moves. */
const timeBar = html`<div class="time" role="group" aria-label="Time" data-time>
<button type="button" data-play aria-pressed="false" disabled>Play</button>
<input type="range" min="0" max="1" value="1" step="1" disabled aria-label="Time that is shown" data-time-slider>
<output data-time-shown>Now</output>
<span class="ranges" role="group" aria-label="How far back"><button type="button" data-range="24h" aria-pressed="true">24 h</button><button type="button" data-range="30d" aria-pressed="false" disabled>30 d</button></span>
<button type="button" data-time-now disabled>Now</button>
</div>`

const LEAD = "Public feeds of the world at this moment, each with its age and its source."
const LEAD_THEN = "What the feeds said, as it was known and judged then. What came later is not in it."

/** What works by scripts alone stays hidden until they run. */
const controls = (groups: ReadonlyArray<Group>): Html => html`<div class="controls">
<nav aria-label="Subjects"><ul>${groups.map(({ subject, title }) => html`<li><a href="#${subject}">${title}</a></li>`)}</ul></nav>
<form class="tools" role="search" data-tools>
<label><span class="unseen">Search the feeds</span><input type="search" data-search placeholder="Search the feeds ( / )" aria-keyshortcuts="/" autocomplete="off" maxlength="60"></label>
<button type="button" data-arrange aria-pressed="false">Arrange</button>
<button type="button" data-reset hidden>Reset</button>
<span class="small soft" role="status" data-said></span>
</form>
</div>
<p class="nothing" data-nothing hidden>No tile has these words.</p>`

const groupHtml = ({ subject, title, tiles }: Group, options: Options): Html =>
  html`<section class="group" id="${subject}" aria-labelledby="${subject}-title">
<h2 id="${subject}-title">${title}</h2>
<ul class="tiles wide-${columnsFor(tiles.length, WIDE)} middle-${columnsFor(tiles.length, MIDDLE)}">${tiles.map((tile) => tileHtml(tile, options))}</ul>
</section>`

const worldHtml = (world: World, options: Options): Html => {
  const { json, live, past, offersPast } = options
  const groups = groupsOf(world.tiles)
  const standing = standingOf(world.tiles)
  const form = offersPast ? pastForm("/", past?.at ?? null) : null
  const state = html`<span class="state ${standing.sign}" data-live-state>${standing.words}</span>`
  const head =
    past === null
      ? html`<div class="world" data-world="${json.path}" data-ttl-ms="${json.ttlMs}"${streamAttribute(live)} data-generated-at="${world.generated_at}"${offersPast ? html` data-offers-past` : null}>
<p class="lead"><span data-lead data-then="${LEAD_THEN}">${LEAD}</span> <span class="live"><span role="status">${state} <span data-live-reason>as of</span></span> <time data-live-time datetime="${world.generated_at}">${instantText(world.generated_at)}</time> ${saidHtml()}</span></p>`
      : html`<div class="world" data-at="${past.at}" data-offers-past>
<p class="lead"><span data-lead>${LEAD_THEN}</span> <span class="live">${state} <span data-live-reason>at</span> <time data-live-time datetime="${past.at}">${instantText(past.at)}</time>. <a href="${linkAt(json.path, past.at)}">The same as JSON</a></span></p>`
  return html`${head}
${mapHtml(world, { pageOf: (tile) => pageOf(tile, options), isPast: past !== null, timeBar: offersPast ? timeBar : null, form })}
${controls(groups)}
<div class="groups">${groups.map((group) => groupHtml(group, options))}</div>
</div>`
}

/** The front page: a map, and a tile for each feed. */
export const worldContent = (world: World, options: Options): PageContent => ({
  title: options.past === null ? "The world now" : `The world as it was, ${instantText(options.past.at)}`,
  ...(options.past === null ? {} : { heading: "The world as it was" }),
  description: `Earthquakes, fires, storms, launches, markets and services at ${options.past === null ? "this moment" : instantText(options.past.at)}, each with its source and its age.`,
  html: () => worldHtml(world, options),
  markdown: () => worldMarkdown(world, options),
  modules: ["world.js"],
  width: "wide",
})

/** Tiles of one subject. */
interface Group {
  readonly subject: Subject
  readonly title: string
  readonly tiles: ReadonlyArray<Tile>
}

/** The tiles by their subjects; subjects without a tile are left out. */
const groupsOf = (tiles: ReadonlyArray<Tile>): ReadonlyArray<Group> =>
  Object.entries(subjects).flatMap(([name, title]): ReadonlyArray<Group> => {
    const ofSubject = tiles.filter(({ subject }) => subject === name)
    const [first] = ofSubject
    return first === undefined ? [] : [{ subject: first.subject, title, tiles: ofSubject }]
  })

/** Where a tile's data comes from and on which terms: the first provider's licence, where there are several. */
export const originText = ({ source }: Tile, attribution: ReadonlyArray<AttributionEntry>): string => {
  const [first] = attribution
  if (source === null || first === undefined) return "Counted by this service"
  const licences = new Set(attribution.map(({ licence }) => licence))
  return `${source}: ${first.licence}${licences.size > 1 ? " (others differ)" : ""}`
}

/** When the data was confirmed: an age follows the clock of the browser, so that the past shows the instant. */
const timeHtml = ({ as_of: asOf }: Tile, past: PastOfBoard | null): Html => {
  const age = past === null ? html` data-age` : null
  return asOf === null
    ? html`<time data-part="as-of"${age}></time>`
    : html`<time data-part="as-of"${age} datetime="${asOf}">${instantText(asOf)}</time>`
}

/** How the data of a tile stands now, and when it was confirmed. */
export const standingHtml = (tile: Tile): Html => {
  const { sign, words } = stateIn(tile, null)
  return html`<span class="state ${sign}">${words}</span> ${timeHtml(tile, null)}`
}

/** A tile. Its parts have names, by which the browser finds what it updates. A number has room for the line of a day. */
const tileHtml = (tile: Tile, options: Options): Html => {
  const { attribution, live, past, offersPast, hasPastPage } = options
  const { name, title, value, unit, note, status, stale_after: staleAfter, reason } = tile
  const state = stateIn(tile, past)
  const { feeds, ttlMs, followsClock } = live.of(tile.path)
  return html`<li class="tile" data-tile="${name}" data-status="${status}" data-stale-after="${staleAfter}" data-feeds="${feeds.join(" ")}"${followsClock ? html` data-ttl-ms="${ttlMs}"` : null}>
<h3><a href="${pageOf(tile, options)}"${hasPastPage(tile.path) ? html` data-past` : null}>${title}</a></h3>
<p class="headline ${valueKind(value)}" data-part="headline"><span class="value" data-part="value">${valueText(value)}</span> <span class="unit" data-part="unit">${value === null ? null : unit}</span></p>
<p class="note" data-part="note">${note}</p>
${offersPast && typeof value === "number" ? html`<div class="spark" data-spark></div>` : null}
<details class="about"><summary><span class="state ${state.sign}" data-part="state">${state.words}</span> ${timeHtml(tile, past)}</summary>
<p class="reason" data-part="reason"${reason === null ? html` hidden` : null}>${detailText(reason)}</p>
<p class="origin">${originText(tile, attribution.get(tile.path) ?? [])}</p>
</details>
</li>`
}
