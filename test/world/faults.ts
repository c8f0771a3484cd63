import * as Schema from "effect/Schema"
import type { SimulatedUpstream, WorldReply, WorldRequest } from "./upstream.ts"
import { worldAt } from "./world.ts"

/** What can go wrong at an upstream. */
export const faultKinds = [
  "latency",
  "server-error",
  "unauthorized",
  "rate-limited",
  "cut-body",
  "wrong-type",
  "wrong-content-type",
  "frozen",
  "future",
  "past",
  "hostile-text",
  "huge-body",
  "bomb",
  "many-objects",
  "deep-json",
  "redirect",
  "not-json",
  "no-body",
  "echo",
  "empty",
  "reset",
  "flapping",
  "announces",
  "hostile-headers",
] as const

/** A fault of one host, or of every host (`*`), from now until it is removed. */
export const Fault = Schema.Struct({
  host: Schema.NonEmptyString,
  kind: Schema.Literals(faultKinds),
  /** Milliseconds of `latency`; seconds of `Retry-After` for `rate-limited`; days of `future` and `past`. */
  amount: Schema.optionalKey(Schema.Finite),
  /** Only paths that begin so. */
  path: Schema.optionalKey(Schema.String),
})
export type Fault = typeof Fault.Type

/** A fault and the world's time at which it began. */
export interface ActiveFault extends Fault {
  readonly sinceMs: number
}

/** What the server sends: a reply, and how to spoil its transport. */
export interface FaultyReply {
  readonly reply: WorldReply
  readonly delayMs: number
  readonly transport: "whole" | "cut" | "reset" | "huge" | "bomb" | "many-objects" | "deep-json"
}

/** Text that must never reach a caller as it is: markup, control, direction and zero-width characters, great length. */
export const HOSTILE_TEXT = `<script>alert("tw")</script>\u0000\u0007\u202e\u200b\ufeff'; DROP TABLE events; --${"A".repeat(5000)}`

/** What an upstream says of its own end (RFC 8594, RFC 9745), and a warning of it (RFC 7234, 5.5). */
const ANNOUNCING_HEADERS = {
  sunset: "Fri, 01 May 2026 00:00:00 GMT",
  deprecation: "@1767225600",
  warning: '299 gateway "The old list ends: use /keyset" "Thu, 01 Jan 2026 00:00:00 GMT"',
}
/** The same headers without sense: dates that do not exist, control characters, great length. */
const HOSTILE_HEADERS = {
  sunset: `Fri, 31 Feb 99999 \x85\x9b31m\t${"S".repeat(9_000)}`,
  deprecation: `@${"9".repeat(9_000)}`,
  warning: `299 \x9b31m "\x85\t${"W".repeat(9_000)}"`,
}

const DAY_MS = 86_400_000

const mapLeaves = (value: unknown, leaf: (value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapLeaves(one, leaf))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapLeaves(one, leaf)]))
  return leaf(value)
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A time as ISO 8601, RFC 822 or `asctime` write it. */
const TIME = /^(\d{4}[-.]\d\d[-.]\d\d[ T]|[A-Z][a-z]{2},? [\w ]{4,12} \d\d:\d\d:\d\d\b)/
const NUMBERS = /^[-+.\d\s]+$/

/** A text with a space is prose; identifiers, times, numbers and nested JSON are left as they are, so that answers decode. */
const isProse = (text: string): boolean =>
  /\S\s+\S/.test(text) && !TIME.test(text) && !NUMBERS.test(text) && !isJson(text)

const escapeXml = (text: string): string =>
  // XML 1.0 cannot carry control characters, so a hostile provider cannot send them either.
  Array.from(text, (character) => (character < " " ? "" : character))
    .join("")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")

/** A body whose prose carries the hostile text. */
export const hostile = (body: WorldReply["body"]): WorldReply["body"] => {
  // A character is a byte there and back, whatever character set the provider writes.
  if (body instanceof Uint8Array) return Buffer.from(String(hostile(Buffer.from(body).toString("latin1"))), "latin1")
  return typeof body === "string"
    ? body.replace(/>([^<>]*\S\s+\S[^<>]*)</g, (whole, text: string) =>
        isProse(text) ? `>${text} ${escapeXml(HOSTILE_TEXT)}<` : whole,
      )
    : (mapLeaves(body, (leaf) =>
        typeof leaf === "string" && isProse(leaf) ? `${leaf} ${HOSTILE_TEXT}` : leaf,
      ) as object)
}

const wrongType = (body: WorldReply["body"]): WorldReply["body"] =>
  typeof body === "string" || body instanceof Uint8Array
    ? "Invalid API call."
    : (mapLeaves(body, (leaf) =>
        typeof leaf === "number" || typeof leaf === "string" ? { unexpected: true } : leaf,
      ) as object)

