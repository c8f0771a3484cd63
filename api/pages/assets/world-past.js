// What the page says of itself while its slider shows an earlier instant: the words of a page of the past.

import { showLive } from "./world-live.js"
import { part } from "./world-parts.js"
import { instantText, standingOf } from "./world-view.js"

const HEADING = "The world as it was"

/**
 * The heading, the title and the first words of the page of the present; null until it is left.
 * @type {{ heading: string, title: string, lead: string } | null}
 */
let present = null

/** The banner of the past. One that the page did not come with moves nothing: it lies over the top of the page. */
const bannerOf = () => {
  const known = document.querySelector(".past")
  if (known instanceof HTMLElement) return known
  const banner = document.createElement("aside")
  banner.className = "past over"
  banner.setAttribute("aria-label", "Past")
  const words = document.createElement("strong")
  words.append("The past, at ", document.createElement("time"))
  const link = document.createElement("a")
  link.href = "/"
  link.textContent = "Show the present"
  banner.append(words, link)
  document.body.prepend(banner)
  return banner
}

/**
 * @param {HTMLElement} page
 * @param {import("./world-view.js").World} world
 * @param {string} at
 */
export const writePast = (page, world, at) => {
  const heading = document.querySelector("h1")
  const lead = part(page, "[data-lead]")
  present ??= { heading: heading?.textContent ?? "", title: document.title, lead: lead.textContent ?? "" }
  if (lead.dataset.then !== undefined) lead.textContent = lead.dataset.then
  if (heading !== null) heading.textContent = HEADING
  document.title = `${HEADING}, ${instantText(at)} - Tidewire`
  for (const time of [bannerOf().querySelector("time"), part(page, "[data-live-time]")]) {
    if (!(time instanceof HTMLElement)) continue
    time.removeAttribute("data-age")
    time.setAttribute("datetime", at)
    time.textContent = instantText(at)
  }
  const { sign, words } = standingOf(world.tiles)
  showLive(page, sign, words, "at")
}

/**
 * The words of the present again. What follows the page writes the rest.
 * @param {HTMLElement} page
 */
export const leavePast = (page) => {
  document.querySelector(".past.over")?.remove()
  const heading = document.querySelector("h1")
  if (present === null) return
  part(page, "[data-lead]").textContent = present.lead
  if (heading !== null) heading.textContent = present.heading
  document.title = present.title
}
