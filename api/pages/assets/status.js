// Updates the open status page: loads it each minute and replaces the parts that have changed. The server alone renders them,
// so that the page is the same with and without scripts.

const PAGE = "/status"
const DOCUMENT = "/status.json"
const EVERY_MS = 60_000
const DAY_MS = 86_400_000

/** @type {Readonly<Record<string, string>>} */
const WORDS = { g: "good", d: "degraded", x: "down", m: "missed", n: "no record" }

/** The markup of each part as the server sent it, so that changes by other scripts do not count. */
const shown = new Map([...document.querySelectorAll("[data-part]")].map((part) => [nameOf(part), part.outerHTML]))
let version = ""

/** @param {Element} part */
function nameOf(part) {
  return part.getAttribute("data-part") ?? ""
}

/**
 * Replaces a part of the page. What the reader has opened stays open, and the focus stays.
 * @param {Element} fresh
 */
const replacePart = (fresh) => {
  const name = nameOf(fresh)
  const old = document.querySelector(`[data-part="${name}"]`)
  if (old === null || shown.get(name) === fresh.outerHTML) return
  shown.set(name, fresh.outerHTML)
  const focused = document.activeElement?.closest("[data-feed]")?.getAttribute("data-feed")
  const open = [...old.querySelectorAll("[data-feed]")].filter((row) => row.querySelector("details[open]"))
  for (const row of open) {
    const same = fresh.querySelector(`[data-feed="${CSS.escape(row.getAttribute("data-feed") ?? "")}"]`)
    same?.querySelector("details")?.setAttribute("open", "")
  }
  old.replaceWith(fresh)
  if (name === "verdict") fresh.classList.add("changed")
  if (focused !== null && focused !== undefined) {
    const summary = fresh.querySelector(`[data-feed="${CSS.escape(focused)}"] summary`)
    if (summary instanceof HTMLElement) summary.focus()
  }
}

const refresh = async () => {
  const reply = await fetch(DOCUMENT, { headers: { accept: "application/json" } })
  if (!reply.ok) throw new Error(`status ${reply.status}`)
  const text = await reply.text()
  // That the monitor has stopped is seen by the time alone: what it said last stays as it was. The service may keep the page a few
  // seconds beyond that.
  const isOver = Date.parse(reply.headers.get("date") ?? "") > Date.parse(JSON.parse(text).checked_until) + EVERY_MS
  if (`${isOver} ${text}` === version) return
  const page = await fetch(PAGE, { headers: { accept: "text/html" } })
  if (!page.ok) throw new Error(`status ${page.status}`)
  const parsed = new DOMParser().parseFromString(await page.text(), "text/html")
  for (const part of parsed.querySelectorAll("[data-part]")) replacePart(part)
  version = `${isOver} ${text}`
}

const tick = async () => {
  if (document.hidden) return
  const offline = document.querySelector(".offline")
  try {
    await refresh()
    offline?.setAttribute("hidden", "")
  } catch {
    offline?.removeAttribute("hidden")
  }
}

/**
 * Names the day under the pointer; the same days stand in words below each bar.
 * @param {PointerEvent} event
 */
const nameDay = (event) => {
  const bars = event.target instanceof Element ? event.target.closest("svg.bars[data-days]") : null
  if (bars === null) return
  const days = bars.getAttribute("data-days") ?? ""
  const { left, width } = bars.getBoundingClientRect()
  const index = Math.min(days.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * days.length)))
  const day = new Date(Date.parse(bars.getAttribute("data-first") ?? "") + index * DAY_MS).toISOString().slice(0, 10)
  const line = bars.parentElement?.querySelector(".day")
  if (line instanceof HTMLElement) line.textContent = `${day}: ${WORDS[days[index] ?? "n"]}`
}

/** @param {PointerEvent} event */
const forgetDay = (event) => {
  const bars = event.target instanceof Element ? event.target.closest("svg.bars") : null
  const line = bars?.parentElement?.querySelector(".day")
  if (line instanceof HTMLElement) line.textContent = ""
}

document.addEventListener("pointermove", nameDay)
document.addEventListener("pointerout", forgetDay)
document.addEventListener("visibilitychange", tick)
setInterval(tick, EVERY_MS)
