import { markLayers } from "./world-map.js"
import { part } from "./world-parts.js"
import { markStale, tilesIn } from "./world-tiles.js"
import { standingOf } from "./world-view.js"

/** @typedef {import("./world-view.js").World} World */

const EVERY_MS = 15_000
const TIMEOUT_MS = 10_000
const SECOND_MS = 1_000

/**
 * The state of the connection in words, with the time of the last reply.
 * @param {HTMLElement} page
 * @param {"good" | "warn" | "bad" | "missed"} sign
 * @param {string} words
 * @param {string} reason
 */
const showLive = (page, sign, words, reason) => {
  const state = part(page, "[data-live-state]")
  state.className = `state ${sign}`
  // Written only where it differs: each change is read out.
  if (state.textContent !== words) state.textContent = words
  const why = part(page, "[data-live-reason]")
  if (why.textContent !== reason) why.textContent = reason
}

/**
 * Reads `/api/world` every 15 seconds while the page is visible, and at once when it becomes visible, and passes each change
 * to `write`. While the service cannot be read, the page is marked as not live.
 * @param {HTMLElement} page
 * @param {(world: World) => void} write
 */
export const follow = (page, write) => {
  const url = page.dataset.world ?? ""
  let etag = ""
  let nextAtMs = performance.now() + EVERY_MS
  let reading = false
  /** The clock of the service less the one of this page, which counts from its start and is never set. */
  let aheadMs = Date.parse(page.dataset.generatedAt ?? "") - performance.now()
  /** Why the service could not be read the last time; null where it could. */
  let failure = /** @type {string | null} */ (null)
  const show = () => {
    markStale(page, performance.now() + aheadMs)
    markLayers(page)
    const { sign, words } = standingOf(tilesIn(page))
    if (failure === null) showLive(page, sign, words, "updated")
    else showLive(page, "bad", "Not updated", `${failure}. Shown is what was known`)
  }
  const failed = (/** @type {string} */ reason) => {
    failure = reason
    show()
  }
  const time = part(page, "[data-live-time]")
  time.dataset.age = ""
  show()

  const read = async () => {
    const response = await fetch(url, {
      headers: { Accept: "application/json", ...(etag === "" ? {} : { "If-None-Match": etag }) },
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const retryMs = Number(response.headers.get("Retry-After")) * SECOND_MS
    if (retryMs > 0) nextAtMs = Math.max(nextAtMs, performance.now() + retryMs)
    if (!response.ok && response.status !== 304) return failed(`The service answers with status ${response.status}`)
    const sentAtMs = Date.parse(response.headers.get("Date") ?? "")
    if (response.ok) {
      /** @type {World} */
      const world = await response.json()
      etag = response.headers.get("ETag") ?? ""
      write(world)
    }
    if (!Number.isNaN(sentAtMs)) {
      aheadMs = sentAtMs - performance.now()
      time.setAttribute("datetime", new Date(sentAtMs).toISOString())
    }
    failure = null
    show()
  }

  const readOnce = async () => {
    if (reading) return
    reading = true
    nextAtMs = performance.now() + EVERY_MS
    try {
      await read()
    } catch {
      failed(navigator.onLine ? "The service does not answer" : "This device is offline")
    }
    reading = false
  }

  const tick = () => {
    show()
    if (document.visibilityState === "visible" && performance.now() >= nextAtMs) readOnce()
  }

  setInterval(tick, SECOND_MS)
  document.addEventListener("visibilitychange", tick)
  window.addEventListener("online", readOnce)
  window.addEventListener("offline", () => failed("This device is offline"))
}
