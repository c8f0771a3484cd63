import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { request } from "undici"
import type { PartStatus } from "./status.ts"

const POLL_EVERY = "2 seconds"
const ANSWER_MS_MAX = 2_000
const REPLY_CHARACTERS_MAX = 64 * 1024

const Reply = Schema.fromJsonString(
  Schema.Struct({
    parts: Schema.Array(Schema.Struct({ role: Schema.String, part: Schema.String, state: Schema.String })),
  }),
)
const decodeReply = Schema.decodeUnknownResult(Reply)

const holdsLedger = (url: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async () => {
    const { body } = await request(new URL("/readyz", url), { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    const text = await body.text()
    const reply = text.length > REPLY_CHARACTERS_MAX ? null : decodeReply(text)
    return (
      reply !== null &&
      Result.isSuccess(reply) &&
      reply.success.parts.some(({ role, part, state }) => role === "ledger" && part === "writer" && state === "active")
    )
  }).pipe(Effect.orElseSucceed(() => false))

/**
 * Polls the readiness of the ledger processes and reports as the state of the part whether one of them holds the ledger and
 * can write, so that readiness shows refused premium calls before the first caller is refused.
 */
export const watchLedgers = (urls: ReadonlyArray<string>, part: PartStatus): Effect.Effect<never> =>
  Effect.forEach(urls, holdsLedger, { concurrency: "unbounded" }).pipe(
    Effect.map((held) =>
      part.set(
        held.includes(true)
          ? { state: "active" }
          : { state: "waiting", reason: "a ledger process of LEDGER_URLS that is active" },
      ),
    ),
    Effect.andThen(Effect.sleep(POLL_EVERY)),
    Effect.forever,
  )
