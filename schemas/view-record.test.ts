import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { VIEW_BODY_VERSION, viewBodyText, viewDataBytes } from "./view-record.ts"

const body = { v: VIEW_BODY_VERSION, changedAt: "2026-11-22T10:00:00.000Z" } as const
const other = { ...body, changedAt: "2026-11-22T10:00:01.000Z" }

describe("the record of a view's body", () => {
  it("gives back the text of its data, in the record's own memory", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const record = Buffer.from(viewBodyText(body, JSON.stringify(data)))
        const bytes = viewDataBytes(body, record)
        expect(bytes?.toString()).toBe(JSON.stringify(data))
        expect(bytes?.buffer).toBe(record.buffer)
        expect(JSON.parse(record.toString())).toEqual({ ...body, data: JSON.parse(JSON.stringify(data)) })
      }),
    )
  })

  it("gives nothing of a record that another writer made, or of other members", () => {
    expect(viewDataBytes(body, Buffer.from(JSON.stringify({ data: 1, ...body })))).toBeNull()
    expect(viewDataBytes(other, Buffer.from(viewBodyText(body, "1")))).toBeNull()
    expect(viewDataBytes(body, Buffer.from("{}"))).toBeNull()
  })
})
