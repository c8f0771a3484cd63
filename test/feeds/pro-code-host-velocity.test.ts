import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import githubSearch from "../../ingestors/sources/github-search.ts"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import velocity from "../../processors/views/pro-code-host-velocity.ts"
import {
  AI_ML_REPOSITORIES_SHOWN_MAX,
  ProCodeHostVelocity,
  proCodeHostVelocityEndpoint,
} from "../../schemas/endpoints/pro-code-host-velocity.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { Repository } from "../../schemas/feeds/repositories.ts"
import { nullPaths } from "../../schemas/null-notes.ts"
import { nullsWithoutNote } from "../support/notes.ts"
import simulated from "../world/upstreams/github-search.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { normalised } from "./support/read.ts"
import { inputsOf, reading } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Payload = { readonly items: ReadonlyArray<Repository>; readonly facts: { readonly asOf: string } }
type Collected = Parameters<typeof githubSearch.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const TRENDING = { set: "trending" }
const LLM = { set: "llm" }

/** The reply of these sets, checked against its schema; each null member has a note. */
const replied = (sets: { readonly trending?: Payload; readonly llm?: Payload }): ProCodeHostVelocity => {
  const readings = new Map(
    Object.entries(sets).map(([set, payload]) => [instanceKey("repositories", { set }), reading(payload, { set })]),
  )
  const inputs = inputsOf(velocity, {}, (feed, instance) => readings.get(instanceKey(feed, instance)))
  const { data } = velocity.build(inputs, { parameters: {}, nowMs: NOW_MS })
  const reply = Schema.decodeUnknownSync(ProCodeHostVelocity, { onExcessProperty: "error" })(data)
  expect(nullsWithoutNote(reply)).toEqual([])
  return reply
}

const repository = (members: Partial<Repository>): Repository => ({
  fullName: "petrel-labs/heron",
  ownerType: "Organization",
  description: null,
  language: null,
  topics: [],
  licence: null,
  stars: 100,
  forks: 5,
  openIssues: null,
  createdAt: "2026-11-18T12:00:00.000Z",
  pushedAt: "2026-11-20T12:00:00.000Z",
  ...members,
})
const payload = (...items: ReadonlyArray<Partial<Repository>>): Payload => ({
  items: items.map(repository),
  facts: { asOf: "2026-11-20T12:00:00.000Z" },
})

