import { isDay } from "../../schemas/day.ts"

/** A date and time of day without a time zone. */
export interface CivilTime {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 by default. */
  readonly millisecond?: number
}

const isWhole = (value: number, below: number): boolean => Number.isInteger(value) && value >= 0 && value < below

/** Milliseconds since the epoch of a civil time in UTC, from 1970 to 9999; null if there is no such time. */
export const civilMs = ({ year, month, day, hour, minute, second, millisecond = 0 }: CivilTime): number | null =>
  Number.isInteger(year) &&
  year >= 1970 &&
  year <= 9999 &&
  isDay(year, month, day) &&
  isWhole(hour, 24) &&
  isWhole(minute, 60) &&
  isWhole(second, 60) &&
  isWhole(millisecond, 1000)
    ? Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
    : null

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** The month (1 to 12) of an English name or its first three letters; 0 if it is unknown. */
export const monthOf = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase()) + 1
