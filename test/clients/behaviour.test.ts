import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as client from "../../.clients/typescript/index.js"
import { type Driver, pythonDriver, pythonMissing, runPython, typescriptDriver } from "./drivers.ts"
import { packages } from "./make-packages.ts"
import { hangUp, json, problem, type ScriptStep, scriptedService, silence } from "./scripted-service.ts"

// What both clients do with replies, refusals and failures, over a server whose every answer is a script.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TOKEN = `svc_live_${"ab".repeat(32)}`
const PAID = `0x${"7".repeat(64)}` as const
/** Stands for the signature of a text. */
const signed = (text: string): string => createHash("sha256").update(text).digest("hex")
const now = { "retry-after": "0" }
const limited = problem(429, "rate_limited", now)

const python = pythonMissing()
if (python !== undefined) process.stdout.write(`skipped: the client of Python: ${python}\n`)
const drivers: ReadonlyArray<Driver> = [
  typescriptDriver(client),
  ...(python === undefined ? [pythonDriver(join(packages, "python"))] : []),
]

const unreadable: ReadonlyArray<readonly [string, ScriptStep]> = [
  ["is larger than the bound", json(200, { text: "x".repeat(2_000) })],
  ["is not JSON", (response) => void response.writeHead(200, { "content-type": "application/json" }).end("{")],
  ["is a page of a proxy", (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<p>")],
]

describe.each(drivers)("the client of $language", ({ call }) => {
  it("gives the body of a reply, and sends parameters as the contract says", async () => {
    const { baseUrl, requests } = await scriptedService(json(200, { sections: {} }))
    const asked = { baseUrl, operation: "pro_briefing", verifyReceipts: false }
    const outcome = await call({ ...asked, parameters: { include: ["earthquakes", "launches"], history: "24h" } })
    expect(outcome).toMatchObject({ reply: { sections: {} }, error: null, statuses: [200] })
    expect(requests.map(({ path }) => path)).toEqual(["/api/pro/briefing?include=earthquakes%2Claunches&history=24h"])
    await call({
      baseUrl,
      operation: "pro_feed_reliability_history",
      verifyReceipts: false,
      parameters: { from: "2026-01-01" },
    })
    expect(requests[1]?.path).toBe("/api/pro/feed-reliability/history?from=2026-01-01")
  })

  it("sends the token only to operations that take it", async () => {
    const { baseUrl, requests } = await scriptedService(json(200, {}))
    const asked = { baseUrl, token: TOKEN, verifyReceipts: false }
    for (const operation of ["earthquake", "pro_macro", "payment_info", "payment_balance", "jwks"])
      await call({ ...asked, operation })
    await call({ ...asked, operation: "payment_confirm", body: { tx_hash: "0x" } })
    await call({ ...asked, operation: "payment_buy_credits", body: { amount_usd: 1 } })
    const bearer = `Bearer ${TOKEN}`
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      bearer,
      undefined,
      bearer,
      undefined,
      bearer,
      undefined,
    ])
  })

  it("waits for Retry-After, and sends a paid call again under the same random key", async () => {
    const { baseUrl, requests, keysOf } = await scriptedService(
      limited,
      problem(503, "billing_unavailable", now),
      json(200, { billing: {} }),
    )
    const asked = { baseUrl, operation: "pro_macro", verifyReceipts: false }
    expect(await call(asked)).toMatchObject({ error: null, statuses: [429, 503, 200] })
    const [first, ...others] = keysOf()
    expect(first).toMatch(UUID)
    expect(others).toEqual([first, first])
    await call(asked)
    expect(requests).toHaveLength(4)
    expect(keysOf()[3]).toMatch(UUID)
    expect(keysOf()[3]).not.toBe(first)
  })

  it("sends no key with a free call", async () => {
    const { baseUrl, keysOf } = await scriptedService(json(200, {}))
    await call({ baseUrl, operation: "earthquake" })
    expect(keysOf()).toEqual([undefined])
  })

  it("sends no key with a paid call for an instant of the past, which is paid once a day, and sends it again", async () => {
    const { baseUrl, requests, keysOf } = await scriptedService(hangUp, limited, json(200, { billing: {} }))
    const asked = { baseUrl, operation: "pro_macro", verifyReceipts: false }
    const at = "2026-08-17T20:35:00Z"
    expect(await call({ ...asked, parameters: { at } })).toMatchObject({ error: null, statuses: [429, 200] })
    expect(requests.map(({ path }) => path)).toEqual(Array(3).fill(`/api/pro/macro?at=${encodeURIComponent(at)}`))
    expect(keysOf()).toEqual([undefined, undefined, undefined])
    // Of another instant at each call: as any call of the present.
    await call({ ...asked, parameters: { at: "now" } })
    expect(keysOf()[3]).toMatch(UUID)
    await call({ ...asked, parameters: { at }, idempotencyKey: "mine" })
    expect(keysOf()[4]).toBe("mine")
  })

  it("gives up after two retries, with the refusal as a typed error", async () => {
    const { baseUrl, requests } = await scriptedService(limited)
    const { error } = await call({ baseUrl, operation: "earthquake" })
    expect(error).toMatchObject({ type: "ProblemError", status: 429, error: "rate_limited", retry_after_seconds: 0 })
    expect(requests).toHaveLength(3)
  })

  it("sends nothing again without a key, and nothing that was refused for good", async () => {
    const paid = await scriptedService(limited)
    const { error } = await call({ ...paid, operation: "pro_macro", idempotencyKey: null })
    expect(error).toMatchObject({ type: "ProblemError", status: 429, idempotency_key: null })
    expect(paid.keysOf()).toEqual([undefined])
    const broken = await scriptedService(hangUp)
    expect((await call({ ...broken, operation: "pro_macro", idempotencyKey: null })).error?.type).toBe("NoReplyError")
    expect(broken.requests).toHaveLength(1)
    const wrong = await scriptedService(problem(400, "invalid_parameter", now))
    expect((await call({ ...wrong, operation: "earthquake" })).error?.type).toBe("ProblemError")
    expect(wrong.requests).toHaveLength(1)
  })

  it("does not wait longer than the call may take", async () => {
    const { baseUrl, requests } = await scriptedService(problem(429, "rate_limited", { "retry-after": "3600" }))
    const { error } = await call({ baseUrl, operation: "earthquake" })
    expect(error).toMatchObject({ type: "ProblemError", retry_after_seconds: 3600 })
    expect(requests).toHaveLength(1)
  })

  it("waits for a call that is in progress under its key", async () => {
    const { baseUrl, keysOf } = await scriptedService(problem(409, "idempotency_key_in_flight", now), json(200, {}))
    const asked = { baseUrl, operation: "pro_macro", idempotencyKey: "order-66", verifyReceipts: false }
    expect(await call(asked)).toMatchObject({ error: null, statuses: [409, 200] })
    expect(keysOf()).toEqual(["order-66", "order-66"])
  })

  it("sends a GET again whose connection broke, and never a POST", async () => {
    const { baseUrl, requests, keysOf } = await scriptedService(hangUp, json(200, {}))
    expect(await call({ baseUrl, operation: "pro_macro", verifyReceipts: false })).toMatchObject({ error: null })
    expect(new Set(keysOf()).size).toBe(1)
    expect(requests).toHaveLength(2)
    const post = await scriptedService(hangUp)
    const { error } = await call({ ...post, operation: "payment_buy_credits", body: { amount_usd: 1 } })
    expect(error?.type).toBe("NoReplyError")
    expect(post.requests).toHaveLength(1)
    const unavailable = await scriptedService(problem(503, "billing_unavailable", now))
    await call({ ...unavailable, operation: "payment_buy_credits", body: { amount_usd: 1 } })
    expect(unavailable.requests).toHaveLength(1)
  })

  it("ends with the key of a paid call when the time is over", async () => {
    const { baseUrl, keysOf } = await scriptedService(silence)
    const { error } = await call({ baseUrl, operation: "pro_macro", timeoutMs: 1_500 })
    expect(error).toMatchObject({ type: "TimedOutError", idempotency_key: keysOf()[0] })
    expect(keysOf()).toHaveLength(1)
  })

  it("ends in time while a body trickles", async () => {
    const { baseUrl } = await scriptedService((response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const timer = setInterval(() => response.write(" "), 20)
      response.once("close", () => clearInterval(timer))
    })
    expect((await call({ baseUrl, operation: "earthquake", timeoutMs: 300 })).error?.type).toBe("TimedOutError")
  })

  it("follows no redirect, so that the token goes nowhere else", async () => {
    const elsewhere = await scriptedService(json(200, {}))
    const { baseUrl } = await scriptedService((response) => {
      response.writeHead(302, { location: `${elsewhere.baseUrl}/api/pro/macro` }).end()
    })
    const { error } = await call({ baseUrl, operation: "pro_macro", token: TOKEN, verifyReceipts: false })
    expect(["NoReplyError", "UnreadableReplyError"]).toContain(error?.type)
    expect(elsewhere.requests).toEqual([])
  })

  it.each(unreadable)("refuses a reply that %s", async (_, step) => {
    const { baseUrl } = await scriptedService(step)
    const { error } = await call({ baseUrl, operation: "earthquake", bodyBytesMax: 1_000 })
    expect(error?.type).toBe("UnreadableReplyError")
  })

  it("notices a body that ends early", async () => {
    const { baseUrl } = await scriptedService((response) => {
      response.writeHead(200, { "content-type": "text/csv", "content-length": "100" })
      response.write("a,b\r\n", () => response.socket?.destroy())
    })
    const { error } = await call({ baseUrl, operation: "earthquake", parameters: { format: "csv" } })
    expect(error?.type).toBe("NoReplyError")
  })

  it.each(["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nContent-Type: applic", "HTTP/1.1 400 Bad Request\r\nX-A: b\r\n"])(
    "takes a head that is cut for no reply: %j",
    async (head) => {
      const { baseUrl, requests } = await scriptedService(
        (response) => void response.socket?.end(head),
        json(200, { type: "whole" }),
      )
      expect(await call({ baseUrl, operation: "earthquake" })).toMatchObject({ reply: { type: "whole" }, error: null })
      expect(requests).toHaveLength(2)
    },
  )

  it("makes a refusal an error with the members of the problem", async () => {
    const refusal = { status: 400, error: "invalid_parameter", message: "no", parameter: "period", allowed: ["day"] }
    const { baseUrl } = await scriptedService(json(400, { type: "about:blank", title: "Wrong", ...refusal }))
    const { error } = await call({ baseUrl, operation: "climate_earthquakes" })
    const { message: _, ...members } = refusal
    expect(error).toMatchObject({ type: "ProblemError", ...members, retry_after_seconds: null, idempotency_key: null })
  })

  it.each([
    [402, { error: "missing_token", signup: "/buy", pricing: {} }, "PaymentRequiredError"],
    [
      409,
      {
        error: "payer_proof_required",
        reason: "proof_required",
        text_to_sign: "I paid",
        signature_until: "2026-08-24",
      },
      "PayerProofError",
    ],
    [
      409,
      { error: "already_credited", opened_by: "memo", next_step: "show_memo", shown: null },
      "AlreadyCreditedError",
    ],
  ])("has an error of its own for status %i with %o", async (status, members, type) => {
    const body = { type: "about:blank", title: "Refused", status, message: "made so", ...members }
    const { baseUrl } = await scriptedService(json(status, body))
    const { error } = await call({ baseUrl, operation: "payment_confirm", body: { tx_hash: "0x" } })
    expect(error).toMatchObject({ type, status, error: members.error })
  })

  describe("with a greatest age", () => {
    const of = (ageMs: number) => new Date(Date.now() - ageMs).toISOString()
    const asked = { operation: "earthquake", maxAgeMs: 3_600_000 }

    it("takes younger data, and a reply without data by its nature", async () => {
      for (const body of [{ _meta: { as_of: of(60_000) } }, { keys: [] }]) {
        const { baseUrl } = await scriptedService(json(200, body))
        expect(await call({ ...asked, baseUrl })).toMatchObject({ reply: body, error: null })
      }
    })

    it("refuses older data, and data of unknown age, with the reply", async () => {
      for (const as_of of [of(7_200_000), null]) {
        const { baseUrl } = await scriptedService(json(200, { _meta: { as_of } }))
        const { error } = await call({ ...asked, baseUrl })
        expect(error).toMatchObject({ type: "StaleDataError", as_of, reply: { _meta: { as_of } } })
      }
    })

    it("takes a reply of the past, as old as it was asked for", async () => {
      const past = { "memento-datetime": "Mon, 17 Aug 2026 20:35:00 GMT", "x-service-as-of": of(7_200_000) }
      const { baseUrl } = await scriptedService(json(200, { _meta: { as_of: of(7_200_000) } }, past))
      expect((await call({ ...asked, baseUrl, parameters: { at: of(7_000_000) } })).error).toBeNull()
    })

    it("reads the age of a table from the headers", async () => {
      const { baseUrl } = await scriptedService((response) => {
        response.writeHead(200, { "content-type": "text/csv", "x-service-as-of": of(7_200_000) }).end("a,b\r\n")
      })
      const { error } = await call({ ...asked, baseUrl, parameters: { format: "csv" } })
      expect(error).toMatchObject({ type: "StaleDataError", reply: "a,b\r\n" })
    })
  })
})

