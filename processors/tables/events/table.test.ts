import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { archivedBytes, archivedTopics, archivePartitions, archiveRow } from "./table.ts"

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const decode = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))
const envelope = {
  specversion: "1.0",
  id: "i",
  source: "s",
  type: "t",
  subject: "u",
  time: "2026-01-31T23:59:59.999Z",
  datacontenttype: "application/json",
  v: 1,
  data: { a: [1, null, "ü"] },
}
const record = (value: Uint8Array | null) => ({ offset: 7, key: "k", value })

describe("the archive", () => {
  it("keeps every topic but state, the ledger and bodies of replies", () => {
    expect([...archivedTopics].sort()).toEqual(["deltas", "observations", "quarantine", "usage", "versions"])
  })

  it("restores the bytes of an event", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.string(), fc.nat(1_000), (data, id, subject, v) => {
        const bytes = encode({ ...envelope, id, subject, v, data })
        expect(archivedBytes(archiveRow("deltas", record(bytes)))).toEqual(bytes)
      }),
    )
  })

  it("keeps unknown members", () => {
    const bytes = encode({ ...envelope, traceparent: "00-1", datacontenttype: "application/x" })
    const row = archiveRow("deltas", record(bytes))
    expect(row.type).toBe("t")
    expect(decode(archivedBytes(row))).toEqual(decode(bytes))
  })

  it.for([
    ["no JSON", new TextEncoder().encode("{")],
    ["no object", encode([1])],
    ["no type", encode({ ...envelope, type: undefined })],
    ["a version that is none", encode({ ...envelope, v: 1.5 })],
    ["a time that cannot be", encode({ ...envelope, time: "2026-13-01T00:00:00.000Z" })],
    ["a day that does not exist", encode({ ...envelope, time: "2026-02-30T00:00:00.000Z" })],
    ["no data", encode({ ...envelope, data: undefined })],
    ["another envelope", encode({ ...envelope, specversion: "2.0" })],
    ["nothing", new Uint8Array()],
  ] as const)("keeps a record with %s as the text it is", ([, bytes]) => {
    const row = archiveRow("usage", record(bytes))
    expect(row).toMatchObject({ type: "", log_offset: 7, key: "k", topic: "usage" })
    expect(archivedBytes(row)).toEqual(bytes)
    expect(archivePartitions.of(row)).toBe("197001")
  })

  it("puts an event into the month in which it happened", () => {
    expect(archivePartitions.of(archiveRow("deltas", record(encode(envelope))))).toBe("202601")
  })
})
