import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Json } from "../../schemas/json.ts"
import { UpstreamError } from "../document.ts"

/** Wire schema of a JSON-RPC 2.0 answer: errors have status 200 as well. */
export const answerOf = <Result>(result: Schema.Codec<Result, unknown>) =>
  Schema.Union([
    Schema.Struct({ jsonrpc: Schema.Literal("2.0"), result }),
    Schema.Struct({ jsonrpc: Schema.Literal("2.0"), error: Schema.Struct({ code: Schema.Int }) }),
  ])

export type Answer<Result> = { readonly result: Result } | { readonly error: { readonly code: number } }

/** The body of a call. */
export const rpcCall = (method: string, params: ReadonlyArray<Json> = []): Json => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: [...params],
})

/** The result of an answer; an error of the node is a failure. */
export const resultOf = <Result>(answer: Answer<Result>): Effect.Effect<Result, UpstreamError> =>
  "result" in answer
    ? Effect.succeed(answer.result)
    : Effect.fail(new UpstreamError({ message: `the node answers with error ${answer.error.code}` }))
