import { createHash } from "node:crypto"
import { simulatedUpstream, WORLD_KEY } from "../upstream.ts"
import type { World } from "../world.ts"
import { abuseChTime } from "./urlhaus.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SHARED_EACH_HOUR = 15

const families = [
  ["win.remcos", "Remcos", "RemcosRAT,Remvio,Socmer"],
  ["win.cobalt_strike", "Cobalt Strike", "Agentemis,BEACON"],
  ["elf.mozi", "Mozi", null],
  ["unknown", "Unknown malware", null],
] as const

const hash = (text: string, algorithm: "md5" | "sha1" | "sha256"): string =>
  createHash(algorithm).update(text).digest("hex")

const kinds = [
  ["domain", "botnet_cc", (id: string) => `control-${id}.malware.example`],
  ["ip:port", "botnet_cc", (id: string) => `203.0.113.${Number.parseInt(id.slice(0, 2), 16)}:8443`],
  ["ip:port", "botnet_cc", (id: string) => `[2001:db8::${id.slice(0, 4)}]:443`],
  ["url", "payload_delivery", (id: string) => `https://host-${id}.malware.example/payload.js`],
  ["md5_hash", "payload", (id: string) => hash(id, "md5")],
  ["sha1_hash", "payload", (id: string) => hash(id, "sha1")],
  ["sha256_hash", "payload", (id: string) => hash(id, "sha256")],
  ["envelope_from", "payload_delivery", (id: string) => `${id}@mail.malware.example`],
] as const

/** An indicator of the world. */
export interface WorldIndicator {
  readonly id: string
  readonly kind: (typeof kinds)[number]
  readonly ioc: string
  readonly family: (typeof families)[number]
  readonly atMs: number
  readonly lastSeenMs: number | null
  readonly confidence: number
}

/** The indicators that were shared within some time before now, the oldest first. */
export const indicatorsOf = (world: World, withinMs: number): ReadonlyArray<WorldIndicator> =>
  world.happenings("indicator", SHARED_EACH_HOUR, world.nowMs - withinMs, world.nowMs).map(({ id, atMs, random }) => {
    const kind = kinds[Math.floor(random("kind") * kinds.length)] ?? kinds[0]
    const seenAgainMs = atMs + 2 * HOUR_MS
    return {
      id: String(Number.parseInt(id, 16)),
      kind,
      ioc: kind[2](id),
      family: families[Math.floor(random("family") * families.length)] ?? families[0],
      atMs,
      lastSeenMs: random("again") < 0.4 && world.nowMs >= seenAgainMs ? seenAgainMs : null,
      confidence: [50, 75, 100][Math.floor(random("confidence") * 3)] ?? 50,
    }
  })

const wire = ({ id, kind, ioc, family, atMs, lastSeenMs, confidence }: WorldIndicator) => ({
  id,
  ioc,
  threat_type: kind[1],
  threat_type_desc: "What the indicator identifies",
  ioc_type: kind[0],
  ioc_type_desc: "What the indicator is",
  malware: family[0],
  malware_printable: family[1],
  malware_alias: family[2],
  malware_malpedia: `https://malpedia.caad.fkie.fraunhofer.de/details/${family[0]}`,
  confidence_level: confidence,
  is_compromised: false,
  first_seen: abuseChTime(atMs),
  last_seen: lastSeenMs === null ? null : abuseChTime(lastSeenMs),
  // Reporters name any page, here the threat itself.
  reference: kind[0] === "url" ? ioc : "",
  reporter: "a reporter",
  tags: family[0] === "unknown" ? null : [family[1]],
})

const DAYS_MAX = 7

export default simulatedUpstream({
  name: "threatfox",
  hosts: ["threatfox-api.abuse.ch"],
  answer: ({ path, headers, body }, world) => {
    if (path !== "/api/v1/") return null
    if (headers?.["auth-key"] === undefined) return { status: 401, body: { error: "Unauthorized" } }
    if (headers["auth-key"] !== WORLD_KEY) return { status: 403, body: { query_status: "unknown_auth_key" } }
    if (body === null || body === undefined) return { body: { query_status: "http_post_expected" } }
    const { query, days } = JSON.parse(body) as { readonly query?: unknown; readonly days?: unknown }
    if (query !== "get_iocs") return { body: { query_status: "unknown_query", data: "This query is not known" } }
    if (typeof days !== "number" || days < 1 || days > DAYS_MAX)
      return { body: { query_status: "illegal_days", data: "At most seven days" } }
    const indicators = indicatorsOf(world, days * DAY_MS)
    return indicators.length === 0
      ? { body: { query_status: "no_result", data: "Your search did not yield any results" } }
      : { body: { query_status: "ok", data: indicators.map(wire) } }
  },
})
