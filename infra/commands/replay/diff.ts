import { type ChildProcess, fork } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { loadProcessors } from "../../../processors/registry.ts"
import {
  describeDifference,
  differencesOf,
  makeReplyComparison,
  type ReplyChange,
} from "../../../processors/run/compare-replies.ts"
import { replayedTopics, requireEvents } from "../../../processors/run/replay.ts"
import { makeStretch } from "../../../processors/run/stretch.ts"
import type { Envelope } from "../../../schemas/event.ts"
import type { Batch, StoredRecord } from "../../../schemas/ports/event-log.ts"
import { eventReader } from "../../../schemas/registry.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { DONE, FAILED } from "../arguments.ts"
import type { FromFold, HashedChange, ToFold } from "./fold-process.ts"
import type { Given } from "./into.ts"
import { fileSource, logSource } from "./source.ts"

const PROGRAM = fileURLToPath(new URL("fold-process.ts", import.meta.url))
const THIS_CHECKOUT = fileURLToPath(new URL("../../../", import.meta.url))

/** Bounds of what is folded before it is compared: both processes hold the replies of so many events. */
const COMPARED_RECORDS_MAX = 100
const COMPARED_BYTES_MAX = 2 * 1024 * 1024
/** Views and members that are shown. */
const VIEWS_SHOWN_MAX = 20
const MEMBERS_SHOWN_MAX = 10

