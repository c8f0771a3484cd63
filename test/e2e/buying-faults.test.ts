import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { type Hex, keccak256, toBytes } from "viem"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { filesBelow } from "../support/files-with.ts"
import { transfer } from "../world/chain/calls.ts"
import type { LocalChain } from "../world/chain/chain.ts"
import { type Client, disclosedSecrets, makeClient, recordSecrets } from "../world/chain/client.ts"
import { lies } from "../world/chain/lies.ts"
import type { RpcFault } from "../world/chain/rpc-faults.ts"
import { openShop, type Shop } from "../world/chain/shop.ts"
import { signText } from "../world/chain/signatures.ts"

// Buying while the chain forks, while its providers fail and lie, and what is left behind of the buyers' secrets.

let shop: Shop
let chain: LocalChain
let output = ""
beforeAll(async () => {
  shop = await openShop({ LOG_LEVEL: "trace" }, ["/api/briefing", "/api/pro/briefing"])
  chain = shop.chain
  for (const stream of [shop.service.child.stdout, shop.service.child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
    })
  await shop.service.filled()
})
afterEach(() => shop.heal())
afterAll(() => shop?.close())

const client = (): Client => makeClient(shop.service.url)
const CONFIRMATIONS = 5

/** A quote that was paid, and is deep enough. */
const bought = async (usd = 1) => {
  const buyer = client()
  const quote = await buyer.quote(usd)
  const payer = await chain.newAccount(quote.units)
  const receipt = await chain.send(payer, transfer(chain.wallet, quote.units))
  await chain.mine(CONFIRMATIONS - 1)
  return { buyer, payer, memo: quote.memo, transaction: receipt.transactionHash, receipt }
}
/** `npm run ledger -- ...` beside the running service, or without it. */
const ledger = (...words: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    const child = spawn(process.execPath, ["infra/commands/main.js", "ledger", ...words], {
      cwd: new URL("../..", import.meta.url),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: shop.dataDirectory,
        ADMIN_PORT: new URL(shop.service.adminUrl).port,
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8")
      })
    child.once("close", (code) => resolve({ code, output }))
  })
const last = async () => Number(await chain.client.getBlockNumber({ cacheTime: 0 }))

describe("a reorganisation", () => {
  it("that moves a payment to another block changes nothing for its buyer, and its record names the new block", async () => {
    const { buyer, memo, transaction, receipt } = await bought()
    const token = await buyer.token(transaction, { memo })
    await buyer.spendOne(token)
    const depth = (await last()) - Number(receipt.blockNumber) + 1
    await chain.reorganise(depth, [{ hash: transaction, position: 2 }])
    await chain.mine(CONFIRMATIONS)
    const moved = await chain.client.getTransactionReceipt({ hash: transaction })
    expect(moved.blockHash).not.toBe(receipt.blockHash)
    expect(await buyer.token(transaction, { memo })).toBe(token)
    expect(await buyer.balance(token)).toBe(49)
    await eventually("the record names the new block", async () => {
      const { body } = await client().get("/api/payment/history", token)
      const standing = (body.purchases as ReadonlyArray<{ status: string; block_number: number }>).filter(
        ({ status }) => status !== "reversed",
      )
      expect(standing).toMatchObject([{ block_number: Number(moved.blockNumber) }])
      return true
    })
    expect(await buyer.balance(token)).toBe(49)
    expect(await buyer.token(transaction, { memo })).toBe(token)
    expect(await buyer.balance(token)).toBe(49)
  })

  it("that takes a payment away before it was credited leaves nothing to credit", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const payer = await chain.newAccount(quote.units)
    const { transactionHash } = await chain.send(payer, transfer(chain.wallet, quote.units))
    await chain.mine(1)
    expect((await buyer.confirm(transactionHash, { memo: quote.memo })).body).toMatchObject({ confirmations: 2 })
    await chain.reorganise(2)
    await chain.mine(CONFIRMATIONS)
    expect(await buyer.confirm(transactionHash, { memo: quote.memo })).toMatchObject({
      status: 202,
      body: { status: "pending", confirmations: 0 },
    })
    // The reverted payment left the buyer's balance untouched, so he can pay again.
    const { transactionHash: anew } = await chain.send(payer, transfer(chain.wallet, quote.units))
    await chain.mine(CONFIRMATIONS)
    await buyer.token(anew, { memo: quote.memo })
  })
})

