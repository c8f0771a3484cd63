/** The progress of one stage of a long command. */
export interface Stage {
  /** Adds progress, in the unit of the stage. */
  readonly advance: (amount: number) => void
}

/** Shows the progress of a long command. The next stage ends the one before. */
export interface Progress {
  /** Begins a stage. `total` is null if it is unknown. */
  readonly begin: (stage: string, total: number | null, unit: string) => Stage
}

/** Shows nothing. */
export const noProgress: Progress = { begin: () => ({ advance: () => {} }) }
