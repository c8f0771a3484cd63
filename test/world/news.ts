import type { World } from "./world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A headline of the world. */
export interface WorldHeadline {
  readonly title: string
  readonly slug: string
  readonly atMs: number
  /** The part of its feed that it stands in. */
  readonly category: string
}

const coins = ["Bitcoin", "Ether", "Solana's SOL", "XRP", "Dogecoin", "Cardano"] as const
const companies = ["Coinbase", "MicroStrategy", "Robinhood", "Riot Platforms", "Nvidia", "Tesla", "JPMorgan"] as const
const moves = [
  "surges as traders return",
  "slumps as ETF outflows mount",
  "holds steady before the Fed's decision",
  "tumbles after exchange halts withdrawals",
  "rallies to a record high",
  "does not recover after liquidations",
] as const
const doings = [
  "beats estimates & raises guidance",
  "misses estimates; shares fall",
  "denies report of a data breach",
  "names a new head of research",
  "is sued over alleged fraud",
] as const

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")

/** What the world's crypto outlet has published, newest first: some three an hour, the last 25. */
export const cryptoHeadlines = (world: World): ReadonlyArray<WorldHeadline> =>
  world
    .happenings("crypto headline", 3, world.nowMs - 12 * HOUR_MS, world.nowMs)
    .map(({ id, atMs, random }) => {
      const pick = (words: ReadonlyArray<string>, label: string) =>
        words[Math.floor(random(label) * words.length)] ?? ""
      const isCoin = random("kind") < 0.6
      const title = isCoin
        ? `${pick(coins, "coin")} ${pick(moves, "move")}`
        : `${pick(companies, "company")} ${pick(doings, "doing")}`
      return { title, slug: `${slugOf(title)}-${id}`, atMs, category: isCoin ? "Markets" : "Business" }
    })
    .toReversed()
    .slice(0, 25)

const releases = {
  sec: [
    "SEC Charges Operator of Crypto Trading Platform with Fraud",
    "SEC Approves Rules for Token Custody",
    "SEC Announces New Members of Advisory Committee",
    "SEC Publishes Draft Strategic Plan for Public Comment",
  ],
  fed: [
    "Federal Reserve issues FOMC statement",
    "Federal Reserve Board issues enforcement action with former employee of Meridian Bank",
    "Agencies finalize changes to enhance community bank leverage ratio",
    "Federal Reserve Board announces approval of application by Halyard Bancorp, Inc.",
  ],
} as const

/** What a press office of the world has published, newest first: one release a day, the last `max`. */
export const pressReleases = (
  world: World,
  office: keyof typeof releases,
  max: number,
): ReadonlyArray<WorldHeadline> => {
  const today = Math.floor(world.nowMs / DAY_MS)
  return Array.from({ length: max + 1 }, (_, ago) => today - ago)
    .map((day) => {
      const titles = releases[office]
      const title = titles[Math.floor(world.random("release", office, day) * titles.length)] ?? titles[0]
      const atMs = day * DAY_MS + (14 + Math.floor(world.random("release hour", office, day) * 6)) * HOUR_MS
      return { title, slug: `${new Date(atMs).toISOString().slice(0, 10)}-${slugOf(title)}`, atMs, category: "Orders" }
    })
    .filter(({ atMs }) => atMs <= world.nowMs)
    .slice(0, max)
}

/** A text as XML writes it. */
export const xmlText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
