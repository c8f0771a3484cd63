import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { EthereumAddress } from "../feeds/ethereum-transfers.ts"

// Ethereum addresses that public repositories attribute to exchanges: attributions by third parties, not statements by the
// exchanges. Compiled by reading both repositories and keeping, of each exchange, the wallets that move its own and its
// customers' ether; tokens, deployers, staking and escrow contracts were left out. Addresses are facts; the texts of the
// two lists are not copied here. Their licences: schemas/labels/NOTICE.md.

/** The repositories that attribute addresses, as of the commits that were read. */
export const labelSources = {
  /** The wallets whose holdings its adapters count as those of an exchange: projects/<exchange>/. */
  "defillama-adapters": {
    repository: "https://github.com/DefiLlama/DefiLlama-Adapters",
    licence: "Apache-2.0",
  },
  /** The labels of Etherscan: data/etherscan/accounts/<exchange>.csv, commit 1ed02d58f3ac. */
  "etherscan-labels": {
    repository: "https://github.com/brianleect/etherscan-labels",
    licence: "MIT",
  },
} as const
type LabelSource = keyof typeof labelSources

/** `high`: both repositories name the exchange; `medium`: one of them. */
const confidences = ["high", "medium", "low"] as const

export const EXCHANGE_NAME_MAX_CHARACTERS = 60
const SOURCE_MAX_CHARACTERS = 200
/** Labels that an operator may give. */
const EXCHANGE_LABELS_MAX = 20_000

/** An address, the exchange that it is attributed to, by whom, and when that was read. */
export const ExchangeWallet = Schema.Struct({
  address: EthereumAddress,
  exchange: Schema.String.check(
    Schema.isPattern(/^[\p{L}\p{N}][\p{L}\p{N} .,&'()+/-]*$/u),
    Schema.isMaxLength(EXCHANGE_NAME_MAX_CHARACTERS),
  ),
  sources: Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(SOURCE_MAX_CHARACTERS))).check(
    Schema.isBetweenLength(1, 10),
  ),
  readOn: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/)),
  confidence: Schema.Literals(confidences),
})
export type ExchangeWallet = typeof ExchangeWallet.Type

const Labels = Schema.Array(ExchangeWallet).check(Schema.isBetweenLength(1, EXCHANGE_LABELS_MAX))
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Labels), { onExcessProperty: "error" })

/**
 * Reads labels from a JSON text: a list of `{address, exchange, sources, readOn, confidence}`, each address once and in lower
 * case. The problem of a text that is none is one sentence.
 */
export const labelsOf = (text: string): Result.Result<ReadonlyArray<ExchangeWallet>, string> => {
  const decoded = decode(text)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message.split("\n").join(" ").slice(0, 300))
  const seen = new Set<string>()
  for (const { address } of decoded.success) {
    if (seen.has(address)) return Result.fail(`names ${address} twice`)
    seen.add(address)
  }
  return Result.succeed(decoded.success)
}

const READ_ON = "2026-11-22"

const wallets = (
  exchange: string,
  sources: ReadonlyArray<LabelSource>,
  addresses: ReadonlyArray<string>,
): ReadonlyArray<ExchangeWallet> =>
  addresses.map((address) => ({
    address,
    exchange,
    sources,
    readOn: READ_ON,
    confidence: sources.length > 1 ? "high" : "medium",
  }))

const BOTH = ["defillama-adapters", "etherscan-labels"] as const
const ETHERSCAN = ["etherscan-labels"] as const
const DEFILLAMA = ["defillama-adapters"] as const

