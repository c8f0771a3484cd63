import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A verified transfer of USDC to the wallet, within its transaction. */
export interface Transfer {
  /**
   * Its rank among the transfers of its transaction to the wallet that are not zero, from 0: no other log of the transaction
   * moves it.
   */
  readonly position: number
  readonly logIndex: number
  /** `from` of the Transfer, in lower case. */
  readonly payer: string
  /** At most 2^53 - 1. */
  readonly units: number
  /** The `AuthorizationUsed` of the USDC contract that belongs to it (EIP-3009); null without one. */
  readonly authorization: { readonly authorizer: string; readonly nonce: string } | null
}

/** Where a transaction stands in the chain. */
export interface Block {
  readonly hash: string
  readonly number: number
  /** Time of the block in milliseconds, a multiple of 1,000. */
  readonly atMs: number
}

/** The verified facts of a successful transaction. All hex is lower case. */
export interface Transaction {
  readonly chainId: number
  readonly hash: string
  /** The configured USDC contract. */
  readonly contract: string
  /** The configured wallet. */
  readonly wallet: string
  readonly block: Block
  /** Its own block included. */
  readonly confirmations: number
  readonly depth: "latest" | "safe" | "finalized"
  /** The call of the transaction; `argument` is bytes 68..100 of its data where there are that many. */
  readonly call: {
    readonly from: string
    readonly to: string | null
    readonly selector: string | null
    readonly argument: string | null
  }
  /** Transfers of the USDC contract to the wallet from others, in order. */
  readonly transfers: ReadonlyArray<Transfer>
}

/**
 * The chain gives no answer now. `of: "providers"`: no provider answers, they disagree, or too few of them agree. `of:
 * "receipt"`: providers answer, and the receipt of the transaction was not read whole yet, as it is large or was cut off.
 * Nothing follows from either; a retry may succeed.
 */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  problem: Schema.String,
  retryAfterSeconds: Schema.Int,
  of: Schema.Literals(["providers", "receipt"]).pipe(
    Schema.withConstructorDefault(Effect.succeed("providers" as const)),
  ),
}) {
  override get message() {
    return this.of === "receipt"
      ? `a receipt is not read yet: ${this.problem}`
      : `the chain is unavailable: ${this.problem}`
  }
}

/**
 * A transaction as the chain has it. `unknown`: no block of the providers holds it, which includes a transaction that is
 * still to be mined. `failed`: it is in a block and was reverted.
 */
export type TransactionLookup =
  | { readonly _tag: "unknown" }
  | { readonly _tag: "failed" }
  | { readonly _tag: "mined"; readonly transaction: Transaction }

/** The number of providers of the chain, and how many of them must agree. */
interface ChainTrust {
  readonly providers: number
  readonly agreement: number
}

/** A chain on which USDC is paid to one wallet. Its adapter, `infra/chain/`, compares several JSON-RPC providers. */
export interface Chain {
  /** The chain, contract and wallet that payers need. Addresses are in checksum case. */
  readonly facts: {
    readonly name: string
    readonly chainId: number
    readonly contract: string
    readonly wallet: string
    /** How many providers must agree about a payment; null where this process knows no provider. */
    readonly trust: ChainTrust | null
  }
  /** Looks up a transaction in the canonical chain. `hash` is 0x and 64 lower-case hex digits. */
  readonly find: (hash: string) => Effect.Effect<TransactionLookup, ChainUnavailable>
  /**
   * The signer of a text (EIP-191): the address recovered by ECDSA if it is among the candidates, else the one candidate
   * whose contract accepts the signature (EIP-1271, or EIP-6492 before its deployment) and rejects a random one. Null for
   * no such candidate, and for several, as a contract can copy the answer of another. Addresses are in lower case.
   */
  readonly signerOf: (request: {
    readonly text: string
    readonly signature: string
    readonly candidates: ReadonlyArray<string>
  }) => Effect.Effect<string | null, ChainUnavailable>
  /** The balance of the wallet, in units. */
  readonly walletUnits: Effect.Effect<bigint, ChainUnavailable>
}

/** A chain with its height: a transaction counts as gone only when the chain has grown well past its block. */
export interface WatchedChain extends Chain {
  /** The number of the newest block that enough providers have reached. */
  readonly head: Effect.Effect<number, ChainUnavailable>
  /** The time of the newest block that enough providers have reached, in milliseconds. */
  readonly headAtMs: Effect.Effect<number, ChainUnavailable>
  /**
   * Whether a block is still in the chain and holds a transaction. Nodes drop receipts long before the blocks, so a
   * transaction that `find` reports as unknown may still be in its block.
   */
  readonly holds: (
    transaction: string,
    block: Pick<Block, "hash" | "number">,
  ) => Effect.Effect<boolean, ChainUnavailable>
}
