import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { volatile } from "../../schemas/contract/annotations.ts"
import { steady } from "./steady.ts"

const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })).annotate({ description: "How many" })
const reply = Schema.Struct({
  count: volatile(count),
  rows: Schema.NullOr(
    Schema.Array(Schema.Struct({ name: Schema.String, active: volatile(Schema.NullOr(Schema.Boolean)) })),
  ),
  kept: Schema.Literals(["a", "b"]),
})

it("replaces the members that are declared volatile by null, in rows as well, and nothing else", () => {
  const data = { count: 3, rows: [{ name: "x", active: true }], kept: "a" } as const
  expect(steady(reply, data)).toEqual({ count: null, rows: [{ name: "x", active: null }], kept: "a" })
  expect(steady(reply, { ...data, rows: null })).toEqual({ count: null, rows: null, kept: "a" })
  expect(steady(reply, null)).toBeNull()
})

it("publishes volatile members as all others", () => {
  const { schema } = Schema.toJsonSchemaDocument(reply)
  expect(schema).toMatchObject({ properties: { count: { type: "integer", maximum: 9, description: "How many" } } })
  expect(JSON.stringify(schema)).not.toContain("volatile")
})
