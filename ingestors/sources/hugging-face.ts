import * as Schema from "effect/Schema"
import { MODEL_WORD_MAX_CHARACTERS, MODELS_MAX, modelHubTrending } from "../../schemas/feeds/model-hub-trending.ts"
import { document } from "../document.ts"
import { notOurs } from "../poll/read.ts"
import { huggingFaceAccess } from "../providers/hugging-face.ts"
import { instantOrNull } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanTextOrNull } from "../readers/text.ts"
import { isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://huggingface.co/docs/hub/api What is unknown of a model is absent. Its licence is a tag. */
const Model = Schema.Struct({
  id: Schema.String,
  likes: Schema.Int,
  downloads: Schema.Int,
  trendingScore: maybe(Schema.Finite),
  pipeline_tag: maybe(Schema.String),
  library_name: maybe(Schema.String),
  lastModified: maybe(Schema.String),
  tags: maybe(Schema.Array(Schema.String)),
  private: maybe(Schema.Boolean),
})

/** With `expand[]` the hub sends these members and the id alone; without it there is no `lastModified`. */
const MEMBERS = [
  "likes",
  "downloads",
  "trendingScore",
  "pipeline_tag",
  "library_name",
  "lastModified",
  "tags",
  "private",
] as const
/** Some rows may be left out. */
const ROWS = MODELS_MAX + 5

const trending = document({
  format: "json",
  wire: Schema.Array(Schema.Unknown),
  url: `https://huggingface.co/api/models?sort=trendingScore&direction=-1&limit=${ROWS}${MEMBERS.map((member) => `&expand[]=${member}`).join("")}`,
  headers: (key: string | null): Readonly<Record<string, string>> =>
    key === null ? {} : { authorization: `Bearer ${key}` },
})

const LICENCE = "license:"

const word = (text: string | null | undefined): string | null => cleanTextOrNull(text, MODEL_WORD_MAX_CHARACTERS)

export default listSource({
  name: "hugging-face",
  provider: "HuggingFace.models",
  fills: modelHubTrending,
  every: "10 minutes",
  access: huggingFaceAccess,
  documents: { trending },
  collect: (upstream, { key }) => upstream.fetch(trending, key),
  rows: (models) => models,
  row: Model,
  toItem: (model) => {
    // With a token the hub also lists what only its owner may see.
    if (model.private === true) return notOurs
    return {
      id: model.id,
      likes: model.likes,
      downloads: model.downloads,
      trendingScore: within(model.trendingScore, 0, 1e9),
      pipeline: word(model.pipeline_tag),
      library: word(model.library_name),
      licence: word(model.tags?.find((tag) => tag.startsWith(LICENCE))?.slice(LICENCE.length)),
      updatedAt: instantOrNull(isoMs(model.lastModified)),
    }
  },
  // The list has no time of its own.
  contentAtMs: () => null,
  attribution: {
    provider: "Hugging Face Hub",
    licence: "Hugging Face terms of service; each model has a licence of its own",
    url: "https://huggingface.co/docs/hub/api",
  },
  terms: termsOf({ use: "provider", url: "https://huggingface.co/terms-of-service" }),
})
