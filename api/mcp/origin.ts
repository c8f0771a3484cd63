import type { IncomingMessage } from "node:http"

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])
/** A host that is an address: no name, which its owner could point at another machine. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

/**
 * Whether a request comes from a web page of another site, by its Origin; programs send none. A page of the same host is
 * trusted where the host is the public one, or cannot be a name that was pointed at this machine (DNS rebinding): an
 * address, or localhost, whose ports count as one site.
 */
export const isForeign = ({ headers }: IncomingMessage, baseUrl: string | null): boolean => {
  if (headers.origin === undefined) return false
  const origin = urlOf(headers.origin)
  const host = urlOf(`http://${headers.host ?? ""}`)
  if (origin === null || host === null) return true
  if (baseUrl !== null && origin.origin === new URL(baseUrl).origin) return false
  if (LOOPBACK.has(origin.hostname) && LOOPBACK.has(host.hostname)) return false
  return !ADDRESS.test(host.hostname) || origin.host !== host.host
}
