import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [Address, number]

/** Hops of X-Forwarded-For that are looked at, from the nearest. */
const HOPS_MAX = 32
/** Bits of an IPv6 address that one customer usually holds. */
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

const within = (address: Address, [range, bits]: Range): boolean =>
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
  /** The client as it counts everywhere: an IPv4 address, or a /64. */
  readonly address: string
  /** Its /24 (IPv4) or /48 (IPv6): what one customer may be given to number himself. */
  readonly network: string
  /** Its /16 (IPv4) or /32 (IPv6): what one provider usually holds. */
  readonly provider: string
}

/** The prefixes of a client, from the key under which it counts. */
export const prefixesOf = (client: string): ClientPrefixes => {
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

/** What is known of a connection's other end: the client and the network it counts as, and whether it is a proxy of ours. */
export interface Peer {
  readonly client: string
  readonly network: string
  readonly trusted: boolean
}

/** Tells clients apart, by keys for counting that are never logged. */
export interface Clients {
  readonly peerOf: (socket: Socket) => Peer
  readonly clientOf: (request: IncomingMessage) => string
}

/**
 * Tells which client a request comes from. Behind `trustedProxies` (addresses or CIDR ranges) it is the nearest address of
 * X-Forwarded-For that is not a proxy of ours; whatever a client writes itself stands further away and is not read.
 * Throws on a range that is none.
 */
export const makeClients = (trustedProxies: ReadonlyArray<string>): Clients => {
  const ranges = trustedProxies.map(parseRange)
  const isTrusted = (address: Address) => ranges.some((range) => within(address, range))
  // A connection does not change its other end: it is parsed once.
  const peers = new WeakMap<Socket, Peer>()

  const peerOf = (socket: Socket): Peer => {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const address = parse(socket.remoteAddress ?? "")
    const client = address === null ? "local" : prefix(address)
    const trusted = address !== null && ranges.length > 0 && isTrusted(address)
    const peer = { client, network: prefixesOf(client).network, trusted }
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
      // What one of our proxies did not write properly is not to be believed, nor anything beyond it.
      if (address === null) return client
      client = prefix(address)
      if (!isTrusted(address)) return client
    }
    return client
  }
  return { peerOf, clientOf }
}