/** Claims by signature with each client: the keys that it handed over before it signed, and the token or the error. */
const claimers: ReadonlyArray<readonly [string, (baseUrl: string) => Promise<{ keys: Array<string>; end: string }>]> = [
  [
    "TypeScript",
    async (baseUrl) => {
      const keys: Array<string> = []
      const wallet = {
        signMessage: async ({ message }: { readonly message: string }) => `0x${signed(message)}` as const,
      }
      const onStep = (step: client.PurchaseStep) => void (step.step === "signing" && keys.push(step.claim.claimKey))
      const claimed = client.claimBySignature(
        new client.Tidewire({ baseUrl }),
        { transactionHash: PAID },
        { wallet, onStep },
      )
      return { keys, end: await claimed.then(({ token }) => token).catch((cause: Error) => cause.name) }
    },
  ],
  ...(python === undefined
    ? [
        [
          "Python",
          async (baseUrl: string) => {
            const program = [
              "import hashlib, json, sys, tidewire_client as t",
              "keys = []",
              "sign = lambda text: '0x' + hashlib.sha256(text.encode()).hexdigest()",
              "try: end = t.claim_by_signature(t.Tidewire(sys.argv[1]), sys.argv[2], sign, on_claim_key=keys.append)['token']",
              "except t.TidewireError as error: end = type(error).__name__",
              "print(json.dumps({'keys': keys, 'end': end}))",
            ].join("\n")
            const folder = join(packages, "python")
            return JSON.parse(await runPython(folder, ["-c", program, baseUrl, PAID]))
          },
        ] as const,
      ]
    : []),
]

