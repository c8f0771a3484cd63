import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isDay } from "./day.ts"
import type { Json } from "./json.ts"
import type { Topic } from "./topics.ts"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u

/** Whether day and time of a text in the form of an instant exist. `Date` reads 30 February and 24 o'clock as the day after. */
const exists = (text: string): boolean =>
  isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))) &&
  text.slice(11, 13) < "24" &&
  text.slice(14, 15) < "6" &&
  text.slice(17, 18) < "6"

/** Whether a text is an `Instant`. */
export const isInstant = (text: string): boolean => INSTANT.test(text) && exists(text)

/** An instant as ISO 8601 in UTC with milliseconds, the only form in which events hold a time. */
export const Instant = Schema.String.check(
  Schema.makeFilter((text) =>
    exists(text) ? undefined : "must be an instant that exists, as 2026-08-17T20:35:00.000Z",
  ),
  // The last check gives the published schema its pattern and its name.
  Schema.isPattern(INSTANT),
).annotate({
  identifier: "Instant",
  description: "ISO 8601 instant in UTC with milliseconds",
})

let lastMs = Number.NaN
let lastInstant = ""

/** The `Instant` of a number of milliseconds since the epoch. The last one is remembered: what is stamped together has one time. */
export const instant = (epochMs: number): string => {
  if (epochMs !== lastMs) {
    lastInstant = new Date(epochMs).toISOString()
    lastMs = epochMs
  }
  return lastInstant
}

/** An event in the log: CloudEvents 1.0 attributes, the version of the type's schema, and the data. */
export interface Envelope<Type extends string = string, Data = Json> {
  readonly specversion: "1.0"
  readonly id: string
  readonly source: string
  readonly type: Type
  readonly subject: string
  readonly time: string
  readonly datacontenttype: "application/json"
  readonly v: number
  /** The cursor of a numbered change: see schemas/change.ts. Absent from every other event. */
  readonly sequence?: string
  readonly data: Data
}

/** An earlier version of an event type. `upcast` turns its data into the data of the version that follows it. */
export interface EarlierVersion {
  readonly version: number
  readonly data: Schema.Codec<unknown, unknown>
  readonly upcast: (data: never) => unknown
}

/** A type of event, named in the past tense: its topic, the schema of its data, and the upcasters of earlier versions. */
export interface EventType<Type extends string = string, Data = unknown> {
  readonly _tag: "EventType"
  readonly type: Type
  readonly topic: Topic
  readonly version: number
  readonly description: string
  readonly data: Schema.Codec<Data, unknown>
  readonly earlier: ReadonlyArray<EarlierVersion>
}

/** The decoded data of an event type. */
export type DataOf<E> = E extends EventType<string, infer Data> ? Data : never
/** The envelope of an event type. */
export type EventOf<E> = E extends EventType<infer Type, infer Data> ? Envelope<Type, Data> : never

/**
 * Declares an event type. `earlier` holds every version below `version`, oldest first and without a gap: a released
 * version is never edited, and can never be written again.
 */
export const eventType = <const Type extends string, Data>(definition: {
  readonly type: Type
  readonly topic: Topic
  readonly version: number
  readonly description: string
  readonly data: Schema.Codec<Data, unknown>
  readonly earlier?: ReadonlyArray<EarlierVersion>
}): EventType<Type, Data> => {
  const earlier = definition.earlier ?? []
  if (earlier.length !== definition.version - 1 || earlier.some((one, index) => one.version !== index + 1))
    throw new Error(`${definition.type} v${definition.version} must list every version before it, in order`)
  return { _tag: "EventType", ...definition, earlier }
}

/** The event was written by a newer release: the reader stops there and skips nothing. */
export class NewerEvent extends Schema.TaggedError<NewerEvent>()("NewerEvent", {
  type: Schema.String,
  version: Schema.Int,
  known: Schema.Int,
}) {
  override get message() {
    return `event ${this.type} v${this.version} is newer than this reader (it reads up to v${this.known})`
  }
}

/** The bytes are not an event of a known type, or its data does not have the form of its version. */
export class MalformedEvent extends Schema.TaggedError<MalformedEvent>()("MalformedEvent", { problem: Schema.String }) {
  override get message() {
    return `not an event: ${this.problem}`
  }
}

