import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Quote } from "./quote.js"
import { cleanText } from "./text.js"
import { payByWallet, signByWallet, WalletProblem } from "./wallet-calls.js"
import { type Wallet, walletOf, withWallet } from "./wallets.js"

const provider = { request: () => Promise.resolve(null) }
const announced = (info: object, from: unknown = provider) => walletOf({ info: { uuid: "1", ...info }, provider: from })

describe("what a wallet announces", () => {
  it("is cut, and has no character that cannot be seen", () => {
    const wallet = announced({ name: ` a\u202E\u0000\n${"b".repeat(10_000)}`, rdns: "x".repeat(500) })
    expect(wallet?.name).toBe(`a ${"b".repeat(38)}`)
    expect(wallet?.domain).toHaveLength(60)
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const clean = cleanText(text, 20)
        expect([...clean].length).toBeLessThanOrEqual(20)
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }),
    )
  })

  it("has an icon only as the data of an image", () => {
    const iconOf = (icon: unknown) => announced({ icon })?.icon
    for (const icon of ["data:image/png;base64,AA==", "data:image/svg+xml,<svg/>", "data:image/webp;base64,AA=="])
      expect(iconOf(icon)).toBe(icon)
    for (const icon of [
      "https://evil.example/icon.png",
      "//evil.example/icon.png",
      "javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "data:image/png+html,x",
      " data:image/png;base64,AA==",
      `data:image/png;base64,${"A".repeat(200_001)}`,
      { toString: () => "data:image/png;base64,AA==" },
      null,
    ])
      expect(iconOf(icon)).toBeNull()
  })

  it("is no wallet without an id or an interface, or where reading it throws", () => {
    for (const from of [null, {}, { request: "no" }, "provider"]) expect(announced({}, from)).toBeNull()
    for (const detail of [null, 7, {}, { info: null, provider }]) expect(walletOf(detail)).toBeNull()
    expect(announced({ uuid: "\u200B" })).toBeNull()
    const throws = {
      get name() {
        throw new Error("no")
      },
    }
    expect(walletOf({ info: Object.assign(Object.create(throws), { uuid: "1" }), provider })).toBeNull()
    expect(announced({ name: 7 })?.name).toBe("Wallet without a name")
  })

  it("does not take the place of another, and lists at most a dozen", () => {
    const of = (id: string): Wallet => ({ id, name: id, domain: "", icon: null, provider: { ...provider } })
    const first = of("1")
    expect(withWallet([first], of("1"))).toEqual([first])
    const many = Array.from({ length: 50 }, (_, index) => of(String(index))).reduce(
      withWallet,
      [] as ReadonlyArray<Wallet>,
    )
    expect(many).toHaveLength(12)
  })
})

const ACCOUNT = `0x${"c".repeat(40)}`
const HASH = `0x${"7".repeat(64)}`
const quote: Quote = {
  memo: `tw_buy_${"1".repeat(32)}`,
  memoHash: `0x${"1".repeat(64)}`,
  units: 1_000_417n,
  credits: 50,
  wallet: `0x${"a".repeat(40)}`,
  contract: `0x${"b".repeat(40)}`,
  chainId: 8453,
  proof: "amount",
  expiresAtMs: 1,
}
const sale = { ...quote, chainName: "Base", addable: { chainId: "0x2105" } }

/** A wallet that answers well, but for what `answers` says. */
const walletWith = (answers: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>) => {
  const asked: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const good: typeof answers = {
    eth_requestAccounts: () => [ACCOUNT],
    eth_chainId: () => "0x2105",
    eth_call: () => `0x${"f".repeat(64)}`,
    eth_sendTransaction: () => HASH,
    personal_sign: () => "0x1234",
  }
  return {
    asked,
    methods: () => asked.map(([method]) => method),
    request: async ({ method, params = [] }: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) => {
      asked.push([method, params])
      const answer = answers[method] ?? good[method]
      if (answer === undefined) throw { code: 4200, message: "unsupported" }
      return answer(params)
    },
  }
}
const refusing =
  (code: number, message = "") =>
  () => {
    throw { code, message }
  }
const pay = (wallet: ReturnType<typeof walletWith>, reach: (phase: string) => boolean = () => true) =>
  payByWallet(wallet, quote, sale, reach)

