import { TidewireError, TimedOutError } from "./errors.js";
/** Begins the time of a call. */
export const deadlineOf = (timeoutMs, cancelled) => {
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
            }, durationMs);
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
