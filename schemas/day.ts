/** How many days a month (1 to 12) has in the Gregorian calendar. */
const daysIn = (year: number, month: number): number =>
  month === 2
    ? (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** Whether a day exists: 30 February does not, though `Date` reads it as a day of March. */
export const isDay = (year: number, month: number, day: number): boolean =>
  Number.isInteger(month) &&
  month >= 1 &&
  month <= 12 &&
  Number.isInteger(day) &&
  day >= 1 &&
  day <= daysIn(year, month)

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const YEAR_MIN = 1970

/** Milliseconds since the epoch at which a day (`YYYY-MM-DD`, UTC, from 1970 on) begins; null if the text is not a day. */
export const dayMs = (text: string): number | null => {
  const [, year, month, day] = DAY.exec(text) ?? []
  return Number(year) >= YEAR_MIN && isDay(Number(year), Number(month), Number(day))
    ? Date.parse(`${text}T00:00:00.000Z`)
    : null
}

/** The day (`YYYY-MM-DD`, UTC) of milliseconds since the epoch. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, "YYYY-MM-DD".length)
