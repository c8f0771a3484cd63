import type { Json } from "../../schemas/json.ts"
import type { LocalReply } from "../route.ts"
import type { ToolResult } from "./tool.ts"

/** The largest free reply as a result, which holds it twice. Larger ones are read over HTTP. */
const FREE_REPLY_MAX_BYTES = 256 * 1024

/** The lowest status of a refusal. */
export const REFUSED = 400

/** A result of JSON that is made here. */
export const jsonResult = (body: Readonly<Record<string, Json>>, isError = false): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(body) }],
  structuredContent: body,
  ...(isError ? { isError: true } : {}),
})

/** A refusal that is made here, in the members of a problem. */
export const refusal = (error: string, message: string, more: Readonly<Record<string, Json>> = {}): ToolResult =>
  jsonResult({ error, message, ...more }, true)

/** A reply as a result: its bytes as they are, and the same as JSON. */
export const resultOf = ({ status, body }: LocalReply): ToolResult => {
  const text = body.toString("utf8")
  return {
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(text),
    ...(status >= REFUSED ? { isError: true } : {}),
  }
}

/** The result of a free reply; a refusal where it is too large for a result. `path` is where it can be read over HTTP. */
export const freeResultOf = (reply: LocalReply, path: string): ToolResult =>
  reply.body.length <= FREE_REPLY_MAX_BYTES
    ? resultOf(reply)
    : refusal("result_too_large", "The reply is too large for a tool: narrow it by its parameters, or GET it.", {
        path,
        bytes: reply.body.length,
      })
