import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createWalletClient, http } from "viem"
import { base } from "viem/chains"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type * as client from "../../.clients/typescript/index.js"
import { camelCase, pascalCase } from "../../api/clients/print/names.ts"
import { type Endpoint, isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { isRequired } from "../../schemas/printers/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"
import { eventually } from "../support/eventually.ts"
import { removeSideFolder, runProgram } from "../support/side-folder.ts"
import { transfer } from "../world/chain/calls.ts"
import { openShop, type Shop } from "../world/chain/shop.ts"
import { contractCommand } from "./contract-command.ts"
import { type Driver, pythonDriver, runPython, typescriptDriver } from "./drivers.ts"
import { installPython, installTypescript } from "./installed.ts"

// Both clients, packed and installed, against the whole service over the simulated world and a local chain.

const { folder: typescriptFolder, exported } = await installTypescript()
const pythonFolder = await installPython()
const drivers: ReadonlyArray<Driver> = [
  typescriptDriver(exported),
  ...(pythonFolder === null ? [] : [pythonDriver(pythonFolder)]),
]
const COMPILE_MS = 300_000

let shop: Shop
let baseUrl: string
let token: string
let bought: client.PaymentConfirmReply
/** A second purchase to the same token, until it is final. */
let topped: Promise<client.PaymentConfirmReply>
const steps: Array<client.PurchaseStep> = []

/** What a client is asked for of an endpoint: the examples of what is required. */
const parametersOf = ({ parameters }: Endpoint): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) =>
      isRequired(parameter) ? [[name, parameter.example]] : [],
    ),
  )
/** Every operation but those that change something, need the bodies of a purchase, or have no end. */
const calls = endpoints
  .filter((one) => one.kind !== "command" && !(one.kind === "changes" && one.form === "stream"))
  .map((endpoint) => ({
    endpoint,
    operation: endpoint.kind === "changes" ? "changes_page" : endpoint.name,
    parameters: parametersOf(endpoint),
    // Documents may hold more than their schemas name.
    exact: endpoint.kind !== "document",
  }))

const wallet = () =>
  createWalletClient({ account: shop.chain.accounts.buyer, chain: base, transport: http(shop.chain.rpcUrl) })

/** Calls from another address than most tests, as each has a share of its own: of confirms, of past replies. */
const callsFrom =
  (address: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set("x-forwarded-for", address)
    return fetch(input, { ...init, headers })
  }

beforeAll(async () => {
  // Without a contact there is no security.txt.
  shop = await openShop({ LOG_LEVEL: "warn", SECURITY_CONTACT: "mailto:security@tidewire.example" })
  baseUrl = shop.service.url
  await shop.service.filled()
  // The client of viem is given as it is, without a cast.
  bought = await exported.buyCredits(new exported.Tidewire({ baseUrl }), {
    amountUsd: 2,
    wallet: wallet(),
    expectedRecipient: shop.chain.wallet,
    onStep: async (step) => {
      steps.push(step)
      if (step.step === "pending") await shop.chain.mine(5)
    },
  })
  token = bought.token
  // The service looks for finality every half minute: it does so while views fill.
  topped = exported.buyCredits(new exported.Tidewire({ baseUrl, token, fetch: callsFrom("192.0.2.7") }), {
    amountUsd: 1,
    wallet: wallet(),
    until: "final",
    // Blocks go on while it waits.
    onStep: async ({ step }) => (step === "pending" ? shop.chain.mine(40) : undefined),
  })
  // A failure is that of the test which awaits it.
  topped.catch(() => undefined)
  const driver = typescriptDriver(exported, callsFrom("198.51.100.7"))
  let awaited = calls.filter(({ endpoint }) => endpoint.tier === "free")
  await eventually("every view has data", async () => {
    const asked = await Promise.all(
      awaited.map(async (one) => {
        const { operation, parameters } = one
        return { one, ...(await driver.call({ baseUrl, operation, parameters })) }
      }),
    )
    const warming = asked.filter(({ reply, error }) => error !== null || /"warming":true/.test(JSON.stringify(reply)))
    awaited = warming.map(({ one }) => one)
    if (warming.length > 0)
      throw new Error(JSON.stringify(warming.map(({ reply, error }) => error ?? reply)).slice(0, 2_000))
    return true
  })
})
afterAll(async () => {
  await shop?.close()
  for (const folder of [typescriptFolder, pythonFolder]) if (folder !== null) removeSideFolder(folder)
})

const balanceOf = async (): Promise<number> =>
  (await new exported.Tidewire({ baseUrl, token }).paymentBalance()).credits

