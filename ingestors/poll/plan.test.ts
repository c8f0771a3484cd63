import { describe, expect, it } from "vitest"
import type { Terms } from "../../schemas/contract/provenance.ts"
import { providerAccess } from "../provider-access.ts"
import { sources } from "../registry.ts"
import type { Source } from "../source.ts"
import { type Licensing, mayPoll, termsOf } from "../terms.ts"
import { makePlan } from "./plan.ts"

const [usgs, kraken, coinbase] = ["usgs-earthquakes", "kraken", "coinbase-exchange"].map((name) => {
  const source = sources.find((one) => one.name === name)
  if (source === undefined) throw new Error(`no source ${name}`)
  return source
}) as [Source, Source, Source]

const restricted = termsOf({ use: "restricted", url: "https://example.org", sold: "no", clause: "5: personal use" })
const keyed = (optional: boolean, terms?: Terms) =>
  providerAccess({
    name: "p",
    key: { setting: "P_KEY", description: "p", signupUrl: "https://p.example", optional, ...(terms ? { terms } : {}) },
  })
const withAccess = (source: Source, access: ReturnType<typeof keyed>): Source => ({
  ...source,
  access,
  key: access.key,
})

const planOf = (all: ReadonlyArray<Source>, options: Partial<Licensing> & { readonly key?: string } = {}) => {
  const licensing: Licensing = { isSelling: false, restrictedSources: [], resaleSources: [], ...options }
  return makePlan(
    all,
    () => options.key ?? null,
    null,
    (source, terms) =>
      mayPoll(licensing, source, terms) ? null : { reason: "not_licensed", setting: "RESTRICTED_SOURCES" },
  )
}
const candidates = (plan: ReturnType<typeof planOf>) =>
  plan.scheduled.map((instance) => instance.candidates.map(({ source, key }) => [source.name, key]))

describe("a source of restricted use", () => {
  const source: Source = { ...kraken, terms: restricted }

  it("is polled as long as the service sells nothing", () => {
    expect(candidates(planOf([source]))).toEqual([[["kraken", null]]])
  })
  it("rests once the service sells, and its feed says why", () => {
    const plan = planOf([source], { isSelling: true })
    expect(plan.scheduled).toEqual([])
    expect(plan.declared).toMatchObject([{ provider: "Kraken.btc", rests: "not_licensed" }])
    expect(plan.resting).toEqual([
      { source: "kraken", reason: "not_licensed", setting: "RESTRICTED_SOURCES", clause: "5: personal use" },
    ])
  })
  it.each([["kraken"], ["all"]])("is polled where RESTRICTED_SOURCES says %s", (name) => {
    expect(planOf([source], { isSelling: true, restrictedSources: [name] }).scheduled).toHaveLength(1)
    expect(planOf([source], { isSelling: true, restrictedSources: ["another"] }).scheduled).toEqual([])
  })
  it("leaves its feed to a source of the next rank, which rests for nothing", () => {
    const plan = planOf([source, coinbase], { isSelling: true })
    expect(candidates(plan)).toEqual([[["coinbase-exchange", null]]])
    expect(plan.declared).toMatchObject([{ rests: null }])
    expect(plan.resting.map((one) => one.source)).toEqual(["kraken"])
  })
  it("is polled with a key that brings other terms", () => {
    const commercial = withAccess(source, keyed(true, { ...restricted, use: "provider" }))
    expect(planOf([commercial], { isSelling: true }).scheduled).toEqual([])
    expect(candidates(planOf([commercial], { isSelling: true, key: "k" }))).toEqual([[["kraken", "k"]]])
  })
})

describe("a source that needs its provider's consent", () => {
  const source: Source = { ...kraken, terms: termsOf({ use: "consent", url: "https://example.org", kept: "no" }) }

  it("rests though nothing is sold, and is polled where it is named", () => {
    for (const isSelling of [false, true]) {
      expect(planOf([source], { isSelling, restrictedSources: ["all"] }).scheduled).toEqual([])
      expect(planOf([source], { isSelling, restrictedSources: ["kraken"] }).scheduled).toHaveLength(1)
    }
  })
})

describe("a source with a key", () => {
  it("rests without a key that it needs, and names its setting", () => {
    const plan = planOf([withAccess(usgs, keyed(false))])
    expect(plan.scheduled).toEqual([])
    expect(plan.declared.every(({ rests }) => rests === "not_configured")).toBe(true)
    expect(plan.resting).toEqual([
      { source: "usgs-earthquakes", reason: "not_configured", setting: "P_KEY", clause: null },
    ])
  })
  it("is polled without a key that is optional", () => {
    expect(candidates(planOf([withAccess(kraken, keyed(true))]))).toEqual([[["kraken", null]]])
  })
})

it("as they are, sources of restricted use rest where the service sells, and those without a key that they need", () => {
  const namesOf = (all: ReadonlyArray<Source>) => all.map(({ name }) => name).sort()
  const restingOf = (plan: ReturnType<typeof planOf>) => plan.resting.map(({ source }) => source).sort()
  const keyless = sources.filter(({ key }) => key !== null && !key.optional)
  const consented = sources.filter(({ terms }) => terms.use === "consent")
  const restrictedOnes = sources.filter(({ terms }) => terms.use === "restricted")
  expect(namesOf(restrictedOnes)).toContain("open-meteo")
  expect(restingOf(planOf(sources))).toEqual([...new Set(namesOf([...keyless, ...consented]))])
  expect(restingOf(planOf(sources, { isSelling: true }))).toEqual([
    ...new Set(namesOf([...keyless, ...consented, ...restrictedOnes])),
  ])
})

describe("addresses that a setting names", () => {
  const access = providerAccess({
    name: "p",
    addresses: { setting: "P_BOARDS", description: "p", names: ["one"] },
  })
  const named = { one: "https://boards.example/" }
  const addressesOf = (source: Source, addresses: Readonly<Record<string, string>>) =>
    makePlan(
      [source],
      () => null,
      null,
      () => null,
      (setting) => (setting === "P_BOARDS" ? addresses : {}),
    ).scheduled.map(({ candidates: [first] }) => first.addresses)

  it("reach the sources of the provider that declares it, and no other", () => {
    expect(addressesOf(withAccess(kraken, access), named)).toEqual([named])
    expect(addressesOf(withAccess(kraken, access), {})).toEqual([{}])
    expect(addressesOf(kraken, named)).toEqual([{}])
  })

  it("bring other terms: blocks are swept while credits are sold by an operator's own nodes alone", () => {
    const sweep = sources.find(({ name }) => name === "ethereum-rpc")
    if (sweep === undefined) throw new Error("there is no such source")
    const planWith = (addresses: Readonly<Record<string, string>>, isSelling: boolean) =>
      makePlan(
        [sweep],
        () => null,
        null,
        (source, terms) =>
          mayPoll({ isSelling, restrictedSources: [], resaleSources: [] }, source, terms)
            ? null
            : { reason: "not_licensed", setting: "RESTRICTED_SOURCES" },
        () => addresses,
      )
    const own = { mine: "http://127.0.0.1:8545/" }
    expect(planWith({}, false).scheduled).toHaveLength(1)
    expect(planWith({}, true).resting).toMatchObject([
      { source: "ethereum-rpc", clause: expect.stringContaining("no data mining") },
    ])
    expect(planWith(own, true).scheduled.map(({ candidates: [first] }) => first.addresses)).toEqual([own])
  })
})
