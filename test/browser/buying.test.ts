import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { eventually } from "../support/eventually.ts"
import { transfer } from "../world/chain/calls.ts"
import { makeClient } from "../world/chain/client.ts"
import { expectAccessible } from "./accessibility.ts"
import { describeBrowser, expectNoOverflow, keepScreenshot, schemes, screens } from "./browser.ts"
import { siteUnderTest } from "./site.ts"
import { type ChainWallet, makeChainWallet, type PageWallet, withWallets } from "./wallet.ts"

const TOKEN = /svc_live_[0-9a-f]{64}/
const MEMO = /tw_buy_[0-9a-f]{32}/
const CLAIM_KEY = /tw_claim_[0-9a-f]{64}/
const REJECTED = { code: 4001, message: "User rejected the request." }

let buyers = 0

describeBrowser("buying in the browser", ({ open }) => {
  const { url, shop } = siteUnderTest(["/api/pro/briefing"])

  /** A buyer at the page, from an address of its own, with everything that the page has said or asked for. */
  const visit = async (wallets: ReadonlyArray<PageWallet>, options = {}) => {
    buyers += 1
    const said: Array<string> = []
    const extraHTTPHeaders = { "x-forwarded-for": `198.19.0.${buyers}` }
    const { page, faults } = await open(
      url(agentPaymentsEndpoint.path),
      { extraHTTPHeaders, acceptDownloads: true, ...options },
      async (opened) => {
        opened.on("console", (message) => said.push(message.text()))
        opened.on("request", (request) => said.push(request.url()))
        await withWallets(wallets)(opened)
      },
    )
    return { page, faults, said }
  }

  const payer = async (usd: number): Promise<ChainWallet> =>
    makeChainWallet(shop().chain, await shop().chain.newAccount(usd * 1_000_000))

  const at = (page: Page, state: string) => page.locator(`section[data-state="${state}"]`).waitFor()
  const askQuote = async (page: Page, usd: string) => {
    await page.getByLabel("Amount in US dollars").fill(usd)
    await page.getByRole("button", { name: "Get a quote" }).click()
    await at(page, "paying")
  }
  const stored = async (page: Page): Promise<string> => String(await page.evaluate("JSON.stringify(sessionStorage)"))
  const memoOf = async (page: Page): Promise<string> => {
    const [memo = ""] = MEMO.exec(await stored(page)) ?? []
    expect(memo).toMatch(MEMO)
    return memo
  }
  const unitsOf = async (page: Page): Promise<number> =>
    Number((await page.locator("p.amount b").innerText()).replace(".", ""))
  const tokenOf = async (page: Page): Promise<string> => {
    await at(page, "done")
    const [token = ""] = TOKEN.exec(await page.locator("section p.token").innerText()) ?? []
    expect(token).toMatch(TOKEN)
    return token
  }
  /** Makes the payment that the page waits for deep enough. */
  const deepen = async (page: Page) => {
    await page.getByText("1 of 5 confirmations").first().waitFor()
    await shop().chain.mine(4)
  }
  /** Everything of a page in which a secret could be left. */
  const remains = async (page: Page, said: ReadonlyArray<string>): Promise<string> =>
    [
      await stored(page),
      String(await page.evaluate("JSON.stringify(localStorage) + document.cookie + location.href + document.title")),
      await page.content(),
      String(await page.evaluate("[...document.querySelectorAll('input, textarea')].map((one) => one.value).join()")),
      ...said,
    ].join("\n")

  it("sells by a wallet that is on another chain and does not know this one, and forgets the memo", async () => {
    const { chain } = shop()
    const wallet = makeChainWallet(chain, await chain.newAccount(10_000_000), { onChain: 1, knownChains: [1] })
    const { page, faults, said } = await visit([wallet])
    await expectAccessible(page)
    await askQuote(page, "5")
    const memo = await memoOf(page)
    const units = await unitsOf(page)
    expect(units).toBeGreaterThan(5_000_000)
    await expectAccessible(page)
    await page.getByRole("button", { name: "Pay with Test wallet" }).click()
    await deepen(page)
    expect(await remains(page, [])).toContain(memo)
    const token = await tokenOf(page)
    await expectAccessible(page)
    expect(await remains(page, said)).not.toMatch(MEMO)
    expect(said.join("\n")).not.toMatch(TOKEN)
    expect(await makeClient(url("/")).balance(token)).toBe(250)
    expect(wallet.methods).toEqual([
      "eth_requestAccounts",
      "eth_chainId",
      "wallet_switchEthereumChain",
      "wallet_addEthereumChain",
      "eth_chainId",
      "wallet_switchEthereumChain",
      "eth_chainId",
      "eth_call",
      "eth_sendTransaction",
    ])
    // The calldata named the memo's hash, so that the payment is the memo's whatever its amount is.
    const { purchases } = (await makeClient(url("/")).get("/api/payment/history", token)).body
    const [{ tx_hash }] = purchases as readonly [{ readonly tx_hash: `0x${string}` }]
    expect((await chain.client.getTransaction({ hash: tx_hash })).input).toHaveLength(2 + 2 * (4 + 3 * 32))

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the token" }).click(),
    ])
    expect(download.suggestedFilename()).toBe("token.txt")
    expect(await readFile(await download.path(), "utf8")).toContain(token)
    // A reload shows neither the token nor the memo again.
    await page.reload()
    await at(page, "amount")
    expect(await page.content()).not.toMatch(TOKEN)
    expect(faults).toEqual([])
  })

  it("sells by a plain transfer of the exact amount, whose hash is typed in", async () => {
    const { chain } = shop()
    const { page, faults, said } = await visit([])
    // A reply that leads to another origin is no reply.
    const elsewhere = { status: 307, headers: { location: "https://evil.example/quote" } }
    await page.route("**/api/payment/buy-credits", (route) => route.fulfill(elsewhere), { times: 1 })
    await page.getByRole("button", { name: "Get a quote" }).click()
    await page.getByText("The service does not answer. Try again.").waitFor()
    await askQuote(page, "1")
    const units = await unitsOf(page)
    const [memoFile] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the memo" }).click(),
    ])
    expect(await readFile(await memoFile.path(), "utf8")).toContain(await memoOf(page))
    await page.getByLabel("Any other transfer").check()
    expect(await page.locator(".facts").innerText()).toContain(chain.wallet)
    await page.getByLabel("Paid already? The hash of the transaction").fill("0x12")
    await page.getByRole("button", { name: "Confirm" }).click()
    await page.getByText("0x and 64 hex digits").waitFor()
    const { transactionHash } = await chain.send(await chain.newAccount(units), transfer(chain.wallet, units))
    const busy = { status: 503, headers: { "retry-after": "2" }, json: { error: "billing_unavailable" } }
    await page.route("**/api/payment/confirm", (route) => route.fulfill(busy), { times: 1 })
    const field = page.getByLabel("Paid already? The hash of the transaction")
    await field.fill(transactionHash)
    // The whole hash is seen.
    expect(await field.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    await page.getByRole("button", { name: "Confirm" }).click()
    await page.getByText("Your payment is not lost.").first().waitFor()
    await deepen(page)
    expect(await makeClient(url("/")).balance(await tokenOf(page))).toBe(50)
    expect(await remains(page, said)).not.toMatch(MEMO)
    // Chromium reports both replies that were put in the place of the service's.
    expect(faults.filter((fault) => !/status of 503|ERR_FAILED|evil\.example/.test(fault))).toEqual([])
    expect(said.filter((one) => one.startsWith("https://evil.example"))).toEqual([])
  })

  it("goes on after reloads: with its quote, and with a payment that is not deep enough", async () => {
    const wallet = await payer(10)
    const { page, said } = await visit([wallet])
    await askQuote(page, "2")
    const [memo, units] = [await memoOf(page), await unitsOf(page)]
    await page.reload()
    await at(page, "paying")
    expect([await memoOf(page), await unitsOf(page)]).toEqual([memo, units])
    await page.getByRole("button", { name: "Pay with Test wallet" }).click()
    await page.getByText("1 of 5 confirmations").first().waitFor()
    await page.reload()
    await at(page, "claiming")
    await deepen(page)
    expect(await makeClient(url("/")).balance(await tokenOf(page))).toBe(100)
    expect(await remains(page, said)).not.toMatch(MEMO)
    // One payment, whatever was loaded again.
    expect(wallet.methods.filter((method) => method === "eth_sendTransaction")).toHaveLength(1)
  })

  it("says what was rejected or refused, warns where a payment may be on its way, and goes on", async () => {
    const wallet = await payer(10)
    const { page } = await visit([wallet])
    await askQuote(page, "1")
    const pay = page.getByRole("button", { name: "Pay with Test wallet" })
    const warning = page.getByText("A wallet was asked to pay this quote")
    for (const method of ["eth_requestAccounts", "eth_sendTransaction"]) {
      wallet.refuseNext(method, REJECTED)
      await pay.click()
      await page.getByText("You have rejected the request in the wallet.").waitFor()
      expect(await warning.count()).toBe(0)
    }
    wallet.refuseNext("eth_sendTransaction", { code: -32603, message: "<img src=x onerror=alert(1)> lost the node" })
    await pay.click()
    await page.getByText("The wallet says: <img src=x onerror=alert(1)> lost the node").waitFor()
    await warning.waitFor()
    await keepScreenshot(page, "buying-refused", "#buying")
    await page.reload()
    await warning.waitFor()
    await pay.click()
    await deepen(page)
    await tokenOf(page)
  })

  it("refuses before the wallet is asked to pay what its account does not have", async () => {
    const wallet = await payer(1)
    const { page } = await visit([wallet])
    await askQuote(page, "3")
    await page.getByRole("button", { name: "Pay with Test wallet" }).click()
    await page.getByText("holds 1.000000 USDC").waitFor()
    expect(wallet.methods).not.toContain("eth_sendTransaction")
  })

  it("shows what wallets say about themselves as text, and their icons as data alone", async () => {
    const hostile = (name: string, icon: string): PageWallet => ({
      info: { uuid: crypto.randomUUID(), name, icon, rdns: "<b>evil</b>" },
      request: () => Promise.resolve("0x2105"),
    })
    const markup = "<img src=x onerror=document.title=9>"
    const script = `data:image/svg+xml,${encodeURIComponent("<svg xmlns='http://www.w3.org/2000/svg'><script>parent.document.title='owned'</script></svg>")}`
    const { page, faults } = await visit([
      hostile(markup, "https://evil.example/icon.png"),
      hostile("a\u202Eb\u0000c".repeat(5_000), script),
      hostile("", "javascript:alert(1)"),
    ])
    await askQuote(page, "1")
    const list = page.locator(".wallets")
    await list.getByText(markup).waitFor()
    expect(await list.locator("li").count()).toBe(3)
    const icons = "[...document.querySelectorAll('.wallets img')].map(({ src }) => src.slice(0, 18))"
    expect(await page.evaluate(icons)).toEqual(["data:image/svg+xml"])
    expect(await list.innerText()).toContain("Wallet without a name")
    expect(await list.innerText()).not.toContain("\u202E")
    await expectNoOverflow(page)
    // It names no account, and answers a payment with what is no hash.
    await page.getByRole("button", { name: "Wallet without a name" }).click()
    await page.getByText("The wallet has named no account.").waitFor()
    expect(await page.title()).not.toMatch(/owned|9/)
    expect(faults).toEqual([])
  })

  it("returns a lost token for a signature of the paying wallet, and for the memo", async () => {
    const { chain } = shop()
    const account = await chain.newAccount(10_000_000)
    const client = makeClient(url("/"))
    const quote = await client.quote(1)
    const payment = transfer(chain.wallet, quote.units)
    const { transactionHash } = await chain.send(account, payment)
    await chain.mine(4)
    const token = await client.token(transactionHash, { memo: quote.memo })
    const { transactionHash: unquoted } = await chain.send(account, transfer(chain.wallet, 3_000_000))
    await chain.mine(4)

    const { page, said } = await visit([makeChainWallet(chain, account)])
    await page.getByText("Lost token", { exact: true }).click()
    const lost = page.locator("details", { has: page.getByLabel("Hash of the transaction that paid") }).first()
    await lost.getByLabel("Hash of the transaction that paid").fill(transactionHash)
    await lost.getByLabel("Memo, or a claim key").fill(quote.memo)
    await lost.getByRole("button", { name: "Get the token" }).click()
    await lost.getByText(token).waitFor()
    expect(await remains(page, said)).not.toMatch(MEMO)
    await lost.getByRole("button", { name: "Hide the token" }).click()

    await lost.getByLabel("Hash of the transaction that paid").fill(unquoted)
    await lost.getByRole("button", { name: "Get the token" }).click()
    await lost.getByText("I claim the credits at").waitFor()
    await expectAccessible(page)
    await keepScreenshot(page, "buying-lost-token", "#buying")
    await lost.getByRole("button", { name: "Sign with Test wallet" }).click()
    await lost.getByText("150 credits added").waitFor()
    const [signed = ""] = TOKEN.exec(await lost.innerText()) ?? []
    expect(await client.balance(signed)).toBe(150)
    // The claim key is shown with the token, and kept by the browser: after a reload a new signature gives the same token.
    const [claimKey = ""] = CLAIM_KEY.exec(await lost.innerText()) ?? []
    expect(claimKey).toMatch(CLAIM_KEY)
    expect(await page.evaluate("JSON.stringify(localStorage)")).toContain(claimKey)
    expect(said.join("\n")).not.toMatch(CLAIM_KEY)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      lost.getByRole("button", { name: "Save the token" }).click(),
    ])
    expect(await readFile(await download.path(), "utf8")).toContain(claimKey)
    await page.reload()
    await page.getByText("Lost token", { exact: true }).click()
    await lost.getByLabel("Hash of the transaction that paid").fill(unquoted)
    await lost.getByRole("button", { name: "Get the token" }).click()
    await lost.getByRole("button", { name: "Sign with Test wallet" }).click()
    await lost.getByText(signed).waitFor()
  })

  it("shows the balance and history of a token, and revokes it when asked twice", async () => {
    const { chain } = shop()
    const client = makeClient(url("/"))
    const quote = await client.quote(1)
    const { transactionHash } = await chain.send(
      await chain.newAccount(quote.units),
      transfer(chain.wallet, quote.units),
    )
    await chain.mine(4)
    const token = await client.token(transactionHash, { memo: quote.memo })
    const { page } = await visit([])
    await page.getByText("Balance, history, revoke").click()
    await page.getByLabel("Token", { exact: true }).fill(token)
    await page.getByRole("button", { name: "Show the balance" }).click()
    await page.getByRole("cell", { name: String(quote.units / 1_000_000) }).waitFor()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Revoke this token" }).click()
    await keepScreenshot(page, "buying-balance", "#buying")
    expect(await client.balance(token)).toBe(50)
    await page.getByRole("button", { name: "Revoke it" }).click()
    await page.getByText("For a new token: Confirm transaction").waitFor()
    expect((await client.get("/api/payment/balance", token)).body).toMatchObject({ error: "expired" })
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe("")
  })

  it("sells to the keyboard alone", async () => {
    const { page } = await visit([await payer(10)])
    const focused = async (): Promise<string> =>
      String(await page.evaluate("document.activeElement.closest('label, button, li, input')?.outerHTML ?? ''"))
    const tabTo = (what: string) =>
      eventually(`the focus is at ${what}`, async () => {
        if ((await focused()).includes(what)) return true
        await page.keyboard.press("Tab")
        return undefined
      })
    await tabTo('id="amount"')
    await page.keyboard.press("ControlOrMeta+A")
    await page.keyboard.type("1")
    await page.keyboard.press("Enter")
    await at(page, "paying")
    await eventually("the focus is at the step", async () => (await focused()).includes("Pay"))
    await tabTo("Test wallet")
    await page.keyboard.press("Enter")
    await deepen(page)
    await tokenOf(page)
    await tabTo('"unseen"> the token')
  })

  it("fits every screen in both schemes at every step", async () => {
    for (const colorScheme of schemes) {
      const wallet = await payer(10)
      const second = makeChainWallet(shop().chain, shop().chain.accounts.stranger, { name: "Second wallet" })
      const { page } = await visit([wallet, second], { colorScheme })
      const look = async (name: string) => {
        await expectAccessible(page)
        for (const screen of screens) {
          await page.setViewportSize(screen)
          await expectNoOverflow(page)
          await keepScreenshot(page, `buying-${name}-${screen.width}-${colorScheme}`, "#buying")
        }
      }
      await look("1-amount")
      await askQuote(page, "1")
      await look("2-wallet")
      await page.getByLabel("Phone").check()
      await look("3-phone")
      await page.getByLabel("Any other transfer").check()
      await look("4-transfer")
      await page.getByLabel("Wallet in this browser").check()
      await page.getByRole("button", { name: "Pay with Test wallet" }).click()
      await page.getByText("1 of 5 confirmations").first().waitFor()
      await look("5-confirm")
      await shop().chain.mine(4)
      await tokenOf(page)
      await look("6-token")
      await page.context().close()
    }
  })
})
