import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { Reading } from "./json-reader.ts"
import { makeJsonReader } from "./json-reader.ts"
import {
  callOf,
  decodeSent,
  type ReceiptRead,
  receiptReading,
  type TransferFilter,
  tokenLogsReading,
} from "./receipt.ts"

const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
const HASH = `0x${"ab".repeat(32)}`
const BLOCK = `0x${"bc".repeat(32)}`
const NONCE = `0x${"cd".repeat(32)}`
const WALLET = `0x${"22".repeat(20)}`
const PAYER = `0x${"11".repeat(20)}`
const wanted = { hash: HASH, contract: USDC, wallet: WALLET }

const word = (value: string | number) =>
  `0x${(typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0")}`

interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly removed?: boolean
}
const transfer = (units: number, rest: Partial<RawLog> = {}): RawLog => ({
  address: USDC,
  topics: [TRANSFER, word(PAYER), word(WALLET)],
  data: word(units),
  ...rest,
})
const authorization = (rest: Partial<RawLog> = {}): RawLog => ({
  address: USDC,
  topics: [AUTHORIZATION_USED, word(PAYER), NONCE],
  data: "0x",
  ...rest,
})

const FIRST_INDEX = 7
const raw = (logs: ReadonlyArray<RawLog>, rest: object = {}) => ({
  transactionHash: HASH,
  blockHash: BLOCK,
  blockNumber: "0x64",
  status: "0x1",
  type: "0x7e",
  depositNonce: "0x1",
  logs: logs.map((log, position) => ({
    transactionHash: HASH,
    blockHash: BLOCK,
    logIndex: `0x${(FIRST_INDEX + position).toString(16)}`,
    removed: false,
    ...log,
  })),
  ...rest,
})
/** What a reading makes of a result that arrives in small chunks. */
const readingOf = <A>({ keep, decode }: Reading<A>, result: unknown): Result.Result<A, unknown> => {
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))
  const reader = makeJsonReader(keep)
  for (let at = 0; at < bytes.length; at += 100) reader.push(bytes.subarray(at, at + 100))
  const document = reader.end()?.value
  if (typeof document !== "object" || document === null) throw new Error("the document is not complete")
  return decode(Reflect.get(document, "result"))
}
const readRaw = (input: unknown, filter: TransferFilter = wanted) => readingOf(receiptReading(filter)(), input)
const read = (logs: ReadonlyArray<RawLog>, rest: object = {}): ReceiptRead | null =>
  Result.getOrThrow(readRaw(raw(logs, rest)))
const transfersOf = (logs: ReadonlyArray<RawLog>) => {
  const answer = read(logs)
  if (answer === null) throw new Error("it is not mined")
  return answer.transfers
}
const STRANGER = `0x${"33".repeat(20)}`
const other = word(STRANGER)
/** A log without topics and data, as a contract writes it at the least cost. */
const empty: RawLog = { address: STRANGER, topics: [], data: "0x" }

