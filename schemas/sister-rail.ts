import * as Schema from "effect/Schema"
import { Instant } from "./event.ts"

// The rail of the sister service: requests between two services, on a port of its own. It is no part of the public
// contract: callers of either service never meet it.

/** The name of the rail in signatures. */
export const SISTER_EDGE = "sister"

/** Credits that one reservation may take at most. */
export const SISTER_CREDITS_MAX = 100

/**
 * Reservations of an account that may end uncharged in a UTC day, released or never committed, beyond as many as were charged
 * after them. Each of them appends two permanent entries to the ledger.
 */
export const SISTER_FREE_ENDS_PER_DAY = 100

/** An endpoint of the sister service. */
export const SisterEndpoint = Schema.String.check(Schema.isPattern(/^[a-z0-9/-]{1,80}$/u)).annotate({
  identifier: "SisterEndpoint",
  description: "The endpoint of the sister service: 1 to 80 of a-z, 0-9, / and -",
})

/** The sister's id of a call. */
export const ReservationId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._-]{1,100}$/u)).annotate({
  identifier: "ReservationId",
  description: "The sister's own id of the call, never used for another one: 1 to 100 letters, digits and . _ -",
})

/** The body of `validate`: reserves credits before a call is served. */
export const ValidateRequest = Schema.Struct({
  token: Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({
    description: "The bearer token of the caller, svc_live_...; null where the caller has sent none",
  }),
  cost: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: SISTER_CREDITS_MAX })).annotate({
    description: "Credits of the call",
  }),
  endpoint: SisterEndpoint,
  reservation_id: ReservationId,
})

/** The reply to `validate`. */
export const ValidateReply = Schema.Struct({
  valid: Schema.Literal(true),
  reservation_id: ReservationId,
  credits_reserved: Schema.Natural,
  credits_remaining: Schema.Natural.annotate({ description: "The balance after this reservation" }),
  expires_at: Instant.annotate({ description: "The credits are returned then, unless the reservation was committed" }),
})
export type ValidateReply = typeof ValidateReply.Type

/** The body of `commit`: ends a reservation. */
export const CommitRequest = Schema.Struct({
  reservation_id: ReservationId,
  no_charge: Schema.Boolean.annotate({ description: "False: the call was served. True: it costs nothing" }),
})

/** The reply to `commit`. */
export const CommitReply = Schema.Struct({
  reservation_id: ReservationId,
  credits_charged: Schema.Natural,
  credits_remaining: Schema.Natural.annotate({ description: "The balance after this end of the reservation" }),
})
export type CommitReply = typeof CommitReply.Type

/** The paths of the rail. */
export const SISTER_PATHS = { validate: "/api/internal/validate", commit: "/api/internal/commit" } as const
/** A request of the sister service. */
export type SisterOperation = keyof typeof SISTER_PATHS