describe("one provider of three", () => {
  const wrongs: ReadonlyArray<readonly [string, RpcFault]> = [
    ["reports a larger amount", lies.units(900_000_000)],
    ["reports another payee", lies.payee("0x00000000000000000000000000000000000000aa")],
    ["reports another payer", lies.payer("0x00000000000000000000000000000000000000aa")],
    ["reports another token", lies.token("0x00000000000000000000000000000000000000aa")],
    ["reports a failed transaction", lies.status(false)],
    ["reports another block", lies.blockHash(`0x${"ab".repeat(32)}`)],
    ["denies everything", lies.nothing],
    ["is down", { kind: "down" }],
    ["lags a hundred blocks behind", { kind: "lagging", blocks: 100 }],
    ["is over its limit", { kind: "error", code: -32016, message: "over rate limit" }],
    ["sends pages", { kind: "garbage" }],
  ]
  it.each(wrongs)("%s: what was paid is credited", async (_, fault) => {
    const { buyer, memo, transaction } = await bought()
    shop.providers[0].setFaults(fault)
    expect(await buyer.confirm(transaction, { memo })).toMatchObject({
      status: 200,
      body: { credits: 50, balance: 50 },
    })
  })

  it("invents a payment, and nothing is credited", async () => {
    const { buyer, transaction } = await bought()
    const call = async (method: string) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [transaction] })
      const headers = { "content-type": "application/json" }
      const reply = await (await fetch(chain.rpcUrl, { method: "POST", headers, body })).json()
      return (reply as { readonly result: unknown }).result
    }
    const template = {
      receipt: await call("eth_getTransactionReceipt"),
      transaction: await call("eth_getTransactionByHash"),
    }
    const hash: Hex = keccak256(toBytes("never sent"))
    shop.providers[0].setFaults(lies.invented(hash, template))
    const { memo } = await buyer.quote()
    const reply = await buyer.confirm(hash, { memo })
    expect(reply.status, reply.text).not.toBe(200)
    expect(reply.text).not.toContain("svc_live_")
  })

  it("calls every block final, and a large payment still waits", async () => {
    const { buyer, memo, transaction } = await bought(25)
    shop.providers[0].setFaults({ kind: "hasty" })
    expect(await buyer.confirm(transaction, { memo })).toMatchObject({ status: 202, body: { required: "safe" } })
  })

  it("goes on telling of a payment that a reorganisation has undone", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const payer = await chain.newAccount(quote.units)
    const { transactionHash } = await chain.send(payer, transfer(chain.wallet, quote.units))
    await buyer.confirm(transactionHash, { memo: quote.memo })
    shop.providers[0].setFaults({ kind: "stale", methods: ["eth_getTransactionReceipt", "eth_getTransactionByHash"] })
    await chain.reorganise(1)
    await chain.mine(CONFIRMATIONS)
    expect((await buyer.confirm(transactionHash, { memo: quote.memo })).status).toBe(202)
  })
})

describe("without enough providers", () => {
  const outages: ReadonlyArray<readonly [string, RpcFault]> = [
    ["are down", { kind: "down" }],
    ["are over their limit", { kind: "status", status: 429, retryAfterSeconds: 2 }],
    ["break off", { kind: "truncated" }],
  ]
  it.each(outages)("that %s: spending goes on, and confirm replies with a Retry-After", async (_, fault) => {
    const before = await bought()
    const token = await before.buyer.token(before.transaction, { memo: before.memo })
    const { buyer, memo, transaction } = await bought()
    for (const provider of shop.providers) provider.setFaults(fault)
    const reply = await buyer.confirm(transaction, { memo })
    expect(reply).toMatchObject({ status: 503, body: { error: "billing_unavailable" } })
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0)
    await before.buyer.spendOne(token)
    expect(await before.buyer.balance(token)).toBe(49)
    expect((await buyer.get("/api/briefing")).status).toBe(200)
    shop.heal()
    await eventually("the payment is credited", async () => {
      expect((await client().confirm(transaction, { memo })).status).toBe(200)
      return true
    })
  })

  it("that all lag behind, a payment is pending until their blocks hold it", async () => {
    const { buyer, memo, transaction } = await bought()
    for (const provider of shop.providers) provider.setFaults({ kind: "lagging", blocks: 3 })
    expect(await buyer.confirm(transaction, { memo })).toMatchObject({ status: 202, body: { confirmations: 2 } })
    shop.heal()
    await buyer.token(transaction, { memo })
  })
})

describe("an operator", () => {
  it("grants a payment without any possible proof, once: a round sum from an exchange", async () => {
    const { exchange } = chain.accounts
    await chain.mint(exchange.address, 2_000_000)
    const { transactionHash } = await chain.send(exchange, transfer(chain.wallet, 2_000_000))
    await chain.mine(CONFIRMATIONS)
    const buyer = client()
    const { memo } = await buyer.quote(2)
    const refused = await buyer.confirm(transactionHash, { memo })
    expect(refused).toMatchObject({ status: 409, body: { error: "payer_proof_required" } })
    const words = ["--operator", "ann", "--reason", "withdrawal, shown by mail", "--payment", `${transactionHash}:0`]
    const granted = await ledger("grant", "new", "100", ...words, "--json")
    expect(granted.code, granted.output).toBe(0)
    recordSecrets(granted.output)
    expect(await buyer.balance(/svc_live_[0-9a-f]{64}/.exec(granted.output)?.[0] ?? "")).toBe(100)
    expect((await ledger("grant", "new", "100", ...words)).code).not.toBe(0)
    // The payment is used up, also for the exchange itself.
    const signature = await signText(exchange, String(refused.body.text_to_sign))
    expect(await buyer.confirm(transactionHash, { memo, signature })).toMatchObject({
      status: 409,
      body: { error: "already_credited" },
    })
  })
})

