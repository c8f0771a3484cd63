import { TidewireError, TimedOutError } from "./errors.js";
/** The longest time that a timer of the platform can wait for; with a longer one it fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Begins the time of a call. Throws a `RangeError` where no timer can wait for its end. */
export const deadlineOf = (timeoutMs, cancelled) => {
    if (!(timeoutMs > 0 && timeoutMs <= TIMER_MAX_MS))
        throw new RangeError(`a timeout is 1 to ${TIMER_MAX_MS} ms`);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = cancelled === undefined ? timeout : AbortSignal.any([cancelled, timeout]);
    const endsAtMs = performance.now() + timeoutMs;
    return {
        signal,
        sleep: (durationMs) => new Promise((resolve, reject) => {
            const abort = () => {
                clearTimeout(timer);
                reject(signal.reason);
            };
            const timer = setTimeout(() => {
                signal.removeEventListener("abort", abort);
                resolve();
            }, Math.min(durationMs, TIMER_MAX_MS));
            if (signal.aborted)
                abort();
            else
                signal.addEventListener("abort", abort, { once: true });
        }),
        allows: (durationMs) => performance.now() + durationMs < endsAtMs,
        errorOf: (cause, call) => {
            if (cancelled?.aborted)
                return cancelled.reason;
            if (cause instanceof TidewireError || !timeout.aborted)
                return cause;
            return new TimedOutError(`no reply within ${timeoutMs} ms`, call, cause);
        },
    };
};
