import { type AiPackage, aiPackageFacts, aiPackages } from "../../../schemas/feeds/ai-stack-cves.ts"
import { flawsOf, type WorldFlaw } from "../ai-stack.ts"
import { simulatedUpstream, type WorldRequest } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
/** The service's own limit is 1,000; a smaller one shows that pages are followed. */
const PAGE_RECORDS = 10
const SCORES_MAX = 100

const recordOf = (flaw: WorldFlaw, id: string) => {
  const { name, ecosystem } = aiPackageFacts[flaw.package]
  const isReviewed = id.startsWith("GHSA-")
  const [severity, vector] = flaw.severity
  const text = `${flaw.kind} in ${flaw.package}`
  return {
    id,
    ...(isReviewed ? { summary: text } : {}),
    details: `${text} allows an attacker to do harm.\n\n## Patches\n\nUpgrade to 2.0.0.`,
    aliases: [flaw.cve, ...(isReviewed ? (flaw.second === null ? [] : [flaw.second]) : [flaw.ghsa])],
    modified: new Date(flaw.modifiedMs).toISOString().replace("Z", "740Z"),
    published: new Date(flaw.publishedMs).toISOString(),
    ...(flaw.withdrawnMs === null ? {} : { withdrawn: new Date(flaw.withdrawnMs).toISOString() }),
    references: [{ type: "ADVISORY", url: `https://advisories.example/${id}` }],
    affected: [
      {
        package: { name, ecosystem, purl: `pkg:${ecosystem === "PyPI" ? "pypi" : "golang"}/${name}` },
        ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "2.0.0" }] }],
        versions: ["1.0.0", "1.1.0"],
      },
    ],
    schema_version: "1.6.0",
    ...(isReviewed
      ? { severity: [{ type: "CVSS_V3", score: vector }], database_specific: { severity, cwe_ids: ["CWE-502"] } }
      : {}),
  }
}

const recordsOf = (world: World, id: AiPackage) =>
  flawsOf(world, id).flatMap((flaw) => [
    recordOf(flaw, flaw.ghsa),
    ...(flaw.second === null ? [] : [recordOf(flaw, flaw.second)]),
  ])

const query = (world: World, body: string) => {
  const { package: asked, page_token: token } = JSON.parse(body) as {
    readonly package?: { readonly name?: string; readonly ecosystem?: string }
    readonly page_token?: string
  }
  const id = aiPackages.find(
    (one) => aiPackageFacts[one].name === asked?.name && aiPackageFacts[one].ecosystem === asked?.ecosystem,
  )
  if (id === undefined) return { body: {} }
  const all = recordsOf(world, id)
  const from = Number(token ?? 0)
  const next = from + PAGE_RECORDS
  const vulns = all.slice(from, next)
  return {
    body: {
      ...(vulns.length === 0 ? {} : { vulns }),
      ...(next < all.length ? { next_page_token: String(next) } : {}),
    },
  }
}

/** The estimate for a vulnerability, which is made anew each day; null for one in seven. */
export const probabilityOf = (world: World, cve: string): number | null =>
  world.random("no estimate", cve) < 1 / 7
    ? null
    : Math.round(
        1e5 *
          Math.min(1, world.random("estimate", cve) ** 4 + 0.01 * world.random(cve, Math.floor(world.nowMs / DAY_MS))),
      ) / 1e5

const scores = (world: World, search: WorldRequest["query"]) => {
  const cves = (search.get("cve") ?? "").split(",").filter((cve) => cve !== "")
  const day = new Date(world.nowMs).toISOString().slice(0, 10)
  const data = cves.flatMap((cve) => {
    const probability = probabilityOf(world, cve)
    return probability === null
      ? []
      : [{ cve, epss: probability.toFixed(9), percentile: Math.sqrt(probability).toFixed(9), date: day }]
  })
  const limit = Number(search.get("limit") ?? SCORES_MAX)
  return {
    body: {
      status: "OK",
      "status-code": 200,
      version: "1.0",
      access: "public",
      total: data.length,
      offset: 0,
      limit,
      data: data.slice(0, limit),
    },
  }
}

export default simulatedUpstream({
  name: "osv",
  hosts: ["api.osv.dev", "api.first.org"],
  answer: ({ host, path, query: search, body }, world) => {
    if (host === "api.first.org") return path === "/data/v1/epss" ? scores(world, search) : null
    return path === "/v1/query" && body !== null && body !== undefined ? query(world, body) : null
  },
})
