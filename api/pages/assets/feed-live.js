// Keeps the reply on the page of a feed current.

import { keepCurrent } from "./live/live.js"
import { CUT_NOTE, comparedLines, excerptOf, replyStateOf } from "./reply-view.js"
import { part } from "./world-parts.js"

/**
 * Writes an excerpt, and marks the lines that are new, which starts an animation.
 * @param {HTMLElement} element
 * @param {string} text
 */
const writeText = (element, text) => {
  const before = element.textContent ?? ""
  if (before === text) return
  const nodes = comparedLines(before, text).map(({ line, isNew }) => {
    if (!isNew) return line
    const mark = document.createElement("span")
    mark.className = "changed"
    mark.textContent = line
    return mark
  })
  element.replaceChildren(...nodes.flatMap((node, at) => (at === 0 ? [node] : ["\n", node])))
}

/** The service makes what is drawn of the data so often at most. */
const DRAWN_MS = 30_000
let drawnAtMs = performance.now()
/** @type {ReturnType<typeof setTimeout> | undefined} */
let nextDrawing

/** Replaces what is drawn of the data by what the service draws, soon; what a reader has opened stays open. */
const drawSoon = () => {
  clearTimeout(nextDrawing)
  // It is drawn later where it fails.
  const draw = () => drawAgain().catch(drawLater)
  nextDrawing = setTimeout(draw, Math.max(0, drawnAtMs + DRAWN_MS - performance.now()))
}

const drawLater = () => {
  drawnAtMs = performance.now()
  drawSoon()
}

const drawAgain = async () => {
  const glance = document.querySelector(".glance")
  if (glance === null) return
  drawnAtMs = performance.now()
  const response = await fetch(location.href, { headers: { Accept: "text/html" } })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const fresh = page.querySelector(".glance")
  if (fresh === null) return
  if (glance.contains(document.activeElement)) return drawLater()
  const before = [...glance.querySelectorAll("details")].map(({ open }) => open)
  for (const [at, details] of [...fresh.querySelectorAll("details")].entries())
    details.open = before[at] ?? details.open
  glance.replaceWith(document.adoptNode(fresh))
  // A page that the service has kept may be older than the reply that it is drawn for.
  const renderedAt = page.querySelector("[data-rendered-at]")?.getAttribute("data-rendered-at") ?? ""
  if (Date.parse(renderedAt) < Date.parse(response.headers.get("date") ?? "")) drawSoon()
}

/**
 * Repeats the state of the reply at the top of the page.
 * @param {ReadonlyArray<HTMLElement>} parts
 */
const repeatState = (parts) => {
  const top = document.querySelector("[data-standing]")
  if (!(top instanceof HTMLElement) || top.textContent === parts.map(({ textContent }) => textContent).join("")) return
  const copies = parts.map((one) => {
    const copy = document.createElement(one.localName)
    copy.className = one.className
    copy.textContent = one.textContent
    const instant = one.getAttribute("datetime")
    if (instant !== null) {
      copy.setAttribute("datetime", instant)
      copy.dataset.age = ""
    }
    return copy
  })
  top.replaceChildren(...copies)
}

/** @param {HTMLElement} section */
const follow = (section) => {
  const { reply: url = "", stream, feeds = "", ttlMs, followsClock, renderedAt = "" } = section.dataset
  const state = part(section, "[data-reply-state]")
  const rest = part(section, "[data-reply-rest]")
  const time = part(section, "[data-reply-time]")
  const staleAfterMs = () => Date.parse(time.dataset.staleAfter ?? "")
  /** Why there is no data; null where there is. */
  let missing = /** @type {string | null} */ (
    state.classList.contains("missed") ? (rest.textContent ?? "").trim() : null
  )

  keepCurrent({
    url,
    stream,
    feeds: feeds.split(" ").filter(Boolean),
    ttlMs: Number(ttlMs),
    refreshMs: followsClock === undefined ? null : Number(ttlMs),
    renderedAtMs: Date.parse(renderedAt),
    said: part(section, "[data-live-said]"),
    promises: () => [staleAfterMs()],
    write: (reply) => {
      const { text, isCut } = excerptOf(reply)
      writeText(part(section, "[data-reply-text]"), text)
      part(section, "[data-reply-cut]").textContent = isCut ? CUT_NOTE : ""
      const { as_of: asOf, stale_after: staleAfter, reason } = reply._meta
      missing = reason ?? null
      time.dataset.staleAfter = staleAfter ?? ""
      // The text follows within a second (age.js).
      if (asOf === null) time.removeAttribute("datetime")
      else time.setAttribute("datetime", asOf)
      drawSoon()
    },
    show: ({ nowMs, failure }) => {
      const asOf = time.getAttribute("datetime")
      const shown =
        failure === null
          ? replyStateOf({ stale: staleAfterMs() <= nowMs, missing, asOf })
          : { sign: "bad", words: "Not updated", rest: ` ${failure}${asOf === null ? "" : ", confirmed "}` }
      state.className = `state ${shown.sign}`
      // Written only where it differs: each change is read out.
      if (state.textContent !== shown.words) state.textContent = shown.words
      if (rest.textContent !== shown.rest) rest.textContent = shown.rest
      repeatState([state, rest, time])
    },
  })
}

const section = document.querySelector("[data-reply]")
if (section instanceof HTMLElement) follow(section)
