import { execFile } from "node:child_process"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memoHashOf, requestHashOf, tokenHashOf } from "../../ledger/client.ts"
import { newReceiptKey } from "../../ledger/receipts/keys.ts"
import { eventually } from "../support/eventually.ts"
import { filesWith, spellings } from "../support/files-with.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { onDemandPath } from "../support/some-feed.ts"
import { transfer } from "../world/chain/calls.ts"
import { makeClient } from "../world/chain/client.ts"
import { openShop, type Shop } from "../world/chain/shop.ts"

const run = promisify(execFile)
const CLI = new URL("../../infra/commands/main.js", import.meta.url).pathname
const CONFIRMATIONS = 5

const keysIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(folder, "secrets")).map((name) => {
    const text = readFileSync(join(folder, "secrets", name), "utf8").trim()
    const pem = /-----\n([^-]+)\n-----/u.exec(text)?.[1]
    // The last 32 bytes of a private key's PKCS #8 form are the key.
    return pem === undefined ? text : Buffer.from(pem, "base64").subarray(-32).toString("hex")
  })

describe("memos, tokens and keys", () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop({ LOG_LEVEL: "trace", REQUESTS_PER_DAY: "10000" }, [
      "/api/pro/briefing",
      onDemandPath().split("?")[0] ?? "",
    ])
    await shop.service.filled()
  })
  afterAll(() => shop?.close())

  /** How many rows of a table or view hold one of the words. Analysts have 10 s where they ask for no more. */
  const rowsWith = async (table: string, words: ReadonlyArray<string>): Promise<number> => {
    const query = `SELECT count() FROM ${table} WHERE multiSearchAny(formatRowNoNewline('JSONEachRow', *), {words:Array(String)})
      SETTINGS max_execution_time = 60`
    const address = new URL(shop.service.analystUrl)
    address.searchParams.set("param_words", `[${words.map((word) => `'${word}'`).join(",")}]`)
    const response = await fetch(address, { method: "POST", body: query })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return Number(text)
  }
  const tables = async (): Promise<ReadonlyArray<string>> => {
    const address = new URL(shop.service.analystUrl)
    const response = await fetch(address, { method: "POST", body: "SHOW TABLES" })
    return (await response.text()).trim().split("\n")
  }

  it("sign receipts that callers can verify, also offline and after the reply was serialized again", async () => {
    const { service, chain, dataDirectory } = shop
    const buyer = makeClient(service.url)
    const quote = await buyer.quote(1)
    const payer = await chain.newAccount(quote.units)
    const { transactionHash } = await chain.send(payer, transfer(chain.wallet, quote.units))
    await chain.mine(CONFIRMATIONS - 1)
    const token = await buyer.token(transactionHash, { memo: quote.memo })
    const { status, text, headers, body } = await buyer.get("/api/pro/briefing?history=24h", token)
    expect(status, text).toBe(200)
    const verified = await buyer.post("/api/receipt/verify", body)
    expect(verified.body).toMatchObject({
      valid: true,
      body: "matches",
      receipt: {
        id: headers.get("x-service-receipt-id"),
        endpoint: "/api/pro/briefing",
        request_sha256: requestHashOf("GET", "/api/pro/briefing", { history: "24h" }),
        credits: 1,
        reason: null,
        ledger: { account_sequence: expect.any(Number) },
      },
    })
    const folder = temporaryDirectory()
    const offline = async (name: string, content: unknown, ...rest: ReadonlyArray<string>) => {
      const path = join(folder, name)
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2))
      const replies = run(process.execPath, [CLI, "receipt:verify", path, ...rest], {
        env: { PATH: process.env.PATH, DATA_DIR: dataDirectory },
      })
      return replies.then(
        ({ stdout }) => stdout,
        ({ stdout }: { readonly stdout: string }) => stdout,
      )
    }
    const jwks = join(folder, "jwks.json")
    writeFileSync(jwks, JSON.stringify(await service.json("/.well-known/jwks.json")))
    const turned = Object.fromEntries(Object.entries(body).reverse())
    const cheaper = { ...body, billing: { credits_charged: 0, credits_remaining: 50 } }
    expect(await offline("reply.json", text)).toMatch(/^valid\nreply {6}is the one that was signed/u)
    expect(await offline("turned.json", turned, "--jwks", jwks)).toMatch(/^valid\nreply {6}is the one/u)
    expect(await offline("cheaper.json", cheaper)).toMatch(/^not valid: .*another reply/u)
    removeDirectory(folder)
  })

  it("stand in no log line, metric, error, table or file, only their hashes do", async () => {
    const { service, chain, providers, dataDirectory } = shop
    const buyer = makeClient(service.url)
    const quote = await buyer.quote(1)
    const payer = await chain.newAccount(quote.units * 2)
    const { transactionHash } = await chain.send(payer, transfer(chain.wallet, quote.units))
    const early = await buyer.confirm(transactionHash, { memo: quote.memo })
    await chain.mine(CONFIRMATIONS - 1)
    const token = await buyer.token(transactionHash, { memo: quote.memo })
    const bearer = { authorization: `Bearer ${token}` }
    const called = await buyer.get("/api/pro/briefing", token, { "idempotency-key": token })
    expect(called.status, called.text).toBe(200)

    // Failed requests that hold a memo or a token: no reply repeats them.
    const raw = async (path: string, init: RequestInit): Promise<string> =>
      JSON.stringify(await (await service.get(path, init)).json())
    const json = { "content-type": "application/json" }
    const confirmWith = (body: string) => raw("/api/payment/confirm", { method: "POST", headers: json, body })
    const replies = [
      early.text,
      called.text,
      await raw("/api/payment/balance", { headers: bearer }),
      await raw("/api/payment/history", { headers: bearer }),
      await raw("/api/payment/balance", { headers: { authorization: `Bearer ${token}x` } }),
      await raw("/api/payment/balance", { headers: { authorization: token } }),
      await raw(`/api/pro/briefing?include=${token}`, { headers: bearer }),
      await raw(`/api/pro/briefing?token=${token}`, {}),
      await raw(`/api/pro/${token}`, { headers: bearer }),
      await raw(onDemandPath([quote.memo, token]), {}),
      await raw("/api/pro/briefing", { headers: { ...bearer, "idempotency-key": `${token} ${"x".repeat(500)}` } }),
      await raw("/api/pro/briefing", { method: "DELETE", headers: bearer }),
      await confirmWith(`{"tx_hash":"${quote.memo}","nonce":"${quote.memo}"}`),
      await confirmWith(`{"tx_hash":"${transactionHash}","nonce":"${quote.memo}x"}`),
      await confirmWith(`{"tx_hash":"${transactionHash}","nonce":["${quote.memo}"]}`),
      await confirmWith(`{"nonce": ${quote.memo}}`),
      await confirmWith(`${quote.memo} ${token}`),
      await raw(`/api/payment/confirm?nonce=${quote.memo}`, {
        method: "POST",
        headers: { ...json, ...bearer },
        body: "[]",
      }),
      await raw("/api/payment/buy-credits", { method: "POST", headers: json, body: `{"amount_usd":"${token}"}` }),
      await raw("/api/receipt/verify", { method: "POST", headers: json, body: `{"receipt":"${token}"}` }),
      await raw("/api/receipt/verify", { method: "POST", headers: json, body: `{"memo":"${quote.memo}"}` }),
    ]
    const second = await chain.send(payer, transfer(chain.wallet, quote.units))
    for (const provider of providers) provider.setFaults({ kind: "status", status: 500 })
    replies.push((await buyer.confirm(second.transactionHash, { memo: quote.memo, token })).text)
    shop.heal()
    const revoked = await buyer.post("/api/payment/revoke", {}, token)
    expect(revoked.status, revoked.text).toBe(200)
    replies.push(revoked.text, (await buyer.get("/api/pro/briefing", token)).text)
    const next = await buyer.token(transactionHash, { memo: quote.memo })
    expect(next).not.toBe(token)

    const words = [quote.memo, token, next].map((secret) => secret.replace(/^(?:tw_buy_|svc_live_)/u, ""))
    for (const text of replies) for (const word of words) expect(text.toLowerCase()).not.toContain(word)

    const keys = keysIn(dataDirectory)
    expect(keys).toHaveLength(4)
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    for (const word of [...words, ...keys])
      for (const spelling of spellings(word)) {
        expect(Buffer.from(service.output()).includes(spelling)).toBe(false)
        expect(Buffer.from(metrics).includes(spelling)).toBe(false)
      }

    const hashes = [memoHashOf(quote.memo).slice(2), tokenHashOf(token), tokenHashOf(next)]
    // Proof that the search works: it finds the hashes.
    for (const hash of hashes) expect(await filesWith(dataDirectory, spellings(hash))).not.toEqual([])
    expect(await filesWith(dataDirectory, [...words, ...keys].flatMap(spellings))).toEqual([])

    // Rows are compressed in the files, so the tables are queried as well, once they hold these events.
    await eventually(
      "the call is in the history",
      async () => (await rowsWith("credit_entries", [...words, "credits.debited"])) > 0,
    )
    for (const table of await tables()) expect(await rowsWith(table, words), table).toBe(0)
  })
})

