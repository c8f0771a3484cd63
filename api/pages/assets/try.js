// The form that calls an endpoint from its page, and shows the reply as text. A token leaves the page in the header of a
// call of this service alone; it is stored for the tab only if its owner chooses so.

/** The text of a reply that is read, and the part of it that is shown. */
const READ_MAX_CHARACTERS = 4_000_000
const SHOWN_MAX_CHARACTERS = 20_000
/** Where a token is kept for the tab. */
const KEPT_TOKEN = "tidewire-token"
const VISIBLE_ASCII = /^[!-~]+$/

/** The headers that say how fresh a reply is, and what it counted. */
const SHOWN_HEADERS = [
  "X-Service-As-Of",
  "X-Service-Stale",
  "Last-Modified",
  "Cache-Control",
  "ETag",
  "RateLimit",
  "Retry-After",
  "X-Service-Deprecation",
  "X-Service-Receipt-Id",
]

/**
 * @template {Element} Found
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => Found} type
 * @returns {Found}
 */
const find = (parent, selector, type) => {
  const found = parent.querySelector(selector)
  if (found instanceof type) return found
  throw new Error(`the page has no ${selector}`)
}

/** A random text; `crypto.randomUUID` exists only where the page came over TLS or from this machine. */
const randomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Reads a body as text, up to the bound: the connection is closed at it.
 * @param {Response} response
 */
const textOf = async (response) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: "" }
    if (done) return text
    text += value
    if (text.length > READ_MAX_CHARACTERS) {
      await reader?.cancel()
      return text
    }
  }
}

/** @param {string} text */
const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The address of the next page; null where the reply names none.
 * @param {any} reply
 */
const nextOf = (reply) => {
  const next = reply?.data?.next
  return typeof next === "string" && URL.canParse(next, location.href)
    ? new URL(next, location.href).searchParams.get("cursor")
    : null
}

/** @param {any} reply */
const billingText = (reply) => {
  const charged = reply?.billing?.credits_charged
  if (typeof charged !== "number") return ""
  const reason = reply.billing.no_charge_reason
  const why = typeof reason === "string" ? ` (free of charge: ${reason})` : ""
  return ` · credits charged: ${charged}${why}, left: ${reply.billing.credits_remaining}`
}

