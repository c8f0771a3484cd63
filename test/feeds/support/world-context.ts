import frankfurter from "../../../ingestors/sources/frankfurter.ts"
import fred from "../../../ingestors/sources/fred.ts"
import hackerNews from "../../../ingestors/sources/hacker-news.ts"
import launchLibrary from "../../../ingestors/sources/launch-library.ts"
import polymarket from "../../../ingestors/sources/polymarket-gamma.ts"
import statuspage from "../../../ingestors/sources/statuspage.ts"
import usgs from "../../../ingestors/sources/usgs-earthquakes.ts"
import type { Reading } from "../../../processors/view/view.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import frankfurterWorld from "../../world/upstreams/frankfurter.ts"
import fredWorld from "../../world/upstreams/fred.ts"
import hackerNewsWorld from "../../world/upstreams/hacker-news.ts"
import launchLibraryWorld from "../../world/upstreams/launch-library.ts"
import polymarketWorld from "../../world/upstreams/polymarket-gamma.ts"
import statuspageWorld from "../../world/upstreams/statuspage.ts"
import usgsWorld from "../../world/upstreams/usgs-earthquakes.ts"
import { reading } from "./shown.ts"
import { observed } from "./world.ts"

/** The instances that the agent context reads, with their sources in the simulated world. */
const instances = [
  [fred, fredWorld, { series: "FEDFUNDS" }],
  [frankfurter, frankfurterWorld, {}],
  [usgs, usgsWorld, { magnitude: "significant", period: "day" }],
  [launchLibrary, launchLibraryWorld, {}],
  [hackerNews, hackerNewsWorld, {}],
  [polymarket, polymarketWorld, {}],
  ...["github", "cloudflare", "openai", "claude"].map((service) => [statuspage, statuspageWorld, { service }] as const),
] as const

/** What the agent context reads of the world at an instant, by the key of the instance. */
export const worldReadings = async (atMs: number): Promise<ReadonlyMap<string, Reading<unknown>>> =>
  new Map(
    await Promise.all(
      instances.map(async ([source, world, parameters]) => {
        const { payload } = await observed<unknown, unknown>(source as never, world, atMs, parameters)
        return [instanceKey(source.fills.name, parameters), reading(payload, parameters, atMs)] as const
      }),
    ),
  )