describe.each(claimers)("a claim by signature with the client of %s", (_, claimOf) => {
  const asksToSign = (reason: string, text: string | null, until: string | null = "2026-08-24") =>
    json(409, {
      ...{ type: "about:blank", title: "Refused", status: 409, error: "payer_proof_required", message: "made so" },
      ...{ reason, text_to_sign: text, signature_until: until },
    })
  const [first, second] = [`I claim ${PAID} until 2026-08-24.`, `I claim ${PAID} until 2026-08-31.`]

  it("makes a claim key, hands it over before it signs, and shows it at each confirm; an expired text is signed again", async () => {
    const { baseUrl, requests } = await scriptedService(
      asksToSign("proof_required", first),
      json(202, { status: "pending", confirmations: 0, required: 5, retry_after_seconds: 0 }),
      problem(408, "request_timeout"),
      asksToSign("signature_expired", second, "2026-08-31"),
      json(200, { token: TOKEN, credits: 50, balance: 50, provisional: false, purchases: [] }),
    )
    const { keys, end } = await claimOf(baseUrl)
    expect(end).toBe(TOKEN)
    const [key = ""] = keys
    expect(key).toMatch(/^tw_claim_[0-9a-f]{64}$/)
    expect(new Set(keys).size).toBe(1)
    const claim = { tx_hash: PAID, claim_key: key }
    const by = (text: string, until: string) => ({ ...claim, signature: `0x${signed(text)}`, signature_until: until })
    const day = "2026-08-24"
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
      claim,
      by(first, day),
      by(first, day),
      by(first, day),
      by(second, "2026-08-31"),
    ])
  })

  it.each([
    ["of another transaction", "proof_required", `I claim 0x${"8".repeat(64)} until 2026-08-24.`],
    ["again after its signature was refused", "signature_refused", first],
    ["that there is none of", "beneficiary_required", null],
  ])("signs no text %s", async (_, reason, text) => {
    const { baseUrl, requests } = await scriptedService(asksToSign(reason, text))
    expect((await claimOf(baseUrl)).end).toBe("PayerProofError")
    expect(requests).toHaveLength(1)
  })
})

