import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import huggingFace from "../../ingestors/sources/hugging-face.ts"
import modelsTable from "../../processors/tables/models/table.ts"
import modelHubTrendingView from "../../processors/views/model-hub-trending.ts"
import { type HubModel, modelHubTrending } from "../../schemas/feeds/model-hub-trending.ts"
import simulated, { HF_WORLD_TOKEN, trendingModels } from "../world/upstreams/hugging-face.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof huggingFace.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

const model = (members: object = {}) => ({ id: "heron-ai/Heron-27B", likes: 10, downloads: 20, ...members })
const itemsOf = (...models: Collected): ReadonlyArray<HubModel> =>
  normalised(huggingFace, models, { observedAtMs: NOW_MS }).payload.items
const rowsOf = (models: Collected) =>
  (
    shown(modelHubTrendingView, [reading(normalised(huggingFace, models).payload)], { nowMs: NOW_MS }) as {
      readonly models: ReadonlyArray<Record<string, unknown>>
    }
  ).models

const item = {
  id: "heron-ai/Heron-27B",
  likes: 10,
  downloads: 20,
  trendingScore: 5,
  pipeline: "text-generation",
  library: "transformers",
  licence: "mit",
  updatedAt: "2026-11-20T10:00:00.000Z",
}
const row = {
  id: "heron-ai/Heron-27B",
  likes: 10,
  downloads: 20,
  trending_score: 5,
  pipeline: "text-generation",
  library: "transformers",
  license: "mit",
  updated_at: "2026-11-20T10:00:00.000Z",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: modelHubTrending,
  glances: {
    model_hub_trending: ["heron-ai/Heron-27B", null, "text-generation, 1,233 likes in 7 days on Hugging Face"],
  },
  polls: [
    polled({
      source: huggingFace,
      world: simulated,
      freeText: false,
      breakRow: (models) => [...models, model({ id: "../../etc/passwd" })],
      refused: [["an empty list", [], /has no items/]],
    }),
  ],
  views: [modelHubTrendingView],
  table: modelsTable,
  rows: [
    { kind: "changed", item, makes: row },
    {
      kind: "gone",
      item: { ...item, trendingScore: null, pipeline: null, library: null, licence: null, updatedAt: null },
      makes: {
        ...row,
        trending_score: null,
        pipeline: "",
        library: "",
        license: "",
        updated_at: null,
        listed: false,
      },
    },
  ],
})

describe.skipIf(capturesAbsent)("captured models", () => {
  const captured = (file: string) => rowsOf(collectedCapture(huggingFace, "trending", file))

  it("of the plain list: three, by their score, without a time of change", () => {
    const rows = captured("models-trending-2026-04.json")
    expect(rows[0]).toEqual({
      id: "deepseek-ai/DeepSeek-V4-Pro",
      author: "deepseek-ai",
      name: "DeepSeek-V4-Pro",
      likes: 2656,
      downloads: 78864,
      pipeline: "text-generation",
      url: "https://huggingface.co/deepseek-ai/DeepSeek-V4-Pro",
      updated: null,
      trending_score: 2552,
      library: "transformers",
      license: "mit",
    })
    expect(rows.map(({ name, trending_score, license }) => [name, trending_score, license])).toEqual([
      ["DeepSeek-V4-Pro", 2552, "mit"],
      ["Kimi-K2.6", 978, "other"],
      ["Qwen3.6-27B", 779, "apache-2.0"],
    ])
  })
  it("with authors: six that were picked in another order, one without a task and two without a library", () => {
    const rows = captured("models-expand-author-trending-6-models-2026-08-01.json")
    expect(
      rows.map(({ author, likes, trending_score, pipeline, library }) => [
        author,
        likes,
        trending_score,
        pipeline,
        library,
      ]),
    ).toEqual([
      ["moonshotai", 9415, 8385, "image-text-to-text", "transformers"],
      ["deepseek-ai", 1311, 1233, "text-generation", "transformers"],
      ["DavidAU", 1205, 581, "image-text-to-text", null],
      ["baidu", 3695, 513, "image-text-to-text", "transformers"],
      ["unsloth", 252, 248, null, null],
      ["black-forest-labs", 13881, 41, "text-to-image", "diffusers"],
    ])
    expect(rows[2]).toMatchObject({
      name: "Qwen3.6-27B-Fable-Fusion-711-Uncensored-Heretic-NM-DAU-NEO-MAX-MTP-GGUF",
      downloads: 1173001,
      license: "apache-2.0",
    })
  })
  it("with times of change: seven, without task, library and licence, which were not requested", () => {
    const rows = captured("models-expand-last-modified-trending-gguf-7-of-10-2026-08-07.json")
    expect(rows.map(({ name, likes, downloads, updated }) => [name, likes, downloads, updated])).toEqual([
      ["LFM2.5-2.6B-GGUF", 142, 31489, "2026-08-06T17:10:07.000Z"],
      ["DeepSeek-V4-Pro-Qwen3.5-9B-MTP-GGUF", 42, 43993, "2026-08-07T00:19:13.000Z"],
      ["Supra2-100M-Instruct", 32, 928, "2026-08-05T10:34:14.000Z"],
      ["TIPOv2-1B-A200M", 27, 1659, "2026-08-04T21:03:51.000Z"],
      ["Ornith-1.0-9B-GGUF", 615, 4567553, "2026-06-25T14:12:12.000Z"],
      ["Dolphin3-Cyber-8B-GGUF", 144, 56275, "2026-06-08T20:16:05.000Z"],
      ["LFM2.5-8B-A1B-GGUF", 269, 51994, "2026-05-29T16:25:34.000Z"],
    ])
    for (const { pipeline, library, license } of rows) expect([pipeline, library, license]).toEqual([null, null, null])
  })
})

