import { hash } from "node:crypto"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Processor, State, Step } from "../../../processors/processor.ts"
import type { EventReader } from "../../../schemas/event.ts"
import { canonicalJson, type Json } from "../../../schemas/json.ts"
import type { StoredRecord } from "../../../schemas/ports/event-log.ts"

// The process that folds with the code of one checkout: `fold-process.ts ROOT`. It runs this file of the checkout that
// compares, whatever ROOT is, and imports of ROOT what every version has: the processors, as `loadProcessors` of
// processors/registry.ts gives them, and `eventReader` of schemas/registry.ts. Types alone come from this checkout, and what
// they say of ROOT is checked where it is used.

/** Messages to the process. */
export type ToFold =
  /** Records of a topic. Until `compares`, their replies are kept and not hashed. */
  | {
      readonly type: "fold"
      readonly topic: string
      readonly compares: boolean
      readonly records: ReadonlyArray<StoredRecord>
    }
  /** Asks for the hashes of every reply as it stands. */
  | { readonly type: "standing" }
  /** Asks for replies after a record of the last message, by its index; -1: as they stood before it. */
  | { readonly type: "replies"; readonly wanted: ReadonlyArray<readonly [key: string, index: number]> }

/** One changed reply: the index of its record in the message, its key, and its hash, null where it is removed. */
export type HashedChange = readonly [index: number, key: string, hash: string | null]

/** Messages from the process, one for each that it gets, after `ready`. */
export type FromFold =
  | { readonly type: "ready" }
  /** This checkout cannot be used so, or its code cannot fold a record: the last message. */
  | { readonly type: "refused"; readonly problem: string }
  | { readonly type: "folded"; readonly changes: ReadonlyArray<HashedChange> }
  | { readonly type: "standing"; readonly replies: ReadonlyArray<readonly [key: string, hash: string]> }
  /** As JSON; null where there is none. */
  | { readonly type: "replies"; readonly replies: ReadonlyArray<string | null> }

/** What a reply is made of. The versions of stored forms are no part of it. */
interface Reply {
  readonly changedAt?: unknown
  readonly data?: unknown
  readonly freshness?: unknown
}

const send = (message: FromFold): void => void process.send?.(message)

const refuse = (problem: string): never => {
  // The message is flushed before the process ends.
  process.send?.({ type: "refused", problem } satisfies FromFold, () => process.exit(1))
  throw new Refused()
}
class Refused extends Error {}

/** A state as steps read it, with keys grouped by their first segment, as `keys` is asked for those of one group. */
const makeState = (): State & { readonly set: (key: string, value: Json | null) => void } => {
  const entries = new Map<string, Json>()
  const groups = new Map<string, Set<string>>()
  const groupOf = (text: string): string => text.slice(0, text.indexOf("/") + 1)
  return {
    get: (key) => entries.get(key),
    keys: (prefix) => {
      const group = groupOf(prefix)
      const keys = group === "" ? entries.keys() : (groups.get(group) ?? [])
      return [...keys].filter((key) => key.startsWith(prefix)).sort()
    },
    set: (key, value) => {
      const group = groupOf(key)
      if (value === null) {
        entries.delete(key)
        groups.get(group)?.delete(key)
        return
      }
      entries.set(key, value)
      const keys = groups.get(group)
      if (keys === undefined) groups.set(group, new Set([key]))
      else keys.add(key)
    },
  }
}

const hashes = new WeakMap<object, string>()

/** The hash of the canonical form of a value, computed once for an object: it is served until it changes. */
const hashOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return hash("sha256", canonicalJson(value ?? null), "base64url")
  const known = hashes.get(value)
  if (known !== undefined) return known
  const made = hash("sha256", canonicalJson(value), "base64url")
  hashes.set(value, made)
  return made
}

const without = (record: object, name: string): object =>
  Object.fromEntries(Object.entries(record).filter(([member]) => member !== name))

const hashOfReply = ({ changedAt, data, freshness }: Reply): string =>
  hash("sha256", [changedAt ?? "", hashOf(data), hashOf(freshness)].join("\n"), "base64url")

/** The replies that views have now, and had after each record of the last message. */
const makeReplies = () => {
  const standing = new Map<string, Reply>()
  let before = new Map<string, Reply | null>()
  let changed: Array<readonly [index: number, key: string, reply: Reply | null]> = []
  return {
    standing,
    begin: () => {
      before = new Map()
      changed = []
    },
    set: (index: number, key: string, reply: Reply | null) => {
      if (!before.has(key)) before.set(key, standing.get(key) ?? null)
      if (reply === null) standing.delete(key)
      else standing.set(key, reply)
      changed.push([index, key, reply])
    },
    changed: () => changed,
    after: (key: string, index: number): Reply | null => {
      const last = changed.findLast(([at, of]) => of === key && at <= index)
      if (last !== undefined) return last[2]
      return before.has(key) ? (before.get(key) ?? null) : (standing.get(key) ?? null)
    },
  }
}

