import { BroadcastChannel } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type { Gauge } from "prom-client"
import type { ThreadTime } from "../../../infra/roles/process-time.ts"
import { metrics } from "../../../processors/history/metrics.ts"
import { targetsOf } from "../../../processors/history/targets.ts"
import { loadProcessors, tables } from "../../../processors/registry.ts"
import { position } from "../../../processors/run/metrics.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { inTime } from "./in-time.ts"
import { CHANNEL, type FromPipeline, type Goal, type ToPipeline } from "./messages.ts"
import { isFrozen } from "./simulated-date.js"
import { makeSteppedPace } from "./stepped-pace.ts"

/** Offsets that a gauge has, by its one label. */
const offsetsOf = async <Label extends string>(gauge: Gauge<Label>, label: Label) =>
  new Map((await gauge.get()).values.map(({ labels, value }) => [String(labels[label]), value]))

/** The folds that have not reached the end of their topic, and the topics whose tables have not. */
const foldsBehind = async (log: EventLog, keepsHistory: boolean): Promise<ReadonlyArray<string>> => {
  const processors = await loadProcessors()
  const [folded, written] = await Promise.all([offsetsOf(position, "processor"), offsetsOf(metrics.position, "topic")])
  const reached: ReadonlyArray<readonly [name: string, topic: Topic, offset: number]> = [
    ...processors.map(({ name, topic }) => [name, topic, folded.get(name) ?? 0] as const),
    ...(keepsHistory ? [...new Set(targetsOf(tables).map(({ topic }) => topic))] : []).map(
      (topic) => [`the history of ${topic}`, topic, written.get(topic) ?? 0] as const,
    ),
  ]
  const ends = new Map<Topic, number>()
  for (const [, topic] of reached) if (!ends.has(topic)) ends.set(topic, await Effect.runPromise(log.end(topic)))
  return reached.filter(([, topic, offset]) => offset < (ends.get(topic) ?? 0)).map(([name]) => name)
}

/** The time of the pipeline's thread, by the clock of the world. It answers the main thread what is still to be done. */
export const threadTime = (): ThreadTime => {
  const pace = makeSteppedPace({ isFrozen, nowMs: Date.now })
  let folds: (() => Promise<ReadonlyArray<string>>) | null = null
  const behind = async (goal: Goal): Promise<string | null> => {
    if (goal === "set") return null
    const polls = pace.behind()
    if (polls !== null || goal === "polled") return polls
    if (folds === null) return "the folds have not begun"
    const names = await folds()
    return names.length === 0 ? null : names.join(", ")
  }

  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = async ({ data }) => {
    const message = data as ToPipeline | FromPipeline
    if (message.type !== "set clock") return
    const { id, goal, withinMs } = message
    pace.wake()
    const answer = await inTime(() => behind(goal), withinMs)
    channel.postMessage({ type: "pipeline set", id, behind: answer } satisfies FromPipeline)
  }
  channel.unref()
  channel.postMessage({ type: "pipeline listens" } satisfies FromPipeline)
  return {
    pace,
    // Without jitter two services poll alike while the clock stands.
    random: () => (isFrozen() ? 0 : Math.random()),
    folding: (log, keepsHistory) => {
      folds = () => foldsBehind(log, keepsHistory)
    },
  }
}
