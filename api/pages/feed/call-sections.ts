import { statedChanges } from "../../../schemas/contract/changes.ts"
import { type Endpoint, isPremium } from "../../../schemas/contract/endpoint-kinds.ts"
import { atomPathOf, historyOf } from "../../../schemas/contract/item-history.ts"
import { allowedWords, type Parameter } from "../../../schemas/contract/parameters.ts"
import type { TableFacts } from "../../../schemas/contract/provenance.ts"
import { queryParameters } from "../../../schemas/contract/renditions.ts"
import { agentPaymentsEndpoint } from "../../../schemas/endpoints/agent-payments.ts"
import { changesEndpoint, streamEndpoint } from "../../../schemas/endpoints/changes.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { type CodeSample, codeSamples, requiredExamples } from "../../../schemas/printers/code-samples.ts"
import { isRequired, parameterText } from "../../../schemas/printers/openapi.ts"
import { priceOf } from "../../../schemas/printers/tools.ts"
import { type Html, html } from "../html.ts"
import { htmlOf, type PageLink, type Piece, type Section, section } from "../page.ts"
import { tryForm } from "./try-form.ts"

/** Links to choices of one parameter, at the most. */
const CHOICES_MAX = 8

const valuesText = (parameter: Parameter): string => (allowedWords(parameter.schema) ?? []).join(", ")

const parameterPieces = (endpoint: Endpoint): ReadonlyArray<Piece> => {
  const parameters = Object.entries(queryParameters(endpoint))
  if (parameters.length === 0) return [{ text: "This endpoint takes no parameters." }]
  const rows = parameters.map(([name, parameter]) => [
    name,
    parameterText(parameter),
    valuesText(parameter),
    isRequired(parameter) ? "required" : (parameter.default ?? ""),
    parameter.example,
  ])
  return [{ table: { head: ["Parameter", "Meaning", "Values", "Default", "Example"], rows } }]
}

/** Addresses of calls that show what the parameters do: without the optional ones, then each choice by itself. */
const exampleLinks = (endpoint: Endpoint): ReadonlyArray<PageLink> => {
  const base = requiredExamples(endpoint)
  const linkTo = (parameters: Readonly<Record<string, string>>, note: string): PageLink => {
    const href = instanceKey(endpoint.path, parameters)
    return { title: href, href, note }
  }
  const choices = Object.entries(queryParameters(endpoint)).flatMap(([name, parameter]) => {
    const words = (allowedWords(parameter.schema) ?? []).filter((word) => word !== parameter.default)
    return words.slice(0, CHOICES_MAX).map((word) => linkTo({ ...base, [name]: word }, `${name}: ${word}`))
  })
  return [linkTo(base, "the shortest call"), ...choices]
}

/** The form, and what stands in its place without scripts. A premium call has no link, as it needs a token. */
export const trySection = (endpoint: Endpoint): Section => {
  const examples: ReadonlyArray<Piece> = isPremium(endpoint) ? [] : [{ links: exampleLinks(endpoint) }]
  const pieces = [...parameterPieces(endpoint), ...examples]
  const links = html`<details class="examples"${isPremium(endpoint) ? null : html` data-examples open`}><summary>Parameters and examples</summary>
${htmlOf(pieces)}</details>`
  return section(
    "try",
    "Try it",
    pieces,
    html`${tryForm(endpoint)}
${links}`,
  )
}

const sampleHtml = (
  { label, source }: Pick<CodeSample, "source"> & { readonly label: string },
  isOpen: boolean,
): Html =>
  html`<details name="samples"${isOpen && html` open`}><summary>${label}</summary>
<pre tabindex="0" data-copy><code>${source}</code></pre></details>
`

/** Calls to copy, and the ready query of the endpoint's table. */
export const codeSection = (endpoint: Endpoint, tables: ReadonlyArray<TableFacts>, address: string): Section => {
  const [table] = tables
  const samples: ReadonlyArray<CodeSample | { readonly lang: "sql"; readonly label: "SQL"; readonly source: string }> =
    [
      ...codeSamples(endpoint, address),
      ...(table === undefined
        ? []
        : [{ lang: "sql", label: "SQL", source: `-- ${table.query.title}\n${table.query.sql}` } as const]),
    ]
  return section(
    "code",
    "Call it",
    samples.flatMap(({ lang, label, source }): ReadonlyArray<Piece> => [{ text: `${label}:` }, { code: source, lang }]),
    html`<div class="samples">${samples.map((sample, at) => sampleHtml(sample, at === 0))}</div>`,
  )
}

/** Where what is new of the endpoint's feeds is read, as its rows; null where it states no changes, or none are offered. */
export const changesSection = (endpoint: Endpoint, offered: ReadonlyArray<Endpoint>): Section | null => {
  const stated = statedChanges(endpoint)
  const isOffered = (door: Endpoint): boolean => offered.some(({ path }) => path === door.path)
  if (stated.length === 0 || !isOffered(changesEndpoint)) return null
  const feeds = stated.map(({ feed }) => feed).join(",")
  const page = instanceKey(changesEndpoint.path, { feeds })
  const stream = isOffered(streamEndpoint)
    ? [{ text: `As they happen, as server-sent events: GET ${instanceKey(streamEndpoint.path, { feeds })}` }]
    : []
  const past = historyOf(endpoint, offered)
  const history =
    past === null
      ? []
      : [{ title: past.path, href: past.path, note: "history: all of them, by the time at which they happened" }]
  const atom = past === null ? null : atomPathOf(past)
  const subscribed = atom === null ? [] : [{ title: atom, href: atom, note: "the same for a reader of feeds (Atom)" }]
  return section("changes", "Changes", [
    { text: "What appears, changes and goes, as rows of this endpoint." },
    {
      links: [
        { title: page, href: page, note: "the newest, and the cursor behind which the next ones follow" },
        ...history,
        ...subscribed,
      ],
    },
    ...stream,
    {
      table: {
        head: ["Feed", "Filters beside types", "Left out of rows"],
        rows: stated.map(({ feed, filters, without }) => [feed, filters.join(", "), without.join(", ")]),
      },
    },
  ])
}

/** What a call costs, and when it costs nothing; null for what is free. */
export const priceSection = (endpoint: Endpoint): Section | null =>
  isPremium(endpoint)
    ? section("price", "Price", [
        { text: priceOf(endpoint) },
        {
          table: {
            head: ["Free of charge", "When", "Decided"],
            rows: endpoint.noCharge.map(({ reason, description, decided }) => [reason, description, decided]),
          },
        },
        {
          text: "Decided before: the call needs no credits. After: it needs them, and they are given back. The reply shows the credits that remain (billing.credits_remaining) and a signed receipt.",
        },
        {
          links: [
            {
              title: "Buying credits",
              href: agentPaymentsEndpoint.path,
              note: "every step, in the browser or by commands",
            },
          ],
        },
      ])
    : null
