import { dayOf } from "../day.ts"

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

/** A point of a series; null where nothing is known. */
export interface SeriesPoint {
  /** When it happened or was measured, not when it became known: an ISO instant, or a day. */
  readonly at: string
  readonly value: number | null
  /** What else is to know of it; absent where nothing is. */
  readonly note?: string
  /** The look of its bar, which the note repeats: colour is never the only sign. */
  readonly state?: Cell["state"]
}

/** A row of a matrix: a value for each column, null where none is known. */
interface MatrixRow {
  readonly label: string
  readonly values: ReadonlyArray<number | null>
}

/** A drawing of data, each of which has a form that is text as well. */
export type Plot =
  | {
      readonly kind: "ranking"
      readonly title: string
      readonly unit: string | null
      readonly bars: ReadonlyArray<Bar>
    }
  | {
      readonly kind: "matrix"
      readonly title: string
      readonly unit: string | null
      /** What the rows are. */
      readonly of: string
      readonly columns: ReadonlyArray<string>
      readonly rows: ReadonlyArray<MatrixRow>
      /** What an empty cell means, and what else is to know. */
      readonly note: string
      /** Whether values are coloured by their size and sign; those of different sizes by nature are not. */
      readonly isColoured: boolean
    }
  | { readonly kind: "states"; readonly title: string; readonly cells: ReadonlyArray<Cell> }
  | {
      readonly kind: "series"
      readonly title: string
      readonly unit: string | null
      /** The oldest first, at equal steps. */
      readonly points: ReadonlyArray<SeriesPoint>
      /** Amounts from 0 up to the top of the picture: `most`, or the largest one. A line through the values unless given. */
      readonly bars?: { readonly most?: number }
    }

/** Points of a series at most, the newest. */
export const PLOT_POINTS_MAX = 120

/** Bars of a ranking, cells of states, and rows of a matrix, at most. */
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

/** A line through the values of points, the oldest first; fewer than two of them are drawn as nothing. */
export const lineSeries = (title: string, unit: string | null, points: ReadonlyArray<SeriesPoint>): Plot => ({
  kind: "series",
  title,
  unit,
  points: points.slice(-PLOT_POINTS_MAX),
})

/** Bars of the amounts of points, the oldest first. */
export const barSeries = (
  title: string,
  unit: string | null,
  points: ReadonlyArray<SeriesPoint>,
  bars: { readonly most?: number } = {},
): Plot => ({ kind: "series", title, unit, points: points.slice(-PLOT_POINTS_MAX), bars })

/** The numbers of months, each by its first day, the oldest first; null for a month without one between two others. */
export const monthlyPoints = (
  numbers: ReadonlyArray<{ readonly date: string; readonly value: number }>,
): ReadonlyArray<SeriesPoint> => {
  const monthOf = (date: string): number => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1
  const known = new Map(numbers.slice(-PLOT_POINTS_MAX).map(({ date, value }) => [monthOf(date), value]))
  if (known.size === 0) return []
  const last = Math.max(...known.keys())
  const length = Math.min(last - Math.min(...known.keys()) + 1, PLOT_POINTS_MAX)
  return Array.from({ length }, (_, place) => {
    const month = last - length + 1 + place
    const at = new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString()
    return { at: dayOf(Date.parse(at)), value: known.get(month) ?? null }
  })
}

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const

/**
 * How many things happened in each hour or on each day (UTC), by their instants: from the step after that of the oldest, as a list
 * that goes back for so many hours begins within a step, to that of the newest, which may not be over.
 */
export const countsBy = (step: "hour" | "day", instants: ReadonlyArray<string>): ReadonlyArray<SeriesPoint> => {
  const stepOf = (instant: string): number => Math.floor(Date.parse(instant) / stepMs[step])
  const [newest, ...others] = [...instants].sort().reverse()
  const oldest = others.at(-1)
  if (newest === undefined || oldest === undefined) return []
  const counts = new Map<number, number>()
  for (const instant of instants) counts.set(stepOf(instant), (counts.get(stepOf(instant)) ?? 0) + 1)
  const last = stepOf(newest)
  const length = Math.min(last - stepOf(oldest), PLOT_POINTS_MAX)
  return Array.from({ length }, (_, place) => {
    const at = last - length + 1 + place
    const begin = new Date(at * stepMs[step]).toISOString()
    return {
      at: step === "day" ? dayOf(Date.parse(begin)) : begin,
      value: counts.get(at) ?? 0,
      ...(at === last ? { note: `until ${newest.slice("YYYY-MM-DDT".length, "YYYY-MM-DDTHH:MM".length)} UTC` } : {}),
    }
  })
}

/** Columns of a matrix at most. */
export const PLOT_COLUMNS_MAX = 12

/** A matrix of the values of cells, in the order of its columns and rows; of several for one place the first. */
export const matrix = (
  { columns, ...facts }: Omit<Extract<Plot, { readonly kind: "matrix" }>, "kind" | "rows">,
  cells: ReadonlyArray<{ readonly row: string; readonly column: string; readonly value: number | null }>,
): Plot => {
  const shown = columns.slice(0, PLOT_COLUMNS_MAX)
  return {
    kind: "matrix",
    ...facts,
    columns: shown,
    rows: [...Map.groupBy(cells, ({ row }) => row)].slice(0, PLOT_ROWS_MAX).map(([label, own]) => ({
      label,
      values: shown.map((column) => own.find((cell) => cell.column === column)?.value ?? null),
    })),
  }
}
