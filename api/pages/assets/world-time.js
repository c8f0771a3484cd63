// The time that the page shows: now, or one of the instants of a day or a month, of which the service knows what it said then. The
// same reply has the instants of the slider and the numbers of the lines in the tiles. It is read after the page is.

import { drawSparkline } from "./sparkline.js"
import { part, parts } from "./world-parts.js"
import { instantText } from "./world-view.js"

/** @typedef {import("./world-view.js").World} World */

/**
 * @typedef {object} WorldHistory /world-history.json, as far as the page shows it.
 * @property {boolean} complete
 * @property {"not_configured" | "past_unavailable" | null} reason
 * @property {string | null} first
 * @property {ReadonlyArray<string>} instants
 * @property {ReadonlyArray<{ readonly name: string, readonly values: ReadonlyArray<number | null> }>} tiles
 */

const HISTORY = "/world-history.json"
/** How soon an incomplete history is read again, and how often a complete one. */
const AGAIN_MS = 1_500
const EVERY_MS = 60_000
/** A step of playing. */
const PLAY_MS = 700
/** Worlds that the page keeps: those of every instant of the slider. */
const WORLDS_MAX = 130
const DAY_MS = 86_400_000
/** @type {ReadonlyArray<number | null>} */
const NOTHING = []

/** @param {string} url */
const readJson = async (url) => {
  const response = await fetch(url, { headers: { Accept: "application/json" } })
  return response.ok ? await response.json() : null
}

/** Reads earlier worlds, each once: what was known at an instant does not change. */
const makeWorlds = () => {
  /** @type {Map<string, Promise<World | null>>} */
  const worlds = new Map()
  return (/** @type {string} */ at) => {
    const known = worlds.get(at)
    if (known !== undefined) return known
    const reading = readJson(`/world.json?at=${encodeURIComponent(at)}`).catch(() => null)
    worlds.set(at, reading)
    reading.then((world) => world === null && worlds.delete(at))
    for (const oldest of worlds.keys()) {
      if (worlds.size <= WORLDS_MAX) break
      worlds.delete(oldest)
    }
    return reading
  }
}

/**
 * Lets a reader choose the time that the page shows.
 * @param {HTMLElement} page
 * @param {object} shown
 * @param {string | null} shown.at The instant that the page came with; null for now.
 * @param {(world: World, at: string) => void} shown.showPast
 * @param {() => void} shown.showNow
 */
export const startTime = (page, { at, showPast, showNow }) => {
  const bar = page.querySelector("[data-time]")
  if (!(bar instanceof HTMLElement)) return
  const slider = part(bar, "[data-time-slider]")
  if (!(slider instanceof HTMLInputElement)) return
  const output = part(bar, "[data-time-shown]")
  const play = part(bar, "[data-play]")
  const now = part(bar, "[data-time-now]")
  const readWorld = makeWorlds()

  /** @type {WorldHistory | null} */
  let history = null
  /** @type {WorldHistory | null} The numbers of a day, which the tiles show whatever the slider offers. */
  let day = null
  let range = "24h"
  /** @type {string | null} */
  let shownAt = at
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const instants = () => history?.instants ?? []
  /** The place of an instant: the last one that is not after it; behind all of them is now. */
  const placeOf = (/** @type {string | null} */ instant) =>
    instant === null
      ? instants().length
      : Math.max(
          0,
          instants().findLastIndex((one) => one <= instant),
        )

  const drawLines = () => {
    const numbers = new Map((day?.tiles ?? []).map(({ name, values }) => [name, values]))
    const chosen = shownAt === null ? null : (day?.instants ?? []).findLastIndex((one) => one <= (shownAt ?? ""))
    for (const tile of parts(page, ".tile")) {
      const box = tile.querySelector("[data-spark]")
      if (box instanceof HTMLElement)
        drawSparkline(box, numbers.get(tile.dataset.tile ?? "") ?? NOTHING, chosen === -1 ? null : chosen)
    }
  }

  const writeBar = () => {
    const last = instants().length
    slider.max = String(last)
    slider.value = String(placeOf(shownAt))
    const text = shownAt === null ? "Now" : instantText(shownAt)
    if (output.textContent !== text) output.textContent = text
    slider.setAttribute("aria-valuetext", text)
    slider.disabled = last === 0
    for (const button of [play, now])
      if (button instanceof HTMLButtonElement) button.disabled = button === now ? shownAt === null : last === 0
    const length = Date.parse(instants().at(-1) ?? "") - Date.parse(history?.first ?? "")
    // A range that has no more than the shorter one is not offered.
    for (const button of parts(bar, "[data-range]")) {
      button.setAttribute("aria-pressed", String(button.dataset.range === range))
      if (button instanceof HTMLButtonElement) button.disabled = button.dataset.range !== "24h" && !(length > DAY_MS)
    }
  }

  const stop = () => {
    clearInterval(playing)
    playing = undefined
    play.setAttribute("aria-pressed", "false")
    play.textContent = "Play"
  }

  const writeAddress = () => {
    const address = new URL(location.href)
    if (shownAt === null) address.searchParams.delete("at")
    else address.searchParams.set("at", shownAt)
    // Colons may stand in a query as they are.
    window.history.replaceState(null, "", `${address.pathname}${address.search.replaceAll("%3A", ":")}${address.hash}`)
  }

  /** Shows an instant, or now; of several that are asked for one after another the last one wins. */
  const show = async (/** @type {string | null} */ instant) => {
    shownAt = instant
    writeBar()
    drawLines()
    if (instant === null) return showNow()
    bar.toggleAttribute("data-reading", true)
    const world = await readWorld(instant)
    if (shownAt !== instant) return
    bar.removeAttribute("data-reading")
    if (world === null) output.textContent = `${instantText(instant)}: cannot be read at the moment`
    else showPast(world, instant)
  }

  const showPlace = (/** @type {number} */ place) => show(instants()[place] ?? null)

  const step = async () => {
    const next = placeOf(shownAt) + 1
    await showPlace(next)
    if (next >= instants().length) {
      stop()
      writeAddress()
    } else {
      // The next one is there when its turn comes.
      const following = instants()[next + 1]
      if (following !== undefined) readWorld(following)
    }
  }

  const read = async () => {
    clearTimeout(timer)
    const asked = range
    // A page that nobody sees waits until somebody does.
    if (document.visibilityState !== "visible") {
      document.addEventListener("visibilitychange", read, { once: true })
      return
    }
    /** @type {WorldHistory | null} */
    const next = await readJson(`${HISTORY}?range=${asked}`).catch(() => null)
    if (asked !== range) return
    if (next !== null) {
      history = next
      if (asked === "24h") day = next
      writeBar()
      drawLines()
    }
    // One that is being read comes soon; one that cannot be read may take a while.
    timer = setTimeout(read, next?.complete === false && next.reason === null ? AGAIN_MS : EVERY_MS)
  }

  slider.addEventListener("input", () => {
    stop()
    showPlace(Number(slider.value))
  })
  slider.addEventListener("change", writeAddress)
  now.addEventListener("click", () => {
    stop()
    show(null)
    writeAddress()
    slider.focus()
  })
  play.addEventListener("click", () => {
    if (playing !== undefined) {
      stop()
      writeAddress()
      return
    }
    play.setAttribute("aria-pressed", "true")
    play.textContent = "Pause"
    if (shownAt === null) showPlace(0)
    playing = setInterval(step, PLAY_MS)
  })
  for (const button of parts(bar, "[data-range]"))
    button.addEventListener("click", () => {
      range = button.dataset.range ?? "24h"
      read()
    })
  read()
}
