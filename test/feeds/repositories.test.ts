import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import githubSearch from "../../ingestors/sources/github-search.ts"
import repositoriesTable from "../../processors/tables/repositories/table.ts"
import codeHostTrending from "../../processors/views/code-host-trending.ts"
import type { RepositoryRow } from "../../schemas/endpoints/code-host-trending.ts"
import { repositories } from "../../schemas/feeds/repositories.ts"
import simulated from "../world/upstreams/github-search.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"

type Collected = Parameters<typeof githubSearch.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const TRENDING = { set: "trending" }
const LLM = { set: "llm" }

const repository = (members: object = {}) => ({
  full_name: "petrel-labs/heron",
  owner: { login: "petrel-labs", type: "Organization" },
  stargazers_count: 100,
  forks_count: 5,
  created_at: "2026-11-18T12:00:00Z",
  pushed_at: "2026-11-20T12:00:00Z",
  updated_at: "2026-11-20T12:00:00Z",
  ...members,
})
const found = (...items: ReadonlyArray<object>): Collected => ({ incomplete_results: false, items })
const context = { parameters: TRENDING, observedAtMs: NOW_MS }
const itemsOf = (...items: ReadonlyArray<object>) => normalised(githubSearch, found(...items), context).payload.items
const rowsOf = (collected: Collected, observedAtMs = NOW_MS): ReadonlyArray<RepositoryRow> => {
  const { payload } = normalised(githubSearch, collected, { parameters: TRENDING, observedAtMs })
  const data = shown(codeHostTrending, [reading(payload, TRENDING)], { nowMs: observedAtMs })
  return (data as { readonly repositories: ReadonlyArray<RepositoryRow> }).repositories
}

const item = {
  fullName: "petrel-labs/heron",
  ownerType: "Organization",
  description: null,
  language: null,
  topics: ["cli"],
  licence: null,
  stars: 100,
  forks: 5,
  openIssues: null,
  createdAt: "2026-11-18T12:00:00.000Z",
  pushedAt: "2026-11-20T12:00:00.000Z",
}
const row = {
  full_name: "petrel-labs/heron",
  set_name: "trending",
  owner_type: "Organization",
  description: "",
  language: "",
  topics: ["cli"],
  license: "",
  stars: 100,
  forks: 5,
  open_issues: null,
  created_at: "2026-11-18T12:00:00.000Z",
  pushed_at: "2026-11-20T12:00:00.000Z",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: repositories,
  polls: [
    polled({
      source: githubSearch,
      world: simulated,
      freeText: true,
      breakRow: (answer) => ({ ...answer, items: [...answer.items, repository({ full_name: "../.." })] }),
      refused: [
        ["an answer that found nothing", found(), /no items/],
        ["an answer without times", found(repository({ updated_at: null, pushed_at: null })), /cannot be read/],
        [
          "the most starred of all time",
          found(
            repository({ created_at: "2014-12-24T17:49:19Z" }),
            repository({ full_name: "a/b", created_at: "2015-01-01T00:00:00Z" }),
          ),
          /2 of 2 rows cannot be read/,
        ],
      ],
    }),
  ],
  views: [codeHostTrending],
  table: repositoriesTable,
  rows: [
    { kind: "appeared", item, parameters: TRENDING, makes: row },
    {
      kind: "gone",
      item: { ...item, description: "D", language: "Rust", licence: "MIT", openIssues: 3 },
      parameters: LLM,
      makes: {
        ...row,
        set_name: "llm",
        description: "D",
        language: "Rust",
        license: "MIT",
        open_issues: 3,
        listed: false,
      },
    },
  ],
})

