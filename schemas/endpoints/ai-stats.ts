import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { ClientClass } from "../events/usage.ts"

/** How many rows each list holds at the most. */
export const AI_STATS_MAX_ROWS = 20

const Requests = Schema.Natural

export const AiStats = Schema.Struct({
  total_hits: Requests.annotate({ description: "Requests since `counted_since`, those that were refused included" }),
  hits_24h: Requests.annotate({ description: "Of the last 24 hours, counted in steps of five minutes" }),
  ai_agent_hits_24h: Requests.annotate({ description: "Of these, by well-known agents of AI services" }),
  unique_ai_agents_24h: Schema.Natural.annotate({ description: "How many of these agents were seen" }),
  agents: Schema.Array(Schema.Struct({ agent: Schema.NonEmptyString, hits_24h: Requests })).annotate({
    description: "Most requests first, by the name that the agent gives itself in its User-Agent: unverified",
  }),
  recent_calls: Schema.Array(
    Schema.Struct({
      minute: Instant.annotate({ description: "The minute in which the requests were reported" }),
      endpoint: Schema.NonEmptyString,
      client: ClientClass.annotate({ description: "Kind of program, judged from its User-Agent" }),
      agent: Schema.NullOr(Schema.NonEmptyString),
      requests: Requests,
    }),
  )
    .check(Schema.isMaxLength(AI_STATS_MAX_ROWS))
    .annotate({ description: "Newest first: how often one kind of client called one endpoint in a minute" }),
  endpoints_24h: Schema.Array(Schema.Struct({ endpoint: Schema.NonEmptyString, hits_24h: Requests }))
    .check(Schema.isMaxLength(AI_STATS_MAX_ROWS))
    .annotate({ description: "Most requests first" }),
  counted_since: Instant.annotate({ description: "Begin of the first report" }),
})
export type AiStats = typeof AiStats.Type

export const aiStatsEndpoint = endpoint({
  path: "/api/ai-stats",
  name: "ai_stats",
  kind: "prepared",
  tier: "free",
  subject: "service",
  ttl: "30 seconds",
  summary: "Usage of this service: requests, AI agents, latest calls",
  description: [
    "Counted by each API process and reported once a minute. No address and no User-Agent is kept: a client is one of a",
    "few kinds, an AI agent one of a closed list of names.",
  ].join(" "),
  parameters: {},
  keepsPast: false,
  data: AiStats,
  glance: {
    title: "Requests",
    headline: ({ hits_24h, ai_agent_hits_24h: byAgents, unique_ai_agents_24h: agents }) => ({
      value: hits_24h,
      unit: null,
      note: clause("to this service in 24 hours", `${counted(byAgents, "request")} of ${counted(agents, "AI agent")}`),
    }),
    plots: ({ endpoints_24h: endpoints, agents }) => [
      ranking(
        "Requests in 24 hours",
        null,
        endpoints.map(({ endpoint, hits_24h: value }) => ({ label: endpoint, value })),
      ),
      ranking(
        "Requests of AI agents in 24 hours",
        null,
        agents.map(({ agent, hits_24h: value }) => ({ label: agent, value })),
      ),
    ],
  },
  example: {
    total_hits: 18211,
    hits_24h: 2310,
    ai_agent_hits_24h: 41,
    unique_ai_agents_24h: 1,
    agents: [{ agent: "GPTBot", hits_24h: 41 }],
    recent_calls: [
      {
        minute: "2026-08-17T20:33:00.000Z",
        endpoint: "earthquake",
        client: "ai_agent",
        agent: "GPTBot",
        requests: 3,
      },
    ],
    endpoints_24h: [{ endpoint: "earthquake", hits_24h: 1200 }],
    counted_since: "2026-08-10T00:00:00.000Z",
  },
})
