import type { IncomingHttpHeaders } from "node:http"
import { Negotiator } from "@fastify/accept-negotiator"
import fresh from "fresh"
import type { Coding, PreparedReply, Representation } from "./representation.ts"

/** Distinct Accept-Encoding texts in the cache; real clients send a handful. */
const HEADERS_MAX = 256
const HEADER_LENGTH_MAX = 256

const isCoding = (text: string | null): text is Coding => text === "br" || text === "gzip" || text === "identity"

const known = new Map<string, Coding>()
const negotiator = new Negotiator({ supportedValues: ["br", "gzip", "identity"] })

/** The coding to send for an Accept-Encoding: the client's preference; among equals br, then gzip; identity where none fits. */
export const chooseCoding = (acceptEncoding: string | undefined): Coding => {
  if (acceptEncoding === undefined || acceptEncoding.length > HEADER_LENGTH_MAX) return "identity"
  const before = known.get(acceptEncoding)
  if (before !== undefined) return before
  const chosen = negotiator.negotiate(acceptEncoding)
  const coding = isCoding(chosen) ? chosen : "identity"
  if (known.size >= HEADERS_MAX) known.clear()
  known.set(acceptEncoding, coding)
  return coding
}

/** Whether the client holds these bytes already (If-None-Match, else If-Modified-Since). */
export const isNotModified = (
  headers: IncomingHttpHeaders,
  prepared: PreparedReply,
  chosen: Representation,
): boolean => {
  if (headers["if-none-match"] === undefined && headers["if-modified-since"] === undefined) return false
  if (prepared.missing !== null) return false
  return fresh(headers, { etag: chosen.etag, "last-modified": prepared.lastModified })
}
