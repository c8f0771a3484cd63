import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { type ByteBudget, makeByteBudget, readBody } from "./body.ts"

const KILOBYTE = 1024

/** A body of which parts come when the test says so. */
const openBody = (budget: ByteBudget, bytesMax = 1024 * KILOBYTE) => {
  const source = new Readable({ read: () => undefined })
  const outcome = readBody(source, undefined, undefined, bytesMax, "a.example", budget).then(
    (read) => {
      if (read._tag === "Refused") throw new Error(read.problem)
      return { bytes: read.bytes.length, release: read.release }
    },
    (cause: { readonly reason?: string }) => cause.reason,
  )
  return {
    outcome,
    send: async (kilobytes: number) => {
      source.push(Buffer.alloc(kilobytes * KILOBYTE))
      await new Promise((resolve) => setTimeout(resolve, 10))
    },
    end: () => source.push(null),
  }
}

describe("bodies of all upstreams together", () => {
  it("hold no more than their budget: the largest that is being read is given up for the others", async () => {
    const budget = makeByteBudget(100 * KILOBYTE, 10 * KILOBYTE)
    const [endless, other] = [openBody(budget), openBody(budget)]
    await endless.send(70)
    await other.send(20)
    await other.send(20)
    expect(await endless.outcome).toBe("budget_exhausted")
    await other.send(40)
    other.end()
    expect(await other.outcome).toMatchObject({ bytes: 80 * KILOBYTE })
  })

  it("keep their share until they are decoded, and then give it to others", async () => {
    const budget = makeByteBudget(100 * KILOBYTE, 10 * KILOBYTE)
    const [first, second, third] = [openBody(budget), openBody(budget), openBody(budget)]
    await first.send(90)
    first.end()
    const whole = await first.outcome
    // The first is whole, and is not given up: the second finds no room.
    await second.send(50)
    expect(await second.outcome).toBe("budget_exhausted")
    if (typeof whole !== "object") throw new Error("it was read")
    whole.release()
    whole.release()
    await third.send(90)
    third.end()
    expect(await third.outcome).toMatchObject({ bytes: 90 * KILOBYTE })
  })

  it("never give up small ones, however large the others are", async () => {
    const budget = makeByteBudget(100 * KILOBYTE, 10 * KILOBYTE)
    const large = openBody(budget)
    await large.send(95)
    const small = Array.from({ length: 20 }, () => openBody(budget))
    for (const one of small) {
      await one.send(10)
      one.end()
      expect(await one.outcome).toMatchObject({ bytes: 10 * KILOBYTE })
    }
  })

  it("count what is unpacked, not what came", async () => {
    const budget = makeByteBudget(100 * KILOBYTE, 10 * KILOBYTE)
    const bomb = Readable.from([gzipSync(Buffer.alloc(10_000 * KILOBYTE))])
    await expect(readBody(bomb, "gzip", undefined, 20_000 * KILOBYTE, "a.example", budget)).rejects.toMatchObject({
      reason: "budget_exhausted",
    })
    const after = openBody(budget)
    await after.send(90)
    after.end()
    expect(await after.outcome).toMatchObject({ bytes: 90 * KILOBYTE })
  })
})
