/** How far one stage of a long command has come. */
export interface Stage {
  /** So much more has been done, in the unit of the stage. */
  readonly advance: (amount: number) => void
}

/** Shows how far a long command has come. The next stage ends the one before. */
export interface Progress {
  /** Begins a stage. `total` is null where it is not known beforehand. */
  readonly begin: (stage: string, total: number | null, unit: string) => Stage
}

/** Shows nothing. */
export const noProgress: Progress = { begin: () => ({ advance: () => {} }) }
