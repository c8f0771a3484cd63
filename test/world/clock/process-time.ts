import { BroadcastChannel } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type { ProcessTime } from "../../../infra/roles/process-time.ts"
import { fixedClock } from "../../../ledger/write/clock.ts"
import { inTime } from "./in-time.ts"
import { type Begin, CHANNEL, type ClockSet, type FromPipeline, type SetClock, type ToPipeline } from "./messages.ts"
import { machineNowMs, setClock } from "./simulated-date.js"

/** What the answer of the pipeline may take beyond its time. */
const GRACE_MS = 1_000
/** After what the pipeline did the API has little to do. */
const SERVED_WITHIN_MS = 10_000

/** The time of the service's main thread, by the clock of the world, which the process of the demo sets. */
export const processTime = (): ProcessTime => {
  let isServed: () => Promise<boolean> = () => Promise.resolve(false)
  const asked = new Map<number, { readonly question: ToPipeline; readonly answer: (behind: string | null) => void }>()

  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }) => {
    const message = data as FromPipeline | ToPipeline
    if (message.type === "pipeline set") asked.get(message.id)?.answer(message.behind)
    // What was asked while the thread loaded its code, it has not heard.
    if (message.type === "pipeline listens") for (const { question } of asked.values()) channel.postMessage(question)
  }
  channel.unref()

  const pipelineBehind = ({ id, goal, withinMs }: SetClock): Promise<string | null> =>
    new Promise((resolve) => {
      const answer = (behind: string | null) => {
        clearTimeout(timer)
        asked.delete(id)
        resolve(behind)
      }
      const timer = setTimeout(() => answer("the pipeline does not answer"), withinMs + GRACE_MS)
      const question: ToPipeline = { type: "set clock", id, goal, withinMs }
      asked.set(id, { question, answer })
      channel.postMessage(question)
    })
  const reach = async (message: SetClock): Promise<void> => {
    const { id, state, goal } = message
    setClock(state)
    const polled = await pipelineBehind(message)
    const behind =
      polled !== null || goal !== "served"
        ? polled
        : await inTime(async () => ((await isServed()) ? null : "the views of the API"), SERVED_WITHIN_MS)
    // Errors are ignored: the demo may have ended.
    process.send?.({ type: "clock set", id, behind } satisfies ClockSet, undefined, {}, () => {})
  }
  const { promise: begins, resolve: begin } = Promise.withResolvers<void>()
  process.on("message", (message: SetClock | Begin) => {
    if (message.type === "begin") begin()
    else if (message.type === "set clock") void reach(message)
  })

  return {
    thread: new URL("pipeline-thread.js", import.meta.url),
    begins,
    ledgerClock: fixedClock(Date.now),
    signedNowMs: machineNowMs,
    serving: (isCaughtUp) => {
      isServed = () => Effect.runPromise(Effect.orElseSucceed(isCaughtUp, () => false))
    },
  }
}
