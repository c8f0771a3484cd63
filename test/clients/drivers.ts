import { spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type * as client from "../../.clients/typescript/index.js"
import { camelCase } from "../../api/clients/print/names.ts"

// Both clients behind one interface, so that one test holds for both.

/** A call that a test makes. */
interface Asked {
  readonly baseUrl: string
  readonly token?: string
  readonly keys?: client.KeySet
  /** Name of the operation in the contract. */
  readonly operation: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly timeoutMs?: number
  readonly maxAgeMs?: number
  readonly bodyBytesMax?: number
  readonly verifyReceipts?: boolean
  readonly idempotencyKey?: string | null
}

/** The end of a call. The members of an error have the names of the wire; those that it lacks are absent. */
interface Outcome {
  readonly reply: unknown
  readonly error: (Readonly<Record<string, unknown>> & { readonly type: string }) | null
  /** The status of each response. */
  readonly statuses: ReadonlyArray<number>
  /** Whether each response was one that was sent before. */
  readonly replayed: ReadonlyArray<boolean>
}

/** An iteration over changes that a test makes. */
interface AskedChanges {
  readonly baseUrl: string
  readonly bodyBytesMax?: number
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly failuresMax?: number
  readonly silenceMs?: number
  /** After how many changes the caller leaves the loop. */
  readonly changesMax?: number
  /** After how many cursors without a change the caller stops, while the client waits for more. */
  readonly cursorsMax?: number
  /** After how many connections the caller stops, before the pause. */
  readonly connectionsMax?: number
}

/** The end of an iteration: by the caller, or with an error. */
interface ChangesOutcome {
  readonly changes: ReadonlyArray<unknown>
  readonly cursors: ReadonlyArray<string>
  /** Why each connection ended, and the pause after it. */
  readonly ends: ReadonlyArray<{ readonly cause: string | null; readonly pauseMs: number }>
  readonly error: Outcome["error"]
}

/** A client of one language. */
export interface Driver {
  readonly language: "TypeScript" | "Python"
  readonly call: (asked: Asked) => Promise<Outcome>
  /** Reads changes with each of these at the same time. */
  readonly changes: (asked: ReadonlyArray<AskedChanges>) => Promise<ReadonlyArray<ChangesOutcome>>
}

const defined = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const membersOfErrors = {
  idempotency_key: "idempotencyKey",
  status: "status",
  error: "error",
  parameter: "parameter",
  allowed: "allowed",
  retry_after_seconds: "retryAfterSeconds",
  problem: "problem",
  as_of: "asOf",
  reply: "reply",
  cursor: "cursor",
  oldest: "oldest",
}
const described = (error: client.TidewireError): NonNullable<Outcome["error"]> => ({
  type: error.name,
  ...defined(
    Object.fromEntries(Object.entries(membersOfErrors).map(([name, member]) => [name, Reflect.get(error, member)])),
  ),
})

const readChanges = async (exported: typeof client, asked: AskedChanges): Promise<ChangesOutcome> => {
  const { baseUrl, bodyBytesMax, parameters, changesMax, cursorsMax, connectionsMax, ...options } = asked
  const stop = new AbortController()
  const changes: Array<unknown> = []
  const cursors: Array<string> = []
  const ends: Array<ChangesOutcome["ends"][number]> = []
  try {
    const read = new exported.Tidewire({ baseUrl, bodyBytesMax }).changes(parameters, {
      ...options,
      signal: stop.signal,
      onCursor: (cursor) => {
        if (cursors.push(cursor) === cursorsMax) setImmediate(() => stop.abort())
      },
      onReconnect: ({ cause, pauseMs }) => {
        if (ends.push({ cause: cause?.name ?? null, pauseMs }) === connectionsMax) stop.abort()
      },
    })
    for await (const change of read) if (changes.push(change) === changesMax) break
    return { changes, cursors, ends, error: null }
  } catch (cause) {
    if (!(cause instanceof exported.TidewireError) && cause !== stop.signal.reason) throw cause
    return { changes, cursors, ends, error: cause instanceof exported.TidewireError ? described(cause) : null }
  }
}

/** The client of TypeScript, as this module exports it, with this `fetch` in place of its own. */
export const typescriptDriver = (exported: typeof client, fetchOfCalls?: typeof fetch): Driver => ({
  language: "TypeScript",
  call: async (asked) => {
    const { baseUrl, token, keys, operation, parameters, body, ...options } = asked
    const statuses: Array<number> = []
    const replayed: Array<boolean> = []
    const onResponse: NonNullable<client.CallOptions["onResponse"]> = ({ status, headers }) => {
      statuses.push(status)
      replayed.push(headers.get("idempotent-replayed") === "true")
    }
    const tidewire = new exported.Tidewire({ baseUrl, token, keys, fetch: fetchOfCalls })
    const method: unknown = Reflect.get(tidewire, camelCase(operation))
    if (typeof method !== "function") throw new Error(`the client has no method for ${operation}`)
    const sent = [body, parameters].filter((one) => one !== undefined)
    // A method has an argument for its parameters, unless it has none.
    const arguments_ = sent.length === 0 && method.length > 1 ? [{}] : sent
    try {
      const reply: unknown = await method.call(tidewire, ...arguments_, { ...options, onResponse })
      return { reply, error: null, statuses, replayed }
    } catch (cause) {
      if (!(cause instanceof exported.TidewireError)) throw cause
      return { reply: null, error: described(cause), statuses, replayed }
    }
  },
  changes: (asked) => Promise.all(asked.map((one) => readChanges(exported, one))),
})

/** The program that runs Python. */
export const PYTHON = process.env.PYTHON ?? "python3"

/** Why the client of Python cannot be run; undefined if it can. */
export const pythonMissing = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0
    ? undefined
    : "there is no Python 3.11 (PYTHON names it)"

/** The environment of a program of Python with modules of a folder. */
export const pythonEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PYTHONPATH: folder,
  PYTHONDONTWRITEBYTECODE: "1",
})

