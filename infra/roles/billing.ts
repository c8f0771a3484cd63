import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { v7 } from "uuid"
import { openReplies } from "../../api/premium/replies.ts"
import type { Billing } from "../../api/routes/route.ts"
import { openBuying } from "../../ledger/buying/buying.ts"
import { type LedgerClient, openReceipts, type Payments } from "../../ledger/client.ts"
import { publicJwkOf } from "../../ledger/receipts/keys.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import type { Secrets } from "../secrets/secrets.ts"
import { baseUrlOf } from "./api.ts"

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
  /** Null without a history. */
  readonly clickhouse: ClickHouseOptions | null
}): Effect.Effect<Billing, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, log, ledger, payments, secrets, clickhouse } = options
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
      history: clickhouse === null ? null : yield* openClickHouse(clickhouse),
    }
  })
