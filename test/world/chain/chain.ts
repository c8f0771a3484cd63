import {
  type Address,
  createTestClient,
  encodeDeployData,
  getAddress,
  type Hex,
  http,
  type LocalAccount,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from "viem"
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts"
import { base } from "viem/chains"
import { startAnvil } from "./anvil.ts"
import { abis, artifacts, type ContractName } from "./artifacts.ts"
import { CHAIN_ID, type ContractCall, initialized, minted, USDC } from "./calls.ts"

/** The well-known test phrase of local chains. Whatever is sent to its accounts on a real chain is lost. */
const MNEMONIC = "test test test test test test test test test test test junk"

/** Units of the token that the buyer has at first: 1,000,000 USD. */
export const BUYER_UNITS = 1_000_000_000_000

const ETHER_WEI = 10n ** 18n
const POLLING_MS = 20
const GAS_LIMIT = 1_000_000n

const clientOf = (url: string, chainId: number) =>
  createTestClient({
    chain: { ...base, id: chainId },
    mode: "anvil",
    transport: http(url, { retryCount: 0, timeout: 60_000 }),
    pollingInterval: POLLING_MS,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)

/** The viem client of a local node, with its test methods. */
export type ChainClient = ReturnType<typeof clientOf>

/** When blocks are made: for each transaction at once, only by `mine`, or one every few seconds. */
export type Mining = "each" | "manual" | { readonly everySeconds: number }

/** A local chain that looks like Base, with the token where USDC is. */
export interface LocalChain {
  readonly rpcUrl: string
  readonly client: ChainClient
  readonly accounts: {
    /** Mints the token and deploys contracts. */
    readonly owner: LocalAccount
    /** Has 1,000,000 USD. */
    readonly buyer: LocalAccount
    readonly stranger: LocalAccount
    /** Submits what others have signed. */
    readonly relayer: LocalAccount
    readonly exchange: LocalAccount
  }
  /** Where payments go: the wallet of the service. */
  readonly wallet: Address
  /** A new account with ether for its calls and so many units of the token. Like `mint` and `deploy` it waits for a block. */
  readonly newAccount: (units: number) => Promise<LocalAccount>
  readonly mint: (to: Address, units: number) => Promise<void>
  readonly balanceOf: (address: Address) => Promise<bigint>
  /** Deploys a contract and gives its address, in checksum case as all addresses here. */
  readonly deploy: (name: ContractName, args?: ReadonlyArray<unknown>) => Promise<Address>
  /** Sends a call; `mining` decides when its block is made. Throws when the node refuses it, not when it is reverted. */
  readonly submit: (from: LocalAccount, call: ContractCall, gas?: bigint) => Promise<Hex>
  /** Sends a call and waits for its receipt. Throws when it was reverted. `gas`: its limit, 1,000,000 by default. */
  readonly send: (from: LocalAccount, call: ContractCall, gas?: bigint) => Promise<TransactionReceipt>
  /** Makes blocks now, without transactions unless some wait. */
  readonly mine: (blocks: number) => Promise<void>
  readonly mining: (how: Mining) => Promise<void>
  /** Sets the time of the next block. Time of the chain never goes back. */
  readonly nextBlockAt: (atMs: number) => Promise<void>
  /** Makes a block at an instant, whose time all later ones have where the clock `stands`; else it runs on from there. */
  readonly setClock: (atMs: number, stands: boolean) => Promise<void>
  /**
   * Replaces the last `depth` blocks by others, whose hashes differ. Their transactions are gone, except those of
   * `keeping`, which are mined again in the new block of that position, from 0. The new blocks are of now.
   */
  readonly reorganise: (
    depth: number,
    keeping?: ReadonlyArray<{ readonly hash: Hex; readonly position: number }>,
  ) => Promise<void>
  /** The whole chain as a value that `state` of another start takes. */
  readonly dump: () => Promise<Hex>
  /** Ends the node at once. */
  readonly stop: () => Promise<void>
}

const accountAt = (index: number): LocalAccount => mnemonicToAccount(MNEMONIC, { addressIndex: index })

/** Accounts that every local chain has. The service's wallet is one of them, of which only the address is needed. */
export const localAccounts = {
  owner: accountAt(0),
  buyer: accountAt(1),
  stranger: accountAt(2),
  relayer: accountAt(3),
  exchange: accountAt(4),
} as const
export const SERVICE_WALLET: Address = accountAt(9).address

/**
 * Starts a local chain on 127.0.0.1, without any network. Every transaction gets a block of its own at once, unless
 * `mining` is set. The block tagged `safe` is `slotsInAnEpoch` blocks behind the last one, `finalized` twice that.
 */
export const startChain = async (
  options: {
    readonly port?: number
    readonly chainId?: number
    /** 8 by default. */
    readonly slotsInAnEpoch?: number
    readonly mining?: Mining
    /** The time of the first block, in milliseconds; that of the machine by default. */
    readonly atMs?: number | undefined
    /** What `dump` gave: the chain goes on from there. */
    readonly state?: Hex
  } = {},
): Promise<LocalChain> => {
  const chainId = options.chainId ?? CHAIN_ID
  const node = await startAnvil({
    port: options.port ?? 0,
    chainId,
    slotsInAnEpoch: options.slotsInAnEpoch ?? 8,
    arguments: options.atMs === undefined ? [] : ["--timestamp", String(Math.floor(options.atMs / 1000))],
  })
  const client = clientOf(node.url, chainId)
  const { owner, buyer } = localAccounts

  // One after the other, as each takes its account's next number.
  let sending: Promise<unknown> = Promise.resolve()
  const inTurn = (run: () => Promise<Hex>): Promise<Hex> => {
    const sent = sending.then(run)
    sending = sent.catch(() => {})
    return sent
  }
  const submit: LocalChain["submit"] = (from, { to, data }, gas = GAS_LIMIT) =>
    // A fixed gas limit, so that reverting transactions are mined as well.
    inTurn(() => client.sendTransaction({ account: from, to, data, gas }))
  const send: LocalChain["send"] = async (from, call, gas) => {
    const receipt = await client.waitForTransactionReceipt({ hash: await submit(from, call, gas) })
    if (receipt.status !== "success") throw new Error(`reverted: ${receipt.transactionHash}`)
    return receipt
  }
  const deploy: LocalChain["deploy"] = async (name, args = []) => {
    const { abi, bytecode } = artifacts.contracts[name]
    const data = encodeDeployData({ abi, bytecode, args })
    const hash = await inTurn(() => client.sendTransaction({ account: owner, data }))
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    if (contractAddress === null || contractAddress === undefined) throw new Error(`${name} was not deployed`)
    return getAddress(contractAddress)
  }
  const mint: LocalChain["mint"] = async (to, units) => {
    await send(owner, minted(to, units))
  }
  const mining: LocalChain["mining"] = async (how) => {
    await client.setIntervalMining({ interval: typeof how === "object" ? how.everySeconds : 0 })
    await client.setAutomine(how === "each")
  }

  const establish = async (): Promise<void> => {
    // Otherwise the node logs every request.
    await client.setLoggingEnabled(false)
    if (options.state === undefined) {
      await client.setCode({ address: USDC, bytecode: artifacts.contracts.UsdToken.runtime })
      await send(owner, initialized(owner.address))
      await mint(buyer.address, BUYER_UNITS)
    } else await client.loadState({ state: options.state })
    if (options.mining !== undefined) await mining(options.mining)
  }
  try {
    await establish()
  } catch (cause) {
    await node.kill()
    throw cause
  }

  return {
    rpcUrl: node.url,
    client,
    accounts: localAccounts,
    wallet: SERVICE_WALLET,
    newAccount: async (units) => {
      const account = privateKeyToAccount(generatePrivateKey())
      await client.setBalance({ address: account.address, value: ETHER_WEI })
      if (units > 0) await mint(account.address, units)
      return account
    },
    mint,
    balanceOf: (address) =>
      client.readContract({ address: USDC, abi: abis.UsdToken, functionName: "balanceOf", args: [address] }),
    deploy,
    submit,
    send,
    mine: (blocks) => client.mine({ blocks }),
    mining,
    nextBlockAt: (atMs) => client.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(atMs / 1000)) }),
    setClock: async (atMs, stands) => {
      const wanted = BigInt(Math.floor(atMs / 1000))
      if (stands) await client.setBlockTimestampInterval({ interval: 0 })
      else await client.removeBlockTimestampInterval()
      const { timestamp } = await client.getBlock()
      await client.request<{ Method: string; Parameters: [number]; ReturnType: number }>({
        method: "evm_setTime",
        params: [Number(wanted)],
      })
      await client.setNextBlockTimestamp({ timestamp: wanted > timestamp ? wanted : timestamp })
      await client.mine({ blocks: 1 })
    },
    reorganise: async (depth, keeping = []) => {
      const last = await client.getBlock()
      const kept = await Promise.all(
        keeping.map(async ({ hash, position }) => ({
          position,
          serializedTransaction: await client.request<{ Method: string; Parameters: [Hex]; ReturnType: Hex }>({
            method: "eth_getRawTransactionByHash",
            params: [hash],
          }),
        })),
      )
      const automine = await client.getAutomine()
      await client.setAutomine(false)
      await client.request<{ Method: string; Parameters: [number]; ReturnType: null }>({
        method: "anvil_rollback",
        params: [depth],
      })
      // The node's clock went back with its blocks. A second later than all that was, no new block is like an old one.
      await client.request<{ Method: string; Parameters: [number]; ReturnType: number }>({
        method: "evm_setTime",
        params: [Math.max(Number(last.timestamp) + 1, Math.floor(Date.now() / 1000))],
      })
      for (let position = 0; position < depth; position++) {
        for (const { serializedTransaction } of kept.filter((one) => one.position === position))
          await client.sendRawTransaction({ serializedTransaction })
        await client.mine({ blocks: 1 })
      }
      await client.setAutomine(automine)
    },
    dump: () => client.dumpState(),
    stop: node.kill,
  }
}
