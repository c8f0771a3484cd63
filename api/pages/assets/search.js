// The search of the page of all feeds: entries that hold every word stay. The words stand in the address, so that a search
// can be kept and shared.

import { holdsWords, wordsOf } from "./words.js"

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-search]"))

/** @param {HTMLFormElement} form */
const start = (form) => {
  const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("q"))
  const output = form.querySelector("[data-count]")
  const nothing = /** @type {HTMLElement | null} */ (document.querySelector("[data-nothing]"))
  const groups = [...document.querySelectorAll("[data-group]")].map((group) => ({
    group: /** @type {HTMLElement} */ (group),
    entries: /** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll("[data-feed]")),
  }))

  const show = () => {
    const words = wordsOf(input.value)
    const tier = String(new FormData(form).get("tier") ?? "")
    let found = 0
    for (const { group, entries } of groups) {
      let inGroup = 0
      for (const entry of entries) {
        const text = entry.dataset.feed ?? ""
        const fits = holdsWords(text, words) && (tier === "" || entry.dataset.tier === tier)
        entry.hidden = !fits
        if (fits) inGroup += 1
      }
      group.hidden = inGroup === 0
      found += inGroup
    }
    if (output !== null) output.textContent = `${found} endpoint${found === 1 ? "" : "s"}`
    if (nothing !== null) nothing.hidden = found > 0
  }

  const remember = () => {
    const address = new URL(location.href)
    const tier = String(new FormData(form).get("tier") ?? "")
    for (const [name, value] of [
      ["q", input.value.trim()],
      ["tier", tier],
    ])
      if (value === "" || value === undefined) address.searchParams.delete(name ?? "")
      else address.searchParams.set(name ?? "", value)
    history.replaceState(null, "", address)
  }

  const asked = new URL(location.href).searchParams
  input.value = (asked.get("q") ?? "").slice(0, input.maxLength)
  for (const radio of form.querySelectorAll("input[type=radio]"))
    if (radio instanceof HTMLInputElement && radio.value === asked.get("tier")) radio.checked = true
  form.addEventListener("input", show)
  // Not at every key: browsers limit how often a page changes its address.
  form.addEventListener("change", remember)
  form.addEventListener("submit", (event) => event.preventDefault())
  show()
}

if (form !== null) start(form)