interface Checkout {
  readonly processors: ReadonlyArray<Processor>
  readonly reader: EventReader
}

const load = async (root: string): Promise<Checkout> => {
  const from = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
    try {
      return await import(pathToFileURL(join(root, path)).href)
    } catch (cause) {
      return refuse(`${path} cannot be loaded (${cause instanceof Error ? cause.message.split("\n")[0] : cause})`)
    }
  }
  // What the installation follows is set before any declaration of the contract is loaded; earlier versions have no such file.
  const installation = await import(pathToFileURL(join(root, "infra/config/installation.ts")).href).catch(() => null)
  installation?.installFrom?.(process.env)
  const { eventReader } = await from("schemas/registry.ts")
  const { loadProcessors } = await from("processors/registry.ts")
  if (typeof loadProcessors !== "function") return refuse("processors/registry.ts has no loadProcessors")
  if (typeof (eventReader as EventReader | undefined)?.readEvent !== "function")
    return refuse("schemas/registry.ts has no eventReader")
  const processors: ReadonlyArray<Processor> = await loadProcessors()
  if (processors.length === 0 || processors.some(({ step }) => typeof step !== "function"))
    return refuse("processors/folds has no processors with a step")
  return { processors, reader: eventReader as EventReader }
}

/** A step is total, but that of an earlier version may meet what it has never seen. */
const stepOf = ({ name, step }: Processor, ...given: Parameters<Processor["step"]>): Step => {
  try {
    return step(...given)
  } catch (cause) {
    const [, event] = given
    return refuse(
      `its ${name} fails at event ${event.id} (${event.type}): ${cause instanceof Error ? cause.message : cause}`,
    )
  }
}

const serve = ({ processors, reader }: Checkout): void => {
  const folds = processors.map((processor) => ({ processor, state: makeState(), nowMs: 0 }))
  const replies = makeReplies()

  const foldRecord = (topic: string, { value, offset }: StoredRecord, index: number): void => {
    const own = folds.filter(({ processor }) => (processor.topic ?? "observations") === topic)
    if (own.length === 0 || value === null) return
    const read = reader.readEvent(value)
    const event =
      read._tag === "Success"
        ? read.success
        : refuse(`its code cannot fold offset ${offset} of ${topic}: ${read.failure.message}`)
    for (const fold of own) {
      fold.nowMs = Math.max(fold.nowMs, Date.parse(event.time))
      const step = stepOf(fold.processor, fold.state, event, fold.nowMs)
      for (const [key, changed] of step.state ?? []) fold.state.set(key, changed)
      for (const { key, body, freshness } of step.views ?? []) {
        const next: Reply = {
          ...replies.standing.get(key),
          ...(body === undefined ? {} : { changedAt: body?.changedAt, data: body?.data }),
          ...(freshness === undefined ? {} : { freshness: freshness === null ? undefined : without(freshness, "v") }),
        }
        const isGone = next.data === undefined && next.freshness === undefined
        replies.set(index, key, isGone ? null : next)
      }
    }
  }

  const answer = (message: ToFold): FromFold => {
    switch (message.type) {
      case "fold": {
        replies.begin()
        for (const [index, record] of message.records.entries()) foldRecord(message.topic, record, index)
        const changes = message.compares ? replies.changed() : []
        return {
          type: "folded",
          changes: changes.map(
            ([index, key, reply]) => [index, key, reply === null ? null : hashOfReply(reply)] as const,
          ),
        }
      }
      case "standing":
        return {
          type: "standing",
          replies: [...replies.standing].map(([key, reply]) => [key, hashOfReply(reply)] as const),
        }
      case "replies":
        return {
          type: "replies",
          replies: message.wanted.map(([key, index]) => {
            const reply = replies.after(key, index)
            return reply === null ? null : JSON.stringify(reply)
          }),
        }
    }
  }
  process.on("message", (message: ToFold) => {
    try {
      send(answer(message))
    } catch (cause) {
      if (!(cause instanceof Refused)) throw cause
    }
  })
  send({ type: "ready" })
}

const [root = ""] = process.argv.slice(2)
// The comparing process has gone.
process.once("disconnect", () => process.exit(1))
try {
  serve(await load(root))
} catch (cause) {
  if (!(cause instanceof Refused)) throw cause
}
