import { createHash } from "node:crypto"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { record } from "../log/harness.ts"

/** The topics of the numbered commits. */
export const COMMIT_TOPICS = ["observations", "views", "checkpoints", "deltas"] as const satisfies ReadonlyArray<Topic>
export type CommitTopic = (typeof COMMIT_TOPICS)[number]

/** The largest batch of a topic in these tests: the large commits need several for a topic. */
export const BATCH_MAX_BYTES = 256 * 1024
const TOPIC_RECORDS_MAX = 4
const SMALL_MAX_CHARACTERS = 250
const LARGE_CHARACTERS = 90_000
/** One commit of so many is large. */
const LARGE_EVERY = 400

/** A commit's records, made of its writer and number alone: one to four topics, several records each. No key is used twice. */
export const recordsOfCommit = (
  writer: string,
  n: number,
): ReadonlyArray<LogRecord & { readonly topic: CommitTopic }> => {
  const bytes = createHash("sha256").update(`${writer}/${n}`).digest()
  const chosen = 1 + ((bytes[0] ?? 0) % (2 ** COMMIT_TOPICS.length - 1))
  const isLarge = bytes.readUInt32BE(1) % LARGE_EVERY === 0
  return COMMIT_TOPICS.filter((_, index) => (chosen >> index) & 1).flatMap((topic, place) => {
    const count = isLarge ? TOPIC_RECORDS_MAX : 1 + ((bytes[5 + place] ?? 0) % TOPIC_RECORDS_MAX)
    return Array.from({ length: count }, (_, index) => {
      const length = isLarge ? LARGE_CHARACTERS : (bytes[9 + 4 * place + index] ?? 0) % SMALL_MAX_CHARACTERS
      return { ...record(topic, `${writer}/${n}/${index}`, `${n} ${"x".repeat(length)}`), topic }
    })
  })
}

/** The number of commits that a writer sends at once, from one to 32. */
export const windowOf = (writer: string, n: number): number =>
  1 + ((createHash("sha256").update(`window ${writer}/${n}`).digest()[0] ?? 0) % 32)

/** The writer and the number of a record's commit. */
export const commitOfKey = (key: string): { readonly writer: string; readonly n: number } => {
  const [writer = "", n] = key.split("/")
  return { writer, n: Number(n) }
}

/** The records of a topic that a reader received, as a digest of their keys and values in their order. */
export class ReadDigest {
  readonly #hash = createHash("sha256")
  count = 0

  add(one: { readonly key: string; readonly value: Uint8Array | null }): void {
    this.#hash.update(`${one.key}\n${one.value?.byteLength ?? "none"}\n`).update(one.value ?? new Uint8Array())
    this.count += 1
  }

  /** The digest as it stands, with the number of records. */
  text(): string {
    return `${this.count} records, ${this.#hash.copy().digest("hex")}`
  }
}
