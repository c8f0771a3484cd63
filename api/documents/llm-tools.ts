import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SERVICE_SOURCE } from "../../schemas/contract/reply.ts"
import { llmToolsEndpoint } from "../../schemas/endpoints/llm-tools.ts"
import { instant } from "../../schemas/event.ts"
import { formatTool, toolFormats, toolsOf } from "../../schemas/printers/tools.ts"
import { document } from "../routes/document.ts"

const readFormat = Schema.decodeUnknownSync(Schema.Literals(toolFormats))

/** The tools of this installation's contract. */
export default document({
  endpoint: llmToolsEndpoint,
  make:
    ({ options }) =>
    ({ parameters }) => {
      const format = readFormat(parameters.format)
      const tools = toolsOf(options.endpoints)
      return Result.succeed({
        source: SERVICE_SOURCE,
        generated_at: instant(options.nowMs()),
        format,
        tools: tools.map((tool) => formatTool(tool, format)),
        calls: Object.fromEntries(
          tools.map(({ name, method, path, tier, credits, bearer }) => [name, { method, path, tier, credits, bearer }]),
        ),
      })
    },
})
