// The formats in which the list of a reply is served.

/** Words of the parameter `format`; the first is the default. */
export const formats = ["json", "csv", "geojson", "atom"] as const
export type Format = (typeof formats)[number]

/** Media types of the formats. */
export const mediaTypeOf: Readonly<Record<Format, string>> = {
  json: "application/json",
  csv: "text/csv",
  geojson: "application/geo+json",
  atom: "application/atom+xml",
}

/** Names of the formats for people. */
export const formatLabels: Readonly<Record<Format, string>> = {
  json: "JSON",
  csv: "CSV",
  geojson: "GeoJSON",
  atom: "Atom",
}

/** `Content-Type` of the formats other than JSON. GeoJSON is UTF-8 by its standard, and its type takes no parameters. */
export const contentTypeOf: Readonly<Record<Exclude<Format, "json">, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  geojson: "application/geo+json",
  atom: "application/atom+xml; charset=utf-8",
}
