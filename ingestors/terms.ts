/** On which terms a provider lets its data be used. */
export interface Terms {
  /** `open`: public domain, CC0, CC BY. `provider`: a public API on its own terms. `restricted`: personal or non-commercial use. */
  readonly use: "open" | "provider" | "restricted"
  /** Whether the data may be part of what is sold. */
  readonly resale: "allowed" | "not_allowed" | "unknown"
  /** Where the terms stand. */
  readonly url: string
}

/** What an operator has decided about sources of restricted use. */
export interface Licensing {
  /** Whether the service sells anything: restricted use ends there. */
  readonly isSelling: boolean
  /** Restricted sources that the operator holds a licence for, by their names; `all` stands for every source. */
  readonly restrictedSources: ReadonlyArray<string>
}

/** Stands in `RESTRICTED_SOURCES` for every source. */
export const ALL_SOURCES = "all"

/** Whether a source on these terms may be polled. */
export const mayPoll = ({ isSelling, restrictedSources }: Licensing, source: string, { use }: Terms): boolean =>
  use !== "restricted" || !isSelling || restrictedSources.includes(ALL_SOURCES) || restrictedSources.includes(source)
