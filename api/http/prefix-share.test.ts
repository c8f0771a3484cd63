import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaultLimits } from "./limits.ts"
import {
  CHEAP,
  COSTLY,
  dayShare,
  fetchShareLimits,
  lookupShareLimits,
  minuteShare,
  PrefixShare,
  type ShareLimits,
} from "./shares.ts"

const HOUR_MS = 3_600_000
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0")

/** The /64 of a /32, of which `n` names the /48 and the /64 within it. */
const inProvider6 = (provider: number, n: number) =>
  `${hex(0x2001_0000 + provider, 8)}${hex(n % 65_536, 4)}${hex(n >> 16, 4)}/64`
/** The address of a /16, each in a /24 of its own as long as there are such. */
const inProvider4 = (provider: number, n: number) => `20.${provider}.${n % 256}.${(n >> 8) % 256}`

/** Every share of the public port, by its name. */
const shares: ReadonlyArray<readonly [string, ShareLimits]> = [
  ["fetches on request", fetchShareLimits(defaultLimits)],
  ["look-ups of transactions", lookupShareLimits(defaultLimits)],
  ["free data", dayShare(60, CHEAP)],
  ["documents", minuteShare(30, CHEAP)],
  ["receipts", minuteShare(defaultLimits.receiptVerifiesPerMinute, COSTLY)],
  ["payments", minuteShare(defaultLimits.paymentCallsPerMinute, COSTLY)],
  ["selections", minuteShare(defaultLimits.selectionsPerMinute, COSTLY)],
]

/** Requests of one client after another that were allowed, where each asks `times`. */
const allowed = (share: PrefixShare, clients: ReadonlyArray<string>, times: number, nowMs: number): number => {
  let count = 0
  for (const client of clients) for (let n = 0; n < times; n++) if (share.take(client, nowMs).allowed) count += 1
  return count
}

describe.each(shares)("the share of %s", (_, limits) => {
  const { windows, multiples, ofNewClient } = limits
  const [shortest] = windows
  if (shortest === undefined) throw new Error("a share has a window")
  const partOf = (inAll: number | null) => (inAll === null ? Number.POSITIVE_INFINITY : Math.floor(inAll / 2))
  const providerMax = Math.min(multiples.provider * shortest.ofClient, partOf(shortest.inAll))

  it.each([
    ["a whole /32", inProvider6],
    ["a whole /16", inProvider4],
  ])("gives %s its stated part, and every other provider its own", (_name, clientOf) => {
    const share = new PrefixShare(limits)
    const attackers = Array.from({ length: 4 * providerMax }, (_attacker, n) => clientOf(1, n))
    expect(allowed(share, attackers, 2, 0)).toBe(providerMax)
    const own = Math.min(ofNewClient, shortest.ofClient)
    for (const honest of [clientOf(2, 7), clientOf(3, 7)]) expect(allowed(share, [honest], own, 0)).toBe(own)
  })

  it("keeps a part of a network, and of a provider, for those of it that have asked for little", () => {
    const own = Math.min(ofNewClient, shortest.ofClient)
    const [ofNetwork, ofProvider] = [new PrefixShare(limits), new PrefixShare(limits)]
    const neighbours = Array.from({ length: multiples.network }, (_neighbour, n) => `20.1.7.${n}`)
    // Over several minutes, after which none of the others is new in its day.
    const minutes = Array.from({ length: 10 }, (_minute, minute) => minute * 60_000)
    for (const nowMs of minutes) allowed(ofNetwork, neighbours, shortest.ofClient, nowMs)
    expect(allowed(ofNetwork, ["20.1.7.200"], Math.ceil(own / 4), 540_000)).toBe(Math.ceil(own / 4))
    const networks = Array.from({ length: multiples.provider }, (_network, n) => `20.1.${n}.1`)
    for (const nowMs of minutes) allowed(ofProvider, networks, shortest.ofClient, nowMs)
    expect(allowed(ofProvider, ["20.1.200.1"], Math.ceil(own / 4), 540_000)).toBe(Math.ceil(own / 4))
  })

  it("never counts more than any of its limits, whatever is asked, and counts nothing that it refuses", () => {
    const request = fc.record({
      provider: fc.integer({ min: 0, max: 3 }),
      n: fc.nat({ max: 600 }),
      times: fc.integer({ min: 1, max: shortest.ofClient + 5 }),
    })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        const share = new PrefixShare(limits)
        const [byClient, byProvider] = [new Map<string, number>(), new Map<number, number>()]
        let inAll = 0
        for (const { provider, n, times } of requests) {
          const client = inProvider6(provider, n)
          const count = allowed(share, [client], times, 0)
          inAll += count
          byClient.set(client, (byClient.get(client) ?? 0) + count)
          byProvider.set(provider, (byProvider.get(provider) ?? 0) + count)
        }
        expect(Math.max(0, ...byClient.values())).toBeLessThanOrEqual(shortest.ofClient)
        expect(Math.max(0, ...byProvider.values())).toBeLessThanOrEqual(providerMax)
        expect(inAll).toBeLessThanOrEqual(shortest.inAll ?? Number.POSITIVE_INFINITY)
      }),
      { numRuns: 50 },
    )
  })

  it("returns nothing remaining and a wait where it refuses, and uncounts what is given back", () => {
    const share = new PrefixShare(limits)
    const client = inProvider6(1, 1)
    let last = share.take(client, 0)
    for (let n = 0; last.allowed && n < 10_000; n++) last = share.take(client, 0)
    expect(last).toEqual({ allowed: false, remaining: 0, resetSeconds: expect.any(Number) })
    expect(last.resetSeconds).toBeGreaterThan(0)
    share.giveBack(client)
    expect(share.take(client, 0).allowed).toBe(true)
    expect(share.take(client, 0).allowed).toBe(false)
  })
})

describe("the share of fetches on request over a day", () => {
  it.each([
    ["a /32", (n: number) => inProvider6(1, n)],
    ["a /40", (n: number) => inProvider6(1, n % 256)],
    ["a /16", (n: number) => inProvider4(1, n)],
  ])("leaves others theirs in every minute while %s takes what it can", (_, attackerOf) => {
    const share = new PrefixShare(fetchShareLimits(defaultLimits))
    let taken = 0
    let attacker = 0
    for (let minute = 0; minute < 24 * 60; minute++) {
      const nowMs = minute * 60_000
      for (let n = 0; n < 50; n++) {
        attacker += 1
        if (share.take(attackerOf(attacker), nowMs).allowed) taken += 1
      }
      // A newcomer each minute, of providers that ask twenty times an hour together.
      const newcomer = inProvider6(10 + (minute % 3), minute)
      if (nowMs < HOUR_MS || minute % 60 === 0) expect(share.take(newcomer, nowMs).allowed).toBe(true)
    }
    expect(taken).toBeLessThanOrEqual(defaultLimits.demandFetchesPerDayInAll / 2)
  })

  it("keeps the reserve from a provider of which many clients are new", () => {
    const share = new PrefixShare(fetchShareLimits(defaultLimits))
    const attack = (minute: number) => {
      // Three providers at once could use the whole of a minute.
      for (let provider = 0; provider < 3; provider++)
        for (let n = 0; n < 100; n++) share.take(inProvider6(provider, minute * 100 + n), minute * 60_000)
    }
    for (let minute = 0; minute < 10; minute++) attack(minute)
    const honest = Array.from({ length: 4 }, (_, n) => inProvider6(10 + n, 1))
    expect(allowed(share, honest, defaultLimits.demandFetchesOfNewClient, 9 * 60_000)).toBe(20)
  })
})
