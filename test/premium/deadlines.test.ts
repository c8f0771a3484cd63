import { expect, it } from "vitest"
import { defaultLimits } from "../../api/http/limits.ts"
import { RELEASE_MAX_MS } from "../../api/premium/releases.ts"
import { DEBIT_LIFE_MS } from "../../ledger/rules.ts"
import { JUMP_MIN_MS } from "../../ledger/write/clock.ts"

const { premiumContentMs, premiumSettleMs, premiumAnswerMs } = defaultLimits

it("a premium call is answered before its debit is refunded, also where the ledger's clock jumps without being doubted", () => {
  expect(premiumAnswerMs + JUMP_MIN_MS).toBeLessThan(DEBIT_LIFE_MS)
})

it("the steps of a premium call end in their order", () => {
  expect(premiumContentMs).toBeLessThan(premiumSettleMs)
  expect(premiumSettleMs).toBeLessThan(premiumAnswerMs)
})

it("a debit of a call without a reply is released for as long as the ledger would keep it open", () => {
  expect(RELEASE_MAX_MS).toBeGreaterThanOrEqual(DEBIT_LIFE_MS + JUMP_MIN_MS)
})
