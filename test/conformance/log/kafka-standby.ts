import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import { record } from "./harness.ts"
import { open } from "./kafka-quiet.ts"

// A standby in its own process: waits for its turn, claims the name, and commits repeatedly, with a line for each commit.

const { name, options }: { readonly name: string; readonly options: KafkaOptions } = JSON.parse(process.argv[2] ?? "")

const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const serve = Effect.gen(function* () {
  const log = yield* open(options)
  yield* say("waiting")
  yield* log.awaitTurn("ingest")
  yield* say("turn")
  const writer = yield* log.claim("ingest", ["deltas"])
  yield* say("claimed")
  for (;;) {
    yield* writer.commit([record("deltas", "served-by", name)])
    yield* say("committed")
    yield* Effect.sleep("100 millis")
  }
})

await Effect.runPromise(
  Effect.scoped(serve).pipe(Effect.catch((error) => Effect.andThen(say(`failed ${error._tag}`), Effect.never))),
)
