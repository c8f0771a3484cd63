import * as fc from "fast-check"
import { expect, it } from "vitest"
import { rowsBy } from "./rows-by.ts"

it("gives what mapping each item gives, in order, an item that occurs twice included", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ id: fc.nat(5), name: fc.string() })), (items) => {
      const toRow = ({ id, name }: { readonly id: number; readonly name: string }) => ({ key: `${id} ${name}` })
      const twice = [...items, ...items]
      expect(rowsBy(toRow)(twice)).toEqual(twice.map(toRow))
    }),
  )
})

it("maps an item object once, whichever list it stands in; an equal object is another item", () => {
  let mapped = 0
  const rows = rowsBy(({ id }: { readonly id: number }) => {
    mapped += 1
    return { id }
  })
  const [kept, gone] = [{ id: 1 }, { id: 2 }]
  const [before] = rows([kept, gone])
  expect(mapped).toBe(2)
  const [, after] = rows([{ id: 3 }, kept])
  expect(after).toBe(before)
  expect(mapped).toBe(3)
  const [equal] = rows([{ id: 1 }])
  expect(equal).toEqual(before)
  expect(equal).not.toBe(before)
})

it("keeps the rows of each mapping apart", () => {
  const item = { id: 1 }
  expect(rowsBy(({ id }: typeof item) => ({ id }))([item])).toEqual([{ id: 1 }])
  expect(rowsBy(({ id }: typeof item) => ({ double: 2 * id }))([item])).toEqual([{ double: 2 }])
})
