import { writeSync } from "node:fs"
import { hostname } from "node:os"
import { format } from "node:util"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { Severity } from "effect/LogLevel"
import * as References from "effect/References"
import pino from "pino"
import { isTerminal, makeTerminalLines } from "./terminal.ts"

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error"

/** The origin of a line: role, process, and thread if the process has several. */
export interface LogOrigin {
  readonly role: string
  readonly instance: string
  readonly thread?: string
}

/** The default name of this process, unique among all processes. */
export const processInstance = (): string => `${hostname()}:${process.pid}`

/** Where lines of the log go: a service writes to its standard output, a command keeps that for its result. */
export const STANDARD_OUTPUT = 1
export const STANDARD_ERROR = 2

/** Written synchronously to the descriptor, so that no line is lost in a crash, also of a worker thread. */
const destinationOf = (level: LogLevel, descriptor: number): pino.DestinationStream => {
  if (!isTerminal(descriptor)) return pino.destination({ fd: descriptor, sync: true })
  const shown = makeTerminalLines(level === "debug" || level === "trace")
  return {
    write: (line) => {
      const text = shown(line)
      if (text !== null) writeSync(descriptor, `${text}\n`)
    },
  }
}

/**
 * Makes a logger that writes one JSON line per entry to a file descriptor, with its origin and an ISO 8601 time; at a terminal what
 * people look for, in a line each.
 */
export const makeLogger = (level: LogLevel, origin: LogOrigin, descriptor: number = STANDARD_OUTPUT): pino.Logger =>
  pino(
    {
      level,
      base: { ...origin },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destinationOf(level, descriptor),
  )

/** Gives the origin of a logger's lines. */
export const originOf = (logger: pino.Logger): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(logger.bindings()).map(([name, value]) => [name, String(value)]))

const minimumOf: Readonly<Record<string, Severity>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
}

const levels: Readonly<Record<string, LogLevel>> = {
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "error",
}

/**
 * Sends the log entries of Effects to a pino logger, from the level of that logger on; annotations become members of the
 * line.
 */
export const effectLogger = (logger: pino.Logger): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(References.MinimumLogLevel, minimumOf[logger.level] ?? "Info"),
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
    ]),
  )

/** The same line of a library is logged once in this time. */
const REPEAT_MS = 30_000
const LINES_REMEMBERED_MAX = 200

/** Makes a filter of repeated lines: it accepts each line at most once in half a minute. */
export const makeRepeatFilter = (): ((line: string) => boolean) => {
  const acceptedAtMs = new Map<string, number>()
  return (line) => {
    const nowMs = performance.now()
    if (nowMs - (acceptedAtMs.get(line) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return false
    if (acceptedAtMs.size >= LINES_REMEMBERED_MAX) acceptedAtMs.clear()
    acceptedAtMs.set(line, nowMs)
    return true
  }
}

/**
 * Redirects the console output of libraries to the log, without repetitions: LMDB prints the stack of every failed write, even
 * if the failure is handled.
 */
export const logConsole = (logger: pino.Logger): void => {
  const isNew = makeRepeatFilter()
  const write =
    (level: "info" | "warn") =>
    (...parts: ReadonlyArray<unknown>) => {
      const message = format(...parts.map((part) => (part instanceof Error ? part.message : part)))
      if (isNew(message)) logger[level]({ component: "console" }, message)
    }
  Object.assign(console, { error: write("warn"), warn: write("warn"), log: write("info"), info: write("info") })
}