/** Builds an event. Time and id are arguments: the caller owns the clock. */
export const makeEvent = <Type extends string, Data>(
  type: EventType<Type, Data>,
  fields: {
    readonly id: string
    readonly source: string
    readonly subject: string
    readonly time: string
    readonly data: Data
  },
): Envelope<Type, Data> => ({
  specversion: "1.0",
  id: fields.id,
  source: fields.source,
  type: type.type,
  subject: fields.subject,
  time: fields.time,
  datacontenttype: "application/json",
  v: type.version,
  data: fields.data,
})

const encoder = new TextEncoder()

/** Logs give buffers: `Buffer.toString` is twice as fast as `TextDecoder` for texts of this size. */
const textOf = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString()

/** The bytes of an event as the log keeps them. */
export const encodeEvent = (event: Envelope<string, unknown>): Uint8Array => encoder.encode(JSON.stringify(event))

/** Reads events of the given types from stored bytes. Types are looked up by name; see `readEvent` and `decodeEvent`. */
export interface EventReader {
  /**
   * Parses, refuses newer events, and upcasts, without checking the data of the current version against its schema:
   * it was checked when it was written, and folds read millions.
   */
  readonly readEvent: (bytes: Uint8Array) => Result.Result<Envelope<string, unknown>, NewerEvent | MalformedEvent>
  /** Like `readEvent`, and checks time and data, this against the schema of its version: for audits and suspected damage. */
  readonly decodeEvent: (bytes: Uint8Array) => Result.Result<Envelope<string, unknown>, NewerEvent | MalformedEvent>
}

interface KnownType {
  readonly type: EventType
  readonly decoders: ReadonlyArray<(data: unknown) => Result.Result<unknown, Schema.SchemaError>>
}

const isEnvelope = (value: unknown): value is Envelope<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string" &&
  "v" in value &&
  Number.isInteger(value.v) &&
  "id" in value &&
  typeof value.id === "string" &&
  "time" in value &&
  typeof value.time === "string" &&
  "data" in value

/** Makes the reader of a set of event types. */
export const makeEventReader = (types: ReadonlyArray<EventType>): EventReader => {
  const known = new Map<string, KnownType>(
    types.map((type) => [
      type.type,
      { type, decoders: [...type.earlier, type].map((version) => Schema.decodeUnknownResult(version.data)) },
    ]),
  )
  const read = (bytes: Uint8Array, check: boolean) => {
    let envelope: unknown
    try {
      envelope = JSON.parse(textOf(bytes))
    } catch (cause) {
      return Result.fail(new MalformedEvent({ problem: `not JSON (${String(cause)})` }))
    }
    if (!isEnvelope(envelope)) return Result.fail(new MalformedEvent({ problem: "the envelope lacks a member" }))
    const found = known.get(envelope.type)
    // An unknown type was added by a newer release: skipping its events would lose them.
    if (found === undefined) return Result.fail(new NewerEvent({ type: envelope.type, version: envelope.v, known: 0 }))
    const { type, decoders } = found
    if (envelope.v > type.version)
      return Result.fail(new NewerEvent({ type: type.type, version: envelope.v, known: type.version }))
    if (envelope.v < 1) return Result.fail(new MalformedEvent({ problem: `${type.type} has no version ${envelope.v}` }))
    if (check && !isInstant(envelope.time))
      return Result.fail(new MalformedEvent({ problem: "its time is no instant" }))
    // Freshly parsed and unshared, so no copy is needed.
    if (!check && envelope.v === type.version) return Result.succeed(envelope)
    // Old data is always decoded before it is upcast: an upcaster may rely on its input's form.
    const decoded = decoders[envelope.v - 1]?.(envelope.data)
    if (decoded === undefined || Result.isFailure(decoded))
      return Result.fail(
        new MalformedEvent({
          problem: `${type.type} v${envelope.v}: ${decoded?.failure.message ?? "unknown version"}`,
        }),
      )
    let data = decoded.success
    for (const version of type.earlier.slice(envelope.v - 1)) data = version.upcast(data as never)
    return Result.succeed({ ...envelope, v: type.version, data })
  }
  return { readEvent: (bytes) => read(bytes, false), decodeEvent: (bytes) => read(bytes, true) }
}
