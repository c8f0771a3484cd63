import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { biasOf, differenceEth, type Flow, flowsByExchange, legsOf, sumEth } from "./exchange-flows.ts"

const labels = new Map([
  ["0xa", "Alpha"],
  ["0xa2", "Alpha"],
  ["0xb", "Beta"],
])

describe("the sides of a transfer", () => {
  it.each([
    ["into an exchange", "0x1", "0xa", [{ exchange: "Alpha", direction: "inflow", counterparty: null }]],
    ["out of one", "0xa", "0x1", [{ exchange: "Alpha", direction: "outflow", counterparty: null }]],
    [
      "between two",
      "0xa",
      "0xb",
      [
        { exchange: "Alpha", direction: "outflow", counterparty: "Beta" },
        { exchange: "Beta", direction: "inflow", counterparty: "Alpha" },
      ],
    ],
    ["within one", "0xa", "0xa2", []],
    ["of neither", "0x1", "0x2", []],
    [
      "that creates a contract, of an exchange",
      "0xa",
      null,
      [{ exchange: "Alpha", direction: "outflow", counterparty: null }],
    ],
    ["that creates a contract, of anyone", "0x1", null, []],
  ] as const)("%s", (_, from, to, legs) => {
    expect(legsOf({ from, to }, labels)).toEqual(legs)
  })
})

const flow = (exchange: string, direction: Flow["direction"], valueEth: number): Flow => ({
  exchange,
  direction,
  counterparty: null,
  valueEth,
})
const micro = fc.integer({ min: 5_000_000, max: 1e12 }).map((value) => value / 1e6)
const flows = fc.array(
  fc.record({
    exchange: fc.constantFrom("Alpha", "Beta", "Gamma"),
    direction: fc.constantFrom("inflow" as const, "outflow" as const),
    counterparty: fc.constant(null),
    valueEth: micro,
  }),
  { maxLength: 60 },
)

describe("flows", () => {
  it("are summed by exchange, by hand", () => {
    expect(
      flowsByExchange([
        flow("Beta", "inflow", 5.1),
        flow("Alpha", "inflow", 100.1),
        flow("Alpha", "inflow", 100.2),
        flow("Alpha", "outflow", 300.300001),
      ]),
    ).toEqual([
      {
        exchange: "Alpha",
        inflowEth: 200.3,
        outflowEth: 300.300001,
        netFlowEth: -100.000001,
        inflowCount: 2,
        outflowCount: 1,
      },
      { exchange: "Beta", inflowEth: 5.1, outflowEth: 0, netFlowEth: 5.1, inflowCount: 1, outflowCount: 0 },
    ])
  })
  it("sum to the net, of each exchange and of all, in any order", () => {
    fc.assert(
      fc.property(flows, fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), (all, keys) => {
        const rows = flowsByExchange(all)
        const inflow = sumEth(rows.map((row) => row.inflowEth))
        const outflow = sumEth(rows.map((row) => row.outflowEth))
        expect(sumEth(rows.map((row) => row.netFlowEth))).toBe(differenceEth(inflow, outflow))
        for (const row of rows) expect(row.netFlowEth).toBe(differenceEth(row.inflowEth, row.outflowEth))
        expect(rows.reduce((count, row) => count + row.inflowCount + row.outflowCount, 0)).toBe(all.length)
        const shuffled = all
          .map((one, at) => [keys[at] ?? 0, one] as const)
          .sort(([one], [other]) => one - other)
          .map(([, one]) => one)
        expect(flowsByExchange(shuffled)).toEqual(rows)
      }),
    )
  })
  it("are exact where a sum of floats is not", () => {
    expect(0.1 + 0.2).not.toBe(0.3)
    expect(sumEth([0.1, 0.2])).toBe(0.3)
    expect(sumEth(Array.from({ length: 10_000 }, () => 0.1))).toBe(1_000)
    expect(Object.is(differenceEth(5, 5), 0)).toBe(true)
  })
  it("between exchanges leave the net of all at zero", () => {
    fc.assert(
      fc.property(fc.array(micro, { maxLength: 30 }), (amounts) => {
        const all = amounts.flatMap((valueEth) =>
          legsOf({ from: "0xa", to: "0xb" }, labels).map((leg) => ({ ...leg, valueEth })),
        )
        expect(sumEth(flowsByExchange(all).map((row) => row.netFlowEth))).toBe(0)
      }),
    )
  })
})

describe("the bias", () => {
  it.each([
    [0, "balanced"],
    [99.999999, "balanced"],
    [-99.999999, "balanced"],
    [100, "inflow_dominant"],
    [-100, "outflow_dominant"],
  ] as const)("of %d ether net is %s", (net, bias) => {
    expect(biasOf(net, 100)).toBe(bias)
  })
})
