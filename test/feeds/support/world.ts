import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import type { CollectFailed, Upstream } from "../../../ingestors/document.ts"
import { HttpFailed } from "../../../ingestors/http-client.port.ts"
import { decodeDocument, type Normalised } from "../../../ingestors/poll/read.ts"
import type { Source } from "../../../ingestors/source.ts"
import type { Parameters } from "../../../schemas/feed.ts"
import { bytesOf, type SimulatedUpstream, WORLD_KEY, type WorldReply, type WorldRequest } from "../../world/upstream.ts"
import { type World, worldAt } from "../../world/world.ts"
import { normalised } from "./read.ts"

const refusal = (host: string, status: number | null) =>
  new HttpFailed({
    reason: status === null ? "unreachable" : "status",
    host,
    status,
    retryAfterMs: null,
    message: "refused",
  })

/** Faults between a source and the simulated provider. */
export interface UpstreamTrouble {
  /** Hosts that cannot be reached. */
  readonly unreachable?: ReadonlyArray<string>
  /** Changes the body of each good answer. */
  readonly spoil?: (body: WorldReply["body"]) => WorldReply["body"]
}

/** The simulated provider as a source reaches it, without a network. */
export const upstreamOf = (simulated: SimulatedUpstream, world: World, trouble: UpstreamTrouble = {}): Upstream => {
  const answer = (address: string, sent: Partial<WorldRequest> = {}, accepted: ReadonlyArray<number> = []) => {
    const { host, pathname, searchParams } = new URL(address)
    if (!simulated.hosts.includes(host)) throw new Error(`${simulated.name} does not answer for ${host}`)
    if (trouble.unreachable?.includes(host)) return Effect.fail(refusal(host, null))
    const reply = simulated.answer({ host, path: decodeURIComponent(pathname), query: searchParams, ...sent }, world)
    const status = reply === null ? 404 : (reply.status ?? 200)
    if (reply === null || (status >= 300 && !accepted.includes(status))) return Effect.fail(refusal(host, status))
    return Effect.succeed(bytesOf({ body: trouble.spoil?.(reply.body) ?? reply.body }))
  }
  return {
    fetch: (document, input) =>
      Effect.suspend(() =>
        answer(
          document.url(input),
          { headers: document.headers(input), body: document.body(input) },
          document.acceptedStatuses,
        ),
      ).pipe(Effect.flatMap((bytes) => Effect.fromResult(decodeDocument("document", document, bytes)))),
    probe: (address) => Effect.suspend(() => answer(address)).pipe(Effect.map(() => ({ latencyMs: 20 }))),
  }
}

/** The key with which a source is polled: none where it answers without one. */
export const keyOf = ({ key }: Pick<Source, "key">): string | null => (key?.optional === false ? WORLD_KEY : null)

/** The result of `collect` for one instance. */
export const collect = <Collected, Payload>(
  source: Source<Collected, Payload>,
  upstream: Upstream,
  parameters: Parameters = {},
  observedAtMs = 0,
): Promise<Exit.Exit<Collected, CollectFailed>> =>
  Effect.runPromiseExit(source.collect(upstream, { parameters, observedAtMs, key: keyOf(source) }))

/** The normalised form of what a poll of one instance collects from the world. */
export const observed = async <Collected, Payload>(
  source: Source<Collected, Payload>,
  simulated: SimulatedUpstream,
  atMs: number,
  parameters: Parameters = {},
): Promise<Normalised<Payload>> => {
  const collected = await collect(source, upstreamOf(simulated, worldAt("test", atMs)), parameters, atMs)
  if (Exit.isFailure(collected)) throw new Error(`${source.name}: ${collected.cause}`)
  return normalised(source, collected.value, { parameters, observedAtMs: atMs })
}

/** Why a poll of one instance fails. */
export const pollFailure = async <Collected, Payload>(
  source: Source<Collected, Payload>,
  upstream: Upstream,
  parameters: Parameters = {},
): Promise<Option.Option<CollectFailed>> => Exit.findErrorOption(await collect(source, upstream, parameters))
