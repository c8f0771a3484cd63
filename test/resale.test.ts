import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { makeSelect } from "../api/http/parameters.ts"
import { sources } from "../ingestors/registry.ts"
import { makeLatest } from "../processors/folds/latest.ts"
import { foldedViews, views } from "../processors/registry.ts"
import { foldingBench, type GivenEvent, observed as saw } from "../processors/testing/folding.ts"
import type { View } from "../processors/view/view.ts"
import { defaultParameters, type FilteredEndpoint } from "../schemas/contract/endpoint-kinds.ts"
import { instanceKey, type Parameters } from "../schemas/feed.ts"
import { endpoints, eventReader, feeds } from "../schemas/registry.ts"
import { observed } from "./feeds/support/world.ts"
import { nullsWithoutNote } from "./support/notes.ts"
import { simulatedUpstreams } from "./world/server.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
/** Two polls, so that windows over the past hold something. */
const POLLS_AT_MS = [NOW_MS - 600_000, NOW_MS]

const premium = views.filter(({ endpoint }) => endpoint.tier === "premium")
const unsold = new Set(sources.filter(({ terms }) => terms.sold.answer !== "yes").map(({ fills }) => fills.name))

/** The feeds whose items stand in the replies of premium endpoints that a fold of their own fills, and no view. */
const ofFolds: Readonly<Record<string, ReadonlyArray<string>>> = {
  // It judges polls, and holds nothing of what they brought.
  "/api/pro/feed-reliability": [],
  ...Object.fromEntries(
    foldedViews.map(({ endpoint, reads }) => [endpoint.path, Object.values(reads).map(({ feed }) => feed.name)]),
  ),
}

/** The inputs of a view over feeds that may not be sold. */
const unsoldInputs = ({ reads }: View): ReadonlySet<string> =>
  new Set(Object.entries(reads).flatMap(([name, { feed }]) => (unsold.has(feed.name) ? [name] : [])))

/** Polls of the world of every instance that a view reads. */
const pollsOf = async (view: View, isPolled: (input: string) => boolean): Promise<ReadonlyArray<GivenEvent>> => {
  const instances = new Map<string, { readonly feed: string; readonly parameters: Parameters }>()
  for (const [name, { feed, instances: read }] of Object.entries(view.reads))
    for (const parameters of isPolled(name) ? read({}) : [])
      instances.set(instanceKey(feed.name, parameters), { feed: feed.name, parameters })
  const polls = POLLS_AT_MS.flatMap((atMs) =>
    [...instances.values()].map(async ({ feed, parameters }) => {
      const source = sources.find(({ fills, serves }) => fills.name === feed && serves(parameters))
      const world = simulatedUpstreams.find(({ name }) => name === source?.name)
      if (source === undefined || world === undefined) throw new Error(`nothing polls ${feed}`)
      const { payload } = await observed(source, world, atMs, parameters)
      return saw(atMs, feed, payload as never, { parameters, provider: source.provider(parameters) })
    }),
  )
  return Promise.all(polls)
}

/** The data of a view after polls of the world; its cold data where a required input has not been read. */
const builtOf = async (view: View, isPolled: (input: string) => boolean = () => true): Promise<unknown> => {
  const bench = foldingBench(makeLatest([view], feeds), eventReader)
  bench.fold(...(await pollsOf(view, isPolled)))
  const body = bench.view(view.endpoint.path) as { readonly data: unknown } | undefined
  return body?.data ?? view.endpoint.cold
}

/** Parameters by which a reply is requested: the defaults, and the examples of all. */
const requestsOf = (endpoint: FilteredEndpoint): ReadonlyArray<Parameters> => [
  defaultParameters(endpoint),
  Object.fromEntries(Object.entries(endpoint.parameters).map(([name, { example }]) => [name, example])),
]

describe("what premium endpoints are made of", () => {
  it("is known: each serves a view, a query of the history, or a fold that is listed here", () => {
    const viewed = new Set(premium.map(({ endpoint }) => endpoint.path))
    const others = endpoints.filter(
      ({ tier, kind, path }) => tier === "premium" && kind !== "queried" && !viewed.has(path),
    )
    expect(others.map(({ path }) => path).filter((path) => !(path in ofFolds))).toEqual([])
    expect(Object.keys(ofFolds).filter((path) => viewed.has(path))).toEqual([])
  })

  it("may be withheld by a selection alone, whichever source fills it and whoever builds the view", () => {
    expect(premium.length).toBeGreaterThan(0)
    for (const { endpoint, reads } of [...premium, ...foldedViews])
      if (Object.values(reads).some(({ feed }) => unsold.has(feed.name)))
        expect(endpoint.kind, endpoint.path).toBe("filtered")
  })
})

const concerned = premium.flatMap((view) => {
  const { endpoint } = view
  const withheld = unsoldInputs(view)
  return endpoint.kind === "filtered" && withheld.size > 0 ? [{ path: endpoint.path, view, endpoint, withheld }] : []
})

it("some premium view reads what may not be sold", () => expect(concerned.length).toBeGreaterThan(0))

describe.each(concerned)("$path, without what may not be sold", ({ view, endpoint, withheld }) => {
  const strict = { onExcessProperty: "error" } as const
  const all = new Set(Object.keys(view.reads))

  it("is the same whether or not that was ever read, and is not made of it", async () => {
    const [full, less] = [await builtOf(view), await builtOf(view, (input) => !withheld.has(input))]
    const select = makeSelect(endpoint, withheld)
    const isConcerned = requestsOf(endpoint).filter((parameters) => {
      const whole = makeSelect(endpoint)(full, parameters)
      const { data, inputs } = select(full, parameters)
      expect(data).toEqual(select(less, parameters).data)
      expect(inputs.filter((name) => withheld.has(name))).toEqual([])
      expect(whole.inputs).toEqual(expect.arrayContaining([...inputs]))
      return whole.inputs.some((name) => withheld.has(name))
    })
    // Otherwise nothing was proved.
    expect(isConcerned.length).toBeGreaterThan(0)
    for (const parameters of isConcerned) {
      const whole = makeSelect(endpoint)(full, parameters).data as { readonly notes: object }
      const { notes } = select(full, parameters).data as { readonly notes: object }
      expect(select(full, parameters).data).not.toEqual(whole)
      expect(notes).not.toEqual(whole.notes)
    }
  })

  it("fits its schema, and a note says of each null why", async () => {
    const full = await builtOf(view)
    for (const names of [withheld, all])
      for (const parameters of requestsOf(endpoint)) {
        const { data } = makeSelect(endpoint, names)(full, parameters)
        const decoded = Schema.decodeUnknownSync(endpoint.data, strict)(data)
        expect(nullsWithoutNote(decoded as object)).toEqual([])
      }
  })

  it("has no data at all where every input is withheld", async () => {
    const full = await builtOf(view)
    const select = makeSelect(endpoint, all)
    for (const parameters of requestsOf(endpoint)) {
      expect(select(full, parameters).inputs).toEqual([])
      expect(select(full, parameters).data).toEqual(select(endpoint.cold, parameters).data)
    }
  })
})
