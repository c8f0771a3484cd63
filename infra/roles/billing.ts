import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { v7 } from "uuid"
import type { Billing } from "../../api/billing.ts"
import { openReplies } from "../../api/premium/replies.ts"
import { openBuying } from "../../ledger/buying/buying.ts"
import { type LedgerClient, openReceipts, type Payments } from "../../ledger/client.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import type { Secrets } from "../secrets/secrets.ts"
import { baseUrlOf } from "./api.ts"

/** The public host of this service, part of the text that payers sign. */
const hostOf = ({ publicUrl, host, port }: Settings): string =>
  publicUrl === null ? `${host}:${port}` : new URL(publicUrl).host

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
        host: hostOf(settings),
        random: randomBytes,
        newId: v7,
        clientKey: secrets.clientKey,
      }),
      receipts: yield* Effect.promise(() => openReceipts(secrets.receiptKeys, { issuer })),
      replies: yield* openReplies({ log }),
      history: clickhouse === null ? null : yield* openClickHouse(clickhouse),
    }
  })
