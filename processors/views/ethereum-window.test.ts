import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeEvent } from "../../schemas/event.ts"
import { ETHEREUM_BLOCKS_MAX, type EthereumBlock, ethereumTransfers } from "../../schemas/feeds/ethereum-transfers.ts"
import { type Change, changeEvents, itemChanges } from "../feed-state.ts"
import ethereumBlocks from "../tables/ethereum_blocks/table.ts"
import largeTransfers from "../tables/large_transfers/table.ts"
import { type RecentChange, recentMemory } from "../view/memory.ts"
import { ethereumWindow } from "./pro-exchange-flows.ts"

const SLOT_MS = 12_000
const HOUR_MS = 3_600_000
const BEGIN_MS = Date.parse("2026-11-20T12:00:00.000Z")
const hex = (value: number): string => value.toString(16).padStart(64, "0")

/** A block of a fork: its hash says which, and its one transfer is its own. */
const block = (number: number, fork: number, parent: EthereumBlock | undefined): EthereumBlock => ({
  number,
  hash: `0x${hex(number * 1_000 + fork)}`,
  parentHash: parent?.hash ?? `0x${hex(0)}`,
  at: new Date(BEGIN_MS + number * SLOT_MS).toISOString(),
  transactionCount: 1,
  baseFeeGwei: 1,
  transfers:
    (number + fork) % 3 === 0
      ? []
      : [{ hash: `0x${hex(number * 7_000 + fork)}`, from: `0x${"1".repeat(40)}`, to: null, valueEth: 5 }],
  transfersLeftOut: 0,
})

const window = { windowMs: HOUR_MS, kinds: ["appeared", "changed"], max: 400 } as const
const memory = recentMemory(window)

/** What the fold and the tables make of polls of a chain that forks: payloads are the newest blocks, the newest first. */
const folded = (chains: ReadonlyArray<ReadonlyArray<EthereumBlock>>, restarts: ReadonlySet<number>) => {
  let standing: unknown
  let kept: ReturnType<typeof memory.after>
  const rows: Array<Record<string, unknown>> = []
  const blockRows: Array<Record<string, unknown>> = []
  const payloads = chains.map((chain) => chain.slice(-ETHEREUM_BLOCKS_MAX).reverse())
  for (const [poll, items] of payloads.entries()) {
    const atMs = BEGIN_MS + poll * 60_000
    const payload = { items, facts: {} }
    const changes: ReadonlyArray<Change> = itemChanges(ethereumTransfers, standing, payload)
    kept = memory.after(kept, { parameters: {}, atMs, payload, changes, isInitial: standing === undefined })
    const observedAt = new Date(atMs).toISOString()
    for (const { kind, key, item } of changes) {
      const data = { feed: "ethereum-transfers", parameters: {}, provider: "p", key, item: item as never, observedAt }
      const event = makeEvent(changeEvents[kind], { id: "1", source: "s", subject: "s", time: observedAt, data })
      rows.push(...largeTransfers.rows(event))
      blockRows.push(...ethereumBlocks.rows(event))
    }
    standing = payload
    // A checkpoint holds what was kept, as JSON.
    if (restarts.has(poll)) {
      kept = structuredClone(kept)
      standing = structuredClone(standing)
    }
  }
  return { payloads, kept, rows, blockRows }
}

/** A walk of a chain: at each step it loses some blocks and gains some of another fork. */
const walks = fc.array(fc.record({ lost: fc.integer({ min: 0, max: 4 }), gained: fc.integer({ min: 1, max: 8 }) }), {
  minLength: 1,
  maxLength: 40,
})

const chainsOf = (steps: ReadonlyArray<{ readonly lost: number; readonly gained: number }>) => {
  const chains: Array<ReadonlyArray<EthereumBlock>> = []
  let chain: ReadonlyArray<EthereumBlock> = []
  for (const [fork, { lost, gained }] of steps.entries()) {
    const stem = chain.slice(0, Math.max(0, chain.length - lost))
    const longer = [...stem]
    for (let count = 0; count < lost + gained; count += 1)
      longer.push(block((longer.at(-1)?.number ?? 99) + 1, fork, longer.at(-1)))
    chain = longer
    chains.push(chain)
  }
  return chains
}

describe("a chain that forks", () => {
  it("leaves the blocks that stand, in the view and in the tables, over restarts", () => {
    fc.assert(
      fc.property(walks, fc.array(fc.nat(39)), (steps, restarts) => {
        const chains = chainsOf(steps)
        const { payloads, kept, rows, blockRows } = folded(chains, new Set(restarts))
        const canonical = chains.at(-1) ?? []
        const newest = canonical.at(-1)
        const sinceMs = Date.parse(newest?.at ?? "") - HOUR_MS
        const expected = canonical.filter(({ at }) => Date.parse(at) > sinceMs).reverse()
        const changes = (kept ?? []) as unknown as ReadonlyArray<RecentChange<EthereumBlock>>
        const seen = ethereumWindow(changes, payloads.at(-1) ?? [], HOUR_MS)
        expect(seen).toEqual({ blocks: expected, missing: 0 })
        // The tables: of rows with one number the block that was observed last stands.
        const standsAt = new Map<unknown, { hash: unknown; at: string }>()
        for (const { number, hash, observed_at } of blockRows) {
          const before = standsAt.get(number)
          const at = String(observed_at)
          if (before === undefined || at >= before.at) standsAt.set(number, { hash, at })
        }
        const standing = rows.filter((row) => standsAt.get(row.block_number)?.hash === row.block_hash)
        expect(standing.map((row) => row.hash).sort()).toEqual(
          canonical.flatMap(({ transfers }) => transfers.map(({ hash }) => hash)).sort(),
        )
      }),
      { numRuns: 200 },
    )
  })
})

const change = (item: EthereumBlock, kind: RecentChange["kind"] = "appeared") => ({ kind, item })
const at = (number: number, fork = 0) => block(number, fork, undefined)

describe("a window of blocks", () => {
  it("counts the blocks between that were not read, and is empty without a payload", () => {
    const seen = ethereumWindow([change(at(1)), change(at(2))], [at(7), at(6)], HOUR_MS)
    expect(seen.blocks.map(({ number }) => number)).toEqual([7, 6, 2, 1])
    expect(seen.missing).toBe(3)
    expect(ethereumWindow([change(at(1))], [], HOUR_MS)).toEqual({ blocks: [], missing: 0 })
  })
  it("ends an hour before the newest block: the block of exactly then is out", () => {
    const newest = at(400)
    const seen = ethereumWindow([change(at(100)), change(at(101))], [newest], HOUR_MS)
    expect(seen.blocks.map(({ number }) => number)).toEqual([400, 101])
  })
  it("has no block above the newest one, as a chain may become shorter, and none that only went", () => {
    const seen = ethereumWindow([change(at(9)), change(at(5), "gone")], [at(8)], HOUR_MS)
    expect(seen.blocks.map(({ number }) => number)).toEqual([8])
  })
  it("takes of a number the last one seen, and the payload before all", () => {
    const seen = ethereumWindow([change(at(1, 1)), change(at(1, 2), "changed"), change(at(2, 1))], [at(2, 5)], HOUR_MS)
    expect(seen.blocks.map(({ hash }) => hash)).toEqual([at(2, 5).hash, at(1, 2).hash])
  })
})
