// Updates ages while a page is open: elements `<time datetime data-age>` show how long ago their instant was.

const UNITS = /** @type {const} */ ([
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
])

/**
 * How long something took, in its largest unit, rounded down.
 * @param {number} durationMs
 */
export const durationText = (durationMs) => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000))
  for (const [unit, unitSeconds] of UNITS)
    if (seconds >= unitSeconds) return `${Math.floor(seconds / unitSeconds)} ${unit}`
  return `${seconds} s`
}

/** How often ages are updated. */
const EVERY_MS = 1_000

const write = () => {
  const nowMs = Date.now()
  for (const element of document.querySelectorAll("time[data-age]")) {
    const atMs = Date.parse(element.getAttribute("datetime") ?? "")
    const text = Number.isNaN(atMs) ? "" : `${durationText(nowMs - atMs)} ago`
    if (element.textContent !== text) element.textContent = text
  }
}

/** An instant by the clock of the reader, as every time shows it under the pointer. Made when it is needed. */
const makeLocalText = () => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" })
/** @type {Intl.DateTimeFormat | undefined} */
let localText

document.addEventListener("pointerover", ({ target }) => {
  const time = target instanceof Element ? target.closest("time[datetime]") : null
  const atMs = Date.parse(time?.getAttribute("datetime") ?? "")
  if (!(time instanceof HTMLElement) || Number.isNaN(atMs)) return
  localText ??= makeLocalText()
  time.title = `${localText.format(atMs)}, by your clock`
})

write()
setInterval(write, EVERY_MS)
