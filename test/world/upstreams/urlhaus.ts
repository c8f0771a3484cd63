import { simulatedUpstream, WORLD_KEY } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REPORTED_EACH_HOUR = 20
/** The service lists at most the last three days. */
const LISTED_MS = 3 * DAY_MS
const LISTED_MAX = 1_000

const tagsOfKind = [null, ["32-bit", "elf", "mips", "Mozi"], ["SocGholish"], ["dropped-by.loader.example"], []] as const
const files = ["mozi.m", "bin.sh", "i", "update%20now.exe", "get?file=a&amp;n=1"] as const

/** A malware address of the world. */
export interface WorldMalwareUrl {
  readonly id: string
  readonly url: string
  readonly host: string
  readonly atMs: number
  readonly isOnline: boolean
  readonly tags: ReadonlyArray<string> | null
}

/** The addresses that are listed now, the newest first. */
export const malwareUrlsOf = (world: World): ReadonlyArray<WorldMalwareUrl> =>
  world
    .happenings("malware url", REPORTED_EACH_HOUR, world.nowMs - LISTED_MS, world.nowMs)
    .toReversed()
    .slice(0, LISTED_MAX)
    .map(({ id, atMs, random }) => {
      const pick = <One>(all: ReadonlyArray<One>, label: string): One =>
        all[Math.floor(random(label) * all.length)] as One
      const host = `host-${id}.malware.example`
      const port = random("port") < 0.5 ? `:${1_024 + Math.floor(random("which port") * 60_000)}` : ""
      return {
        id: String(Number.parseInt(id, 16)),
        url: `http${random("tls") < 0.3 ? "s" : ""}://${host}${port}/${pick(files, "file")}`,
        host,
        atMs,
        isOnline: world.nowMs < atMs + random("online") * 2 * DAY_MS,
        tags: pick(tagsOfKind, "tags"),
      }
    })

/** An instant as abuse.ch writes it. */
export const abuseChTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`

export default simulatedUpstream({
  name: "urlhaus",
  hosts: ["urlhaus-api.abuse.ch"],
  answer: ({ path, headers }, world) => {
    const [, limit = String(LISTED_MAX)] = /^\/v1\/urls\/recent\/(?:limit\/(\d+)\/)?$/.exec(path) ?? []
    if (!path.startsWith("/v1/urls/recent/")) return null
    if (headers?.["auth-key"] === undefined) return { status: 401, body: { error: "Unauthorized" } }
    if (headers["auth-key"] !== WORLD_KEY) return { status: 403, body: { query_status: "unknown_auth_key" } }
    return {
      body: {
        query_status: "ok",
        urls: malwareUrlsOf(world)
          .slice(0, Number(limit))
          .map(({ id, url, host, atMs, isOnline, tags }) => ({
            id,
            urlhaus_reference: `https://urlhaus.abuse.ch/url/${id}/`,
            url,
            url_status: isOnline ? "online" : "offline",
            host,
            date_added: abuseChTime(atMs),
            threat: "malware_download",
            blacklists: { spamhaus_dbl: "not listed", surbl: "not listed" },
            reporter: "a reporter",
            larted: "true",
            tags,
          })),
      },
    }
  },
})
