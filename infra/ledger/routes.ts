import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FastifyInstance } from "fastify"
import { type LedgerClient, onBehalfOf, type Payments } from "../../ledger/client.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { type EdgeLimits, type SignedRoute, signedRoutes } from "../signing/signed-route.ts"
import {
  CLAIM_PATH,
  type EdgeName,
  edges,
  NOT_THE_WRITER,
  type Outcome,
  type ReceivedCommand,
  readClaim,
  readRequest,
  writeClaimReply,
  writeReply,
} from "./wire.ts"

/** Large enough for a full batch of the largest commands. */
const BODY_MAX_BYTES = 2 * 1024 * 1024
/** Large enough for a memo and the longest signature that is verified. */
const CLAIM_MAX_BYTES = 64 * 1024

/** The ledger of this process, while it is the writer. */
interface ServedLedger {
  readonly client: LedgerClient
  readonly active: () => boolean
}

/** Dependencies of the routes. An edge without secrets has no routes. */
export interface LedgerRoutesOptions {
  readonly holder: ServedLedger
  /** Verifies payments by this process's own client of the chain; null where nothing is sold. */
  readonly payments: Payments | null
  readonly secrets: Readonly<Partial<Record<EdgeName, ReadonlyArray<string>>>>
  readonly limits?: EdgeLimits
}

const commandsRoute = (edge: EdgeName, { holder }: LedgerRoutesOptions): SignedRoute => {
  const outcomeOf = async ({ command, request }: ReceivedCommand): Promise<Outcome> =>
    command === null
      ? Result.fail<Refusal>({ _tag: "invalid_command" })
      : await Effect.runPromise(Effect.result(onBehalfOf(request)(holder.client.submit(command))))
  return {
    path: edges[edge].path,
    bodyBytesMax: BODY_MAX_BYTES,
    handler: async (body, reply) => {
      const commands = readRequest(body, edge)
      if (commands === null) return reply.code(400).send()
      if (!holder.active()) return reply.code(NOT_THE_WRITER).send()
      return writeReply(await Promise.all(commands.map(outcomeOf)))
    },
  }
}

const claimRoute = (
  secrets: ReadonlyArray<string>,
  { holder, payments }: LedgerRoutesOptions,
): ReadonlyArray<SignedRoute> =>
  payments === null
    ? []
    : [
        {
          path: CLAIM_PATH,
          bodyBytesMax: CLAIM_MAX_BYTES,
          handler: async (body, reply) => {
            const received = readClaim(body, secrets)
            if (received === null) return reply.code(400).send()
            if (!holder.active()) return reply.code(NOT_THE_WRITER).send()
            const { claim, request } = received
            return writeClaimReply(await Effect.runPromise(Effect.result(onBehalfOf(request)(payments.claim(claim)))))
          },
        },
      ]

/**
 * Accepts commands and claims over HTTP: a Fastify plugin for the admin port of processes that may hold the ledger. A process
 * that does not hold it replies 421. A command that its edge does not list is `invalid_command`, signed or not.
 */
export const ledgerRoutes =
  (options: LedgerRoutesOptions) =>
  async (app: FastifyInstance): Promise<void> => {
    const { api, operator } = options.secrets
    if (api !== undefined) {
      const routes = [commandsRoute("api", options), ...claimRoute(api, options)]
      await app.register(signedRoutes({ name: edges.api.name, secrets: api }, routes, options.limits))
    }
    if (operator !== undefined)
      await app.register(
        signedRoutes(
          { name: edges.operator.name, secrets: operator },
          [commandsRoute("operator", options)],
          options.limits,
        ),
      )
  }
