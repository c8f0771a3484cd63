// How the page of the world shows tiles and points: shared by the server, which renders the page, and by the browser, which
// updates it.

/**
 * @typedef {object} Tile A tile of /world.json.
 * @property {string} name
 * @property {string} title
 * @property {number | string | null} value
 * @property {string | null} unit
 * @property {string} note
 * @property {string | null} as_of
 * @property {string | null} stale_after
 * @property {"live" | "fallback" | "error" | "stale" | "warming" | "unknown" | "not_configured" | "not_licensed"} status
 * @property {string | null} reason
 */

/**
 * @typedef {object} Point A place of /world.json.
 * @property {number} lat
 * @property {number} lon
 * @property {number} weight
 * @property {string | null} at
 * @property {string} title
 */

/**
 * @typedef {object} Layer The places of one endpoint.
 * @property {string} name
 * @property {ReadonlyArray<Point>} points
 * @property {number} omitted
 * @property {boolean} known False where the places could not be read.
 * @property {boolean} harmless Whether the places are no danger, as launches.
 */

/**
 * @typedef {object} World /world.json, as far as the page shows it.
 * @property {string} generated_at
 * @property {ReadonlyArray<Tile>} tiles
 * @property {ReadonlyArray<Layer>} marks
 */

const FRACTION_DIGITS_MAX = 4
/** Numbers below 1 keep so many digits: a price of 0.00004124 is not 0. */
const SMALL_DIGITS_MAX = 4
/** Longer words stand in smaller type. */
const LARGE_WORDS_MAX_CHARACTERS = 10
/** Lighter points are not listed: an earthquake below magnitude 4, a message that is not active. */
const SEVERE_MIN = 0.3

/** Numbers that need no rounding to the digits above. They are written without `Intl`, whose first number delays a page by many milliseconds. */
const EXACT = /^-?(?:[1-9]\d{0,14}(?:\.\d{1,4})?|0(?:\.0*[1-9]\d{0,3})?)$/
const THOUSANDS = /\B(?=(?:\d{3})+$)/g

// Made once and when they are needed: to make one takes longer than all that it writes.
/** @type {Intl.NumberFormat | undefined} */
let formatOfLarge
/** @type {Intl.NumberFormat | undefined} */
let formatOfSmall
const large = () => (formatOfLarge ??= new Intl.NumberFormat("en-US", { maximumFractionDigits: FRACTION_DIGITS_MAX }))
const small = () => (formatOfSmall ??= new Intl.NumberFormat("en-US", { maximumSignificantDigits: SMALL_DIGITS_MAX }))

