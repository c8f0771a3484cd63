/** The terms under which a provider permits the use of its data. */
export interface Terms {
  /** `open`: public domain, CC0, CC BY. `provider`: a public API on its own terms. `restricted`: personal or non-commercial use. */
  readonly use: "open" | "provider" | "restricted"
  /** Whether the data may be sold. */
  readonly resale: "allowed" | "not_allowed" | "unknown"
  /** The address of the terms. */
  readonly url: string
}

/** The operator's settings about sources of restricted use, and about data that may not be sold. */
export interface Licensing {
  /** Whether the service sells credits, which ends restricted use. */
  readonly isSelling: boolean
  /** Names of restricted sources for which the operator holds a licence; `all` means every source. */
  readonly restrictedSources: ReadonlyArray<string>
  /** Names of sources whose data the operator may sell beyond their public terms; `all` means every source. */
  readonly resaleSources: ReadonlyArray<string>
}

/** The value of `RESTRICTED_SOURCES` and `RESALE_SOURCES` that means every source. */
export const ALL_SOURCES = "all"

const names = (sources: ReadonlyArray<string>, source: string): boolean =>
  sources.includes(ALL_SOURCES) || sources.includes(source)

/** Whether a source may be polled under its terms. */
export const mayPoll = ({ isSelling, restrictedSources }: Licensing, source: string, { use }: Terms): boolean =>
  use !== "restricted" || !isSelling || names(restrictedSources, source)

/** Whether premium replies may hold the data of a source under its terms. */
export const maySell = ({ isSelling, resaleSources }: Licensing, source: string, { resale }: Terms): boolean =>
  resale !== "not_allowed" || !isSelling || names(resaleSources, source)
