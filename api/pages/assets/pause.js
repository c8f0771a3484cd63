// Work that takes long is done in parts, so that the browser paints and hears the reader between them.

/** Lets the browser do what waits; what follows then goes on before other tasks, where the browser knows that. */
export const pause = () =>
  "scheduler" in window && "yield" in window.scheduler
    ? window.scheduler.yield()
    : new Promise((resolve) => setTimeout(resolve))