/** @param {number} value */
const numberText = (value) => {
  const text = String(value)
  if (!EXACT.test(text)) return (Math.abs(value) < 1 ? small() : large()).format(value)
  const [whole = "", fraction] = text.split(".")
  const grouped = whole.replace(THOUSANDS, ",")
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/**
 * A value as text.
 * @param {Tile["value"]} value
 */
export const valueText = (value) => {
  if (value === null) return "not known"
  return typeof value === "string" ? value : numberText(value)
}

/**
 * The style of a value: a number, words, or missing.
 * @param {Tile["value"]} value
 * @returns {"number" | "words" | "missing"}
 */
export const valueKind = (value) => {
  if (value === null) return "missing"
  return typeof value === "string" && value.length > LARGE_WORDS_MAX_CHARACTERS ? "words" : "number"
}

/**
 * An instant to the second, in words that need no script to be true.
 * @param {string} instant
 */
export const instantText = (instant) => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`

/**
 * Whether data of this state is within its promise.
 * @param {Tile["status"]} status
 */
export const isCurrent = (status) => ["live", "fallback", "error"].includes(status)

/** @type {Readonly<Record<Tile["status"], { readonly sign: "good" | "warn" | "bad" | "missed", readonly words: string }>>} */
const states = {
  live: { sign: "good", words: "Live" },
  fallback: { sign: "warn", words: "Second source" },
  error: { sign: "warn", words: "Not readable" },
  stale: { sign: "bad", words: "Stale" },
  warming: { sign: "missed", words: "No data yet" },
  unknown: { sign: "missed", words: "Not known" },
  not_configured: { sign: "missed", words: "Not configured" },
  not_licensed: { sign: "missed", words: "Not licensed" },
}

/** The same of an earlier instant. @type {Partial<Readonly<Record<Tile["status"], string>>>} */
const wordsThen = { live: "Current then", warming: "No data then" }

const UNREACHABLE = "Source unreachable, retrying"
const UNREADABLE = "Source sends what cannot be read, retrying"
const LIMITED = "Source is used up for now, retrying"

/** What a failing source does, by the code that its reason begins with. @type {Readonly<Record<string, string>>} */
const failures = {
  timeout: UNREACHABLE,
  unreachable: UNREACHABLE,
  circuit_open: UNREACHABLE,
  status: "Source fails, retrying",
  upstream_error: "Source fails, retrying",
  undecodable: UNREADABLE,
  too_large: UNREADABLE,
  redirect: UNREADABLE,
  rate_limited: LIMITED,
  budget_exhausted: LIMITED,
  key_refused: "Source refuses the key",
}

const REASON = /^([a-z_]+): */

/**
 * The state of a tile's data, as a sign and in words.
 * @param {Pick<Tile, "status" | "stale_after"> & { readonly reason?: string | null }} tile
 * @param {boolean} [isPast] Whether it is of an earlier instant; false unless given.
 */
export const stateOf = ({ status, stale_after: since, reason }, isPast = false) => {
  const { sign, words } = states[status]
  const [, code = ""] = REASON.exec(reason ?? "") ?? []
  const failure = failures[code]
  if (failure !== undefined && status === "error") return { sign, words: failure }
  if (failure !== undefined && status === "warming" && !isPast) return { sign, words: `${words}. ${failure}` }
  if (status === "stale" && since !== null) return { sign, words: `${words} since ${instantText(since)}` }
  return { sign, words: (isPast ? wordsThen[status] : undefined) ?? words }
}

/**
 * Why data is not live, without the code that programs read.
 * @param {string | null} reason
 */
export const detailText = (reason) => (reason ?? "").replace(REASON, "").replaceAll("_", " ")

/**
 * Why there is no data, in words: what its source does, else the reason without its code.
 * @param {string} reason
 */
export const missingText = (reason) => {
  const [, code = ""] = REASON.exec(reason) ?? []
  return failures[code] ?? detailText(reason)
}

const SIZE_MIN_DEGREES = 2.5
const SIZE_MORE_DEGREES = 5

/**
 * A place on a map whose units are degrees, its origin at 180 degrees west and 90 north.
 * @param {Pick<Point, "lat" | "lon">} point
 */
export const placeOf = ({ lat, lon }) => ({ x: lon + 180, y: 90 - lat })

/**
 * The square of a point on the map that needs no script.
 * @param {Point} point
 */
export const squareOf = (point) => {
  const { x, y } = placeOf(point)
  const size = SIZE_MIN_DEGREES + SIZE_MORE_DEGREES * point.weight
  return { x: (x - size / 2).toFixed(3), y: (y - size / 2).toFixed(3), size: size.toFixed(2) }
}

const HUNDREDTHS = 100
const rounded = (/** @type {number} */ value) => Math.round(value * HUNDREDTHS) / HUNDREDTHS

/**
 * The point that an element of the map shows, which `squareOf` has placed.
 * @param {Pick<Element, "getAttribute" | "textContent">} use
 * @returns {Point}
 */
export const pointIn = (use) => {
  const [x, y, size] = ["x", "y", "width"].map((name) => Number(use.getAttribute(name)))
  const [left, top, width] = [x ?? 0, y ?? 0, size ?? 0]
  return {
    lat: rounded(90 - top - width / 2),
    lon: rounded(left + width / 2 - 180),
    weight: rounded((width - SIZE_MIN_DEGREES) / SIZE_MORE_DEGREES),
    at: use.getAttribute("data-at"),
    title: use.textContent ?? "",
  }
}

/**
 * How many points of a layer are shown, and of how many; a dash where that is not known.
 * @param {Layer} layer
 */
export const countText = ({ points, omitted, known }) => {
  if (!known) return "\u2013"
  return omitted === 0 ? String(points.length) : `${points.length} of ${points.length + omitted}`
}

/**
 * Whether the places of a layer are those of now: read, and within the promise of their feed.
 * @param {Pick<Layer, "name" | "known">} layer
 * @param {ReadonlyArray<Pick<Tile, "name" | "status">>} tiles
 */
export const isCurrentLayer = ({ name, known }, tiles) =>
  known && tiles.some((tile) => tile.name === name && isCurrent(tile.status))

/**
 * What stands in place of an empty list of severe places. "Nothing severe" is said only where every kind of place was read
 * and is current.
 * @param {{ readonly marks: ReadonlyArray<Pick<Layer, "name" | "known" | "harmless">>, readonly tiles: ReadonlyArray<Pick<Tile, "name" | "status">> }} world
 */
export const emptyText = ({ marks, tiles }) => {
  const hazards = marks.filter(({ harmless }) => !harmless)
  const others = hazards.filter((layer) => !isCurrentLayer(layer, tiles)).length
  return others === 0
    ? "Nothing severe"
    : `Not known: ${others} of ${hazards.length} kinds of places were not read, or are stale`
}

/**
 * The state of all feeds, by the data and not by the connection: how many are current, and what the others are. Feeds
 * that are not polled here are not counted.
 * @param {ReadonlyArray<Pick<Tile, "status">>} tiles
 * @returns {{ readonly sign: "good" | "warn" | "bad" | "missed", readonly words: string }}
 */
export const standingOf = (tiles) => {
  const polled = tiles.filter(({ status }) => status !== "not_configured" && status !== "not_licensed")
  const count = (/** @type {Tile["status"]} */ status) => polled.filter((tile) => tile.status === status).length
  const [all, stale, missing] = [polled.length, count("stale"), count("warming") + count("unknown")]
  if (missing === all) return { sign: "missed", words: `No data yet (0 of ${all})` }
  const others = [stale === 0 ? "" : `${stale} stale`, missing === 0 ? "" : `${missing} without data`].filter(Boolean)
  const words = [`${all - stale - missing} of ${all} current`, ...others].join(", ")
  return { sign: others.length === 0 ? "good" : 2 * (stale + missing) < all ? "warn" : "bad", words }
}

/**
 * The most severe point of each kind of hazard, the heavier before the lighter.
 * @param {ReadonlyArray<Layer>} layers
 */
export const severest = (layers) =>
  layers
    .flatMap(({ name, points: [point], harmless }) =>
      point === undefined || harmless || point.weight < SEVERE_MIN ? [] : [{ name, point }],
    )
    .sort((one, other) => other.point.weight - one.point.weight)
