import { compose } from "../../../api/views/compose.ts"
import { type Instance, makePlan } from "../../../ingestors/poll/plan.ts"
import type { Source } from "../../../ingestors/source.ts"
import { makeLatest } from "../../../processors/folds/latest.ts"
import { views } from "../../../processors/registry.ts"
import { demanded, type FoldingBench, foldingBench, tick } from "../../../processors/testing/folding.ts"
import type { View } from "../../../processors/view/view.ts"
import type { Meta } from "../../../schemas/contract/reply.ts"
import type { Envelope } from "../../../schemas/event.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { eventReader, feeds } from "../../../schemas/registry.ts"
import { freshnessKey, type ViewBody, type ViewFreshness } from "../../../schemas/view-record.ts"
import { makeVirtualPolls, type StoppedClock, type VirtualPoll } from "../../support/virtual-polls.ts"
import { makeWorldHttp } from "../../support/world-http.ts"
import type { ActiveFault, Fault } from "../../world/faults.ts"
import { worldKeys } from "../../world/keys.ts"

const BEGIN_MS = Date.parse("2026-11-20T12:34:56.789Z")
/** Instances that are polled where the first alone fills no view. */
const INSTANCES_MAX = 20
/** A refused key rests for an hour, and a poll is due every 15 minutes meanwhile. */
const HEALING_POLLS_MAX = 12
const DELAYING: ReadonlySet<string> = new Set(["key_refused", "budget_exhausted"])

/** A reply of one view. */
interface ShownReply {
  readonly path: string
  readonly data: unknown
  readonly meta: Meta
  readonly text: string
}

/** A view at parameters, by the key of its records. */
interface Shown {
  readonly view: View
  readonly key: string
}

/**
 * One source, polled in the simulated world on a clock that a test moves, and folded into the views of its feed. Beside the
 * fold stands another one that is given the good polls alone: what it shows is what should be shown.
 */
export interface FaultStage {
  readonly nowMs: () => number
  /** The longest interval of the instances that are polled. */
  readonly everyMs: number
  readonly providers: ReadonlySet<string>
  readonly fault: (fault: Omit<Fault, "host"> | null) => void
  /** Moves the clock, and polls every instance. */
  readonly poll: (afterMs: number) => Promise<ReadonlyArray<VirtualPoll>>
  /** The same poll by a process that knows nothing of it, without a fault. */
  readonly cleanPoll: (instance: Instance) => Promise<VirtualPoll>
  /** Moves the clock without a poll. */
  readonly wait: (untilMs: number) => void
  /**
   * Polls at the times that the schedule says until every instance succeeds. Throws where one that reaches the upstream
   * fails: only a refused key and an exhausted quota, of which the retries are a part, may delay the first success.
   */
  readonly heal: () => Promise<void>
  readonly dueMs: () => number
  /** The replies of every view that shows the source, now. */
  readonly replies: () => ReadonlyArray<ShownReply>
  /** The data that they should show. */
  readonly expected: () => ReadonlyArray<unknown>
}

const replyOf = (bench: FoldingBench, { view, key }: Shown, nowMs: number): ShownReply | null => {
  const body = bench.view(key) as ViewBody | undefined
  const freshness = (bench.view(freshnessKey(key)) ?? null) as ViewFreshness | null
  if (body === undefined || freshness === null) return null
  const { endpoint } = view
  const data = { changedAt: body.changedAt, bytes: Buffer.from(JSON.stringify(body.data)) }
  const text = compose(endpoint, data, freshness, nowMs).bytes.toString("utf8")
  return { path: key, data: body.data, meta: JSON.parse(text)._meta, text }
}

const reads = (view: View, { fills }: Source): boolean => Object.values(view.reads).some(({ feed }) => feed === fills)

/** Whether a view is fetched on demand, also without any parameter. */
const isKeptOnRequest = ({ onDemand, endpoint }: View): boolean =>
  onDemand && Object.values(endpoint.parameters).every(({ optional }) => optional === true)

const eventsOf = ({ recorded }: VirtualPoll): ReadonlyArray<Envelope<string, unknown>> =>
  recorded.records
    .filter(({ topic }) => topic === "observations")
    .map(({ value }) => {
      const read = eventReader.decodeEvent(value ?? new Uint8Array())
      if (read._tag === "Failure") throw read.failure
      return read.success
    })

