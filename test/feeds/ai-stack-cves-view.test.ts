import { describe, expect, it } from "vitest"
import aiStackCvesView from "../../processors/views/ai-stack-cves.ts"
import { type AiPackage, aiStackCves, type Flaw } from "../../schemas/feeds/ai-stack-cves.ts"
import { knownExploited } from "../../schemas/feeds/known-exploited.ts"
import { inputsOf, reading } from "./support/shown.ts"

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")
const DAY_MS = 86_400_000

const flaw = (id: string, members: Partial<Flaw> = {}): Flaw => ({
  id,
  aliases: [],
  severity: "high",
  cvss: null,
  epss: null,
  summary: null,
  publishedAt: "2026-01-01T00:00:00.000Z",
  modifiedAt: "2026-01-02T00:00:00.000Z",
  url: `https://osv.dev/vulnerability/${id}`,
  ...members,
})
const entry = (cve: string) => ({
  cve,
  vendor: null,
  product: null,
  name: cve,
  addedOn: "2026-11-01",
  dueOn: null,
  ransomware: false,
  weaknesses: [],
})

type Packages = Partial<Record<AiPackage, ReadonlyArray<Flaw>>>
const built = (packages: Packages, exploited: ReadonlyArray<string> | null, nowMs = NOW_MS) => {
  const inputs = inputsOf(aiStackCvesView, {}, (feed, instance) => {
    if (feed === knownExploited.name)
      return exploited === null ? undefined : reading({ items: exploited.map(entry), facts: {} })
    const items = feed === aiStackCves.name ? packages[instance.package as AiPackage] : undefined
    return items === undefined ? undefined : reading({ items, facts: {} }, instance)
  })
  const { data, changesAtMs } = aiStackCvesView.build(inputs, { parameters: {}, nowMs })
  return { data: data as Readonly<Record<string, unknown>>, changesAtMs }
}
const topOf = (flaws: ReadonlyArray<Flaw>, exploited: ReadonlyArray<string> | null = []) =>
  built({ torch: flaws }, exploited).data.top_cve

describe("the vulnerabilities of the AI stack", () => {
  it("are counted by severity, category and package, one of several packages once", () => {
    const shared = flaw("CVE-2026-3", { severity: "critical" })
    const { data } = built(
      {
        torch: [flaw("CVE-2026-1"), flaw("CVE-2026-2", { severity: "unstated" })],
        langchain: [shared],
        "langchain-core": [shared, flaw("CVE-2026-4", { severity: "low" })],
        ollama: [],
      },
      ["CVE-2026-3"],
    )
    expect(data).toMatchObject({
      total: 4,
      exploited_in_wild_count: 1,
      last_30d_count: 0,
      by_severity: { critical: 1, high: 1, medium: 0, low: 1, unstated: 1 },
      by_category: { framework: 2, inference: 0, orchestration: 2, mlops: 0, notebook: 0 },
      top_cve: { id: "CVE-2026-3", package: "langchain", exploited: true },
      packages: [
        { name: "torch", ecosystem: "PyPI", category: "framework", total: 2, exploited: 0, critical: 0, high: 1 },
        { name: "ollama", ecosystem: "Go", category: "inference", total: 0, exploited: 0, critical: 0, high: 0 },
        { name: "langchain", total: 1, exploited: 1, critical: 1 },
        { name: "langchain-core", total: 2, exploited: 1, critical: 1 },
      ],
    })
  })
  it("are exploited by any of their ids, and unknown to be while the catalogue was never read", () => {
    const flaws = [flaw("GHSA-a-b-c", { aliases: ["CVE-2026-9"] })]
    expect(built({ torch: flaws }, ["CVE-2026-9"]).data).toMatchObject({ exploited_in_wild_count: 1 })
    expect(built({ torch: flaws }, null).data).toMatchObject({
      exploited_in_wild_count: null,
      top_cve: { exploited: null },
      packages: [{ exploited: null }],
    })
  })
  it.each([
    ["an exploited one before a critical one", flaw("CVE-2026-1"), flaw("CVE-2026-2", { severity: "critical" })],
    ["a critical one before a high one", flaw("CVE-2026-3", { severity: "critical" }), flaw("CVE-2026-2", { cvss: 9 })],
    ["a higher score before a lower one and none", flaw("CVE-2026-3", { cvss: 0 }), flaw("CVE-2026-2", { epss: 1 })],
    ["a likelier one before one without an estimate", flaw("CVE-2026-3", { epss: 0 }), flaw("CVE-2026-2")],
    ["the latest published", flaw("CVE-2026-3"), flaw("CVE-2026-2", { publishedAt: "2025-12-31T00:00:00.000Z" })],
    ["one with a day before one without", flaw("CVE-2026-3"), flaw("CVE-2026-2", { publishedAt: null })],
    ["the lower id of equal ones", flaw("CVE-2026-3"), flaw("CVE-2026-4")],
  ])("are led by %s, in any order", (_, top, other) => {
    for (const flaws of [
      [top, other],
      [other, top],
    ])
      expect(topOf(flaws, ["CVE-2026-1"])).toMatchObject({ id: top.id })
  })
  it("have none that leads where there is none", () => {
    expect(built({ torch: [] }, []).data).toMatchObject({ total: 0, top_cve: null })
  })
  it("are of the last 30 days until those have passed, and build again at that instant", () => {
    const publishedMs = NOW_MS - 10 * DAY_MS
    const packages = {
      torch: [flaw("CVE-2026-1", { publishedAt: new Date(publishedMs).toISOString() }), flaw("CVE-2025-1")],
    }
    const at = (nowMs: number) => built(packages, [], nowMs)
    expect(at(NOW_MS).data.last_30d_count).toBe(1)
    expect(at(NOW_MS).changesAtMs).toBe(publishedMs + 30 * DAY_MS)
    expect(at(publishedMs + 30 * DAY_MS - 1).data.last_30d_count).toBe(1)
    expect(at(publishedMs + 30 * DAY_MS).data.last_30d_count).toBe(0)
    expect(at(publishedMs + 30 * DAY_MS).changesAtMs).toBeNull()
    expect(at(publishedMs - 1).data.last_30d_count).toBe(0)
  })
})
