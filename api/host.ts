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
