import * as Schema from "effect/Schema"
import { Meta } from "../contract/reply.ts"
import { Instant } from "../event.ts"
import type { Json } from "../json.ts"
import { Latitude, Longitude } from "../values.ts"
import { LIST_COLUMN, type Row, type Rows, type TableForm } from "./table.ts"

/** A GeoJSON object of points (RFC 7946), whose foreign members are those of the envelope. */
export const FeatureCollection = Schema.Struct({
  type: Schema.Literal("FeatureCollection"),
  source: Schema.NonEmptyString,
  endpoint: Schema.NonEmptyString,
  updated_at: Schema.NullOr(Instant),
  _meta: Meta,
  features: Schema.Array(
    Schema.Struct({
      type: Schema.Literal("Feature"),
      id: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Schema.Finite])),
      geometry: Schema.NullOr(
        Schema.Struct({
          type: Schema.Literal("Point"),
          coordinates: Schema.Tuple([Longitude, Latitude]).annotate({ description: "Longitude, then latitude" }),
        }),
      ).annotate({ description: "Null for an item without a known place" }),
      properties: Schema.Record(Schema.String, Schema.Json).annotate({
        description: "The members of the item as in JSON, without its coordinates",
      }),
    }),
  ),
}).annotate({ identifier: "FeatureCollection" })
export type FeatureCollection = typeof FeatureCollection.Type

const featureOf = ({ list, value }: Row, { place, hasId }: TableForm, fields: ReadonlySet<string> | null): Json => {
  const { latitude, longitude } = place ?? { latitude: "", longitude: "" }
  const { [latitude]: north, [longitude]: east, ...members } = value
  const hasPlace = typeof north === "number" && typeof east === "number"
  const { id } = members
  const shown =
    fields === null ? members : Object.fromEntries(Object.entries(members).filter(([name]) => fields.has(name)))
  return {
    type: "Feature",
    ...(hasId && (typeof id === "string" || typeof id === "number") ? { id } : {}),
    geometry: hasPlace ? { type: "Point", coordinates: [east, north] } : null,
    properties: list === null ? shown : { [LIST_COLUMN]: list, ...shown },
  }
}

/** Rows as the features of a collection, with the named members as properties; null: with all. */
export const featuresOf = ({ form, rows }: Rows, fields: ReadonlyArray<string> | null = null): ReadonlyArray<Json> => {
  const names = fields === null ? null : new Set(fields)
  return rows.map((row) => featureOf(row, form, names))
}
