import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { FencedWriter, LogRecord } from "../../../schemas/ports/event-log.ts"
import {
  type AdapterSpec,
  openAdapter,
  record,
  type WireRecord,
  type WriterCommand,
  type WriterReport,
} from "./harness.ts"

// A writer in its own process, for tests that kill or suspend it: opens the log of the spec in its argument, reads commands
// from its input, and prints what was acknowledged. It prints synchronously, so that no line is lost in a kill.

const spec: AdapterSpec = JSON.parse(process.argv[2] ?? "")
const say = (report: WriterReport) => writeSync(1, `${JSON.stringify(report)}\n`)

const scope = Scope.makeUnsafe()
const log = await Effect.runPromise(openAdapter(spec).pipe(Scope.provide(scope)))
let writer: FencedWriter | undefined

const decode = ({ topic, key, value }: WireRecord): LogRecord => ({
  topic,
  key,
  value: value === null ? null : new Uint8Array(Buffer.from(value, "base64")),
})

const report = <A>(id: string, effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }>) =>
  effect.pipe(
    Effect.map((value) => ({ value })),
    Effect.catch((error) =>
      Effect.sync(() => {
        say({ said: "failed", id, error: error._tag, message: error.message })
        return undefined
      }),
    ),
  )

const commit = (id: string, records: ReadonlyArray<LogRecord>) =>
  Effect.gen(function* () {
    if (writer === undefined) return yield* Effect.die(new Error("commit before claim"))
    const committed = yield* report(id, writer.commit(records))
    if (committed !== undefined) say({ said: "committed", id, offsets: committed.value.offsets })
    return committed !== undefined
  })

/** The records of number n: two topics and the checkpoint, so that a torn commit is detected. */
const numbered = (n: number): ReadonlyArray<LogRecord> => [
  record("observations", `number-${n}`, `${n}`),
  record("deltas", `number-${n}`, `${n}`),
  record("checkpoints", "pump", `${n}`),
]

const pump = async (from: number, inFlight: number) => {
  let next = from
  const caller = async () => {
    for (;;) {
      const n = next++
      if (!(await Effect.runPromise(commit(`${n}`, numbered(n))))) return
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
}

const obey = async (command: WriterCommand): Promise<void> => {
  switch (command.do) {
    case "claim": {
      const claimed = await Effect.runPromise(
        report("claim", log.claim(command.writer, command.topics).pipe(Scope.provide(scope))),
      )
      if (claimed === undefined) return
      writer = claimed.value
      say({ said: "claimed", writer: command.writer, ends: claimed.value.ends as Record<string, number> })
      return
    }
    case "commit":
      await Effect.runPromise(commit(command.id, command.records.map(decode)))
      return
    case "pump":
      await pump(command.from, command.inFlight)
  }
}

say({ said: "ready" })
let turn: Promise<void> = Promise.resolve()
for await (const line of createInterface({ input: process.stdin })) {
  const command: WriterCommand = JSON.parse(line)
  turn = turn.then(() => obey(command))
}
await turn
await Effect.runPromise(Scope.close(scope, Exit.void))
