import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { scriptedPast } from "../../api/testing/scripted-past.ts"
import { instant } from "../../schemas/event.ts"
import { premiumScene } from "./scene.ts"

// A premium reply with some members of its data alone: its price, its receipt and what is free of charge are those of the whole.

const MINUTE_MS = 60_000
const THEN_MS = START_MS - 30 * MINUTE_MS
const then = instant(THEN_MS)
const DATA = { stalled: false, list: ["a", "b"] }

const scene = async () => {
  const past = scriptedPast()
  past.settle(START_MS - 2 * MINUTE_MS)
  past.version("/api/pro/whole", THEN_MS - MINUTE_MS, { stalled: false, list: ["then"] })
  const made = await premiumScene({ past: past.source })
  made.fill("/api/pro/whole", DATA)
  const mine = await made.token(9)
  return { ...made, mine, whole: (query: string, headers = {}) => made.get(`/api/pro/whole?${query}`, mine, headers) }
}

describe("a premium reply with some fields", () => {
  it("holds these, its envelope, billing and a receipt of what was sent, at the same price", async () => {
    const { whole, receipts, balanceOf, mine } = await scene()
    const reply = await whole("fields=list")
    const body = reply.json()
    expect(reply.statusCode).toBe(200)
    expect(Object.keys(body).sort()).toEqual([
      "_meta",
      "billing",
      "endpoint",
      "generated_at",
      "list",
      "receipt",
      "source",
    ])
    expect(body).toMatchObject({ list: ["a", "b"], billing: { credits_charged: 1, credits_remaining: 8 } })
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({ valid: true, body: "matches" })
    // Another choice of the same data, and the whole of it: nothing is kept of the one before.
    expect((await whole("fields=stalled")).json()).toMatchObject({ stalled: false })
    expect((await whole("fields=stalled")).json()).not.toHaveProperty("list")
    expect((await whole("")).json()).toMatchObject(DATA)
    expect(await balanceOf(mine)).toBe(5)
  })

  it("is charged once under an Idempotency-Key, which another choice cannot use", async () => {
    const { whole, balanceOf, mine } = await scene()
    const key = { "idempotency-key": "one" }
    const first = await whole("fields=list", key)
    const again = await whole("fields=list", key)
    expect([again.body, again.headers["idempotent-replayed"]]).toEqual([first.body, "true"])
    expect((await whole("fields=stalled", key)).statusCode).toBe(422)
    expect(await balanceOf(mine)).toBe(8)
  })

  it("is refused before anything is charged, where a name is none", async () => {
    const { whole, balanceOf, mine } = await scene()
    for (const fields of ["nothing", "list,_meta", "", "list,", "x".repeat(600)]) {
      const reply = await whole(`fields=${fields}`)
      expect([reply.statusCode, reply.json().parameter, reply.json().allowed], fields).toEqual([
        400,
        "fields",
        ["stalled", "list"],
      ])
    }
    expect(await balanceOf(mine)).toBe(9)
  })

  it("of the past is paid once a day for a choice, in whatever order it is written", async () => {
    const { whole, balanceOf, mine } = await scene()
    const charged = async (query: string) => {
      const reply = await whole(`at=${then}&${query}`)
      return [reply.headers["x-credits-charged"], reply.headers["content-location"]]
    }
    const at = `at=${encodeURIComponent(then)}`
    expect(await charged("fields=stalled,list")).toEqual(["1", `/api/pro/whole?${at}&fields=stalled%2Clist`])
    expect((await charged("fields=list,stalled"))[0]).toBe("0")
    expect(await charged("fields=list")).toEqual(["1", `/api/pro/whole?${at}&fields=list`])
    const { list, stalled } = (await whole(`at=${then}&fields=list`)).json()
    expect([list, stalled]).toEqual([["then"], undefined])
    expect(await balanceOf(mine)).toBe(7)
  })
})
