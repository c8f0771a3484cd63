import { hash } from "node:crypto"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { GivenFeed, SimulatedUpstream } from "./upstream.ts"

/** What providers publish in place of what the world says, by host. */
export type Given = ReadonlyMap<string, ReadonlyArray<SimulatedUpstream["answer"]>>

/**
 * Declares a feed whose items a test can give, in the form of the rows of its endpoint; `answer` states them in the wire format
 * of the provider, so that the decoder of the source reads them as all others.
 */
export const givenFeed = <Item>(definition: {
  /** The endpoints whose rows these are. */
  readonly paths: ReadonlyArray<string>
  readonly item: Schema.Codec<Item, unknown>
  readonly answer: (items: ReadonlyArray<Item>) => SimulatedUpstream["answer"]
}): GivenFeed => {
  const decode = Schema.decodeUnknownResult(Schema.Array(definition.item), { onExcessProperty: "error" })
  return {
    paths: definition.paths,
    publish: (items) =>
      Result.mapBoth(decode(items), { onFailure: ({ message }) => message, onSuccess: definition.answer }),
  }
}

/** An id for a given item without one: that of its content. */
export const givenId = (item: object): string => hash("sha256", JSON.stringify(item)).slice(0, 32)

const decodeItems = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Array(Schema.Json))),
)

/** The paths of the endpoints whose items can be given. */
export const givablePaths = (upstreams: ReadonlyArray<SimulatedUpstream>): ReadonlyArray<string> =>
  [...new Set(upstreams.flatMap(({ given }) => given?.paths ?? []))].sort()

/** Reads the items of feeds, by the path of an endpoint; a sentence where they are none, or where the feed takes none. */
export const readGiven = (text: string, upstreams: ReadonlyArray<SimulatedUpstream>): Result.Result<Given, string> =>
  Result.gen(function* () {
    const feeds = yield* Result.mapError(decodeItems(text), ({ message }) => message)
    const given = new Map<string, Array<SimulatedUpstream["answer"]>>()
    for (const [path, items] of Object.entries(feeds)) {
      const publishers = upstreams.filter((upstream) => upstream.given?.paths.includes(path))
      if (publishers.length === 0)
        return yield* Result.fail(
          `${path}: its items cannot be given, those of ${givablePaths(upstreams).join(", ")} can: give documents of its providers (/_world/answers)`,
        )
      for (const { hosts, given: feed } of publishers) {
        if (feed === undefined) continue
        const publish = yield* Result.mapError(feed.publish(items), (problem) => `${path}: ${problem}`)
        for (const host of hosts) given.set(host, [...(given.get(host) ?? []), publish])
      }
    }
    return given
  })

/** The provider of a host that publishes what was given to it. */
export const withGiven = (upstream: SimulatedUpstream, host: string, given: Given): SimulatedUpstream => {
  const publishers = given.get(host) ?? []
  return publishers.length === 0
    ? upstream
    : {
        ...upstream,
        answer: (request, world) => {
          for (const publish of publishers) {
            const reply = publish(request, world)
            if (reply !== null) return reply
          }
          return upstream.answer(request, world)
        },
      }
}
