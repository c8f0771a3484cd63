import htm from "htm"
import { h } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

// What the parts of the page share. Texts are children or values of attributes, never markup.

/** Makes elements of a template. */
export const html = /** @type {(literal: TemplateStringsArray, ...values: ReadonlyArray<unknown>) => any} */ (
  htm.bind(/** @type {any} */ (h))
)

const TICK_MS = 500

/**
 * The time, read again while something counts down.
 * @param {boolean} isRunning
 */
export const useNowMs = (isRunning) => {
  const [nowMs, setNowMs] = useState(Date.now())
  useEffect(() => {
    if (!isRunning) return
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return nowMs
}

/**
 * Moves the focus to an element whenever `key` changes, but not at first, so that keyboard users continue at the new step.
 * @param {string} key
 */
export const useFocusAt = (key) => {
  const element = useRef(/** @type {HTMLElement | null} */ (null))
  const last = useRef(key)
  useEffect(() => {
    if (last.current !== key) element.current?.focus()
    last.current = key
  }, [key])
  return element
}

const COPIED_MS = 2_000

/**
 * A button that copies a text. Without a clipboard, as on a plain http address, it says so.
 * @param {{readonly text: string, readonly what: string, readonly isLarge?: boolean}} props
 */
export const CopyButton = ({ text, what, isLarge = false }) => {
  const [said, setSaid] = useState("")
  const copy = () =>
    Promise.resolve(navigator.clipboard?.writeText(text))
      .then(() => setSaid(navigator.clipboard === undefined ? "Select it and copy it by hand" : "Copied"))
      .catch(() => setSaid("Select it and copy it by hand"))
      .then(() => setTimeout(() => setSaid(""), COPIED_MS))
  return html`<button type="button" class=${isLarge ? "" : "quiet"} onClick=${copy}>
    <span aria-live="polite">${said || "Copy"}</span><span class="unseen"> ${what}</span>
  </button>`
}

/** How long a browser may take to begin to save a file. */
const SAVING_MS = 60_000

/**
 * Saves a text as a file, without a request.
 * @param {string} name
 * @param {string} text
 */
export const saveFile = (name, text) => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.hidden = true
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(url), SAVING_MS)
}

/**
 * The same step as a command, preceded by its known values. Secrets are given as names of variables.
 * @param {{readonly command: string, readonly values?: Readonly<Record<string, string>>}} props
 */
export const AsCommand = ({ command, values = {} }) => {
  const known = command.includes("$BASE") ? { BASE: location.origin, ...values } : values
  const lines = [...Object.entries(known).map(([name, value]) => `${name}=${value}`), command]
  return html`<details class="command">
    <summary>As a command</summary>
    <pre tabindex="0"><code>${lines.join("\n")}</code></pre>
  </details>`
}

/**
 * A button that asks once more before it acts.
 * @param {{readonly label: string, readonly question: string, readonly yes: string, readonly onYes: () => void}} props
 */
export const AskedTwice = ({ label, question, yes, onYes }) => {
  const [asked, setAsked] = useState(false)
  const at = useFocusAt(String(asked))
  if (!asked)
    return html`<button type="button" ref=${at} class="quiet" onClick=${() => setAsked(true)}>${label}</button>`
  const answer = () => {
    setAsked(false)
    onYes()
  }
  return html`<div class="asked" role="group" aria-label=${label}>
    <p ref=${at} tabindex="-1">${question}</p>
    <p class="actions">
      <button type="button" class="quiet" onClick=${answer}>${yes}</button>
      <button type="button" class="quiet" onClick=${() => setAsked(false)}>No, go back</button>
    </p>
  </div>`
}

/**
 * A problem in words, announced when it appears.
 * @param {{readonly id?: string, readonly text: string | null}} props
 */
export const Problem = ({ id, text }) => html`<div id=${id} role="alert">
  ${text === null || text === "" ? null : html`<p class="problem">${text}</p>`}
</div>`

/**
 * A field with its label, and what stands behind it.
 * @param {{
 *   readonly id: string,
 *   readonly label: string,
 *   readonly value: string,
 *   readonly onText: (text: string) => void,
 *   readonly describedBy?: string,
 *   readonly isWrong?: boolean,
 *   readonly isSecret?: boolean,
 *   readonly isNumber?: boolean,
 *   readonly isFixed?: boolean,
 *   readonly charactersMax?: number,
 *   readonly children?: unknown,
 * }} props
 */
export const Field = ({ id, label, value, onText, charactersMax = 80, isSecret, isNumber, children, ...more }) => html`
  <label for=${id}>${label}</label>
  <p class="field">
    <input id=${id} class=${isNumber ? "amount" : "wide mono"} type=${isSecret ? "password" : "text"}
      inputmode=${isNumber ? "decimal" : undefined} autocomplete="off" spellcheck="false" maxlength=${charactersMax}
      value=${value} aria-invalid=${more.isWrong ? "true" : undefined} aria-describedby=${more.describedBy} readonly=${more.isFixed === true}
      onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => onText(event.currentTarget.value)} />
    ${children}
  </p>`
