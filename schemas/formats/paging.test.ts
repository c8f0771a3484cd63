import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Cursor, CursorText, encodeCursor, type Paging, pageOf } from "./paging.ts"

const paging: Paging = { list: "rows", by: "at", key: "id", limitMax: 10 }
const at = (second: number) => new Date(1_790_000_000_000 + second * 1_000).toISOString()
const row = (id: string, second: number) => ({ id, at: at(second) })
type Rows = ReadonlyArray<ReturnType<typeof row>>

/** The ids of all pages, read one after another; `revise` changes the list after each. */
const walked = (first: Rows, limit: number, revise: (rows: Rows) => Rows = (rows) => rows): ReadonlyArray<string> => {
  const ids: Array<string> = []
  let [rows, cursor]: [Rows, Cursor | null] = [first, null]
  do {
    const page = pageOf({ count: rows.length, rows }, { limit, cursor }, paging)
    const shown = (page?.data.rows ?? []) as Rows
    expect(page).toMatchObject({ total: rows.length, data: { count: shown.length } })
    ids.push(...shown.map(({ id }) => id))
    cursor = page?.next ?? null
    rows = revise(rows)
    if (ids.length > 1_000) throw new Error("the pages do not end")
  } while (cursor !== null)
  return ids
}

const rowsOfSeconds = (seconds: ReadonlyArray<number>): Rows =>
  seconds.toSorted((one, other) => other - one).map((second, index) => row(`r${index}`, second))
const lists = fc.array(fc.nat({ max: 8 }), { maxLength: 20 }).map(rowsOfSeconds)

describe("pages", () => {
  it("hold every row once, in the order of the list", () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 10 }), (rows, limit) => {
        expect(walked(rows, limit)).toEqual(rows.map(({ id }) => id))
      }),
    )
  })

  it("miss no row and repeat none while newer rows come", () => {
    let news = 0
    const withNews = (rows: Rows): Rows => [row(`n${news++}`, 100 + news), ...rows]
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 10 }), (rows, limit) => {
        const ids = walked(rows, limit, withNews)
        expect(ids).toEqual(rows.map(({ id }) => id))
      }),
    )
  })

  it("miss no row when the last one of a page goes or is moved, and repeat only those of its instant", () => {
    const rows = [row("a", 5), row("b", 4), row("c", 4), row("d", 4), row("e", 1)]
    const without = walked(rows, 3, (now) => now.filter(({ id }) => id !== "c"))
    expect(without).toEqual(["a", "b", "c", "b", "d", "e"])
    const moved = [row("c", 9), row("a", 5), row("b", 4), row("d", 4), row("e", 1)]
    expect(walked(rows, 3, () => moved)).toEqual(["a", "b", "c", "b", "d", "e"])
  })

  it("end where nothing is older, and are none without the list", () => {
    const past = { by: at(-1), key: "gone" }
    expect(pageOf({ rows: [row("a", 5)] }, { limit: 3, cursor: past }, paging)).toMatchObject({
      data: { rows: [], count: 0 },
      total: 1,
      next: null,
    })
    expect(pageOf({ rows: null }, { limit: 3, cursor: null }, paging)).toBe(null)
    expect(pageOf(null, { limit: 3, cursor: null }, paging)).toBe(null)
  })
})

describe("a cursor", () => {
  const read = Schema.decodeUnknownResult(CursorText)
  const valid = encodeCursor({ by: at(0), key: "a" })

  it("has one text, which is opaque", () => {
    expect(Result.getOrThrow(read(valid))).toEqual({ by: at(0), key: "a" })
    expect(Schema.encodeSync(CursorText)({ by: at(0), key: "a" })).toBe(valid)
    expect(valid).toMatch(/^[\w-]+$/)
  })

  it.each([
    "",
    "x",
    `${valid}=`,
    `${valid} `,
    Buffer.from("[]").toString("base64url"),
    Buffer.from(JSON.stringify(["yesterday", "a"])).toString("base64url"),
    Buffer.from(JSON.stringify([at(0), ""])).toString("base64url"),
    Buffer.from(JSON.stringify([at(0), "a".repeat(300)])).toString("base64url"),
    Buffer.from(JSON.stringify([at(0), 1])).toString("base64url"),
  ])("is not %j", (text) => {
    expect(Result.isFailure(read(text))).toBe(true)
  })
})
