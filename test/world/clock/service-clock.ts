import type { ChildProcess } from "node:child_process"
import type { ClockSet, SetClock } from "./messages.ts"
import type { Follower } from "./world-clock.ts"

/** How long a step may take. A provider that is slow or away takes some seconds for each of its feeds. */
const STEP_MAX_MS = 60_000
/** What the answer may take beyond that. */
const GRACE_MS = 15_000

/** Sets the clock of a service that was started with `service.js`. */
export const clockOfService = (service: ChildProcess): Follower["service"] => {
  const waiting = new Map<number, (behind: string | null) => void>()
  let questions = 0
  service.on("message", (message: ClockSet) => {
    if (message.type === "clock set") waiting.get(message.id)?.(message.behind)
  })
  return (state, goal) =>
    new Promise((resolve) => {
      const id = ++questions
      const answer = (behind: string | null) => {
        clearTimeout(timer)
        waiting.delete(id)
        service.off("exit", ended)
        resolve(behind)
      }
      const ended = () => answer("the service has ended")
      const timer = setTimeout(() => answer("the service does not answer"), STEP_MAX_MS + GRACE_MS)
      waiting.set(id, answer)
      service.once("exit", ended)
      const question: SetClock = { type: "set clock", id, state, goal, withinMs: STEP_MAX_MS }
      service.send(question, (error) => {
        if (error !== null) answer(`the service cannot be reached: ${error.message}`)
      })
    })
}
