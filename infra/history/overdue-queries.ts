import * as Effect from "effect/Effect"
import { Counter } from "prom-client"
import { ANALYST } from "./engine-config.ts"
import { askEngine, type EngineUser } from "./engine-process.ts"

/**
 * ClickHouse looks at the time limit of a query between two blocks of rows only. A block of costly function calls can hold
 * its cores for hours, also after its client has gone and after `KILL QUERY`. Only the end of the process ends such a query.
 */

const POLL_EVERY_MS = 2_000
const ANSWER_MS_MAX = 5_000
/** A query that runs for this many times its limit is overdue. */
const OVERDUE_FACTOR = 2

const overdue = new Counter({
  name: "tidewire_history_overdue_queries_total",
  help: "Queries of analysts that outlived twice their time limit, so that the embedded ClickHouse was ended and restarted",
})

/** Gives the seconds until a query of an analyst is overdue, of the first one; nothing if none runs. */
const secondsLeftSql = (querySeconds: number) => `
  SELECT min(${OVERDUE_FACTOR} * if(limit > 0, limit, ${querySeconds}) - elapsed)
  FROM (SELECT elapsed, toFloat64OrZero(Settings['max_execution_time']) AS limit FROM system.processes WHERE user = '${ANALYST}')
  HAVING count() > 0
  FORMAT TabSeparated`

/**
 * Waits until a query of an analyst is overdue in the engine, and gives the problem. The engine is given at least
 * `OVERDUE_FACTOR` times the analysts' limit, `querySeconds`, after its start: queries with lower limits of their own cannot
 * end one engine after the other.
 */
export const awaitOverdueQuery = Effect.fnUntraced(function* (url: string, writer: EngineUser, querySeconds: number) {
  const sql = secondsLeftSql(querySeconds)
  const notBeforeMs = performance.now() + OVERDUE_FACTOR * querySeconds * 1_000
  let deadlineMs = Number.POSITIVE_INFINITY
  while (performance.now() < Math.max(deadlineMs, notBeforeMs)) {
    yield* Effect.sleep(POLL_EVERY_MS)
    const answer = yield* Effect.promise(() => askEngine(url, writer, sql, ANSWER_MS_MAX))
    // An engine that does not answer keeps its deadline: the query may be what keeps it from answering.
    if (answer === null) continue
    const left = answer.trim()
    deadlineMs = left === "" ? Number.POSITIVE_INFINITY : performance.now() + Number(left) * 1_000
  }
  overdue.inc()
  return `a query of an analyst ran longer than ${OVERDUE_FACTOR} times its time limit`
})
