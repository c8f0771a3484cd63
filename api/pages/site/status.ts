import { STATUS_PATH, statusEndpoint } from "../../../schemas/endpoints/status.ts"
import { recentReliability } from "../../status/reliability.ts"
import { statusOf } from "../../status/status.ts"
import { sitePage } from "../site-page.ts"
import { feedNames } from "../status/names.ts"
import { measuredPieces, statusMarkdown } from "../status/pieces.ts"
import { statusHtml } from "../status/status-html.ts"

/**
 * How reliable every upstream is. A day is one of five words: its numbers are sold by `/api/pro/feed-reliability/history`.
 */
export default sitePage({
  path: STATUS_PATH,
  name: "page_status",
  navigation: { label: "Status", rank: 3 },
  json: statusEndpoint.path,
  make: ({ options }) => {
    const reliability = recentReliability(options)
    const measured = measuredPieces(options.endpoints)
    let named: ReturnType<typeof feedNames> | null = null
    return async () => {
      const status = statusOf(options, await reliability.awaited())
      const nowMs = options.nowMs()
      named ??= feedNames(options)
      const nameOf = named
      return {
        title: "Status",
        description:
          status.history === "kept"
            ? "Which feeds are well now, how reliable each was over 90 days, and when each was not."
            : "Which feeds are well now, and how reliable each was over 7 days.",
        html: () => statusHtml(status, nowMs, measured, nameOf),
        markdown: () => statusMarkdown(status, nowMs, measured, nameOf),
        modules: ["status.js", "age.js"],
        width: "wide" as const,
      }
    }
  },
})
