import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type pino from "pino"
import { request } from "undici"
import { v7 } from "uuid"
import { makeRail } from "../../api/internal/rail.ts"
import { openReplies } from "../../api/premium/replies.ts"
import type { Billing } from "../../api/routes/route.ts"
import { openBuying } from "../../ledger/buying/buying.ts"
import { type LedgerClient, openReceipts, type Payments } from "../../ledger/client.ts"
import { publicJwkOf } from "../../ledger/receipts/keys.ts"
import { buyingTermsOf } from "../../schemas/contract/refusal.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { Settings } from "../config/settings.ts"
import type { PartStatus } from "../parts/part.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { EdgeLimits } from "../signing/signed-route.ts"
import { buildRail } from "../sister/server.ts"
import { baseUrlOf } from "./api.ts"
import { type ListenFailed, listen, railPort } from "./ports.ts"

/**
 * This service in the text that payers sign: its public host, else the thumbprint of the key that signs receipts, which all
 * processes of an installation share and no other has. The address it listens on would fit every installation.
 */
const serviceOf = async ({ publicUrl }: Settings, { receiptKeys }: Secrets): Promise<string> =>
  publicUrl === null
    ? `the service with receipt key ${(await publicJwkOf(receiptKeys.signing)).kid}`
    : new URL(publicUrl).host

/** Opens the paid parts of an API process. Does not wait for other processes, not even for the ledger. */
export const openBilling = (options: {
  readonly settings: Settings
  readonly log: EventLog
  readonly ledger: LedgerClient
  /** Null if the service sells nothing. */
  readonly payments: Payments | null
  readonly secrets: Secrets
  /** Null without one. */
  readonly history: History | null
}): Effect.Effect<Billing, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, log, ledger, payments, secrets, history } = options
    const issuer = baseUrlOf(settings)
    return {
      ledger,
      buying: openBuying({
        ledger,
        payments,
        tokenKeys: secrets.tokenKeys,
        service: yield* Effect.promise(() => serviceOf(settings, secrets)),
        random: randomBytes,
        newId: v7,
        clientKey: secrets.clientKey,
      }),
      receipts: yield* Effect.promise(() => openReceipts(secrets.receiptKeys, { issuer })),
      replies: yield* openReplies({ log }),
      history,
    }
  })

const POLL_EVERY = "2 seconds"
const ANSWER_MAX_MS = 2_000
const REPLY_MAX_CHARACTERS = 64 * 1024

const Reply = Schema.fromJsonString(
  Schema.Struct({
    parts: Schema.Array(Schema.Struct({ role: Schema.String, part: Schema.String, state: Schema.String })),
  }),
)
const decodeReply = Schema.decodeUnknownResult(Reply)

const holdsLedger = (url: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async () => {
    const { body } = await request(new URL("/readyz", url), { signal: AbortSignal.timeout(ANSWER_MAX_MS) })
    const text = await body.text()
    const reply = text.length > REPLY_MAX_CHARACTERS ? null : decodeReply(text)
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

/** Listens to the sister service for the scope; succeeds with the address, as the member of a report. Does nothing without `INTERNAL_PORT`. */
export const startRail = (
  settings: Settings,
  billing: Pick<Billing, "ledger">,
  logger: pino.Logger,
  limits: EdgeLimits = {},
): Effect.Effect<{ readonly sister?: string }, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const wanted = railPort(settings)
    if (wanted === null) return {}
    // The prices of this service's own endpoints say nothing about those of the sister.
    const terms = buyingTermsOf([], baseUrlOf(settings))
    const app = buildRail({
      rail: makeRail({ ledger: billing.ledger, terms }),
      secrets: settings.sisterSecret ?? [],
      limits,
      onFault: (error) =>
        logger.error(
          { cause: error instanceof Error ? (error.stack ?? error.message) : String(error) },
          "a request of the sister service failed",
        ),
    })
    return { sister: yield* listen(app, wanted) }
  })
