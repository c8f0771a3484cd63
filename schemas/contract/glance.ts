/** The value by which an endpoint's data is known at a glance, as a tile of a page shows it. */
export interface Headline {
  /** A number in `unit`, or a few words; null where the data does not know it. */
  readonly value: number | string | null
  /** Null for words, and for numbers whose meaning `note` gives, such as a count. */
  readonly unit: string | null
  /** The meaning of the value, in one line: what was counted or measured, where and since when. */
  readonly note: string
}

/** A place on the map of the page, and what is there. */
export interface Mark {
  readonly latitude: number
  readonly longitude: number
  /** Names it in one line, for those who see no map as well. */
  readonly title: string
  /** From 0, hardly worth a look, to 1, one of the most severe of its kind. */
  readonly weight: number
  /** When it happened or will happen, an ISO instant; null where it has no time. */
  readonly at: string | null
}

/** Marks of one endpoint at the most: the most severe. */
export const MARKS_MAX = 100

/** What a glance at an endpoint's data shows. Both functions are pure, without a clock. */
export interface Glance<Data = unknown> {
  /** The name of the tile, a few words. */
  readonly title: string
  headline(data: Data): Headline
  /** The marks of the data, most severe first, at most `MARKS_MAX`; absent where the data has no places. */
  marks?(data: Data): ReadonlyArray<Mark>
}
