import { MICRO_PER_ETH } from "../../../schemas/feeds/ethereum-transfers.ts"
import type { ExchangeLabels } from "../../../schemas/labels/exchange-labels.ts"

/** The part of a transfer that decides whose flow it is. */
export interface Parties {
  readonly from: string
  readonly to: string | null
}

/** One exchange's side of a transfer. */
export interface FlowLeg {
  readonly exchange: string
  /** `inflow`: to the exchange. */
  readonly direction: "inflow" | "outflow"
  /** The exchange on the other side; null where the address there has no label. */
  readonly counterparty: string | null
}

/**
 * The sides of a transfer: out of one exchange, into one, or out of one and into another. None within one exchange, which
 * moves its own ether, and none where neither address has a label.
 */
export const legsOf = ({ from, to }: Parties, labels: ExchangeLabels): ReadonlyArray<FlowLeg> => {
  const sender = labels.get(from) ?? null
  const receiver = to === null ? null : (labels.get(to) ?? null)
  if (sender === receiver) return []
  return [
    ...(sender === null ? [] : [{ exchange: sender, direction: "outflow" as const, counterparty: receiver }]),
    ...(receiver === null ? [] : [{ exchange: receiver, direction: "inflow" as const, counterparty: sender }]),
  ]
}

const microOf = (eth: number): number => Math.round(eth * MICRO_PER_ETH)
const ethOf = (micro: number): number => micro / MICRO_PER_ETH + 0

/** The sum of amounts of ether with six decimals each: exact, in whatever order, up to nine billion ether. */
export const sumEth = (amounts: ReadonlyArray<number>): number =>
  ethOf(amounts.reduce((sum, amount) => sum + microOf(amount), 0))

/** `one - other`, exact. */
export const differenceEth = (one: number, other: number): number => ethOf(microOf(one) - microOf(other))

/** One side of a transfer, with its amount. */
export interface Flow extends FlowLeg {
  readonly valueEth: number
}

/** What went into an exchange and out of it. */
export interface ExchangeFlow {
  readonly exchange: string
  readonly inflowEth: number
  readonly outflowEth: number
  /** Inflow less outflow: above zero, more went in. */
  readonly netFlowEth: number
  readonly inflowCount: number
  readonly outflowCount: number
}

const turnover = ({ inflowEth, outflowEth }: ExchangeFlow): number => microOf(inflowEth) + microOf(outflowEth)

/** The flows of each exchange that has any, the largest turnover first. */
export const flowsByExchange = (flows: ReadonlyArray<Flow>): ReadonlyArray<ExchangeFlow> => {
  const amountsOf = new Map<string, Record<FlowLeg["direction"], Array<number>>>()
  for (const { exchange, direction, valueEth } of flows) {
    const amounts = amountsOf.get(exchange) ?? { inflow: [], outflow: [] }
    amounts[direction].push(valueEth)
    amountsOf.set(exchange, amounts)
  }
  return [...amountsOf]
    .map(([exchange, { inflow: inflows, outflow: outflows }]) => {
      const [inflowEth, outflowEth] = [sumEth(inflows), sumEth(outflows)]
      return {
        exchange,
        inflowEth,
        outflowEth,
        netFlowEth: differenceEth(inflowEth, outflowEth),
        inflowCount: inflows.length,
        outflowCount: outflows.length,
      }
    })
    .sort((one, other) => turnover(other) - turnover(one) || (one.exchange < other.exchange ? -1 : 1))
}

const biases = ["inflow_dominant", "outflow_dominant", "balanced"] as const
export type Bias = (typeof biases)[number]

/** Which direction prevails: below `balancedBelowEth`, in either direction, none does. */
export const biasOf = (netFlowEth: number, balancedBelowEth: number): Bias =>
  Math.abs(netFlowEth) < balancedBelowEth ? "balanced" : netFlowEth > 0 ? "inflow_dominant" : "outflow_dominant"