const stageOf = async (source: Source, instances: ReadonlyArray<Instance>): Promise<FaultStage> => {
  const clock: StoppedClock = { nowMs: BEGIN_MS }
  let faults: ReadonlyArray<ActiveFault> = []
  const nowMs = () => clock.nowMs
  const polls = makeVirtualPolls(makeWorldHttp({ seed: "stage", nowMs, faults: () => faults }), clock)
  const own = views.filter((view) => reads(view, source))
  const requested = own.filter(isKeptOnRequest)
  const processor = makeLatest(own, feeds)
  const [bench, control] = [foldingBench(processor, eventReader), foldingBench(processor, eventReader)]

  const pollOne = async (instance: Instance): Promise<VirtualPoll> => {
    const polled = await polls.poll(instance)
    const events = eventsOf(polled).map((event) => (id: string) => ({ ...event, id }))
    bench.fold(...events)
    if (polled.report.outcome._tag !== "Failure") control.fold(...events)
    return polled
  }
  const advance = (untilMs: number) => {
    clock.nowMs = Math.max(clock.nowMs, untilMs)
    for (const one of [bench, control]) {
      one.fold(tick(clock.nowMs))
      // A view on demand of several instances is kept for a day after its last request.
      for (const { endpoint } of requested) one.fold(demanded(clock.nowMs, endpoint.path, {}))
    }
  }
  const pollAll = async (afterMs: number) => {
    advance(clock.nowMs + afterMs)
    const polled: Array<VirtualPoll> = []
    for (const instance of instances) polled.push(await pollOne(instance))
    return polled
  }
  await pollAll(0)
  const providers = new Set(instances.map(({ parameters }) => source.provider(parameters)))
  const keysOf = ({ endpoint: { path }, instances: prepared, onDemand }: View): ReadonlySet<string> => {
    const polled = onDemand ? [...instances.map(({ parameters }) => parameters), {}] : []
    return new Set([...prepared, ...polled].map((parameters) => instanceKey(path, parameters)))
  }
  const shown = own
    .flatMap((view): ReadonlyArray<Shown> => [...keysOf(view)].map((key) => ({ view, key })))
    .filter((one) => replyOf(bench, one, nowMs())?.meta.sources.some(({ name }) => providers.has(name)) === true)

  return {
    nowMs,
    everyMs: Math.max(...instances.map(({ everyMs }) => everyMs)),
    providers,
    fault: (fault) => {
      faults = fault === null ? [] : [{ host: "*", sinceMs: clock.nowMs, ...fault }]
    },
    poll: pollAll,
    cleanPoll: (instance) => makeVirtualPolls(makeWorldHttp({ seed: "stage", nowMs }), clock).poll(instance),
    wait: advance,
    dueMs: () => Math.min(...instances.map(polls.dueMs)),
    heal: async () => {
      for (const instance of instances)
        for (let count = 1; ; count += 1) {
          advance(polls.dueMs(instance))
          const { outcome } = (await pollOne(instance)).report
          if (outcome._tag !== "Failure") break
          if (!DELAYING.has(outcome.reason) || count === HEALING_POLLS_MAX)
            throw new Error(`${instance.key} does not heal: ${outcome.reason}, ${outcome.message}`)
        }
      // Where instances are many, the first may have become due again meanwhile.
      await pollAll(0)
      const problems = bench.problems()
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
    },
    replies: () => shown.flatMap((one) => replyOf(bench, one, nowMs()) ?? []),
    expected: () => shown.map((one) => replyOf(control, one, nowMs())?.data),
  }
}

/** The stage of a source: with its first instance, or with all where that one alone fills no view. */
export const faultStage = async (source: Source): Promise<FaultStage> => {
  const keys = worldKeys(false)
  const { scheduled } = makePlan([source], (setting) => keys[setting] ?? null, null)
  const first = await stageOf(source, scheduled.slice(0, 1))
  return first.replies().length > 0 ? first : stageOf(source, scheduled.slice(0, INSTANCES_MAX))
}
