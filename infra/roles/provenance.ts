import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { SourceFacts } from "../../ingestors/registry.ts"
import { readDdl, TABLES } from "../../processors/ddl.ts"
import { tables, tableViews } from "../../processors/registry.ts"
import type { FoldedView, View } from "../../processors/view/view.ts"
import { defaultParameters } from "../../schemas/contract/endpoint-kinds.ts"
import type { ProvenanceOf, ReadyQuery, TableColumn, TableFacts } from "../../schemas/contract/provenance.ts"
import { reliabilityId } from "../../schemas/feed.ts"
import { derivedViews } from "../history/derived-views.ts"

// What the pages show about a table: its DDL and the ready queries. The files are read with the first request.

const QUERIES = new URL("../history/queries.md", import.meta.url)

/** A ready query, and the sentence above it. */
const READY = /^(.+):\n\n```sql\n([\s\S]+?)\n```$/gm

/** The text of every page of ready queries: that of all tables, then those that stand beside a table's SQL. */
export const queryPages = (): ReadonlyArray<string> =>
  [
    QUERIES,
    ...readdirSync(TABLES)
      .sort()
      .map((table) => new URL(`${table}/queries.md`, TABLES)),
  ].flatMap((page) => (existsSync(page) ? [readFileSync(page, "utf8")] : []))

/** The ready queries of all pages, in their order. */
export const readyQueries = (): ReadonlyArray<ReadyQuery> =>
  queryPages().flatMap((page) => [...page.matchAll(READY)].map(([, title = "", sql = ""]) => ({ title, sql })))

const OBSERVED = "observed_at"
/** Columns that say where a row comes from. */
const PLACES: ReadonlyArray<string> = ["event_id", "log_offset"]

/** A query of the latest rows of a table that no ready query reads. */
const latestRows = (table: string, columns: ReadonlyArray<TableColumn>): ReadyQuery => {
  const names = columns.map(({ name }) => name)
  const time = names.includes(OBSERVED) ? OBSERVED : columns.find(({ type }) => type.startsWith("Date"))?.name
  const places = PLACES.filter((name) => names.includes(name))
  return {
    title: time === undefined ? "All rows" : "The latest rows",
    sql: [
      `SELECT *${places.length === 0 ? "" : ` EXCEPT (${places.join(", ")})`}`,
      `FROM ${table}`,
      ...(time === undefined ? [] : [`ORDER BY ${time} DESC`]),
      "LIMIT 20",
    ].join("\n"),
  }
}

/** What a page shows of a table or view: with the first ready query that reads it. */
const factsWith = (
  queries: ReadonlyArray<ReadyQuery>,
  { name, comment, columns }: Pick<TableFacts, "name" | "comment" | "columns">,
): TableFacts => {
  const reads = new RegExp(String.raw`\bFROM ${name}\b`)
  return { name, comment, columns, query: queries.find((one) => reads.test(one.sql)) ?? latestRows(name, columns) }
}

/** The facts of tables, by their names. Throws for a table whose DDL cannot be read. */
export const tableFactsOf = (names: ReadonlyArray<string>): ReadonlyArray<TableFacts> => {
  const queries = readyQueries()
  return names.map((name) => factsWith(queries, readDdl(new URL(`${name}/`, TABLES))))
}

/** The facts of every table and view that analysts see, by name. Reads files: not for every request. */
export const tableDictionary = (): ReadonlyArray<TableFacts> => {
  const queries = readyQueries()
  const defined = readdirSync(TABLES).map((name) => readDdl(new URL(`${name}/`, TABLES)))
  return [...defined, ...derivedViews.map(({ view }) => view)]
    .map((one) => factsWith(queries, one))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

const allTables = [...tables, ...tableViews]

/** The names of the tables of an endpoint: those of its own data, then those of the feeds that its view reads. */
const tableNamesOf = (path: string, feeds: ReadonlySet<string>): ReadonlyArray<string> => {
  const own = allTables.filter(({ holds }) => holds.paths.includes(path))
  const ofFeeds = allTables.filter(({ holds }) => holds.feeds.some((feed) => feeds.has(feed)))
  return [...own, ...ofFeeds].map(({ name }) => name)
}

/**
 * Whether a published change of an item precedes each change of a view's data, with the default parameters. A processor that
 * builds a view by itself may do so at any time.
 */
const changesByItems = (view: View | FoldedView): boolean =>
  view._tag === "View" &&
  !view.clock &&
  Object.values(view.reads).every(
    ({ feed, memory, instances }) =>
      memory === null &&
      // The one item of a value does not leave it.
      (feed.publishesGone || feed.list === null) &&
      instances(defaultParameters(view.endpoint)).every((one) => feed.publishesChanges(one)),
  )

/**
 * Makes what gives the provenance of an endpoint: the sources, tables and monitored ids of the feeds that its view reads;
 * no tables where this installation keeps no history. The DDL of the tables is read once, when the first provenance is asked for.
 */
export const makeProvenance = (
  views: ReadonlyArray<View | FoldedView>,
  sources: ReadonlyArray<SourceFacts>,
  keepsHistory = true,
): ProvenanceOf => {
  let facts: ReadonlyMap<string, TableFacts> | null = null
  const factsOf = (name: string): TableFacts | ReadonlyArray<never> => {
    facts ??= new Map(tableFactsOf(allTables.map((table) => table.name)).map((one) => [one.name, one]))
    return facts.get(name) ?? []
  }
  return (path) => {
    const ofPath = views.filter(({ endpoint }) => endpoint.path === path)
    const inputs = ofPath.flatMap(({ reads }) => Object.values(reads))
    const feeds = new Set(inputs.map(({ feed }) => feed.name))
    const upstreams = sources
      .filter(({ feed }) => feeds.has(feed))
      .map(({ attribution, terms }) => ({ ...attribution, terms }))
    return {
      // Several sources of one provider are one entry.
      upstreams: [...new Map(upstreams.map((one) => [JSON.stringify(one), one])).values()],
      tables: keepsHistory ? tableNamesOf(path, feeds).flatMap(factsOf) : [],
      monitored: [...new Set(inputs.flatMap(({ feed }) => feed.instances.map((one) => reliabilityId(feed, one))))],
      feeds: [...feeds],
      changesByItems: ofPath.length > 0 && ofPath.every(changesByItems),
    }
  }
}
