import * as Result from "effect/Result"
import { llmsEndpoint, llmsFullEndpoint } from "../../schemas/endpoints/llms.ts"
import { type LlmsFacts, llmsFullPieces, llmsPieces, TITLE } from "../pages/llms.ts"
import { markdownOf } from "../pages/page.ts"
import { document } from "../routes/document.ts"
import type { ApiTools } from "../routes/route.ts"

const factsOf = ({ options, limits }: ApiTools): LlmsFacts => ({
  ...options,
  limits,
  keepsHistory: options.keepsHistory ?? true,
  isSelling: (options.billing?.buying.facts ?? null) !== null,
})

/** The service in one text for language models. */
export const short = document({
  endpoint: llmsEndpoint,
  make: (tools) => () => Result.succeed(markdownOf(TITLE, llmsPieces(factsOf(tools)))),
})

/** The same with every field; made at its first request, as few callers read it and its schemas take time. */
export const full = document({
  endpoint: llmsFullEndpoint,
  atStart: false,
  make: (tools) => () => Result.succeed(markdownOf(TITLE, llmsFullPieces(factsOf(tools)))),
})
