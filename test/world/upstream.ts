import type * as Result from "effect/Result"
import type { World } from "./world.ts"

/** A request to a simulated upstream, as its provider would get it. */
export interface WorldRequest {
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  /** In lower case, as Node gives them. */
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** What a POST sends; null or absent for a GET. */
  readonly body?: string | null
}

/** The answer of a provider, in its real wire format. Text is sent as UTF-8, bytes as they are, another object as JSON. */
export interface WorldReply {
  readonly status?: number
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | object
}

/** The bytes of an answer. */
export const bytesOf = ({ body }: WorldReply): Uint8Array => {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
}

/** The key that simulated providers accept unless they declare another; as long as the setting of a key must be. */
export const WORLD_KEY = "key-of-the-world"

/** A feed of a provider whose items a test can give. */
export interface GivenFeed {
  /** The endpoints in the form of whose rows they are given. */
  readonly paths: ReadonlyArray<string>
  /** What the provider answers from then on, null for what does not hold them; or what is wrong with the items. */
  readonly publish: (items: ReadonlyArray<unknown>) => Result.Result<SimulatedUpstream["answer"], string>
}

/** One simulated provider: the hosts it answers for, and its answers. `null` is the provider's own 404. */
export interface SimulatedUpstream {
  readonly _tag: "SimulatedUpstream"
  /** Kebab case, equal to the file's name and to that of the source. */
  readonly name: string
  readonly hosts: ReadonlyArray<string>
  /** The only key that it accepts, by its setting, where `WORLD_KEY` has not the form of the provider's keys. */
  readonly keys?: Readonly<Record<string, string>>
  /** Hosts that a source reads only where the others fail, and that hold other content. */
  readonly standIns?: ReadonlyArray<string>
  readonly answer: (request: WorldRequest, world: World) => WorldReply | null
  readonly given?: GivenFeed
  /** The answer to every request during an outage of the provider; null at any other time. */
  readonly outage?: (world: World) => WorldReply | null
}

/** Declares a simulated upstream. */
export const simulatedUpstream = (definition: Omit<SimulatedUpstream, "_tag">): SimulatedUpstream => ({
  _tag: "SimulatedUpstream",
  ...definition,
})

/** The same provider with its outages: tests of the whole service run at any time, and so in a world without them. */
export const withOutages = (upstream: SimulatedUpstream): SimulatedUpstream => ({
  ...upstream,
  answer: (request, world) => upstream.outage?.(world) ?? upstream.answer(request, world),
})

/**
 * The simulated provider of each host. Where several share one, as those of several sources of one upstream, the first that
 * knows the path answers.
 */
export const upstreamsByHost = (
  upstreams: ReadonlyArray<SimulatedUpstream>,
): ReadonlyMap<string, SimulatedUpstream> => {
  const byHost = new Map<string, SimulatedUpstream>()
  for (const upstream of upstreams)
    for (const host of upstream.hosts) {
      const before = byHost.get(host)
      byHost.set(
        host,
        before === undefined
          ? upstream
          : { ...before, answer: (request, world) => before.answer(request, world) ?? upstream.answer(request, world) },
      )
    }
  return byHost
}

/** Every upstream as one, which answers for the hosts of all. */
export const unitedUpstreams = (upstreams: ReadonlyArray<SimulatedUpstream>): SimulatedUpstream => {
  const byHost = upstreamsByHost(upstreams)
  return {
    _tag: "SimulatedUpstream",
    name: "everyone",
    hosts: [...byHost.keys()],
    answer: (request, world) => byHost.get(request.host)?.answer(request, world) ?? null,
  }
}
