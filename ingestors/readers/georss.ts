import { within } from "./numbers.ts"
import type { Point } from "./places.ts"
import { decimalOrNull } from "./text-numbers.ts"

/** The point of two coordinates in degrees; null where either is missing or out of range, as half a position is none. */
export const pointOrNull = (latitude: number | null, longitude: number | null): Point | null => {
  const [north, east] = [within(latitude, -90, 90), within(longitude, -180, 180)]
  return north === null || east === null ? null : { latitude: north, longitude: east }
}

/** The point of a `georss:point`, which is "latitude longitude" in degrees; null for any other text. */
export const georssPoint = (text: string | null | undefined): Point | null => {
  const [latitude, longitude, ...others] = (text ?? "").trim().split(/[\s,]+/)
  return others.length > 0 ? null : pointOrNull(decimalOrNull(latitude), decimalOrNull(longitude))
}