/** The labels of this release. */
export const exchangeWallets: ReadonlyArray<ExchangeWallet> = [
  ...wallets("Binance", BOTH, [
    "0xbe0eb53f46cd790cd13851d5eff43d12404d33e8",
    "0xf977814e90da44bfa03b6295a0616a897441acec",
    "0x28c6c06298d514db089934071355e5743bf21d60",
    "0x21a31ee1afc51d94c2efccaa2092ad1028285549",
    "0xdfd5293d8e347dfe59e90efd55b2956a1343963d",
    "0x56eddb7aa87536c09ccc2793473599fd21a8b17f",
    "0x9696f59e4d72e237be84ffd425dcad154bf96976",
    "0x5a52e96bacdabb82fd05763e25335261b270efcb",
    "0x4976a4a02f38326660d17bf34b431dc6e2eb2327",
  ]),
  ...wallets("Coinbase", ETHERSCAN, [
    "0xa9d1e08c7793af67e9d92fe308d5697fb81d3e43",
    "0x71660c4005ba85c37ccec55d0c4493e66fe775d3",
    "0x503828976d22510aad0201ac7ec88293211d23da",
    "0xddfabcdc4d8ffc6d5beaf154f18b778f892a0740",
    "0x3cd751e6b0078be393132286c442345e5dc49699",
    "0xb5d85cbf7cb3ee0d56b3bb207d5fc4b82f43f511",
  ]),
  ...wallets("Kraken", ETHERSCAN, [
    "0x2910543af39aba0cd09dbb2d50200b3e800a63d2",
    "0x0a869d79a7052c7f1b55a8ebabbea3420f0d1e13",
    "0xe853c56864a2ebe4576a807d26fdc4a0ada51919",
    "0x267be1c1d684f78cb4f6a176c4911b741e4ffdc0",
    "0xfa52274dd61e1643d2205169732f29114bc240b3",
  ]),
  ...wallets("OKX", BOTH, [
    "0x6cc5f688a315f3dc28a7781717a9a798a59fda7b",
    "0xa7efae728d2936e78bda97dc267687568dd593f3",
    "0x98ec059dc3adfbdd63429454aeb0c990fba4a128",
    "0x5041ed759dd4afc3a72b8192c143f72f4724081a",
    "0xcba38020cd7b6f51df6afaf507685add148f6ab6",
    "0x461249076b88189f8ac9418de28b365859e46bfd",
    "0x42436286a9c8d63aafc2eebbca193064d68068f2",
    "0xe9172daf64b05b26eb18f07ac8d6d723acb48f99",
    "0x2c8fbb630289363ac80705a1a61273f76fd5a161",
    "0xc708a1c712ba26dc618f972ad7a187f76c8596fd",
    "0xf59869753f41db720127ceb8dbb8afaf89030de4",
    "0x5c52cc7c96bde8594e5b77d5b76d042cb5fae5f2",
    "0xc5451b523d5fffe1351337a221688a62806ad91a",
  ]),
  ...wallets("Bitfinex", BOTH, [
    "0x77134cbc06cb00b66f4c7e623d5fdbf6777635ec",
    "0x742d35cc6634c0532925a3b844bc454e4438f44e",
    "0x876eabf441b2ee5b5b0554fd502a8e0600950cfa",
    "0xc61b9bb3a7a0767e3179713f3a5c7a9aedce193c",
  ]),
  ...wallets("Gemini", BOTH, [
    "0xd24400ae8bfebb18ca49be86258a3c749cf46853",
    "0x61edcdf5bb737adffe5043706e7c5bb1f1a56eea",
  ]),
  ...wallets("Crypto.com", ETHERSCAN, [
    "0x6262998ced04146fa42253a5c0af90ca02dfd2a3",
    "0x46340b20830761efd32832a74d7169b29feb9758",
  ]),
  ...wallets("KuCoin", BOTH, [
    "0x1692e170361cefd1eb7240ec13d048fd9af6d667",
    "0xd6216fc19db775df9774a6e33526131da7d19a2c",
    "0xf16e9b0d03470827a95cdfd0cb8a8a3b46969b91",
    "0x88bd4d3e2997371bceefe8d9386c6b5b4de60346",
    "0xb8e6d31e7b212b2b7250ee9c26c56cebbfbe6b23",
    "0x738cf6903e6c4e699d1c2dd9ab8b67fcdb3121ea",
    "0x061f7937b7b2bc7596539959804f86538b6368dc",
    "0xd89350284c7732163765b23338f2ff27449e0bf5",
  ]),
  ...wallets("Gate.io", BOTH, [
    "0x0d0707963952f2fba59dd06f2b425ace40b492fe",
    "0x1c4b70a3968436b9a0a9cf5205c787eb81bb558c",
    "0x7793cd85c11a924478d358d49b05b37e91b5810f",
    "0x234ee9e35f8e9749a002fc42970d570db716453b",
    "0xc882b111a75c0c657fc507c04fbfcd2cc984f071",
    "0x6596da8b65995d5feacff8c2936f0b7a2051b0d0",
  ]),
  ...wallets("HTX", BOTH, [
    "0x5c985e89dde482efe97ea9f1950ad149eb73829b",
    "0xcac725bef4f114f728cbcfd744a731c2a463c3fc",
    "0xeee28d484628d41a82d01e21d12e2e78d69920da",
    "0x1062a747393198f70f71ec65a582423dba7e5ab3",
    "0x6748f50f686bfbca6fe8ad62b22228b87f31ff2b",
    "0xfdb16996831753d5331ff813c29a93c76834a0ad",
    "0xdb0e89a9b003a28a4055ef772e345e8089987bfd",
  ]),
  ...wallets("Bitget", DEFILLAMA, ["0x1ae3739e17d8500f2b2d80086ed092596a116e0b"]),
]
