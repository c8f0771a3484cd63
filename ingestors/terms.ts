/** The terms under which a provider permits the use of its data. */
export interface Terms {
  /** `open`: public domain, CC0, CC BY. `provider`: a public API on its own terms. `restricted`: personal or non-commercial use. */
  readonly use: "open" | "provider" | "restricted"
  /** Whether the data may be sold. */
  readonly resale: "allowed" | "not_allowed" | "unknown"
  /** The address of the terms. */
  readonly url: string
}

/** The operator's settings about sources of restricted use. */
export interface Licensing {
  /** Whether the service sells credits, which ends restricted use. */
  readonly isSelling: boolean
  /** Names of restricted sources for which the operator holds a licence; `all` means every source. */
  readonly restrictedSources: ReadonlyArray<string>
}

/** The value of `RESTRICTED_SOURCES` that means every source. */
export const ALL_SOURCES = "all"

/** Whether a source may be polled under its terms. */
export const mayPoll = ({ isSelling, restrictedSources }: Licensing, source: string, { use }: Terms): boolean =>
  use !== "restricted" || !isSelling || restrictedSources.includes(ALL_SOURCES) || restrictedSources.includes(source)
