import { describe, expect, it } from "vitest"
import mempoolRecent from "../../ingestors/sources/mempool-recent.ts"
import largeTransfers from "../../processors/tables/large_transfers/table.ts"
import proWhales from "../../processors/views/pro-whales.ts"
import { BITCOIN_TRANSFER_MIN_BTC, bitcoinTransfers, SAT_PER_BTC } from "../../schemas/feeds/bitcoin-transfers.ts"
import simulated, { recentOf } from "../world/upstreams/mempool-recent.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const txid = (digit: string): string => digit.repeat(64)
const sent = (members: object = {}) => ({
  txid: txid("a"),
  fee: 1_500,
  vsize: 140.25,
  value: 10 * SAT_PER_BTC,
  ...members,
})
const item = { txid: txid("a"), valueBtc: 12.5, feeSat: 1_500, vsizeVb: 140.25 }

feedTest({
  feed: bitcoinTransfers,
  polls: [
    polled({
      source: mempoolRecent,
      world: simulated,
      freeText: false,
      breakRow: ([, ...others]) => [{ txid: 1 }, ...others],
      refused: [["rows that are all unreadable", [{}, {}], /cannot be read/]],
    }),
  ],
  views: [proWhales],
  table: largeTransfers,
  rows: [
    {
      kind: "appeared",
      item,
      makes: {
        feed: "bitcoin-transfers",
        chain: "bitcoin",
        at: OBSERVED_AT,
        hash: txid("a"),
        amount: 12.5,
        sender: "",
        receiver: "",
        fee_sat: 1_500,
        vsize_vb: 140.25,
        block_number: null,
        block_hash: "",
        provider: PROVIDER,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured transactions", () => {
  const captured = () => collectedCapture(mempoolRecent, "recent", "mempool-recent-10-transactions.json")
  it("are ten, the largest of 1.94855857 bitcoin: none is large", () => {
    expect(normalised(mempoolRecent, captured()).payload).toEqual({ items: [], facts: { shown: 10 } })
  })
  it("are read as they are in bitcoins, satoshi and virtual bytes once they are large", () => {
    // By hand: the sixth of the file, a hundred times as large.
    const large = captured().map((one) => ({
      ...(one as { readonly value: number }),
      value: (one as { readonly value: number }).value * 100,
    }))
    const { items } = normalised(mempoolRecent, large).payload
    expect(items.map(({ valueBtc }) => valueBtc)).toEqual([194.855857, 171.006753, 13.547198, 10.613873])
    expect(items[0]).toEqual({
      txid: "5014a1420ba12f5be381895395e1d6fa7d4146c0a15dddef87f7107f573ae37f",
      valueBtc: 194.855857,
      feeSat: 1_482,
      vsizeVb: 141,
    })
  })
})

describe("transactions that wait for a block", () => {
  const itemsOf = (...rows: ReadonlyArray<unknown>) => normalised(mempoolRecent, rows).payload.items
  it("count from exactly ten bitcoin on", () => {
    expect(itemsOf(sent(), sent({ txid: txid("b"), value: 10 * SAT_PER_BTC - 1 })).map((one) => one.txid)).toEqual([
      txid("a"),
    ])
  })
  it("have a null fee and size where those are no numbers of the kind", () => {
    const { fee: _, vsize: __, ...bare } = sent()
    expect(itemsOf(bare)[0]).toMatchObject({ feeSat: null, vsizeVb: null })
    expect(itemsOf(sent({ fee: -1, vsize: 0 }))[0]).toMatchObject({ feeSat: null, vsizeVb: null })
    expect(itemsOf(sent({ fee: 1.5, vsize: 1e9 }))[0]).toMatchObject({ feeSat: null, vsizeVb: null })
  })
  it("are unreadable with more than there is, and with what is no id", () => {
    const { unreadable } = readBy(mempoolRecent, [
      sent(),
      sent({ txid: "x" }),
      sent({ value: 1e17 }),
      sent({ txid: txid("c") }),
    ])
    expect(unreadable).toHaveLength(2)
  })
  it("may hold no large one; a node that shows none of any size is starting, and is refused", () => {
    expect(normalised(mempoolRecent, [sent({ value: 1 })]).payload).toEqual({ items: [], facts: { shown: 1 } })
    expect(refusedBy(mempoolRecent, [])?.message).toBe("the node shows no transaction")
  })
  it("of the world are those it shows", async () => {
    const { payload } = await observed(mempoolRecent, simulated, NOW_MS)
    const large = recentOf(worldAt("test", NOW_MS)).filter(
      ({ value }) => value >= BITCOIN_TRANSFER_MIN_BTC * SAT_PER_BTC,
    )
    expect(payload.items.map((one) => one.txid).sort()).toEqual(large.map((one) => one.txid).sort())
    expect(payload.facts.shown).toBe(10)
  })
})
