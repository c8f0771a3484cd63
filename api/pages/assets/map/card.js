// The card of a place on the map: what it is, where, when, by whom, and where more of it stands.

import { instantText } from "../world-view.js"

/** @typedef {import("./gather.js").Gathering} Gathering */
/** @typedef {import("./gather.js").Spot} Spot */

/** Places of a gathering that a card lists; the others come by zooming in. */
const LISTED_MAX = 12

/**
 * @typedef {object} Origin What the page says of a layer.
 * @property {string} title
 * @property {string} href The page of its feed.
 * @property {string} state In words.
 * @property {string} source With its licence.
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {...(Node | string)} content
 */
const element = (tag, ...content) => {
  const made = document.createElement(tag)
  made.append(...content)
  return made
}

/**
 * @param {string} text
 * @param {() => void} press
 */
const button = (text, press) => {
  const made = element("button", text)
  made.type = "button"
  made.addEventListener("click", press)
  return made
}

/**
 * @param {string} href
 * @param {string} text
 */
const link = (href, text) => {
  const made = element("a", text)
  made.href = href
  return made
}

const degrees = (/** @type {number} */ value, /** @type {string} */ plus, /** @type {string} */ minus) =>
  `${Math.abs(value).toFixed(2)}° ${value < 0 ? minus : plus}`

/**
 * A place in words.
 * @param {{ readonly lat: number, readonly lon: number }} point
 */
export const placeText = ({ lat, lon }) => `${degrees(lat, "N", "S")}, ${degrees(lon, "E", "W")}`

/**
 * The page of a feed as it was at an instant.
 * @param {string} href
 * @param {string} at
 */
const pastOf = (href, at) => {
  const address = new URL(href, location.href)
  address.searchParams.set("at", at)
  return `${address.pathname}${address.search}`
}

export class PlaceCard {
  #card
  #originOf
  #offersPast
  #zoomTo
  /** @type {Element | null} What had the focus before the card. */
  #opener = null

  /**
   * @param {HTMLElement} card
   * @param {object} options
   * @param {(layer: string) => Origin} options.originOf
   * @param {boolean} options.offersPast Whether the service keeps a past.
   * @param {(spots: ReadonlyArray<Spot>) => void} options.zoomTo
   */
  constructor(card, { originOf, offersPast, zoomTo }) {
    this.#card = card
    this.#originOf = originOf
    this.#offersPast = offersPast
    this.#zoomTo = zoomTo
    card.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close()
    })
  }

  /**
   * Shows a gathering: the place itself where it is one, else the list of its places. It stands on the other side of the map.
   * @param {Gathering} gathering
   * @param {boolean} isRight Whether it is in the right half of the map.
   */
  open({ lead, spots }, isRight) {
    this.#card.toggleAttribute("data-left", isRight)
    this.#opener = document.activeElement
    if (spots.length === 1) this.#show(lead.point.title, ...this.#placeParts(lead))
    else this.#showList(spots)
  }

  close() {
    if (this.#card.hidden) return
    this.#card.hidden = true
    if (this.#opener instanceof SVGElement || this.#opener instanceof HTMLElement) this.#opener.focus()
    this.#opener = null
  }

  /** @param {ReadonlyArray<Spot>} spots */
  #showList(spots) {
    const shown = spots.slice(0, LISTED_MAX)
    const rows = shown.map((spot) =>
      element(
        "li",
        button(spot.point.title, () =>
          this.#show(
            spot.point.title,
            ...this.#placeParts(spot),
            button("All places here", () => this.#showList(spots)),
          ),
        ),
        element("small", this.#originOf(spot.layer).title),
      ),
    )
    const rest = spots.length - shown.length
    this.#show(
      `${spots.length} places`,
      element("ul", ...rows),
      ...(rest === 0 ? [] : [element("p", `${rest} more show when zoomed in.`)]),
      button("Zoom in here", () => {
        this.close()
        this.#zoomTo(spots)
      }),
    )
  }

  /** @param {Spot} spot */
  #placeParts({ layer, point }) {
    const { title, href, state, source } = this.#originOf(layer)
    const facts = element("dl")
    const add = (/** @type {string} */ name, /** @type {Node | string} */ value) =>
      facts.append(element("div", element("dt", name), element("dd", value)))
    add("What", title)
    add("Where", placeText(point))
    if (point.at !== null) {
      const time = element("time", instantText(point.at))
      time.dateTime = point.at
      add("When", time)
    }
    add("Data", state)
    add("Source", source)
    const links = element("p", link(href, `All of ${title}`))
    if (this.#offersPast && point.at !== null && Date.parse(point.at) <= Date.now())
      links.append(" · ", link(pastOf(href, point.at), "As it was known then"))
    return [facts, links]
  }

  /**
   * @param {string} title
   * @param {...Node} content
   */
  #show(title, ...content) {
    const heading = element("h3", title)
    heading.tabIndex = -1
    heading.id = "card-title"
    const close = button("×", () => this.close())
    close.className = "close"
    close.setAttribute("aria-label", "Close")
    this.#card.replaceChildren(close, heading, ...content)
    this.#card.hidden = false
    heading.focus({ preventScroll: true })
  }
}
