import { existsSync, readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import type { ChangelogEntry } from "./changelog.ts"
import type { Endpoint } from "./contract/endpoint-kinds.ts"
import { fieldsOf } from "./printers/fields.ts"
import { Components } from "./printers/openapi-components.ts"

// The fields that the contract serves, as one committed file: what leaves the contract shows as a difference, and needs an
// entry in the changelog, which needs its notice.

/** The places of the fields of an endpoint's data, by the endpoint's path. */
export type ServedFields = Readonly<Record<string, ReadonlyArray<string>>>

/** Where they are committed; `npm run snapshots` writes it. */
export const servedFieldsFile = new URL("served-fields.json", import.meta.url)
const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Array(Schema.String))),
)

/** The fields of these endpoints, in the order of their paths. */
export const servedFields = (endpoints: ReadonlyArray<Pick<Endpoint, "path" | "data">>): ServedFields =>
  Object.fromEntries(
    endpoints
      .map(
        ({ path, data }) =>
          [
            path,
            fieldsOf(new Components().schemaOf(data), { countMax: Number.POSITIVE_INFINITY }).map(({ place }) => place),
          ] as const,
      )
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )

/** The committed fields; none where there is no file. Throws where the file holds something else. */
export const committedFields = (file: URL = servedFieldsFile): ServedFields =>
  existsSync(file) ? decode(readFileSync(file, "utf8")) : {}

/** The text of the file. */
export const fieldsText = (fields: ServedFields): string => `${JSON.stringify(fields, null, 2)}\n`

const isWithin = (place: string, field: string): boolean =>
  place === field || (place.startsWith(field) && /^[.[]/.test(place.slice(field.length)))

/** Tests whether an entry removes this field, one that contains it, or its endpoint. A field may begin with `data.`. */
const says = (
  { kind, path, field }: ChangelogEntry,
  gone: { readonly path: string; readonly place: string },
): boolean =>
  kind === "removed" &&
  path === gone.path &&
  (field === undefined || isWithin(gone.place, field.replace(/^data\./, "")))

/**
 * What is gone without an entry `removed`, in words; `noticeFaults` tests the notice of each entry. Nothing is promised
 * before the first release.
 */
export const removalFaults = (
  before: ServedFields,
  now: ServedFields,
  entries: ReadonlyArray<ChangelogEntry>,
  firstReleaseDay: string | null,
): ReadonlyArray<string> =>
  firstReleaseDay === null
    ? []
    : Object.entries(before).flatMap(([path, places]) => {
        const served = now[path]
        if (served === undefined)
          return entries.some((entry) => entry.field === undefined && says(entry, { path, place: "" }))
            ? []
            : [`${path}: gone, and no entry of the changelog says so`]
        const kept = new Set(served)
        return places
          .filter((place) => !kept.has(place) && !entries.some((entry) => says(entry, { path, place })))
          .map((place) => `${path} ${place}: gone, and no entry of the changelog says so`)
      })
