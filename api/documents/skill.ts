import * as Result from "effect/Result"
import { skillEndpoint } from "../../schemas/endpoints/skill.ts"
import { skillText } from "../pages/skill.ts"
import { document } from "../routes/document.ts"

/** The service as a skill for agents. */
export default document({
  endpoint: skillEndpoint,
  make:
    ({ options, limits }) =>
    ({ address }) =>
      Result.succeed(skillText(options.endpoints, { address, limits })),
})
