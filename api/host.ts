import type { IncomingMessage } from "node:http"

/** What a Host field may hold by RFC 9110: a name or an address, and a port. It may be empty. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/

/** The problem with the Host of an HTTP request, in words; null when there is none. `rawHeaders` is Node's flat list. */
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
 * The address under which a client has reached this service, without a slash at its end; null where its Host may not stand
 * in a link. For replies that nothing keeps: only the sender of a Host sees it again. `proxied`: a proxy of ours
 * has sent the request, and says by which scheme it came.
 */
export const reachedAddress = ({ headers }: IncomingMessage, proxied: boolean): string | null => {
  if (headers.host === undefined || !LINKED_HOST.test(headers.host)) return null
  const scheme = proxied && headers["x-forwarded-proto"] === "https" ? "https" : "http"
  return `${scheme}://${headers.host}`
}
