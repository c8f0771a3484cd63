import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeCursor } from "../schemas/formats/paging.ts"
import { buildOpenApi } from "../schemas/printers/openapi.ts"
import { endpoints } from "../schemas/registry.ts"
import { apiUnderTest } from "./testing/api-under-test.ts"

const RUNS = 300

interface TextSchema {
  readonly type: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: TextSchema
  readonly minItems?: number
  readonly maxItems?: number
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly get: { readonly parameters: ReadonlyArray<{ readonly name: string; readonly schema: TextSchema }> } }
    >
  >
}

const document = buildOpenApi({ endpoints, baseUrl: null }) as unknown as Document
const schemaOf = (path: string, name: string): TextSchema => {
  const found = document.paths[path]?.get.parameters.find((parameter) => parameter.name === name)
  if (found === undefined) throw new Error(`${path} has no parameter ${name}`)
  return found.schema
}

/** Whether the document admits a text; of the keywords that these parameters use. */
const admits = (
  { type, pattern, minLength = 0, maxLength = Infinity, items, minItems = 0, maxItems = Infinity }: TextSchema,
  text: string,
): boolean => {
  if (type === "array") {
    const parts = text.split(",")
    return (
      parts.length >= minItems &&
      parts.length <= maxItems &&
      items !== undefined &&
      parts.every((part) => admits(items, part))
    )
  }
  const characters = [...text].length
  return (
    characters >= minLength && characters <= maxLength && (pattern === undefined || new RegExp(pattern, "u").test(text))
  )
}

const anyText = fc.oneof(fc.constant(""), fc.string({ maxLength: 20 }), fc.string({ unit: "binary", maxLength: 8 }))
const part = fc.oneof(
  fc.constantFrom(
    0,
    2,
    10,
    16,
    18,
    19,
    31,
    48,
    51,
    52,
    63,
    64,
    88,
    99,
    100,
    113,
    127,
    128,
    168,
    169,
    172,
    175,
    192,
    193,
    196,
    198,
    203,
    223,
    224,
    254,
    255,
  ),
  fc.nat(260),
)
const address = fc.tuple(part, part, part, part).map((parts) => parts.join("."))
const lastOfAddress = fc.constantFrom(
  " 1.1.1.1",
  "1.1.1.1\n",
  "01.1.1.1",
  "1.1.1",
  "1.1.1.1.1",
  "::1",
  "0x1.1.1.1",
  "１.1.1.1",
)
const ticker = fc.oneof(
  fc.stringMatching(/^ ?[A-Za-z0-9]{1,6}([.-][A-Za-z]{1,2})? ?$/),
  fc.constantFrom("", "  ", "ſpy", "ß", "ÀAPL", "ＡＡＰＬ", "BRK.B.C", "TOOLONGX", "\u00a0SPY", "a\n"),
)
const tickers = fc
  .oneof(
    fc.array(fc.stringMatching(/^ ?[A-Za-z0-9]{1,6}([.-][A-Za-z]{1,2})? ?$/), { minLength: 1, maxLength: 40 }),
    fc.array(ticker, { minLength: 1, maxLength: 3 }),
  )
  .map((list) => list.join(","))
const eventName = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z /'-]{1,79}$/),
  fc.constantFrom("a", "É", "storm ", "st\n", "9x"),
)

describe("the document of the API", () => {
  it.each([
    ["/api/exposure-scan", "ip", fc.oneof({ weight: 6, arbitrary: address }, lastOfAddress, anyText)],
    ["/api/stocks", "symbols", fc.oneof({ weight: 6, arbitrary: tickers }, anyText)],
    ["/api/climate/weather-alerts", "event", fc.oneof({ weight: 3, arbitrary: eventName }, anyText)],
  ] as const)("admits exactly the texts that %s accepts as %s", async (path, name, texts) => {
    const { app } = await apiUnderTest({ endpoints, limits: { serviceRequestsPerMinute: 10 * RUNS } })
    const schema = schemaOf(path, name)
    const seen = { admitted: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const value = text.toWellFormed()
        const reply = await app.inject({ method: "GET", url: `${path}?${name}=${encodeURIComponent(value)}` })
        const isAdmitted = admits(schema, value)
        seen[isAdmitted ? "admitted" : "refused"] += 1
        expect(reply.statusCode === 400, `${JSON.stringify(value)} is answered ${reply.statusCode}`).toBe(!isAdmitted)
        expect(reply.statusCode).not.toBe(429)
      }),
      { numRuns: RUNS },
    )
    expect(seen.admitted).toBeGreaterThan(0)
    expect(seen.refused).toBeGreaterThan(0)
  })

  it("admits every cursor, and no text that does not look like one", async () => {
    const path = "/api/climate/earthquakes"
    const { app } = await apiUnderTest({ endpoints, limits: { serviceRequestsPerMinute: 10 * RUNS } })
    const schema = schemaOf(path, "cursor")
    const statusOf = async (text: string) =>
      (await app.inject({ method: "GET", url: `${path}?cursor=${encodeURIComponent(text)}` })).statusCode
    const instant = fc
      .date({ min: new Date(0), max: new Date("2099-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString())
    const key = fc.string({
      minLength: 1,
      maxLength: 256,
      unit: fc.oneof(
        fc.constant("\u0001"),
        fc.integer({ min: 1, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      ),
    })
    const longest = encodeCursor({ by: "2026-08-17T20:33:01.000Z", key: "\u0001".repeat(256) })
    expect(admits(schema, longest) && (await statusOf(longest)) !== 400).toBe(true)
    await fc.assert(
      fc.asyncProperty(instant, key, async (by, row) => {
        const cursor = encodeCursor({ by, key: row.toWellFormed() })
        expect(admits(schema, cursor), cursor).toBe(true)
        expect(await statusOf(cursor), cursor).not.toBe(400)
      }),
      { numRuns: RUNS },
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, fc.base64String()), async (text) => {
        const value = text.toWellFormed()
        fc.pre(!admits(schema, value))
        expect(await statusOf(value), JSON.stringify(value)).toBe(400)
      }),
      { numRuns: RUNS },
    )
  })
})
