import { keepCurrent } from "./live/live.js"
import { part, parts } from "./world-parts.js"
import { markStale, promisesIn, tilesIn } from "./world-tiles.js"
import { standingOf } from "./world-view.js"

/** @typedef {import("./world-view.js").World} World */

/**
 * The state of all feeds, or of the connection where it fails, in words, with the time of the last answer.
 * @param {HTMLElement} page
 * @param {"good" | "warn" | "bad" | "missed"} sign
 * @param {string} words
 * @param {string} reason
 */
export const showLive = (page, sign, words, reason) => {
  const state = part(page, "[data-live-state]")
  const className = `state ${sign}`
  if (state.className !== className) state.className = className
  // Written only where it differs: each change is read out.
  if (state.textContent !== words) state.textContent = words
  const why = part(page, "[data-live-reason]")
  if (why.textContent !== reason) why.textContent = reason
}

/**
 * Keeps the page current by the changes of the feeds of its tiles, and passes each new world to `write`. `show` follows what
 * becomes stale by the clock. While the service cannot be read, the page is marked as not live.
 * @param {HTMLElement} page
 * @param {{ readonly write: (world: World) => void, readonly show: () => void }} writer
 */
export const follow = (page, { write, show }) => {
  const { world = "", stream, ttlMs, generatedAt = "" } = page.dataset
  const tiles = parts(page, ".tile")
  const ownMs = tiles.flatMap(({ dataset }) => (dataset.ttlMs === undefined ? [] : [Number(dataset.ttlMs)]))
  const time = part(page, "[data-live-time]")
  time.dataset.age = ""
  let isPaused = false
  /** @type {World | null} What was read while an earlier world is shown. */
  let latest = null
  const current = keepCurrent({
    url: world,
    stream,
    feeds: [...new Set(tiles.flatMap(({ dataset }) => (dataset.feeds ?? "").split(" ").filter(Boolean)))],
    ttlMs: Number(ttlMs),
    // All tiles come in one reply, which is not read oftener than without the stream.
    refreshMs: ownMs.length === 0 ? null : Math.max(Number(ttlMs), Math.min(...ownMs)),
    renderedAtMs: Date.parse(generatedAt),
    said: part(page, "[data-live-said]"),
    promises: () => promisesIn(page),
    write: (next) => {
      latest = next
      if (!isPaused) write(next)
    },
    show: ({ nowMs, sentAt, failure }) => {
      if (isPaused) return
      markStale(page, nowMs)
      show()
      if (sentAt !== null) time.setAttribute("datetime", sentAt)
      const { sign, words } = standingOf(tilesIn(page))
      if (failure === null) showLive(page, sign, words, sentAt === null ? "as of" : "updated")
      else showLive(page, "bad", "Not updated", `${failure}. Shown is what was known`)
    },
  })
  return {
    /** Leaves the page as it is, which shows something else for a while. */
    pause: () => {
      isPaused = true
    },
    /** Writes what is known by now, and follows on. */
    resume: () => {
      isPaused = false
      time.dataset.age = ""
      if (latest === null) current.forget()
      else write(latest)
      current.read()
    },
  }
}
