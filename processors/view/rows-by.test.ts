import * as fc from "fast-check"
import { expect, it } from "vitest"
import { onceByItem, rowsBy } from "./view.ts"

it("gives what mapping each item gives, in order, an item that occurs twice included", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ id: fc.nat(5), name: fc.string() })), (items) => {
      const toRow = ({ id, name }: { readonly id: number; readonly name: string }) => ({ key: `${id} ${name}` })
      const twice = [...items, ...items]
      expect(rowsBy(toRow)(twice)).toEqual(twice.map(toRow))
    }),
  )
})

it("calls a costly function of an item once for each object, an equal one included, and undefined is a value too", () => {
  let calls = 0
  const costly = onceByItem(({ id }: { readonly id: number }) => {
    calls += 1
    return id === 1 ? undefined : id * 2
  })
  const [one, two] = [{ id: 1 }, { id: 2 }]
  expect([one, two, one, two].map(costly)).toEqual([undefined, 4, undefined, 4])
  expect(calls).toBe(2)
  expect(costly({ id: 2 })).toBe(4)
  expect(calls).toBe(3)
})