describe("buying with a wallet", () => {
  it("quotes, pays with the hash of the memo, and confirms until the token is there", async () => {
    expect(bought).toMatchObject({ token: expect.stringMatching(/^svc_live_[0-9a-f]{64}$/), credits: 100 })
    expect(steps.map(({ step }) => step).filter((step, at, all) => step !== all[at - 1])).toEqual([
      "quoted",
      "paid",
      "pending",
      "credited",
    ])
    const [quoted, paid] = steps
    if (quoted?.step !== "quoted" || paid?.step !== "paid") throw new Error("the steps are others")
    const { input } = await shop.chain.client.getTransaction({ hash: paid.claim.transactionHash })
    expect(input.endsWith(quoted.quote.quote.memo_hash.slice(2))).toBe(true)
    expect(input).toHaveLength(2 + 2 * (4 + 32 + 32 + 32))
  })

  it("claims a stored purchase again: the same token, nothing credited twice", async () => {
    const paid = steps.find(({ step }) => step === "paid")
    if (paid?.step !== "paid") throw new Error("nothing was paid")
    const again = await exported.claimPurchase(new exported.Tidewire({ baseUrl }), paid.claim)
    expect(again).toMatchObject({ token, credits: 100 })
  })

  it("claims a payment without a quote by a signature, for a claim key that is handed over first", async () => {
    const payer = await shop.chain.newAccount(3_000_000)
    const { transactionHash } = await shop.chain.send(payer, transfer(shop.chain.wallet, 3_000_000))
    await shop.chain.mine(5)
    const signing = createWalletClient({ account: payer, chain: base, transport: http(shop.chain.rpcUrl) })
    let claim: client.SignedClaim | undefined
    const tidewire = new exported.Tidewire({ baseUrl })
    const first = await exported.claimBySignature(
      tidewire,
      { transactionHash },
      {
        wallet: signing,
        onStep: (step) => {
          if (step.step === "signing") claim = step.claim
        },
      },
    )
    expect(first).toMatchObject({ credits: 150 })
    if (claim === undefined) throw new Error("no claim key was handed over")
    // The stored claim and another signature give the same token; another key is refused.
    expect(await exported.claimBySignature(tidewire, claim, { wallet: signing })).toMatchObject({ token: first.token })
    await expect(exported.claimBySignature(tidewire, { transactionHash }, { wallet: signing })).rejects.toMatchObject({
      name: "AlreadyCreditedError",
    })
  })

  it("adds to the token of a client that has one, and waits until the payment is final", async () => {
    expect(await topped).toMatchObject({ token, provisional: false })
    expect(await balanceOf()).toBe(bought.credits + 50)
  })

  it("pays nothing where the wallet, the recipient or the quote is not what was meant", async () => {
    const tidewire = new exported.Tidewire({ baseUrl })
    const sent = await shop.chain.client.getTransactionCount({ address: shop.chain.accounts.buyer.address })
    const quote = await tidewire.paymentBuyCredits({ amount_usd: 1 })
    const quoting = (changed: Partial<client.PaymentBuyCreditsReply["quote"]>): client.PaymentCalls => ({
      paymentBuyCredits: () => Promise.resolve({ ...quote, quote: { ...quote.quote, ...changed } }),
      paymentConfirm: () => expect.fail("nothing was paid"),
    })
    const elsewhere = { ...wallet(), getChainId: () => Promise.resolve(1) }
    const attempts: ReadonlyArray<readonly [client.PaymentCalls, Partial<client.BuyOptions>, RegExp]> = [
      [tidewire, { wallet: elsewhere }, /wallet is on chain 1/],
      [tidewire, { expectedRecipient: `0x${"00".repeat(20)}` }, /another recipient/],
      [quoting({ amount_units: "1010000" }), {}, /1010000 units instead of 1000000/],
      [quoting({ amount_units: "999999" }), {}, /units instead of/],
      [quoting({ token_contract: `0x${"11".repeat(20)}` }), {}, /another token/],
      [quoting({ chain_id: 1 }), {}, /another chain/],
    ]
    for (const [calls, options, message] of attempts) {
      const refused = exported.buyCredits(calls, { amountUsd: 1, wallet: wallet(), ...options })
      await expect(refused).rejects.toMatchObject({
        name: "PurchaseError",
        message: expect.stringMatching(message),
        claim: null,
      })
    }
    expect(await shop.chain.client.getTransactionCount({ address: shop.chain.accounts.buyer.address })).toBe(sent)
  })

  it("hands over the claim when a step after the payment fails, in no listing of the error", async () => {
    const failed: unknown = await exported
      .buyCredits(new exported.Tidewire({ baseUrl }), {
        amountUsd: 1,
        wallet: wallet(),
        onStep: ({ step }) => (step === "paid" ? Promise.reject(new Error("the disk is full")) : undefined),
      })
      .catch((cause: unknown) => cause)
    if (!(failed instanceof exported.PurchaseError) || failed.claim === null) throw new Error(`no claim: ${failed}`)
    expect(JSON.stringify(failed)).not.toContain(failed.claim.memo)
    await shop.chain.mine(5)
    expect(await exported.claimPurchase(new exported.Tidewire({ baseUrl }), failed.claim)).toMatchObject({
      credits: 50,
    })
  })
})