describe.skipIf(capturesAbsent)("captured repositories", () => {
  const captured = (file: string) => collectedCapture(githubSearch, "search", file)
  /** A recorded row as one of the requested window: all of its members but the time of its creation. */
  const lately = (file: string, fullName: string, created_at: string) => {
    const rows = captured(file).items as ReadonlyArray<{ readonly full_name: string }>
    return { ...rows.find(({ full_name }) => full_name === fullName), created_at }
  }

  it("of May 2021, created in the week before: both, all of their members", () => {
    expect(rowsOf(captured("search-created-sort-stars-2021-05.json"))).toEqual([
      {
        name: "GoodManWEN.github.io",
        full_name: "GoodManWEN/GoodManWEN.github.io",
        description: "A website simulating linux system's GUI, using theme of Deepin distro.",
        language: "Vue",
        stars: 440,
        // Created on 25 April at 19:03:27; the newest time of the answer is 1 May, 21:00:14: 6.081 days.
        stars_per_day: 72.4,
        forks: 27,
        open_issues: 1,
        topics: [],
        license: "AGPL-3.0",
        owner: "GoodManWEN",
        owner_type: "User",
        created_at: "2021-04-25T19:03:27.000Z",
        pushed_at: "2021-05-01T12:55:29.000Z",
        url: "https://github.com/GoodManWEN/GoodManWEN.github.io",
      },
      {
        name: "jd_docker",
        full_name: "wisz2021/jd_docker",
        description: "\u4EC5\u7528\u67E5\u770B\u6587\u6863",
        language: "Shell",
        stars: 412,
        // 2.801 days.
        stars_per_day: 147.1,
        forks: 163,
        open_issues: 33,
        topics: [],
        license: null,
        owner: "wisz2021",
        owner_type: "User",
        created_at: "2021-04-29T01:46:40.000Z",
        pushed_at: "2021-05-01T06:18:20.000Z",
        url: "https://github.com/wisz2021/jd_docker",
      },
    ])
  })
  it("of another query are refused: they are older than what was asked for", () => {
    const { outcome, unreadable } = readBy(githubSearch, captured("search-repositories-2019-10.json"), {
      parameters: TRENDING,
    })
    expect(unreadable).toHaveLength(30)
    expect(new Set(unreadable.map(({ problem }) => problem))).toEqual(
      new Set(["it is not of the set that was asked for"]),
    )
    expect(outcome).toMatchObject({ _tag: "Undecodable" })
  })
  it("of an organisation in December 2021: of thirty the 23 of the last days, seven are older", () => {
    const answer = captured("search-org-repositories-2021-12.json")
    expect(readBy(githubSearch, answer, { parameters: TRENDING }).unreadable).toHaveLength(7)
    const { payload, contentAtMs } = normalised(githubSearch, answer, { parameters: TRENDING })
    expect(payload.items).toHaveLength(23)
    expect(contentAtMs).toBe(Date.parse("2021-12-07T07:24:02Z"))
    expect(payload.items.map(({ fullName }) => fullName)).not.toContain("hub4j-test-org/test-issue-events")
  })
  it("of 2019, which have no topics yet: an empty homepage, a licence and none, Assembly", () => {
    const file = "search-repositories-2019-10.json"
    const rows = rowsOf(
      found(
        lately(file, "daniel-e/tetros", "2019-09-30T17:05:27Z"),
        lately(file, "havivha/Nand2Tetris", "2019-10-01T17:05:27Z"),
      ),
    )
    expect(rows.map((one) => [one.full_name, one.language, one.stars, one.forks, one.license, one.topics])).toEqual([
      ["daniel-e/tetros", "Assembly", 678, 37, "MIT", []],
      ["havivha/Nand2Tetris", "Assembly", 176, 107, null, []],
    ])
    // Ages of 7 and 6 days, by the newest time of both.
    expect(rows.map(({ stars_per_day }) => stars_per_day)).toEqual([96.9, 29.3])
  })
  it("of 2021 with empty topics: no description, no language, no stars", () => {
    const file = "search-org-repositories-2021-12.json"
    const name = "hub4j-test-org/github-api-test"
    expect(rowsOf(found(lately(file, name, "2021-12-04T12:30:56Z")))).toMatchObject([
      {
        name: "github-api-test",
        description: "A test repository for testing the github-api project: github-api-test",
        language: null,
        stars: 0,
        stars_per_day: 0,
        open_issues: 1,
        topics: [],
        owner: "hub4j-test-org",
        owner_type: "Organization",
        pushed_at: "2021-12-04T12:30:57.000Z",
      },
    ])
  })
  it("of 2023 by its name: the topics of a repository, at most ten of them shown", () => {
    const jenkins = decodedCapture<object>(githubSearch, "repository", "repo-object-with-topics-2023-11.json")
    const [shownRow] = rowsOf(
      found({ ...jenkins, created_at: "2023-11-01T00:00:00Z", pushed_at: "2023-11-02T00:00:00Z" }),
    )
    expect(shownRow).toMatchObject({ full_name: "jenkinsci/jenkins", license: "MIT", owner: "jenkinsci" })
    expect(shownRow?.topics).toEqual([
      "cicd",
      "continuous-delivery",
      "continuous-deployment",
      "continuous-integration",
      "devops",
      "groovy",
      "hacktoberfest",
      "java",
      "jenkins",
      "pipelines-as-code",
    ])
  })
})