const LISTED_XML = /<(item|entry)[\s>][\s\S]*<\/\1>/g
/** A row of a table in HTML, but for its header. */
const ROW_HTML = /<tr[^>]*>(?:(?!<\/tr>)[\s\S])*?<td(?:(?!<\/tr>)[\s\S])*<\/tr>/gi
const emptiedText = (text: string): string =>
  text.trimStart().startsWith("<")
    ? text.replace(LISTED_XML, "").replace(ROW_HTML, "")
    : // Tables as text keep their comments and their header.
      `${text
        .split("\n")
        .filter((line, at, lines) => line.startsWith("#") || lines.findIndex((one) => !one.startsWith("#")) === at)
        .join("\n")}\n`

/** An answer of the same form that holds nothing: lists without elements, feeds without items, tables without rows. */
export const emptied = (body: WorldReply["body"]): WorldReply["body"] => {
  if (body instanceof Uint8Array) return Buffer.from(emptiedText(Buffer.from(body).toString("latin1")), "latin1")
  if (typeof body === "string") return isJson(body) ? JSON.stringify(emptied(JSON.parse(body))) : emptiedText(body)
  if (Array.isArray(body)) return []
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null ? emptied(value) : value,
    ]),
  )
}

/** A number in [0, 1) that follows from two numbers. */
const shuffled = (one: number, other: number): number => {
  const mixed = Math.imul((one + 1) * 2_654_435_761 + other, 1_597_334_677) >>> 0
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

/** An answer of JSON without half of the objects of its lists, each second without other ones. */
const flapped = (value: unknown, second: number): unknown => {
  if (Array.isArray(value))
    return value.filter((one, index) => typeof one !== "object" || shuffled(index, second) < 0.5 || value.length < 4)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, flapped(one, second)]))
}

const applies = (fault: Fault, { host, path }: WorldRequest): boolean =>
  (fault.host === "*" || fault.host === host) && path.startsWith(fault.path ?? "")

/** The answer of an upstream at a time of the world, spoilt by whatever faults are active for the request. */
export const answerWithFaults = (
  upstream: SimulatedUpstream,
  request: WorldRequest,
  seed: string,
  nowMs: number,
  faults: ReadonlyArray<ActiveFault>,
): FaultyReply => {
  const active = faults.filter((fault) => applies(fault, request))
  const fault = (kind: Fault["kind"]) => active.find((one) => one.kind === kind)

  const frozen = fault("frozen")
  const future = fault("future")
  const past = fault("past")
  const timeMs =
    (frozen?.sinceMs ?? nowMs) +
    (future?.amount ?? (future ? 2 : 0)) * DAY_MS -
    (past?.amount ?? (past ? 2 : 0)) * DAY_MS
  let reply: WorldReply = upstream.answer(request, worldAt(seed, timeMs)) ?? {
    status: 404,
    contentType: "text/plain",
    body: "Not Found",
  }

  if (fault("hostile-text")) reply = { ...reply, body: hostile(reply.body) }
  if (fault("wrong-type")) reply = { ...reply, body: wrongType(reply.body) }
  if (fault("not-json")) reply = { contentType: "text/html", body: "<!doctype html><title>Just a moment...</title>" }
  // As debugging pages do: the address and the headers of the request, keys included.
  if (fault("echo"))
    reply = { body: { error: `no: ${request.host}${request.path}?${request.query}`, headers: request.headers ?? {} } }
  if (fault("no-body")) reply = { ...reply, body: "" }
  if (fault("flapping") && !(reply.body instanceof Uint8Array)) {
    const second = Math.floor(nowMs / 1000)
    reply = {
      ...reply,
      body: typeof reply.body === "object" ? (flapped(reply.body, second) as object) : reply.body,
    }
  }
  if (fault("empty")) reply = { ...reply, body: emptied(reply.body) }
  if (fault("wrong-content-type")) reply = { ...reply, contentType: "image/png" }
  if (fault("redirect"))
    reply = { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data/" }, body: "" }
  if (fault("server-error")) reply = { status: 503, contentType: "text/plain", body: "upstream is unwell" }
  if (fault("unauthorized")) reply = { status: 401, body: { error: "who are you?" } }
  if (fault("announces")) reply = { ...reply, headers: { ...reply.headers, ...ANNOUNCING_HEADERS } }
  if (fault("hostile-headers")) reply = { ...reply, headers: { ...reply.headers, ...HOSTILE_HEADERS } }
  const limited = fault("rate-limited")
  if (limited)
    reply = { status: 429, headers: { "retry-after": String(limited.amount ?? 1) }, body: { error: "slow down" } }

  return {
    reply,
    delayMs: fault("latency")?.amount ?? (fault("latency") ? 20_000 : 0),
    transport: fault("reset")
      ? "reset"
      : fault("cut-body")
        ? "cut"
        : (reply.status ?? 200) !== 200
          ? "whole"
          : fault("huge-body")
            ? "huge"
            : ((["bomb", "many-objects", "deep-json"] as const).find((kind) => fault(kind)) ?? "whole"),
  }
}
