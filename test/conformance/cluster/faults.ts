import { setTimeout as sleep } from "node:timers/promises"
import { BROKER_IDS, type KafkaCluster } from "../../support/kafka-cluster.ts"
import type { CommitTopic } from "./numbered-commits.ts"

/** What a fault is applied to. */
interface FaultScene {
  readonly cluster: KafkaCluster
  /** The prefix of the topics under test. */
  readonly prefix: string
  /** Waits until more work was acknowledged than so far. */
  readonly progress: () => Promise<void>
  /** How long a paused broker stays paused. */
  readonly pauseMs: number
}

/** A fault of the cluster, by its name. The cluster is healed by the one who applies it. */
export interface ClusterFault {
  readonly name: string
  readonly apply: (scene: FaultScene) => Promise<void>
}

const OUTAGE_MS = 3_000
const CUT_MS = 5_000
const LEADER_MOVES = 4

const leaderOf = ({ cluster, prefix }: FaultScene, topic: CommitTopic | "ledger") =>
  cluster.leaderOf(`${prefix}${topic}`)

/** Kills the leader of a topic: two replicas remain, so that work must go on without it. */
export const leaderKilled = (topic: CommitTopic | "ledger"): ClusterFault => ({
  name: `leader of ${topic} killed`,
  apply: async (scene) => {
    const leader = await leaderOf(scene, topic)
    await scene.cluster.kill([leader])
    await scene.progress()
    await scene.cluster.start([leader])
  },
})

const cutOff = (how: "refused" | "silent"): ClusterFault => ({
  name: `writers cut off from one broker, ${how}`,
  apply: async (scene) => {
    const leader = await leaderOf(scene, how === "refused" ? "deltas" : "checkpoints")
    scene.cluster.cut(leader, how)
    await sleep(CUT_MS)
    scene.cluster.mend(leader)
  },
})

/** Moves the leaders of all topics several times, as an operator does. */
export const leadersMoved: ClusterFault = {
  name: "leaders moved by hand and by election",
  apply: async (scene) => {
    for (let move = 0; move < LEADER_MOVES; move++) {
      await scene.cluster.shiftPreferred(scene.prefix)
      await scene.cluster.electPreferred()
      await scene.progress()
    }
  },
}

/** The faults of several brokers, in the order in which they are applied. */
export const clusterFaults: ReadonlyArray<ClusterFault> = [
  leaderKilled("observations"),
  leadersMoved,
  cutOff("refused"),
  {
    name: "two of three killed",
    apply: async (scene) => {
      const leader = await leaderOf(scene, "views")
      const two = [leader, BROKER_IDS.find((id) => id !== leader) ?? leader]
      await scene.cluster.kill(two)
      await sleep(OUTAGE_MS)
      await scene.cluster.start(two)
    },
  },
  {
    name: "broker paused",
    apply: async (scene) => {
      const leader = await leaderOf(scene, "deltas")
      await scene.cluster.pause(leader)
      await sleep(scene.pauseMs)
      await scene.cluster.resume(leader)
    },
  },
  cutOff("silent"),
  {
    name: "rolling restart",
    apply: async (scene) => {
      for (const id of BROKER_IDS) {
        await scene.cluster.kill([id], "TERM")
        await scene.progress()
        await scene.cluster.start([id])
        await scene.cluster.healed()
      }
      await scene.cluster.electPreferred()
    },
  },
]
