import { parseArgs } from "node:util"
import { createPublicClient, createWalletClient, type Hex, http, isAddress, isHex } from "viem"
import { base } from "viem/chains"
import { transfer } from "./chain/calls.ts"
import { localAccounts } from "./chain/chain.ts"
import { signText } from "./chain/signatures.ts"

/**
 * `npm run pay`: what a buyer's wallet does, on the demo's local chain. Prints one line of JSON.
 *
 *   npm run --silent pay -- --rpc URL --to WALLET --units N [--memo-hash HASH] [--as buyer|stranger]
 *   npm run --silent pay -- --sign TEXT [--as buyer|stranger]
 */
const { values } = parseArgs({
  options: {
    rpc: { type: "string", default: "http://127.0.0.1:8545" },
    to: { type: "string" },
    units: { type: "string" },
    "memo-hash": { type: "string" },
    as: { type: "string", default: "buyer" },
    blocks: { type: "string", default: "5" },
    sign: { type: "string" },
  },
})

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
const say = (told: Readonly<Record<string, unknown>>) => process.stdout.write(`${JSON.stringify(told)}\n`)

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
  if (status !== "success") refuse(`the chain has reverted ${hash}`)
  say({ tx_hash: hash, from: account.address, to, units: String(units), block_number: Number(blockNumber) })
}

if (values.sign !== undefined) {
  say({ signer: account.address, signature: await signText(account, values.sign) })
} else {
  const { to, "memo-hash": memoHash } = values
  const units = Number(values.units)
  if (to === undefined || !isAddress(to)) refuse("--to: must be an address")
  else if (!Number.isSafeInteger(units) || units <= 0)
    refuse("--units: must be a whole number of millionths of a dollar")
  else if (memoHash !== undefined && !isHex(memoHash)) refuse("--memo-hash: must be hex")
  else
    await pay(to, units, memoHash).catch((cause) =>
      refuse(`not paid: ${cause instanceof Error ? cause.message : cause}`),
    )
}
