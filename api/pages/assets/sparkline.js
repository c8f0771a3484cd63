// A small line of the numbers of a day: the first and the last stand at its ends, gaps stay gaps.

import { valueText } from "./world-view.js"

const SVG = "http://www.w3.org/2000/svg"
/** Units of the picture, which is stretched to the width of its tile. */
const WIDTH = 100
const HEIGHT = 24
/** The line keeps clear of the edges, where it would be cut. */
const EDGE = 2

/**
 * The place of a value in the picture; null where there is none.
 * @param {ReadonlyArray<number | null>} values
 * @returns {ReadonlyArray<{ readonly x: number, readonly y: number } | null>}
 */
const placesOf = (values) => {
  const known = values.filter((value) => value !== null)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return values.map((value, at) =>
    value === null
      ? null
      : {
          x: values.length < 2 ? WIDTH : (at / (values.length - 1)) * WIDTH,
          y: most === least ? HEIGHT / 2 : EDGE + (1 - (value - least) / (most - least)) * (HEIGHT - 2 * EDGE),
        },
  )
}

/**
 * The line through values as a path; a value between two gaps is a point of it.
 * @param {ReadonlyArray<number | null>} values
 */
export const linePath = (values) => {
  let isDrawing = false
  return placesOf(values)
    .map((place) => {
      const step = place === null ? "" : `${isDrawing ? "L" : "M"}${place.x.toFixed(1)} ${place.y.toFixed(1)}`
      const begins = place !== null && !isDrawing
      isDrawing = place !== null
      return begins ? `${step}h0` : step
    })
    .join("")
}

/**
 * What the line shows, in words; null where it would show nothing.
 * @param {ReadonlyArray<number | null>} values
 */
export const lineText = (values) => {
  const known = values.filter((value) => value !== null)
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined || known.length < 2) return null
  const [least, most] = [Math.min(...known), Math.max(...known)].map(valueText)
  return `24 hours: from ${valueText(first)} to ${valueText(last)}, least ${least}, most ${most}`
}

const make = (/** @type {string} */ name, /** @type {Readonly<Record<string, string>>} */ attributes) => {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** What the boxes show: a step of the slider moves the mark alone. @type {WeakMap<HTMLElement, ReadonlyArray<number | null>>} */
const drawn = new WeakMap()

/**
 * Draws the line of values.
 * @param {HTMLElement} box
 * @param {ReadonlyArray<number | null>} values
 * @param {number | null} chosen The index of the value that is marked; null for none.
 */
export const drawSparkline = (box, values, chosen) => {
  if (drawn.get(box) !== values) {
    drawn.set(box, values)
    const text = lineText(values)
    if (text === null) return box.replaceChildren()
    const picture = make("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": text,
    })
    const title = make("title", {})
    title.textContent = text
    picture.append(title, make("path", { d: linePath(values) }), make("path", { class: "chosen" }))
    box.replaceChildren(picture)
  }
  const mark = box.querySelector(".chosen")
  const isMarked = chosen !== null && values[chosen] !== null && values[chosen] !== undefined
  if (isMarked)
    mark?.setAttribute("d", `M${((WIDTH * chosen) / Math.max(1, values.length - 1)).toFixed(1)} 0V${HEIGHT}`)
  else mark?.removeAttribute("d")
}
