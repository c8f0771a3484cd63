import { isDay } from "../../schemas/day.ts"
import { WrongUsage } from "./arguments.ts"

const DATE = /^\d{4}-\d\d-\d\d$/u
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/u
const ZONED =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u

/** The instant with a zone of an option, in milliseconds since the epoch; null where none is given. Throws `WrongUsage`. */
export const instantOf = (text: string | undefined, option: string): number | null => {
  if (text === undefined) return null
  if (DATE.test(text))
    throw new WrongUsage(`${option}: a day is no instant; ${text}T00:00Z is its begin, ${text}T23:59:59.999Z its end`)
  if (LOCAL.test(text)) throw new WrongUsage(`${option}: the zone is missing, as in ${text}Z or ${text}+01:00`)
  const [, year, month, day] = ZONED.exec(text) ?? []
  if (year === undefined || !isDay(Number(year), Number(month), Number(day)))
    throw new WrongUsage(`${option} takes an instant with its zone, as 2026-11-20T05:00Z`)
  return Date.parse(text)
}
