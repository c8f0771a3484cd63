import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { fieldsOf } from "../printers/fields.ts"
import { Components } from "../printers/openapi-components.ts"
import { isData } from "../printers/tools.ts"
import { endpoints } from "../registry.ts"
import { unitsOf } from "./annotations.ts"

const Metres = Schema.Finite.annotate({ unit: "m" })

describe("the units of a schema", () => {
  it("stand at the places of its fields: of members, of lists, of maps, of what may be null", () => {
    const schema = Schema.Struct({
      height: Metres,
      depth: Schema.NullOr(Metres),
      list: Schema.Array(Schema.Struct({ far: Metres })),
      heights: Schema.Array(Metres),
      byName: Schema.Record(Schema.String, Metres),
      count: Schema.Natural,
    })
    expect([...unitsOf(schema)]).toEqual([
      ["height", "m"],
      ["depth", "m"],
      ["list[].far", "m"],
      ["heights[]", "m"],
      ["byName.<key>", "m"],
    ])
  })

  it("follow from the name of a number where it holds one, and never from that of a text", () => {
    const schema = Schema.Struct({
      wait_ms: Schema.Natural,
      speed_km_s: Schema.Finite,
      change_percent: Schema.NullOr(Schema.Finite),
      items: Schema.String,
      words_percent: Schema.String,
      depth_km: Metres,
    })
    expect([...unitsOf(schema)]).toEqual([
      ["wait_ms", "milliseconds"],
      ["speed_km_s", "km/s"],
      ["change_percent", "percent"],
      ["depth_km", "m"],
    ])
  })

  it("stand at fields that exist, in every endpoint of data", () => {
    for (const endpoint of endpoints.filter(isData)) {
      const units = unitsOf(endpoint.data)
      const fields = fieldsOf(new Components().schemaOf(endpoint.data), { units })
      expect(fields.filter(({ unit }) => unit !== null).length, endpoint.path).toBe(units.size)
    }
  })
})
