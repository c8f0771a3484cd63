import * as Schema from "effect/Schema"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import type { FilteredEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { instant } from "../../schemas/event.ts"
import type { ViewFreshness, ViewSource } from "../../schemas/view-record.ts"

const Warning = Schema.Struct({ id: Schema.String, severity: Schema.String, event: Schema.String })

/** What the warnings are selected from: those of the land and of the sea, each a feed of its own. */
export interface AllWarnings {
  readonly land: ReadonlyArray<typeof Warning.Type>
  readonly sea: ReadonlyArray<typeof Warning.Type>
}

/** How often the warnings were selected. */
export const selections = { count: 0 }

/** A free filtered endpoint: one parameter of few words, one of any text, one that decides which input is read. */
export const warnings: FilteredEndpoint = endpoint({
  path: "/api/climate/warnings",
  name: "warnings",
  kind: "filtered",
  tier: "free",
  ttl: "1 minute",
  summary: "Warnings",
  description: "",
  parameters: {
    where: choice(["land", "sea"], { default: "land", description: "Of which part" }),
    severity: { ...choice(["Severe", "Minor"], { description: "How severe" }), optional: true },
    event: { schema: Schema.NonEmptyString, optional: true, description: "Which event", example: "Gale" },
  },
  data: Schema.Struct({ count: Schema.Natural, warnings: Schema.Array(Warning) }),
  select: (full: AllWarnings, { where, severity, event }) => {
    selections.count += 1
    if (event === "broken") throw new Error("a secret of the code")
    const chosen = full[where].filter(
      (one) => (severity ?? one.severity) === one.severity && (event ?? one.event) === one.event,
    )
    return { data: { count: chosen.length, warnings: chosen }, inputs: [where] }
  },
  empty: ({ count }) => count === 0,
  example: { count: 1, warnings: [{ id: "w1", severity: "Severe", event: "Gale" }] },
})

/** Where the warnings stand: the land's input and the sea's, each with its source. */
export const standing = (
  land: { readonly atMs: number; readonly freshForMs: number },
  sea: { readonly atMs: number; readonly freshForMs: number },
): ViewFreshness => {
  const span = ({ atMs, freshForMs }: typeof land) => ({ asOf: instant(atMs), staleAfter: instant(atMs + freshForMs) })
  const source = (name: string, input: string, at: typeof land): ViewSource => ({
    name,
    status: "live",
    fetched_at: instant(at.atMs),
    latency_ms: 7,
    staleAfter: instant(at.atMs + at.freshForMs),
    inputs: [input],
  })
  const spans = { land: span(land), sea: span(sea) }
  const [first, last] = [spans.land, spans.sea].sort((a, b) => (a.asOf < b.asOf ? -1 : 1))
  return {
    v: 1,
    asOf: first?.asOf ?? null,
    staleAfter: last?.staleAfter ?? null,
    inputs: spans,
    sources: [source("Weather.land", "land", land), source("Weather.sea", "sea", sea)],
  }
}
