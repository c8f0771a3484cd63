// Keeps a page in a frame of another site current: the server renders it anew each minute, and its content is exchanged where it
// differs. What the reader has opened or focused is left until the next time.

const EVERY_MS = 60_000

const main = () => document.querySelector("main")

const isRead = () => {
  const content = main()
  return content === null || content.contains(document.activeElement) || content.matches(":hover")
}

const NOT_UPDATED = "Not updated"

/** Says that what is shown is not current, until it is exchanged. */
const sayNotUpdated = () => {
  rendered = ""
  for (const state of main()?.querySelectorAll(".state") ?? []) {
    state.className = "state bad"
    state.textContent = NOT_UPDATED
  }
}

const refresh = async () => {
  if (document.hidden) return
  const reply = await fetch(location.href, { headers: { accept: "text/html" } })
  if (!reply.ok) throw new Error(`status ${reply.status}`)
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").querySelector("main")
  const shown = main()
  if (fresh !== null && shown !== null && !isRead() && fresh.innerHTML !== rendered) {
    rendered = fresh.innerHTML
    shown.replaceWith(fresh)
  }
}

/** The content as the server sent it, so that ages, which another script writes, do not count as a difference. */
let rendered = main()?.innerHTML ?? ""

setInterval(() => refresh().catch(sayNotUpdated), EVERY_MS)

export {}
