import { dayOf } from "../../../schemas/day.ts"
import { aiPackages } from "../../../schemas/feeds/ai-stack-cves.ts"
import { flawsOf } from "../ai-stack.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The catalogue gets an entry on most days, and here begins 300 days ago. */
const DAYS = 300
/** Additions are published at this hour. */
const RELEASED_MS = 18 * HOUR_MS

const products = [
  ["Brightwater", "Gateway OS"],
  ["Northern Mail", "Mail Server "],
  ["Harbour Systems", "Identity Manager"],
  ["Lighthouse Software", "File Transfer"],
] as const

/** An entry of the world's catalogue. */
export interface WorldExploited {
  readonly cve: string
  readonly vendor: string
  readonly product: string
  readonly addedMs: number
  readonly dueMs: number
  readonly ransomware: boolean
}

/** The catalogue now, the latest addition first: products of the world, and packages of the AI stack. */
export const catalogueOf = (world: World): ReadonlyArray<WorldExploited> => {
  const today = Math.floor((world.nowMs - RELEASED_MS) / DAY_MS)
  const others = Array.from({ length: DAYS }, (_, index) => today - index).flatMap(
    (day): ReadonlyArray<WorldExploited> => {
      const random = (label: string) => world.random("exploited", day, label)
      if (random("any") < 0.3) return []
      const [vendor, product] = products[Math.floor(random("product") * products.length)] ?? products[0]
      const addedMs = day * DAY_MS
      return [
        {
          cve: `CVE-${new Date(addedMs).getUTCFullYear()}-${20_000 + (day % 50_000)}`,
          vendor,
          product,
          addedMs,
          dueMs: addedMs + (random("short") < 0.3 ? 3 : 21) * DAY_MS,
          // Found out weeks later.
          ransomware: random("ransomware") < 0.2 && world.nowMs > addedMs + 20 * DAY_MS,
        },
      ]
    },
  )
  const packages = aiPackages.flatMap((name) =>
    flawsOf(world, name).flatMap(({ cve, exploitedMs }): ReadonlyArray<WorldExploited> => {
      if (exploitedMs === null) return []
      const addedMs = Math.floor(exploitedMs / DAY_MS) * DAY_MS
      const title = name.charAt(0).toUpperCase() + name.slice(1)
      return [{ cve, vendor: title, product: title, addedMs, dueMs: addedMs + 21 * DAY_MS, ransomware: false }]
    }),
  )
  return [...others, ...packages].sort((one, other) => other.addedMs - one.addedMs || (one.cve < other.cve ? 1 : -1))
}

/** Whether the agency's own host refuses programs in this hour, as it does at times. */
export const isRefusing = ({ nowMs, random }: World): boolean => random("403", Math.floor(nowMs / HOUR_MS)) < 0.15

const MIRROR = "raw.githubusercontent.com"

export default simulatedUpstream({
  name: "cisa-kev",
  hosts: ["www.cisa.gov", MIRROR],
  answer: ({ host, path }, world) => {
    const folder = host === MIRROR ? "/cisagov/kev-data/develop/" : "/sites/default/files/feeds/"
    if (path !== `${folder}known_exploited_vulnerabilities.json`) return null
    if (host !== MIRROR && isRefusing(world))
      return { status: 403, contentType: "text/html", body: "<html><body>Access Denied</body></html>" }
    const entries = catalogueOf(world)
    const releasedMs = Math.floor((world.nowMs - RELEASED_MS) / DAY_MS) * DAY_MS + RELEASED_MS
    return {
      body: {
        title: "CISA Catalog of Known Exploited Vulnerabilities",
        catalogVersion: dayOf(releasedMs).replaceAll("-", "."),
        dateReleased: new Date(releasedMs).toISOString().replace("000Z", "5809Z"),
        count: entries.length,
        vulnerabilities: entries.map(({ cve, vendor, product, addedMs, dueMs, ransomware }) => ({
          cveID: cve,
          vendorProject: vendor,
          product,
          vulnerabilityName: `${vendor} ${product.trim()} Missing Authentication Vulnerability`,
          dateAdded: dayOf(addedMs),
          shortDescription: `${vendor} ${product} contains a missing authentication vulnerability.`,
          requiredAction: "Apply mitigations per vendor instructions or discontinue use of the product.",
          dueDate: dayOf(dueMs),
          knownRansomwareCampaignUse: ransomware ? "Known" : "Unknown",
          notes: `https://advisories.example/${cve} ; https://nvd.nist.gov/vuln/detail/${cve}`,
          cwes: vendor === "Northern Mail" ? [] : ["CWE-306"],
        })),
      },
    }
  },
})
