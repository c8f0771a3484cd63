import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AiStats } from "../../schemas/endpoints/ai-stats.ts"
import { type Envelope, instant, makeEvent } from "../../schemas/event.ts"
import { type UsageCount, usageCounted } from "../../schemas/events/usage.ts"
import type { Json } from "../../schemas/json.ts"
import { stateIn } from "../processor.ts"
import aiStats from "./ai-stats.ts"

const START_MS = Date.parse("2026-11-20T00:00:00Z")
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const count = (endpoint: string, requests: number, agent: string | null = null): UsageCount => ({
  endpoint,
  client: agent === null ? "library" : "ai_agent",
  agent,
  requests,
  refused: 0,
  bytes: 0,
})
const report = (instance: string, sequence: number, atMs: number, ...counts: ReadonlyArray<UsageCount>) =>
  makeEvent(usageCounted, {
    id: `${instance}/${sequence}`,
    source: "tidewire/api",
    subject: instance,
    time: instant(atMs),
    data: { instance, sequence, from: instant(atMs - MINUTE_MS), to: instant(atMs), counts },
  })

/** Folds events as the runner does; gives the last body, checked against the endpoint's schema. */
const folded = (events: ReadonlyArray<Envelope<string, unknown>>) => {
  const state = new Map<string, Json>()
  let nowMs = 0
  let body: unknown = null
  for (const event of events) {
    nowMs = Math.max(nowMs, Date.parse(event.time))
    const step = aiStats.step(stateIn(state), event, nowMs)
    for (const [key, value] of step.state ?? [])
      if (value === null) state.delete(key)
      else state.set(key, value)
    body = step.views?.[0]?.body?.data ?? body
  }
  return { stats: Result.getOrThrow(Schema.decodeUnknownResult(AiStats)(body)), state }
}

describe("the statistics of usage", () => {
  it("given reports of two processes, when one is there twice, then each counts once", () => {
    const first = report("a", 0, START_MS, count("earthquake", 5), count("forex", 2, "GPTBot"))
    const { stats } = folded([first, report("b", 0, START_MS + 5_000, count("earthquake", 3)), first])
    expect(stats).toMatchObject({
      total_hits: 10,
      hits_24h: 10,
      ai_agent_hits_24h: 2,
      unique_ai_agents_24h: 1,
      agents: [{ agent: "GPTBot", hits_24h: 2 }],
      endpoints_24h: [
        { endpoint: "earthquake", hits_24h: 8 },
        { endpoint: "forex", hits_24h: 2 },
      ],
      counted_since: instant(START_MS - MINUTE_MS),
    })
    expect(stats.recent_calls.map(({ endpoint, requests }) => [endpoint, requests])).toEqual([
      ["earthquake", 3],
      ["earthquake", 5],
      ["forex", 2],
    ])
  })
  it("given a day of reports, when it has passed, then it counts in the total alone", () => {
    const { stats, state } = folded([
      report("a", 0, START_MS, count("earthquake", 5, "GPTBot")),
      report("a", 1, START_MS + DAY_MS - MINUTE_MS, count("forex", 1)),
      report("a", 2, START_MS + DAY_MS + 5 * MINUTE_MS, count("forex", 1)),
    ])
    expect(stats).toMatchObject({
      total_hits: 7,
      hits_24h: 2,
      ai_agent_hits_24h: 0,
      unique_ai_agents_24h: 0,
      agents: [],
    })
    expect([...state.keys()].filter((key) => key.startsWith("slot/"))).toHaveLength(2)
  })
  it("given a report that comes a day late, then it counts in the total alone", () => {
    const { stats } = folded([
      report("a", 0, START_MS + 2 * DAY_MS, count("x", 1)),
      report("b", 0, START_MS, count("x", 9)),
    ])
    expect(stats).toMatchObject({ total_hits: 10, hits_24h: 1, counted_since: instant(START_MS - MINUTE_MS) })
  })
  it("lists at most the newest twenty calls and the twenty endpoints with most", () => {
    const counts = Array.from({ length: 30 }, (_, index) => count(`e${String(index).padStart(2, "0")}`, index + 1))
    const { stats } = folded([
      report("a", 0, START_MS, ...counts),
      report("a", 1, START_MS + MINUTE_MS, count("last", 1)),
    ])
    expect(stats.recent_calls).toHaveLength(20)
    expect(stats.recent_calls[0]).toMatchObject({ endpoint: "last", minute: instant(START_MS + MINUTE_MS) })
    expect(stats.endpoints_24h).toHaveLength(20)
    expect(stats.endpoints_24h[0]).toEqual({ endpoint: "e29", hits_24h: 30 })
  })
  it("equals an independent count over any reports of a day, in any order of processes", () => {
    const reports = fc.array(
      fc.record({
        instance: fc.constantFrom("a", "b", "c"),
        minute: fc.integer({ min: 0, max: 1_000 }),
        endpoint: fc.constantFrom("x", "y", "z"),
        agent: fc.option(fc.constantFrom("GPTBot", "CCBot"), { nil: null }),
        requests: fc.integer({ min: 0, max: 1_000 }),
      }),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(reports, (all) => {
        const sequences = new Map<string, number>()
        const events = all.map(({ instance, minute, endpoint, agent, requests }) => {
          const sequence = sequences.get(instance) ?? 0
          sequences.set(instance, sequence + 1)
          return report(instance, sequence, START_MS + minute * MINUTE_MS, count(endpoint, requests, agent))
        })
        const { stats } = folded(events)
        const total = all.reduce((sum, { requests }) => sum + requests, 0)
        expect(stats.total_hits).toBe(total)
        expect(stats.hits_24h).toBe(total)
        expect(stats.ai_agent_hits_24h).toBe(
          all.reduce((sum, { agent, requests }) => sum + (agent === null ? 0 : requests), 0),
        )
        expect(stats.endpoints_24h.reduce((sum, { hits_24h }) => sum + hits_24h, 0)).toBe(total)
      }),
    )
  })
})
