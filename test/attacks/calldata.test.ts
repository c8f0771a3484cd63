import { randomBytes, randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { concat, type Hex, keccak256, padHex, slice, toBytes, toHex } from "viem"
import { afterAll, beforeAll, expect, it } from "vitest"
import { prefixesOf } from "../../api/http/client.ts"
import { openChain } from "../../infra/chain/viem-chain.ts"
import { type Buying, openBuying } from "../../ledger/buying/buying.ts"
import { makePayments } from "../../ledger/buying/payments.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import { HOST, tokenKeys } from "../payment/desk.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { makeMemoryLog } from "../support/memory-log.ts"
import { anvilProgram } from "../world/chain/anvil.ts"
import {
  approve,
  authorizedTransfer,
  type ContractCall,
  multicall,
  transfer,
  transferFrom,
} from "../world/chain/calls.ts"
import { type LocalChain, startChain } from "../world/chain/chain.ts"

// The sender of a transaction that carries another's payment decides its calldata, so calldata proves nothing unless the
// payer himself has sent it to the token.

const program = anvilProgram()
const CONFIRMATIONS = 5
/** Where a `transfer` has what stands behind its two arguments. */
const [BEHIND, END] = [68, 100]

describeUnless("problem" in program ? program.problem : undefined, "a memo's hash in calldata", () => {
  let world: LocalChain
  let desk: Buying
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Scope.provide(scope)))

  beforeAll(async () => {
    world = await startChain()
    const ledger = await run(openLedger({ log: makeMemoryLog().log }))
    const chain = await run(openChain({ rpcUrls: [world.rpcUrl], wallet: world.wallet }))
    desk = openBuying({
      ledger,
      payments: makePayments({ ledger, chain }),
      tokenKeys,
      service: HOST,
      random: (count) => randomBytes(count),
      newId: randomUUID,
      clientKey: Buffer.from("a key for clients"),
    })
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await world?.stop()
  })

  const quoted = () => Effect.runPromise(desk.quote({ askedCents: 500, client: prefixesOf(randomUUID()) }))
  const outcomeOf = async (from: Parameters<LocalChain["send"]>[0], call: ContractCall, memo: string) => {
    const { transactionHash: txHash } = await world.send(from, call)
    await world.mine(CONFIRMATIONS - 1)
    const unsigned = { signature: null, signedUntil: null, claimKey: null, claimKeyHash: null, payer: null }
    const shown = { txHash, memo, ...unsigned, bearer: null }
    return Result.merge(await Effect.runPromise(Effect.result(desk.confirm(shown))))
  }
  /** Another's signed payment, which a stranger can submit: in a bundle, or alone. */
  const bundled = async (): Promise<ContractCall> => {
    const payer = await world.newAccount(2_000_000)
    const nonce = keccak256(toBytes(randomUUID()))
    const signed = await authorizedTransfer(payer, { to: world.wallet, units: 2_000_000, nonce })
    return multicall(await world.deploy("Multicall"), [signed])
  }

  const attempts: ReadonlyArray<readonly [string, (memoHash: Hex) => Promise<ContractCall>]> = [
    [
      "behind the arguments of another's `transferFrom`",
      async (memoHash) => {
        const payer = await world.newAccount(2_000_000)
        await world.send(payer, approve(world.accounts.stranger.address, 2_000_000))
        return transferFrom(payer.address, world.wallet, 2_000_000, memoHash)
      },
    ],
    [
      "behind a bundle with another's payment",
      async (memoHash) => {
        const { to, data } = await bundled()
        return { to, data: concat([data, memoHash]) }
      },
    ],
    [
      "where a transfer has it, in a bundle with another's payment,",
      async (memoHash) => {
        const { to, data } = await bundled()
        // The list begins two words later than usual: contracts go where its offset points.
        const [selector, list] = [slice(data, 0, 4), slice(data, 36)]
        return { to, data: concat([selector, toHex(32 * 3, { size: 32 }), padHex("0x", { size: 32 }), memoHash, list]) }
      },
    ],
  ]
  it.each(attempts)("%s is not its payer's word", async (_, callOf) => {
    const { memo, memoHash } = await quoted()
    const call = await callOf(memoHash as Hex)
    const before = await world.balanceOf(world.wallet)
    expect(await outcomeOf(world.accounts.stranger, call, memo)).toMatchObject({ _tag: "payer_proof_required" })
    // It was paid; only it is not his.
    expect(await world.balanceOf(world.wallet)).toBe(before + 2_000_000n)
  })

  it("behind the arguments of the payer's own transfer is", async () => {
    const { memo, memoHash } = await quoted()
    const call = transfer(world.wallet, 2_000_000, { memoHash: memoHash as Hex })
    expect(slice(call.data, BEHIND, END)).toBe(memoHash)
    expect(await outcomeOf(await world.newAccount(2_000_000), call, memo)).toMatchObject({
      _tag: "credited",
      credits: 100,
    })
  })
})
