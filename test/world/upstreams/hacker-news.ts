import { simulatedUpstream } from "../upstream.ts"
import type { Happening, World } from "../world.ts"

const HOUR_MS = 3_600_000
const PER_HOUR = 6
const FRONT_PAGE_HOURS = 24
const EPOCH_MS = Date.UTC(2020, 0, 1)
/** Ids count up with time, ten a second, so that an item is found by its id. */
const ID_STEP_MS = 100

const idOf = (atMs: number): number => Math.floor((atMs - EPOCH_MS) / ID_STEP_MS)

const subjects = ["A database", "A compiler", "An operating system", "A debugger", "A spreadsheet", "A radio"] as const
const manners = [
  "in 500 lines",
  "without a server",
  "for the deaf & hard of hearing",
  "on one core",
  "from 1974",
] as const
const asks = ["How do you keep notes?", "What are you reading?", "Is anyone still on a landline?"] as const
const authors = ["tidal", "adabr", "northrelay", "quietwire", "bela_k", "mmap", "oxide7", "fjordling"] as const

/** An item of the world's story site. */
export interface WorldStory {
  readonly id: number
  readonly kind: "story" | "job" | "poll"
  readonly state: "shown" | "dead" | "deleted" | "missing"
  readonly title: string
  /** Null for a text post. */
  readonly url: string | null
  readonly author: string
  readonly score: number
  readonly comments: number
  readonly atMs: number
}

const scoreOf = ({ random }: Happening, ageHours: number): number =>
  1 + Math.floor(10 ** (0.5 + random("fame") * 2.4) * (1 - Math.exp(-ageHours / 5)))

const storyOf = (world: World, happening: Happening): WorldStory => {
  const { id, atMs, random } = happening
  const pick = (words: ReadonlyArray<string>, label: string) => words[Math.floor(random(label) * words.length)] ?? ""
  const kind = random("kind")
  const state = random("state")
  const ageHours = Math.max(0, world.nowMs - atMs) / HOUR_MS
  const score = scoreOf(happening, ageHours)
  const job = kind < 0.04
  const ask = kind >= 0.04 && kind < 0.12
  const title = `${pick(subjects, "subject")} ${pick(manners, "manner")}`
  return {
    id: idOf(atMs),
    kind: job ? "job" : kind > 0.99 ? "poll" : "story",
    state: state < 0.01 ? "missing" : state < 0.02 ? "deleted" : state < 0.04 ? "dead" : "shown",
    title: job
      ? "Northern Relay (YC S24) is hiring engineers"
      : ask
        ? `Ask HN: ${pick(asks, "ask")}`
        : kind < 0.2
          ? `Show HN: ${title}`
          : title,
    url: ask ? null : `https://${pick(authors, "site")}.example.com/${id}/`,
    author: pick(authors, "author"),
    score,
    comments: Math.floor(score * (0.1 + random("talk"))),
    atMs,
  }
}

/** What has happened in the last day, best first: votes weighed against age. */
const ranked = (world: World): ReadonlyArray<Happening> => {
  const weighed = world
    .happenings("story", PER_HOUR, world.nowMs - FRONT_PAGE_HOURS * HOUR_MS, world.nowMs)
    .map((happening) => {
      const ageHours = Math.max(0, world.nowMs - happening.atMs) / HOUR_MS
      return { happening, weight: scoreOf(happening, ageHours) / (ageHours + 2) ** 1.8 }
    })
  return weighed.sort((a, b) => b.weight - a.weight).map(({ happening }) => happening)
}

const FRONT_PAGE_LENGTH = 60

/** The front page of the world and the page behind it, best first. Everything that has an id there is in it. */
export const frontPage = (world: World): ReadonlyArray<WorldStory> =>
  ranked(world)
    .slice(0, FRONT_PAGE_LENGTH)
    .map((happening) => storyOf(world, happening))

const kids = ({ id, comments }: WorldStory) =>
  Array.from({ length: Math.min(comments, 20) }, (_, index) => id + index + 1)

const item = (one: WorldStory): object | null => {
  const { id, atMs } = one
  const time = Math.floor(atMs / 1000)
  if (one.state === "missing") return null
  if (one.state === "deleted") return { deleted: true, id, time, type: one.kind }
  if (one.state === "dead") return { by: one.author, dead: true, id, score: 1, time, type: one.kind }
  return {
    by: one.author,
    ...(one.kind === "job" ? {} : { descendants: one.comments }),
    id,
    ...(one.kind === "job" || one.comments === 0 ? {} : { kids: kids(one) }),
    score: one.kind === "job" ? 1 : one.score,
    ...(one.url === null ? { text: "I have always wondered.<p>It&#x27;s hard to say." } : {}),
    time,
    title: one.title,
    type: one.kind,
    ...(one.url === null ? {} : { url: one.url }),
  }
}

const hit = (one: WorldStory) => {
  const highlight = (value: string) => ({ matchLevel: "none", matchedWords: [], value })
  return {
    _highlightResult: { author: highlight(one.author), title: highlight(one.title) },
    _tags: [one.kind, `author_${one.author}`, `story_${one.id}`, "front_page"],
    author: one.author,
    children: kids(one),
    created_at: new Date(one.atMs).toISOString().replace(/\.\d+Z$/, "Z"),
    created_at_i: Math.floor(one.atMs / 1000),
    num_comments: one.comments,
    objectID: String(one.id),
    points: one.score,
    story_id: one.id,
    ...(one.url === null ? { story_text: "It&#x27;s hard to say." } : { url: one.url }),
    title: one.title,
    updated_at: new Date(one.atMs + HOUR_MS).toISOString().replace(/\.\d+Z$/, "Z"),
  }
}

const JSON_TYPE = "application/json; charset=utf-8"

export default simulatedUpstream({
  name: "hacker-news",
  hosts: ["hacker-news.firebaseio.com", "hn.algolia.com"],
  standIns: ["hn.algolia.com"],
  answer: ({ host, path, query }, world) => {
    if (host === "hn.algolia.com") {
      if (!/^\/api\/v1\/search(_by_date)?$/.test(path)) return null
      const hitsPerPage = Number(query.get("hitsPerPage") ?? 20)
      const found = frontPage(world)
        .filter(({ kind, state }) => kind !== "job" && state === "shown")
        .slice(0, 30)
      return {
        body: {
          exhaustive: { nbHits: true, typo: true },
          // Not in the order of the front page.
          hits: found
            .toSorted((a, b) => b.id - a.id)
            .slice(0, hitsPerPage)
            .map(hit),
          hitsPerPage,
          nbHits: found.length,
          nbPages: Math.ceil(found.length / hitsPerPage),
          page: 0,
          params: query.toString(),
          processingTimeMS: 2,
          query: "",
        },
      }
    }
    if (path === "/v0/topstories.json") {
      return { contentType: JSON_TYPE, body: JSON.stringify(ranked(world).map(({ atMs }) => idOf(atMs))) }
    }
    const id = Number(/^\/v0\/item\/(\d{1,12})\.json$/.exec(path)?.[1] ?? Number.NaN)
    if (!Number.isFinite(id)) return { status: 401, body: { error: "Permission denied" } }
    const fromMs = EPOCH_MS + id * ID_STEP_MS
    const found = world.happenings("story", PER_HOUR, fromMs, fromMs + ID_STEP_MS)[0]
    // An unknown item is the JSON value null, with status 200.
    const body = found === undefined || found.atMs > world.nowMs ? null : item(storyOf(world, found))
    return body === null ? { contentType: JSON_TYPE, body: "null" } : { contentType: JSON_TYPE, body }
  },
})
