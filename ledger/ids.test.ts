import { validate, version } from "uuid"
import { describe, expect, it } from "vitest"
import { newId } from "./ids.ts"

describe("a new id", () => {
  it("is a UUIDv7 of its own, also when the random bytes are drawn anew", () => {
    const fromMs = Date.now()
    const ids = Array.from({ length: 2_000 }, newId)
    const toMs = Date.now()
    expect(new Set(ids.map((id) => id.slice(14))).size, "the random parts differ").toBe(ids.length)
    for (const id of ids) {
      expect(validate(id) && version(id) === 7, id).toBe(true)
      const atMs = Number.parseInt(id.replace("-", "").slice(0, 12), 16)
      expect(atMs >= fromMs && atMs <= toMs, id).toBe(true)
    }
  })
})