describe.each(drivers)("the installed client of $language", ({ call, changes }) => {
  it("reads by the stream what the pages hold, and goes on where it stopped", async () => {
    const limit = 20
    const { reply } = await call({ baseUrl, operation: "changes_page", parameters: { after: "start", limit } })
    const page = reply as client.ChangesPageReply
    expect(page.changes).toHaveLength(limit)
    const [whole, rest] = await changes([
      { baseUrl, parameters: { after: "start" }, changesMax: limit },
      { baseUrl, parameters: { after: page.changes[limit / 2 - 1]?.cursor }, changesMax: limit / 2 },
    ])
    expect(whole).toMatchObject({ changes: page.changes, error: null })
    expect(rest).toMatchObject({ changes: page.changes.slice(limit / 2), error: null })
    const [lost] = await changes([{ baseUrl, parameters: { after: "aaaaaaaa.000000000001" } }])
    expect(lost?.error).toMatchObject({ type: "CursorError", error: "other_log" })
  })

  it("is charged once for a call that is repeated under its key, and verifies both receipts", async () => {
    const before = await balanceOf()
    const asked = { baseUrl, token, operation: "pro_macro", idempotencyKey: `again-${drivers.length}-${before}` }
    const [first, again] = [await call(asked), await call(asked)]
    expect([first.error, again.error]).toEqual([null, null])
    expect(again.reply).toEqual(first.reply)
    expect([first.replayed, again.replayed]).toEqual([[false], [true]])
    expect(await balanceOf()).toBe(before - 2)
  })

  it("reads the past, pays once a day for a reply of it, and verifies each receipt", async () => {
    const instantNow = async () => {
      const { reply } = await call({ baseUrl, operation: "earthquake", maxAgeMs: 1, parameters: { at: "now" } })
      return (reply as client.EarthquakeReply | null)?._meta.at?.known_at
    }
    // What the service knew at its start is settled a little later.
    const at = await eventually("an instant is settled", async () => {
      const known = await instantNow()
      const { error } = await call({ baseUrl, token, operation: "pro_macro", parameters: { at: known ?? "now" } })
      return known !== undefined && error === null ? known : undefined
    })
    const free = await call({ baseUrl, operation: "earthquake", parameters: { at } })
    expect(free.reply).toMatchObject({ endpoint: "earthquake", _meta: { at: { requested: at, known_at: at } } })
    const before = await balanceOf()
    const asked = { baseUrl, token, operation: "pro_macro", parameters: { at } }
    const replies = [await call(asked), await call({ ...asked, parameters: { at: at.replace("Z", "+00:00") } })]
    for (const { error, reply } of replies) {
      expect(error).toBeNull()
      expect(reply).toMatchObject({ billing: { credits_charged: 0 }, _meta: { at: { known_at: at } } })
    }
    expect(await balanceOf()).toBe(before)
    const { error } = await call({ baseUrl, operation: "earthquake", parameters: { at: "2026-08-17" } })
    expect(error).toMatchObject({
      type: "ProblemError",
      error: "invalid_at",
      allowed: [expect.any(String), expect.any(String)],
    })
  })

  it("refuses a receipt that another key signed", async () => {
    const { keys } = await new exported.Tidewire({ baseUrl }).jwks()
    const [key] = keys
    const others = { keys: [{ ...key, x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }] }
    const { error } = await call({ baseUrl, token, operation: "pro_macro", keys: others })
    expect(error).toMatchObject({ type: "ReceiptError", problem: "wrong_signature", reply: { billing: {} } })
  })

  it("makes refusals typed errors", async () => {
    const wrong = await call({ baseUrl, operation: "climate_earthquakes", parameters: { period: "decade" } })
    expect(wrong.error).toMatchObject({
      type: "ProblemError",
      status: 400,
      error: "invalid_parameter",
      parameter: "period",
      allowed: ["hour", "day", "week", "month"],
    })
    const missing = await call({ baseUrl, operation: "pro_macro" })
    expect(missing.error).toMatchObject({ type: "PaymentRequiredError", status: 402, error: "missing_token" })
    const unknown = await call({ baseUrl, operation: "payment_balance", token: `svc_live_${"0".repeat(64)}` })
    expect(unknown.error).toMatchObject({ type: "PaymentRequiredError", status: 401, error: "invalid_token" })
  })

  it("refuses data that is older than the caller accepts", async () => {
    const { error } = await call({ baseUrl, operation: "earthquake", maxAgeMs: 1 })
    expect(error).toMatchObject({ type: "StaleDataError", reply: { endpoint: "earthquake" } })
    expect((await call({ baseUrl, operation: "earthquake", maxAgeMs: 86_400_000 })).error).toBeNull()
  })

  it("gives tables as texts and maps as objects", async () => {
    const table = await call({ baseUrl, operation: "earthquake", parameters: { format: "csv" } })
    expect(table.reply).toMatch(/^type,/)
    const map = await call({ baseUrl, operation: "wildfires", parameters: { format: "geojson" } })
    expect(map.reply).toMatchObject({ type: "FeatureCollection" })
  })

  it("reads the members alone that are asked for, and verifies the receipt of a paid reply with them", async () => {
    const free = await call({ baseUrl, operation: "earthquake", parameters: { fields: ["location", "magnitude"] } })
    const [quake] = (free.reply as client.EarthquakeReply | null)?.data?.earthquakes ?? []
    expect(Object.keys(quake ?? {})).toEqual(["magnitude", "location"])
    const paid = await call({ baseUrl, token, operation: "pro_briefing", parameters: { fields: ["sample_size"] } })
    expect(paid.error).toBeNull()
    expect(paid.reply).toMatchObject({ sample_size: {}, billing: {}, receipt: {} })
    expect(paid.reply).not.toHaveProperty("sections")
  })

  it("speaks to the MCP server as it does to any operation", async () => {
    const { reply } = await call({ baseUrl, operation: "mcp", body: { jsonrpc: "2.0", id: 1, method: "ping" } })
    expect(reply).toMatchObject({ jsonrpc: "2.0", id: 1 })
  })
})

