// What the page of a feed draws of its data, beside the history of its headline and the map of its marks, which follow from those.

/** One bar of a ranking. */
interface Bar {
  readonly label: string
  readonly value: number
  /** What else is to know of it; absent where nothing is. */
  readonly note?: string
}

/** One thing with a state of its own. */
interface Cell {
  readonly label: string
  /** Its look, which the words repeat: colour is never the only sign. */
  readonly state: "good" | "warn" | "bad" | "missed"
  readonly words: string
}

/** A point of a line; null where nothing is known. */
interface SeriesPoint {
  /** An ISO instant. */
  readonly at: string
  readonly value: number | null
}

/** A drawing of data, each of which has a form that is text as well. */
export type Plot =
  | {
      readonly kind: "ranking"
      readonly title: string
      readonly unit: string | null
      readonly bars: ReadonlyArray<Bar>
    }
  | { readonly kind: "states"; readonly title: string; readonly cells: ReadonlyArray<Cell> }
  | {
      readonly kind: "series"
      readonly title: string
      readonly unit: string | null
      readonly points: ReadonlyArray<SeriesPoint>
    }

/** Bars of a ranking, and cells of states, at most. */
export const PLOT_ROWS_MAX = 25

/** A ranking in the order of its bars, those without a value left out. */
export const ranking = (
  title: string,
  unit: string | null,
  bars: ReadonlyArray<Omit<Bar, "value"> & { readonly value: number | null }>,
): Plot => ({
  kind: "ranking",
  title,
  unit,
  bars: bars.flatMap(({ value, ...bar }) => (value === null ? [] : [{ ...bar, value }])).slice(0, PLOT_ROWS_MAX),
})

/** States side by side. */
export const states = (title: string, cells: ReadonlyArray<Cell>): Plot => ({
  kind: "states",
  title,
  cells: cells.slice(0, PLOT_ROWS_MAX),
})