describe("a receipt", () => {
  it("gives every transfer to the wallet, by its rank and not by its index in the block", () => {
    expect(transfersOf([authorization(), transfer(5), transfer(6)])).toEqual([
      { position: 0, logIndex: 8, payer: PAYER, units: 5, authorization: { authorizer: PAYER, nonce: NONCE } },
      { position: 1, logIndex: 9, payer: PAYER, units: 6, authorization: null },
    ])
  })
  it("ranks a payment alike whatever strangers put beside it: empty logs, transfers of nothing, other tokens, other payees", () => {
    const beside: ReadonlyArray<RawLog> = [
      empty,
      transfer(0),
      transfer(7, { address: STRANGER }),
      transfer(7, { topics: [TRANSFER, word(PAYER), other] }),
      authorization({ topics: [AUTHORIZATION_USED, other, NONCE] }),
    ]
    const paid = [
      { position: 0, units: 5, authorization: { nonce: NONCE } },
      { position: 1, units: 6 },
    ]
    const logs = [authorization(), transfer(5), transfer(6)]
    expect(transfersOf(logs)).toMatchObject(paid)
    expect(transfersOf([...beside, ...logs, ...beside])).toMatchObject(paid)
    expect(transfersOf([...beside, authorization(), transfer(5), ...beside, transfer(6)])).toMatchObject(paid)
  })
  it("has no payment of the wallet to itself, though it has a rank", () => {
    const own = transfer(9, { topics: [TRANSFER, word(WALLET), word(WALLET)] })
    expect(transfersOf([own, transfer(5)])).toMatchObject([{ position: 1, units: 5 }])
  })
  it("holds nothing of what is not the wallet's, however much there is", () => {
    const many = Array.from({ length: 25_000 }, () => empty)
    expect(transfersOf([...many, authorization(), transfer(5), ...many])).toMatchObject([
      { position: 0, logIndex: FIRST_INDEX + many.length + 1, authorization: { nonce: NONCE } },
    ])
  })
  it("is read in lower case, whatever case the node writes", () => {
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
    const answer = read([
      transfer(5, { address: upper(USDC), topics: [TRANSFER, upper(word(PAYER)), upper(word(WALLET))] }),
    ])
    expect(answer).toMatchObject({ block: { hash: BLOCK, number: 100 }, transfers: [{ payer: PAYER, units: 5 }] })
  })
  it.each<[string, RawLog]>([
    ["another token", transfer(5, { address: `0x${"33".repeat(20)}` })],
    ["another payee", transfer(5, { topics: [TRANSFER, word(PAYER), word(PAYER)] })],
    ["another event", transfer(5, { topics: [AUTHORIZATION_USED, word(PAYER), word(WALLET)] })],
    ["no value", transfer(0)],
    ["no data", transfer(5, { data: "0x" })],
    ["more data", transfer(5, { data: `${word(5)}00` })],
    ["a payee that is no address", transfer(5, { topics: [TRANSFER, word(PAYER), `0x1${word(WALLET).slice(3)}`] })],
    ["a fourth topic", transfer(5, { topics: [TRANSFER, word(PAYER), word(WALLET), NONCE] })],
    ["no topics", transfer(5, { topics: [] })],
  ])("pays nothing by a log with %s, which has no rank", (_, log) => {
    expect(transfersOf([log])).toEqual([])
    expect(transfersOf([log, transfer(9)])).toMatchObject([{ position: 0, units: 9 }])
  })
  it.each<[string, RawLog]>([
    ["more than a number holds", transfer(0, { data: `0x${"0".repeat(50)}20000000000000` })],
    ["the greatest value there is", transfer(0, { data: `0x${"f".repeat(64)}` })],
  ])("pays nothing by a log with %s, which has a rank", (_, log) => {
    expect(transfersOf([log, transfer(9)])).toMatchObject([{ position: 1, units: 9 }])
  })
  it("holds the greatest value that a number holds", () => {
    expect(transfersOf([transfer(Number.MAX_SAFE_INTEGER)])).toMatchObject([{ units: Number.MAX_SAFE_INTEGER }])
  })
  it.each<[string, ReadonlyArray<RawLog>]>([
    ["logs of other contracts", [empty, transfer(1, { address: STRANGER })]],
    ["a transfer of nothing in another's name", [transfer(0, { topics: [TRANSFER, other, word(WALLET)] })]],
    ["another's payment", [transfer(8, { topics: [TRANSFER, other, word(WALLET)] })]],
    ["another's authorization", [authorization({ topics: [AUTHORIZATION_USED, other, word(1)] })]],
  ])("leaves an authorization with the transfer of its authorizer that follows it, over %s", (_, between) => {
    expect(transfersOf([authorization(), ...between, transfer(5)]).at(-1)).toMatchObject({
      units: 5,
      authorization: { authorizer: PAYER, nonce: NONCE },
    })
  })
  it.each<[string, ReadonlyArray<RawLog>]>([
    ["was of a transfer of nothing", [authorization(), transfer(0), transfer(5)]],
    [
      "was of a transfer to another",
      [authorization(), transfer(1, { topics: [TRANSFER, word(PAYER), other] }), transfer(5)],
    ],
    ["is another payer's", [authorization({ topics: [AUTHORIZATION_USED, other, NONCE] }), transfer(5)]],
    ["stands behind", [transfer(5), authorization()]],
    ["is of another contract", [authorization({ address: PAYER }), transfer(5)]],
    ["is another event", [authorization({ topics: [NONCE, word(PAYER), NONCE] }), transfer(5)]],
    ["has no nonce", [authorization({ topics: [AUTHORIZATION_USED, word(PAYER)] }), transfer(5)]],
    ["is of no address", [authorization({ topics: [AUTHORIZATION_USED, NONCE, NONCE] }), transfer(5)]],
  ])("knows no authorization that %s", (_, logs) => {
    expect(transfersOf(logs)).toMatchObject([{ units: 5, authorization: null }])
  })
  it("of a failed transaction pays nothing, even with logs", () => {
    expect(read([transfer(5)], { status: "0x0" })).toMatchObject({ failed: true, transfers: [] })
  })
  it.each<[string, ReadonlyArray<RawLog>, object]>([
    ["its block has no hash", [], { blockHash: null }],
    ["its block has no number", [], { blockNumber: null }],
    ["one of its logs was removed", [transfer(5), transfer(6, { removed: true })], {}],
  ])("is not mined where %s", (_, logs, rest) => {
    expect(read(logs, rest)).toBeNull()
  })
  it.each<[string, unknown]>([
    ["is another's", { ...raw([]), transactionHash: NONCE }],
    ["has logs of another transaction", raw([{ ...transfer(5), transactionHash: NONCE } as RawLog])],
    ["has logs of another block", raw([{ ...transfer(5), blockHash: NONCE } as RawLog])],
    ["lacks a log", { ...raw([]), logs: raw([transfer(1), transfer(2), transfer(3)]).logs.toSpliced(1, 1) }],
    ["has its logs out of order", { ...raw([]), logs: raw([transfer(1), transfer(2)]).logs.toReversed() }],
    ["has a log twice", { ...raw([]), logs: [...raw([transfer(5)]).logs, ...raw([transfer(5)]).logs] }],
  ])("that %s is inconsistent", (_, receipt) => {
    expect(readRaw(receipt)).toEqual(Result.fail("inconsistent"))
  })
  it.each<[string, unknown]>([
    ["without a status", { ...raw([]), status: undefined }],
    ["with a status of its own", { ...raw([]), status: "0x2" }],
    ["with a block number beyond all bounds", { ...raw([]), blockNumber: `0x${"f".repeat(14)}` }],
    ["with a number that is none", { ...raw([]), blockNumber: 100 }],
    ["with half a byte of data", raw([transfer(5, { data: "0x123" })])],
    ["with an address that is too short", raw([transfer(5, { address: "0x12" })])],
    ["that is a text", "0x"],
  ])("%s is not decoded", (_, receipt) => {
    expect(Result.isFailure(readRaw(receipt))).toBe(true)
  })
})

