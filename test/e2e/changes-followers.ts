import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as client from "../../.clients/typescript/index.js"
import { openLog } from "../../infra/log/open.ts"
import { numberedIn } from "../../processors/changes/numbered.ts"
import { makeStating } from "../../processors/changes/stated.ts"
import type { View } from "../../processors/view/view.ts"
import { type Change, parseCursor } from "../../schemas/change.ts"
import { eventReader } from "../../schemas/registry.ts"
import { everythingShown } from "../changes/numbered-changes.ts"
import { seededChance } from "../changes/simulation/chance.ts"
import { PYTHON, pythonEnvironment, pythonMissing } from "../clients/drivers.ts"
import { packages } from "../clients/make-packages.ts"
import { doors, readChanges } from "../support/changes-readers.ts"
import { settingsOf } from "../support/everything-kept.ts"

// Readers of all changes on every door, as they come, for tests that do not know which ones will: each keeps what it got.

/** A reader, and what it has got so far. */
interface Follower {
  readonly name: string
  readonly changes: ReadonlyArray<Change>
  /** Rejects with what went wrong; resolves once it is closed. */
  readonly ended: Promise<void>
}

/** Readers on every door, from the start on. */
export interface Followers {
  readonly all: ReadonlyArray<Follower>
  readonly close: () => Promise<void>
}

/** Few enough connections for the share of one client. */
const PACE = { cutMaxMs: 5_000, pauseMs: 1_500 }

/** Keeps changes, whose cursors must ascend within one log. */
class Collected {
  readonly changes: Array<Change> = []
  #last: string | null = null
  isClosed = false

  cursor(): string | null {
    return this.#last
  }

  receive(change: Change): void {
    this.#ascend(change.cursor, 1)
    this.changes.push(change)
  }

  moveTo(cursor: string): void {
    this.#ascend(cursor, 0)
  }

  hasEnded(): boolean {
    return this.isClosed
  }

  #ascend(text: string, least: number): void {
    const [from, to] = [parseCursor(this.#last ?? text), parseCursor(text)]
    const by = (to?.ordinal ?? Number.NaN) - (this.#last === null ? 0 : (from?.ordinal ?? Number.NaN))
    if (to?.log !== from?.log || !(by >= least)) throw new Error(`${text} came behind ${this.#last}`)
    this.#last = text
  }
}

const inTypescript = (url: string, collected: Collected, signal: AbortSignal): Promise<void> =>
  (async () => {
    const changes = new client.Tidewire({ baseUrl: url }).changes({ after: "start" }, { signal })
    for await (const change of changes) collected.receive(change as Change)
  })().catch((cause: unknown) => {
    if (cause !== signal.reason) throw cause
  })

const inPython = (url: string, collected: Collected, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL("../clients/follow.py", import.meta.url))
    const child = spawn(PYTHON, [script, url], { env: pythonEnvironment(`${packages}/python`) })
    let errors = ""
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString()
    })
    createInterface(child.stdout).on("line", (line) => {
      try {
        collected.receive(JSON.parse(line))
      } catch (cause) {
        reject(cause)
        child.kill("SIGKILL")
      }
    })
    signal.addEventListener("abort", () => child.kill("SIGKILL"))
    child.once("error", reject)
    child.once("close", () => (signal.aborted ? resolve() : reject(new Error(`it ended: ${errors}`))))
  })

/** Starts a reader on every door: pages, long-poll and streams whose connections are cut, and the clients. */
export const startFollowers = (url: string): Followers => {
  const chance = seededChance(1)
  const closing = new AbortController()
  const follow = (name: string, read: (collected: Collected) => Promise<void>) => {
    const collected = new Collected()
    closing.signal.addEventListener("abort", () => {
      collected.isClosed = true
    })
    const ended = read(collected)
    ended.catch(() => undefined)
    return { name, changes: collected.changes, ended }
  }
  const all = [
    ...doors.map((door) => follow(door, (sink) => readChanges({ url, door, sink, chance, ...PACE }))),
    follow("the client in TypeScript", (sink) => inTypescript(url, sink, closing.signal)),
    ...(pythonMissing() === undefined
      ? [follow("the client in Python", (sink) => inPython(url, sink, closing.signal))]
      : []),
  ]
  return {
    all,
    close: async () => {
      closing.abort()
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}

/** What a log holds, in its order: the numbers of all changes, and how those are stated that these views show. */
export const loggedChanges = (
  environment: Readonly<Record<string, string>>,
  views: ReadonlyArray<View>,
): Promise<{ readonly ordinals: ReadonlyArray<number>; readonly stated: ReadonlyArray<Change> }> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLog(settingsOf(environment))
        const numbered = [...(yield* Stream.runCollect(log.read("deltas", 0)))].flatMap(({ records }) =>
          numberedIn(records),
        )
        const state = makeStating({ ...everythingShown, views })
        return {
          ordinals: numbered.map(({ cursor }) => cursor.ordinal),
          stated: numbered.flatMap(
            ({ cursor, value }) => state(Result.getOrThrow(eventReader.readEvent(value)), cursor) ?? [],
          ),
        }
      }),
    ),
  )
