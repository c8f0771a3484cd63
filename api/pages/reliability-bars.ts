import { type DayState, dayStates, STATUS_DAYS } from "../../schemas/endpoints/status.ts"
import { type Html, html } from "./html.ts"

// Bars of days. A state is a colour and a height, so that it can be read without the colour: the worse the day, the higher its
// bar. An empty outline is a day on which this service was away, a line at the bottom one before the record begins. The days
// stand in words beside them.

const DAY_MS = 86_400_000
const STEP = 4
const WIDTH = 3
const HEIGHT = 24

/** The height of a day's bar. */
const heights: Readonly<Record<DayState, number>> = {
  good: 11,
  degraded: 17,
  down: HEIGHT,
  missed: 11,
  unrecorded: 1.5,
}

/** The words of the states, as the legend and the descriptions have them. */
export const dayWords: Readonly<Record<DayState, string>> = {
  good: "good",
  degraded: "degraded",
  down: "down",
  missed: "missed",
  unrecorded: "no record",
}

const states = Object.keys(dayStates) as ReadonlyArray<DayState>
const stateOf = new Map<string, DayState>(states.map((state) => [dayStates[state], state]))

const statesIn = (days: string): ReadonlyArray<DayState> =>
  [...days].map((letter) => stateOf.get(letter) ?? "unrecorded")

const bar = (index: number, state: DayState): string => {
  const inset = state === "missed" ? 0.5 : 0
  const top = HEIGHT - heights[state] + inset
  return `M${index * STEP + inset} ${top}h${WIDTH - 2 * inset}V${HEIGHT - inset}h${2 * inset - WIDTH}z`
}

/** One path for each state: a bar of ninety days is five elements. */
const paths = (all: ReadonlyArray<DayState>): ReadonlyArray<Html> =>
  states.flatMap((state) => {
    const shape = all.map((one, index) => (one === state ? bar(index, state) : "")).join("")
    return shape === "" ? [] : [html`<path class="${state}" d="${shape}"/>`]
  })

const drawing = (all: ReadonlyArray<DayState>, attributes: Html): Html =>
  html`<svg ${attributes} viewBox="0 0 ${all.length * STEP - (STEP - WIDTH)} ${HEIGHT}" preserveAspectRatio="none">${paths(all)}</svg>`

const dayAt = (firstDay: string, index: number): string =>
  new Date(Date.parse(`${firstDay}T00:00:00.000Z`) + index * DAY_MS).toISOString().slice(0, 10)

/** How many days were what, in words; the states that `isCounted` leaves out are not named. */
const countedDays = (days: string, isCounted: (state: DayState) => boolean): string => {
  const all = statesIn(days)
  return states
    .flatMap((state) => {
      const count = isCounted(state) ? all.filter((one) => one === state).length : 0
      return count === 0 ? [] : [`${count} ${dayWords[state]}`]
    })
    .join(", ")
}

/** How many days were what, in words. */
export const daysSummary = (days: string): string => `${days.length} days: ${countedDays(days, () => true)}`

/** Whether a day is named in words: those that were neither good nor before the record. */
const isUnwell = (state: DayState): boolean => state !== "good" && state !== "unrecorded"

/** How many of the days were not good, in words; empty where none was. */
export const unwellSummary = (days: string): string => countedDays(days, isUnwell)

/** A run of days of one state. */
interface DayRun {
  readonly state: DayState
  readonly from: string
  readonly to: string
}

/** The days that were neither good nor before the record, in runs, the latest first. */
export const unwellDays = (days: string, firstDay: string): ReadonlyArray<DayRun> => {
  const runs: Array<DayRun & { readonly last: number }> = []
  statesIn(days).forEach((state, index) => {
    if (!isUnwell(state)) return
    const before = runs.at(-1)
    const day = dayAt(firstDay, index)
    if (before !== undefined && before.state === state && before.last === index - 1)
      runs[runs.length - 1] = { ...before, to: day, last: index }
    else runs.push({ state, from: day, to: day, last: index })
  })
  return runs.reverse()
}

/** A run of days in words. */
export const dayRunText = ({ state, from, to }: DayRun): string =>
  `${from === to ? from : `${from} to ${to}`}: ${dayWords[state]}`

/**
 * The bars of a feed, the oldest day first, with a description in words. `days`: a letter a day, as `days` of
 * `/status.json`; null where the history cannot be read, which is then said in place of the bars.
 */
export const reliabilityBars = (days: string | null, firstDay: string, feed: string): Html => {
  if (days === null) return html`<p class="bars none">History unavailable</p>`
  const label = `${feed}, ${daysSummary(days)}`
  return drawing(
    statesIn(days),
    html`class="bars" role="img" aria-label="${label}" data-first="${firstDay}" data-days="${days}"`,
  )
}

/** The legend of the bars. */
export const barsLegend = (): Html =>
  html`<ul class="legend">${states.map(
    (state) =>
      html`<li>${drawing([state], html`class="bars one" aria-hidden="true"`)} ${dayWords[state]}${state === "missed" ? " (this service was down)" : ""}</li>`,
  )}</ul>`

/** The days of the bars and their ends, for the axis below them. */
export const barsAxis = (firstDay: string): Html =>
  html`<span>${firstDay}</span><span>${STATUS_DAYS} days</span><span>today</span>`
