// Tabs: the links above the panels of a page become tabs, of which one shows its panel. Without this module the links lead to
// the panels, which stand below each other.

/** By how many tabs each key moves the focus; infinite for the keys that lead to the first and the last one. */
const STEPS = new Map([
  ["ArrowLeft", -1],
  ["ArrowRight", 1],
  ["Home", Number.NEGATIVE_INFINITY],
  ["End", Number.POSITIVE_INFINITY],
])

/** @param {HTMLElement} group */
const start = (group) => {
  const list = /** @type {HTMLElement} */ (group.querySelector("[data-tabs]"))
  const tabs = [...list.querySelectorAll("a")].map((tab) => {
    const panel = group.querySelector(tab.hash)
    if (!(panel instanceof HTMLElement)) throw new Error(`the page has no ${tab.hash}`)
    return { tab, panel }
  })

  /** @param {HTMLElement} chosen */
  const select = (chosen) => {
    for (const { tab, panel } of tabs) {
      const isChosen = panel === chosen
      tab.setAttribute("aria-selected", String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      panel.hidden = !isChosen
    }
  }

  /** Shows what the address names, where that stands in a panel. */
  const follow = () => {
    const target = location.hash === "" ? null : document.getElementById(location.hash.slice(1))
    const found = tabs.find(({ panel }) => panel.contains(target))
    if (target === null || found === undefined) return
    select(found.panel)
    target.scrollIntoView()
  }

  list.setAttribute("role", "tablist")
  for (const [at, { tab, panel }] of tabs.entries()) {
    tab.setAttribute("role", "tab")
    tab.setAttribute("aria-controls", panel.id)
    panel.setAttribute("role", "tabpanel")
    panel.setAttribute("aria-labelledby", tab.id)
    tab.addEventListener("click", (event) => {
      event.preventDefault()
      select(panel)
      history.replaceState(null, "", tab.hash)
    })
    tab.addEventListener("keydown", (event) => {
      const step = STEPS.get(event.key)
      if (step === undefined) return
      event.preventDefault()
      const last = tabs.length - 1
      const next = Number.isFinite(step) ? (at + step + tabs.length) % tabs.length : Math.min(Math.max(step, 0), last)
      tabs[next]?.tab.focus()
      tabs[next]?.tab.click()
    })
  }
  group.dataset.started = ""
  const [first] = tabs
  if (first !== undefined) select(first.panel)
  follow()
  addEventListener("hashchange", follow)
}

const group = document.querySelector("[data-panels]")
if (group instanceof HTMLElement) start(group)