describe("the client of TypeScript", () => {
  it("ends with the reason of the signal when it is cancelled, also while it waits", async () => {
    for (const step of [silence, problem(429, "rate_limited", { "retry-after": "20" })]) {
      const { baseUrl, requests } = await scriptedService(step)
      const [controller, reason] = [new AbortController(), new Error("enough")]
      const onResponse = () => controller.abort(reason)
      const ended = new client.Tidewire({ baseUrl }).earthquake({}, { signal: controller.signal, onResponse })
      if (step === silence) {
        while (requests.length === 0) await new Promise(setImmediate)
        controller.abort(reason)
      }
      await expect(ended).rejects.toBe(reason)
    }
  })

  it("shows its token in no text of itself", async () => {
    const { inspect } = await import("node:util")
    const tidewire = new client.Tidewire({ baseUrl: "http://127.0.0.1:1", token: TOKEN })
    expect([inspect(tidewire, { depth: 9, showHidden: true }), JSON.stringify(tidewire)].join()).not.toContain(TOKEN)
  })

  it("waits for a payment as long as the reply says, and no longer than its own bound", async () => {
    for (const retry_after_seconds of [1e9, Number.NaN]) {
      let confirms = 0
      const calls: client.PaymentCalls = {
        paymentBuyCredits: () => expect.fail("nothing is bought"),
        paymentConfirm: () => {
          confirms += 1
          return Promise.resolve({ status: "pending", confirmations: 0, required: 5, retry_after_seconds })
        },
      }
      const claimed = client.claimPurchase(calls, { transactionHash: "0x", memo: "m" }, { claimTimeoutMs: 500 })
      await expect(claimed).rejects.toMatchObject({ name: "TimedOutError" })
      expect(confirms).toBe(1)
    }
    const tidewire = new client.Tidewire({ baseUrl: "http://127.0.0.1:1" })
    for (const timeoutMs of [0, Number.NaN, 2 ** 31])
      await expect(tidewire.jwks({ timeoutMs })).rejects.toThrow(RangeError)
  })

  it("refuses an address that is not one of http", () => {
    for (const baseUrl of ["ftp://x", "file:///etc/passwd", "https://x/?a=1", "x"])
      expect(() => new client.Tidewire({ baseUrl })).toThrow(TypeError)
  })
})
