import { beforeAll, describe, expect, it } from "vitest"
import type { HttpFailed } from "../../ingestors/http-client.port.ts"
import { sources } from "../../ingestors/registry.ts"
import type { Source } from "../../ingestors/source.ts"
import type { Fault } from "../world/faults.ts"
import { type FaultStage, faultStage } from "./support/fault-stage.ts"

// Every source under every fault, in one process and on a virtual clock: what a caller of its views sees.

type Reason = HttpFailed["reason"] | "upstream_error" | "key_refused" | "undecodable"

const unusable: ReadonlyArray<Reason> = ["undecodable", "upstream_error"]
const RETRY_AFTER_SECONDS = 120

/** Faults after which nothing usable comes, and the reasons that callers may see. */
const breaking: ReadonlyArray<readonly [Omit<Fault, "host">, (source: Source) => ReadonlyArray<Reason>]> = [
  [{ kind: "server-error" }, () => ["status"]],
  // Longer than any document may take.
  [{ kind: "latency", amount: 60_000 }, () => ["timeout"]],
  [{ kind: "cut-body" }, () => ["unreachable"]],
  [{ kind: "reset" }, () => ["unreachable"]],
  [{ kind: "huge-body" }, () => ["too_large"]],
  [{ kind: "redirect" }, () => ["redirect"]],
  [{ kind: "wrong-type" }, () => unusable],
  [{ kind: "not-json" }, () => unusable],
  [{ kind: "no-body" }, () => unusable],
  [{ kind: "rate-limited", amount: RETRY_AFTER_SECONDS }, () => ["rate_limited"]],
  // Without a key there is none that could be refused.
  [{ kind: "unauthorized" }, ({ key }) => [key === null || key.optional ? "status" : "key_refused"]],
]

/** Faults that still produce a response: a source that only probes its hosts and reads no document counts it as good. */
const isHarmless = ({ documents }: Source, { kind }: Omit<Fault, "host">): boolean =>
  Object.keys(documents).length === 0 && kind !== "latency" && kind !== "reset"

/** What no reply may hold: control, direction and zero-width characters, the great length of the hostile text. */
const HOSTILE = /\\u0000|\\u0007|\u202e|\u200b|\ufeff|A{4000}/

/** The number of what is listed is rightly 0 where nothing is. */
const COUNTED = /count|total/i

/** Other numbers of a whole answer's payload that are 0 in that of an emptied answer: what is unknown is null. */
const zeroed = (whole: unknown, emptied: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof whole === "number") return whole !== 0 && emptied === 0 && !COUNTED.test(path) ? [path] : []
  if (typeof whole !== "object" || whole === null || typeof emptied !== "object" || emptied === null) return []
  return Object.entries(emptied).flatMap(([name, value]) =>
    zeroed((whole as Readonly<Record<string, unknown>>)[name], value, `${path}/${name}`),
  )
}

const own = (stage: FaultStage, { meta }: ReturnType<FaultStage["replies"]>[number]) =>
  meta.sources.filter(({ name }) => stage.providers.has(name))

/** The last good data is shown, and `_meta` says since when, until when, and why there is none since. */
const expectLastGood = (stage: FaultStage, goodAtMs: number, reasons: ReadonlyArray<string>): void => {
  const replies = stage.replies()
  expect(replies.map(({ data }) => data)).toEqual(stage.expected())
  for (const reply of replies) {
    const { meta, path } = reply
    expect(Date.parse(meta.as_of ?? ""), path).toBeLessThanOrEqual(goodAtMs)
    expect(meta.stale, path).toBe(Date.parse(meta.stale_after ?? "") <= stage.nowMs())
    const failing = own(stage, reply).filter(({ status }) => status === "error" || status === "stale")
    expect(failing.length, path).toBeGreaterThan(0)
    for (const { reason, fetched_at } of failing) {
      expect(reasons, path).toContain(reason?.split(":")[0])
      expect(Date.parse(fetched_at ?? "")).toBeLessThanOrEqual(goodAtMs)
    }
  }
}

const expectHealthy = (stage: FaultStage): void => {
  const replies = stage.replies()
  expect(replies.map(({ data }) => data)).toEqual(stage.expected())
  for (const reply of replies)
    for (const { status, fetched_at, reason } of own(stage, reply).filter((one) => one.status !== null)) {
      expect([status, reason], reply.path).toEqual(["live", undefined])
      expect(Date.parse(fetched_at ?? "")).toBeLessThanOrEqual(stage.nowMs())
    }
}

/** Waits, without a poll, until all that is shown has outlived its promise. */
const outlive = (stage: FaultStage): void =>
  stage.wait(Math.max(...stage.replies().map(({ meta }) => Date.parse(meta.stale_after ?? "") + 1)))