describe("models", () => {
  it("stand by their score, at most 15; those without one come last, in the order of the hub", () => {
    const scored = Array.from({ length: 14 }, (_, index) => model({ id: `a/m${index}`, trendingScore: index }))
    const items = itemsOf(model({ id: "x/first" }), model({ id: "x/second" }), ...scored)
    expect(items.map(({ id }) => id)).toEqual([...scored.map(({ id }) => id).reverse(), "x/first"])
  })
  it("without an author have a name alone, and a name may hold no second slash", () => {
    expect(rowsOf([model({ id: "gpt2" })])[0]).toMatchObject({
      author: null,
      name: "gpt2",
      url: "https://huggingface.co/gpt2",
    })
    const { unreadable } = readBy(huggingFace, [model(), model({ id: "b/c" }), model({ id: "a/b/c" })])
    expect(unreadable).toHaveLength(1)
  })
  it.each([
    ["no likes", { likes: null }],
    ["more likes than there are people", { likes: 2 ** 33 }],
    ["fewer than no downloads", { downloads: -1 }],
    ["an id that leads elsewhere", { id: "..\\x" }],
    ["an id that is an address", { id: "//evil.example/x" }],
    ["an id that begins with a dot", { id: "a/.." }],
    ["a change in the future", { lastModified: "2026-11-22T00:00:00.000Z" }],
  ])("with %s are left out, and counted", (_, members) => {
    const broken = model({ id: "b/broken", ...members })
    const { outcome, unreadable } = readBy(huggingFace, [model(), model({ id: "b/c" }), broken], {
      observedAtMs: NOW_MS,
    })
    expect(outcome).toMatchObject({ payload: { items: [{ id: "heron-ai/Heron-27B" }, { id: "b/c" }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("are null in what is unknown or unreadable", () => {
    for (const members of [
      {},
      { pipeline_tag: null, library_name: "", tags: ["mit", "license:"], lastModified: "yesterday", trendingScore: -5 },
    ])
      expect(itemsOf(model(members))[0]).toEqual({
        id: "heron-ai/Heron-27B",
        likes: 10,
        downloads: 20,
        trendingScore: null,
        pipeline: null,
        library: null,
        licence: null,
        updatedAt: null,
      })
  })
  it("that only the owner of the token may see are left out, and not counted as unreadable", () => {
    const { outcome, unreadable } = readBy(huggingFace, [model(), model({ id: "own/secret", private: true })])
    expect(outcome).toMatchObject({ payload: { items: [{ id: "heron-ai/Heron-27B" }] } })
    expect(unreadable).toEqual([])
  })
  it("have changed with likes, downloads or score", () => {
    expect(modelHubTrending.isRevised(item, { ...item, updatedAt: null })).toBe(false)
    for (const members of [{ likes: 11 }, { downloads: 21 }, { trendingScore: 6 }])
      expect(modelHubTrending.isRevised(item, { ...item, ...members })).toBe(true)
  })
  it("are requested with the members that are read, and with the token in a header", async () => {
    const url = new URL(huggingFace.documents.trending?.url(null) ?? "")
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ sort: "trendingScore", direction: "-1", limit: "20" })
    expect(url.searchParams.getAll("expand[]").sort()).toEqual([
      "downloads",
      "lastModified",
      "library_name",
      "likes",
      "pipeline_tag",
      "private",
      "tags",
      "trendingScore",
    ])
    const upstream = upstreamOf(simulated, worldAt("test", NOW_MS))
    const poll = (key: string | null) =>
      Effect.runPromiseExit(huggingFace.collect(upstream, { parameters: {}, key, observedAtMs: NOW_MS }))
    expect(await poll(HF_WORLD_TOKEN)).toEqual(await poll(null))
    expect(Exit.findErrorOption(await poll("wrong"))).toMatchObject({ value: { status: 401 } })
  })
  it("of the world are those shown, one at least without a task", async () => {
    for (let day = 0; day < 14; day++) {
      const atMs = NOW_MS + day * DAY_MS
      const { payload } = await observed(huggingFace, simulated, atMs)
      const world = trendingModels(worldAt("test", atMs)).slice(0, 15)
      expect(payload.items.map(({ id, likes, updatedAt }) => [id, likes, updatedAt])).toEqual(
        world.map(({ id, likes, lastModified }) => [id, likes, lastModified]),
      )
      expect(
        payload.items.some(({ pipeline }) => pipeline === null),
        String(day),
      ).toBe(true)
    }
  })
})
