import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { Json } from "../../schemas/json.ts"
import type { StateChange } from "../processor.ts"
import { dropMemory, entriesIn, setEntries } from "./state.ts"

/** A state that a memory is written to; `restart` leaves only what a checkpoint holds. */
const stateWith = () => {
  let state = new Map<string, Json>()
  let written: Array<StateChange> = []
  const get = <Value>(key: string): Value | undefined => state.get(key) as Value | undefined
  return {
    get,
    set: (...change: StateChange) => {
      written.push(change)
      const [key, value] = change
      if (value === null) state.delete(key)
      else state.set(key, value)
    },
    keys: () => [...state.keys()],
    written: () => {
      const keys = written.map(([key]) => key)
      written = []
      return keys
    },
    restart: () => {
      state = new Map([...state].map(([key, value]): [string, Json] => [key, JSON.parse(JSON.stringify(value))]))
    },
  }
}

const step = fc.record({
  dropped: fc.nat(4),
  added: fc.nat(3),
  restarts: fc.boolean(),
})

it("holds the entries of the list that was set last, whatever was dropped and added, over restarts", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = stateWith()
      let number = 0
      let list: ReadonlyArray<{ readonly number: number }> = []
      for (const { dropped, added, restarts } of steps) {
        const before = entriesIn(state.get, "m") ?? []
        list = [...list.slice(dropped), ...Array.from({ length: added }, () => ({ number: number++ }))]
        const kept = before.slice(dropped)
        setEntries(state, "m", before, [...kept, ...list.slice(kept.length)])
        if (restarts) state.restart()
        expect(entriesIn(state.get, "m")).toEqual(list)
        // The span, and one key for each entry that is kept: nothing of what was dropped.
        expect(state.keys()).toHaveLength(list.length + 1)
      }
    }),
  )
})

it("writes what a poll adds and drops, and not what it keeps", () => {
  const state = stateWith()
  const list = Array.from({ length: 500 }, (_, number) => ({ number }))
  setEntries(state, "m", [], list)
  state.written()
  setEntries(state, "m", list, [...list.slice(2), { number: 500 }])
  expect(state.written()).toEqual(["entry/m/0", "entry/m/1", "entry/m/500", "memory/m"])
})

it("given a list that begins with none of the entries before, then none of them stays", () => {
  const state = stateWith()
  const list = [{ number: 0 }, { number: 1 }]
  setEntries(state, "m", [], list)
  setEntries(state, "m", list, [{ number: 2 }])
  expect(entriesIn(state.get, "m")).toEqual([{ number: 2 }])
  setEntries(state, "m", entriesIn(state.get, "m") ?? [], [])
  expect(entriesIn(state.get, "m")).toEqual([])
  expect(state.keys()).toEqual(["memory/m"])
})

it("is removed with its entries, and has then not begun", () => {
  const state = stateWith()
  setEntries(state, "m", [], [{ number: 0 }, { number: 1 }])
  setEntries(state, "other", [], [{ number: 0 }])
  dropMemory(state, "m")
  expect(entriesIn(state.get, "m")).toBeUndefined()
  expect(state.keys().sort()).toEqual(["entry/other/0", "memory/other"])
})
