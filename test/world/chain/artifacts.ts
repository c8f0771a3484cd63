import type { Abi, Hex } from "viem"
import { parseAbi } from "viem"
import artifactsJson from "./contracts/artifacts.json" with { type: "json" }

/** A contract of `contracts/`, by its name. */
export type ContractName = keyof typeof artifactsJson.contracts

/** What the compiler made of a contract. */
export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly runtime: Hex
}

/** The committed output of the compiler. */
export const artifacts = artifactsJson as unknown as {
  readonly compiler: string
  readonly contracts: Readonly<Record<ContractName, Artifact>>
}

// The same interfaces as types can read them, in part; a test holds them and the compiler's together.

const call9 =
  "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s"

/** Interfaces of the contracts, as far as they are used here. */
export const abis = {
  UsdToken: parseAbi([
    "function initialize(address owner_)",
    "function mint(address to, uint256 value)",
    "function transfer(address to, uint256 value) returns (bool)",
    "function approve(address spender, uint256 value) returns (bool)",
    "function transferFrom(address from, address to, uint256 value) returns (bool)",
    "function permit(address owner_, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
    `function transferWithAuthorization(${call9})`,
    `function receiveWithAuthorization(${call9})`,
    "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
    "function name() view returns (string)",
    "function version() view returns (string)",
    "function symbol() view returns (string)",
    "function decimals() view returns (uint8)",
    "function owner() view returns (address)",
    "function totalSupply() view returns (uint256)",
    "function balanceOf(address) view returns (uint256)",
    "function allowance(address, address) view returns (uint256)",
    "function nonces(address) view returns (uint256)",
    "function authorizationState(address, bytes32) view returns (bool)",
    "function DOMAIN_SEPARATOR() view returns (bytes32)",
    "event Transfer(address indexed from, address indexed to, uint256 value)",
    "event Approval(address indexed owner, address indexed spender, uint256 value)",
    "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
    "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  ]),
  Wallet: parseAbi([
    "function execute(address to, bytes data) returns (bytes)",
    "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  ]),
  YesWallet: parseAbi(["function execute(address to, bytes data) returns (bytes)"]),
  WalletFactory: parseAbi([
    "function make(address owner, bytes32 salt) returns (address)",
    "function addressOf(address owner, bytes32 salt) view returns (address)",
  ]),
  Multicall: parseAbi(["function run((address to, bytes data)[] calls)"]),
  Bundler: parseAbi(["function bundle(address to, bytes data, uint256 logsBefore, uint256 logsBehind)"]),
  Relayer: parseAbi([
    "function forward(address token, address from, address to, uint256 value, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  ]),
  Splitter: parseAbi(["function pay(address token, address[] payees, uint256[] values)"]),
  LookAlike: parseAbi([
    "function transfer(address to, uint256 value) returns (bool)",
    "function pretend(address from, address to, uint256 value, bytes32 nonce)",
    "function pretendBefore(address authorizer, bytes32 nonce, address to, bytes data)",
  ]),
} as const satisfies Record<ContractName, Abi>
