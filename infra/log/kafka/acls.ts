import { INGEST_WRITER } from "../../../ingestors/poll/ingest-log.ts"
import { LEDGER_WRITER } from "../../../ledger/write/session.ts"
import { WRITER as HISTORY_WRITER } from "../../../processors/history/state.ts"
import { PURGE_WRITER } from "../../../processors/purges/purge-list.ts"
import { loadProcessors } from "../../../processors/registry.ts"
import { writerOf } from "../../../processors/run/runner.ts"
import { topicNames } from "../../../schemas/topics.ts"
import { type LogAccess, logAccess, topicsOf } from "../access.ts"
import { IMPORT_WRITER } from "../transfer/import-mark.ts"
import { clusterTopic, transactionalIdOf, turnGroupOf } from "./client.ts"

/** One rule of a broker's authorizer: a user may do these operations on these resources. */
interface Rule {
  readonly operations: ReadonlyArray<"Create" | "Delete" | "Describe" | "DescribeConfigs" | "Read" | "Write">
  readonly topics?: ReadonlyArray<string>
  readonly groups?: ReadonlyArray<string>
  readonly transactionalIds?: ReadonlyArray<string>
}

interface User {
  readonly name: string
  readonly rules: ReadonlyArray<Rule>
}

interface UserOptions {
  readonly access: LogAccess
  /** The names that it claims. */
  readonly writers: ReadonlyArray<string>
  /** The names for which it waits for its turn. */
  readonly turns: ReadonlyArray<string>
}

/** The rules of one user. Write and Read imply Describe. */
const userOf = (name: string, topicPrefix: string, { access, writers, turns }: UserOptions): User => {
  const prefix = { topicPrefix }
  const onCluster = (topics: LogAccess["reads"]) => topics.map((topic) => clusterTopic(prefix, topic))
  const electing = turns.map((writer) => turnGroupOf(prefix, writer))
  const claiming = writers.map((writer) => transactionalIdOf(prefix, writer))
  const rules: ReadonlyArray<Rule> = [
    { operations: ["Create", "Describe", "DescribeConfigs"], topics: onCluster(topicsOf(access)) },
    { operations: ["Read"], topics: onCluster(access.reads), groups: electing },
    { operations: ["Write"], topics: onCluster(access.writes), transactionalIds: claiming },
    { operations: ["Delete"], topics: onCluster(access.trims) },
  ]
  return { name: `tidewire-${name}`, rules: rules.filter(({ topics = [] }) => topics.length > 0) }
}

/** A user for each role, and one for the commands of operators, each with the least that it needs. */
const users = async (topicPrefix: string): Promise<ReadonlyArray<User>> => {
  const processing = [HISTORY_WRITER, ...(await loadProcessors()).map(({ name }) => writerOf(name))]
  const writers = { ingest: [INGEST_WRITER], process: processing, ledger: [LEDGER_WRITER], api: [] } as const
  const roles = (["ingest", "process", "ledger", "api"] as const).map((role) =>
    userOf(role, topicPrefix, { access: logAccess[role], writers: writers[role], turns: writers[role] }),
  )
  const everything: LogAccess = { reads: topicNames, writes: topicNames, trims: topicNames, watches: "ledger" }
  const operator = userOf("operator", topicPrefix, {
    access: everything,
    writers: [...Object.values(writers).flat(), IMPORT_WRITER, PURGE_WRITER],
    turns: [LEDGER_WRITER],
  })
  return [...roles, operator]
}

/** The tool of Apache Kafka, with an administrator's login. */
const PREAMBLE = `BOOTSTRAP=broker:9092 ADMIN=admin.properties   # the brokers, and a file with the login of their administrator
allow() { kafka-acls --bootstrap-server "$BOOTSTRAP" --command-config "$ADMIN" --add --allow-principal "$@"; }
`

const commandOf = (user: string, { operations, topics = [], groups = [], transactionalIds = [] }: Rule): string => {
  const option = (name: string, values: ReadonlyArray<string>) => values.map((value) => `--${name} ${value}`)
  return [
    `allow User:${user}`,
    ...option("operation", operations),
    ...option("topic", topics),
    ...option("group", groups),
    ...option("transactional-id", transactionalIds),
  ].join(" ")
}

/**
 * The commands of an administrator that give each role's user the least that it needs, made of the topics, groups and
 * transactional ids of the code.
 */
export const aclCommands = async (topicPrefix: string): Promise<string> => {
  const blocks = (await users(topicPrefix)).map(
    ({ name, rules }) => `\n${rules.map((rule) => `${commandOf(name, rule)}\n`).join("")}`,
  )
  return [PREAMBLE, ...blocks].join("")
}
