// Adds a copy button to each `pre data-copy`.

const LABEL = "Copy"
const SHOWN_MS = 2_000

/**
 * Copies a text; the clipboard may be refused, as without TLS.
 * @param {HTMLElement} source
 */
const copy = async (source) => {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "")
    return "Copied"
  } catch {
    getSelection()?.selectAllChildren(source)
    return "Selected: press Ctrl C"
  }
}

for (const block of document.querySelectorAll("pre[data-copy]")) {
  const source = block.querySelector("code")
  if (source === null) continue
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = LABEL
  const frame = document.createElement("div")
  frame.className = "copied"
  block.replaceWith(frame)
  frame.append(block, button)
  button.addEventListener("click", async () => {
    button.textContent = await copy(source)
    setTimeout(() => {
      button.textContent = LABEL
    }, SHOWN_MS)
  })
}

export {}
