import type { IncomingMessage } from "node:http"

/** A Host field by RFC 9110: a name or an address, and a port. It may be empty. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/

/** The error message for the Host of an HTTP request; null where it is valid. `rawHeaders` is Node's flat list. */
export const hostProblem = (httpVersion: string, rawHeaders: ReadonlyArray<string>): string | null => {
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length !== 4 || name.toLowerCase() !== "host") continue
    if (host !== undefined) return "The request has more than one Host."
    host = rawHeaders[at + 1]
  }
  if (host === undefined) return httpVersion === "1.1" ? "The request has no Host." : null
  return AUTHORITY.test(host) ? null : "The Host of the request is not well-formed."
}

/** A host that may stand in a link: a name or an address, and a port. */
const LINKED_HOST = /^(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[1-9]\d{0,4})?$/

/**
 * The address under which a client reached this service, without a trailing slash; null where its Host must not stand in a
 * link. Only for replies that are not cached, as the Host is chosen by the sender. `proxied`: the request came through a
 * trusted proxy, whose X-Forwarded-Proto gives the scheme.
 */
export const reachedAddress = ({ headers }: IncomingMessage, proxied: boolean): string | null => {
  if (headers.host === undefined || !LINKED_HOST.test(headers.host)) return null
  const scheme = proxied && headers["x-forwarded-proto"] === "https" ? "https" : "http"
  return `${scheme}://${headers.host}`
}