/** A checkout cannot fold the log. */
class CheckoutRefused extends Schema.TaggedError<CheckoutRefused>()("CheckoutRefused", {
  checkout: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.checkout}: ${this.problem}`
  }
}

/** The code of a checkout, in a process of its own. */
interface FoldProcess {
  readonly ask: <Type extends FromFold["type"]>(
    message: ToFold,
    expected: Type,
  ) => Effect.Effect<Extract<FromFold, { readonly type: Type }>, CheckoutRefused>
}

/** The Node that a checkout brings. */
const nodeOf = (checkout: string): string => {
  const own = join(checkout, "node_modules/.bin/node")
  return existsSync(own) ? own : process.execPath
}

const startFold = (checkout: string): Effect.Effect<FoldProcess, CheckoutRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const refused = (problem: string) => new CheckoutRefused({ checkout, problem })
    const child: ChildProcess = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(PROGRAM, [checkout], {
          cwd: checkout,
          execPath: nodeOf(checkout),
          execArgv: ["--disable-warning=ExperimentalWarning", "--disable-warning=TimeoutNegativeWarning"],
          serialization: "advanced",
          // Standard output is that of the command alone.
          stdio: ["ignore", 2, 2, "ipc"],
        }),
      ),
      (running) => Effect.sync(() => running.kill("SIGKILL")),
    )
    let answered: (outcome: Result.Result<FromFold, CheckoutRefused>) => void = () => {}
    let ended: CheckoutRefused | null = null
    child.on("message", (message: FromFold) => {
      if (message.type === "refused") ended = refused(message.problem)
      answered(ended === null ? Result.succeed(message) : Result.fail(ended))
    })
    child.once("error", (cause) => {
      ended ??= refused(`its process cannot be started (${cause.message})`)
      answered(Result.fail(ended))
    })
    child.once("exit", (code, signal) => {
      ended ??= refused(`the process that folds with its code has ended (${signal ?? `exit code ${code}`})`)
      answered(Result.fail(ended))
    })
    const next = <Type extends FromFold["type"]>(begin: () => void, expected: Type) =>
      Effect.callback<Extract<FromFold, { readonly type: Type }>, CheckoutRefused>((resume) => {
        answered = (outcome) => {
          answered = () => {}
          if (Result.isFailure(outcome)) return resume(Effect.fail(outcome.failure))
          const message = outcome.success
          resume(
            message.type === expected
              ? Effect.succeed(message as Extract<FromFold, { readonly type: Type }>)
              : Effect.die(new Error(`${message.type} instead of ${expected}`)),
          )
        }
        if (ended !== null) return answered(Result.fail(ended))
        begin()
      })
    yield* next(() => {}, "ready")
    return { ask: (message, expected) => next(() => void child.send(message, () => {}), expected) }
  })

/** The record after which replies differ first; null for those that differ when the stretch begins. */
interface Cause {
  readonly topic: Topic
  readonly offset: number
  readonly event: Envelope<string, unknown>
}

const describeCause = (cause: Cause | null): string =>
  cause === null
    ? "when the stretch begins; without --from, the first event is named"
    : `after ${cause.event.type} ${cause.event.id} of ${cause.event.time} (${cause.topic}, offset ${cause.offset})`

const describeView = (key: string, cause: Cause | null, before: unknown, after: unknown): ReadonlyArray<string> => {
  if (before === undefined || after === undefined)
    return [key, `  only ${before === undefined ? "this" : "the other"} checkout has it ${describeCause(cause)}`]
  const { shown, count } = differencesOf(before, after, MEMBERS_SHOWN_MAX)
  return [
    key,
    `  ${describeCause(cause)}`,
    ...shown.map((difference) => `    ${describeDifference(difference)}`),
    ...(count > shown.length ? [`    and ${count - shown.length} more members`] : []),
  ]
}

const parsed = (text: string | null | undefined): unknown => (text == null ? undefined : JSON.parse(text))
const number = (value: number): string => value.toLocaleString("en-US")

/** The changes of each record, by its index. */
const byRecord = (changes: ReadonlyArray<HashedChange>): ReadonlyMap<number, ReadonlyArray<ReplyChange>> => {
  const groups = new Map<number, Array<ReplyChange>>()
  for (const [index, key, hash] of changes) {
    const group = groups.get(index)
    if (group === undefined) groups.set(index, [[key, hash]])
    else group.push([key, hash])
  }
  return groups
}

const NONE: ReadonlyArray<ReplyChange> = []

/**
 * Folds a log with the code of this checkout and with that of another one, and prints for each view that differs the first
 * event after which it does, and how: the other checkout's reply, then this one's. Both read the same records, and are compared
 * after each event. Succeeds with `FAILED` where any reply differs.
 */
export const diffCheckouts = (
  given: Given & { readonly checkout: string },
): Effect.Effect<number, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, progress, fromMs, toMs, file, checkout } = given
    if (!existsSync(join(checkout, "processors")))
      return yield* new CheckoutRefused({ checkout, problem: "there is no checkout of this project" })
    if (!existsSync(join(checkout, "node_modules")))
      return yield* new CheckoutRefused({ checkout, problem: "it lacks node_modules: run npm ci there" })
    const topics = replayedTopics(yield* Effect.promise(loadProcessors)).filter((topic) => topic !== "deltas")
    const source =
      file === null ? yield* logSource(settings, topics, progress) : yield* fileSource(file, topics, progress)
    const [before, after] = yield* Effect.all([startFold(checkout), startFold(THIS_CHECKOUT)], {
      concurrency: "unbounded",
    })
    const ask = <Type extends FromFold["type"]>(message: ToFold, expected: Type) =>
      Effect.all([before.ask(message, expected), after.ask(message, expected)], { concurrency: "unbounded" })

    const stretch = makeStretch(eventReader, { fromMs, toMs })
    const comparison = makeReplyComparison()
    const isBegun = new Set<Topic>()
    let events = 0
    let compared = 0
    let shown = 0

    /** Shows views of which the replies differ first after a record of the last message. */
    const show = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, index: number, cause: Cause | null) {
      const wanted = keys.slice(0, VIEWS_SHOWN_MAX - shown).map((key) => [key, index] as const)
      if (wanted.length === 0) return
      shown += wanted.length
      const [{ replies: earlier }, { replies: later }] = yield* ask({ type: "replies", wanted }, "replies")
      for (const [at, [key]] of wanted.entries())
        process.stdout.write(`${describeView(key, cause, parsed(earlier[at]), parsed(later[at])).join("\n")}\n`)
    })
    /** Compares what stands when the stretch begins in a topic: replies that no event of it changes differ here. */
    const begin = Effect.fnUntraced(function* () {
      const [one, other] = yield* ask({ type: "standing" }, "standing")
      yield* show(comparison.take(one.replies, other.replies), Number.MAX_SAFE_INTEGER, null)
    })
    const fold = Effect.fnUntraced(function* (topic: Topic, taken: ReadonlyArray<Taken>, compares: boolean) {
      if (taken.length === 0) return
      if (compares && !isBegun.has(topic)) {
        isBegun.add(topic)
        if (fromMs !== null) yield* begin()
      }
      events += taken.length
      const records = taken.map(({ record }) => record)
      const [one, other] = yield* ask({ type: "fold", topic, compares, records }, "folded")
      if (!compares) return
      compared += taken.length
      const ones = byRecord(one.changes)
      const others = byRecord(other.changes)
      for (const [index, { record, event }] of taken.entries()) {
        const first = comparison.take(ones.get(index) ?? NONE, others.get(index) ?? NONE)
        if (first.length > 0) yield* show(first, index, { topic, offset: record.offset, event })
      }
    })
    const takeBatch = Effect.fnUntraced(function* ({ topic, records }: Batch) {
      let waiting: Array<Taken> = []
      let waitingBytes = 0
      let compares = false
      for (const record of records) {
        const taken = stretch.take(topic, record)
        if (Result.isFailure(taken)) return yield* taken.failure
        if (taken.success === null) break
        const { event, isWithin } = taken.success
        const isFull = waiting.length >= COMPARED_RECORDS_MAX || waitingBytes >= COMPARED_BYTES_MAX
        if (isFull || isWithin !== compares) {
          yield* fold(topic, waiting, compares)
          waiting = []
          waitingBytes = 0
        }
        compares = isWithin
        waiting.push({ record, event })
        waitingBytes += record.value?.length ?? 0
      }
      yield* fold(topic, waiting, compares)
    })
    yield* Stream.runForEach(source.read(stretch.isOver), takeBatch)
    yield* requireEvents(stretch, { fromMs, toMs })
    // Topics without an event in the stretch have not begun.
    if (fromMs !== null) yield* begin()

    const lacks = source.lacks()
    if (lacks !== null) process.stderr.write(`${lacks}\n`)
    const { all, differing } = comparison.keys()
    const folded = `${number(compared)} events compared${compared === events ? "" : ` of ${number(events)} that were folded`}`
    if (differing === 0) {
      process.stderr.write(`no reply differs: ${number(all)} views, ${folded}\n`)
      return DONE
    }
    const rest = differing > shown ? `, the first ${shown} are shown` : ""
    process.stdout.write(`${number(differing)} of ${number(all)} views differ${rest}: ${folded}\n`)
    return FAILED
  })

interface Taken {
  readonly record: StoredRecord
  readonly event: Envelope<string, unknown>
}
