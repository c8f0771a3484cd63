import { BroadcastChannel } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"

/** How often the ends of followed topics are read, to detect commits of other processes. */
const POLL_MS = 15

/** Wakes readers that wait for a topic to grow, whether this thread, another thread or another process commits. */
export interface Signal {
  /** Waits until the end of a topic is past `seen`, or the log is closed. */
  readonly past: (topic: Topic, seen: Offset) => Effect.Effect<void>
  /** Announces a commit of this thread. */
  readonly committed: () => void
  readonly close: () => void
}

interface Waiter {
  readonly topic: Topic
  readonly seen: Offset
  readonly wake: () => void
}

/**
 * Makes the signal of one open log. Threads of a process announce commits on a channel named after the path. Other processes
 * cannot, so while a reader waits, the ends are read every few milliseconds, which is a look-up in memory.
 */
export const makeSignal = (path: string, endOf: (topic: Topic) => Offset): Signal => {
  const waiters = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined
  let isAnnouncing = false
  let closed = false
  const channel = new BroadcastChannel(`tidewire-log:${path}`)
  channel.unref()

  const wakeReaders = () => {
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
  channel.onmessage = wakeReaders

  return {
    past: (topic, seen) =>
      Effect.callback<void>((resume) => {
        if (closed) return resume(Effect.void)
        const waiter: Waiter = { topic, seen, wake: () => resume(Effect.void) }
        waiters.add(waiter)
        timer ??= setInterval(wakeReaders, POLL_MS)
        // A commit between the caller's read and this line would otherwise be noticed by the next poll only.
        wakeReaders()
        return Effect.sync(() => {
          waiters.delete(waiter)
          if (waiters.size === 0) {
            clearInterval(timer)
            timer = undefined
          }
        })
      }),
    committed: () => {
      // The commits of one group end together and are announced once.
      if (isAnnouncing) return
      isAnnouncing = true
      setImmediate(() => {
        isAnnouncing = false
        if (closed) return
        channel.postMessage(null)
        wakeReaders()
      })
    },
    close: () => {
      // A pending announcement is sent now: readers in other threads would otherwise wait for their next poll.
      if (isAnnouncing) channel.postMessage(null)
      closed = true
      clearInterval(timer)
      channel.close()
      for (const { wake } of waiters) wake()
      waiters.clear()
    },
  }
}