describe("a payment by a wallet", () => {
  it("is one transfer to the token, from the named account, for the chain of the sale, of no ether", async () => {
    const wallet = walletWith({})
    expect(await pay(wallet)).toBe(HASH)
    expect(wallet.asked.at(-1)).toEqual([
      "eth_sendTransaction",
      [
        {
          from: ACCOUNT,
          to: quote.contract,
          value: "0x0",
          chainId: "0x2105",
          data: expect.stringMatching(/^0xa9059cbb[0-9a-f]{192}$/),
        },
      ],
    ])
    expect(JSON.stringify(wallet.asked)).not.toContain("tw_buy_")
  })

  it("is not asked of a wallet that stays on another chain, though it says that it has switched", async () => {
    const wallet = walletWith({ eth_chainId: () => "0x1", wallet_switchEthereumChain: () => null })
    await expect(pay(wallet)).rejects.toThrow("not on Base")
    expect(wallet.methods()).not.toContain("eth_sendTransaction")
  })

  it("adds a chain that the wallet does not know, also where its refusal is wrapped into another", async () => {
    for (const refusal of [
      { code: 4902, message: "" },
      { code: -32603, message: "", data: { originalError: { code: 4902 } } },
    ]) {
      let chainId = "0x1"
      const wallet = walletWith({
        eth_chainId: () => chainId,
        wallet_switchEthereumChain: () => {
          throw refusal
        },
        wallet_addEthereumChain: () => {
          chainId = "0x2105"
          return null
        },
      })
      expect(await pay(wallet)).toBe(HASH)
    }
  })

  it.each([
    ["no account", { eth_requestAccounts: () => [] }, "named no account"],
    ["accounts that are none", { eth_requestAccounts: () => ["<b>"] }, "named no account"],
    ["a chain that is none", { eth_chainId: () => ({}), wallet_switchEthereumChain: () => null }, "not on Base"],
    ["a rejected connection", { eth_requestAccounts: refusing(4001) }, "You have rejected"],
    ["a request that is open already", { eth_requestAccounts: refusing(-32002) }, "open request"],
    ["a rejected chain", { eth_chainId: () => "0x1", wallet_switchEthereumChain: refusing(4001) }, "You have rejected"],
    ["too little of the token", { eth_call: () => `0x${"0".repeat(63)}1` }, "holds 0.000001 USDC"],
  ])("says so and sends nothing: %s", async (_, answers, words) => {
    const wallet = walletWith(answers)
    const problem = await pay(wallet).catch((cause: unknown) => cause)
    expect(problem).toBeInstanceOf(WalletProblem)
    expect(problem).toMatchObject({ message: expect.stringContaining(words), unsent: true })
    expect(wallet.methods()).not.toContain("eth_sendTransaction")
  })

  it("is asked for where the balance cannot be read: the wallet reads it itself", async () => {
    for (const eth_call of [refusing(-32603), () => "0x", () => null])
      expect(await pay(walletWith({ eth_call }))).toBe(HASH)
  })

  it.each([
    ["rejected", refusing(4001), true],
    ["without ether for its fee", refusing(-32000, "insufficient funds for gas * price + value"), true],
    ["lost on the way", refusing(-32603, "timeout"), false],
    ["disconnected", refusing(4900), false],
    ["answered with no hash", () => "0x12", false],
    ["answered with an object", () => ({ hash: HASH }), false],
  ])("counts as unsent only where it certainly is: %s", async (_, eth_sendTransaction, unsent) => {
    const problem = await pay(walletWith({ eth_sendTransaction })).catch((cause: unknown) => cause)
    expect(problem).toMatchObject({ unsent })
  })

  it("ends where it was left, before the wallet is asked for more", async () => {
    for (const [phase, last] of [
      ["switching", "eth_requestAccounts"],
      ["checking", "eth_chainId"],
      ["sending", "eth_call"],
    ]) {
      const wallet = walletWith({})
      expect(await pay(wallet, (reached) => reached !== phase)).toBeNull()
      expect(wallet.methods().at(-1)).toBe(last)
    }
  })
})

describe("a signature of a wallet", () => {
  it("is one of the text as UTF-8, by the account that is named as payer", async () => {
    const wallet = walletWith({})
    expect(await signByWallet(wallet, "Ich zahle 5 €")).toEqual({ signature: "0x1234", payer: ACCOUNT })
    const hex = `0x${Buffer.from("Ich zahle 5 €").toString("hex")}`
    expect(wallet.asked.at(-1)).toEqual(["personal_sign", [hex, ACCOUNT]])
  })

  it("is none where the wallet refuses or answers with anything else", async () => {
    for (const personal_sign of [() => null, () => "0x", () => "signed", () => `0x${"12".repeat(20_000)}`])
      await expect(signByWallet(walletWith({ personal_sign }), "x")).rejects.toThrow("without a signature")
    await expect(signByWallet(walletWith({ personal_sign: refusing(4001) }), "x")).rejects.toThrow("You have rejected")
  })
})
