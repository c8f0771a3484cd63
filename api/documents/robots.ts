import * as Result from "effect/Result"
import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { llmsEndpoint } from "../../schemas/endpoints/llms.ts"
import { robotsEndpoint } from "../../schemas/endpoints/robots.ts"
import { document } from "../routes/document.ts"

/** Everything may be read but what a crawler would only be refused, premium data and commands, and what has no end. */
export default document({
  endpoint: robotsEndpoint,
  make:
    ({ options }) =>
    () => {
      const closed = options.endpoints.filter(
        (endpoint) =>
          isPremium(endpoint) ||
          endpoint.kind === "command" ||
          (endpoint.kind === "changes" && endpoint.form === "stream"),
      )
      return Result.succeed(
        [
          `# For language models: ${options.baseUrl ?? ""}${llmsEndpoint.path}`,
          "User-agent: *",
          ...closed.map(({ path }) => `Disallow: ${path}`),
          "Allow: /",
          "",
        ].join("\n"),
      )
    },
})
