import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { BITCOIN_TRANSFER_MIN_BTC } from "../feeds/bitcoin-transfers.ts"
import { ETHEREUM_BLOCKS_MAX } from "../feeds/ethereum-transfers.ts"
import { WHALE_MIN_ETH, Whales, type WhalesFull } from "../payloads/pro-whales.ts"

/** The names of the view's inputs. */
export const whalesInputs = ["unconfirmed", "shown", "mempoolCounts", "heights", "blocks", "tickers"] as const
export type WhalesInput = (typeof whalesInputs)[number]

const bitcoinInputs = ["unconfirmed", "shown", "mempoolCounts", "heights"] as const satisfies ReadonlyArray<WhalesInput>

const CENTS = 100
const dollars = (amount: number | null, price: number | null): number | null =>
  amount === null || price === null ? null : Math.round(amount * price * CENTS) / CENTS

const WITHHELD = "Not shown: this installation may not resell the data of its source."
const UNREAD = "Not read yet."

const NO_NUMBER = "Null where the node gave no valid number."
const LABELS = "Labels are attributions by third parties, not statements by exchanges; null for addresses without one."

/** The parts of a reply that are shown, and why others are not. */
interface Shown extends WhalesFull {
  readonly btcAbsent: string
  readonly ethAbsent: string
  readonly pricesAbsent: string
}

const notesOf = ({ btc, eth, prices, btcAbsent, ethAbsent, pricesAbsent }: Shown): Whales["notes"] => {
  const dollarsBy = prices === null ? pricesAbsent : "By the spot prices; null without a price."
  const ofBtc = (note: string) => (btc === null ? btcAbsent : note)
  const ofEth = (note: string) => (eth === null ? ethAbsent : note)
  const leftOut = eth?.leftOut ? ` ${eth.leftOut} transfers beyond the bound of a block are left out.` : ""
  return {
    spot_prices: prices === null ? pricesAbsent : "Last trades at one exchange; Tether counts as a dollar.",
    btc_usd: "Null where the exchange gave no price.",
    eth_usd: "Null where the exchange gave no price.",
    value_usd: dollarsBy,
    btc_whales_unconfirmed: ofBtc(
      "Values are sums of outputs with the change: they overstate what was paid. An unconfirmed transaction may be replaced.",
    ),
    btc_count: ofBtc("Of the last 60 minutes."),
    btc_total: ofBtc("Bitcoin, of the last 60 minutes."),
    btc_total_usd: ofBtc(dollarsBy),
    sample_share: ofBtc(
      "The node shows its last ten transactions and is asked every ten seconds: a sample. Its share is estimated by the growth of the mempool between blocks; null until that was seen for some minutes.",
    ),
    fee_sat: NO_NUMBER,
    vsize: NO_NUMBER,
    eth_whales_latest_block: ofEth(
      `Native ether of transactions in all scanned blocks, not what contracts pass on, and no tokens.${leftOut}`,
    ),
    eth_block: ofEth("The newest block that at least two nodes agree on. It may still be replaced."),
    eth_blocks_scanned: ofEth("One chain without gaps."),
    eth_count: ofEth("Of the scanned blocks."),
    eth_total: ofEth("Ether, of the scanned blocks."),
    eth_total_usd: ofEth(dollarsBy),
    base_fee_gwei: "Null in blocks that have no base fee.",
    to: "Null where the transaction creates a contract.",
    from_label: LABELS,
    to_label: LABELS,
  }
}