/** @param {HTMLFormElement} form */
const start = (form) => {
  const answer = find(document, "[data-answer]", HTMLElement)
  const status = find(answer, "[data-status]", HTMLElement)
  const headers = find(answer, "[data-headers]", HTMLElement)
  const body = find(answer, "[data-body]", HTMLElement)
  const next = find(answer, "[data-next]", HTMLButtonElement)
  const open = find(answer, "[data-open]", HTMLAnchorElement)
  const address = find(form, "[data-address]", HTMLElement)
  const submit = find(form, "button[type=submit]", HTMLButtonElement)
  const token = form.querySelector("#try-token")
  const keep = form.querySelector("#try-keep")
  const balance = form.querySelector("[data-balance]")
  /** The key of the purchase that had no reply yet: a repeated call under it is charged once. */
  let unanswered = { url: "", key: "" }
  /** @type {string | null} */
  let cursor = null

  const urlOf = () => {
    const query = new URLSearchParams()
    for (const name of new Set(new FormData(form).keys())) {
      const control = form.elements.namedItem(name)
      const isDefault =
        control instanceof HTMLSelectElement &&
        !control.required &&
        control.selectedOptions[0]?.defaultSelected === true
      const value = new FormData(form).getAll(name).map(String).join(",").trim()
      if (value !== "" && !isDefault) query.set(name, value)
    }
    return query.size === 0 ? (form.dataset.try ?? "") : `${form.dataset.try}?${query}`
  }
  const showAddress = () => {
    address.textContent = `GET ${urlOf()}`
  }
  const tokenText = () => (token instanceof HTMLInputElement ? token.value.trim() : null)

  const keepToken = () => {
    const text = tokenText()
    if (keep instanceof HTMLInputElement && keep.checked && text !== null && text !== "")
      sessionStorage.setItem(KEPT_TOKEN, text)
    else sessionStorage.removeItem(KEPT_TOKEN)
  }

  /**
   * @param {Response} response
   * @param {number} durationMs
   */
  const show = async (response, durationMs) => {
    const text = await textOf(response)
    const reply = parsed(text)
    const shown = reply === undefined ? text : JSON.stringify(reply, null, 2)
    const isCut = shown.length > SHOWN_MAX_CHARACTERS
    const size = text.length < 1_000 ? `${text.length} B` : `${Math.round(text.length / 1000)} kB`
    status.textContent = `${response.status} ${response.statusText} · ${size} · ${Math.round(durationMs)} ms${billingText(reply)}`
    status.className = response.ok ? "state good" : "state bad"
    headers.replaceChildren(
      ...SHOWN_HEADERS.flatMap((name) => {
        const value = response.headers.get(name)
        if (value === null) return []
        const row = document.createElement("div")
        const [term, definition] = [document.createElement("dt"), document.createElement("dd")]
        term.textContent = name
        definition.textContent = value
        row.append(term, definition)
        return [row]
      }),
    )
    const rest = shown.length - SHOWN_MAX_CHARACTERS
    body.textContent = isCut ? `${shown.slice(0, SHOWN_MAX_CHARACTERS)}\n… ${rest} more characters` : shown
    cursor = nextOf(reply)
    next.hidden = cursor === null
    open.hidden = token !== null || !response.ok
  }

  /**
   * @param {string} url
   * @param {boolean} isPaid
   */
  const call = async (url, isPaid) => {
    const text = tokenText()
    answer.hidden = false
    if (text !== null && !VISIBLE_ASCII.test(text)) {
      status.textContent = "The token has characters that no token has."
      status.className = "state bad"
      return
    }
    if (isPaid && unanswered.url !== url) unanswered = { url, key: randomKey() }
    submit.disabled = true
    status.textContent = "Waiting for the reply"
    status.className = "soft"
    open.href = url
    const startedMs = performance.now()
    try {
      const response = await fetch(url, {
        cache: "no-store",
        redirect: "error",
        headers: {
          Accept: "*/*",
          ...(text === null ? {} : { Authorization: `Bearer ${text}` }),
          ...(isPaid ? { "Idempotency-Key": unanswered.key } : {}),
        },
      })
      await show(response, performance.now() - startedMs)
      // After a fault of the service it is not known what became of the call.
      if (response.status < 500) unanswered = { url: "", key: "" }
    } catch {
      status.textContent = isPaid
        ? "No reply. Call again: the same call is charged once."
        : "No reply: the service cannot be reached."
      status.className = "state bad"
      headers.replaceChildren()
      body.textContent = ""
      next.hidden = true
      open.hidden = true
    } finally {
      submit.disabled = false
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault()
    keepToken()
    void call(urlOf(), token !== null)
  })
  form.addEventListener("input", () => {
    showAddress()
    keepToken()
  })
  next.addEventListener("click", () => {
    const field = form.elements.namedItem("cursor")
    if (!(field instanceof HTMLInputElement) || cursor === null) return
    field.value = cursor
    showAddress()
    void call(urlOf(), token !== null)
  })
  balance?.addEventListener("click", () => {
    keepToken()
    void call(balance.getAttribute("data-balance") ?? "", false)
  })

  const kept = sessionStorage.getItem(KEPT_TOKEN)
  if (token instanceof HTMLInputElement && keep instanceof HTMLInputElement && kept !== null) {
    token.value = kept
    keep.checked = true
  }
  const examples = document.querySelector("[data-examples]")
  if (examples instanceof HTMLDetailsElement) examples.open = false
  showAddress()
  form.hidden = false
}

const form = document.querySelector("form[data-try]")
if (form instanceof HTMLFormElement) start(form)

export {}
