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
