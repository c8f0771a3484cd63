import { hostname } from "node:os"
import { format } from "node:util"
import { Cause, type Layer, Logger, References } from "effect"
import pino from "pino"

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error"

/** Where a line comes from: the role, the process, and in one with several threads which of them. */
export interface LogOrigin {
  readonly role: string
  readonly instance: string
  readonly thread?: string
}

/** The name of this process among all, where no setting gives it one. */
export const processInstance = (): string => `${hostname()}:${process.pid}`

/** One JSON line an entry on standard output, with instants in ISO 8601. Every line says where it comes from. */
export const makeLogger = (level: LogLevel, origin: LogOrigin): pino.Logger =>
  pino(
    {
      level,
      base: { ...origin },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Written at once, to the descriptor: a line must be out before a crash, also from a worker thread.
    pino.destination({ fd: 1, sync: true }),
  )

/** Where the lines of a logger come from, for what writes lines of its own. */
export const originOf = (logger: pino.Logger): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(logger.bindings()).map(([name, value]) => [name, String(value)]))

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

/** How often the same line of a library is written, in milliseconds. */
const REPEAT_MS = 30_000
const LINES_REMEMBERED_MAX = 200

/**
 * Makes lines of the log of what libraries write to the console, the same one once in half a minute: LMDB prints the stack
 * of every write that fails, also where it is handled.
 */
export const logConsole = (logger: pino.Logger, nowMs: () => number = () => performance.now()): void => {
  const said = new Map<string, number>()
  const write =
    (level: "info" | "warn") =>
    (...parts: ReadonlyArray<unknown>) => {
      const message = format(...parts.map((part) => (part instanceof Error ? part.message : part)))
      if (nowMs() - (said.get(message) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return
      if (said.size > LINES_REMEMBERED_MAX) said.clear()
      said.set(message, nowMs())
      logger[level]({ component: "console" }, message)
    }
  Object.assign(console, { error: write("warn"), warn: write("warn"), log: write("info"), info: write("info") })
}
