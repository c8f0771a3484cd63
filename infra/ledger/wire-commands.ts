import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Command } from "../../ledger/command.ts"
import { NoChargeReason, Payment, QuoteClient, Sha256, Word } from "../../schemas/events/ledger.ts"
import { ReservationId, SisterEndpoint } from "../../schemas/sister-rail.ts"
import type { EdgeName } from "./edges.ts"
import { Idempotency, Name, Note, TokenCandidate } from "./wire-members.ts"

/** Commands of the API. An edge accepts only the commands of its list. */
const apiCommands = {
  issueQuote: Schema.TaggedStruct("issueQuote", {
    askedCents: Schema.Natural,
    memoHash: Word,
    tail: Schema.Natural,
    client: QuoteClient,
  }),
  revoke: Schema.TaggedStruct("revoke", { token: Sha256, confirmed: Schema.Boolean }),
  debit: Schema.TaggedStruct("debit", {
    token: Schema.NullOr(Sha256),
    credits: Schema.Natural,
    purpose: Name,
    debit: Name,
    mayEndFree: Schema.Boolean,
    idempotency: Schema.NullOr(Idempotency),
  }),
  settle: Schema.TaggedStruct("settle", { debit: Name, noChargeReason: Schema.NullOr(NoChargeReason) }),
  /** Releases a debit that was not settled, as its caller is gone. */
  refund: Schema.TaggedStruct("refund", { debit: Name, operator: Schema.Null }),
  reserve: Schema.TaggedStruct("reserve", {
    token: Schema.NullOr(Sha256),
    credits: Schema.Natural,
    endpoint: SisterEndpoint,
    reservation: ReservationId,
  }),
  endReservation: Schema.TaggedStruct("endReservation", { reservation: ReservationId, charged: Schema.Boolean }),
  readAccount: Schema.TaggedStruct("readAccount", { by: Schema.Struct({ token: Schema.NullOr(Sha256) }) }),
  readAttempt: Schema.TaggedStruct("readAttempt", { token: Schema.NullOr(Sha256), idempotency: Idempotency }),
}

/** Commands of operators. */
const operatorCommands = {
  refund: Schema.TaggedStruct("refund", { debit: Name, operator: Schema.Struct({ name: Name, note: Note }) }),
  grant: Schema.TaggedStruct("grant", {
    account: Name,
    credits: Schema.Natural,
    operator: Name,
    reason: Note,
    payment: Schema.NullOr(Payment),
    token: Schema.NullOr(TokenCandidate),
  }),
  acceptClock: Schema.TaggedStruct("acceptClock", { operator: Name, reason: Note }),
  reissue: Schema.TaggedStruct("reissue", {
    account: Name,
    operator: Name,
    reason: Note,
    token: Schema.NullOr(TokenCandidate),
  }),
  listAccounts: Schema.TaggedStruct("listAccounts", { after: Schema.Int }),
  readAccount: Schema.TaggedStruct("readAccount", { by: Schema.Struct({ account: Name }) }),
}

const schemaOf: Readonly<Record<EdgeName, Schema.Codec<Command, unknown>>> = {
  api: Schema.Union(Object.values(apiCommands)),
  operator: Schema.Union(Object.values(operatorCommands)),
}

const decoderOf = {
  api: Schema.decodeUnknownResult(schemaOf.api),
  operator: Schema.decodeUnknownResult(schemaOf.operator),
}

/** Tags of the commands that arrive from another process. */
export type SentTag = keyof typeof apiCommands | keyof typeof operatorCommands

/** Decodes a command; null unless this edge accepts it. */
export const readCommand = (value: unknown, edge: EdgeName): Command | null =>
  Result.getOrElse(decoderOf[edge](value), () => null)
