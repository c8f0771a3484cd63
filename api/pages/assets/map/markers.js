import { holds } from "./view-box.js"

// The places on the map as elements: each is named, and one of them is in the order of the tab key. Arrows lead from it to the
// others.

/** @typedef {import("./gather.js").Gathering} Gathering */

const SVG = "http://www.w3.org/2000/svg"

/** @typedef {{ readonly title: string, readonly className: string }} Look The name of a layer's kind, and how it is drawn. */

/**
 * @param {Gathering} gathering
 * @param {Look} look
 */
const nameOf = ({ lead, spots }, { title }) => {
  const own = `${lead.point.title}. ${title}`
  return spots.length === 1 ? own : `${spots.length} places, the most severe: ${own}`
}

/**
 * What stays the same while a place is drawn.
 * @param {Gathering} gathering
 */
const keyOf = ({ lead: { layer, point } }) => `${layer} ${point.lat} ${point.lon} ${point.title}`

/**
 * @param {Element} element
 * @param {Readonly<Record<string, string | number>>} attributes
 */
const set = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes))
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value))
}

const make = (/** @type {string} */ name) => document.createElementNS(SVG, name)

/**
 * @typedef {object} Measures
 * @property {number} pxPerDegree
 * @property {(weight: number) => number} sizePx The size of a place by its weight.
 * @property {number} textPx
 */

/** The element of one gathering, which is drawn anew at each zoom. */
class Marker {
  element = /** @type {SVGGElement} */ (make("g"))
  /** @type {Gathering} */
  gathering
  #use = make("use")
  #text = make("text")
  #title = make("title")

