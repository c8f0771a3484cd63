import { type Effect, Schema } from "effect"

/** A verified transfer of USDC to the wallet, within its transaction. */
export interface Transfer {
  /** Position of its log in the receipt, from 0. */
  readonly position: number
  readonly logIndex: number
  /** `from` of the Transfer, in lower case. */
  readonly payer: string
  /** At most 2^53 - 1. */
  readonly units: number
  /** The `AuthorizationUsed` log of the USDC contract directly before it; null when another log, or none, stands there. */
  readonly authorization: { readonly authorizer: string; readonly nonce: string } | null
}

/** Where a transaction stands in the chain. */
export interface Block {
  readonly hash: string
  readonly number: number
  /** Time of the block in milliseconds; blocks know whole seconds. */
  readonly atMs: number
}

/** What has been verified of a transaction that succeeded. All hex is lower case. */
export interface Transaction {
  readonly chainId: number
  readonly hash: string
  /** The USDC contract, by configuration. */
  readonly contract: string
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
  /** Transfers of the USDC contract to the wallet, in order. */
  readonly transfers: ReadonlyArray<Transfer>
}

/**
 * The chain cannot tell now: no provider answers, they disagree, or too few of them agree. Nothing may be concluded from
 * it; asking again later may succeed.
 */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  problem: Schema.String,
  retryAfterSeconds: Schema.Int,
}) {
  override get message() {
    return `the chain cannot be asked: ${this.problem}`
  }
}

/**
 * What the chain says of a transaction hash. `unknown`: no provider has it in a block, which is also so while it waits to
 * be mined. `failed`: it stands in a block and was reverted.
 */
export type TransactionLookup =
  | { readonly _tag: "unknown" }
  | { readonly _tag: "failed" }
  | { readonly _tag: "mined"; readonly transaction: Transaction }

/** How many providers of the chain there are, and how many of them must say the same. */
export interface ChainTrust {
  readonly providers: number
  readonly agreement: number
}

/** A chain on which USDC is paid to one wallet. The adapter beside this file asks several JSON-RPC providers. */
export interface Chain {
  /** What payments are asked for on. Addresses are in checksum case, as people are shown them. */
  readonly facts: {
    readonly name: string
    readonly chainId: number
    readonly contract: string
    readonly wallet: string
    /** Who is believed about payments; null where this process knows no provider. */
    readonly trust: ChainTrust | null
  }
  /** Looks a transaction up in the canonical chain. `hash` is 0x and 64 lower-case hex digits. */
  readonly find: (hash: string) => Effect.Effect<TransactionLookup, ChainUnavailable>
  /**
   * Who has signed a text (EIP-191): the address recovered by ECDSA when it is among the candidates, else the one candidate
   * whose contract accepts the signature (EIP-1271, or EIP-6492 before its deployment) and refuses a random one. Null:
   * none of them, or several: a contract can repeat what another one says. Addresses are in lower case.
   */
  readonly signerOf: (request: {
    readonly text: string
    readonly signature: string
    readonly candidates: ReadonlyArray<string>
  }) => Effect.Effect<string | null, ChainUnavailable>
  /** What the wallet holds, in units. */
  readonly walletUnits: Effect.Effect<bigint, ChainUnavailable>
}

/** A chain that also tells how far it is: what is no more in it may be somewhere that nobody asked has reached yet. */
export interface WatchedChain extends Chain {
  /** The number of the newest block of which enough providers know. */
  readonly head: Effect.Effect<number, ChainUnavailable>
  /** The time of the newest block that enough providers have reached, in milliseconds. */
  readonly headAtMs: Effect.Effect<number, ChainUnavailable>
  /**
   * Whether a block is still in the chain and holds a transaction. Nodes drop the receipts of old blocks long before the
   * blocks: what `find` calls unknown may stand where it always stood.
   */
  readonly holds: (
    transaction: string,
    block: Pick<Block, "hash" | "number">,
  ) => Effect.Effect<boolean, ChainUnavailable>
}