describe("a late payment", () => {
  // Time of the chain does not go back: these come last of all that look at it.
  it("of an expired quote is credited by its amount for a week, and by the payer's signature for ever", async () => {
    const buyer = client()
    const [soon, late] = [await buyer.quote(), await buyer.quote()]
    const payer = await chain.newAccount(10_000_000)
    const payAt = async (units: number, afterMs: number) => {
      await chain.nextBlockAt(Date.now() + afterMs)
      const { transactionHash } = await chain.send(payer, transfer(chain.wallet, units))
      await chain.mine(CONFIRMATIONS)
      return transactionHash
    }
    const day = 86_400_000
    const first = await payAt(soon.units, 6 * day)
    expect((await buyer.confirm(first, { memo: soon.memo })).body).toMatchObject({ credits: 50 })
    const second = await payAt(late.units, 8 * day)
    const refused = await buyer.confirm(second, { memo: late.memo })
    expect(refused).toMatchObject({ status: 409, body: { error: "payer_proof_required" } })
    const signature = await signText(payer, String(refused.body.text_to_sign))
    expect((await buyer.confirm(second, { memo: late.memo, signature })).body).toMatchObject({ credits: 50 })
  })
})

describe("memos and tokens", () => {
  const leaked = (where: string, text: string): ReadonlyArray<string> =>
    // Cut to a prefix, so that a failure of this test does not print the secrets.
    [...disclosedSecrets]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${where}: ${secret.slice(0, 12)}...`)

  it("stand in no log line, metric, error, event or history, and in no byte of the data folder", async () => {
    const buyer = client()
    const { memo, memoHash } = await buyer.quote()
    const payment = transfer(chain.wallet, 3_000_000, { memoHash })
    const { transactionHash: transaction } = await chain.send(await chain.newAccount(3_000_000), payment)
    await chain.mine(CONFIRMATIONS)
    const token = await buyer.token(transaction, { memo })
    // Places into which callers may put secrets by mistake, and the stored replies.
    const careless = [
      await buyer.get(`/api/payment/confirm?nonce=${memo}&token=${token}`),
      await buyer.get(`/api/pro/briefing?token=${token}&include=${memo}`, token),
      await buyer.get(`/api/${token}/${memo}`),
      await buyer.post("/api/payment/confirm", { tx_hash: memo, nonce: token }),
      await buyer.post("/api/payment/confirm", { tx_hash: transaction, nonce: `${memo}0` }, `${token}0`),
      await buyer.get("/api/pro/briefing", token, { "idempotency-key": "a key of one's own" }),
      await buyer.get("/api/pro/briefing", token, { "idempotency-key": token }),
    ]
    expect(careless.flatMap(({ text }, index) => leaked(`reply ${index}`, text))).toEqual([])
    expect(disclosedSecrets.size).toBeGreaterThan(40)

    const metrics = await (await fetch(`${shop.service.adminUrl}/metrics`)).text()
    expect(metrics).toContain("tidewire_ledger_")
    expect(leaked("metrics", metrics)).toEqual([])

    const sql = async (query: string): Promise<string> => {
      const response = await fetch(shop.service.analystUrl, {
        method: "POST",
        body: query,
      })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text
    }
    const tables = (await sql("SHOW TABLES")).trim().split("\n")
    expect(tables).toEqual(expect.arrayContaining(["events", "credit_entries", "purchases"]))
    await eventually(
      "the purchases are in the history",
      async () => Number(await sql("SELECT count() FROM purchases")) > 20,
    )
    for (const table of tables)
      expect(leaked(table, await sql(`SELECT * FROM ${table} ORDER BY 1 DESC LIMIT 200000 FORMAT TSVRaw`))).toEqual([])

    expect(await shop.service.end("SIGTERM")).toBe(0)
    expect(output.length).toBeGreaterThan(1_000)
    expect(leaked("output", output)).toEqual([])
    const kept = filesBelow(shop.dataDirectory)
    expect(kept.length).toBeGreaterThan(3)
    for (const file of kept) expect(leaked(file, readFileSync(file, "latin1"))).toEqual([])
    // Proof that the search works: it finds the hash of a memo.
    const hashes = kept.filter((file) => readFileSync(file, "latin1").includes(keccak256(toBytes(memo)).slice(2)))
    expect(hashes.length).toBeGreaterThan(0)
  })
})

describe("the ledger", () => {
  it("proves all of it", async () => {
    await shop.service.end("SIGTERM")
    const { code, output } = await ledger("verify")
    expect(code, output).toBe(0)
  })
})
