const EARTH_RADIUS_KM = 6371
const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** A point by its coordinates in degrees. */
export interface Point {
  readonly latitude: number
  readonly longitude: number
}

/** The distance of two points on the surface of the Earth, in kilometres (haversine formula on a sphere). */
export const distanceKm = (one: Point, other: Point): number => {
  const [north, south] = [radians(one.latitude), radians(other.latitude)]
  const half = (angle: number): number => Math.sin(angle / 2) ** 2
  const chord = half(south - north) + Math.cos(north) * Math.cos(south) * half(radians(other.longitude - one.longitude))
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}
