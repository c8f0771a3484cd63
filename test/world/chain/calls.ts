import { type Address, concat, encodeFunctionData, type Hex, type LocalAccount, parseSignature } from "viem"
import { abis } from "./artifacts.ts"

// Calls are data: a payment can be sent by its payer, by a third party, through a wallet, or in a bundle.

/** A call of a contract. */
export interface ContractCall {
  readonly to: Address
  readonly data: Hex
}

/** The chain's id of the payments, and where the real token stands on it. */
export const CHAIN_ID = 8453
export const USDC: Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

/** The EIP-712 domain that the token's signatures are bound to. */
export const usdcDomain = { name: "USD Coin", version: "2", chainId: CHAIN_ID, verifyingContract: USDC } as const

/** A deadline far ahead: the year 2100, in seconds. */
const FOREVER_SECONDS = 4_102_444_800

/** Names the token's owner: its first call. */
export const initialized = (owner: Address): ContractCall => ({
  to: USDC,
  data: encodeFunctionData({ abi: abis.UsdToken, functionName: "initialize", args: [owner] }),
})

/** Mints tokens; only the owner may call it. */
export const minted = (to: Address, units: number): ContractCall => ({
  to: USDC,
  data: encodeFunctionData({ abi: abis.UsdToken, functionName: "mint", args: [to, BigInt(units)] }),
})

/** A plain transfer. `memoHash` is put behind its arguments, where the contract does not look. */
export const transfer = (
  to: Address,
  units: number,
  options: { memoHash?: Hex; token?: Address } = {},
): ContractCall => {
  const data = encodeFunctionData({ abi: abis.UsdToken, functionName: "transfer", args: [to, BigInt(units)] })
  return { to: options.token ?? USDC, data: options.memoHash === undefined ? data : concat([data, options.memoHash]) }
}

/** A transfer of another's money, which he has allowed to the caller. */
export const transferFrom = (from: Address, to: Address, units: number, memoHash?: Hex): ContractCall => {
  const data = encodeFunctionData({ abi: abis.UsdToken, functionName: "transferFrom", args: [from, to, BigInt(units)] })
  return { to: USDC, data: memoHash === undefined ? data : concat([data, memoHash]) }
}

/** Allows a spender an amount. */
export const approve = (spender: Address, units: number): ContractCall => ({
  to: USDC,
  data: encodeFunctionData({ abi: abis.UsdToken, functionName: "approve", args: [spender, BigInt(units)] }),
})

/** Allows a spender an amount by the owner's signature (EIP-2612): any account can submit it. `nonce` counts the owner's permits. */
export const permit = async (
  owner: LocalAccount,
  request: {
    readonly spender: Address
    readonly units: number
    readonly nonce: bigint
    readonly deadlineSeconds?: number
  },
): Promise<ContractCall> => {
  const { spender, nonce } = request
  const value = BigInt(request.units)
  const deadline = BigInt(request.deadlineSeconds ?? FOREVER_SECONDS)
  const signature = await owner.signTypedData({
    domain: usdcDomain,
    types: {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    message: { owner: owner.address, spender, value, nonce, deadline },
  })
  const { r, s, yParity } = parseSignature(signature)
  const args = [owner.address, spender, value, deadline, 27 + yParity, r, s] as const
  return { to: USDC, data: encodeFunctionData({ abi: abis.UsdToken, functionName: "permit", args }) }
}

const authorizationFields = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const

/** The message of an EIP-3009 authorization. */
export interface Authorized {
  readonly to: Address
  readonly units: number
  /** The hash of a memo, or anything else that was not used before. */
  readonly nonce: Hex
  /** Seconds since the epoch. */
  readonly validAfter?: number
  readonly validBefore?: number
}

/** Signs an authorization and gives it in the order in which the token takes it. */
const authorize = async (
  kind: "TransferWithAuthorization" | "ReceiveWithAuthorization",
  from: LocalAccount,
  { to, units, nonce, validAfter = 0, validBefore = FOREVER_SECONDS }: Authorized,
) => {
  const [value, after, before] = [BigInt(units), BigInt(validAfter), BigInt(validBefore)]
  const message = { from: from.address, to, value, validAfter: after, validBefore: before, nonce }
  const types = { [kind]: authorizationFields }
  const { r, s, yParity } = parseSignature(
    await from.signTypedData({ domain: usdcDomain, types, primaryType: kind, message }),
  )
  return [from.address, to, value, after, before, nonce, 27 + yParity, r, s] as const
}

/** A transfer that its payer has signed (EIP-3009): any account can submit it. */
export const authorizedTransfer = async (from: LocalAccount, wanted: Authorized): Promise<ContractCall> => {
  const args = await authorize("TransferWithAuthorization", from, wanted)
  return { to: USDC, data: encodeFunctionData({ abi: abis.UsdToken, functionName: "transferWithAuthorization", args }) }
}

/** A transfer that its payer has signed (EIP-3009), and that only its payee can send. */
export const authorizedReceipt = async (from: LocalAccount, wanted: Authorized): Promise<ContractCall> => {
  const args = await authorize("ReceiveWithAuthorization", from, wanted)
  return { to: USDC, data: encodeFunctionData({ abi: abis.UsdToken, functionName: "receiveWithAuthorization", args }) }
}

/** An authorized payment through a `Relayer`, which takes it to itself and hands it on to `to`. */
export const forwarded = async (relayer: Address, from: LocalAccount, wanted: Authorized): Promise<ContractCall> => {
  const [, , value, , before, nonce, v, r, s] = await authorize("ReceiveWithAuthorization", from, {
    ...wanted,
    to: relayer,
  })
  const args = [USDC, from.address, wanted.to, value, before, nonce, v, r, s] as const
  return { to: relayer, data: encodeFunctionData({ abi: abis.Relayer, functionName: "forward", args }) }
}

/** Takes an authorization back before it is used: any account can submit it. */
export const cancelAuthorization = async (authorizer: LocalAccount, nonce: Hex): Promise<ContractCall> => {
  const signature = await authorizer.signTypedData({
    domain: usdcDomain,
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: authorizer.address, nonce },
  })
  const { r, s, yParity } = parseSignature(signature)
  const args = [authorizer.address, nonce, 27 + yParity, r, s] as const
  return { to: USDC, data: encodeFunctionData({ abi: abis.UsdToken, functionName: "cancelAuthorization", args }) }
}

