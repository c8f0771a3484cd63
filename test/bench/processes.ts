import { type ForkOptions, fork } from "node:child_process"
import { once } from "node:events"

/** Starts a process of the comparison. A message that it does not answer before it ends is an error. */
export const start = (module: URL, parameters: ReadonlyArray<string> = [], options: ForkOptions = {}) => {
  const child = fork(module, parameters, options)
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${module.pathname} ended with ${code}`)))
  ended.catch(() => undefined)
  const next = async (): Promise<unknown> => (await Promise.race([once(child, "message"), ended]))[0]
  return { child, next }
}

/** A running process of the comparison, and its next message. */
export type Started = ReturnType<typeof start>

/** Ends processes that `start` started, and waits for their end. */
export const endAll = async (processes: ReadonlyArray<Started>): Promise<void> => {
  for (const { child } of processes) {
    const ended = once(child, "exit")
    child.disconnect()
    await ended
  }
}
