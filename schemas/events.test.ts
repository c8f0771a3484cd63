import { readdirSync, readFileSync } from "node:fs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import {
  type EventType,
  encodeEvent,
  eventType,
  type MalformedEvent,
  makeEventReader,
  type NewerEvent,
} from "./event.ts"
import { valueFeed } from "./feed.ts"
import { eventReader, eventTypes, feeds } from "./registry.ts"
import { breakingChanges } from "./snapshots/compatibility.ts"
import { committedSnapshots, currentSnapshots, drift, type Snapshot, samplesDirectory } from "./snapshots/snapshot.ts"

const samples = readdirSync(samplesDirectory)
  .filter((name) => name.endsWith(".json"))
  .sort()
const sampleBytes = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, samplesDirectory)))

describe("the committed contract of events and payloads", () => {
  it("is what the code says; `npm run snapshots` writes what is new and refuses what breaks", () => {
    expect(drift(committedSnapshots(), currentSnapshots(eventTypes, feeds.values()))).toEqual([])
  })

  it("has a sample of every version of every event", () => {
    const sampled = new Set(samples.map((name) => /^(.+\.v\d+)(?:\..+)?\.json$/.exec(name)?.[1]))
    const versions = eventTypes.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, index) => `${type}.v${index + 1}`),
    )
    expect(versions.filter((one) => !sampled.has(one))).toEqual([])
  })

  it.each(samples)("decodes %s for ever, into the current version", (name) => {
    const decoded = Result.getOrThrow(eventReader.decodeEvent(sampleBytes(name)))
    const type = eventTypes.find((one) => one.type === decoded.type)
    expect(name.startsWith(`${decoded.type}.v`)).toBe(true)
    expect(decoded.v).toBe(type?.version)
  })

  it.each(samples)("says that %s is newer, or malformed, when it is", (name) => {
    const event = JSON.parse(new TextDecoder().decode(sampleBytes(name)))
    const failureOf = (changed: object) =>
      Result.getOrThrow(Result.flip(eventReader.decodeEvent(encodeEvent({ ...event, ...changed }))))
    expect(failureOf({ v: 1000 })).toMatchObject({ _tag: "NewerEvent", type: event.type, version: 1000 })
    expect(failureOf({ type: "not.yet.known" })).toMatchObject({ _tag: "NewerEvent", known: 0 })
    expect(failureOf({ data: null })._tag).toBe("MalformedEvent")
    expect(failureOf({ v: 0 })._tag).toBe("MalformedEvent")
  })
})

describe("a breaking change", () => {
  const before = Schema.Struct({
    name: Schema.String,
    size: Schema.Finite,
    kind: Schema.Literals(["a", "b"]),
    note: Schema.optionalKey(Schema.String),
    tags: Schema.Array(Schema.NullOr(Schema.String)),
    inner: Schema.Struct({ at: Schema.Int }),
  })
  const { fields } = before
  const problemsOf = (after: Schema.Constraint): ReadonlyArray<string> => {
    const doc = Schema.toJsonSchemaDocument
    return breakingChanges(doc(before), doc(after))
  }

  it.each<[string, Schema.Constraint, string]>([
    [
      "removes a member",
      Schema.Struct({ ...fields, name: Schema.optionalKey(Schema.Never) }).mapFields(({ name: _, ...rest }) => rest),
      "data.name: removed",
    ],
    [
      "renames a member",
      Schema.Struct({ ...fields, inner: Schema.Struct({ time: Schema.Int }) }),
      "data.inner.at: removed",
    ],
    ["requires a new member", Schema.Struct({ ...fields, more: Schema.String }), "data.more: newly required"],
    ["requires what was optional", Schema.Struct({ ...fields, note: Schema.String }), "data.note: newly required"],
    ["narrows a type", Schema.Struct({ ...fields, size: Schema.Int }), "data.size: no longer accepts number"],
    ["changes a type", Schema.Struct({ ...fields, size: Schema.String }), "data.size: no longer accepts number"],
    ["drops a word", Schema.Struct({ ...fields, kind: Schema.Literals(["a"]) }), 'data.kind: value "b" removed'],
    [
      "bounds a text",
      Schema.Struct({ ...fields, name: Schema.NonEmptyString }),
      "data.name: minLength narrowed from none to 1",
    ],
    [
      "bounds a number",
      Schema.Struct({ ...fields, size: Schema.Finite.check(Schema.isGreaterThan(0)) }),
      "data.size: exclusiveMinimum narrowed from none to 0",
    ],
    [
      "adds a pattern",
      Schema.Struct({ ...fields, name: Schema.String.check(Schema.isPattern(/^x/u)) }),
      "data.name: pattern changed from none to ^x",
    ],
    [
      "no longer accepts null",
      Schema.Struct({ ...fields, tags: Schema.Array(Schema.String) }),
      "data.tags[]: no longer accepts null",
    ],
  ])("is seen when a version %s", (_, after, problem) => {
    expect(problemsOf(after)).toContain(problem)
  })

  it.each<[string, Schema.Constraint]>([
    ["nothing changes", before],
    ["an optional member is new", Schema.Struct({ ...fields, more: Schema.optionalKey(Schema.String) })],
    ["a word is new", Schema.Struct({ ...fields, kind: Schema.Literals(["a", "b", "c"]) })],
    ["null is new", Schema.Struct({ ...fields, size: Schema.NullOr(Schema.Finite) })],
    ["a member becomes optional", Schema.Struct({ ...fields, size: Schema.optionalKey(Schema.Finite) })],
  ])("is not seen when %s", (_, after) => {
    expect(problemsOf(after)).toEqual([])
  })

  it("of a committed snapshot fails, as do a missing and a withdrawn one; a compatible one asks for `npm run snapshots`", () => {
    const one = (data: Schema.Codec<unknown, unknown>) =>
      eventType({ type: "thing.seen", topic: "observations", version: 1, description: "", data })
    const current = (data: Schema.Codec<unknown, unknown>) => currentSnapshots([one(data)], [])
    const text = Schema.Struct({ name: Schema.String })
    const wider = Schema.Struct({ name: Schema.String, more: Schema.optionalKey(Schema.String) })
    const other = Schema.Struct({ title: Schema.String })
    const file = "thing.seen.v1.json"
    expect(drift(current(text), current(text))).toEqual([])
    expect(drift(current(text), current(wider))).toEqual([{ _tag: "Compatible", file }])
    expect(drift(current(text), current(other))).toMatchObject([{ _tag: "Breaking", file }])
    expect(drift(new Map<string, Snapshot>(), current(text))).toEqual([{ _tag: "Missing", file }])
    expect(drift(current(text), new Map<string, Snapshot>())).toEqual([{ _tag: "Withdrawn", file }])
    const payload = valueFeed({ name: "things", description: "", value: text, key: "thing" })
    expect([...currentSnapshots([], [payload]).keys()]).toEqual(["feeds/things.json"])
  })
})

