import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { prefixesOf } from "./client.ts"
import { PrefixPlaces } from "./prefix-places.ts"

const limits = { client: 4, network: 8, provider: 12, inAll: 24 }

/** Places whose holders yield unless they are busy, and who has them. */
const placesUnderTest = () => {
  const [held, busy] = [new Map<{ readonly of: string }, string>(), new Set<object>()]
  const places = new PrefixPlaces<{ readonly of: string }>(limits, (holder) => !busy.has(holder) && held.delete(holder))
  const take = (client: string): { readonly of: string } | null => {
    const holder = { of: client }
    if (!places.take(prefixesOf(client), holder)) return null
    held.set(holder, client)
    return holder
  }
  const release = (holder: { readonly of: string }) => {
    places.release(holder)
    held.delete(holder)
  }
  const countOf = (matches: (client: string) => boolean) => [...held.values()].filter(matches).length
  return { take, release, busy, countOf, held }
}

describe("places", () => {
  it.each([
    ["/16", (n: number) => `20.1.${n % 256}.${n >> 8}`, "20.1.0.200", "20.2.0.1"],
    [
      "/32",
      (n: number) => `20010001${n.toString(16).padStart(4, "0")}0000/64`,
      "20010001ffff0000/64",
      "2001000200000000/64",
    ],
  ])(
    "give a whole %s its part, others theirs, and a newcomer of it one that was idle",
    (_, clientOf, neighbour, other) => {
      const { take, countOf, held } = placesUnderTest()
      for (let n = 0; n < 100; n++) take(clientOf(n % 50))
      expect(held.size).toBe(limits.provider)
      for (let n = 0; n < limits.client; n++) expect(take(other)).not.toBeNull()
      expect(countOf((client) => client === other)).toBe(limits.client)
      expect(take(neighbour)).not.toBeNull()
      expect(held.size).toBe(limits.provider + limits.client)
    },
  )

  it("are not taken from the busy, nor from a client that has no more than the newcomer", () => {
    const { take, busy } = placesUnderTest()
    const first = Array.from({ length: 4 }, () => take("20.1.1.1"))
    for (let n = 0; n < 4; n++) take("20.1.1.2")
    for (const holder of first) if (holder !== null) busy.add(holder)
    expect(take("20.1.1.1")).toBeNull()
    expect(take("20.1.1.3")).toBeNull()
    busy.clear()
    expect(take("20.1.1.3")).not.toBeNull()
  })

  it("are never more than any limit, whatever comes and goes, and are all free when everybody has gone", () => {
    const step = fc.record({
      client: fc
        .tuple(fc.nat({ max: 2 }), fc.nat({ max: 3 }), fc.nat({ max: 3 }))
        .map((parts) => `20.${parts.join(".")}`),
      act: fc.constantFrom("take", "take", "take busy", "release"),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { take, release, busy, held, countOf } = placesUnderTest()
        for (const { client, act } of steps) {
          if (act === "release") for (const [holder, of] of [...held].slice(0, 3)) if (of === client) release(holder)
          const holder = act === "release" ? null : take(client)
          if (holder !== null && act === "take busy") busy.add(holder)
          const { network, provider } = prefixesOf(client)
          expect(countOf((one) => one === client)).toBeLessThanOrEqual(limits.client)
          expect(countOf((one) => prefixesOf(one).network === network)).toBeLessThanOrEqual(limits.network)
          expect(countOf((one) => prefixesOf(one).provider === provider)).toBeLessThanOrEqual(limits.provider)
          expect(held.size).toBeLessThanOrEqual(limits.inAll)
        }
        for (const holder of [...held.keys()]) release(holder)
        for (const provider of ["20.1", "20.2"])
          for (const network of ["1", "2", "3"])
            for (let n = 0; n < 4; n++) expect(take(`${provider}.${network}.1`)).not.toBeNull()
        expect(take("20.1.9.9")).not.toBeNull()
        expect(held.size).toBe(limits.inAll)
      }),
      { numRuns: 200 },
    )
  })
})