  /** @param {Gathering} gathering */
  constructor(gathering) {
    this.gathering = gathering
    set(this.element, { role: "button", tabindex: -1 })
    this.#use.setAttribute("href", `#shape-${gathering.lead.layer}`)
    this.element.append(this.#title, this.#use)
  }

  /**
   * @param {Gathering} gathering
   * @param {Measures} measures
   * @param {Look} look
   */
  draw(gathering, { pxPerDegree, sizePx, textPx }, look) {
    this.gathering = gathering
    const { lead, spots } = gathering
    const size = sizePx(lead.point.weight) / pxPerDegree
    const name = nameOf(gathering, look)
    set(this.element, { class: `marker ${look.className}`, "aria-label": name, "data-gathered": spots.length })
    if (this.#title.textContent !== name) this.#title.textContent = name
    const [x, y] = [(lead.x - size / 2).toFixed(3), (lead.y - size / 2).toFixed(3)]
    set(this.#use, { x, y, width: size.toFixed(3), height: size.toFixed(3) })
    if (spots.length === 1) this.#text.remove()
    else {
      const height = textPx / pxPerDegree
      const count = String(spots.length)
      if (this.#text.textContent !== count) this.#text.textContent = count
      set(this.#text, {
        x: (lead.x + size / 2 + height * 0.1).toFixed(3),
        y: (lead.y + height * 0.36).toFixed(3),
        "font-size": height.toFixed(3),
      })
      // What is appended is laid out anew, also where it was the last one.
      if (this.#text.parentNode === null) this.element.append(this.#text)
    }
  }
}

/** The directions of the arrow keys. @type {Readonly<Record<string, readonly [x: number, y: number]>>} */
const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
/** What lies beside the direction of an arrow counts so many times as far. */
const BESIDE = 2.5

export class Markers {
  #group = make("g")
  /** @type {Map<string, Marker>} */
  #markers = new Map()
  #lookOf
  /** @type {Marker | null} The one in the order of the tab key. */
  #current = null

  /**
   * @param {SVGSVGElement} globe
   * @param {object} options
   * @param {(layer: string) => Look} options.lookOf
   * @param {(gathering: Gathering) => void} options.open
   * @param {(gathering: Gathering) => void} options.reveal Brings what the keyboard leads to into sight.
   */
  constructor(globe, { lookOf, open, reveal }) {
    this.#lookOf = lookOf
    set(this.#group, { role: "group", "aria-label": "Places. Arrow keys lead from one to the next", class: "markers" })
    globe.append(this.#group)
    const markerOf = (/** @type {EventTarget | null} */ target) =>
      [...this.#markers.values()].find(({ element }) => target instanceof Node && element.contains(target))
    this.#group.addEventListener("click", (event) => {
      const marker = markerOf(event.target)
      if (marker === undefined) return
      this.#choose(marker)
      open(marker.gathering)
    })
    this.#group.addEventListener("keydown", (event) => {
      if (!(event instanceof KeyboardEvent)) return
      const marker = markerOf(event.target)
      if (marker === undefined || event.ctrlKey || event.altKey || event.metaKey) return
      const next = this.#after(marker, event.key)
      if (next !== null) {
        reveal(next.gathering)
        this.#choose(next).focus()
      } else if (event.key === "Enter" || event.key === " ") open(marker.gathering)
      else return
      event.preventDefault()
    })
  }

  /**
   * Draws gatherings: those that were drawn before keep their elements, and with them the focus.
   * @param {ReadonlyArray<Gathering>} gatherings
   * @param {Measures} measures
   * @param {import("./view-box.js").Box} box
   */
  draw(gatherings, measures, box) {
    const before = this.#markers
    this.#markers = new Map()
    const layers = new Set(gatherings.map(({ lead }) => lead.layer))
    const looks = new Map([...layers].map((layer) => [layer, this.#lookOf(layer)]))
    // What is drawn last lies on top: the most severe, which come first.
    for (const gathering of gatherings) {
      const key = keyOf(gathering)
      const marker = before.get(key) ?? new Marker(gathering)
      marker.draw(gathering, measures, looks.get(gathering.lead.layer) ?? this.#lookOf(gathering.lead.layer))
      this.#markers.set(key, marker)
    }
    for (const [key, { element }] of before) if (!this.#markers.has(key)) element.remove()
    const wanted = [...this.#markers.values()].reverse()
    const held = this.#group.children
    wanted.forEach(({ element }, at) => {
      if (held[at] !== element) this.#group.insertBefore(element, held[at] ?? null)
    })
    const isCurrent = this.#current !== null && wanted.includes(this.#current)
    const first = [...this.#markers.values()].find(({ gathering }) => holds(box, gathering.lead))
    if (!isCurrent || !holds(box, this.#current?.gathering.lead ?? { x: -1, y: -1 })) {
      if (first === undefined) this.#current = null
      else this.#choose(first)
    }
  }

  /**
   * The element of a place, on its own or within a gathering.
   * @param {(spot: import("./gather.js").Spot) => boolean} isIt
   */
  elementOf(isIt) {
    return [...this.#markers.values()].find(({ gathering }) => gathering.spots.some(isIt))?.element ?? null
  }

  /** @param {Marker} marker */
  #choose(marker) {
    this.#current?.element.setAttribute("tabindex", "-1")
    this.#current = marker
    marker.element.setAttribute("tabindex", "0")
    return marker.element
  }

  /**
   * The next place in the direction of an arrow; the first and the last in the order of their severity by Home and End.
   * @param {Marker} from
   * @param {string} key
   */
  #after(from, key) {
    const all = [...this.#markers.values()]
    if (key === "Home") return all[0] ?? null
    if (key === "End") return all.at(-1) ?? null
    const direction = directions[key]
    if (direction === undefined) return null
    const { lead } = from.gathering
    const ahead = all.flatMap((marker) => {
      const [x, y] = [marker.gathering.lead.x - lead.x, marker.gathering.lead.y - lead.y]
      const [along, beside] = [
        x * direction[0] + y * direction[1],
        Math.abs(x * direction[1]) + Math.abs(y * direction[0]),
      ]
      return marker === from || along <= 0 ? [] : [{ marker, far: along + beside * BESIDE }]
    })
    return ahead.sort((one, other) => one.far - other.far)[0]?.marker ?? from
  }
}
