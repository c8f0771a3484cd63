import { type Subject, subjects } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPagePath } from "../../../schemas/contract/pages.ts"
import type { AttributionEntry } from "../../../schemas/contract/provenance.ts"
import type { Tile } from "../../../schemas/endpoints/world.ts"
import { instantText, stateOf, valueKind, valueText } from "../assets/world-view.js"
import { type Html, html } from "../html.ts"

/** Tiles of one subject. */
export interface Group {
  readonly subject: Subject
  readonly title: string
  readonly tiles: ReadonlyArray<Tile>
}

/** The tiles by their subjects; subjects without a tile are left out. */
export const groupsOf = (tiles: ReadonlyArray<Tile>): ReadonlyArray<Group> =>
  Object.entries(subjects).flatMap(([name, title]): ReadonlyArray<Group> => {
    const ofSubject = tiles.filter(({ subject }) => subject === name)
    const [first] = ofSubject
    return first === undefined ? [] : [{ subject: first.subject, title, tiles: ofSubject }]
  })

/** Where a tile's data comes from and on which terms: the first provider's licence, where there are several. */
const originText = ({ source }: Tile, attribution: ReadonlyArray<AttributionEntry>): string => {
  const [first] = attribution
  if (source === null || first === undefined) return "Counted by this service"
  const licences = new Set(attribution.map(({ licence }) => licence))
  return `${source}: ${first.licence}${licences.size > 1 ? " (others differ)" : ""}`
}

const timeHtml = ({ as_of: asOf }: Tile): Html =>
  asOf === null
    ? html`<time data-part="as-of" data-age></time>`
    : html`<time data-part="as-of" data-age datetime="${asOf}">${instantText(asOf)}</time>`

/** A tile. Its parts have names, by which the browser finds what it updates. */
export const tileHtml = (tile: Tile, attribution: ReadonlyArray<AttributionEntry>): Html => {
  const { name, title, value, unit, note, status, stale_after: staleAfter, reason } = tile
  const state = stateOf(tile)
  return html`<li class="tile" data-tile="${name}" data-status="${status}" data-stale-after="${staleAfter}">
<h3><a href="${feedPagePath(tile)}">${title}</a></h3>
<p class="headline ${valueKind(value)}" data-part="headline"><span class="value" data-part="value">${valueText(value)}</span> <span class="unit" data-part="unit">${value === null ? null : unit}</span></p>
<p class="note" data-part="note">${note}</p>
<p class="reason" data-part="reason"${reason === null ? html` hidden` : null}>${reason}</p>
<p class="standing"><span class="state ${state.sign}" data-part="state">${state.words}</span> ${timeHtml(tile)}</p>
<p class="origin">${originText(tile, attribution)}</p>
</li>`
}
