import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A model is published so often; it is trending for some weeks. */
const PUBLISHED_EACH_MS = 9 * HOUR_MS
const MODELS = 60

/** The only token that the world knows. */
export const HF_WORLD_TOKEN = "hf_world"

const authors = ["heron-ai", "petrel-labs", "Albatros", "tern-research", "kestrel"]
const families = ["Heron", "Petrel", "Tern", "Gull", "Skua"]
const pipelines = ["text-generation", "image-text-to-text", "text-to-image", "automatic-speech-recognition"]
const licences = ["apache-2.0", "mit", "other", "openrail"]

const modelOf = (world: World, number: number) => {
  const random = (label: string) => world.random("model", number, label)
  const pick = <One>(all: ReadonlyArray<One>, label: string): One => all[Math.floor(random(label) * all.length)] as One
  const bornMs = number * PUBLISHED_EACH_MS + Math.floor(random("born") * HOUR_MS)
  const ageMs = Math.max(0, world.nowMs - bornMs)
  // Likes come fast at first.
  const likesAt = (ms: number) => Math.floor((200 + random("fame") * 9_000) * (1 - Math.exp(-ms / (6 * DAY_MS))))
  const name = `${pick(families, "family")}-${1 + Math.floor(random("size") * 70)}B-${number % 1_000}`
  const tagged = random("pipeline") < 0.85
  return {
    _id: Math.floor(random("id") * 2 ** 48)
      .toString(16)
      .padStart(24, "6"),
    // A name without an author is rare, and old.
    id: number % 29 === 0 ? name.toLowerCase() : `${pick(authors, "author")}/${name}`,
    likes: likesAt(ageMs),
    trendingScore: likesAt(ageMs) - likesAt(Math.max(0, ageMs - 7 * DAY_MS)),
    private: false,
    downloads: Math.floor(likesAt(ageMs) * (10 + random("downloads") * 300)),
    tags: [
      "safetensors",
      "fine tune",
      ...(random("licensed") < 0.9 ? [`license:${pick(licences, "licence")}`] : []),
      "region:us",
    ],
    ...(tagged ? { pipeline_tag: pick(pipelines, "task"), library_name: "transformers" } : {}),
    createdAt: new Date(bornMs).toISOString(),
    lastModified: new Date(bornMs + Math.floor(ageMs * random("modified"))).toISOString(),
  }
}

/** The models of the world, the most liked of the last week first. */
export const trendingModels = (world: World) => {
  const newest = Math.floor((world.nowMs - HOUR_MS) / PUBLISHED_EACH_MS)
  return Array.from({ length: MODELS }, (_, index) => modelOf(world, newest - index)).sort(
    (one, other) => other.trendingScore - one.trendingScore || (one.id < other.id ? -1 : 1),
  )
}

export default simulatedUpstream({
  name: "hugging-face",
  keys: { HF_TOKEN: HF_WORLD_TOKEN },
  hosts: ["huggingface.co"],
  answer: ({ path, query, headers }, world) => {
    if (path !== "/api/models" || query.get("sort") !== "trendingScore") return null
    const token = headers?.authorization ?? null
    if (token !== null && token !== `Bearer ${HF_WORLD_TOKEN}`)
      return { status: 401, body: { error: "Invalid credentials in Authorization header" } }
    const members = new Set(["_id", "id", ...query.getAll("expand[]")])
    const isPlain = members.size === 2
    return {
      body: trendingModels(world)
        .slice(0, Number(query.get("limit") ?? 30))
        .map((model) =>
          isPlain
            ? { ...model, modelId: model.id, lastModified: undefined }
            : Object.fromEntries(Object.entries(model).filter(([member]) => members.has(member))),
        ),
    }
  },
})
