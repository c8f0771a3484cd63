import { type Endpoint, isPremium } from "../../../schemas/contract/endpoint-kinds.ts"
import { allowedWords, type Parameter } from "../../../schemas/contract/parameters.ts"
import { queryParameters } from "../../../schemas/contract/renditions.ts"
import { paymentBalance } from "../../../schemas/endpoints/payment-balance.ts"
import { isRequired, parameterText, valueSchema } from "../../../schemas/printers/openapi.ts"
import { Components, type JsonObject } from "../../../schemas/printers/openapi-components.ts"
import { type Html, html, type Insert, withCode } from "../html.ts"

// The form that calls an endpoint from its page. It works by its module alone: without scripts it is hidden, and links to
// examples stand in its place.

/** The first page of a list that has pages, so that a call from the page stays readable. */
const LIMIT = "20"

const idOf = (name: string): string => `try-${name}`

/** Attributes of a text field by the JSON Schema of its values. */
const fieldAttributes = (schema: JsonObject): Insert => {
  if (schema.format === "date") return html` type="date"`
  if (schema.type !== "number" && schema.type !== "integer") {
    const max = schema.maxLength
    return html` type="text" spellcheck="false" autocapitalize="off"${typeof max === "number" && html` maxlength="${max}"`}`
  }
  const { minimum, maximum } = schema
  const step = schema.type === "integer" ? "1" : "any"
  return html` type="number" inputmode="decimal" step="${step}"${typeof minimum === "number" && html` min="${minimum}"`}${typeof maximum === "number" && html` max="${maximum}"`}`
}

const option = (word: string, chosen: string | undefined): Html =>
  html`<option value="${word}"${word === chosen && html` selected`}>${word}</option>`

/** The choice of one word. What may be absent has an empty choice first. */
const choice = (name: string, words: ReadonlyArray<string>, parameter: Parameter): Html =>
  html`<select id="${idOf(name)}" name="${name}" aria-describedby="${idOf(name)}-about"${isRequired(parameter) && html` required`}>${
    isRequired(parameter) || parameter.default !== undefined ? null : html`<option value="">not set</option>`
  }${words.map((word) => option(word, parameter.default ?? (isRequired(parameter) ? parameter.example : undefined)))}</select>`

const boxes = (name: string, words: ReadonlyArray<string>): Html =>
  html`<div class="boxes">${words.map(
    (word) => html`<label><input type="checkbox" name="${name}" value="${word}"> ${word}</label>`,
  )}</div>`

const textField = (name: string, parameter: Parameter, schema: JsonObject): Html => {
  const value = name === "limit" ? LIMIT : isRequired(parameter) ? parameter.example : ""
  return html`<input id="${idOf(name)}" name="${name}" value="${value}" placeholder="${parameter.default ?? ""}"${fieldAttributes(schema)}${isRequired(parameter) && html` required`} aria-describedby="${idOf(name)}-about">`
}

/** The whole text stands among the parameters. */
const firstSentence = (text: string): string => text.split(". ")[0] ?? text

const field = ([name, parameter]: readonly [string, Parameter], components: Components): Html => {
  const schema = valueSchema(parameter, components)
  const words = allowedWords(parameter.schema)
  const about = html`<small id="${idOf(name)}-about" class="soft">${withCode(firstSentence(parameterText(parameter)))}</small>`
  if (words !== null && schema.type === "array")
    return html`<fieldset class="field"><legend>${name}</legend>${boxes(name, words)}${about}</fieldset>`
  const control = words === null ? textField(name, parameter, schema) : choice(name, words, parameter)
  return html`<div class="field"><label for="${idOf(name)}">${name}${isRequired(parameter) && html` <span class="soft">required</span>`}</label>${control}${about}</div>`
}

/** Fields of a premium call: the token, which is stored for this tab only if the caller chooses so. */
const tokenFields: Html = html`<div class="field"><label for="try-token">Token <span class="soft">required</span></label>
<input id="try-token" type="password" autocomplete="off" spellcheck="false" maxlength="200" required aria-describedby="try-token-about">
<small id="try-token-about" class="soft">Sent to this service alone, in the header Authorization.</small>
<label class="check"><input id="try-keep" type="checkbox"> Keep it in this tab until I close it</label></div>`

/** The form, and the place where its module shows the reply. */
export const tryForm = (endpoint: Endpoint): Html => {
  const components = new Components()
  const fields = Object.entries(queryParameters(endpoint)).map((one) => field(one, components))
  const price = isPremium(endpoint) ? `Call for ${endpoint.credits} credit${endpoint.credits === 1 ? "" : "s"}` : "Call"
  return html`<form class="try" data-try="${endpoint.path}" hidden>
${fields.length === 0 && !isPremium(endpoint) ? html`<p class="soft">This endpoint takes no parameters.</p>` : html`<div class="fields">${fields}${isPremium(endpoint) && tokenFields}</div>`}
<p class="actions"><button type="submit" class="primary">${price}</button>${
    isPremium(endpoint) && html` <button type="button" data-balance="${paymentBalance.path}">Credits left</button>`
  } <code class="address" data-address></code></p>
</form>
<div class="answer" data-answer hidden>
<p data-status role="status"></p>
<dl data-headers></dl>
<pre tabindex="0" data-copy><code data-body></code></pre>
<p><button type="button" data-next hidden>Next page</button> <a data-open hidden>Open the whole reply</a></p>
</div>`
}
