import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { EventLog, LogRecord, LogUnavailable, Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { spawnScript } from "../../support/script-process.ts"

/**
 * Describes how a process opens the log under test: it imports `module` (a path relative to the repository's root) and calls
 * its export `open` with `options`, which gives `Effect<EventLog, LogUnavailable, Scope>`. It can be sent as JSON.
 */
export interface AdapterSpec {
  readonly module: string
  readonly open: string
  readonly options: Readonly<Record<string, unknown>>
}

/** An empty log of one test, which is removed with its scope. */
interface LogHarness {
  readonly adapter: AdapterSpec
  /** Kills the engine with SIGKILL and restarts it, if it is a separate process. */
  readonly restartEngine?: Effect.Effect<void>
  /** Opens the log with a limit of some MiB, if the engine has such a limit. */
  readonly openSmall?: Effect.Effect<EventLog, LogUnavailable, Scope.Scope>
}

/** Makes a new empty log, which shares nothing with others. */
export type MakeHarness = Effect.Effect<LogHarness, unknown, Scope.Scope>

type OpenLog = (options: Readonly<Record<string, unknown>>) => Effect.Effect<EventLog, LogUnavailable, Scope.Scope>

/** Opens the log that a spec describes, in this process. */
export const openAdapter = (spec: AdapterSpec): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.promise(async () => {
    const module: Record<string, unknown> = await import(new URL(`../../../${spec.module}`, import.meta.url).href)
    // Untyped: the module is named by the spec at run time.
    return module[spec.open] as OpenLog
  }).pipe(Effect.flatMap((open) => open(spec.options)))

/** A message to a writer process, one JSON object per line, with values in base64. */
export type WriterCommand =
  | { readonly do: "claim"; readonly writer: string; readonly topics: ReadonlyArray<Topic> }
  | { readonly do: "commit"; readonly id: string; readonly records: ReadonlyArray<WireRecord> }
  /** Commits numbers for ever, starting at `from`, with `inFlight` concurrent commits. */
  | { readonly do: "pump"; readonly from: number; readonly inFlight: number }

export interface WireRecord {
  readonly topic: Topic
  readonly key: string
  readonly value: string | null
}

/** A message from a writer process, one JSON object per line. */
export type WriterReport =
  | { readonly said: "ready" }
  | { readonly said: "claimed"; readonly writer: string; readonly ends: Readonly<Record<string, number>> }
  | { readonly said: "committed"; readonly id: string; readonly offsets: ReadonlyArray<Offset> }
  | { readonly said: "failed"; readonly id: string; readonly error: string; readonly message: string }

/** A writer in its own process. */
export interface WriterProcess {
  readonly send: (command: WriterCommand) => void
  /** Its messages so far, complete after `exited`. */
  readonly reports: ReadonlyArray<WriterReport>
  /** Waits for the first message of a kind. Dies if the process ends or the deadline passes first. */
  readonly report: <Said extends WriterReport["said"]>(
    said: Said,
  ) => Effect.Effect<Extract<WriterReport, { said: Said }>>
  /** The outcome of a commit. */
  readonly outcome: (id: string) => Effect.Effect<Extract<WriterReport, { said: "committed" | "failed" }>>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Effect.Effect<void>
}

/** A condition that does not hold by then never will: far longer than any step takes on a busy machine. */
export const DEADLINE_MS = 180_000

/** Polls a condition every few milliseconds until it holds; dies with `what` after the deadline. */
export const until = <E>(what: string, condition: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  condition.pipe(
    Effect.repeat({ until: (holds) => holds, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOrElse({
      duration: Duration.millis(DEADLINE_MS),
      orElse: () => Effect.die(new Error(`not seen within ${DEADLINE_MS} ms: ${what}`)),
    }),
    Effect.asVoid,
  )

/** Starts a writer process, ready for commands. It is killed with the scope. */
export const spawnWriter = (spec: AdapterSpec): Effect.Effect<WriterProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const reports: Array<WriterReport> = []
    const child = yield* spawnScript(new URL("writer.ts", import.meta.url), spec, (line) =>
      reports.push(JSON.parse(line)),
    )
    const first = <Found extends WriterReport>(passes: (report: WriterReport) => report is Found) =>
      Effect.gen(function* () {
        yield* until(
          "a report of the writer process",
          Effect.suspend(() =>
            reports.some(passes)
              ? Effect.succeed(true)
              : child.hasEnded()
                ? Effect.die(new Error(`the writer process ended; it said ${JSON.stringify(reports.slice(-3))}`))
                : Effect.succeed(false),
          ),
        )
        return reports.find(passes) ?? (yield* Effect.die(new Error("a report has gone")))
      })
    type Said<Name extends WriterReport["said"]> = Extract<WriterReport, { said: Name }>
    const report: WriterProcess["report"] = <Name extends WriterReport["said"]>(said: Name) =>
      first((one): one is Said<Name> => one.said === said)
    const writer: WriterProcess = {
      send: child.send,
      reports,
      report,
      outcome: (id) =>
        first(
          (one): one is Said<"committed" | "failed"> =>
            (one.said === "committed" || one.said === "failed") && one.id === id,
        ),
      signal: child.signal,
      exited: until("the end of the writer process", Effect.sync(child.hasEnded)),
    }
    yield* report("ready")
    return writer
  })

/** Makes a writer process claim a name. */
export const claimIn = (writer: WriterProcess, name: string, topics: ReadonlyArray<Topic>) =>
  Effect.suspend(() => {
    writer.send({ do: "claim", writer: name, topics })
    return writer.report("claimed")
  })

/** The text of a command's record. */
export const wire = (topic: Topic, key: string, text: string | null): WireRecord => ({
  topic,
  key,
  value: text === null ? null : Buffer.from(text).toString("base64"),
})

/** A record whose value is a text. */
export const record = (topic: Topic, key: string, text: string | null): LogRecord => ({
  topic,
  key,
  value: text === null ? null : new TextEncoder().encode(text),
})

/** The text of a record's value. */
export const textOf = (stored: StoredRecord): string | null =>
  stored.value === null ? null : new TextDecoder().decode(stored.value)

/**
 * Reads every record in [from, upTo), and waits until they are visible: a commit need not be visible at the moment it
 * returns.
 */
export const readThrough = (log: EventLog, topic: Topic, from: Offset, upTo: Offset) =>
  Effect.gen(function* () {
    yield* until(`${topic} up to ${upTo}`, log.end(topic).pipe(Effect.map((end) => end >= upTo)))
    const batches = yield* log.read(topic, from).pipe(Stream.runCollect)
    return batches.flatMap((batch) => batch.records).filter(({ offset }) => offset < upTo)
  })

/** The offset after the last record. */
export const endOf = (offsets: ReadonlyArray<Offset>): Offset => Math.max(-1, ...offsets) + 1

/** Rounds of a crash test: `ROUNDS` from the environment, else few. */
export const rounds = (few: number): number => Number(process.env.ROUNDS ?? few)
