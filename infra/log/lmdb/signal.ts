import { BroadcastChannel } from "node:worker_threads"
import { Effect } from "effect"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"

/** How often the ends of followed topics are looked at, for commits of other processes. */
const POLL_MS = 15

/** Wakes those who wait for a topic to grow: by this thread, another thread or another process. */
export interface Signal {
  /** Waits until the end of a topic is past `seen`, or the log is closed. */
  readonly past: (topic: Topic, seen: Offset) => Effect.Effect<void>
  /** Says that this thread has committed something. */
  readonly committed: () => void
  readonly close: () => void
}

interface Waiter {
  readonly topic: Topic
  readonly seen: Offset
  readonly wake: () => void
}

/**
 * Makes the signal of one opened log. Other threads of the process tell each other by a channel named after the path;
 * other processes cannot, so while anybody waits, the ends are read every few milliseconds: a look-up in memory.
 */
export const makeSignal = (path: string, endOf: (topic: Topic) => Offset): Signal => {
  const waiters = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined
  let told = false
  let closed = false
  const channel = new BroadcastChannel(`tidewire-log:${path}`)
  channel.unref()

  const look = () => {
    for (const waiter of waiters)
      if (endOf(waiter.topic) > waiter.seen) {
        waiters.delete(waiter)
        waiter.wake()
      }
    if (waiters.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
  channel.onmessage = look

  return {
    past: (topic, seen) =>
      Effect.callback<void>((resume) => {
        if (closed) return resume(Effect.void)
        const waiter: Waiter = { topic, seen, wake: () => resume(Effect.void) }
        waiters.add(waiter)
        timer ??= setInterval(look, POLL_MS)
        // A commit between the caller's look and this line would otherwise wait for the next poll.
        look()
        return Effect.sync(() => {
          waiters.delete(waiter)
          if (waiters.size === 0) {
            clearInterval(timer)
            timer = undefined
          }
        })
      }),
    committed: () => {
      // Commits of one group come back together and are told of once.
      if (told) return
      told = true
      setImmediate(() => {
        told = false
        if (closed) return
        channel.postMessage(null)
        look()
      })
    },
    close: () => {
      // What was committed and not told of yet is told now: those who stay open would else wait for their next look.
      if (told) channel.postMessage(null)
      closed = true
      clearInterval(timer)
      channel.close()
      for (const { wake } of waiters) wake()
      waiters.clear()
    },
  }
}
