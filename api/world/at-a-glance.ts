import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { Headline, Mark } from "../../schemas/contract/glance.ts"
import type { Point } from "../../schemas/endpoints/world.ts"
import { rounded } from "../../schemas/number.ts"
import type { DataText } from "../views/compose.ts"
import { shortText } from "./short-text.ts"

const VALUE_BYTES_MAX = 90
const NOTE_BYTES_MAX = 160
const POINT_TITLE_BYTES_MAX = 90
/** Larger data is not parsed for a glance: 512 KiB take some 4 ms of the thread that answers requests. */
export const GLANCE_DATA_BYTES_MAX = 512 * 1024

/** A point, and its size in JSON. */
export interface SizedPoint {
  readonly point: Point
  readonly bytes: number
}

/** What a glance at one version of an endpoint's data shows, as tiles and maps hold it. */
export interface MadeGlance {
  readonly headline: Headline
  readonly points: ReadonlyArray<SizedPoint>
  /** Why there is no headline; null where there is one. */
  readonly problem: string | null
}

const NOTHING: Headline = { value: null, unit: null, note: "" }

const shortHeadline = ({ value, unit, note }: Headline): Headline => ({
  value: typeof value === "string" ? shortText(value, VALUE_BYTES_MAX) : value,
  unit,
  note: shortText(note, NOTE_BYTES_MAX),
})

const sizedPoint = ({ latitude, longitude, title, weight, at }: Mark): SizedPoint => {
  const point = {
    lat: rounded(latitude, 2),
    lon: rounded(longitude, 2),
    weight: rounded(weight, 2),
    at,
    title: shortText(title, POINT_TITLE_BYTES_MAX),
  }
  return { point, bytes: Buffer.byteLength(JSON.stringify(point)) }
}

/** Makes the glance at data. Throws what the endpoint's functions throw, as for data that another version wrote. */
export const makeGlance = ({ glance }: ViewEndpoint, { bytes }: DataText): MadeGlance => {
  if (glance === null) throw new Error("the endpoint declares no glance")
  if (bytes.length > GLANCE_DATA_BYTES_MAX)
    return { headline: NOTHING, points: [], problem: "too long for an overview: see the endpoint" }
  const data: unknown = JSON.parse(bytes.toString())
  return {
    headline: shortHeadline(glance.headline(data)),
    points: (glance.marks?.(data) ?? []).map(sizedPoint),
    problem: null,
  }
}

/** The glance at data that could not be read. */
export const failedGlance: MadeGlance = { headline: NOTHING, points: [], problem: "the data could not be read" }
