import { expect, it } from "vitest"
import { type Follower, makeWorldClock, marksBetween, STEP_MS } from "./world-clock.ts"

const NOON_MS = Date.parse("2026-11-20T12:00Z")
const HOUR_MS = 3_600_000
const at = (ms: number) => new Date(ms).toISOString()

interface Seen {
  readonly follower: Follower
  readonly said: Array<string>
}

/** A service and a chain that note what is said to them. */
const following = (behind: string | null = null): Seen => {
  const said: Array<string> = []
  const text = ({ frozen, ms }: { readonly frozen: boolean; readonly ms: number }) => (frozen ? at(ms) : "runs")
  return {
    said,
    follower: {
      service: async (state, goal) => {
        said.push(`${text(state)} ${goal}`)
        return behind
      },
      chain: async (state) => void said.push(`chain ${text(state)}`),
    },
  }
}

it("moves on by marks of its grid, and to the instant itself", () => {
  expect(marksBetween(NOON_MS, NOON_MS)).toEqual([])
  expect(marksBetween(NOON_MS, NOON_MS + 2 * STEP_MS)).toEqual([NOON_MS + STEP_MS, NOON_MS + 2 * STEP_MS])
  expect(marksBetween(NOON_MS + 1, NOON_MS + STEP_MS + 1)).toEqual([NOON_MS + STEP_MS, NOON_MS + STEP_MS + 1])
  const fourHours = marksBetween(NOON_MS, NOON_MS + 4 * HOUR_MS)
  const twice = [NOON_MS, NOON_MS + 2 * HOUR_MS].flatMap((from) => marksBetween(from, from + 2 * HOUR_MS))
  expect(twice).toEqual(fourHours)
})

it("stands, is advanced with the service first and the chain last, and runs on", async () => {
  const clock = makeWorldClock(NOON_MS)
  const { follower, said } = following()
  clock.follow(follower)
  expect(clock.reply()).toEqual({ status: 200, body: { now: at(NOON_MS), frozen: true } })
  const hour = NOON_MS + HOUR_MS
  expect(await clock.put('{"advance": "1h"}')).toEqual({ status: 200, body: { now: at(hour), frozen: true } })
  expect(said.splice(0)).toEqual([`${at(NOON_MS + STEP_MS)} polled`, `${at(hour)} served`, `chain ${at(hour)}`])
  expect(await clock.put(`{"time": "2026-11-20T14:10+01:00"}`)).toMatchObject({ body: { now: at(hour + 600_000) } })
  said.splice(0)
  expect(await clock.put('{"frozen": false}')).toMatchObject({ status: 200, body: { frozen: false } })
  expect(said).toEqual(["runs set", "chain runs"])
  expect(Math.abs(clock.nowMs() - hour - 600_000)).toBeLessThan(HOUR_MS)
  expect(clock.state().frozen).toBe(false)
})

it("does not begin before the end of a log", () => {
  expect(makeWorldClock(NOON_MS, NOON_MS - 1).nowMs()).toBe(NOON_MS)
  expect(makeWorldClock(NOON_MS, NOON_MS + 1).nowMs()).toBe(NOON_MS + 1)
  const ahead = makeWorldClock(null, Date.now() + HOUR_MS)
  expect([ahead.isMachines(), ahead.state().frozen]).toEqual([false, false])
  expect(ahead.nowMs() - Date.now()).toBeGreaterThan(HOUR_MS / 2)
  expect([makeWorldClock(null, NOON_MS).isMachines(), makeWorldClock(NOON_MS).isMachines()]).toEqual([
    NOON_MS < Date.now(),
    false,
  ])
})

it("is frozen at the time of the machine, and carries out wishes one after the other", async () => {
  const clock = makeWorldClock(null)
  const { follower, said } = following()
  clock.follow(follower)
  const [frozen, advanced] = await Promise.all([clock.put('{"frozen": true}'), clock.put('{"advance": "1s"}')])
  const [first, then] = [frozen, advanced].map(({ body }) => ("now" in body ? Date.parse(body.now) : Number.NaN))
  expect(then).toBe((first ?? 0) + 1_000)
  expect(said.filter((one) => one.startsWith("chain"))).toHaveLength(2)
})

it("says what is not done in time, and where it stands then", async () => {
  const clock = makeWorldClock(NOON_MS)
  expect(await clock.put('{"frozen": true}')).toMatchObject({ status: 503 })
  clock.follow(following("polls: earthquakes").follower)
  const error = `the clock stands at ${at(NOON_MS + STEP_MS)}, and is still to be done: polls: earthquakes`
  expect(await clock.put('{"advance": "2h"}')).toEqual({ status: 504, body: { error } })
})

it.each([
  ["", /^the body must be JSON with frozen/],
  ["{}", /^the body must have frozen, advance or time$/],
  ['{"frozen": "yes"}', /^the body must be JSON with frozen/],
  ['{"froze": true}', /^the body must be JSON with frozen/],
  ['{"advance": "2 hours"}', /^advance must be a duration, such as 90s, 15m, 2h or 3d$/],
  ['{"advance": "0s"}', /^advance must be a duration/],
  ['{"advance": "8d"}', /^advance must be at most 7d$/],
  ['{"time": "2026-11-20 12:00"}', /^time must be an instant with its zone/],
  ['{"time": "2026-13-20T12:00Z"}', /^time must be an instant with its zone/],
  ['{"time": "1999-11-20T12:00Z"}', /^time must be between 2000 and 2099$/],
  [
    '{"time": "2026-11-20T11:59Z"}',
    /^time must not be before 2026-11-20T12:00:00.000Z: .* time never goes back in them$/,
  ],
  ['{"time": "2027-11-20T12:00Z"}', /^time must be at most 7d ahead$/],
  ['{"time": "2026-11-20T13:00Z", "advance": "1h"}', /^advance and time exclude each other$/],
])("refuses %s in a sentence, and stays as it is", async (body, error) => {
  const clock = makeWorldClock(NOON_MS)
  const { follower, said } = following()
  clock.follow(follower)
  expect(await clock.put(body)).toEqual({ status: 400, body: { error: expect.stringMatching(error) } })
  expect([said, clock.nowMs()]).toEqual([[], NOON_MS])
})
