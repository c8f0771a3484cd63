import { Duration, Effect, Schedule, type Scope, Stream } from "effect"
import type { EventLog, LogRecord, LogUnavailable, Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { spawnScript } from "../../support/script-process.ts"

/**
 * How any process opens the log under test: it imports `module` (a path relative to the repository's root) and calls
 * its export `open` with `options`, which gives `Effect<EventLog, LogUnavailable, Scope>`. All of it survives JSON.
 */
export interface AdapterSpec {
  readonly module: string
  readonly open: string
  readonly options: Readonly<Record<string, unknown>>
}

/** One empty log, made for one test. It is thrown away with the scope that made it. */
export interface LogHarness {
  readonly adapter: AdapterSpec
  /** Kills the engine itself with SIGKILL and starts it again, where it is a process of its own. */
  readonly restartEngine?: Effect.Effect<void>
  /** Opens the log with so little space that some MiB fill it, where the engine can be limited so. */
  readonly openSmall?: Effect.Effect<EventLog, LogUnavailable, Scope.Scope>
}

/** Makes an empty log. Every call gives another one; nothing is shared between two of them. */
export type MakeHarness = Effect.Effect<LogHarness, unknown, Scope.Scope>

type OpenLog = (options: Readonly<Record<string, unknown>>) => Effect.Effect<EventLog, LogUnavailable, Scope.Scope>

/** Opens the log that a spec describes, in this process. */
export const openAdapter = (spec: AdapterSpec): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.promise(async () => {
    const module: Record<string, unknown> = await import(new URL(`../../../${spec.module}`, import.meta.url).href)
    // The spec was written by the suite's caller beside the adapter; its type cannot travel through JSON.
    return module[spec.open] as OpenLog
  }).pipe(Effect.flatMap((open) => open(spec.options)))

/** What a writer process is told, one JSON object a line. Values travel as base64. */
export type WriterCommand =
  | { readonly do: "claim"; readonly writer: string; readonly topics: ReadonlyArray<Topic> }
  | { readonly do: "commit"; readonly id: string; readonly records: ReadonlyArray<WireRecord> }
  /** Commits numbers for ever, starting at `from`, with `inFlight` commits waiting at any time. */
  | { readonly do: "pump"; readonly from: number; readonly inFlight: number }

export interface WireRecord {
  readonly topic: Topic
  readonly key: string
  readonly value: string | null
}

/** What a writer process says, one JSON object a line. */
export type WriterReport =
  | { readonly said: "ready" }
  | { readonly said: "claimed"; readonly writer: string; readonly ends: Readonly<Record<string, number>> }
  | { readonly said: "committed"; readonly id: string; readonly offsets: ReadonlyArray<Offset> }
  | { readonly said: "failed"; readonly id: string; readonly error: string; readonly message: string }

/** A writer in a process of its own. */
export interface WriterProcess {
  readonly send: (command: WriterCommand) => void
  /** Everything it has said so far. After `exited` nothing is added. */
  readonly reports: ReadonlyArray<WriterReport>
  /** The first report of a kind, from now or before. Dies when the process ends or the deadline passes first. */
  readonly report: <Said extends WriterReport["said"]>(
    said: Said,
  ) => Effect.Effect<Extract<WriterReport, { said: Said }>>
  /** What became of the commit of an id. */
  readonly outcome: (id: string) => Effect.Effect<Extract<WriterReport, { said: "committed" | "failed" }>>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Effect.Effect<void>
}

/** After this, in milliseconds, what must happen never does: far longer than anything takes on the busiest machine. */
export const DEADLINE_MS = 180_000

/** Waits until a condition holds, looking every few milliseconds; dies with `what` when it does not come true. */
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

/** Lets a writer process claim a name. */
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
 * Every record in [from, upTo), once the log shows that far. A commit need not be visible the moment it returns, so a
 * test says how far it must see.
 */
export const readThrough = (log: EventLog, topic: Topic, from: Offset, upTo: Offset) =>
  Effect.gen(function* () {
    yield* until(`${topic} up to ${upTo}`, log.end(topic).pipe(Effect.map((end) => end >= upTo)))
    const batches = yield* log.read(topic, from).pipe(Stream.runCollect)
    return batches.flatMap((batch) => batch.records).filter(({ offset }) => offset < upTo)
  })

/** The offset after the last of some. */
export const endOf = (offsets: ReadonlyArray<Offset>): Offset => Math.max(-1, ...offsets) + 1

/** Rounds of a crash test: `ROUNDS` from the environment, else few. */
export const rounds = (few: number): number => Number(process.env.ROUNDS ?? few)
