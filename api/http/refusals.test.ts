import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { BillingUnavailable, type Refusal } from "../../ledger/client.ts"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { buyingTermsOf, PremiumPaymentRequired } from "../../schemas/contract/refusal.ts"
import { Problem } from "../../schemas/contract/reply.ts"
import { refusalReply } from "./refusals.ts"

const dear = endpoint({
  path: "/api/pro/dear",
  name: "dear",
  kind: "prepared",
  tier: "premium",
  credits: 2,
  ttl: 0,
  summary: "",
  description: "",
  parameters: {},
  data: Schema.Struct({}),
  cold: {},
  example: {},
})
const terms = buyingTermsOf([dear], "https://tidewire.example")
const reply = (refusal: Refusal | BillingUnavailable, tokenStatus: 401 | 402 = 402) =>
  refusalReply(refusal, { terms, tokenStatus })
const headersOf = ({ headers }: { readonly headers: ReadonlyArray<string> }) =>
  Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]]] : [])))

describe("a refusal over HTTP", () => {
  it.each([
    [{ _tag: "missing_token" }, "missing_token"],
    [{ _tag: "invalid_token" }, "invalid_token"],
    [{ _tag: "expired", of: "token" }, "expired"],
    [{ _tag: "expired", of: "quote" }, "expired"],
    [{ _tag: "insufficient_credits", balance: 1, shortfall: 0, needed: 2 }, "insufficient_credits"],
    [{ _tag: "no_payment" }, "payment_required"],
    [{ _tag: "too_small", units: 999_999 }, "payment_required"],
  ] satisfies ReadonlyArray<readonly [Refusal, string]>)(
    "of %j is 402 and links to the page about buying credits",
    (refusal, error) => {
      const { status, body, ...rest } = reply(refusal)
      expect(status).toBe(402)
      expect(Schema.is(PremiumPaymentRequired)(body)).toBe(true)
      expect(body).toMatchObject({
        error,
        signup: "https://tidewire.example/developers/agent-payments",
        pricing: { "1_usd": "50 credits", "/api/pro/dear": "2 credits" },
      })
      expect(headersOf(rest)["x-service-pricing"]).toBe("https://tidewire.example/developers/agent-payments")
    },
  )

  it("of a token is 401 where the token alone is missing", () => {
    for (const refusal of [{ _tag: "missing_token" }, { _tag: "invalid_token" }] as const) {
      const answered = reply(refusal, 401)
      expect(answered.status).toBe(401)
      expect(headersOf(answered)["www-authenticate"]).toMatch(/^Bearer/)
    }
    expect(reply({ _tag: "insufficient_credits", balance: 0, shortfall: 0, needed: 1 }, 401).status).toBe(402)
  })

  it("is 503 with Retry-After while the ledger cannot be asked", () => {
    const answered = reply(new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 3 }))
    expect(answered.status).toBe(503)
    expect(answered.body).toMatchObject({ error: "billing_unavailable", retry_after_seconds: 3 })
    expect(headersOf(answered)["retry-after"]).toBe("3")
  })

  it.each([
    [{ _tag: "already_credited", opener: { by: "memo", shown: null, bearer: false } }, 409],
    [{ _tag: "payer_proof_required" }, 409],
    [{ _tag: "key_in_flight" }, 409],
    [{ _tag: "key_reused" }, 422],
    [{ _tag: "invalid_amount" }, 400],
    [{ _tag: "too_many_quotes", of: "client", retryAfterMs: 1_500 }, 429],
    [{ _tag: "free_allowance_spent", retryAfterMs: 43_200_000 }, 429],
    [{ _tag: "token_allowance_spent", retryAfterMs: 43_200_000 }, 429],
    [{ _tag: "debit_refunded" }, 503],
    [{ _tag: "invalid_command" }, 500],
  ] satisfies ReadonlyArray<readonly [Refusal, number]>)("of %j is %i, as a problem", (refusal, status) => {
    const answered = reply(refusal)
    expect(answered.status).toBe(status)
    expect(answered.body.status).toBe(status)
    expect(Schema.is(Problem)(answered.body)).toBe(true)
  })

  it("rounds a wait up to whole seconds", () => {
    expect(headersOf(reply({ _tag: "too_many_quotes", of: "all", retryAfterMs: 1_001 }))["retry-after"]).toBe("2")
  })
})
