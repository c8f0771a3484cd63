import type { ClientPrefixes } from "./client.ts"

/** The most places of one client, of its network (/24, /48), of its provider (/16, /32), and of all clients. */
export interface PlaceLimits {
  readonly client: number
  readonly network: number
  readonly provider: number
  readonly inAll: number
}

/** The places of a prefix. A client has holders, and a wider prefix has the nodes of its parts. */
interface Node<Holder> {
  readonly key: string
  readonly parent: Node<Holder> | null
  readonly parts: Map<string, Node<Holder>>
  /** The oldest first. */
  readonly holders: Set<Holder>
  count: number
}

const makeNode = <Holder>(key: string, parent: Node<Holder> | null): Node<Holder> => ({
  key,
  parent,
  parts: new Map(),
  holders: new Set(),
  count: 0,
})

/** The client with the most places, of the network with the most, of the provider with the most. */
const heaviestClientOf = <Holder>(node: Node<Holder>): Node<Holder> => {
  let heaviest: Node<Holder> | undefined
  for (const part of node.parts.values()) if (heaviest === undefined || part.count > heaviest.count) heaviest = part
  return heaviest === undefined ? node : heaviestClientOf(heaviest)
}

/**
 * Divides among clients, networks and providers the places that are in use for a while: connections, requests in flight,
 * waiting requests. Where a prefix is full, a newcomer takes the place of a holder of its heaviest client, provided that this
 * client has more places than the newcomer's and one of its holders yields. Thus a few addresses do not shut out their network.
 */
export class PrefixPlaces<Holder extends object> {
  /** The maxima from all clients down to one, as the levels of the tree. */
  readonly #maxima: ReadonlyArray<number>
  readonly #yields: (holder: Holder) => boolean
  readonly #root = makeNode<Holder>("", null)
  readonly #clients = new Map<Holder, Node<Holder>>()

  /** `yields` ends a holder and returns true, or returns false where the holder keeps its place; by default each does. */
  constructor({ client, network, provider, inAll }: PlaceLimits, yields: (holder: Holder) => boolean = () => false) {
    this.#maxima = [inAll, provider, network, client]
    this.#yields = yields
  }

  /** Gives a client one more place; returns false where it gets none. */
  take({ address, network, provider }: ClientPrefixes, holder: Holder): boolean {
    const keys = [provider, network, address]
    const path: Array<Node<Holder>> = [this.#root]
    for (const key of keys) {
      const part = path.at(-1)?.parts.get(key)
      if (part === undefined) break
      path.push(part)
    }
    const held = path[keys.length]?.count ?? 0
    // The narrowest first: a place that is freed in a network is free in its provider too.
    for (const [level, node] of [...path.entries()].reverse())
      if (node.count >= (this.#maxima[level] ?? 0) && !this.#freeOne(node, held)) return false
    let node = this.#root
    for (const key of keys) {
      node.count += 1
      const part = node.parts.get(key) ?? makeNode(key, node)
      node.parts.set(key, part)
      node = part
    }
    node.count += 1
    node.holders.add(holder)
    this.#clients.set(holder, node)
    return true
  }

  /** Takes back the place of a holder; does nothing where it has none. */
  release(holder: Holder): void {
    const client = this.#clients.get(holder)
    if (client === undefined) return
    this.#clients.delete(holder)
    client.holders.delete(holder)
    for (let node: Node<Holder> | null = client; node !== null; node = node.parent) {
      node.count -= 1
      if (node.count === 0) node.parent?.parts.delete(node.key)
    }
  }

  /** Frees a place of the heaviest client of a full prefix; returns false where there is none for a client that has `held`. */
  #freeOne(full: Node<Holder>, held: number): boolean {
    const client = heaviestClientOf(full)
    if (client.count <= held) return false
    for (const holder of client.holders)
      if (this.#yields(holder)) {
        this.release(holder)
        return true
      }
    return false
  }
}
