import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "./endpoint.ts"
import { defaultTtlMs, isPremium, isView } from "./endpoint-kinds.ts"
import { choice } from "./parameters.ts"
import { Problem } from "./reply.ts"
import { problemResponse, shared } from "./responses.ts"

const common = {
  path: "/api/x",
  name: "x",
  summary: "",
  description: "",
  parameters: {},
  data: Schema.Struct({ count: Schema.Natural }),
  example: { count: 1 },
} as const
const free = { ...common, tier: "free", ttl: "1 minute" } as const
const paid = { ...common, tier: "premium", ttl: "1 minute", credits: 2 } as const
const cold = { count: 0 }

describe("an endpoint", () => {
  it("has the members of its kind, and the types refuse those of another", () => {
    const all = [
      endpoint({ ...free, kind: "prepared" }),
      endpoint({
        ...free,
        kind: "filtered",
        select: (full: { readonly all: number }) => ({ data: { count: full.all }, inputs: [] }),
      }),
      endpoint({ ...free, kind: "on-demand" }),
      endpoint({ ...paid, kind: "queried" }),
      endpoint({ ...common, kind: "document", tier: "service", ttl: 0 }),
      endpoint({ ...common, kind: "command", tier: "payment", method: "GET", counted: "payments" }),
      endpoint({ ...common, kind: "changes", form: "page" }),
    ]
    expect(all.map((one) => [one.kind, "select" in one, "body" in one, "cold" in one, "mediaTypes" in one])).toEqual([
      ["prepared", false, false, true, false],
      ["filtered", true, false, true, false],
      ["on-demand", false, false, true, false],
      ["queried", false, false, false, false],
      ["document", false, false, false, true],
      ["command", false, true, false, false],
      ["changes", false, false, false, true],
    ])
    expect(all.filter(isView).map(({ kind }) => kind)).toEqual(["prepared", "filtered", "on-demand"])
    expect(all.filter(isPremium).map(({ kind }) => kind)).toEqual(["queried"])
    expect(all.map(defaultTtlMs)).toEqual([60_000, 60_000, 60_000, 60_000, 0, 0, 0])

    // @ts-expect-error only a filtered endpoint selects
    endpoint({ ...free, kind: "prepared", select: () => ({ data: { count: 1 }, inputs: [] }) })
    // @ts-expect-error a filtered endpoint selects
    endpoint({ ...free, kind: "filtered" })
    // @ts-expect-error what is read from the history costs credits
    endpoint({ ...free, kind: "queried" })
    // @ts-expect-error what is fetched on request costs none
    endpoint({ ...paid, kind: "on-demand" })
    // @ts-expect-error a free endpoint has no price
    endpoint({ ...free, kind: "prepared", credits: 1 })
    const body = { schema: Schema.String, example: "" }
    // @ts-expect-error only a command brings a body
    endpoint({ ...common, kind: "document", tier: "service", ttl: 0, body })
  })

  it("needs a cold shape where its data stands beside the envelope, and only there", () => {
    // @ts-expect-error premium data stands beside its envelope
    expect(() => endpoint({ ...paid, kind: "prepared" })).toThrow("declare `cold`")
    expect(() => endpoint({ ...free, kind: "prepared", envelope: "composed" })).toThrow("declare `cold`")
    expect(() => endpoint({ ...free, kind: "prepared", cold })).toThrow("leave out `cold`")
    expect(endpoint({ ...paid, kind: "prepared", cold })).toMatchObject({
      envelope: "premium",
      cold,
      bearer: "required",
    })
  })

  it("refuses a POST without a body, and a document of several media types that is kept", () => {
    const command = { ...common, kind: "command", tier: "payment", counted: "payments" } as const
    expect(() => endpoint({ ...command, method: "POST" })).toThrow("a POST has a body")
    const mediaTypes = ["text/html", "text/markdown"] as const
    const document = { ...common, kind: "document", tier: "service", mediaTypes } as const
    expect(() => endpoint({ ...document, ttl: "1 hour" })).toThrow("one media type")
    expect(endpoint({ ...document, ttl: 0 }).responses["200"]?.headers).toContain("Vary")
  })

  it("counts against the share of its tier unless it declares another", () => {
    expect(endpoint({ ...free, kind: "prepared" }).counted).toBe("daily")
    expect(endpoint({ ...paid, kind: "queried" }).counted).toBe("token")
    expect(endpoint({ ...common, kind: "document", tier: "service", ttl: 0 }).counted).toBe("minute")
    expect(endpoint({ ...common, kind: "document", tier: "service", ttl: 0, counted: "never" }).counted).toBe("never")
  })

  it("declares every response: of each path, of its kind and tier, and its own", () => {
    const statuses = ({ responses }: { readonly responses: object }) => Object.keys(responses)
    const every = ["400", "405", "408", "414", "429", "431", "500"]
    expect(statuses(endpoint({ ...free, kind: "prepared" }))).toEqual(["200", "304", ...every, "404", "503"].sort())
    expect(statuses(endpoint({ ...paid, kind: "queried" }))).toEqual(
      ["200", ...every, "402", "404", "409", "422", "503"].sort(),
    )
    const body = { schema: Schema.Struct({}), example: {} }
    const own = { 404: problemResponse("It is not there"), 503: shared.BillingUnavailable }
    const command = { ...common, kind: "command", tier: "payment", counted: "payments", responses: own } as const
    const declared = endpoint({ ...command, method: "POST", body })
    expect(statuses(declared)).toEqual(["200", ...every, "404", "413", "415", "503"].sort())
    expect(declared.responses["404"]?.body).toMatchObject({ _tag: "Schema", schema: Problem })
  })

  it("publishes when it is free of charge, by how its data is made", () => {
    const reasons = (one: {
      readonly noCharge: ReadonlyArray<{ readonly reason: string; readonly decided: string }>
    }) => one.noCharge.map(({ reason, decided }) => `${reason} ${decided}`)
    const rests = ["not_configured before", "not_licensed before"]
    const all = ["client_gone after", "internal_error after"]
    expect(reasons(endpoint({ ...paid, kind: "queried" }))).toEqual(["empty_range after", ...all])
    expect(reasons(endpoint({ ...paid, kind: "prepared", cold }))).toEqual([
      "warming before",
      ...rests,
      "stale_sources before",
      "paid_today before",
      ...all,
    ])
    const select = (full: { readonly all: number }, { size }: { readonly size: "small" | "large" }) => ({
      data: { count: size === "small" ? 1 : full.all },
      inputs: ["all"],
    })
    const parameters = { size: choice(["small", "large"], { default: "small", description: "How much" }) }
    const filtered = endpoint({
      ...paid,
      kind: "filtered",
      parameters,
      cold: { all: 0 },
      select,
      empty: ({ count }) => count === 0,
    })
    expect(reasons(filtered)).toEqual([
      "warming before",
      ...rests,
      "stale_sources before",
      "paid_today before",
      "no_data before",
      "empty_range before",
      ...all,
    ])
    expect([filtered.empty({ count: 0 }), filtered.empty({ count: 1 })]).toEqual([true, false])
  })
})
