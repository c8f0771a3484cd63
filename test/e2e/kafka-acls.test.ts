import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { logAccess } from "../../infra/log/access.ts"
import { aclCommands } from "../../infra/log/kafka/acls.ts"
import { makeAppend } from "../../infra/log/kafka/append.ts"
import { protocolCode, sentenceOf } from "../../infra/log/kafka/brokers.ts"
import { type KafkaClient, type KafkaOptions, makeClient, settingsOf } from "../../infra/log/kafka/client.ts"
import { openKafkaLog } from "../../infra/log/kafka/event-log.ts"
import { makeAcknowledged } from "../../infra/log/kafka/read.ts"
import { type Topic, topicNames } from "../../schemas/topics.ts"
import { makeCertificates } from "../support/certificates.ts"
import { runCommand } from "../support/command.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing, startKafka } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { grantNew, ledgerCommand } from "../support/ledger-command.ts"
import { type RolesApart, startRolesApart } from "../support/roles-apart.ts"
import { readiness, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"

const PREMIUM = "/api/pro/briefing"
const PREFIX = "rules."
const ADMIN = "admin"
const roles = ["ingest", "process", "ledger", "api"] as const
type Role = (typeof roles)[number]
const users = [ADMIN, "tidewire-operator", ...roles.map((role) => `tidewire-${role}`)]
const passwordOf = (user: string) => `password-of-${user}`
const PEM_FILE = "/etc/kafka/broker.pem"

/** What the library reports; it puts the reason of a refused deletion beside the error. */
const reasonOf = (cause: unknown): string => {
  if (typeof cause !== "object" || cause === null) return String(cause)
  if ("partitions" in cause && Array.isArray(cause.partitions))
    return cause.partitions.map(({ error }) => sentenceOf(error)).join()
  return "cause" in cause && cause.cause !== undefined ? reasonOf(cause.cause) : sentenceOf(cause)
}

/** A name or a group without a right has no coordinator: the library drops the code of the refusal. */
const REFUSED = /authoriz|Failed to find group coordinator/i

/** Numbers of the Kafka protocol. */
const OPERATIONS: Readonly<Record<string, number>> = {
  Read: 3,
  Write: 4,
  Create: 5,
  Delete: 6,
  Describe: 8,
  DescribeConfigs: 10,
}
const [TOPIC, GROUP, TRANSACTIONAL_ID, LITERAL, ALLOW] = [2, 3, 5, 3, 3]

/** The rules of the printed commands, as `kafka-acls` reads them. Throws on an argument that it would not know. */
const rulesOf = (commands: string) =>
  commands
    .split("\n")
    .filter((line) => line.startsWith("allow "))
    .flatMap((line) => {
      const many = { type: "string", multiple: true } as const
      const { values, positionals } = parseArgs({
        args: line.split(" ").slice(1),
        allowPositionals: true,
        options: { operation: many, topic: many, group: many, "transactional-id": many },
      })
      const [principal = "", ...others] = positionals
      if (others.length > 0) throw new Error(`${others} is no argument`)
      const named = (resourceType: number, names: ReadonlyArray<string> = []) =>
        names.map((resourceName) => ({ resourceType, resourceName }))
      const resources = [
        ...named(TOPIC, values.topic),
        ...named(GROUP, values.group),
        ...named(TRANSACTIONAL_ID, values["transactional-id"]),
      ]
      return resources.flatMap((resource) =>
        (values.operation ?? []).map((name) => {
          const operation = OPERATIONS[name]
          if (operation === undefined) throw new Error(`there is no operation ${name}`)
          return { ...resource, principal, operation }
        }),
      )
    })

describe("the access rules", () => {
  it("in SECURITY.md are those that the command prints", async () => {
    const text = readFileSync(new URL("../../infra/deploy/SECURITY.md", import.meta.url), "utf8")
    expect(text).toContain(`\`\`\`sh\n${await aclCommands("")}\`\`\`\n`)
    const printed = await runCommand({ KAFKA_TOPIC_PREFIX: PREFIX }, "log", "acls")
    expect(printed).toMatchObject({ code: 0, stdout: await aclCommands(PREFIX) })
  })
})

describeUnless(
  await dockerMissing(),
  "every role with its own user, on a broker that refuses what no rule allows",
  () => {
    const directory = temporaryDirectory()
    const authority = join(directory, "authority.pem")
    let apart: RolesApart

    const optionsOf = (user: string, topics: ReadonlyArray<Topic> = topicNames): KafkaOptions => ({
      brokers: apart.broker.brokers,
      clientId: "rules",
      topicPrefix: PREFIX,
      topics,
      ssl: { ca: readFileSync(authority, "utf8") },
      sasl: { mechanism: "plain", username: user, password: passwordOf(user) },
      commitTimeoutMs: 30_000,
      operationTimeoutMs: 5_000,
    })
    const loginOf = (user: string) => ({ KAFKA_SASL_USERNAME: user, KAFKA_SASL_PASSWORD: passwordOf(user) })
    const start = (role: Role) => apart.start(role, role, loginOf(`tidewire-${role}`))
    const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))
    /** The problem of an effect that must fail, or that it did not. A machine without a free processor answers late. */
    const refusal = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E, Scope.Scope>) =>
      eventually("the brokers decide", async () => {
        const outcome = Effect.match(effect, { onFailure: ({ message }) => message, onSuccess: () => "it was allowed" })
        const message = await run(outcome)
        if (message.includes("did not answer in time")) throw new Error(message)
        return message
      })

    beforeAll(async () => {
      const { authority: trusted, certificate, key } = makeCertificates()
      writeFileSync(authority, trusted)
      const logins = users.map((user) => `user_${user}="${passwordOf(user)}"`).join(" ")
      apart = await startRolesApart({
        seed: "rules",
        offered: [PREMIUM, someFeed.path],
        addressed: ["ingest", "ledger"],
        broker: () =>
          startKafka({
            files: { [PEM_FILE]: key + certificate },
            settings: {
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "PLAINTEXT:SASL_SSL,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
              KAFKA_SASL_ENABLED_MECHANISMS: "PLAIN",
              KAFKA_LISTENER_NAME_PLAINTEXT_PLAIN_SASL_JAAS_CONFIG: `org.apache.kafka.common.security.plain.PlainLoginModule required ${logins};`,
              KAFKA_SSL_KEYSTORE_TYPE: "PEM",
              KAFKA_SSL_KEYSTORE_LOCATION: PEM_FILE,
              KAFKA_AUTHORIZER_CLASS_NAME: "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
              // The broker itself, and the administrator.
              KAFKA_SUPER_USERS: `User:ANONYMOUS;User:${ADMIN}`,
            },
          }),
        settings: ({ addresses }) => ({
          DEMAND_URLS: addresses.split(",")[0] ?? "",
          LEDGER_URLS: addresses.split(",")[1] ?? "",
          TOKEN_KEYS: `k1:${"0f".repeat(32)}`,
          RECEIPT_KEYS: Buffer.alloc(32, 7).toString("base64url"),
          CLIENT_HASH_KEY: "1e".repeat(32),
          KAFKA_TOPIC_PREFIX: PREFIX,
          KAFKA_SSL: "true",
          KAFKA_SSL_CA: authority,
          KAFKA_SASL_MECHANISM: "plain",
        }),
      })
    })
    afterAll(async () => {
      await apart?.close()
      removeDirectory(directory)
    })

    it("refuses a start without a rule by name, and no role is a standby then", async () => {
      const service = await start("api")
      expect(await service.end("SIGCONT")).toBe(1)
      expect(service.output()).toMatch(/the log is unavailable: .*authoriz/i)
    })

    it("every role starts and works with exactly its rules", async () => {
      const client = makeClient(await Effect.runPromise(settingsOf(optionsOf(ADMIN))))
      const acl = rulesOf(await aclCommands(PREFIX)).map((rule) => ({
        ...rule,
        resourcePatternType: LITERAL,
        host: "*",
        permissionType: ALLOW,
      }))
      await client.kafka.admin().createAcls({ acl })
      client.discard()

      // The api first: whichever starts first creates the topics that it uses.
      for (const role of roles.toReversed()) await start(role)
      await apart.ready(...roles)
      for (const role of roles)
        await eventually(`every part of ${role} is active`, async () => {
          const { parts } = await readiness(apart.named(role))
          const idle = parts.filter(({ state }) => state !== "active")
          if (idle.length > 0) throw new Error(JSON.stringify(idle))
          return true
        })
      const operator = { ...apart.environment, ...loginOf("tidewire-operator") }
      const { token } = await grantNew(operator, 5)
      const headers = { authorization: `Bearer ${token}`, "idempotency-key": "once" }
      const paid = await eventually("premium is served and charged", async () => {
        const reply = await apart.named("api").get(PREMIUM, { headers })
        return reply.headers.get("x-credits-charged") === "2" || reply.headers.get("idempotent-replayed") === "true"
      })
      expect(paid).toBe(true)
      await eventually("the same call is replayed from the topic replies", async () => {
        const again = await apart.named("api").get(PREMIUM, { headers })
        return again.headers.get("idempotent-replayed") === "true"
      })
      await run(
        Effect.gen(function* () {
          const log = yield* openKafkaLog(optionsOf("tidewire-operator"))
          yield* Effect.promise(() =>
            eventually("the api's counts are in the log", async () => (await Effect.runPromise(log.end("usage"))) > 0),
          )
        }),
      )
      expect(await ledgerCommand(operator, "verify")).toMatchObject({
        code: 0,
      })
      await run(
        Effect.gen(function* () {
          const log = yield* openKafkaLog(optionsOf("tidewire-process"))
          for (const topic of logAccess.process.trims) yield* log.trim(topic, 0)
        }),
      )
      for (const role of roles) expect(apart.named(role).output(), role).not.toMatch(/authoriz/i)
    })

    it.each(roles)("refuses what else %s tries: to write, read, trim and claim what is not its own", async (role) => {
      const { reads, writes, trims } = logAccess[role]
      const user = `tidewire-${role}`
      const limits = new Map(
        topicNames.map((topic) => [topic, { batchBytesMax: 1_000_000, recordBytesMax: 1_000_000 }]),
      )
      const value = new TextEncoder().encode("forged")
      const asAdmin = (use: (admin: ReturnType<KafkaClient["kafka"]["admin"]>) => Promise<unknown>) =>
        Effect.gen(function* () {
          const client = makeClient(yield* settingsOf(optionsOf(user)))
          yield* Effect.addFinalizer(() => Effect.sync(client.discard))
          const admin = client.kafka.admin()
          yield* Effect.tryPromise({
            try: async () => {
              await admin.connect()
              return use(admin)
            },
            catch: (cause) => new Error(`${reasonOf(cause)} (code ${protocolCode(cause)})`),
          })
        })
      const tries: Array<readonly [string, Effect.Effect<unknown, { readonly message: string }, Scope.Scope>]> = []
      for (const topic of topicNames) {
        if (!writes.includes(topic))
          tries.push([
            `write ${topic}`,
            Effect.gen(function* () {
              const settings = yield* settingsOf(optionsOf(user))
              const append = yield* makeAppend(settings, limits, makeAcknowledged())
              // The type allows what the service appends; a broken-in process is not bound by it.
              yield* append([{ topic: topic as "usage", key: "forged", value }])
            }),
          ])
        if (!reads.includes(topic) && !writes.includes(topic))
          tries.push([`open ${topic}`, openKafkaLog(optionsOf(user, [topic]))])
        if (!trims.includes(topic))
          tries.push([
            `trim ${topic}`,
            asAdmin(async (admin) => {
              const name = `${PREFIX}${topic}`
              await admin.fetchTopicOffsets(name)
              await admin.deleteTopicRecords({ topic: name, partitions: [{ partition: 0, offset: "0" }] })
            }),
          ])
      }
      const writers = { ingest: "ingest", process: "history", ledger: "ledger", api: "" }
      for (const writer of Object.values(writers).filter((one) => one !== "" && one !== writers[role])) {
        const opened = openKafkaLog(optionsOf(user, [...new Set([...reads, ...writes])]))
        tries.push([`claim ${writer}`, Effect.flatMap(opened, (log) => log.claim(writer, []))])
        tries.push([
          `join the group of ${writer}`,
          asAdmin((admin) => admin.describeGroups([`${PREFIX}turn/${writer}`])),
        ])
      }
      expect(tries.length).toBeGreaterThan(10)
      const outcomes = await Promise.all(tries.map(async ([what, attempt]) => [what, await refusal(attempt)] as const))
      for (const [what, outcome] of outcomes) expect(outcome, `${role}: ${what}`).toMatch(REFUSED)
    })
  },
)