/** Selects the reply: dollars where a price may be shown, and nothing of a source that may not be resold. */
export const selectWhales = (
  full: WhalesFull,
  _: Readonly<Record<never, never>>,
  withheld: ReadonlySet<string>,
): Selection<Whales> => {
  const isWithheld = {
    btc: bitcoinInputs.some((input) => withheld.has(input)),
    eth: withheld.has("blocks" satisfies WhalesInput),
    prices: withheld.has("tickers" satisfies WhalesInput),
  }
  const btc = isWithheld.btc ? null : full.btc
  const eth = isWithheld.eth ? null : full.eth
  const prices = isWithheld.prices ? null : full.prices
  const [btcPrice, ethPrice] = [prices?.btc ?? null, prices?.eth ?? null]
  const [btcTotal, ethTotal] = [btc?.total ?? null, eth?.total ?? null]
  return {
    data: {
      spot_prices: prices === null ? null : { btc_usd: prices.btc, eth_usd: prices.eth },
      btc_whales_unconfirmed:
        btc?.transfers.map((row) => ({ ...row, value_usd: dollars(row.value_btc, btcPrice) })) ?? null,
      eth_whales_latest_block:
        eth?.transfers.map((row) => ({ ...row, value_usd: dollars(row.value_eth, ethPrice) })) ?? null,
      eth_block: eth?.block ?? null,
      eth_blocks_scanned: eth?.blocksScanned ?? null,
      aggregate: {
        btc_count: btc?.count ?? null,
        btc_total: btcTotal,
        btc_total_usd: dollars(btcTotal, btcPrice),
        eth_count: eth?.count ?? null,
        eth_total: ethTotal,
        eth_total_usd: dollars(ethTotal, ethPrice),
      },
      sample_share: btc?.sampleShare ?? null,
      thresholds: { btc: BITCOIN_TRANSFER_MIN_BTC, eth: WHALE_MIN_ETH },
      sample_size: {
        ...(btc === null ? {} : { btc_transfers: btc.count }),
        ...(eth === null
          ? {}
          : {
              eth_blocks: eth.blocksScanned.length,
              eth_transactions: eth.transactions,
              eth_transfers: eth.count,
            }),
      },
      notes: notesOf({
        btc,
        eth,
        prices,
        btcAbsent: isWithheld.btc ? WITHHELD : UNREAD,
        ethAbsent: isWithheld.eth ? WITHHELD : UNREAD,
        pricesAbsent: isWithheld.prices ? WITHHELD : UNREAD,
      }),
    },
    inputs: whalesInputs.filter((input) => {
      if (input === "blocks") return !isWithheld.eth
      return input === "tickers" ? !isWithheld.prices : !isWithheld.btc
    }),
  }
}

const cold: WhalesFull = { btc: null, eth: null, prices: null }

const exampleFull: WhalesFull = {
  btc: {
    transfers: [
      {
        txid: "8aa5ffd6dc8e553dd851037c63012c9aaaa904dd1a7f7276e717034d6947d111",
        value_btc: 13.547198,
        fee_sat: 730,
        vsize: 143.25,
        seen_at: "2026-08-17T20:32:51.412Z",
      },
    ],
    count: 1,
    total: 13.547198,
    sampleShare: 0.15,
  },
  eth: {
    block: {
      number: 19900000,
      hash: "0x746f3774ca35da17a8942103daf825eb4ebaa8b675888fd869e1e98c8ce69a12",
      timestamp: "2026-08-17T20:32:47.000Z",
      transactions: 147,
      base_fee_gwei: 2.885,
    },
    blocksScanned: [19900000, 19899999],
    transactions: 302,
    transfers: [
      {
        hash: "0x2273c13d32e8224676a75c82d0061952bee6050a65cede919524fbb4704727cc",
        block_number: 19900000,
        from: "0xb55dba9fe9039791d2fd563e595d6161b522ddbf",
        to: "0x28c6c06298d514db089934071355e5743bf21d60",
        value_eth: 163.049251,
        from_label: null,
        to_label: "Binance",
      },
    ],
    count: 1,
    total: 163.049251,
    leftOut: 0,
  },
  prices: { btc: 63180.4, eth: 1842.17 },
}

export const proWhalesEndpoint = endpoint({
  path: "/api/pro/whales",
  name: "pro_whales",
  kind: "filtered",
  tier: "premium",
  subject: "markets",
  credits: 2,
  ttl: "60 seconds",
  summary: "Large transfers of bitcoin that wait for a block, and of ether in the newest blocks",
  description: [
    `Bitcoin from ${BITCOIN_TRANSFER_MIN_BTC} BTC, a sample of the last 60 minutes; ether from ${WHALE_MIN_ETH} ETH, of the newest`,
    `${ETHEREUM_BLOCKS_MAX} blocks that at least two nodes agree on. Addresses of exchanges are labelled where public lists attribute them.`,
  ].join(" "),
  parameters: {},
  data: Whales,
  cold,
  select: selectWhales,
  empty: ({ btc_whales_unconfirmed: btc, eth_blocks_scanned: eth, spot_prices: prices }) =>
    btc === null && eth === null && prices === null,
  example: selectWhales(exampleFull, {}, new Set()).data,
})
