import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { FIELDS_MAX, fieldsOf } from "./fields.ts"
import { Components } from "./openapi-components.ts"

const fields = (schema: Schema.Top) => fieldsOf(new Components().schemaOf(schema))

describe("the fields of a schema", () => {
  it("are named by their places, through lists, maps and nulls", () => {
    const Item = Schema.Struct({ score: Schema.NullOr(Schema.Finite).annotate({ description: "Points" }) })
    expect(
      fields(
        Schema.Struct({
          kind: Schema.Literals(["a", "b"]),
          items: Schema.NullOr(Schema.Array(Item)),
          tags: Schema.Array(Schema.String),
          counts: Schema.Record(Schema.String, Schema.Struct({ n: Schema.Natural })),
        }),
      ).map(({ place, type, description }) => `${place}: ${type}${description === "" ? "" : ` (${description})`}`),
    ).toEqual([
      'kind: "a" | "b"',
      "items: array or null",
      "items[].score: number or null (Points)",
      "tags: array",
      "tags[]: string",
      "counts: object",
      "counts.<key>: object",
      "counts.<key>.n: integer",
    ])
  })

  it("are bounded, and stand once where alternatives share them", () => {
    const many = Schema.Struct(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, Schema.String])))
    expect(fields(many)).toHaveLength(FIELDS_MAX)
    const either = Schema.Union([
      Schema.Struct({ id: Schema.String }),
      Schema.Struct({ id: Schema.Finite, n: Schema.Finite }),
    ])
    expect(fields(either).map(({ place }) => place)).toEqual(["id", "n"])
  })
})
