import type { paths } from "./api.ts"

// A program over generated types of the API. Nothing in it is cast.

/** The body of a path's reply. */
type Reply<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } }
}
  ? Body
  : never

export const headline = ({ summary, sections, generated_at }: Reply<"/api/briefing">): string =>
  `${generated_at ?? "never"}: ${summary} ${sections.earthquakes?.count ?? "?"} ${sections.crypto?.price_usd.toFixed(2)}`

export const places = ({ sections, billing, _meta }: Reply<"/api/pro/briefing">): ReadonlyArray<string> => [
  sections.earthquakes?.latest?.place ?? "nowhere",
  ...(sections.humans_in_space?.names ?? []),
  ...(sections.predictions?.top.map(({ question, volume_24hr }) => `${question} ${volume_24hr.toFixed(2)}`) ?? []),
  `${billing.credits_charged} ${_meta.as_of ?? _meta.reason ?? ""} ${_meta.changed_at ?? ""}`,
]

export const worst = ({ feeds, captured_at }: Reply<"/api/pro/feed-reliability">): string =>
  `${captured_at ?? "never"} ${feeds?.at(-1)?.feed ?? "none"} ${feeds?.at(-1)?.subscores.uptime.toFixed(2)}`

export const days = ({ series, generated_at }: Reply<"/api/pro/feed-reliability/history">): ReadonlyArray<string> =>
  series.map(({ date, composite }) => `${generated_at} ${date} ${composite.toFixed(0)}`)

export const strongest = ({ data, updated_at }: Reply<"/api/earthquake">): string =>
  `${updated_at ?? "never"} ${data?.earthquakes.map(({ magnitude }) => magnitude?.toFixed(1)).join(", ") ?? "unknown"}`