contractCommand(() => ({ url: baseUrl, token }))

describe("the printed types", () => {
  it.skipIf(pythonFolder === null)("of Python fit every reply, member by member", async () => {
    const program = fileURLToPath(new URL("./replies.py", import.meta.url))
    const asked = { base_url: baseUrl, token, calls: calls.map(({ endpoint: _, ...one }) => one) }
    const { found, from } = JSON.parse(await runPython(pythonFolder ?? "", [program], JSON.stringify(asked)))
    expect(String(from).startsWith(pythonFolder ?? "")).toBe(true)
    expect(Object.keys(found)).toHaveLength(calls.length)
    expect(Object.values(found).flat()).toEqual([])
  })

  it(
    "of TypeScript fit every reply, as the compiler sees it",
    async () => {
      const driver = typescriptDriver(exported, callsFrom("203.0.113.7"))
      const lines: Array<string> = []
      const types = new Set<string>()
      for (const { endpoint, operation, parameters, exact } of calls) {
        const { reply, error } = await driver.call({ baseUrl, token, operation, parameters })
        expect(error, operation).toBeNull()
        if (typeof reply === "string") continue
        types.add(`${pascalCase(operation)}Reply`)
        const value = JSON.stringify(reply)
        // A value that is written in place may have no member that its type lacks; a document may.
        lines.push(
          exact
            ? `export const ${camelCase(operation)}: ${pascalCase(operation)}Reply = ${value}`
            : `const its${pascalCase(operation)} = ${value} as const\nexport const ${camelCase(operation)}: ${pascalCase(operation)}Reply = its${pascalCase(operation)}`,
        )
        expect(isPremium(endpoint) && !value.includes('"receipt"'), operation).toBe(false)
      }
      const program = join(typescriptFolder, "replies.ts")
      const head = `import type { ${[...types].join(", ")} } from "tidewire-client"\n`
      const compiled = async (text: string): Promise<string> => {
        writeFileSync(program, text)
        const options = [
          "--noEmit",
          "--strict",
          "--exactOptionalPropertyTypes",
          "--module",
          "nodenext",
          "--target",
          "es2024",
        ]
        const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url))
        const words = [compiler, ...options, "--lib", "es2024,dom,dom.iterable", "--types", "", program]
        return runProgram(process.execPath, words, { cwd: typescriptFolder, timeout: COMPILE_MS }).then(
          () => "",
          ({ stdout }: { readonly stdout: string }) => stdout,
        )
      }
      expect(await compiled(`${head}${lines.join("\n")}\n`)).toBe("")
      expect(lines.length).toBeGreaterThan(50)
      const wrong = lines.map((line) => line.replace(/"magnitude":-?[\d.]+/, '"magnitude":"4"'))
      expect(await compiled(`${head}${wrong.join("\n")}\n`)).toContain("TS2322")
    },
    2 * COMPILE_MS,
  )
})
