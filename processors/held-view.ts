import type { TableColumn } from "../schemas/contract/provenance.ts"
import type { Feed } from "../schemas/feed.ts"
import type { Ddl } from "./ddl.ts"
import { type DerivedView, derivedView, quoted } from "./derived-view.ts"

/** What a table of a series declares of its view `<table>_held`; the rest follows from its DDL and its feed. */
export interface HeldDeclaration {
  /** The columns that identify a thing. By default those of the view `<table>_now`, without `newest`. */
  readonly thing?: ReadonlyArray<string>
  /** The column of the day that a value is for, where one poll brings several days: only values of the newest known day count. */
  readonly newest?: string
  /** A condition, in SQL, on the rows that belong to the series; all of them unless given. */
  readonly among?: string
  /** The column that holds a parameter of the instance, where it has another name. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** The part of a feed that says which verdict is about a row. */
type JudgedFeed = Pick<Feed, "name" | "judgedAs" | "instances">

/** The table of verdicts, which says when a feed was observed. */
export const VERDICTS = "feed_probes"

/** The columns that a view adds to those of its table. */
const ADDED: ReadonlyArray<TableColumn> = [
  {
    name: "held_from",
    type: "DateTime64(3, 'UTC')",
    comment:
      "From when on these values were observed: observed_at, or the first good poll after a gap in which nothing was observed",
  },
  {
    name: "held_until",
    type: "Nullable(DateTime64(3, 'UTC'))",
    comment:
      "Until when they were observed to hold: next_at where no gap lies before it, else the last good poll that feed_probes knows, to five minutes; NULL where it has no verdicts of then, as of a place asked for on request or before it was cut",
  },
  {
    name: "next_at",
    type: "Nullable(DateTime64(3, 'UTC'))",
    comment:
      "When the next observation came: other values, the same ones after a gap (a row of its own, from then on), or the departure from the list; NULL where there is none yet. Between held_until and next_at these values are the last known, and nothing was observed",
  },
]

/**
 * How far apart two verdicts, or a poll and a verdict, lie at the most where nothing is missing: five minutes, and one for the
 * tick of the clock that makes the verdict.
 */
const ADJACENT = "toIntervalMinute(6)"

/** An instant before all others, and one after them. */
const NEVER = "toDateTime64(0, 3, 'UTC')"
const ALWAYS = "toDateTime64('2200-01-01 00:00:00', 3, 'UTC')"

/** The name of the instance that a row is of, as in `feed_probes.instance`; empty where it is none that is polled on schedule. */
const instanceOf = (feeds: ReadonlyArray<JudgedFeed>, columnOf: Readonly<Record<string, string>>): string => {
  const [feed, ...others] = feeds
  if (feed === undefined) throw new TypeError("a series needs a feed")
  // Of several feeds, each is one instance, whose name stands in the row.
  if (others.length > 0) return "toString(feed)"
  const parameters = Object.keys(feed.instances[0] ?? {}).sort()
  if (parameters.length === 0) return quoted(feed.name)
  const values = (column: string): string => `toString(${columnOf[column] ?? column})`
  if (feed.judgedAs === "each")
    return `concat(${quoted(`${feed.name}?`)}, ${parameters
      .map((one, index) => `${quoted(`${index === 0 ? "" : "&"}${one}=`)}, ${values(one)}`)
      .join(", ")})`
  const polled = feed.instances.map((one) => `(${parameters.map((name) => quoted(one[name] ?? "")).join(", ")})`)
  return `if((${parameters.map(values).join(", ")}) IN (${polled.join(", ")}), ${quoted(feed.name)}, '')`
}

/**
 * The spans of time in which instances were observed without a gap, numbered from 2: from the first good poll to the last one
 * (`seen`), with the last verdict that still called it fresh (`fresh`). Number 1 begins before the first verdict of all and
 * covers nothing, so that a row without a number is from before any verdict.
 */
const spansOf = (feeds: ReadonlyArray<JudgedFeed>): string => {
  const verdicts = `FROM ${VERDICTS} WHERE feed IN (${feeds.map(({ name }) => quoted(name)).join(", ")})`
  const good = "subtractMilliseconds(probed_at, ifNull(age_ms, 0))"
  return `SELECT toString(instance) AS instance, begun, seen, fresh,
        row_number() OVER (PARTITION BY instance ORDER BY begun) AS number,
        leadInFrame(toNullable(begun)) OVER (PARTITION BY instance ORDER BY begun ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS following
    FROM (
        SELECT instance, min(good) AS begun, max(good) AS seen, max(probed_at) AS fresh
        FROM (
            SELECT instance, probed_at, good, sum(good > before + ${ADJACENT}) OVER (PARTITION BY instance ORDER BY probed_at ROWS UNBOUNDED PRECEDING) AS gaps
            FROM (
                SELECT instance, probed_at, ${good} AS good,
                    lagInFrame(probed_at) OVER (PARTITION BY feed, instance ORDER BY probed_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
                ${verdicts} AND verdict = 'ok'
            )
        )
        GROUP BY instance, gaps
        UNION ALL
        SELECT instance, min(${good}) - toIntervalMillisecond(1), ${NEVER}, ${NEVER} ${verdicts} GROUP BY instance
    )`
}

/** The rows of a series, each with its instance and with the time of the next row of its thing. */
const rowsOf = (
  { name }: Ddl,
  columns: ReadonlyArray<string>,
  thing: ReadonlyArray<string>,
  { newest, among, parameters = {} }: HeldDeclaration,
  feeds: ReadonlyArray<JudgedFeed>,
): string => {
  const partition = thing.length === 0 ? "" : `PARTITION BY ${thing.join(", ")} `
  const order = `ORDER BY observed_at, ${newest === undefined ? "" : `${newest}, `}log_offset`
  const window = (rows: string): string => `OVER (${partition}${order} ROWS BETWEEN ${rows})`
  const of = among === undefined ? name : `(SELECT * FROM ${name} WHERE ${among})`
  const from =
    newest === undefined
      ? of
      : `(SELECT *, max(${newest}) ${window("UNBOUNDED PRECEDING AND CURRENT ROW")} AS held_newest FROM ${of})
            WHERE ${newest} = held_newest`
  return `SELECT ${columns.join(", ")}, ${instanceOf(feeds, parameters)} AS held_instance,
                leadInFrame(toNullable(observed_at)) ${window("CURRENT ROW AND 1 FOLLOWING")} AS held_next
            FROM ${from}`
}

/**
 * The view `<table>_held` of a table whose rows are values that stand until the next one: when each was observed to hold. A
 * row of the table is one row, and one more for each gap in the verdicts on its feed after which the same value was seen
 * again. The rows of a thing are found by the key of the table; what they cost beside that are the verdicts on the feed.
 */
export const heldView = (
  ddl: Ddl,
  feeds: ReadonlyArray<JudgedFeed>,
  declaration: HeldDeclaration & {
    /** What holds now of the table: its things, and the condition that a row stands. */
    readonly identity: ReadonlyArray<string>
    readonly stands: string | null
  },
): DerivedView => {
  const { newest, identity, among } = declaration
  const thing = declaration.thing ?? identity.filter((column) => column !== newest)
  // A condition on the rows of a series, as that of a period, is no withdrawal.
  const stands = among === undefined ? declaration.stands : null
  const shown = ddl.columns.filter(
    ({ name }) => name !== "log_offset" && name !== stands && ![...ddl.aliases.values()].includes(name),
  )
  const columns = shown.map(({ name }) => name)
  const read = [...new Set([...columns, ...(stands === null ? [] : [stands]), "observed_at"])]
  const about = thing.length === 0 ? "of it all" : `of each ${thing.join(", ")}`
  const comment = `When each value was observed to hold, ${about}: one row for each span without a gap, by feed_probes. Of ${ddl.name}: ${ddl.comment}`
  const select = `WITH spans AS (
    ${spansOf(feeds)}
)
SELECT ${columns.join(", ")}, held_from, held_until, next_at
FROM (
    SELECT ${read.join(", ")},
        held_number = held_first AS is_row,
        if(is_row, observed_at, assumeNotNull(span.begun)) AS held_from,
        NOT is_row OR observed_at <= ifNull(span.fresh, ${NEVER}) + ${ADJACENT} AS is_seen,
        multiIf(
            held_next <= if(is_seen, greatest(held_from, assumeNotNull(span.fresh)), held_from) + ${ADJACENT}, held_next,
            is_row AND held_first = 0, NULL,
            is_seen, greatest(held_from, assumeNotNull(span.seen)),
            held_from
        ) AS held_until,
        if(greatest(held_number, 1) < held_last, span.following, held_next) AS next_at
    FROM (
        SELECT ${read.join(", ")}, held_instance, held_next,
            ifNull(first.number, 0) AS held_first, ifNull(last.number, 0) AS held_last,
            arrayJoin(arrayFilter(one -> one != 1 OR held_first = 1, range(held_first, greatest(held_first, held_last) + 1))) AS held_number
        FROM (
            ${rowsOf(ddl, read, thing, declaration, feeds)}
        ) AS value
        ASOF LEFT JOIN spans AS first ON first.instance = value.held_instance AND first.begun <= value.observed_at + ${ADJACENT}
        ASOF LEFT JOIN spans AS last ON last.instance = value.held_instance
            AND last.begun < ifNull(value.held_next, ${ALWAYS})${newest === undefined ? "" : "\n        WHERE held_next IS NULL OR held_next > observed_at"}
    ) AS part
    LEFT JOIN spans AS span ON span.instance = part.held_instance AND span.number = greatest(part.held_number, 1)
)${stands === null ? "" : `\nWHERE ${stands}`}`
  return derivedView({ name: `${ddl.name}_held`, comment, columns: [...shown, ...ADDED] }, select)
}
