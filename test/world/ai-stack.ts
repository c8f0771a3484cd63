import { createHash } from "node:crypto"
import { type AiPackage, aiPackages } from "../../schemas/feeds/ai-stack-cves.ts"
import type { World } from "./world.ts"

const DAY_MS = 86_400_000
const MONTH_MS = 30 * DAY_MS
/** Vulnerabilities are known for this many months. */
const MONTHS = 24

const vectors = [
  ["CRITICAL", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"],
  ["HIGH", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H"],
  ["MODERATE", "CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N"],
  ["LOW", "CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:L/I:N/A:N"],
] as const
const kinds = [
  "Deserialization of untrusted data",
  "Path traversal",
  "Denial of service",
  "Missing authentication",
] as const

/** A vulnerability of a package of the world, as the databases know it at the world's time. */
export interface WorldFlaw {
  readonly package: AiPackage
  readonly cve: string
  readonly ghsa: string
  /** The id of its second record, in the database of its ecosystem; null where that has none. */
  readonly second: string | null
  readonly kind: (typeof kinds)[number]
  readonly severity: (typeof vectors)[number]
  readonly publishedMs: number
  readonly modifiedMs: number
  /** Null where its records stand. */
  readonly withdrawnMs: number | null
  /** When it was found to be exploited; null where it is not. */
  readonly exploitedMs: number | null
}

const ghsaOf = (text: string): string => {
  const letters = "23456789cfghjmpqrvwx"
  const hash = createHash("sha256").update(text).digest()
  const group = (from: number) => Array.from(hash.subarray(from, from + 4), (byte) => letters[byte % 20]).join("")
  return `GHSA-${group(0)}-${group(4)}-${group(8)}`
}

const flawOf = (world: World, name: AiPackage, month: number): WorldFlaw | null => {
  const random = (label: string) => world.random("flaw", name, month, label)
  const pick = <One>(all: ReadonlyArray<One>, label: string): One => all[Math.floor(random(label) * all.length)] as One
  const publishedMs = month * MONTH_MS + Math.floor(random("published") * MONTH_MS)
  if (publishedMs > world.nowMs) return null
  const year = new Date(publishedMs).getUTCFullYear()
  const number = 100_000 + (month % 1_000) * 100 + aiPackages.indexOf(name)
  const withdrawnMs = publishedMs + 20 * DAY_MS
  // One in five is withdrawn; of Langflow, every other one is exploited and none withdrawn.
  const isWithdrawn = name !== "langflow" && random("withdrawn") < 0.2 && world.nowMs >= withdrawnMs
  const exploitedMs = publishedMs + 10 * DAY_MS
  const isExploited = (name === "langflow" ? month % 2 === 0 : random("exploited") < 0.03) && world.nowMs >= exploitedMs
  const revisedMs = publishedMs + 3 * DAY_MS
  return {
    package: name,
    cve: `CVE-${year}-${number}`,
    ghsa: ghsaOf(`${world.seed} ${name} ${month}`),
    second: random("second") < 0.7 ? `${name === "ollama" ? "GO" : "PYSEC"}-${year}-${number}` : null,
    kind: pick(kinds, "kind"),
    severity: pick(vectors, "severity"),
    publishedMs,
    modifiedMs: isWithdrawn ? withdrawnMs : world.nowMs >= revisedMs ? revisedMs : publishedMs,
    withdrawnMs: isWithdrawn ? withdrawnMs : null,
    exploitedMs: isExploited ? exploitedMs : null,
  }
}

/** The vulnerabilities of a package that are known by now, the oldest first, those included that are withdrawn. */
export const flawsOf = (world: World, name: AiPackage): ReadonlyArray<WorldFlaw> => {
  const latest = Math.floor(world.nowMs / MONTH_MS)
  return Array.from({ length: MONTHS }, (_, index) => flawOf(world, name, latest - MONTHS + 1 + index)).flatMap(
    (flaw) => flaw ?? [],
  )
}
