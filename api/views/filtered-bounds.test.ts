import { describe, expect, it } from "vitest"
import { instant } from "../../schemas/event.ts"
import { defaultLimits } from "../http/limits.ts"
import { makeParameterReader } from "../http/parameters.ts"
import { Coder } from "../http/representation.ts"
import { START_MS } from "../testing/api-under-test.ts"
import { standing, warnings } from "../testing/warnings.ts"
import { FilteredReplies } from "./filtered.ts"
import { ViewStore } from "./store.ts"

const fresh = { atMs: START_MS, freshForMs: 300_000 }

/** Replies over a view of these many warnings, each of an event of its own. */
const repliesOver = (count: number, bytesMax: number) => {
  const nowMs = () => START_MS
  const store = new ViewStore({ endpoints: [warnings], nowMs })
  const land = Array.from({ length: count }, (_, index) => ({
    id: "x".repeat(900),
    severity: "Minor",
    event: `e${index}`,
  }))
  store.update(warnings.path, {
    body: { v: 2, changedAt: instant(START_MS), data: { land, sea: [] } },
    freshness: standing(fresh, fresh),
  })
  const limits = { ...defaultLimits, selectionsPerMinute: 100_000, selectionBytesMax: bytesMax }
  const replies = new FilteredReplies({ store, nowMs, limits, coder: new Coder() })
  const read = makeParameterReader(warnings)
  const answer = (event: string) => {
    const accepted = read({ event })
    if (accepted._tag === "Refused") throw new Error(accepted.message)
    const given = replies.answer(warnings, accepted, "client")
    if (given._tag === "Refused") throw new Error("refused")
    return given.prepared
  }
  return { replies, answer }
}

describe("the replies that are kept", () => {
  it("take no more bytes than they may, however many selections are requested", () => {
    const bytesMax = 64 * 1024
    const { replies, answer } = repliesOver(500, bytesMax)
    for (let index = 0; index < 500; index++) {
      answer(`e${index}`)
      expect(replies.keptBytes).toBeLessThanOrEqual(bytesMax)
    }
    expect(replies.keptBytes).toBeGreaterThan(bytesMax / 4)
  })

  it("are one for all values that match nothing", () => {
    const { replies, answer } = repliesOver(1, 8 * 1024 * 1024)
    const first = answer("nothing 0")
    const before = replies.keptBytes
    for (let index = 1; index < 100; index++)
      expect(answer(`nothing ${index}`).representations.identity.bytes).toBe(first.representations.identity.bytes)
    // Each further value takes its place in the list, and no bytes of a reply.
    expect(replies.keptBytes - before).toBeLessThanOrEqual(100 * 1024)
    expect(answer("e0").representations.identity.bytes).not.toBe(first.representations.identity.bytes)
  })
})