describe("an empty folder", () => {
  const directory = temporaryDirectory()
  const dataDirectory = join(directory, "data")
  let service: Service | undefined
  afterAll(async () => {
    await service?.end("SIGKILL")
    removeDirectory(directory)
  })
  // No server listens there: this test needs no upstream.
  const environment = { UPSTREAMS: "http://127.0.0.1:9", LOG_LEVEL: "trace" }

  it("gets its keys at the first start, keeps them, takes new ones, and refuses those that others can read", async () => {
    service = await startService({ dataDirectory, environment })
    await service.ready()
    const folder = join(dataDirectory, "secrets")
    const names = ["client-1.key", "ledger-operator", "receipt-1.key", "token-1.key"]
    expect(readdirSync(folder).sort()).toEqual(names)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    const before = keysIn(dataDirectory)
    const first = await service.json("/.well-known/jwks.json")
    expect(await service.end("SIGTERM")).toBe(0)
    for (const key of before) for (const word of spellings(key)) expect(service.output()).not.toContain(word.toString())

    writeFileSync(join(folder, "receipt-2.key"), newReceiptKey(), { mode: 0o600 })
    service = await startService({ dataDirectory, environment })
    await service.ready()
    const rotated = await service.json("/.well-known/jwks.json")
    expect(rotated.keys).toHaveLength(2)
    expect((rotated.keys as ReadonlyArray<unknown>)[1]).toEqual((first.keys as ReadonlyArray<unknown>)[0])
    expect(keysIn(dataDirectory)).toEqual(expect.arrayContaining([...before]))
    expect(await service.end("SIGTERM")).toBe(0)

    const path = join(folder, "token-1.key")
    chmodSync(path, 0o644)
    service = await startService({ dataDirectory, environment })
    expect(await new Promise((resolve) => service?.child.once("exit", resolve))).not.toBe(0)
    expect(service.output()).toContain(path)
    expect(service.output()).toContain("chmod 0600")
    expect(service.output()).not.toContain(readFileSync(path, "utf8").trim())
  })
})
