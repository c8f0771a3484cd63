import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import kafkajs, { type Consumer, type PartitionAssigner } from "kafkajs"
import { LogUnavailable } from "../../../schemas/ports/event-log.ts"
import { beforeDeadline, sentenceOf } from "./brokers.ts"
import { clusterTopic, type KafkaClient, type KafkaSettings, makeClient, RETRY, turnGroupOf } from "./client.ts"
import { FENCE_TOPIC } from "./records.ts"

/** How long a dead leader keeps its turn; the shortest timeout that brokers allow by default. */
const SESSION_TIMEOUT_MS = 6_000
/** A standby learns of its turn with its next heartbeat, so this is part of the duration of a failover. */
const HEARTBEAT_INTERVAL_MS = 300
/** How long a member's fetch waits; heartbeats are sent between fetches. */
const POLL_MS = 200
const REJOIN_PAUSE_MS = 1_000
const LEAVE_WAIT_MS = 1_500

/** A member's metadata when it joins: since when it has the turn, in milliseconds of the epoch, or 0. */
interface Membership {
  heldSinceMs: number
}

const SINCE_BYTES = 8

const encodeSince = ({ heldSinceMs }: Membership): Buffer => {
  const bytes = Buffer.alloc(SINCE_BYTES)
  bytes.writeBigUInt64BE(BigInt(heldSinceMs))
  return bytes
}

const heldSince = (metadata: Buffer): number => {
  const userData = kafkajs.AssignerProtocol.MemberMetadata.decode(metadata)?.userData
  return userData !== undefined && userData.length >= SINCE_BYTES ? Number(userData.readBigUInt64BE()) : 0
}

/**
 * Assigns the turn to the member that has it; if several report to have it, to the one that got it last. Without this a
 * joining standby might take the turn of a healthy leader.
 */
const stickyAssigner =
  (membership: Membership): PartitionAssigner =>
  () => ({
    name: "tidewire-turn",
    version: 1,
    protocol: ({ topics }) => ({
      name: "tidewire-turn",
      metadata: kafkajs.AssignerProtocol.MemberMetadata.encode({
        version: 1,
        topics,
        userData: encodeSince(membership),
      }),
    }),
    assign: async ({ members, topics }) => {
      const since = new Map(members.map(({ memberId, memberMetadata }) => [memberId, heldSince(memberMetadata)]))
      const ids = members.map(({ memberId }) => memberId).sort()
      const holder = ids.toSorted((a, b) => (since.get(b) ?? 0) - (since.get(a) ?? 0))[0]
      return ids.map((memberId) => ({
        memberId,
        memberAssignment: kafkajs.AssignerProtocol.MemberAssignment.encode({
          version: 1,
          assignment: memberId === holder ? Object.fromEntries(topics.map((topic) => [topic, [0]])) : {},
          userData: Buffer.alloc(0),
        }),
      }))
    },
  })

/** Makes a consumer that joins a writer's group once it is run. `ended` resolves when it gives up. */
const connect = async (
  settings: KafkaSettings,
  writer: string,
  membership: Membership,
  onTurn: () => void,
  onStandby: () => void,
): Promise<{ readonly client: KafkaClient; readonly consumer: Consumer; readonly ended: Promise<void> }> => {
  const client = makeClient(settings)
  try {
    const topic = clusterTopic(settings, FENCE_TOPIC)
    const consumer = client.kafka.consumer({
      groupId: turnGroupOf(settings, writer),
      partitionAssigners: [stickyAssigner(membership)],
      sessionTimeout: SESSION_TIMEOUT_MS,
      rebalanceTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_INTERVAL_MS,
      maxWaitTimeInMs: POLL_MS,
      allowAutoTopicCreation: false,
      retry: { ...RETRY, restartOnFailure: async () => false },
    })
    const deadline = performance.now() + settings.operationTimeoutMs
    await beforeDeadline(deadline, consumer.connect())
    await beforeDeadline(deadline, consumer.subscribe({ topics: [topic], fromBeginning: false }))
    const ended = new Promise<void>((resolve) => {
      consumer.on(consumer.events.CRASH, () => resolve())
    })
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      // Only the membership is used: no record is read over this connection.
      consumer.pause([{ topic }])
      if ((payload.memberAssignment[topic] ?? []).length > 0) {
        if (membership.heldSinceMs === 0) membership.heldSinceMs = Date.now()
        onTurn()
      } else {
        membership.heldSinceMs = 0
        onStandby()
      }
    })
    return { client, consumer, ended }
  } catch (error) {
    client.discard()
    throw error
  }
}

/**
 * Waits until the group elects this process to hold a writer's name, and stays a member for the scope: the next member gets
 * the turn some seconds after this process died, or at once when the scope is closed. `standby` is called whenever the
 * group assigns the turn to another member during the wait. Fails only if the first join fails.
 */
export const awaitTurn = (
  settings: KafkaSettings,
  writer: string,
  standby: () => void = () => undefined,
): Effect.Effect<void, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const membership: Membership = { heldSinceMs: 0 }
    let closed = false
    let current: Awaited<ReturnType<typeof connect>> | undefined
    let had = false
    let onTurn: () => void = () => undefined
    const turn = new Promise<void>((resolve) => {
      onTurn = () => {
        had = true
        resolve()
      }
    })
    // A leader that loses its turn is stopped by the fence.
    const onStandby = () => {
      if (!had) standby()
    }

    const rejoin = async (): Promise<void> => {
      const connected = await connect(settings, writer, membership, onTurn, onStandby)
      // The finalizer has run already and would not disconnect this consumer, which could then hold the turn for ever. There is no
      // `await` between this test and `run`, so that the finalizer finds every consumer that joins the group in `current`.
      if (closed) return connected.client.discard()
      current = connected
      void connected.consumer.run({ autoCommit: false, eachBatch: async () => undefined })
    }
    const stay = async (): Promise<void> => {
      while (!closed) {
        await current?.ended
        current?.client.discard()
        current = undefined
        if (closed) return
        await sleep(REJOIN_PAUSE_MS)
        if (!closed) await rejoin().catch(() => undefined)
      }
    }

    yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: rejoin,
        catch: (cause) => new LogUnavailable({ problem: `waiting for "${writer}": ${sentenceOf(cause)}`, cause }),
      }),
      () =>
        Effect.promise(async () => {
          closed = true
          const leaving = current
          if (leaving === undefined) return
          await beforeDeadline(performance.now() + LEAVE_WAIT_MS, leaving.consumer.disconnect()).catch(() => undefined)
          leaving.client.discard()
        }),
    )
    void stay()
    yield* Effect.promise(() => turn)
  })
