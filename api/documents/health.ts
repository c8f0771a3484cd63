import * as Result from "effect/Result"
import { healthEndpoint } from "../../schemas/endpoints/health.ts"
import { document } from "../routes/document.ts"

/** Version and uptime of this process. */
export default document({
  endpoint: healthEndpoint,
  make:
    ({ options }) =>
    () => {
      const nowMs = options.nowMs()
      const uptime = Math.max(0, Math.floor((nowMs - options.startedAtMs) / 1000))
      return Result.succeed({ status: "ok", version: options.version, uptime, ts: nowMs })
    },
})
