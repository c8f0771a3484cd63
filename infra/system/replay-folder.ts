import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Instant } from "../../schemas/event.ts"
import { codeOf } from "./error.ts"

const FILE = "replay.json"

/** What a folder that `npm run replay` made holds: the log between two instants, and the views at the second one. */
const Replay = Schema.Struct({
  v: Schema.Literal(1),
  /** From when on events and changes are in its log. */
  from: Instant,
  /** The instant at which its views stand, and for which the service answers. */
  at: Instant,
})
export type Replay = typeof Replay.Type

/** A folder of a replay cannot be used so. */
class ReplayMisused extends Schema.TaggedError<ReplayMisused>()("ReplayMisused", {
  directory: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `DATA_DIR: ${this.directory} was made by npm run replay: ${this.problem}`
  }
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Replay))

/** Marks a folder as that of a replay. */
export const writeReplay = (directory: string, replay: Omit<Replay, "v">): void =>
  writeFileSync(join(directory, FILE), `${JSON.stringify({ v: 1, ...replay } satisfies Replay)}\n`, { flush: true })

/** Reads the mark of a folder; null where it is not that of a replay. */
const readReplay = (directory: string): Effect.Effect<Replay | null, ReplayMisused> =>
  Effect.suspend(() => {
    let text: string
    try {
      text = readFileSync(join(directory, FILE), "utf8")
    } catch (cause) {
      // Where the folder is a file, the start says so by itself.
      if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return Effect.succeed(null)
      return Effect.fail(new ReplayMisused({ directory, problem: `${FILE} cannot be read` }))
    }
    return Option.match(decode(text), {
      onNone: () => Effect.fail(new ReplayMisused({ directory, problem: `${FILE} cannot be decoded by this code` })),
      onSome: Effect.succeed,
    })
  })

/** The settings that reach beyond the folder: a replay must not write to engines in use, nor sell anything. */
export interface OutwardSettings {
  readonly dataDirectory: string
  readonly kafkaBrokers: unknown
  readonly clickhouseUrl: unknown
  readonly walletAddress: unknown
  readonly internalPort: unknown
}

/** Those of the settings that must not be set beside a folder of a replay, by their variables. */
export const outwardVariables = ({
  kafkaBrokers,
  clickhouseUrl,
  walletAddress,
  internalPort,
}: OutwardSettings): ReadonlyArray<string> =>
  Object.entries({
    KAFKA_BROKERS: kafkaBrokers,
    CLICKHOUSE_URL: clickhouseUrl,
    WALLET_ADDRESS: walletAddress,
    INTERNAL_PORT: internalPort,
  }).flatMap(([variable, value]) => (value === null ? [] : [variable]))

/** The replay that the data folder of the settings holds, for a service that starts on it; null where it holds none. */
export const replayOf = (settings: OutwardSettings): Effect.Effect<Replay | null, ReplayMisused> =>
  Effect.flatMap(readReplay(settings.dataDirectory), (replay) => {
    const set = outwardVariables(settings)
    return replay === null || set.length === 0
      ? Effect.succeed(replay)
      : Effect.fail(
          new ReplayMisused({
            directory: settings.dataDirectory,
            problem: `${set.join(", ")} must not be set beside it`,
          }),
        )
  })

/** Fails where the data folder is that of a replay: its log lacks what views are made of. */
export const refuseReplay = (directory: string): Effect.Effect<void, ReplayMisused> =>
  Effect.flatMap(readReplay(directory), (replay) =>
    replay === null
      ? Effect.void
      : Effect.fail(
          new ReplayMisused({
            directory,
            problem: `its log begins at ${replay.from} and cannot be rebuilt; replay it again instead`,
          }),
        ),
  )
