import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { queries } from "../../api/premium/plugin.ts"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { isPremium, type PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { NoCharge } from "../../schemas/contract/no-charge.ts"
import { FREE_ENDS_PER_DAY } from "../../schemas/contract/refusal.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import { endpoints } from "../../schemas/registry.ts"
import type { ViewFreshness, ViewSource } from "../../schemas/view-record.ts"
import { at, type PremiumScene, premiumScene } from "./scene.ts"

// Every premium endpoint of the contract under every reason for which its calls are free of charge.

const premium = endpoints.filter(isPremium)

/** The address of a call with the parameters that it requires; where the history decides, with the examples of all. */
const urlOf = ({ path, kind, parameters }: PremiumEndpoint, decided: NoCharge["decided"] = "before"): string =>
  instanceKey(
    path,
    Object.fromEntries(
      Object.entries(parameters).flatMap(([name, { example, default: text, optional }]) =>
        (kind === "queried" && decided === "after") || (text === undefined && optional !== true)
          ? [[name, example]]
          : [],
      ),
    ),
  )

const freshness = (asOf: string | null, source: Partial<ViewSource>): ViewFreshness => {
  const whole = {
    name: "Some.source",
    status: "live" as const,
    fetched_at: asOf,
    latency_ms: null,
    staleAfter: at(60_000),
  }
  const sources = [{ ...whole, ...source }]
  return { v: 1, asOf, staleAfter: sources[0]?.staleAfter ?? null, sources }
}
const resting = (reason: string): ViewFreshness => freshness(null, { status: null, staleAfter: null, reason })

/** Gives the view of an endpoint some data, without its own schema, and a freshness. */
const hold = (data: unknown, of: ViewFreshness) => (scene: PremiumScene, endpoint: PremiumEndpoint) => {
  scene.fill(urlOf(endpoint), data)
  scene.store.update(urlOf(endpoint), { freshness: of })
}
const holdNothing = (of: ViewFreshness | null) => (scene: PremiumScene, endpoint: PremiumEndpoint) =>
  scene.store.update(urlOf(endpoint), { freshness: of })
const holdCold = (of: ViewFreshness) => (scene: PremiumScene, endpoint: PremiumEndpoint) =>
  hold("cold" in endpoint ? endpoint.cold : null, of)(scene, endpoint)

/** How a view comes to each reason. */
const ofViews: Readonly<Record<string, (scene: PremiumScene, endpoint: PremiumEndpoint) => void>> = {
  warming: holdNothing(null),
  not_configured: holdNothing(resting("not_configured")),
  not_licensed: holdNothing(resting("not_licensed")),
  stale_sources: holdCold(freshness(at(0), { staleAfter: at(-1_000) })),
  empty_range: holdCold(freshness(at(0), {})),
  internal_error: hold("no object", freshness(at(0), {})),
}

/** How a query of the history comes to each reason. */
const ofQueries = {
  empty_range: (example: unknown) => Effect.succeed({ data: example, empty: true }),
  internal_error: () => Effect.fail(new HistoryUnavailable({ problem: "away" })),
} as const

/** Reasons that are not provoked here: where the tests of each stand, or why there is no receipt. */
const elsewhere: Readonly<Record<string, string>> = {
  client_gone: "interrupted.test.ts: the client that a receipt could be sent to has disconnected",
  no_data: "empty.test.ts",
  paid_today: "past.test.ts: only a call that was charged comes to it",
  stalled_monitor: "endpoints.test.ts",
}

const cases = premium.flatMap((endpoint) =>
  endpoint.noCharge
    .filter(({ reason }) => !(reason in elsewhere))
    .map(({ reason, decided }) => ({ path: endpoint.path, endpoint, reason, decided })),
)

it("every reason of the contract is provoked here, or named with the place of its test", () => {
  expect(cases.length).toBeGreaterThan(0)
  const known = new Set([...Object.keys(ofViews), ...Object.keys(elsewhere)])
  for (const { path, noCharge } of premium)
    for (const { reason } of noCharge) expect([...known], `${path} ${reason}`).toContain(reason)
})

describe.each(cases)("$path: $reason, decided $decided the debit", ({ endpoint, reason, decided }) => {
  it("is free of charge, with a signed receipt of 0 credits", async () => {
    const query = queries.find((one) => one.endpoint.path === endpoint.path)
    const answer = reason === "empty_range" ? ofQueries.empty_range : ofQueries.internal_error
    const scene = await premiumScene({
      endpoints: [endpoint],
      queries: query === undefined ? [] : [{ ...query, run: () => answer(endpoint.example) }],
    })
    if (query === undefined) ofViews[reason]?.(scene, endpoint)
    // What is decided before the debit needs no credits.
    const balance = decided === "before" ? 0 : endpoint.credits
    const mine = await scene.token(balance)
    const before = scene.entries().length
    const { statusCode, headers, ...reply } = await scene.get(urlOf(endpoint, decided), mine)
    const body = reply.json()
    expect(statusCode >= 500).toBe(reason === "internal_error")
    expect(body.billing).toEqual({ credits_charged: 0, credits_remaining: balance, no_charge_reason: reason })
    expect(headers).toMatchObject({ "x-credits-charged": "0", "x-credits-remaining": String(balance) })
    expect(await scene.balanceOf(mine)).toBe(balance)
    if (decided === "before") expect(scene.entries()).toHaveLength(before)
    expect(headers["x-service-receipt-id"]).toBe(body.receipt.id)
    expect(await scene.receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      body: "matches",
      claims: { endpoint: endpoint.path, credits: 0, reason, entry: null },
    })
  })
})

it("what is free of charge before a debit does not draw on the daily allowance", async () => {
  const scene = await premiumScene()
  const mine = await scene.token(2)
  scene.store.update("/api/pro/picked", { body: null, freshness: null })
  scene.answerWith(() => Effect.succeed({ rows: [] }))
  const reasonOf = async (url: string) => (await scene.get(url, mine)).json().billing?.no_charge_reason
  for (let call = 0; call <= FREE_ENDS_PER_DAY; call += 1) expect(await reasonOf("/api/pro/picked")).toBe("warming")
  for (let call = 0; call < FREE_ENDS_PER_DAY; call += 1)
    expect(await reasonOf(`/api/pro/range?days=${call + 1}`)).toBe("empty_range")
  const spent = await scene.get("/api/pro/range", mine)
  expect([spent.statusCode, spent.json().error]).toEqual([429, "free_allowance_spent"])
  expect(await reasonOf("/api/pro/picked")).toBe("warming")
  scene.moveTo(START_MS + 24 * 60 * 60_000)
  expect(await reasonOf("/api/pro/range")).toBe("empty_range")
})
