import type { ClientClass } from "../../schemas/events/usage.ts"

/** A kind of client program. There are few kinds, each with an index, so that counting is cheap. */
export interface ClientKind {
  readonly index: number
  readonly client: ClientClass
  readonly agent: string | null
}

/** Agents of AI services, by the User-Agent token that their operators document. */
const aiAgents = [
  "GPTBot",
  "ChatGPT-User",
  "OAI-SearchBot",
  "ClaudeBot",
  "Claude-User",
  "Claude-SearchBot",
  "PerplexityBot",
  "Perplexity-User",
  "MistralAI-User",
  "Google-Extended",
  "Meta-ExternalAgent",
  "Amazonbot",
  "Applebot-Extended",
  "Bytespider",
  "CCBot",
  "cohere-ai",
  "DuckAssistBot",
  "YouBot",
] as const

/** The User-Agent of calls that the tools of MCP make. */
export const MCP_AGENT = "tidewire-mcp"

const classes: ReadonlyArray<readonly [ClientClass, RegExp]> = [
  ["mcp", new RegExp(`^${MCP_AGENT}$`)],
  ["monitor", /uptime|pingdom|statuscake|healthcheck|prometheus|blackbox|kube-probe|monitor/i],
  ["crawler", /bot\b|bot\/|crawl|spider|slurp|facebookexternalhit/i],
  [
    "library",
    /^(curl|wget|python|aiohttp|httpx|go-http|okhttp|java|axios|node|undici|got|ruby|php|guzzle|libwww|postman|insomnia|deno|bun|reqwest|dart)/i,
  ],
  ["browser", /^Mozilla\/5\.0 .*(Chrome|Firefox|Safari|Edg|OPR)\//],
]

const plain: ReadonlyArray<ClientClass> = ["browser", "crawler", "library", "mcp", "monitor", "other", "none"]

/** All kinds of clients. */
export const clientKinds: ReadonlyArray<ClientKind> = [
  ...plain.map((client) => ({ client, agent: null })),
  ...aiAgents.map((agent) => ({ client: "ai_agent" as const, agent })),
].map((kind, index) => ({ index, ...kind }))

const kindOf = (client: ClientClass, agent: string | null): ClientKind => {
  const found = clientKinds.find((kind) => kind.client === client && kind.agent === agent)
  if (found === undefined) throw new Error(`no such kind of client: ${client}`)
  return found
}

const none = kindOf("none", null)
const TEXT_LENGTH_MAX = 512
const TEXTS_MAX = 2_000
const known = new Map<string, ClientKind>()

const classify = (userAgent: string): ClientKind => {
  const lower = userAgent.toLowerCase()
  const agent = aiAgents.find((one) => lower.includes(one.toLowerCase()))
  if (agent !== undefined) return kindOf("ai_agent", agent)
  return kindOf(classes.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? "other", null)
}

/** The kind of client that a User-Agent names. Only its beginning is read. Texts are cached in memory and never stored. */
export const clientKindOf = (userAgent: string | undefined): ClientKind => {
  if (userAgent === undefined || userAgent === "") return none
  const before = known.get(userAgent)
  if (before !== undefined) return before
  const text = userAgent.slice(0, TEXT_LENGTH_MAX)
  const kind = classify(text)
  // Longer texts are not cached: they could fill the memory.
  if (text.length < userAgent.length) return kind
  if (known.size >= TEXTS_MAX) known.clear()
  known.set(userAgent, kind)
  return kind
}
