import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { loadProcessors } from "../../../processors/registry.ts"
import { type Replayed, replayedTopics, replayInto } from "../../../processors/run/replay.ts"
import { instant } from "../../../schemas/event.ts"
import type { Progress } from "../../../schemas/ports/progress.ts"
import { localUrl } from "../../config/address.ts"
import type { Settings } from "../../config/settings.ts"
import { openLmdbLog } from "../../log/lmdb/event-log.ts"
import { renameDurably } from "../../log/lmdb/store.ts"
import { lmdbPath } from "../../log/open.ts"
import { holdDirectory } from "../../system/data-directory.ts"
import { codeOf, messageOf } from "../../system/error.ts"
import { outwardVariables, writeReplay } from "../../system/replay-folder.ts"
import { DONE } from "../arguments.ts"
import { fileSource, logSource } from "./source.ts"

/** What is replayed. */
export interface Given {
  readonly settings: Settings
  readonly progress: Progress
  /** In milliseconds since the epoch; null: the begin and the end of the log. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** A file of a backup or an export; null: the log of the settings. */
  readonly file: string | null
}

/** The folder cannot take a replay. */
class FolderRefused extends Schema.TaggedError<FolderRefused>()("FolderRefused", {
  directory: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.directory}: ${this.problem}`
  }
}

/** Fails unless there is no such folder, or an empty one. */
const refuseFilled = (directory: string): Effect.Effect<void, FolderRefused> =>
  Effect.suspend(() => {
    const refuse = (problem: string) => Effect.fail(new FolderRefused({ directory, problem }))
    try {
      if (statSync(directory, { throwIfNoEntry: false }) === undefined) return Effect.void
      return readdirSync(directory).length === 0
        ? Effect.void
        : refuse("it is not empty; a replay wants a folder of its own")
    } catch (cause) {
      return refuse(codeOf(cause) === "ENOTDIR" ? "it is no folder" : messageOf(cause))
    }
  })

/** A new folder beside one, which gets its name once it is complete; whatever ends the command before, nothing is left. */
const besideFolder = (directory: string): Effect.Effect<string, FolderRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        mkdirSync(dirname(directory), { recursive: true })
        return mkdtempSync(join(dirname(directory), `.${basename(directory)}.replay-`))
      },
      catch: (cause) => new FolderRefused({ directory, problem: `it cannot be made: ${messageOf(cause)}` }),
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )

const PORTS_APART = 10_000
const PORT_MAX = 65_535

/** The settings of a service that stands beside the one of these settings. */
const besideSettings = (settings: Settings, directory: string): ReadonlyArray<readonly [string, string]> => {
  const beside = (port: number) => String(port + PORTS_APART > PORT_MAX ? port - PORTS_APART : port + PORTS_APART)
  return [
    ...outwardVariables(settings).map((variable) => [variable, ""] as const),
    ["DATA_DIR", directory],
    ["PORT", beside(settings.port)],
    ["ADMIN_PORT", beside(settings.adminPort)],
    ["CLICKHOUSE_HTTP_PORT", beside(settings.clickhouseHttpPort)],
    ["CLICKHOUSE_TCP_PORT", beside(settings.clickhouseTcpPort)],
  ]
}

const quoted = (value: string): string =>
  /^[\w@%+:,./-]*$/u.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`

const count = (value = 0): string => value.toLocaleString("en-US")

/** Where the stretch ends that the source had: as asked, or at its last event. */
const endOf = ({ toMs }: Given, { isOver, lastMs }: Replayed): number => (isOver && toMs !== null ? toMs : lastMs)

const report = (given: Given, replayed: Replayed, directory: string, lacks: string | null): ReadonlyArray<string> => {
  const { fromMs, toMs, settings } = given
  const { firstMs, lastMs, isOver, events, kept } = replayed
  const atMs = endOf(given, replayed)
  const keptText = Object.entries(kept).map(([topic, records]) => `${count(records)} of ${topic}`)
  const variables = besideSettings(settings, directory)
  const port = Number(Object.fromEntries(variables).PORT)
  return [
    `folded ${count(events)} events, from ${instant(firstMs)} to ${instant(Math.min(lastMs, atMs))}`,
    ...(fromMs !== null && fromMs < firstMs ? [`the log begins at ${instant(firstMs)}, after --from`] : []),
    ...(!isOver && toMs !== null && lastMs < toMs ? [`the log ends at ${instant(lastMs)}, before --to`] : []),
    ...(lacks === null ? [] : [lacks]),
    `kept in its log: ${keptText.join(", ")}`,
    "",
    `The service answers from it as at ${instant(atMs)}, and polls nothing:`,
    "",
    `  ${variables.map(([name, value]) => `${name}=${quoted(value)}`).join(" ")} npm start`,
    `  curl ${localUrl(settings.host, port)}/api`,
  ]
}

/** Folds a stretch of a log into a new data folder, and prints how the service is started on it. */
export const replayIntoFolder = (
  given: Given & { readonly directory: string },
): Effect.Effect<number, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, progress, fromMs, toMs, file, directory } = given
    yield* refuseFilled(directory)
    const processors = yield* Effect.promise(loadProcessors)
    const topics = replayedTopics(processors)
    const source =
      file === null ? yield* logSource(settings, topics, progress) : yield* fileSource(file, topics, progress)
    const path = yield* besideFolder(directory)
    const replayed = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* holdDirectory(path)
        const into = yield* openLmdbLog({ path: lmdbPath({ dataDirectory: path }) })
        return yield* replayInto({ processors, read: source.read, into, fromMs, toMs })
      }),
    )
    const from = instant(Math.max(fromMs ?? replayed.firstMs, replayed.firstMs))
    yield* Effect.try({
      try: () => {
        writeReplay(path, { from, at: instant(endOf(given, replayed)) })
        renameDurably(path, directory)
      },
      catch: (cause) => new FolderRefused({ directory, problem: `it cannot be named: ${messageOf(cause)}` }),
    })
    process.stdout.write(`${report(given, replayed, directory, source.lacks()).join("\n")}\n`)
    return DONE
  })