/** Several calls in one transaction, through a `Multicall`, which is then the caller of each. */
export const multicall = (contract: Address, calls: ReadonlyArray<ContractCall>): ContractCall => ({
  to: contract,
  data: encodeFunctionData({ abi: abis.Multicall, functionName: "run", args: [calls] }),
})

/** A call between so many empty logs, through a `Bundler`. */
export const bundled = (
  bundler: Address,
  { to, data }: ContractCall,
  logs: { readonly before: number; readonly behind: number },
): ContractCall => ({
  to: bundler,
  data: encodeFunctionData({
    abi: abis.Bundler,
    functionName: "bundle",
    args: [to, data, BigInt(logs.before), BigInt(logs.behind)],
  }),
})

/** A call that a `Wallet` or `YesWallet` makes. */
export const execute = (wallet: Address, { to, data }: ContractCall): ContractCall => ({
  to: wallet,
  data: encodeFunctionData({ abi: abis.Wallet, functionName: "execute", args: [to, data] }),
})

/** Several payments in one transaction, through a `Splitter`, out of what the sender has allowed it. */
export const split = (splitter: Address, payments: ReadonlyArray<{ to: Address; units: number }>): ContractCall => {
  const args = [USDC, payments.map(({ to }) => to), payments.map(({ units }) => BigInt(units))] as const
  return { to: splitter, data: encodeFunctionData({ abi: abis.Splitter, functionName: "pay", args }) }
}

/** Makes a wallet of an owner through a `WalletFactory`. */
export const makeWallet = (factory: Address, owner: Address, salt: Hex): ContractCall => ({
  to: factory,
  data: encodeFunctionData({ abi: abis.WalletFactory, functionName: "make", args: [owner, salt] }),
})

/** Makes a `LookAlike` emit the events of an authorized payment that never happened. */
export const pretended = (
  lookAlike: Address,
  { from, to, units, nonce }: { from: Address; to: Address; units: number; nonce: Hex },
): ContractCall => ({
  to: lookAlike,
  data: encodeFunctionData({ abi: abis.LookAlike, functionName: "pretend", args: [from, to, BigInt(units), nonce] }),
})

/** A call with an authorization directly before it that a `LookAlike` has invented. */
export const pretendedBefore = (
  lookAlike: Address,
  authorizer: Address,
  nonce: Hex,
  { to, data }: ContractCall,
): ContractCall => ({
  to: lookAlike,
  data: encodeFunctionData({ abi: abis.LookAlike, functionName: "pretendBefore", args: [authorizer, nonce, to, data] }),
})
