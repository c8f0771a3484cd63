import { Cause, type Layer, Logger, References } from "effect"
import pino from "pino"

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error"

/** One JSON line an entry on standard output, with instants in ISO 8601. `role` says which part of the service speaks. */
export const makeLogger = (level: LogLevel, role: string): pino.Logger =>
  pino(
    {
      level,
      base: { role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Written at once, to the descriptor: a line must be out before a crash, also from a worker thread.
    pino.destination({ fd: 1, sync: true }),
  )

const levels: Readonly<Record<string, LogLevel>> = {
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "error",
}

/** Sends everything that Effects log to a pino logger: annotations become members of the line. */
export const effectLogger = (logger: pino.Logger): Layer.Layer<never> =>
  Logger.layer([
    Logger.make(({ message, logLevel, cause, fiber }) => {
      const level = levels[logLevel] ?? "info"
      if (!logger.isLevelEnabled(level)) return
      const parts = Array.isArray(message) ? message : [message]
      logger[level](
        {
          ...fiber.getRef(References.CurrentLogAnnotations),
          ...(cause.reasons.length > 0 ? { cause: Cause.pretty(cause) } : {}),
        },
        parts
          .map((part) =>
            typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part),
          )
          .join(" "),
      )
    }),
  ])
