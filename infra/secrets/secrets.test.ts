import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { newReceiptKey, publicJwkOf, readReceiptKey } from "../../ledger/receipts/keys.ts"
import { openReceipts } from "../../ledger/receipts/receipts.ts"
import { makeToken } from "../../ledger/token.ts"
import { findReceiptKeys, loadSecrets, type SecretsOptions, SecretsUnusable } from "./secrets.ts"

const temporary = () => join(mkdtempSync(join(tmpdir(), "tidewire-secrets-")), "data")
const load = (directory: string | null, environment: SecretsOptions["environment"] = {}) =>
  Effect.runPromise(loadSecrets({ directory, environment }))

/** The error of a load that must fail. */
const failureOf = async (directory: string | null, environment: SecretsOptions["environment"] = {}) => {
  const exit = await Effect.runPromiseExit(loadSecrets({ directory, environment }))
  const failure = Exit.findErrorOption(exit)
  if (failure._tag === "None") throw new Error(`it did not fail as it should: ${exit}`)
  expect(failure.value).toBeInstanceOf(SecretsUnusable)
  return failure.value
}

const wanted = { claimant: "memo/x", origin: "y", generation: 1 }
const hexKey = (digit: string): string => digit.repeat(64)
const seed = (byte: number): string => Buffer.alloc(32, byte).toString("base64url")
const whole = { TOKEN_KEYS: hexKey("a"), RECEIPT_KEYS: seed(1), CLIENT_HASH_KEY: hexKey("c") }
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe("secrets in the folder", () => {
  it("are made at the first start, for their owner's eyes only, and are the same at the next", async () => {
    const directory = temporary()
    const made = await load(directory)
    const folder = join(directory, "secrets")
    expect(readdirSync(folder).sort()).toEqual(["client-1.key", "receipt-1.key", "token-1.key"])
    expect(modeOf(folder)).toBe(0o700)
    for (const name of readdirSync(folder)) expect(modeOf(join(folder, name))).toBe(0o600)
    const bytes = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
    const before = bytes()
    const again = await load(directory)
    expect(bytes()).toEqual(before)
    expect(again.clientKey).toEqual(made.clientKey)
    expect(again.tokenKeys).toEqual(made.tokenKeys)
    const claims = {
      endpoint: "/x",
      requestHash: hexKey("0"),
      responseHash: hexKey("1"),
      credits: 0,
      reason: null,
      atMs: 0,
      entry: null,
    }
    const { jws } = await (await openReceipts(made.receiptKeys)).sign(claims)
    expect(await (await openReceipts(again.receiptKeys)).verify(jws)).toMatchObject({ valid: true })
    const elsewhere = await load(temporary())
    expect(elsewhere.tokenKeys).not.toEqual(made.tokenKeys)
    expect(await (await openReceipts(elsewhere.receiptKeys)).verify(jws)).toMatchObject({ valid: false })
  })

  it("rotate: a file with a higher number is the current key, and the old ones go on", async () => {
    const directory = temporary()
    const old = await load(directory)
    const folder = join(directory, "secrets")
    const token = makeToken(old.tokenKeys, old.tokenKeys.current, wanted)
    writeFileSync(join(folder, "token-10.key"), `${hexKey("d")}\n`, { mode: 0o600 })
    writeFileSync(join(folder, "token-9.key"), `${hexKey("e")}\n`, { mode: 0o600 })
    writeFileSync(join(folder, "receipt-2.key"), newReceiptKey(), { mode: 0o600 })
    const rotated = await load(directory)
    expect(rotated.tokenKeys.keys.size).toBe(3)
    expect(rotated.tokenKeys.current).not.toBe(old.tokenKeys.current)
    expect(Buffer.from(rotated.tokenKeys.keys.get(rotated.tokenKeys.current) ?? []).toString("hex")).toBe(hexKey("d"))
    expect(makeToken(rotated.tokenKeys, old.tokenKeys.current, wanted)).toBe(token)
    const [newer, older] = (await openReceipts(rotated.receiptKeys)).jwks.keys
    expect(older).toEqual(await publicJwkOf(old.receiptKeys.signing))
    expect(newer).toEqual(await publicJwkOf(rotated.receiptKeys.signing))
    expect(newer).not.toEqual(older)
    // What was moved from the folder to the environment bears the same name.
    const moved = await load(null, { ...whole, TOKEN_KEYS: hexKey("d") })
    expect(moved.tokenKeys.current).toBe(rotated.tokenKeys.current)
  })

  it("are refused when others can use them, or they are no keys, naming the file and nothing of it", async () => {
    const directory = temporary()
    await load(directory)
    const folder = join(directory, "secrets")
    const path = join(folder, "token-1.key")
    for (const mode of [0o640, 0o604, 0o620, 0o601]) {
      chmodSync(path, mode)
      const failure = await failureOf(directory)
      expect(failure.where).toBe(path)
      expect(failure.message).toContain("chmod 0600")
      chmodSync(path, 0o600)
    }
    chmodSync(folder, 0o750)
    expect(await failureOf(directory)).toMatchObject({ where: folder })
    chmodSync(folder, 0o700)
    const secret = readFileSync(path, "utf8").trim()
    for (const wrong of [
      "",
      "\n",
      secret.slice(2),
      `${secret}x`,
      `x:${secret}:y`,
      `a b:${secret}`,
      "a".repeat(20_000),
    ]) {
      writeFileSync(path, wrong)
      const failure = await failureOf(directory)
      expect(failure.where).toBe(path)
      if (wrong.length > 1) expect(`${failure.message}${JSON.stringify(failure)}`).not.toContain(wrong.slice(0, 20))
    }
    writeFileSync(path, secret)
    writeFileSync(join(folder, "token-2"), hexKey("d"), { mode: 0o600 })
    expect(await failureOf(directory)).toMatchObject({ where: join(folder, "token-2") })
  })

  it("are refused where they are something else than files, and never replaced", async () => {
    const directory = temporary()
    const folder = join(directory, "secrets")
    mkdirSync(join(folder, "token-1.key"), { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    expect(await failureOf(directory)).toMatchObject({ where: join(folder, "token-1.key") })
    const other = temporary()
    mkdirSync(join(other, "secrets"), { recursive: true, mode: 0o700 })
    chmodSync(join(other, "secrets"), 0o700)
    symlinkSync(join(other, "nowhere"), join(other, "secrets", "client-1.key"))
    expect(await failureOf(other)).toMatchObject({ where: join(other, "secrets", "client-1.key") })
    expect(existsSync(join(other, "nowhere"))).toBe(false)
    const file = temporary()
    writeFileSync(file, "x")
    expect(await failureOf(file)).toMatchObject({ where: join(file, "secrets") })
  })

  it("are one set, however many processes make them at once", async () => {
    const directory = temporary()
    const module = new URL("./secrets.ts", import.meta.url).href
    const start = () => {
      const child = spawn(
        process.execPath,
        [
          "--input-type=module",
          "-e",
          `import { Effect } from "effect"
           import { createHash } from "node:crypto"
           const { loadSecrets } = await import(${JSON.stringify(module)})
           process.stdout.write("ready")
           await new Promise((resolve) => process.stdin.once("data", resolve))
           const { tokenKeys, clientKey } = await Effect.runPromise(loadSecrets({ directory: ${JSON.stringify(directory)}, environment: {} }))
           process.stdout.write(tokenKeys.current + createHash("sha256").update(clientKey).digest("hex"))
           process.exit(0)`,
        ],
        { stdio: ["pipe", "pipe", "inherit"], cwd: new URL("../..", import.meta.url) },
      )
      const ready = new Promise((resolve) => child.stdout.once("data", resolve))
      const loaded = ready.then(
        () => new Promise<string>((resolve) => child.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString()))),
      )
      return { child, ready, loaded }
    }
    const processes = Array.from({ length: 4 }, start)
    await Promise.all(processes.map(({ ready }) => ready))
    for (const { child } of processes) child.stdin.write("go")
    const loaded = await Promise.all(processes.map((process) => process.loaded))
    expect(new Set(loaded).size).toBe(1)
    expect(readdirSync(join(directory, "secrets")).sort()).toEqual(["client-1.key", "receipt-1.key", "token-1.key"])
  })
})

