import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { assertNotice, noticeHeaders } from "./deprecation.ts"
import { endpoint } from "./endpoint.ts"

const whole = { since: "2027-01-01", until: "2027-04-01", note: "Use /api/others." }

/** A flat list of headers as an object. */
const headersOf = (flat: ReadonlyArray<string>) =>
  Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : [])))

describe("the notice of a deprecation", () => {
  it("speaks of a whole endpoint in the headers of three standards and of the contract", () => {
    const headers = noticeHeaders("/api/things", [{ ...whole, successor: "/api/others" }], "https://api.example")
    expect(headersOf(headers)).toEqual({
      "X-Service-Deprecation": "/api/things; until=2027-04-01",
      Deprecation: "@1798761600",
      Sunset: "Thu, 01 Apr 2027 00:00:00 GMT",
      Link: '<https://api.example/changelog>; rel="deprecation"; type="text/html", <https://api.example/changelog>; rel="sunset"; type="text/html", <https://api.example/api/others>; rel="successor-version"',
    })
  })

  it("of fields leaves the resource itself alone", () => {
    const fields = [
      { ...whole, field: "data.score" },
      { ...whole, field: "data.rank", until: "2027-05-01" },
    ]
    expect(headersOf(noticeHeaders("/api/things", fields, ""))).toEqual({
      "X-Service-Deprecation": "data.score; until=2027-04-01, data.rank; until=2027-05-01",
      Link: '</changelog>; rel="deprecation"; type="text/html"',
    })
  })

  it.each([
    ["2027-01-01", "2027-03-31"],
    ["2027-02-30", "2027-12-01"],
    ["2027-01-01", "soon"],
  ])("from %s until %s is refused", (since, until) => {
    expect(() => assertNotice("/api/things", { since, until, note: "" })).toThrow("no notice of 90 days")
    const declare = () =>
      endpoint({
        path: "/api/things",
        name: "things",
        kind: "prepared",
        tier: "free",
        ttl: "1 minute",
        summary: "Things",
        description: "",
        parameters: {},
        data: Schema.String,
        example: "one",
        deprecated: [{ since, until, note: "" }],
      })
    expect(declare).toThrow("no notice of 90 days")
  })
})
