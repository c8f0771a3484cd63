import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { queryParameters } from "../schemas/contract/renditions.ts"
import { instanceKey } from "../schemas/feed.ts"
import { endpoints as contract } from "../schemas/registry.ts"
import { apiUnderTest, START_MS } from "./testing/api-under-test.ts"
import { undocumentedBy } from "./testing/documented.ts"
import { scriptedPast } from "./testing/scripted-past.ts"
import { warnings } from "./testing/warnings.ts"

const RUNS = 400
const endpoints = [...contract, warnings]
const undocumented = undocumentedBy(endpoints)

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "NaN",
    "-0",
    "1e309",
    "0x1f",
    "null",
    "%00",
    "../../etc/passwd",
    "<script>",
    "' OR 1=1 --",
    "__proto__",
    "csv",
    "geojson",
    "id",
    "count,list",
    "time,place,magnitude",
    "1",
    "now",
    "2026-08-17",
    "2026-08-17T20:00:00Z",
    "2026-08-17T22:00:00+02:00",
    "2036-08-17T20:00:00Z",
    "k7f2qdxa.000000000007",
  ),
)
const name = fc.oneof(
  fc.constantFrom(...new Set(endpoints.flatMap((one) => Object.keys(queryParameters(one))))),
  fc.constantFrom("__proto__", "constructor", "toString"),
  fc.string({ maxLength: 10 }),
)
const query = fc
  .array(fc.tuple(name, text), { maxLength: 4 })
  .map((pairs) =>
    pairs
      .map(([key, value]) => `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`)
      .join("&"),
  )
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...endpoints.map((one) => one.path)) },
  { weight: 1, arbitrary: text.map((one) => `/api/${encodeURIComponent(one.toWellFormed())}`) },
  { weight: 1, arbitrary: fc.webPath().map((one) => `/x${one}`) },
)
const header = fc.oneof(
  fc.constantFrom(
    "*",
    "br",
    "gzip;q=0",
    "identity;q=0, *;q=0",
    '"x"',
    'W/"x", *',
    "Mon, 17 Aug 2026 20:35:00 GMT",
    ",,,;q=",
    "1.2.3.4, ::1",
  ),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
)
const headers = fc.dictionary(
  fc.constantFrom(
    "accept-encoding",
    "if-none-match",
    "if-modified-since",
    "x-forwarded-for",
    "accept",
    "user-agent",
    "range",
    "accept-version",
    "content-type",
    "last-event-id",
  ),
  header,
)
const method = fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")

describe("whatever is asked", () => {
  it("is answered as the document says, and never with our own fault", async () => {
    const past = scriptedPast()
    past.settle(START_MS - 1)
    past.change(7, START_MS - 2)
    const { app, fill, errors } = await apiUnderTest({
      endpoints,
      past: past.source,
      trustedProxies: ["127.0.0.1"],
      // One client sends all of these within a minute.
      limits: { serviceRequestsPerMinute: 2 * RUNS },
    })
    const standing = new Map<string, unknown>(
      endpoints.flatMap(({ path: at, kind, example }) => (kind === "prepared" ? [[instanceKey(at, {}), example]] : [])),
    ).set(warnings.path, { land: [{ id: "w1", severity: "Severe", event: "*" }], sea: [] })
    for (const [key, data] of standing) {
      fill(key, data)
      past.version(key, START_MS - 86_400_000, data)
    }
    await fc.assert(
      fc.asyncProperty(method, path, query, headers, async (verb, at, asked, sent) => {
        const url = asked === "" ? at : `${at}?${asked}`
        const reply = await app.inject({ method: verb, url, headers: sent })
        const status = String(reply.statusCode)
        const mismatches = undocumented(verb, at, reply)
        if (mismatches !== null) expect(mismatches, `${verb} ${url}`).toEqual([])
        else expect(["200", "204", "304", "308", "400", "404", "405", "414"]).toContain(status)
        expect(reply.headers["access-control-allow-origin"]).toBe("*")
        const isJson = String(reply.headers["content-type"]).includes("json")
        if (reply.rawPayload.length > 0 && reply.headers["content-encoding"] === undefined && isJson)
          expect(reply.json()).toBeTypeOf("object")
        if (!status.startsWith("4") || verb === "HEAD") return
        // The servers of MCP refuse in JSON-RPC.
        const { status: stated, error } = reply.json()
        if (at.startsWith("/api/mcp") && stated === undefined) expect(error.code).toBeTypeOf("number")
        else expect(stated).toBe(reply.statusCode)
      }),
      { numRuns: RUNS },
    )
    expect(errors).toEqual([])
  })
})