describe("an event with versions", () => {
  // How a version is added: version 1 moves to `earlier`, word for word, with the function that makes version 2 of it.
  const MeasuredV1 = Schema.Struct({ place: Schema.String, fahrenheit: Schema.Finite })
  const MeasuredV2 = Schema.Struct({ place: Schema.String, celsius: Schema.Finite })
  const MeasuredV3 = Schema.Struct({
    place: Schema.String,
    celsius: Schema.Finite,
    station: Schema.NullOr(Schema.String),
  })
  const measured = eventType({
    type: "temperature.measured",
    topic: "observations",
    version: 3,
    description: "A temperature was measured (of tests only).",
    data: MeasuredV3,
    earlier: [
      {
        version: 1,
        data: MeasuredV1,
        upcast: ({ place, fahrenheit }: typeof MeasuredV1.Type): typeof MeasuredV2.Type => ({
          place,
          celsius: ((fahrenheit - 32) * 5) / 9,
        }),
      },
      {
        version: 2,
        data: MeasuredV2,
        upcast: (data: typeof MeasuredV2.Type): typeof MeasuredV3.Type => ({ ...data, station: null }),
      },
    ],
  })
  const reader = makeEventReader([measured as unknown as EventType])
  const stored = (v: number, data: unknown): Uint8Array =>
    encodeEvent({
      specversion: "1.0",
      id: "x",
      source: "test",
      type: measured.type,
      subject: "here",
      time: "2026-01-01T00:00:00.000Z",
      datacontenttype: "application/json",
      v,
      data,
    })

  it.each([
    [1, { place: "here", fahrenheit: 212 }],
    [2, { place: "here", celsius: 100 }],
    [3, { place: "here", celsius: 100, station: null }],
  ])("is read as the newest, whichever version was written: v%i", (version, data) => {
    for (const read of [reader.readEvent, reader.decodeEvent])
      expect(Result.getOrThrow(read(stored(version, data)))).toMatchObject({
        v: 3,
        data: { place: "here", celsius: 100, station: null },
      })
  })

  it("refuses old data that does not have the form of its version, before it is upcast", () => {
    const failure: NewerEvent | MalformedEvent = Result.getOrThrow(
      Result.flip(reader.readEvent(stored(1, { place: "here", celsius: 1 }))),
    )
    expect(failure._tag).toBe("MalformedEvent")
  })

  it("stops a reader that is older than the event", () => {
    expect(Result.getOrThrow(Result.flip(reader.readEvent(stored(4, {}))))).toMatchObject({ version: 4, known: 3 })
  })

  it("has a snapshot of each version, and cannot skip one", () => {
    expect([...currentSnapshots([measured as unknown as EventType], []).keys()]).toEqual([
      "temperature.measured.v1.json",
      "temperature.measured.v2.json",
      "temperature.measured.v3.json",
    ])
    expect(() => eventType({ ...measured, version: 4 })).toThrow("must list every version")
  })
})
