import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { responseHashOf } from "../../ledger/receipts/format.ts"
import { openReceipts } from "../../ledger/receipts/receipts.ts"
import { loadSecrets } from "../secrets/secrets.ts"

const folder = mkdtempSync(join(tmpdir(), "tidewire-receipt-"))
const dataDirectory = join(folder, "data")
const { receiptKeys } = await Effect.runPromise(loadSecrets({ directory: dataDirectory, environment: {} }))
const receipts = await openReceipts(receiptKeys, { issuer: "https://tidewire.example" })

const body = { source: "tidewire-pro", data: { count: 3 } }
const receipt = await receipts.sign({
  endpoint: "/api/pro/briefing",
  requestHash: "0".repeat(64),
  responseHash: responseHashOf(body),
  credits: 0,
  reason: "empty_range",
  atMs: Date.parse("2026-11-21T16:00:00.123Z"),
  entry: { accountSequence: 17, hash: "ab".repeat(32) },
})

const save = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2))
  return path
}
const reply = save("reply.json", { ...body, receipt })
const jwks = save("jwks.json", receipts.jwks)

const run = (parameters: ReadonlyArray<string>, options: { readonly input?: string; readonly data?: string } = {}) =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(
      process.execPath,
      [new URL("./main.js", import.meta.url).pathname, "receipt:verify", ...parameters],
      {
        env: { PATH: process.env.PATH, DATA_DIR: options.data ?? dataDirectory },
      },
    )
    let [out, err] = ["", ""]
    child.stdout.on("data", (text) => (out += text))
    child.stderr.on("data", (text) => (err += text))
    child.once("close", (code) => resolve({ code, out, err }))
    child.stdin.end(options.input ?? "")
  })

describe("npm run receipt:verify", () => {
  it("verifies a saved reply with this installation's keys, and says what it states", async () => {
    const { code, out } = await run([reply])
    expect(code).toBe(0)
    expect(out.split("\n")[0]).toBe("valid")
    for (const line of [
      "reply      is the one that was signed",
      `id         ${receipt.id}`,
      "issuer     https://tidewire.example",
      "time       2026-11-21T16:00:00.123Z",
      "endpoint   /api/pro/briefing",
      "credits    0 (empty_range)",
      `ledger     entry 17 of its account, ${"ab".repeat(32)}`,
    ])
      expect(out.split("\n")).toContain(line)
  })

  it("verifies with a saved key set, where this installation has no keys, and makes none", async () => {
    const data = join(folder, "elsewhere")
    const [whole, alone, input] = await Promise.all([
      run([reply, "--jwks", jwks], { data }),
      run([save("receipt.jws", `${receipt.jws}\n`), "--jwks", jwks], { data }),
      run(["-", "--jwks", jwks], { data, input: JSON.stringify({ ...body, receipt }) }),
    ])
    expect([whole.code, alone.code, input.code]).toEqual([0, 0, 0])
    expect(alone.out).toContain("reply      not given")
    expect(input.out).toContain("reply      is the one")
    const without = await run([reply], { data })
    expect(without).toMatchObject({ code: 2, out: "" })
    expect(without.err).toContain("--jwks")
    expect(readdirSync(folder)).not.toContain("elsewhere")
  })

  it("verifies with the keys at an address", async () => {
    const server = createServer((_, response) => response.end(JSON.stringify(receipts.jwks)))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === "object" ? address?.port : null
    const [local, plain] = await Promise.all([
      run([reply, "--jwks", `http://127.0.0.1:${port}/.well-known/jwks.json`]),
      run([reply, "--jwks", "http://tidewire.example/.well-known/jwks.json"]),
    ])
    expect(local.code).toBe(0)
    expect(plain.code).toBe(2)
    expect(plain.err).toContain("https")
  })

  it("says that a changed reply, a changed receipt, and another's receipt are not valid", async () => {
    const stranger = await Effect.runPromise(loadSecrets({ directory: join(folder, "stranger"), environment: {} }))
    const others = save("others.json", (await openReceipts(stranger.receiptKeys)).jwks)
    const [changed, forged, unknown] = await Promise.all([
      run([save("changed.json", { ...body, data: { count: 4 }, receipt })]),
      run([save("forged.jws", receipt.jws.replace(/.{4}$/u, "AAAA"))]),
      run([reply, "--jwks", others]),
    ])
    expect([changed.code, forged.code, unknown.code]).toEqual([1, 1, 1])
    expect(changed.out).toContain("not valid: the receipt is genuine")
    expect(changed.out).toContain("differs from the one that was signed")
    expect(forged.out).toMatch(/^not valid: [^\n]+\n$/u)
    expect(unknown.out).toContain("not among those given")
  })

  it("says what it cannot verify, with exit code 2", async () => {
    const wrong = await Promise.all([
      run([]),
      run([reply, "more"]),
      run([reply, "--unknown"]),
      run([join(folder, "absent.json")]),
      run([save("broken.json", "{")]),
      run([save("bare.json", body)]),
      run([reply, "--jwks", reply]),
      run([reply, "--jwks", save("empty.json", { keys: [] })]),
    ])
    for (const { code, out, err } of wrong) {
      expect(code).toBe(2)
      expect(out).toBe("")
      expect(err).not.toBe("")
      expect(err).not.toContain("    at ")
    }
  })

  it.each([
    [
      "twice.json",
      `{"data":{"count":4},"data":{"count":3},"source":"tidewire-pro","receipt":${JSON.stringify(receipt)}}`,
    ],
    [
      "number.json",
      `{"data":{"count":3.0000000000000001},"source":"tidewire-pro","receipt":${JSON.stringify(receipt)}}`,
    ],
  ])("calls nothing valid that parsers read differently: %s", async (name, content) => {
    const { code, out, err } = await run([save(name, content)])
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(/^not verified: .*(two members of one name|a double does not hold)/)
  })
})
