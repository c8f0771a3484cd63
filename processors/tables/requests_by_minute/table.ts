import { aiStatsEndpoint } from "../../../schemas/endpoints/ai-stats.ts"
import { instant } from "../../../schemas/event.ts"
import { usageCounted } from "../../../schemas/events/usage.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { eventTable } from "../../table.ts"

const MINUTE_MS = 60_000

/** Reports name endpoints; tables have their paths. What is no endpoint any more keeps its name. */
const paths: ReadonlyMap<string, string> = new Map(endpoints.map(({ name, path }) => [name, path]))

export default eventTable(import.meta.url, {
  type: usageCounted,
  endpoints: [aiStatsEndpoint],
  // The log may hold a report twice.
  now: { identity: ["instance", "sequence", "endpoint", "client", "agent"] },
  rows: ({ data: { instance, sequence, to, counts } }) =>
    counts.map(({ endpoint, client, agent, requests, refused, bytes }) => ({
      minute: instant(Math.floor(Date.parse(to) / MINUTE_MS) * MINUTE_MS),
      endpoint: paths.get(endpoint) ?? endpoint,
      client,
      agent: agent ?? "",
      requests,
      refused,
      bytes,
      instance,
      sequence,
    })),
})
