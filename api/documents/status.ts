import * as Result from "effect/Result"
import { statusEndpoint } from "../../schemas/endpoints/status.ts"
import { document } from "../routes/document.ts"
import { recentReliability } from "../status/reliability.ts"
import { statusOf } from "../status/status.ts"

/** What the status page shows, for programs and for the page while it stands open. */
export default document({
  endpoint: statusEndpoint,
  changes: true,
  atStart: false,
  make: ({ options }) => {
    const reliability = recentReliability(options)
    return () => Result.succeed(statusOf(options, reliability.current()))
  },
})
