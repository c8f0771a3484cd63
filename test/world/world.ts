import { hash } from "node:crypto"
import { LRUCache } from "lru-cache"

/**
 * A seeded world that evolves with time and holds no state: whatever happens at an instant is a function of the seed and
 * the instant. So all upstreams agree on the same event, a restart changes nothing, and a test can compute what
 * was true at any time.
 */
export interface World {
  readonly seed: string
  /** The world's time, in milliseconds since the epoch. */
  readonly nowMs: number
  /** A number in [0, 1) that the seed and the labels alone decide. */
  readonly random: (...labels: ReadonlyArray<string | number>) => number
  /** Happenings of a kind that occur about `perHour` times an hour, in [fromMs, toMs), oldest first. */
  readonly happenings: (kind: string, perHour: number, fromMs: number, toMs: number) => ReadonlyArray<Happening>
  /** A value that wanders smoothly around `centre` within `spread`, with about one turn in `periodMs`. */
  readonly wander: (label: string, centre: number, spread: number, periodMs: number, atMs?: number) => number
}

/** Something that happened in the world. `random` belongs to it: the same labels give the same numbers for ever. */
export interface Happening {
  /** Ten hexadecimal digits, unique within its kind. */
  readonly id: string
  readonly atMs: number
  readonly random: (label: string) => number
}

const SLOT_MS = 10 * 60_000

const digest = (text: string): string => hash("sha256", text)
/** The first six bytes of a digest. */
const fraction = (text: string): number => Number.parseInt(digest(text).slice(0, 12), 16) / 2 ** 48

/** Bound of cached slots: past events do not change, and the upstreams of a month repeat thousands of them. */
const SLOTS_KEPT = 20_000
const slotsKept = new LRUCache<string, ReadonlyArray<Happening>>({ max: SLOTS_KEPT })

/** Bound of cached phases, three for each label of a wandering value. */
const PHASES_KEPT = 10_000
const phasesKept = new LRUCache<string, readonly [number, number, number]>({ max: PHASES_KEPT })

/** Random numbers as functions of their labels, cached. */
const drawnOnce = (draw: (label: string) => number): ((label: string) => number) => {
  const drawn = new Map<string, number>()
  return (label) => {
    const known = drawn.get(label)
    if (known !== undefined) return known
    const number = draw(label)
    drawn.set(label, number)
    return number
  }
}

/** The world of a seed at an instant. */
export const worldAt = (seed: string, nowMs: number): World => {
  const random: World["random"] = (...labels) => fraction([seed, ...labels].join("\u0000"))

  const phasesOf = (label: string): readonly [number, number, number] => {
    const key = [seed, label].join("\u0000")
    const kept = phasesKept.get(key)
    if (kept !== undefined) return kept
    const phase = (name: string) => random("wander", label, name) * 2 * Math.PI
    const phases = [phase("a"), phase("b"), phase("c")] as const
    phasesKept.set(key, phases)
    return phases
  }

  const happeningsOfSlot = (kind: string, perHour: number, slot: number): ReadonlyArray<Happening> => {
    const key = [seed, kind, perHour, slot].join("\u0000")
    const kept = slotsKept.get(key)
    if (kept !== undefined) return kept
    const expected = (perHour * SLOT_MS) / 3_600_000
    const count = Math.floor(expected) + (random(kind, slot, "count") < expected % 1 ? 1 : 0)
    const happenings = Array.from({ length: count }, (_, index) => ({
      id: digest([seed, kind, slot, index].join("\u0000")).slice(0, 10),
      atMs: slot * SLOT_MS + Math.floor(random(kind, slot, index, "at") * SLOT_MS),
      random: drawnOnce((label) => random(kind, slot, index, label)),
    }))
    slotsKept.set(key, happenings)
    return happenings
  }

  return {
    seed,
    nowMs,
    random,
    happenings: (kind, perHour, fromMs, toMs) => {
      const slots = Array.from(
        { length: Math.floor(toMs / SLOT_MS) - Math.floor(fromMs / SLOT_MS) + 1 },
        (_, index) => Math.floor(fromMs / SLOT_MS) + index,
      )
      return slots
        .flatMap((slot) => happeningsOfSlot(kind, perHour, slot))
        .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
        .sort((a, b) => a.atMs - b.atMs)
    },
    wander: (label, centre, spread, periodMs, atMs = nowMs) => {
      // Three sines whose periods have no common multiple: smooth, bounded, and different for each label.
      const turn = (atMs / periodMs) * 2 * Math.PI
      const [a, b, c] = phasesOf(label)
      return (
        centre +
        spread * (0.6 * Math.sin(turn + a) + 0.3 * Math.sin(turn * 2.618 + b) + 0.1 * Math.sin(turn * 7.389 + c))
      )
    },
  }
}

const MINUTE_MS = 60_000

/** A quake of the world, published by every upstream of quakes. */
export interface Quake {
  readonly id: string
  readonly atMs: number
  readonly revisedAtMs: number
  readonly magnitude: number
  readonly latitude: number
  readonly longitude: number
  readonly depthKm: number
  readonly place: string
}

const regions = [
  { place: "Kodiak, Alaska", latitude: 57, longitude: -154 },
  { place: "Ridgecrest, California", latitude: 35.6, longitude: -117.6 },
  { place: "Hualien City, Taiwan", latitude: 24, longitude: 121.6 },
  { place: "Iquique, Chile", latitude: -20.2, longitude: -70.1 },
  { place: "Honshu, Japan", latitude: 38, longitude: 142 },
  { place: "Tadine, New Caledonia", latitude: -22, longitude: 168 },
] as const

/** Small quakes near dense networks, and those that are recorded worldwide: some seventeen a day from magnitude 4.4. */
const quakeKinds = [
  { kind: "quake", perHour: 8, least: 0.8 },
  { kind: "strong quake", perHour: 0.7, least: 4.4 },
] as const

/** The quakes of the world in [fromMs, toMs), oldest first: about nine an hour, magnitudes by Gutenberg and Richter. */
export const quakes = (world: World, fromMs: number, toMs: number): ReadonlyArray<Quake> =>
  quakeKinds
    .flatMap(({ kind, perHour, least }) =>
      world.happenings(kind, perHour, fromMs, toMs).map((happening) => quakeOf(world, happening, least)),
    )
    .sort((one, other) => one.atMs - other.atMs)

const quakeOf = (world: World, { id, atMs, random }: Happening, least: number): Quake => {
  const region = regions[Math.floor(random("region") * regions.length)] ?? regions[0]
  const magnitude = Math.min(9, least - Math.log10(1 - random("magnitude")))
  // An agency revises a quake once, some minutes after it was first catalogued.
  const revisionMs = (3 + random("revision") * 20) * MINUTE_MS
  const revised = world.nowMs >= atMs + revisionMs
  return {
    id: `tw${id}`,
    atMs,
    revisedAtMs: Math.round(revised ? atMs + revisionMs : atMs + MINUTE_MS),
    magnitude: Math.round((revised ? magnitude + (random("correction") - 0.5) * 0.2 : magnitude) * 10) / 10,
    latitude: Math.round((region.latitude + (random("latitude") - 0.5) * 4) * 1e4) / 1e4,
    longitude: Math.round((region.longitude + (random("longitude") - 0.5) * 4) * 1e4) / 1e4,
    depthKm: Math.round((5 + random("depth") * 80) * 10) / 10,
    place: `${Math.round(random("distance") * 150)} km S of ${region.place}`,
  }
}