describe("the logs of the token in a block", () => {
  const logsOf = (logs: ReadonlyArray<RawLog>, rest: object = {}) =>
    readingOf(
      tokenLogsReading(wanted, BLOCK)(),
      raw(logs, {}).logs.map((log) => ({ ...log, ...rest })),
    )
  it("give the payments of one transaction, as its receipt does", () => {
    const logs = [authorization(), transfer(5), transfer(0), transfer(6)]
    const others = raw([authorization(), transfer(9)]).logs.map((log, at) => ({
      ...log,
      transactionHash: NONCE,
      logIndex: `0x${at}`,
    }))
    const answer = [...others, ...raw(logs).logs]
    expect(readingOf(tokenLogsReading(wanted, BLOCK)(), answer)).toEqual(Result.succeed(transfersOf(logs)))
  })
  it.each<[string, Result.Result<unknown, unknown>]>([
    ["removed", logsOf([transfer(5)], { removed: true })],
    ["of another block", logsOf([transfer(5)], { blockHash: NONCE })],
    ["of no block", logsOf([transfer(5)], { blockHash: null })],
    ["no list", readingOf(tokenLogsReading(wanted, BLOCK)(), null)],
  ])("give none that are %s", (_, answer) => {
    expect(answer).toEqual(Result.fail("inconsistent"))
  })
})

