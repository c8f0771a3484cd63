import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { standing } from "../../api/testing/warnings.ts"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { premiumScene } from "./scene.ts"

const MINUTE_MS = 60_000
const Warnings = Schema.Struct({ warnings: Schema.Array(Schema.String) })
type Warnings = typeof Warnings.Type

const common = {
  tier: "premium",
  credits: 2,
  ttl: "1 minute",
  summary: "",
  description: "",
  data: Warnings,
  empty: ({ warnings }: Warnings) => warnings.length === 0,
  example: { warnings: ["a"] },
} as const

/** A whole view, which may be empty. */
const whole = endpoint({
  ...common,
  path: "/api/pro/warnings",
  name: "pro_warnings",
  kind: "prepared",
  parameters: {},
  cold: { warnings: [] },
})

/** A part of a view of two inputs; `none` is filled by neither. */
const part = endpoint({
  ...common,
  path: "/api/pro/warnings/part",
  name: "pro_warnings_part",
  kind: "filtered",
  parameters: { where: choice(["land", "sea", "none"], { default: "land", description: "Of which part" }) },
  cold: { land: [], sea: [], none: [] },
  select: (
    full: { readonly land: Warnings["warnings"]; readonly sea: Warnings["warnings"]; readonly none: [] },
    { where },
  ) => ({ data: { warnings: full[where] }, inputs: where === "none" ? [] : [where] }),
})

const endpoints: ReadonlyArray<Endpoint> = [whole, part]

/** Two endpoints over these warnings of the land; all of their feeds were read. */
const scene = async (land: ReadonlyArray<string>, options: { readonly seaRead?: boolean } = {}) => {
  const made = await premiumScene({ endpoints })
  const fresh = { atMs: START_MS, freshForMs: 5 * MINUTE_MS }
  const freshness = standing(fresh, fresh)
  const unread = { ...freshness, inputs: { ...freshness.inputs, sea: { asOf: null, staleAfter: null } } }
  made.fill(whole.path, { warnings: land })
  made.fill(part.path, { land, sea: [], none: [] })
  made.store.update(part.path, { freshness: options.seaRead === false ? unread : freshness })
  const call = async (url: string, token: string) => {
    const before = made.entries().length
    const reply = await made.get(url, token)
    return { reply, body: reply.json(), written: made.entries().length - before }
  }
  return { ...made, call }
}

describe("an endpoint that declares when its data is empty", () => {
  it.each([whole.path, part.path])("%s is free of charge then, before any debit and at balance 0", async (path) => {
    const { call, token, receipts } = await scene([])
    const { reply, body, written } = await call(path, await token(0))
    expect(reply.statusCode).toBe(200)
    expect(body).toMatchObject({
      warnings: [],
      billing: { credits_charged: 0, credits_remaining: 0, no_charge_reason: "empty_range" },
      _meta: { as_of: new Date(START_MS).toISOString(), stale: false },
    })
    expect(body._meta).not.toHaveProperty("warming")
    expect(reply.headers).not.toHaveProperty("retry-after")
    expect(written).toBe(0)
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { reason: "empty_range" },
    })
  })

  it.each([whole.path, part.path])("%s is charged where it holds something", async (path) => {
    const { call, token } = await scene(["flood"])
    const { body, written } = await call(path, await token(5))
    expect(body).toMatchObject({ warnings: ["flood"], billing: { credits_charged: 2, credits_remaining: 3 } })
    expect(written).toBe(2)
    expect((await call(path, await token(1))).reply.statusCode).toBe(402)
  })

  it("reports that data may come for an input that was never read, and that none will come without inputs", async () => {
    const { call, token } = await scene(["flood"], { seaRead: false })
    const mine = await token(5)
    const reason = async (where: string) =>
      (await call(`${part.path}?where=${where}`, mine)).body.billing.no_charge_reason
    expect([await reason("sea"), await reason("none"), await reason("land")]).toEqual(["warming", "no_data", undefined])
  })

  it("publishes the reason, decided before the debit", () => {
    for (const { noCharge } of [whole, part])
      expect(noCharge).toContainEqual(expect.objectContaining({ reason: "empty_range", decided: "before" }))
  })
})
