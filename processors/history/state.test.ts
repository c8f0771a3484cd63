import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import {
  cutTo,
  decodeState,
  done,
  encodeState,
  exchanged,
  exchanging,
  initialState,
  lostFrom,
  MARKS_MAX,
  parseStateKey,
  planned,
  repaired,
  repairing,
  rowCountOf,
  stateKey,
} from "./state.ts"

describe("a table's state", () => {
  it("names a batch by table, generation and range only", () => {
    expect(planned("prices", initialState, 10).plan).toEqual({ from: 0, to: 10, token: "prices@0/0-10" })
    const later = { ...initialState, generation: 2, repairs: 1, next: 10 }
    expect(planned("prices", later, 15).plan?.token).toBe("prices@2.1/10-15")
  })

  it("counts rows, and keeps a mark for the last batches with rows", () => {
    let state = initialState
    for (let batch = 1; batch <= MARKS_MAX + 5; batch += 1) state = done(planned("t", state, batch * 10), batch * 10, 2)
    expect(state.marks).toHaveLength(MARKS_MAX)
    expect(rowCountOf(state)).toBe((MARKS_MAX + 5) * 2)
    const without = done(state, state.next + 10, 0)
    expect(without.marks).toEqual(state.marks)
    expect(without.next).toBe(state.next + 10)
  })

  it("counts no rows below its cut, and keeps it over an exchange", () => {
    const marks = [
      { to: 10, rows: 5 },
      { to: 20, rows: 9 },
    ]
    const cut = cutTo({ ...initialState, next: 20, marks }, "202602", [5, 7])
    expect(cut).toMatchObject({ cut: "202602", next: 20, marks: [{ rows: 0 }, { rows: 2 }] })
    expect(lostFrom(cut.marks, [0, 2])).toBeNull()
    expect(Result.getOrThrow(decodeState(encodeState(cut)))).toEqual(cut)
    const rebuilt = { ...initialState, generation: 1, next: 30, marks: [{ to: 30, rows: 4 }] }
    expect(exchanged(exchanging(cut, "new", rebuilt), "new")).toMatchObject({ cut: "202602", generation: 1, next: 30 })
  })

  it("returns to the last mark up to which no row is missing", () => {
    const marks = [
      { to: 10, rows: 5 },
      { to: 20, rows: 9 },
      { to: 30, rows: 12 },
    ]
    expect(lostFrom(marks, [5, 9, 12])).toBeNull()
    expect(lostFrom(marks, [5, 9, 11])).toBe(20)
    expect(lostFrom(marks, [5, 8, 11])).toBe(10)
    expect(lostFrom(marks, [4, 8, 11])).toBe(0)
    expect(lostFrom(marks, [5, 9, 13])).toBe(20)
    expect(lostFrom([], [])).toBeNull()
  })

  it("writes again under tokens that were never used", () => {
    const state = done(planned("t", done(planned("t", initialState, 10), 10, 5), 20), 20, 4)
    const back = repaired(repairing(state, 10), 5)
    expect(back).toMatchObject({ next: 10, repair: null, plan: null, marks: [{ to: 10, rows: 5 }] })
    expect(planned("t", back, 20).plan?.token).not.toBe(planned("t", { ...state, next: 10 }, 20).plan?.token)
  })

  it("changes to the new generation if, and only if, the table has its identity", () => {
    const old = { ...initialState, next: 50, marks: [{ to: 50, rows: 7 }] }
    const built = { ...initialState, generation: 1, next: 60, marks: [{ to: 60, rows: 8 }] }
    const state = exchanging(old, "new", built)
    expect(exchanged(state, "new")).toEqual(built)
    expect(exchanged(state, "old")).toEqual(old)
    expect(exchanged(old, "any")).toEqual(old)
  })

  it("survives encoding, and refuses unknown forms", () => {
    const state = planned("t", done(initialState, 5, 3), 9)
    expect(Result.getOrThrow(decodeState(encodeState(state)))).toEqual(state)
    expect(Result.isFailure(decodeState(new TextEncoder().encode(JSON.stringify({ ...state, v: 2 }))))).toBe(true)
    expect(parseStateKey(stateKey("events/deltas"))).toBe("events/deltas")
    expect(parseStateKey("views/a")).toBeNull()
  })
})
