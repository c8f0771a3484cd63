import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, afterEach } from "vitest"
import { type KafkaSettings, makeClient, settingsOf, turnGroupOf } from "../../../infra/log/kafka/client.ts"
import { awaitTurn } from "../../../infra/log/kafka/turn.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { startKafka } from "../../support/docker.ts"
import { type KafkaProxy, startKafkaProxy } from "../../support/proxy.ts"
import { until } from "./harness.ts"
import { brokerUnderTest } from "./kafka-broker.ts"
import { open } from "./kafka-quiet.ts"

const WRITER = "ingest"
let proxy: KafkaProxy
const { missing, optionsOf } = await brokerUnderTest(async () => {
  proxy = await startKafkaProxy()
  const broker = await startKafka({ advertisedPort: proxy.port })
  proxy.to(broker.address)
  return broker
})
afterAll(() => proxy?.close())
afterEach(() => proxy?.accept())

/** Of the members that the broker knows in the writer's group. */
const memberCount = async (settings: KafkaSettings): Promise<number> => {
  const client = makeClient(settings)
  const admin = client.kafka.admin()
  try {
    await admin.connect()
    const { groups } = await admin.describeGroups([turnGroupOf(settings, WRITER)])
    return groups.flatMap(({ members }) => members).length
  } finally {
    await admin.disconnect()
    client.discard()
  }
}

const MOMENTS: ReadonlyArray<readonly [string, (said: ReadonlyArray<string>) => boolean]> = [
  ["pauses before it joins again", () => true],
  ["tries to join again", (said) => said.some((line) => line.startsWith("Connection error"))],
]

describeUnless(missing, "a turn whose consumer an outage has ended", () => {
  for (const [moment, isReached] of MOMENTS)
    it.live(`leaves no member in the group when its scope is closed while it ${moment}, and the brokers return`, () =>
      Effect.gen(function* () {
        const options = optionsOf()
        yield* open(options)
        const said: Array<string> = []
        const settings: KafkaSettings = {
          ...(yield* settingsOf(options)),
          log: (_, message) => said.push(message),
        }
        const scope = yield* Scope.make()
        yield* awaitTurn(settings, WRITER).pipe(Scope.provide(scope))
        expect(yield* Effect.promise(() => memberCount(settings))).toBe(1)
        said.length = 0
        proxy.refuse()
        const crash = () => said.findIndex((line) => line.startsWith("Crash"))
        yield* until(
          "the end of the consumer",
          Effect.sync(() => crash() >= 0),
        )
        // The consumer disconnects after it has said so.
        yield* Effect.sleep("200 millis")
        const ended = said.length
        yield* until(
          moment,
          Effect.sync(() => isReached(said.slice(ended))),
        )
        yield* Scope.close(scope, Exit.void)
        proxy.accept()
        // Longer than a pause, an attempt to join, and the session of the member that the outage ended.
        yield* Effect.sleep("8 seconds")
        expect(yield* Effect.promise(() => memberCount(settings))).toBe(0)
        yield* awaitTurn(settings, WRITER)
      }),
    )
})
