import { describe, expect, it } from "vitest"
import { RateLimit } from "./shares.ts"

describe("rate limit", () => {
  it("allows exactly the share, then gives the time until it is renewed", () => {
    const limit = new RateLimit({ max: 3, windowMs: 60_000 })
    expect([0, 1, 2].map((atMs) => limit.take("a", atMs).remaining)).toEqual([2, 1, 0])
    expect(limit.take("a", 30_000)).toEqual({ allowed: false, remaining: 0, resetSeconds: 30 })
    expect(limit.take("b", 30_000).allowed).toBe(true)
  })

  it("gives the whole share again when the window has passed", () => {
    const limit = new RateLimit({ max: 1, windowMs: 60_000 })
    limit.take("a", 0)
    expect(limit.take("a", 59_999)).toMatchObject({ allowed: false, resetSeconds: 1 })
    expect(limit.take("a", 60_000).allowed).toBe(true)
  })

  it("counts on when the clock jumps ahead, and does not hold a window for as long as a clock then steps back", () => {
    const yearsMs = 5 * 365 * 24 * 3_600_000
    const limit = new RateLimit({ max: 1, windowMs: 60_000 })
    expect(limit.take("a", yearsMs).allowed).toBe(true)
    expect(limit.take("a", yearsMs).allowed).toBe(false)
    expect(limit.take("a", 0)).toMatchObject({ allowed: true, resetSeconds: 60 })
    expect(limit.take("a", 59_000)).toMatchObject({ allowed: false, resetSeconds: 1 })
    expect(limit.take("a", 60_000).allowed).toBe(true)
  })

  it("remembers a bounded number of clients, and never forgets one that keeps asking", () => {
    const limit = new RateLimit({ max: 2, windowMs: 60_000, clientsMax: 10 })
    limit.take("busy", 0)
    for (let at = 0; at < 1_000; at++) {
      limit.take(`stranger ${at}`, 0)
      limit.take("busy", 0)
    }
    expect(limit.size).toBeLessThanOrEqual(10)
    expect(limit.take("busy", 0).allowed).toBe(false)
  })
})
