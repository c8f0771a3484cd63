import type { FastifyInstance } from "fastify"
import { billingUnavailable } from "../refusals.ts"
import type { ApiTools } from "../server.ts"

const RETRY_SECONDS = 30

/** Serves the premium endpoints of the contract. */
export const premiumPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const { options, answers, terms } = tools
    for (const endpoint of options.endpoints.filter(({ tier }) => tier === "premium"))
      tools.serve(app, endpoint, (exchange) => answers.problem(exchange, billingUnavailable(terms, RETRY_SECONDS)), {
        counted: true,
      })
    done()
  }