describe("secrets in the environment", () => {
  it("win over the folder, and then nothing is made", async () => {
    const directory = temporary()
    const { tokenKeys, receiptKeys, clientKey } = await load(directory, whole)
    expect(readdirSync(join(directory, "secrets"))).toEqual([])
    expect([...tokenKeys.keys.values()].map((key) => Buffer.from(key).toString("hex"))).toEqual([hexKey("a")])
    expect(Buffer.from(clientKey).toString("hex")).toBe(hexKey("c"))
    expect(receiptKeys.signing.equals(readReceiptKey(seed(1)) ?? receiptKeys.signing)).toBe(true)
    await load(directory, { TOKEN_KEYS: hexKey("a"), RECEIPT_KEYS: "" })
    expect(readdirSync(join(directory, "secrets")).sort()).toEqual(["client-1.key", "receipt-1.key"])
  })

  it("are lists, the first of which is current", async () => {
    const pem = newReceiptKey()
    const old = readReceiptKey(seed(2))
    if (old === null) throw new Error("no key")
    const { tokenKeys, receiptKeys } = await load(null, {
      ...whole,
      TOKEN_KEYS: `2026:${hexKey("A")}, 2025:${"b".repeat(128)}`,
      RECEIPT_KEYS: `${pem.replaceAll("\n", "\\n")},${seed(2)}`,
    })
    expect(tokenKeys.current).toBe("2026")
    expect([...tokenKeys.keys.keys()]).toEqual(["2026", "2025"])
    expect(receiptKeys.verifying).toHaveLength(2)
    expect(receiptKeys.signing.equals(readReceiptKey(pem) ?? old)).toBe(true)
  })

  it("are refused when they are missing or wrong, naming the variable and nothing of it", async () => {
    for (const variable of ["TOKEN_KEYS", "RECEIPT_KEYS", "CLIENT_HASH_KEY"]) {
      const secret = `5ecre7${"f".repeat(50)}`
      for (const value of [undefined, " ", ",", secret, `kid:${secret}`, `${secret},${secret}`]) {
        const failure = await failureOf(null, { ...whole, [variable]: value })
        expect(failure.where).toBe(variable)
        expect(`${failure.message}${JSON.stringify(failure)}${String(failure.stack)}`).not.toContain("5ecre7")
      }
    }
    const twice = `k:${hexKey("a")},k:${hexKey("b")}`
    expect(await failureOf(null, { ...whole, TOKEN_KEYS: twice })).toMatchObject({ where: "TOKEN_KEYS" })
    const publicFirst =
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----"
    expect(await failureOf(null, { ...whole, RECEIPT_KEYS: publicFirst })).toMatchObject({ where: "RECEIPT_KEYS" })
    expect(
      (await load(null, { ...whole, RECEIPT_KEYS: `${seed(1)},${publicFirst}` })).receiptKeys.verifying,
    ).toHaveLength(2)
  })
})

describe("keys for verifying", () => {
  it("are found without making any", async () => {
    const directory = temporary()
    expect(await Effect.runPromise(findReceiptKeys({ directory, environment: {} }))).toEqual([])
    expect(existsSync(directory)).toBe(false)
    const { receiptKeys } = await load(directory)
    const [found] = await Effect.runPromise(findReceiptKeys({ directory, environment: {} }))
    expect(found?.equals(receiptKeys.signing)).toBe(true)
    expect(await Effect.runPromise(findReceiptKeys({ directory: null, environment: whole }))).toHaveLength(1)
  })
})