describe.each(sources.map((source) => ({ name: source.name, source })))("$name", ({ source }) => {
  let stage: FaultStage
  beforeAll(async () => {
    stage = await faultStage(source)
  })

  it("is shown by a view", () => {
    expect(stage.replies().length).toBeGreaterThan(0)
    expectHealthy(stage)
  })

  it.each(breaking)("%o: the last good data stays, with a true _meta, and heals", async (fault, reasonsOf) => {
    const goodAtMs = stage.nowMs()
    stage.fault(fault)
    const polled = await stage.poll(stage.everyMs)
    if (isHarmless(source, fault)) {
      expectHealthy(stage)
      return stage.fault(null)
    }
    const reasons = reasonsOf(source)
    for (const { report } of polled) {
      expect(report.outcome._tag).toBe("Failure")
      if (report.outcome._tag === "Failure") expect(report.outcome.bug).toBeNull()
    }
    expectLastGood(stage, goodAtMs, reasons)
    if (fault.kind === "rate-limited")
      expect(stage.dueMs()).toBeGreaterThanOrEqual(stage.nowMs() + RETRY_AFTER_SECONDS * 1000)
    outlive(stage)
    expectLastGood(stage, goodAtMs, reasons)
    for (const { meta, path } of stage.replies()) expect(meta.stale, path).toBe(true)
    stage.fault(null)
    await stage.heal()
    expectHealthy(stage)
  })

  it("a wrong content type is not looked at", async () => {
    stage.fault({ kind: "wrong-content-type" })
    await stage.poll(stage.everyMs)
    expectHealthy(stage)
    stage.fault(null)
  })

  it("an answer that holds nothing is refused, or shown as what it is: nothing, never zero", async () => {
    const goodAtMs = stage.nowMs()
    stage.fault({ kind: "empty" })
    for (const { instance, report } of await stage.poll(stage.everyMs)) {
      if (report.outcome._tag === "Failure") {
        expect(report.outcome.bug).toBeNull()
        expectLastGood(stage, goodAtMs, unusable)
        continue
      }
      const { report: clean } = await stage.cleanPoll(instance)
      if (report.outcome._tag !== "Success" || clean.outcome._tag !== "Success")
        throw new Error(`no payload: ${report.outcome._tag}, ${clean.outcome._tag}`)
      const { payload } = report.outcome
      const isEmpty = source.fills.items(payload).length === 0
      expect(isEmpty && source.fills.list?.mayBeEmpty !== true).toBe(false)
      expect(zeroed(clean.outcome.payload, payload)).toEqual([])
    }
    stage.fault(null)
    await stage.heal()
    expectHealthy(stage)
  })

  it("frozen content goes stale once its own time is older than the promise", async () => {
    const [before] = stage.replies()
    stage.fault({ kind: "frozen" })
    const promises = source.fills.instances.map((parameters) => source.fills.contentAgeMaxMs(parameters) ?? 0)
    const polled = await stage.poll(Math.max(...promises) + stage.everyMs)
    expect(before).toBeDefined()
    const dated = polled.filter(
      ({ instance, recorded }) =>
        recorded.checkpoint.last?.contentAt != null && source.fills.contentAgeMaxMs(instance.parameters) !== null,
    )
    const reports = polled.map(({ report }) => report.outcome._tag)
    // An answer that is too old may be refused as well: the data is then that of the last good one.
    if (dated.length === polled.length && !reports.includes("Failure"))
      for (const { meta, path } of stage.replies()) expect(meta.stale, path).toBe(true)
    else expect(stage.replies().map(({ data }) => data)).toEqual(stage.expected())
    stage.fault(null)
    await stage.heal()
    expectHealthy(stage)
  })

  it("a time in the future is never shown as that of the content, nor renews its promise", async () => {
    stage.fault({ kind: "future", amount: 2 })
    for (const { recorded } of await stage.poll(stage.everyMs)) {
      const contentAt = recorded.checkpoint.last?.contentAt ?? null
      if (contentAt !== null) expect(Date.parse(contentAt)).toBeLessThanOrEqual(stage.nowMs())
    }
    expect(stage.replies().map(({ data }) => data)).toEqual(stage.expected())
    for (const { meta } of stage.replies()) expect(Date.parse(meta.as_of ?? "")).toBeLessThanOrEqual(stage.nowMs())
    stage.fault(null)
    await stage.heal()
    expectHealthy(stage)
  })

  it("nothing of a hostile text reaches a caller", async () => {
    stage.fault({ kind: "hostile-text" })
    await stage.poll(stage.everyMs)
    for (const { text } of stage.replies()) expect(text).not.toMatch(HOSTILE)
    stage.fault(null)
    await stage.heal()
    expectHealthy(stage)
  })
})
