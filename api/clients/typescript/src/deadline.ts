import { type FailedCall, TidewireError, TimedOutError } from "./errors.ts"

/** The time that a call may take, and its cancellation. */
export interface Deadline {
  /** Aborted when the time is over, or when the caller cancels. */
  readonly signal: AbortSignal
  /** Waits; rejects when the signal is aborted meanwhile. */
  readonly sleep: (durationMs: number) => Promise<void>
  /** Whether a pause ends before the time is over. */
  readonly allows: (durationMs: number) => boolean
  /** The error of a step that failed: the caller's own reason where the caller cancelled. */
  readonly errorOf: (cause: unknown, call: FailedCall) => unknown
}

/** The longest time that a timer of the platform can wait for; with a longer one it fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** Waits; rejects with the signal's reason when it is aborted meanwhile. */
export const sleep = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", abort)
        resolve()
      },
      Math.min(durationMs, TIMER_MAX_MS),
    )
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
  })

/** Begins the time of a call. Throws a `RangeError` where no timer can wait for its end. */
export const deadlineOf = (timeoutMs: number, cancelled: AbortSignal | undefined): Deadline => {
  if (!(timeoutMs > 0 && timeoutMs <= TIMER_MAX_MS)) throw new RangeError(`a timeout is 1 to ${TIMER_MAX_MS} ms`)
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = cancelled === undefined ? timeout : AbortSignal.any([cancelled, timeout])
  const endsAtMs = performance.now() + timeoutMs
  return {
    signal,
    sleep: (durationMs) => sleep(durationMs, signal),
    allows: (durationMs) => performance.now() + durationMs < endsAtMs,
    errorOf: (cause, call) => {
      if (cancelled?.aborted) return cancelled.reason
      if (cause instanceof TidewireError || !timeout.aborted) return cause
      return new TimedOutError(`no reply within ${timeoutMs} ms`, call, cause)
    },
  }
}
