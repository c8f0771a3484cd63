import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { TRANSFER_MIN_ETH } from "../feeds/ethereum-transfers.ts"
import { exchangeLabels, exchangesTracked } from "../labels/exchange-labels.ts"
import {
  BALANCED_BELOW_ETH,
  ExchangeFlows,
  type ExchangeFlowsFull,
  RECENT_TRANSFERS_MAX,
} from "../payloads/pro-exchange-flows.ts"

/** The names of the view's inputs. */
export const exchangeFlowsInputs = ["newest", "blocks", "tickers"] as const
export type ExchangeFlowsInput = (typeof exchangeFlowsInputs)[number]

const chainInputs = ["newest", "blocks"] as const satisfies ReadonlyArray<ExchangeFlowsInput>

const CENTS = 100

const WITHHELD = "Not shown: this installation may not resell the data of its source."
const UNREAD = "Not read yet."

/** Selects the reply: dollars where the price may be shown, flows where those of the chain may. */
export const selectExchangeFlows = (
  full: ExchangeFlowsFull,
  _: Readonly<Record<never, never>>,
  withheld: ReadonlySet<string>,
): Selection<ExchangeFlows> => {
  const isPriceWithheld = withheld.has("tickers" satisfies ExchangeFlowsInput)
  const isChainWithheld = chainInputs.some((input) => withheld.has(input))
  const price = isPriceWithheld ? null : full.price
  const flows = isChainWithheld ? null : full.flows
  const absent = isChainWithheld ? WITHHELD : UNREAD
  const dollarsBy =
    price === null
      ? isPriceWithheld
        ? WITHHELD
        : "No price was read yet."
      : "By the spot price; Tether counts as a dollar."
  const ofChain = (note: string) => (flows === null ? absent : note)
  const leftOut = flows?.leftOut ? ` ${flows.leftOut} transfers beyond the bound of a block are left out.` : ""
  return {
    data: {
      spot_eth_usd: price,
      blocks_scanned: flows?.blocks_scanned ?? null,
      blocks_missing: flows?.blocks_missing ?? null,
      flows_by_exchange: flows?.flows_by_exchange ?? null,
      recent_transfers:
        flows?.transfers.slice(0, RECENT_TRANSFERS_MAX).map((row) => ({
          ...row,
          value_usd: price === null ? null : Math.round(row.value_eth * price * CENTS) / CENTS,
        })) ?? null,
      aggregate:
        flows === null
          ? null
          : {
              transfer_count: flows.transferCount,
              total_inflow_eth: flows.inflowEth,
              total_outflow_eth: flows.outflowEth,
              net_flow_eth: flows.netFlowEth,
              net_flow_usd: price === null ? null : Math.round(flows.netFlowEth * price) + 0,
              bias: flows.bias,
            },
      threshold: { transfer_min_eth: TRANSFER_MIN_ETH, balanced_below_eth: BALANCED_BELOW_ETH },
      exchanges_tracked: full.exchangesTracked,
      sample_size:
        flows === null
          ? {}
          : { blocks: flows.blocks_scanned.length, transactions: flows.transactions, transfers: flows.transferCount },
      notes: {
        spot_eth_usd: dollarsBy,
        value_usd: dollarsBy,
        net_flow_usd: dollarsBy,
        counterparty_label: "Null where no label is known of the address on the other side.",
        exchanges_tracked:
          "Labels are attributions by third parties, not statements by exchanges; wallets without a label are not seen.",
        blocks_scanned: ofChain("The blocks of 60 minutes up to the newest one; fewer after a start or a gap."),
        blocks_missing: ofChain("Their transfers are in no sum."),
        flows_by_exchange: ofChain(
          `Native ether of transactions, not what contracts pass on, and no tokens. Transfers within one exchange are left out.${leftOut}`,
        ),
        recent_transfers: ofChain(`The newest ${RECENT_TRANSFERS_MAX}.`),
        aggregate: ofChain("A transfer between two exchanges is an outflow of one and an inflow of the other."),
      },
    },
    inputs: exchangeFlowsInputs.filter((input) => (input === "tickers" ? !isPriceWithheld : !isChainWithheld)),
  }
}

const exampleFull: ExchangeFlowsFull = {
  flows: {
    blocks_scanned: [19900000, 19899999],
    blocks_missing: 0,
    flows_by_exchange: [
      {
        exchange: "Binance",
        inflow_eth: 163.049251,
        outflow_eth: 12.5,
        net_flow_eth: 150.549251,
        inflow_count: 1,
        outflow_count: 1,
      },
    ],
    transfers: [
      {
        hash: "0x2273c13d32e8224676a75c82d0061952bee6050a65cede919524fbb4704727cc",
        block_number: 19900000,
        timestamp: "2026-08-17T20:32:47.000Z",
        exchange: "Binance",
        direction: "inflow",
        counterparty_label: null,
        value_eth: 163.049251,
      },
    ],
    transferCount: 2,
    transactions: 302,
    leftOut: 0,
    inflowEth: 163.049251,
    outflowEth: 12.5,
    netFlowEth: 150.549251,
    bias: "inflow_dominant",
  },
  exchangesTracked: ["Binance", "Kraken"],
  price: 1842.17,
}

export const proExchangeFlowsEndpoint = endpoint({
  path: "/api/pro/exchange-flows",
  name: "pro_exchange_flows",
  kind: "filtered",
  tier: "premium",
  subject: "markets",
  credits: 2,
  ttl: "60 seconds",
  summary: "Ether that went into exchanges and out of them in the last hour, by exchange",
  description: [
    `Transfers of ${TRANSFER_MIN_ETH} ETH and more in the blocks of 60 minutes, from and to addresses that public lists attribute to`,
    `exchanges. A net flow below ${BALANCED_BELOW_ETH} ETH in either direction is balanced. An hour without such a transfer is zero, not unknown.`,
  ].join(" "),
  parameters: {},
  data: ExchangeFlows,
  // Which exchanges are tracked is known before any block is read.
  cold: { flows: null, exchangesTracked: exchangesTracked(exchangeLabels), price: null },
  select: selectExchangeFlows,
  example: selectExchangeFlows(exampleFull, {}, new Set()).data,
})
