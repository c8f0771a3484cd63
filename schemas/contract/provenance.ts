import * as Schema from "effect/Schema"

// Where the data of an endpoint comes from, on which terms, and where its past is. Facts of ingestors and processors: the
// installation gives them to the API, which imports neither.

/** What the terms of a provider answer to a question. `unknown`: they are silent, or the clause was not looked for. */
export type Word = "yes" | "no" | "unknown"

/** The answer of a provider's terms to one question. */
export interface Answer<A = Word> {
  readonly answer: A
  /** What the clause says, in short; null where none is known. */
  readonly clause: string | null
  /** The day (ISO) on which a person read the clause at the provider. Null: not read, and reported by others at most. */
  readonly readOn: string | null
}

/** The questions that the terms of every source answer. */
export const termsQuestions = ["shown", "kept", "sold", "models"] as const
export type TermsQuestion = (typeof termsQuestions)[number]

/** The terms under which a provider permits the use of its data. */
export interface Terms {
  /**
   * For whom the provider serves. `open`: public domain, CC0, CC BY. `provider`: a public API on its own terms.
   * `restricted`: personal or non-commercial use. `consent`: only with the provider's consent, whatever it is used for.
   */
  readonly use: "open" | "provider" | "restricted" | "consent"
  /** The address of the terms. */
  readonly url: string
  /** May the data be shown to third parties? */
  readonly shown: Answer
  /** May it be kept: for ever, for this number of hours, or not at all? */
  readonly kept: Answer<Word | number>
  /** May it be sold? */
  readonly sold: Answer
  /** May it be given to language models? */
  readonly models: Answer
  /** The line that the terms require beside the data; null without one. */
  readonly credit: string | null
}

/** The provider of an endpoint's data, and its licence. */
export const AttributionEntry = Schema.Struct({
  provider: Schema.NonEmptyString,
  licence: Schema.NonEmptyString,
  url: Schema.NonEmptyString,
  credit: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "The line that its terms require beside the data" }),
  ),
}).annotate({ identifier: "Attribution" })
export type AttributionEntry = typeof AttributionEntry.Type

/** Attribution of each endpoint, by its path. Paths without an entry have no upstream. */
export type AttributionByPath = ReadonlyMap<string, ReadonlyArray<AttributionEntry>>

/** An upstream of an endpoint. */
export interface Upstream extends AttributionEntry {
  readonly terms: Terms
}

/** A column of a table of the history. */
export interface TableColumn {
  readonly name: string
  /** Its type in ClickHouse. */
  readonly type: string
  /** What it means, with its unit. */
  readonly comment: string
}

/** A query that runs as it stands. */
export interface ReadyQuery {
  readonly title: string
  readonly sql: string
}

/** A table of the history. */
export interface TableFacts {
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<TableColumn>
  /** The first ready query that reads it, else one of its latest rows. */
  readonly query: ReadyQuery
}

/** The origin of an endpoint's data, and its past. */
export interface Provenance {
  readonly upstreams: ReadonlyArray<Upstream>
  readonly tables: ReadonlyArray<TableFacts>
  /** The ids under which reliability judges the feeds that the endpoint is made of. */
  readonly monitored: ReadonlyArray<string>
  /** The names of the feeds that the endpoint is made of. */
  readonly feeds: ReadonlyArray<string>
  /**
   * Whether a published change of an item of these feeds precedes each change of the data. False where the data follows the
   * clock too, keeps a window of polls, or shows what leaves a feed or changes in one of its instances without a published
   * change.
   */
  readonly changesByItems: boolean
}

/** The provenance of an endpoint, by its path; empty for one without upstreams. Read from files: not for every request. */
export type ProvenanceOf = (path: string) => Provenance

/** The provenance of what has no upstream. */
export const noProvenance: Provenance = {
  upstreams: [],
  tables: [],
  monitored: [],
  feeds: [],
  changesByItems: false,
}

/** The part of a premium view that is not served here, as the terms of its sources are not known to allow it. */
interface WithheldPart {
  /** Names of the view's inputs. */
  readonly inputs: ReadonlySet<string>
  /** Names of the feeds that these inputs read, sorted. */
  readonly feeds: ReadonlyArray<string>
}

/** The withheld part of each premium endpoint, by its path. Paths without an entry are served whole. */
export type WithheldByPath = ReadonlyMap<string, WithheldPart>

/** The note of a part that is withheld. */
export const WITHHELD_NOTE = "Withheld: the terms of a source of this data are not known to allow it in this reply."

/** The names in `_meta.sources` of sources whose data may not be given to language models, by the path that serves it. */
export type ModelsClosedByPath = ReadonlyMap<string, ReadonlySet<string>>