describe("the call of a transaction", () => {
  const sent = (input: string, to: string | null = USDC) =>
    callOf(
      Result.getOrThrow(decodeSent({ hash: HASH, blockHash: BLOCK, from: PAYER, to, input, type: "0x7e" })) ?? fail(),
    )
  const fail = (): never => {
    throw new Error("there is no transaction")
  }
  const ARGUMENTS = `0xA9059CBB${"00".repeat(64)}`
  it("has its selector and what stands behind two arguments", () => {
    const argument = `0x${"5e".repeat(32)}`
    const call = { from: PAYER, to: USDC, selector: "0xa9059cbb", argument }
    expect(sent(`${ARGUMENTS}${"5E".repeat(32)}`)).toEqual(call)
    expect(sent(`${ARGUMENTS}${"5E".repeat(32)}ff`)).toEqual(call)
  })
  it("has neither where there are not enough bytes", () => {
    expect(sent(`${ARGUMENTS}${"5e".repeat(31)}`)).toMatchObject({ selector: "0xa9059cbb", argument: null })
    expect(sent("0xa9059c", null)).toEqual({ from: PAYER, to: null, selector: null, argument: null })
    expect(sent("0x")).toMatchObject({ selector: null, argument: null })
  })
})

const directory = resolve(process.env.CAPTURES_DIR ?? "../shared/upstreams", "base-usdc")

describe.skipIf(!existsSync(directory))(`captured receipts of ${directory} (CAPTURES_DIR)`, () => {
  interface RawReceipt {
    readonly transactionHash: string
    readonly logs: ReadonlyArray<RawLog>
  }
  const capture = (file: string): RawReceipt | null =>
    JSON.parse(readFileSync(resolve(directory, `${file}.json`), "utf8")).result
  const readCapture = (file: string, wallet: string) => {
    const receipt = capture(file)
    if (receipt === null) throw new Error("there is no receipt")
    const filter = { hash: receipt.transactionHash.toLowerCase(), contract: USDC, wallet }
    return Result.getOrThrow(readRaw(receipt, filter))
  }
  it.each<[string, number, number, number]>([
    ["get-transaction-receipt-usdc-1-transfer-of-2-logs-2026-02-20", 1, 218, 119_999_955],
    ["etherscan-v2-proxy-get-transaction-receipt-usdc-1-transfer-2025-04-29", 0, 229, 100_000_919],
    ["etherscan-v2-proxy-get-transaction-receipt-usdc-3-transfers-10-logs-2025-04-29", 3, 265, 5_887_000_000],
    ["etherscan-v2-proxy-get-transaction-receipt-usdc-3-transfers-10-logs-2025-04-29", 9, 271, 5_887_000_000],
    ["hand-made-receipt-direct-usdc-transfer-2.5", 0, 218, 2_500_000],
  ])("%s pays only the recipient in its log %i", (file, at, logIndex, units) => {
    const payee = `0x${capture(file)?.logs[at]?.topics[2]?.slice(-40).toLowerCase()}`
    const transfers = [{ position: 0, logIndex, units, authorization: null }]
    expect(readCapture(file, payee)).toMatchObject({ failed: false, transfers })
    expect(readCapture(file, PAYER)).toMatchObject({ failed: false, transfers: [] })
  })
  it("takes no transfer of nothing for a payment", () => {
    const file = "etherscan-v2-proxy-get-transaction-receipt-usdc-3-transfers-10-logs-2025-04-29"
    const log = capture(file)?.logs[2]
    expect([log?.address.toLowerCase(), log?.topics[0], BigInt(log?.data ?? "0x1")]).toEqual([USDC, TRANSFER, 0n])
    expect(readCapture(file, `0x${log?.topics[2]?.slice(-40)}`)).toMatchObject({ failed: false, transfers: [] })
  })
  it("recognises a reverted one", () => {
    expect(readCapture("hand-made-receipt-reverted-status-0x0", WALLET)).toMatchObject({ failed: true, transfers: [] })
  })
  it("finds nothing in a log of another token", () => {
    expect(readCapture("hand-made-receipt-transfer-log-of-other-token", WALLET)).toMatchObject({ transfers: [] })
  })
  it("takes what is not mined for nothing", () => {
    expect(Result.getOrThrow(readRaw(capture("hand-made-receipt-unknown-or-pending-null")))).toBeNull()
  })
})
