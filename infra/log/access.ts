import { datedTopics, type Topic, topicNames } from "../../schemas/topics.ts"
import type { Role } from "../config/setting-table.ts"

/** The topics that a process uses. */
export interface LogAccess {
  readonly reads: ReadonlyArray<Topic>
  readonly writes: ReadonlyArray<Topic>
  /** The topics of which it drops old records. */
  readonly trims: ReadonlyArray<Topic>
  /** The topic that shows whether the log answers: without it this process does not work. */
  readonly watches: Topic
}

/**
 * The topics of each role. A process opens these alone, so that the table and the code cannot differ; the access rules of
 * brokers are made of it. Every role reads `imports`, as half an import is refused, and every writer writes `checkpoints`,
 * where claims are ordered by their fences.
 */
export const logAccess: Readonly<Record<Exclude<Role, "all">, LogAccess>> = {
  ingest: {
    reads: ["checkpoints", "imports"],
    writes: ["observations", "quarantine", "checkpoints"],
    trims: [],
    watches: "observations",
  },
  process: {
    reads: topicNames,
    writes: ["checkpoints", "digests", "views", "deltas", "versions"],
    trims: datedTopics,
    watches: "checkpoints",
  },
  ledger: {
    reads: ["ledger", "checkpoints", "imports"],
    writes: ["ledger", "checkpoints"],
    trims: [],
    watches: "ledger",
  },
  api: {
    reads: ["views", "deltas", "purges", "replies", "imports"],
    writes: ["usage", "replies"],
    trims: [],
    watches: "views",
  },
}

/** Every topic of an access, each once. */
export const topicsOf = ({ reads, writes, trims }: LogAccess): ReadonlyArray<Topic> =>
  topicNames.filter((topic) => [...reads, ...writes, ...trims].includes(topic))