describe("repositories", () => {
  it("stand by their stars, at most thirty of them, of which 25 are shown", () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      repository({ full_name: `a/r${index}`, stargazers_count: (index * 7) % 40 }),
    )
    const items = itemsOf(...many)
    expect(items.map(({ stars }) => stars)).toEqual(Array.from({ length: 30 }, (_, index) => 39 - index))
    expect(rowsOf(found(...many))).toHaveLength(25)
  })
  it.each([
    ["an empty licence", { license: { spdx_id: "" } }],
    ["a licence that is not recognised", { license: { key: "other", spdx_id: "NOASSERTION" } }],
    ["a licence without an SPDX id", { license: { key: "other", spdx_id: null } }],
    ["empty texts", { description: " ", language: "" }],
    ["a count below zero", { open_issues_count: -1 }],
    ["all of it null", { license: null, description: null, language: null, topics: null, open_issues_count: null }],
  ])("with %s have null there", (_, members) => {
    expect(itemsOf(repository(members))[0]).toMatchObject({
      licence: null,
      description: null,
      language: null,
      topics: [],
      openIssues: null,
    })
  })
  it("have topics and descriptions of bounded length, cleaned", () => {
    const [one] = itemsOf(
      repository({
        description: `\u202Eevil\u200B ${"x".repeat(400)}`,
        topics: [" ", "cli\u0000", ...Array.from({ length: 30 }, (_, index) => `t${index}`)],
      }),
    )
    expect(one?.description).toBe(`evil ${"x".repeat(275)}`)
    expect(one?.topics).toHaveLength(20)
    expect(one?.topics[0]).toBe("cli")
  })
  it.each([
    ["a name that leads elsewhere", { full_name: "a/../b" }],
    ["a name of two dots", { full_name: "a/.." }],
    ["half a star", { stargazers_count: 1.5 }],
    ["no time of its last push", { pushed_at: null }],
    ["a push in the future", { pushed_at: "2026-11-22T00:00:00Z" }],
    ["a creation in the future", { created_at: "2026-11-22T00:00:00Z" }],
    ["a creation ten days ago", { created_at: "2026-11-10T00:00:00Z" }],
    ["an owner of no type", { owner: { type: "" } }],
  ])("with %s are left out, and counted", (_, members) => {
    const broken = repository({ full_name: "b/broken", ...members })
    const { outcome, unreadable } = readBy(
      githubSearch,
      found(repository(), repository({ full_name: "b/c" }), broken),
      {
        parameters: TRENDING,
        observedAtMs: NOW_MS,
      },
    )
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({ payload: { items: [{ fullName: "b/c" }, { fullName: "petrel-labs/heron" }] } })
  })
  it("that begin with a dot are as good as any", () => {
    expect(rowsOf(found(repository({ full_name: "petrel-labs/.github" })))[0]).toMatchObject({
      name: ".github",
      url: "https://github.com/petrel-labs/.github",
    })
  })
  it("count their age up to the newest time of the answer, at least a day", () => {
    const young = repository({ created_at: "2026-11-20T11:00:00Z" })
    const old = repository({
      full_name: "a/old",
      created_at: "2026-11-16T12:00:00Z",
      updated_at: "2026-11-20T00:00:00Z",
    })
    expect(rowsOf(found(young, old)).map(({ stars_per_day }) => stars_per_day)).toEqual([25, 100])
    // A time ahead of now is none.
    const ahead = repository({ full_name: "a/ahead", updated_at: "2027-01-01T00:00:00Z" })
    const { payload, contentAtMs } = normalised(githubSearch, found(young, old, ahead), context)
    expect(payload.facts.asOf).toBe("2026-11-20T12:00:00.000Z")
    expect(contentAtMs).toBe(Date.parse("2026-11-20T12:00:00Z"))
  })
  it("that only the owner of the token may see are left out, and not counted as unreadable", () => {
    const { outcome, unreadable } = readBy(
      githubSearch,
      found(repository(), repository({ full_name: "own/secret", private: true })),
      context,
    )
    expect(outcome).toMatchObject({ payload: { items: [{ fullName: "petrel-labs/heron" }] } })
    expect(unreadable).toEqual([])
  })
  it("of the second set bear its topic and were pushed to within its window", () => {
    const about = { topics: ["llm"], created_at: "2020-01-01T00:00:00Z" }
    const answer = found(
      repository(about),
      repository({ ...about, full_name: "a/b" }),
      repository({ ...about, full_name: "a/left", pushed_at: "2026-09-01T00:00:00Z" }),
    )
    const { outcome, unreadable } = readBy(githubSearch, answer, { parameters: LLM, observedAtMs: NOW_MS })
    expect(outcome).toMatchObject({ payload: { items: [{ fullName: "a/b" }, { fullName: "petrel-labs/heron" }] } })
    expect(unreadable).toHaveLength(1)
    const others = found(repository({ ...about, topics: ["cli"] }))
    expect(refusedBy(githubSearch, others, { parameters: LLM, observedAtMs: NOW_MS })).toBeDefined()
  })
  it("that were found before the search ran out of time are taken", () => {
    const partial = { ...found(repository()), incomplete_results: true }
    expect(rowsOf(partial)).toHaveLength(1)
    expect(refusedBy(githubSearch, { ...partial, items: [] }, context)).toBeInstanceOf(UpstreamError)
  })
  it("have changed with stars, forks or a push", () => {
    expect(repositories.isRevised(item, { ...item, description: "new", openIssues: 9 })).toBe(false)
    for (const members of [{ stars: 101 }, { forks: 6 }, { pushedAt: "2026-11-20T12:01:00.000Z" }])
      expect(repositories.isRevised(item, { ...item, ...members })).toBe(true)
  })
})
