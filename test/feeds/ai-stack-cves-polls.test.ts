import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { decodeDocument } from "../../ingestors/poll/read.ts"
import osv, { query } from "../../ingestors/sources/osv.ts"
import { type AiPackage, aiPackages, factsOfPackage } from "../../schemas/feeds/ai-stack-cves.ts"
import { flawsOf } from "../world/ai-stack.ts"
import { catalogueOf } from "../world/upstreams/cisa-kev.ts"
import simulated, { probabilityOf } from "../world/upstreams/osv.ts"
import { worldAt } from "../world/world.ts"
import { normalised } from "./support/read.ts"
import { collect, observed, pollFailure, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

const record = (id: string, members: object = {}) => ({
  id,
  modified: "2026-11-02T00:00:00Z",
  affected: [{ package: { name: "torch", ecosystem: "PyPI" } }],
  ...members,
})

describe("a poll of a package", () => {
  const torch = { package: "torch" }
  const real = (atMs = NOW_MS) => upstreamOf(simulated, worldAt("test", atMs))
  /** The world with other answers to queries for records. */
  const answering = (pageOf: (token: string | null) => unknown): ReturnType<typeof real> => ({
    ...real(),
    fetch: (document, input) =>
      document.url(input).includes("osv.dev")
        ? Effect.succeed(pageOf((input as { readonly token: string | null }).token) as never)
        : real().fetch(document, input),
  })

  it("follows the pages, drops what is withdrawn, and joins the estimates", async () => {
    const world = worldAt("test", NOW_MS)
    for (const id of ["torch", "langflow", "ollama"] as const) {
      const flaws = flawsOf(world, id)
      const { payload } = await observed(osv, simulated, NOW_MS, { package: id })
      const standing = flaws.filter(({ withdrawnMs }) => withdrawnMs === null)
      expect(payload.items.map((one) => [one.id, one.epss]).sort()).toEqual(
        standing.map(({ cve }) => [cve, probabilityOf(world, cve)]).sort(),
      )
      const [newest] = payload.items
      const flaw = standing.find(({ cve }) => cve === newest?.id)
      expect(newest?.aliases).toEqual([flaw?.ghsa, ...(flaw?.second == null ? [] : [flaw.second])])
    }
  })
  it("is empty where there is no vulnerability", async () => {
    const exit = await collect(
      osv,
      answering(() => ({})),
      torch,
    )
    expect(exit).toMatchObject({ value: { records: [] } })
    const { payload } = normalised(osv, { records: [], probabilities: new Map() }, { parameters: torch })
    expect(payload.items).toEqual([])
  })
  it.each([
    ["an error", { error: "internal" }],
    ["the answer to a batch", { results: [{ vulns: [] }] }],
    ["another spelling", { vulnerabilities: [] }],
    ["no list", { vulns: null }],
  ])("does not read %s as no vulnerability", (_, answer) => {
    const decode = (page: object) => decodeDocument("query", query, Buffer.from(JSON.stringify(page)))
    expect(decode(answer)).toMatchObject({ _tag: "Failure", failure: { _tag: "Undecodable" } })
    for (const page of [{}, { vulns: [] }, { next_page_token: "2" }, { vulns: [], further: 1 }])
      expect(decode(page)).toMatchObject({ _tag: "Success" })
  })
  it("ends with the last page, and fails where there is none", async () => {
    const vulns = (token: string | null) => [record(`PYSEC-2026-${token ?? 0}`)]
    const three = (token: string | null) => ({
      vulns: vulns(token),
      ...(token === "2" ? { next_page_token: "" } : { next_page_token: String(Number(token ?? 0) + 1) }),
    })
    expect(await collect(osv, answering(three), torch)).toMatchObject({
      value: { records: [{ id: "PYSEC-2026-0" }, { id: "PYSEC-2026-1" }, { id: "PYSEC-2026-2" }] },
    })
    const endless = answering((token) => ({ vulns: vulns(token), next_page_token: "again" }))
    expect(await pollFailure(osv, endless, torch)).toMatchObject({
      value: { message: expect.stringMatching(/more than/) },
    })
  })
  it("succeeds without estimates, which are then unknown", async () => {
    const silent = upstreamOf(simulated, worldAt("test", NOW_MS), { unreachable: ["api.first.org"] })
    const exit = await collect(osv, silent, torch)
    if (exit._tag === "Failure") throw new Error(String(exit.cause))
    const { items } = normalised(osv, exit.value, { parameters: torch, observedAtMs: NOW_MS }).payload
    expect(items.length).toBeGreaterThan(0)
    expect(items.every(({ epss }) => epss === null)).toBe(true)
  })
  it("asks for the estimates of a hundred vulnerabilities at a time, and for none twice", async () => {
    const records = Array.from({ length: 250 }, (_, index) =>
      record(`GHSA-aaaa-bbbb-${index}`, { aliases: [`CVE-2026-${1_000 + (index % 240)}`] }),
    )
    const asked: Array<ReadonlyArray<string>> = []
    const upstream = answering(() => ({ vulns: records }))
    await collect(
      osv,
      {
        ...upstream,
        fetch: (document, input) => {
          if (Array.isArray(input)) asked.push(input)
          return upstream.fetch(document, input)
        },
      },
      torch,
    )
    expect(asked.map(({ length }) => length)).toEqual([100, 100, 40])
    expect(new Set(asked.flat()).size).toBe(240)
  })
  it("is of a package of the feed", () => {
    expect(() => factsOfPackage({ package: "left-pad" })).toThrow("not a package")
    expect(() => factsOfPackage({ package: "constructor" })).toThrow("not a package")
    expect(aiPackages).toHaveLength(19)
  })
})

it("each day of the world has an exploited package, a flaw of two records and a withdrawn one", () => {
  for (const day of [0, 1, 9, 15, 30, 200]) {
    const world = worldAt("test", NOW_MS + day * DAY_MS)
    const flaws = aiPackages.flatMap((id: AiPackage) => flawsOf(world, id))
    expect(flaws.some(({ second, withdrawnMs }) => second !== null && withdrawnMs === null)).toBe(true)
    expect(flaws.some(({ withdrawnMs }) => withdrawnMs !== null)).toBe(true)
    const listed = new Set(catalogueOf(world).map(({ cve }) => cve))
    expect(flaws.some(({ cve, withdrawnMs }) => withdrawnMs === null && listed.has(cve))).toBe(true)
    expect(new Set(flaws.map(({ cve }) => cve)).size).toBe(flaws.length)
  }
})
