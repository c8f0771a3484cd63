import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { REQUEST_ID } from "../../ledger/client.ts"

declare module "node:http" {
  interface IncomingMessage {
    /** The id of a request of the public port, once it was needed. */
    requestId?: string
  }
}

const PROCESS_BYTES = 4
const PROCESS = randomBytes(PROCESS_BYTES).toString("hex")
let requests = 0

/** A new id: a random name of this process, and a counter. It names one request, and says nothing of its client. */
export const newRequestId = (): string => {
  requests += 1
  return `${PROCESS}-${requests.toString(36)}`
}

/**
 * The id of a request, the same for each call. It is the `X-Request-Id` that the request brings if it comes through a
 * trusted proxy and has the form of one; a client cannot choose it otherwise.
 */
export const requestIdOf = (request: IncomingMessage, isProxied: (request: IncomingMessage) => boolean): string => {
  if (request.requestId !== undefined) return request.requestId
  const sent = request.headers["x-request-id"]
  const taken = typeof sent === "string" && REQUEST_ID.test(sent) && isProxied(request)
  request.requestId = taken ? sent : newRequestId()
  return request.requestId
}
