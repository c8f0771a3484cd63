import { aiStatsEndpoint } from "../../../schemas/endpoints/ai-stats.ts"
import { instant } from "../../../schemas/event.ts"
import { usageCounted } from "../../../schemas/events/usage.ts"
import { eventTable } from "../../table.ts"

const MINUTE_MS = 60_000

export default eventTable(import.meta.url, {
  type: usageCounted,
  endpoints: [aiStatsEndpoint],
  rows: ({ data: { instance, sequence, to, counts } }) =>
    counts.map(({ endpoint, client, agent, requests, refused, bytes }) => ({
      minute: instant(Math.floor(Date.parse(to) / MINUTE_MS) * MINUTE_MS),
      endpoint,
      client,
      agent: agent ?? "",
      requests,
      refused,
      bytes,
      instance,
      sequence,
    })),
})
