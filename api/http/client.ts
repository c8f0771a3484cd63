import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import ipaddr from "ipaddr.js"
import { LRUCache } from "lru-cache"
import type { ClientClass } from "../../schemas/events/usage.ts"

// The client of a request: the address that it counts for, the address of this service that it reached, and its program.

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [Address, number]

/** Hops of X-Forwarded-For that are read, from the nearest. */
const HOPS_MAX = 32
/** Bytes of the IPv6 prefix that one customer usually holds (a /64). */
const IPV6_PREFIX_BYTES = 8

const parse = (text: string): Address | null => {
  const bare = text.trim().replace(/^"|"$/g, "")
  // Some proxies write the port too: "1.2.3.4:567", "[2001:db8::1]:567".
  const host = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare)?.[1] ?? bare
  const strict = ipaddr.IPv4.isValidFourPartDecimal(host) || (host.includes(":") && ipaddr.IPv6.isValid(host))
  return strict ? ipaddr.process(host) : null
}

const parseRange = (text: string): Range => {
  const [address, bits] = ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), null]
  const processed = ipaddr.process(address.toString())
  const whole = processed.kind() === "ipv4" ? 32 : 128
  // An IPv4-mapped range counts its bits from the start of the IPv6 address.
  const mapped = address.kind() === "ipv6" && processed.kind() === "ipv4"
  return [processed, bits === null ? whole : mapped ? Math.max(0, bits - 96) : bits]
}

const isInRange = (address: Address, [range, bits]: Range): boolean =>
  address.kind() === range.kind() && address.match(range, bits)

/** The part of an address that counts as one client: an IPv4 address, or the /64 of an IPv6 address. */
const prefix = (address: Address): string =>
  address.kind() === "ipv4"
    ? address.toString()
    : `${Buffer.from(address.toByteArray().slice(0, IPV6_PREFIX_BYTES)).toString("hex")}/64`

/** Hex digits of a /48 and of a /32 of an IPv6 address. */
const NETWORK_DIGITS = 12
const PROVIDER_DIGITS = 8

/** The prefixes of one client's address, the narrowest first. */
export interface ClientPrefixes {
  /** The key of the client in every limit: an IPv4 address, or a /64. */
  readonly address: string
  /** Its /24 (IPv4) or /48 (IPv6): the largest range that is usually assigned to one customer. */
  readonly network: string
  /** Its /16 (IPv4) or /32 (IPv6): the range that one provider usually holds. */
  readonly provider: string
}

/** Clients whose prefixes are kept, as each request needs them several times. */
const PREFIXES_KEPT_MAX = 10_000
const kept = new LRUCache<string, ClientPrefixes>({ max: PREFIXES_KEPT_MAX })

/** The prefixes of a client, derived from its key. */
export const prefixesOf = (client: string): ClientPrefixes => {
  const known = kept.get(client)
  if (known !== undefined) return known
  const prefixes = derived(client)
  kept.set(client, prefixes)
  return prefixes
}

const derived = (client: string): ClientPrefixes => {
  if (ipaddr.IPv4.isValidFourPartDecimal(client)) {
    const bytes = client.split(".")
    return {
      address: client,
      network: `${bytes.slice(0, 3).join(".")}.0/24`,
      provider: `${bytes.slice(0, 2).join(".")}.0.0/16`,
    }
  }
  if (client.endsWith("/64")) {
    const network = `${client.slice(0, NETWORK_DIGITS)}/48`
    return { address: client, network, provider: `${client.slice(0, PROVIDER_DIGITS)}/32` }
  }
  return { address: client, network: client, provider: client }
}

/** The other end of a connection: the client as which it counts, and whether it is a trusted proxy. */
interface Peer {
  readonly client: string
  readonly trusted: boolean
}

/** Maps connections and requests to clients, by keys for counting that are never logged. */
export interface Clients {
  readonly peerOf: (socket: Socket) => Peer
  readonly clientOf: (request: IncomingMessage) => string
}

/**
 * Makes the mapping of requests to clients. Behind `trustedProxies` (addresses or CIDR ranges) the client is the nearest
 * address of X-Forwarded-For that is not a trusted proxy; entries that a client forged are further away and not read.
 * Throws on an invalid range.
 */
export const makeClients = (trustedProxies: ReadonlyArray<string>): Clients => {
  const ranges = trustedProxies.map(parseRange)
  const isTrusted = (address: Address) => ranges.some((range) => isInRange(address, range))
  // The other end of a connection does not change, so it is parsed once.
  const peers = new WeakMap<Socket, Peer>()

  const peerOf = (socket: Socket): Peer => {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const address = parse(socket.remoteAddress ?? "")
    const client = address === null ? "local" : prefix(address)
    const trusted = address !== null && ranges.length > 0 && isTrusted(address)
    const peer = { client, trusted }
    peers.set(socket, peer)
    return peer
  }

  const clientOf = (request: IncomingMessage): string => {
    const peer = peerOf(request.socket)
    const forwarded = request.headers["x-forwarded-for"]
    if (!peer.trusted || forwarded === undefined) return peer.client
    const hops = (typeof forwarded === "string" ? forwarded : forwarded.join(",")).split(",")
    let client = peer.client
    for (const hop of hops.slice(-HOPS_MAX).reverse()) {
      const address = parse(hop)
      // A malformed hop ends the trusted part of the header.
      if (address === null) return client
      client = prefix(address)
      if (!isTrusted(address)) return client
    }
    return client
  }
  return { peerOf, clientOf }
}

/** A host that may stand in a link: a name or an address, and a port. */
const LINKED_HOST = /^(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[1-9]\d{0,4})?$/

/**
 * The address under which a client reached this service, without a trailing slash; null where its Host must not stand in a
 * link. Only for replies that are not cached, as the Host is chosen by the sender. `proxied`: the request came through a
 * trusted proxy, whose X-Forwarded-Proto gives the scheme.
 */
export const reachedAddress = ({ headers }: IncomingMessage, proxied: boolean): string | null => {
  if (headers.host === undefined || !LINKED_HOST.test(headers.host)) return null
  const scheme = proxied && headers["x-forwarded-proto"] === "https" ? "https" : "http"
  return `${scheme}://${headers.host}`
}

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
const TEXT_MAX_CHARACTERS = 512
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
  const text = userAgent.slice(0, TEXT_MAX_CHARACTERS)
  const kind = classify(text)
  // Longer texts are not cached: they could fill the memory.
  if (text.length < userAgent.length) return kind
  if (known.size >= TEXTS_MAX) known.clear()
  known.set(userAgent, kind)
  return kind
}
