import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { at, premiumScene } from "./scene.ts"

// A reply is prepared once for each version of its data: what depends on the time is made anew when it changes.

const MINUTE_MS = 60_000

describe.each(["/api/pro/whole", "/api/pro/picked?size=large"])("a repeated call of %s", (url) => {
  const view = url.replace(/\?.*/u, "")
  const scene = async () => {
    const made = await premiumScene()
    const token = await made.token(20)
    return {
      ...made,
      call: async () => {
        const body = (await made.get(url, token)).json()
        expect(await made.receipts.verify(body.receipt.jws, body)).toMatchObject({ valid: true, body: "matches" })
        const { stale, as_of } = body._meta
        return { stale, as_of, reason: body.billing.no_charge_reason, status: body._meta.sources[0].status, body }
      },
    }
  }

  it("becomes stale and free of charge with its sources, and fresh again after the clock stepped back", async () => {
    const { call, moveTo } = await scene()
    const live = { stale: false, status: "live", reason: undefined }
    const stale = { stale: true, status: "stale", reason: "stale_sources" }
    expect(await call()).toMatchObject(live)
    moveTo(START_MS + 5 * MINUTE_MS - 1)
    expect(await call()).toMatchObject(live)
    moveTo(START_MS + 5 * MINUTE_MS)
    expect(await call()).toMatchObject(stale)
    expect(await call()).toMatchObject(stale)
    moveTo(START_MS + MINUTE_MS)
    expect(await call()).toMatchObject(live)
  })

  it("has the data and the freshness of the latest version", async () => {
    const { call, fill, moveTo } = await scene()
    const first = await call()
    expect((await call()).body).toMatchObject({ generated_at: at(0), _meta: first.body._meta })
    moveTo(START_MS + MINUTE_MS)
    fill(view, { stalled: false, list: ["three"], all: ["x", "y"] })
    const { body, as_of } = await call()
    expect(as_of).toBe(at(MINUTE_MS))
    expect(view === "/api/pro/whole" ? body.list : body.chosen).toEqual(
      view === "/api/pro/whole" ? ["three"] : ["x", "y"],
    )
  })

  it("has the freshness of a refresh that changed no data", async () => {
    const { call, store, moveTo } = await scene()
    expect(await call()).toMatchObject({ as_of: at(0), stale: false })
    const { freshness } = store.standing(view) ?? {}
    if (freshness == null) throw new Error("the view has no freshness")
    moveTo(START_MS + MINUTE_MS)
    store.update(view, { freshness: { ...freshness, asOf: at(MINUTE_MS), staleAfter: at(9 * MINUTE_MS) } })
    expect(await call()).toMatchObject({ as_of: at(MINUTE_MS), stale: false })
  })

  it("differs in its billing, its receipt and nothing else", async () => {
    const { call } = await scene()
    const { billing: before, receipt: first, ...one } = (await call()).body
    const { billing: after, receipt: second, ...other } = (await call()).body
    expect(other).toEqual(one)
    expect(after.credits_remaining).toBe(before.credits_remaining - before.credits_charged)
    expect(second.id).not.toBe(first.id)
  })
})
