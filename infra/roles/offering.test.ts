import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { sources } from "../../ingestors/registry.ts"
import { feedViews } from "../../processors/registry.ts"
import { partsOf } from "../../processors/view/build-view.ts"
import { isOfService } from "../../schemas/contract/endpoint-kinds.ts"
import { parseInstanceKey } from "../../schemas/feed.ts"
import { endpoints } from "../../schemas/registry.ts"
import { heldEndpoints, notOfferedText, type Offering, offeringOf, offeringWithout, sourcesFor } from "./offering.ts"

const without = (...names: ReadonlyArray<string>): Offering => Result.getOrThrow(offeringWithout(names))
const problemsOf = (...names: ReadonlyArray<string>) => Result.getOrThrow(Result.flip(offeringWithout(names)))
const pathsOf = (listed: ReadonlyArray<{ readonly path: string }>) => listed.map(({ path }) => path)

/** Keys of the instances that are polled on schedule, where every key is given. */
const polled = (offering: Offering): ReadonlySet<string> =>
  new Set(makePlan(sourcesFor(offering, sources), () => "a-key", null).scheduled.map(({ key }) => key))

/** Keys of the instances that the views of some endpoints read at the parameters that stand ready. */
const readBy = (isChosen: (path: string) => boolean): ReadonlySet<string> =>
  new Set(
    feedViews
      .filter(({ endpoint }) => isChosen(endpoint.path))
      .flatMap((view) => (view._tag === "View" ? view.instances : [{}]).flatMap((one) => partsOf(view, one)))
      .flatMap(({ instances }) => instances.map(({ key }) => key)),
  )

const feedsOf = (isChosen: (path: string) => boolean): ReadonlySet<string> =>
  new Set(
    feedViews
      .filter(({ endpoint }) => isChosen(endpoint.path))
      .flatMap(({ reads }) => Object.values(reads).map(({ feed }) => feed.name)),
  )

const everything = polled(without())
const ofData = endpoints.filter((one) => !isOfService(one))

describe("the views that an API holds", () => {
  it("are those of the offered endpoints, and that of the monitor even where it is off", () => {
    expect(heldEndpoints(endpoints)).toBe(endpoints)
    const { endpoints: offered } = without("/api/pro/feed-reliability", "/api/forex")
    expect(pathsOf(heldEndpoints(offered)).sort()).toEqual(
      pathsOf(endpoints)
        .filter((path) => !["/api/forex", "/api/forex/history"].includes(path))
        .sort(),
    )
  })
})

describe("what is offered", () => {
  it("is everything where nothing is off", () => {
    expect(offeringOf({ endpointsOff: null })).toMatchObject({ endpoints, notOffered: [], views: feedViews })
    expect(sourcesFor(without(), sources)).toBe(sources)
  })

  it.each(ofData.map(({ path, name, kind }) => ({ path, name, kind })))(
    "without $path ($kind) is the rest, by its path as by its name",
    ({ path, name }) => {
      const offering = without(path)
      // Its history goes with it.
      const off = pathsOf(endpoints.filter((one) => (one.kind === "history" ? one.of : one).path === path))
      expect(pathsOf(offering.notOffered)).toEqual(off)
      expect(pathsOf(offering.endpoints)).toEqual(pathsOf(endpoints).filter((one) => !off.includes(one)))
      expect(pathsOf(offering.views.map(({ endpoint }) => endpoint))).not.toContain(path)
      expect(without(name)).toEqual(offering)
    },
  )

  it("is refused where a name is wrong: each is named, with the nearest that would be right", () => {
    const wrong = ["/api/stock", "/api/stocks", "chess-tv", "/openapi.json", "payment_confirm", "forex_history"]
    expect(problemsOf(...wrong)).toEqual([
      "there is no endpoint /api/stock; the nearest is /api/stocks",
      "there is no endpoint chess-tv; the nearest is chess_tv",
      "/openapi.json belongs to the service itself, which always serves it: only endpoints of data can be off",
      "payment_confirm belongs to the service itself, which always serves it: only endpoints of data can be off",
      "forex_history goes with its endpoint: name /api/forex",
    ])
  })
})

describe("what is polled", () => {
  it.each(pathsOf(ofData))("without %s is what it was, less what it alone reads", (path) => {
    const isOwn = (one: string) => one === path
    const isOther = (one: string) => one !== path
    // Places on demand are polled too, though their views read them under no parameters that stand ready.
    const rest = [...everything].filter((key) => {
      const feed = parseInstanceKey(key).name
      if (feedsOf(isOwn).has(feed) && !feedsOf(isOther).has(feed)) return false
      return !readBy(isOwn).has(key) || readBy(isOther).has(key)
    })
    expect([...polled(without(path))].sort()).toEqual(rest.sort())
  })

  it("is nothing that a view reads where every endpoint is off, and is declared so", () => {
    const { declared, resting } = makePlan(sourcesFor(without(...pathsOf(ofData)), sources), () => null, null)
    const read = feedsOf(() => true)
    expect(declared.filter(({ feed }) => read.has(feed))).toEqual([])
    // What is not needed lacks no key.
    expect(resting).toEqual([])
  })

  it("keeps of a feed the instances that others read", () => {
    const keys = [...polled(without("/api/climate/earthquakes"))].filter((key) => key.startsWith("earthquakes?"))
    expect(keys.sort()).toEqual([
      "earthquakes?magnitude=2.5&period=day",
      "earthquakes?magnitude=significant&period=day",
    ])
  })

  it("can be fetched on request for no endpoint that is off", () => {
    const demandedOf = (offering: Offering, ip: string) =>
      makePlan(sourcesFor(offering, sources), () => "a-key", null).demanded("exposure-scan", { ip })
    expect(demandedOf(without(), "1.1.1.1")).not.toBeNull()
    expect(demandedOf(without("/api/exposure-scan"), "1.1.1.1")).toBeNull()
  })
})

it("is said in one line: what is off, and what is not polled for it", () => {
  expect(notOfferedText(without("/api/chess-tv", "/api/climate/earthquakes"))).toBe(
    "not_offered, as ENDPOINTS_OFF says: /api/chess-tv, /api/climate/earthquakes; not polled for it: chess-tv, 18 instances of earthquakes",
  )
  expect(notOfferedText(without("/api/forex"))).toBe(
    "not_offered, as ENDPOINTS_OFF says: /api/forex; not polled for it: nothing, as other endpoints read the same feeds",
  )
})
