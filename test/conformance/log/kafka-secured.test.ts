import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, expect, it } from "vitest"
import { SASL_MECHANISMS } from "../../../infra/config/setting-table.ts"
import { loadSettings } from "../../../infra/config/settings.ts"
import { openLog } from "../../../infra/log/open.ts"
import { makeCertificates } from "../../support/certificates.ts"
import { runCommand } from "../../support/command.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { dockerMissing, type KafkaBroker, startKafka } from "../../support/docker.ts"
import { removeDirectory, temporaryDirectory } from "../../support/service.ts"

const USER = "tidewire"
const PASSWORD = "a-password-of-this-test"
const LOGIN = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${USER}="${PASSWORD}";`
const SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
const PEM_FILE = "/etc/kafka/broker.pem"
// The broker's image has the command; an image without scripts has the class that it runs.
const ADD_SCRAM_USER = `configs() { if command -v kafka-configs; then kafka-configs "$@"; else java -cp '/opt/kafka/libs/*' kafka.admin.ConfigCommand "$@"; fi; }
for mechanism in SCRAM-SHA-256 SCRAM-SHA-512; do
  configs --bootstrap-server localhost:9092 --alter --entity-type users --entity-name ${USER} \\
    --add-config "$mechanism=[password=${PASSWORD}]" || exit 1
done`

describeUnless(await dockerMissing(), "the event log on a broker with TLS and a password", () => {
  const directory = temporaryDirectory()
  const authorityFile = join(directory, "authority.pem")
  const strangerFile = join(directory, "stranger.pem")
  let broker: KafkaBroker

  beforeAll(async () => {
    const { authority, certificate, key } = makeCertificates()
    writeFileSync(authorityFile, authority)
    writeFileSync(strangerFile, makeCertificates().authority)
    broker = await startKafka({
      files: { [PEM_FILE]: key + certificate },
      settings: {
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "PLAINTEXT:SASL_SSL,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
        KAFKA_SASL_ENABLED_MECHANISMS: "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        KAFKA_LISTENER_NAME_PLAINTEXT_PLAIN_SASL_JAAS_CONFIG: LOGIN,
        // Three underscores stand for a dash.
        KAFKA_LISTENER_NAME_PLAINTEXT_SCRAM___SHA___256_SASL_JAAS_CONFIG: SCRAM,
        KAFKA_LISTENER_NAME_PLAINTEXT_SCRAM___SHA___512_SASL_JAAS_CONFIG: SCRAM,
        KAFKA_SSL_KEYSTORE_TYPE: "PEM",
        KAFKA_SSL_KEYSTORE_LOCATION: PEM_FILE,
      },
    })
    await broker.run(ADD_SCRAM_USER)
  })
  afterAll(async () => {
    await broker?.stop()
    removeDirectory(directory)
  })

  const secured = () => ({
    KAFKA_BROKERS: broker.brokers.join(","),
    KAFKA_SSL: "true",
    KAFKA_SSL_CA: authorityFile,
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: USER,
    KAFKA_SASL_PASSWORD: PASSWORD,
    DATA_DIR: directory,
  })
  const open = (environment: Readonly<Record<string, string>>) => {
    const loaded = loadSettings(environment)
    if (Result.isFailure(loaded)) throw new Error(loaded.failure.join())
    return openLog(loaded.success)
  }
  const refusal = async (change: Readonly<Record<string, string>>) =>
    (await Effect.runPromise(Effect.flip(Effect.scoped(open({ ...secured(), ...change }))))).message

  it.each(SASL_MECHANISMS)("claims, commits and reads after a login by %s", async (mechanism) => {
    const value = new TextEncoder().encode("kept")
    const read = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* open({
            ...secured(),
            KAFKA_SASL_MECHANISM: mechanism,
            KAFKA_TOPIC_PREFIX: `${mechanism}.`,
          })
          yield* log.awaitTurn("ingest")
          const writer = yield* log.claim("ingest", ["observations"])
          yield* writer.commit([{ topic: "observations", key: "one", value }])
          return yield* Stream.runCollect(log.read("observations", 0))
        }),
      ),
    )
    expect([...read].flatMap(({ records }) => records.map(({ key }) => key))).toEqual(["one"])
  })

  it("is opened by a command with the same settings, and its output never contains the password", async () => {
    const verified = await runCommand({ ...secured(), LOG_LEVEL: "debug" }, "ledger", "verify")
    expect(verified).toMatchObject({ code: 0 })
    expect(verified.stdout + verified.stderr).not.toContain(PASSWORD)
  })

  it("refuses a wrong password, an authority that did not sign the broker's certificate, and a file without one", async () => {
    for (const mechanism of SASL_MECHANISMS) {
      const wrong = await refusal({ KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_PASSWORD: "another-password" })
      expect(wrong, mechanism).toMatch(/authentication|credentials/i)
      expect(wrong, mechanism).not.toContain("another-password")
    }
    expect(await refusal({ KAFKA_SSL_CA: strangerFile })).toMatch(/certificate/)
    writeFileSync(join(directory, "empty"), "")
    expect(await refusal({ KAFKA_SSL_CA: join(directory, "empty") })).toMatch(/KAFKA_SSL_CA: .* holds no certificate/)
    expect(await refusal({ KAFKA_SSL_CA: join(directory, "absent") })).toMatch(/KAFKA_SSL_CA: .*ENOENT/)
  })
})