/** Runs a program of Python with modules of this folder. Rejects where it fails. */
export const runPython = (folder: string, words: ReadonlyArray<string>, input = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(PYTHON, words, { env: pythonEnvironment(folder) })
    let [output, errors] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString()
    })
    child.once("error", reject)
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`${output}${errors}`))))
    child.stdin.end(input)
  })

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000)

/** The client of Python, as it stands in this folder. */
export const pythonDriver = (folder: string): Driver => {
  const run = async (request: unknown) => {
    const driver = fileURLToPath(new URL("./driver.py", import.meta.url))
    const { from, ...outcome } = JSON.parse(await runPython(folder, [driver], JSON.stringify(request)))
    if (!String(from).startsWith(folder)) throw new Error(`the client of another folder was used: ${from}`)
    return outcome
  }
  return {
    language: "Python",
    call: async (asked) => {
      const { baseUrl, token, keys, operation, parameters = {}, body = null } = asked
      return run({
        base_url: baseUrl,
        client: defined({ token, keys, body_bytes_max: asked.bodyBytesMax }),
        operation,
        parameters,
        body,
        options: defined({
          timeout_seconds: seconds(asked.timeoutMs),
          max_age_seconds: seconds(asked.maxAgeMs),
          verify_receipts: asked.verifyReceipts,
          idempotency_key: asked.idempotencyKey,
        }),
      })
    },
    changes: async (asked) => {
      const { outcomes } = await run({
        readers: asked.map(({ baseUrl, bodyBytesMax, parameters = {}, silenceMs, failuresMax, ...stops }) => ({
          base_url: baseUrl,
          client: defined({ body_bytes_max: bodyBytesMax }),
          parameters,
          options: defined({ failures_max: failuresMax, silence_seconds: seconds(silenceMs) }),
          stops,
        })),
      })
      return outcomes
    },
  }
}
