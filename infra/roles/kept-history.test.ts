import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { tables } from "../../processors/registry.ts"
import { loadSettings } from "../config/settings.ts"
import { keptHistoryOf } from "./kept-history.ts"

/** What settings keep, or the sentences with which they are refused. */
const keptBy = (KEEP_HISTORY: string, others: Readonly<Record<string, string>> = {}) => {
  const settings = loadSettings({ KEEP_HISTORY, ...others })
  if (Result.isFailure(settings)) return settings.failure.map(({ message }) => message)
  const kept = keptHistoryOf(settings.success)
  return Result.isFailure(kept) ? kept.failure : kept.success
}

describe("KEEP_HISTORY", () => {
  it("keeps everything for ever where it is absent", () => {
    expect(keptBy("")).toEqual(new Map())
  })

  it("takes tables by their names and by those of their feeds", () => {
    expect(keptBy("view_versions=90, earthquakes=3650,trade-halts=40")).toEqual(
      new Map([
        ["view_versions", 90],
        ["earthquakes", 3650],
        ["trade_halts", 40],
      ]),
    )
  })

  it("takes a number for every other table, but neither for the ledger's nor for the archive", () => {
    const kept = keptBy("400,view_versions=90")
    if (!(kept instanceof Map)) throw new Error(String(kept))
    const others = tables.map(({ name }) => name).filter((name) => !["credit_entries", "purchases"].includes(name))
    expect([...kept.keys()].toSorted()).toEqual(others.toSorted())
    expect([kept.get("view_versions"), kept.get("item_changes"), kept.get("events")]).toEqual([90, 400, undefined])
  })

  it("cuts the archive where it is named", () => {
    expect(keptBy("events=60")).toEqual(new Map([["events", 60]]))
  })

  it.each([
    ["quakes=90", ["KEEP_HISTORY: there is no table and no feed quakes; the nearest is"]],
    ["purchases=4000", ["KEEP_HISTORY: purchases is of the ledger, which is kept for ever"]],
    ["feed_reliability_daily=400", ["KEEP_HISTORY: feed_reliability_daily has no rows of its own: name feed_probes"]],
    ["trade-halts=40,trade_halts=50", ["KEEP_HISTORY: names trade_halts twice: as a table, and by its feed"]],
    ["exposure-scan=40", ["KEEP_HISTORY: the feed exposure-scan has no table of its own"]],
    [
      "90",
      [
        "KEEP_HISTORY: feed_probes needs 366 days at least: /api/pro/feed-reliability/history reads a year; name it beside the number (feed_probes=366)",
      ],
    ],
    ["events=20,feed_probes=9", ["KEEP_HISTORY: events needs 31 days at least", "KEEP_HISTORY: feed_probes needs 366"]],
    ["view_versions=90,view_versions=91", ["KEEP_HISTORY: names view_versions twice"]],
    ["400,500", ["KEEP_HISTORY: has two numbers without a name"]],
    ["1", ["KEEP_HISTORY: must be days, or name=days, comma separated, of 2 to 36500 days"]],
    ["view_versions=1", ["KEEP_HISTORY: must be days"]],
    ["view_versions=40000", ["KEEP_HISTORY: must be days"]],
    ["view_versions", ["KEEP_HISTORY: must be days"]],
    ["view_versions=9.5", ["KEEP_HISTORY: must be days"]],
    ["400,", ["KEEP_HISTORY: must be days"]],
    ["=400", ["KEEP_HISTORY: must be days"]],
  ])("is refused as %s", (given, sentences) => {
    expect(keptBy(given)).toEqual(sentences.map((sentence) => expect.stringContaining(sentence)))
  })

  it("needs of a table what the log keeps of its topic", () => {
    expect(keptBy("view_versions=5", { KEEP_DAYS: "versions=7" })).toEqual([
      "KEEP_HISTORY: view_versions needs 8 days at least: the log keeps versions as long",
    ])
    expect(keptBy("events=60", { KEEP_DAYS: "observations=100" })).toEqual([
      "KEEP_HISTORY: events needs 101 days at least: the log keeps events as long",
    ])
  })
})