describe.skipIf(capturesAbsent)("the velocity of captured repositories", () => {
  const found = (...items: ReadonlyArray<object>): Collected => ({ incomplete_results: false, items })
  const captured = (file: string) => collectedCapture(githubSearch, "search", file)
  const payloadOf = (collected: Collected, parameters = TRENDING) =>
    normalised(githubSearch, collected, { parameters }).payload

  it("of May 2021: two young ones, none of them about AI, by hand", () => {
    const reply = replied({ trending: payloadOf(captured("search-created-sort-stars-2021-05.json")) })
    // The newest time of the answer is 1 May, 21:00:14.
    expect(reply.trending_repos?.map((row) => [row.full_name, row.age_days, row.stars_per_day, row.is_ai_ml])).toEqual([
      ["GoodManWEN/GoodManWEN.github.io", 6.1, 72.4, false],
      ["wisz2021/jd_docker", 2.8, 147.1, false],
    ])
    expect(reply.by_language).toEqual([
      { language: "Vue", count: 1, total_stars: 440 },
      { language: "Shell", count: 1, total_stars: 412 },
    ])
    expect(reply.by_topic).toEqual([])
    expect(reply.aggregate).toEqual({
      trending_count: 2,
      total_stars: 852,
      ai_ml_in_trending_count: 0,
      ai_ml_share_pct: 0,
      ai_ml_active_30d_count: null,
      languages: 2,
    })
    expect(reply.ai_ml_repos_active_30d).toBeNull()
    expect(reply.sample_size).toEqual({ trending: 2 })
    expect(reply.notes).toMatchObject({
      ai_ml_repos_active_30d: "No search has succeeded yet.",
      "aggregate.ai_ml_active_30d_count": "No search has succeeded yet.",
      "trending_repos[].license": "There is no licence, or none that GitHub recognises.",
    })
  })

  it("of an organisation in December 2021: 23 without stars, language or topic", () => {
    const reply = replied({ trending: payloadOf(captured("search-org-repositories-2021-12.json")) })
    expect(reply.by_language).toEqual([{ language: "none", count: 23, total_stars: 0 }])
    expect(reply.by_topic).toEqual([])
    expect(reply.aggregate).toMatchObject({
      trending_count: 23,
      total_stars: 0,
      ai_ml_in_trending_count: 0,
      ai_ml_share_pct: 0,
      languages: 0,
    })
    // Created on 7 December at 07:23:59, three seconds before the newest time; another on 4 December at 12:30:56.
    const ages = new Map(reply.trending_repos?.map(({ name, age_days }) => [name, age_days]))
    expect(ages.get("temp-testMappingReaderWriter")).toBe(0)
    expect(ages.get("github-api-test")).toBe(2.8)
  })

  it("of 2019, as if they were young: thirty in one language, without topics", () => {
    const { items } = captured("search-repositories-2019-10.json") as { readonly items: ReadonlyArray<object> }
    const young = items.map((one) => ({ ...one, created_at: "2019-10-01T17:05:27Z" }))
    const reply = replied({ trending: payloadOf(found(...young)) })
    // 678 + 176 + 99 + 59 + 56 + 51 + 41 + 31 + 30 + 27 + 26 + 21 + 18 + 17 + 15 + 15 + 14 + 12 + 11 + 10 + 10 + 9 + 8 + 8
    // + 7 + 7 + 7 + 6 + 5 + 5
    expect(reply.by_language).toEqual([{ language: "Assembly", count: 30, total_stars: 1479 }])
    // "So Can You!", "language processing", "bare metal": no term of the list in whole words.
    expect(reply.aggregate).toMatchObject({ trending_count: 30, ai_ml_in_trending_count: 0, languages: 1 })
  })

  it("of 2023, as if it were young and under the topic: its ten topics count, in both sets", () => {
    const jenkins = decodedCapture<object>(githubSearch, "repository", "repo-object-with-topics-2023-11.json")
    const young = { ...jenkins, created_at: "2023-11-01T00:00:00Z", pushed_at: "2023-11-02T00:00:00Z" }
    const { topics } = jenkins as { readonly topics: ReadonlyArray<string> }
    const reply = replied({
      trending: payloadOf(found(young)),
      llm: payloadOf(found({ ...young, topics: ["llm", ...topics] }), LLM),
    })
    expect(reply.by_topic).toEqual(topics.map((topic) => ({ topic, count: 1 })))
    expect(reply.trending_repos?.[0]).toMatchObject({ full_name: "jenkinsci/jenkins", is_ai_ml: false })
    expect(reply.ai_ml_repos_active_30d?.[0]).toMatchObject({ full_name: "jenkinsci/jenkins", is_ai_ml: true })
    expect(reply.aggregate).toMatchObject({ total_stars: 21_648, ai_ml_active_30d_count: 1, languages: 1 })
  })
})

