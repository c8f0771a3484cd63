import * as Result from "effect/Result"
import { closest } from "fastest-levenshtein"
import type { KeptHistory } from "../../processors/history/keeper.ts"
import { tables, tableViews } from "../../processors/registry.ts"
import { ARCHIVE, archivedTopics } from "../../processors/tables/events/table.ts"
import { HISTORY_DAYS_MAX } from "../../schemas/endpoints/pro-feed-reliability-history.ts"
import { feeds } from "../../schemas/registry.ts"
import { topicPolicy } from "../../schemas/topics.ts"
import { settingTable } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"

const DAYS_MIN = 2

type Keeping = Pick<Settings, "keepHistory" | "keepDays">

/** The days that the service itself needs of a table, and what for. */
const needOf = (table: string, keepDays: Keeping["keepDays"]): { readonly days: number; readonly why: string } => {
  const ofTopic = (topic: Parameters<typeof topicPolicy>[0]): number => {
    const policy = topicPolicy(topic, keepDays ?? {})
    return "keptDays" in policy ? policy.keptDays : 0
  }
  const needs: Readonly<Record<string, { readonly days: number; readonly why: string }>> = {
    feed_probes: { days: HISTORY_DAYS_MAX + 1, why: "/api/pro/feed-reliability/history reads a year" },
    view_versions: { days: ofTopic("versions") + 1, why: "the log keeps versions as long" },
    [ARCHIVE]: { days: Math.max(...archivedTopics.map(ofTopic)) + 1, why: "the log keeps events as long" },
  }
  const need = needs[table] ?? { days: 0, why: "" }
  return need.days < DAYS_MIN ? { days: DAYS_MIN, why: "less would drop what has just come" } : need
}

/** Tables of the ledger are kept for ever, as it is. */
const isOfLedger = (name: string): boolean => tables.some((table) => table.name === name && table.topic === "ledger")

/** The tables that a name stands for; or why it stands for none. */
const tablesNamed = (name: string): Result.Result<ReadonlyArray<string>, string> => {
  if (isOfLedger(name)) return Result.fail(`${name} is of the ledger, which is kept for ever`)
  if (name === ARCHIVE || tables.some((table) => table.name === name)) return Result.succeed([name])
  const view = tableViews.find((one) => one.name === name)
  if (view !== undefined) return Result.fail(`${name} has no rows of its own: name ${view.over.name}`)
  const holding = tables.filter(({ holds }) => holds.feeds.includes(name))
  const own = holding.filter(({ holds }) => holds.feeds.length === 1)
  if (own.length > 0) return Result.succeed(own.map((table) => table.name))
  if (holding.length > 0)
    return Result.fail(
      `the items of ${name} stand in ${holding.map((table) => table.name).join(", ")}, with those of other feeds: name the table`,
    )
  if (feeds.has(name)) return Result.fail(`the feed ${name} has no table of its own`)
  const known = [ARCHIVE, ...tables.map((table) => table.name), ...feeds.keys()]
  return Result.fail(`there is no table and no feed ${name}; the nearest is ${closest(name, known)}`)
}

/**
 * How long each table is kept, from the settings; or what is wrong with them, one sentence each. A number alone is for every table
 * that is not named, but for those of the ledger and the archive, of which everything else can be made anew.
 */
export const keptHistoryOf = ({
  keepHistory,
  keepDays,
}: Keeping): Result.Result<KeptHistory, ReadonlyArray<string>> => {
  if (keepHistory === null) return Result.succeed(new Map())
  const problems: Array<string> = []
  const kept = new Map<string, number>()
  const keep = (table: string, days: number, isNamed: boolean) => {
    const need = needOf(table, keepDays)
    if (days < need.days)
      problems.push(
        isNamed
          ? `${table} needs ${need.days} days at least: ${need.why}`
          : `${table} needs ${need.days} days at least: ${need.why}; name it beside the number (${table}=${need.days})`,
      )
    kept.set(table, days)
  }
  for (const [name, days] of Object.entries(keepHistory.named)) {
    const named = tablesNamed(name)
    if (Result.isFailure(named)) problems.push(named.failure)
    else
      for (const table of named.success)
        if (kept.has(table)) problems.push(`names ${table} twice: as a table, and by its feed`)
        else keep(table, days, true)
  }
  const { others } = keepHistory
  if (others !== null)
    for (const { name } of tables) if (!kept.has(name) && !isOfLedger(name)) keep(name, others, false)
  return problems.length === 0
    ? Result.succeed(kept)
    : Result.fail(problems.map((problem) => `${settingTable.keepHistory.name}: ${problem}`))
}
