import { describe, expect, it } from "vitest"
import { paymentBuyCredits } from "../../../../schemas/endpoints/payment-buy-credits.ts"
import { paymentConfirm } from "../../../../schemas/endpoints/payment-confirm.ts"
import { buyingTerms } from "../../agent-payments.ts"
import { openBuyer, STORAGE_KEY } from "./buyer.js"
import type { Reply } from "./service.js"

const example = paymentBuyCredits.example
const facts = {
  name: "Base",
  chainId: 8453,
  contract: example.quote.token_contract,
  wallet: example.wallet,
  trust: null,
}
const TX_HASH = `0x${"7".repeat(64)}`
const SERVER_MS = Date.parse(example.expires_at) - 30 * 60_000

const replyOf = (status: number, body: object, retryAfterMs: number | null = null): Reply => ({
  tag: "reply",
  status,
  body: { ...body },
  retryAfterMs,
  serverAtMs: SERVER_MS,
})
const credited = replyOf(200, paymentConfirm.example)
const pending = (confirmations: number, retryAfterMs: number) =>
  replyOf(202, { status: "pending", confirmations, required: 5 }, retryAfterMs)

/** A tab with a clock of its own, a storage, and a service that gives these replies one after the other. */
const openTab = (replies: ReadonlyArray<Reply>, stored = new Map<string, string>(), isBlocked = false) => {
  const { sale, ...terms } = buyingTerms(facts)
  if (sale === null) throw new Error("nothing is sold")
  const sent: Array<readonly [string, unknown]> = []
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>()
  let nowMs = 0
  const check = () => {
    if (isBlocked) throw new Error("blocked")
  }
  const buyer = openBuyer({
    terms: { ...terms, sale },
    send: async (path, request) => {
      sent.push([path, request?.body])
      return replies[sent.length - 1] ?? { tag: "failed" }
    },
    storage: {
      getItem: (key) => {
        check()
        return stored.get(key) ?? null
      },
      setItem: (key, value) => {
        check()
        stored.set(key, value)
      },
      removeItem: (key) => {
        check()
        stored.delete(key)
      },
    },
    nowMs: () => nowMs,
    later: (run, pauseMs) => {
      const timer = { atMs: nowMs + pauseMs, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  })
  buyer.start()
  return {
    buyer,
    sent,
    stored,
    pass: (durationMs: number) => {
      nowMs += durationMs
    },
    /** Lets the time go on to the next timer; gives what it is then. */
    next: async () => {
      const [timer] = [...timers].sort((one, other) => one.atMs - other.atMs)
      if (timer === undefined) throw new Error("nothing is due")
      timers.delete(timer)
      nowMs = timer.atMs
      timer.run()
      await settled()
      return nowMs
    },
  }
}
/** Lets what was sent be answered. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
const wallet = (request: (call: { readonly method: string }) => Promise<unknown>) => ({
  id: "1",
  name: "w",
  domain: "",
  icon: null,
  provider: { request },
})
const answering =
  (sendTransaction: () => unknown) =>
  async ({ method }: { readonly method: string }) => {
    if (method === "eth_requestAccounts") return [example.wallet]
    if (method === "eth_chainId") return "0x2105"
    return method === "eth_sendTransaction" ? sendTransaction() : null
  }

describe("the purchase of a tab", () => {
  it("asks as often as Retry-After allows, remembers the memo until it is credited, and then forgets it", async () => {
    const tab = openTab([
      replyOf(200, example),
      pending(1, 8_000),
      replyOf(429, {}, 20_000),
      pending(4, 2_000),
      credited,
    ])
    await tab.buyer.askQuote(100n)
    expect(tab.stored.get(STORAGE_KEY)).toContain(example.memo)
    await tab.buyer.pay(wallet(answering(() => TX_HASH)))
    await settled()
    expect(tab.stored.get(STORAGE_KEY)).toContain(TX_HASH)
    expect([await tab.next(), await tab.next(), await tab.next()]).toEqual([8_000, 28_000, 30_000])
    expect(tab.buyer.state()).toMatchObject({ tag: "done", credited: { token: paymentConfirm.example.token } })
    expect([...tab.stored]).toEqual([])
    expect(JSON.stringify(tab.buyer.state())).not.toContain(example.memo)
    const confirm = ["/api/payment/confirm", { tx_hash: TX_HASH, nonce: example.memo }]
    expect(tab.sent).toEqual([["/api/payment/buy-credits", { amount_usd: 1 }], confirm, confirm, confirm, confirm])
  })

  it("is stored as handed over before the wallet is asked to send, and goes on in the next page", async () => {
    const tab = openTab([replyOf(200, example)])
    await tab.buyer.askQuote(100n)
    let seen = ""
    const left = tab.buyer.pay(
      wallet(
        answering(() => {
          seen = tab.stored.get(STORAGE_KEY) ?? ""
          return new Promise(() => {})
        }),
      ),
    )
    await settled()
    expect(seen).toContain('"handedOver":true')
    // The page is loaded again while the wallet is open, and the buyer enters the hash that it shows.
    const next = openTab([credited], tab.stored)
    expect(next.buyer.state()).toMatchObject({ tag: "paying", handedOver: true, wallet: null })
    next.buyer.dispatch({ tag: "transactionEntered", txHash: TX_HASH })
    await settled()
    expect(next.buyer.state().tag).toBe("done")
    expect(left).toBeInstanceOf(Promise)
  })

  it("confirms at once after a reload in the middle of the confirmations", async () => {
    const tab = openTab([replyOf(200, example), pending(1, 8_000)])
    await tab.buyer.askQuote(100n)
    tab.buyer.dispatch({ tag: "transactionEntered", txHash: TX_HASH })
    await settled()
    const next = openTab([credited], tab.stored)
    await settled()
    expect([next.buyer.state().tag, next.sent.length, next.stored.size]).toEqual(["done", 1, 0])
  })

  it("has no payment sent for a quote that has expired while the wallet was asked for its account", async () => {
    const tab = openTab([replyOf(200, example)])
    await tab.buyer.askQuote(100n)
    const methods: Array<string> = []
    await tab.buyer.pay(
      wallet(async ({ method }) => {
        methods.push(method)
        tab.pass(31 * 60_000)
        return [example.wallet]
      }),
    )
    expect(methods).toEqual(["eth_requestAccounts"])
    expect(tab.buyer.state()).toMatchObject({ tag: "paying", wallet: null, handedOver: false })
  })

  it.each([
    ["no answer", { tag: "failed" } as Reply, "does not answer"],
    [
      "429",
      replyOf(429, { message: "The limit is reached." }, 7_000),
      "The limit is reached. In 7 s you can ask again.",
    ],
    ["503", replyOf(503, {}), "There is no quote now."],
    [
      "another amount",
      replyOf(200, { ...example, quote: { ...example.quote, amount_units: "9000417" } }),
      "unreadable",
    ],
    ["another wallet", replyOf(200, { ...example, wallet: facts.contract }), "load this page again"],
  ])("says why there is no quote: %s", async (_, reply, words) => {
    const tab = openTab([reply])
    await tab.buyer.askQuote(100n)
    expect(tab.buyer.state()).toMatchObject({ tag: "amount", asking: null, problem: expect.stringContaining(words) })
    expect(tab.stored.size).toBe(0)
  })

  describe("whose stored quote asks for a payment elsewhere than the sale of now", () => {
    const elsewhere = [
      ["another wallet", { wallet: facts.contract }],
      ["another token", { contract: facts.wallet }],
      ["another chain", { chainId: 1 }],
    ] as const
    const storedWith = async (member: object, txHash: string | null) => {
      const tab = openTab([replyOf(200, example), pending(1, 8_000)])
      await tab.buyer.askQuote(100n)
      if (txHash !== null) tab.buyer.dispatch({ tag: "transactionEntered", txHash })
      await settled()
      const text = tab.stored.get(STORAGE_KEY) ?? "{}"
      return new Map([[STORAGE_KEY, JSON.stringify({ ...JSON.parse(text), ...member })]])
    }

    it.each(elsewhere)("drops it with a sentence: %s", async (_, member) => {
      const tab = openTab([], await storedWith(member, null))
      expect(tab.buyer.state()).toMatchObject({ tag: "amount", problem: expect.stringContaining("Lost token") })
      expect(tab.stored.size).toBe(0)
    })

    it.each(elsewhere)("still claims what was paid, and then pays nothing more: %s", async (_, member) => {
      const refused = replyOf(404, { error: "no_payment", message: "No such payment." })
      const tab = openTab([refused], await storedWith(member, TX_HASH))
      expect(tab.buyer.state()).toMatchObject({ tag: "claiming", claim: { txHash: TX_HASH } })
      await settled()
      tab.buyer.dispatch({ tag: "claimLeft" })
      expect(tab.buyer.state()).toMatchObject({ tag: "amount", problem: expect.stringContaining("Lost token") })
      expect(tab.stored.size).toBe(0)
    })
  })

  it("says where the browser stores nothing", async () => {
    const tab = openTab([replyOf(200, example)], new Map(), true)
    await tab.buyer.askQuote(100n)
    expect([tab.buyer.state().tag, tab.buyer.isStored()]).toEqual(["paying", false])
  })
})