describe("the velocity of repositories", () => {
  it("has languages, topics and shares of all trending ones, and rows that say what they are about", () => {
    const reply = replied({
      trending: payload(
        { fullName: "a/llm-cli", language: "Rust", stars: 300, topics: ["llm", "cli"] },
        { fullName: "a/mail", language: "Go", stars: 200, topics: ["cli", "email"], description: "Sends email" },
        { fullName: "a/tide", language: "Go", stars: 50, topics: [], createdAt: "2026-11-16T12:00:00.000Z" },
      ),
      llm: payload({ fullName: "b/old", stars: 9000, topics: ["llm"], createdAt: "2024-11-20T12:00:00.000Z" }),
    })
    expect(reply.trending_repos).toMatchObject([
      { full_name: "a/llm-cli", is_ai_ml: true, age_days: 2, stars_per_day: 150 },
      { full_name: "a/mail", is_ai_ml: false, age_days: 2, stars_per_day: 100 },
      { full_name: "a/tide", is_ai_ml: false, age_days: 4, stars_per_day: 12.5 },
    ])
    expect(reply.by_language).toEqual([
      { language: "Go", count: 2, total_stars: 250 },
      { language: "Rust", count: 1, total_stars: 300 },
    ])
    expect(reply.by_topic).toEqual([
      { topic: "cli", count: 2 },
      { topic: "email", count: 1 },
      { topic: "llm", count: 1 },
    ])
    expect(reply.aggregate).toEqual({
      trending_count: 3,
      total_stars: 550,
      ai_ml_in_trending_count: 1,
      ai_ml_share_pct: 33.3,
      ai_ml_active_30d_count: 1,
      languages: 2,
    })
    // 20 November 2024 to 2026.
    expect(reply.ai_ml_repos_active_30d).toMatchObject([{ full_name: "b/old", age_days: 730 }])
    expect(reply.sample_size).toEqual({ trending: 3, ai_ml_active_30d: 1 })
  })

  it("counts the topics that a row leaves out, as the host sorts them by name", () => {
    const topics = [...Array.from({ length: 12 }, (_, at) => `a${at}`), "rag"]
    const reply = replied({ trending: payload({ topics }) })
    expect(reply.trending_repos?.[0]?.topics).not.toContain("rag")
    expect(reply.trending_repos?.[0]?.is_ai_ml).toBe(true)
    expect(reply.by_topic).toContainEqual({ topic: "rag", count: 1 })
  })

  it("shows at most fifteen active ones, and twenty topics", () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ fullName: `a/r${at}`, topics: [`t${at}`], stars: 99 - at }))
    const reply = replied({ trending: payload(...many), llm: payload(...many) })
    expect(reply.ai_ml_repos_active_30d?.map(({ stars }) => stars)).toEqual(
      Array.from({ length: AI_ML_REPOSITORIES_SHOWN_MAX }, (_, at) => 99 - at),
    )
    expect(reply.trending_repos).toHaveLength(30)
    expect(reply.by_topic).toHaveLength(20)
    expect(reply.aggregate.ai_ml_active_30d_count).toBe(15)
    expect(reply.sample_size).toEqual({ trending: 30, ai_ml_active_30d: 30 })
  })

  it("is null, never zero, in what was never read, with a note", () => {
    const reply = replied({ llm: payload({}) })
    expect(reply).toMatchObject({ trending_repos: null, by_language: null, by_topic: null })
    expect(reply.aggregate).toEqual({
      trending_count: null,
      total_stars: null,
      ai_ml_in_trending_count: null,
      ai_ml_share_pct: null,
      ai_ml_active_30d_count: 1,
      languages: null,
    })
    const { cold } = proCodeHostVelocityEndpoint
    expect(nullsWithoutNote(Object(cold))).toEqual([])
    const none = () => undefined
    const empty = { feed: none, payload: none, declared: none, remembered: none }
    expect(buildData(viewInstance(velocity, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
  })

  it("of the world has no null but what a repository does not state", async () => {
    const [trending, llm] = await Promise.all(
      [TRENDING, LLM].map(async (set) => (await observed(githubSearch, simulated, NOW_MS, set)).payload),
    )
    const reply = replied({ trending: trending as Payload, llm: llm as Payload })
    expect([...nullPaths(reply)].filter((path) => !path.includes("[]."))).toEqual([])
    expect(reply.trending_repos).toHaveLength(30)
    expect(reply.ai_ml_repos_active_30d?.every(({ is_ai_ml }) => is_ai_ml)).toBe(true)
  })
})
