import * as Schema from "effect/Schema"
import type { Dispatcher } from "undici"
import { makeSignedClient } from "../../infra/signing/signed-request.ts"
import {
  CommitReply,
  SISTER_EDGE,
  SISTER_PATHS,
  type SisterOperation,
  ValidateReply,
} from "../../schemas/sister-rail.ts"

/** An answer of the rail: what was carried out, or the refusal as it came. */
export type RailAnswer<A> =
  | { readonly accepted: A }
  | { readonly status: number; readonly refusal: Readonly<Record<string, unknown>> }

/** Reserves and commits at the rail of Tidewire, as a sister service does. */
export interface RailClient {
  readonly validate: (asked: {
    readonly token: string | null
    readonly cost: number
    readonly endpoint: string
    readonly reservation_id: string
  }) => Promise<RailAnswer<ValidateReply>>
  readonly commit: (ended: {
    readonly reservation_id: string
    readonly no_charge: boolean
  }) => Promise<RailAnswer<CommitReply>>
}

const REPLY_MAX_BYTES = 16 * 1024
const TIMEOUT_MS = 15_000

/** Makes a client of the rail at an address. Rejects where no reply came: then the same request may be sent again. */
export const makeRailClient = (options: {
  readonly url: string
  readonly secret: string
  readonly dispatcher: Dispatcher
}): RailClient => {
  const client = makeSignedClient({ edge: SISTER_EDGE, secret: options.secret, dispatcher: options.dispatcher })
  const post = async <A>(
    operation: SisterOperation,
    body: object,
    read: (value: unknown) => A,
  ): Promise<RailAnswer<A>> => {
    const { status, text } = await client.post({
      url: options.url,
      path: SISTER_PATHS[operation],
      body: JSON.stringify(body),
      replyBytesMax: REPLY_MAX_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const value: unknown = JSON.parse(text)
    return status === 200 ? { accepted: read(value) } : { status, refusal: value as Readonly<Record<string, unknown>> }
  }
  return {
    validate: (asked) => post("validate", asked, Schema.decodeUnknownSync(ValidateReply)),
    commit: (ended) => post("commit", ended, Schema.decodeUnknownSync(CommitReply)),
  }
}
