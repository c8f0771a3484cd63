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

/** A client of one language. */
export interface Driver {
  readonly language: "TypeScript" | "Python"
  readonly call: (asked: Asked) => Promise<Outcome>
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
}
const described = (error: client.TidewireError): NonNullable<Outcome["error"]> => ({
  type: error.name,
  ...defined(
    Object.fromEntries(Object.entries(membersOfErrors).map(([name, member]) => [name, Reflect.get(error, member)])),
  ),
})

/** The client of TypeScript, as this module exports it. */
export const typescriptDriver = (exported: typeof client): Driver => ({
  language: "TypeScript",
  call: async (asked) => {
    const { baseUrl, token, keys, operation, parameters, body, ...options } = asked
    const statuses: Array<number> = []
    const replayed: Array<boolean> = []
    const onResponse: NonNullable<client.CallOptions["onResponse"]> = ({ status, headers }) => {
      statuses.push(status)
      replayed.push(headers.get("idempotent-replayed") === "true")
    }
    const tidewire = new exported.Tidewire({ baseUrl, token, keys })
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
})

const PYTHON = process.env.PYTHON ?? "python3"

/** Why the client of Python cannot be run; undefined if it can. */
export const pythonMissing = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0
    ? undefined
    : "there is no Python 3.11 (PYTHON names it)"

/** Runs a program of Python with modules of this folder. Rejects where it fails. */
export const runPython = (folder: string, words: ReadonlyArray<string>, input = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(PYTHON, words, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
    })
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
export const pythonDriver = (folder: string): Driver => ({
  language: "Python",
  call: async (asked) => {
    const { baseUrl, token, keys, operation, parameters = {}, body = null } = asked
    const request = {
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
    }
    const driver = fileURLToPath(new URL("./driver.py", import.meta.url))
    const { from, ...outcome } = JSON.parse(await runPython(folder, [driver], JSON.stringify(request)))
    if (!String(from).startsWith(folder)) throw new Error(`the client of another folder was used: ${from}`)
    return outcome
  },
})
