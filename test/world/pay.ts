import { createPublicClient, createWalletClient, type Hex, http, isAddress, isHex } from "viem"
import { base } from "viem/chains"
import { EXIT_CODES, FAILED, readArguments, refuseUsage } from "../../infra/commands/arguments.ts"
import { transfer } from "./chain/calls.ts"
import { localAccounts } from "./chain/chain.ts"
import { signText } from "./chain/signatures.ts"

const USAGE = `usage: npm run --silent pay -- --rpc URL --to WALLET --units N [--memo-hash HASH] [--blocks N] [--as buyer|stranger]
       npm run --silent pay -- --sign TEXT [--as buyer|stranger]

Does what the wallet of a buyer does, on the local chain of the demo, and prints one line of JSON: pays N millionths of a
dollar and waits until the payment is --blocks deep, or signs a text.

${EXIT_CODES}`

const { values } = readArguments(USAGE, {
  rpc: { type: "string", default: "http://127.0.0.1:8545" },
  to: { type: "string" },
  units: { type: "string" },
  "memo-hash": { type: "string" },
  as: { type: "string", default: "buyer" },
  blocks: { type: "string", default: "5" },
  sign: { type: "string" },
})

const refuse = (problem: string): never => refuseUsage(problem, USAGE)
/** Ends with the first line of the problem: further lines of the client's errors only repeat the request. */
const fail = (problem: string): never => {
  process.stderr.write(`not paid: ${problem.split("\n")[0]}\n`)
  process.exit(FAILED)
}
const print = (result: Readonly<Record<string, unknown>>) => process.stdout.write(`${JSON.stringify(result)}\n`)

const account =
  values.as === "buyer" || values.as === "stranger"
    ? localAccounts[values.as]
    : refuse("--as: must be buyer or stranger")

/** Pays, and waits until the payment is so many blocks deep. */
const pay = async (to: Hex, units: number, memoHash: Hex | undefined): Promise<void> => {
  const transport = http(values.rpc)
  const wallet = createWalletClient({ account, chain: base, transport })
  const node = createPublicClient({ chain: base, transport, pollingInterval: 200 })
  const call = transfer(to, units, memoHash === undefined ? {} : { memoHash })
  const hash = await wallet.sendTransaction(call)
  const { status, blockNumber } = await node.waitForTransactionReceipt({ hash, confirmations: Number(values.blocks) })
  if (status !== "success") fail(`the chain has reverted ${hash}`)
  print({ tx_hash: hash, from: account.address, to, units: String(units), block_number: Number(blockNumber) })
}

if (values.sign !== undefined) {
  print({ signer: account.address, signature: await signText(account, values.sign) })
} else {
  const { to, "memo-hash": memoHash } = values
  const units = Number(values.units)
  if (to === undefined || !isAddress(to)) refuse("--to: must be an address")
  else if (!Number.isSafeInteger(units) || units <= 0)
    refuse("--units: must be a whole number of millionths of a dollar")
  else if (memoHash !== undefined && !isHex(memoHash)) refuse("--memo-hash: must be hex")
  else if (!/^\d{1,4}$/u.test(values.blocks)) refuse("--blocks: must be a whole number")
  else if (!URL.canParse(values.rpc)) refuse("--rpc: must be an address")
  else await pay(to, units, memoHash).catch((cause) => fail(cause instanceof Error ? cause.message : String(cause)))
}
