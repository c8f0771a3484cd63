import { defaultTtlMs } from "../../../schemas/contract/endpoint-kinds.ts"
import { catalogEndpoint } from "../../../schemas/endpoints/catalog.ts"
import { worldEndpoint } from "../../../schemas/endpoints/world.ts"
import type { ApiTools } from "../../routes/route.ts"
import { showsPast } from "../feed/live-reply.ts"
import { livePages } from "../live.ts"
import { FORM_POLICY } from "../past.ts"
import { sitePage } from "../site-page.ts"
import { worldContent } from "../world/content.ts"

const json = { path: worldEndpoint.path, ttlMs: defaultTtlMs(worldEndpoint) }

const optionsOf = ({ options }: ApiTools) => ({
  attribution: options.attribution,
  json,
  live: livePages(options),
  offersPast: (options.past ?? null) !== null,
  hasPastPage: makeHasPastPage(options),
})

/** Makes the function that says whether the page of an endpoint has a past. */
const makeHasPastPage = ({ endpoints }: ApiTools["options"]): ((path: string) => boolean) => {
  const paths = new Set(endpoints.filter(showsPast).map(({ path }) => path))
  return (path) => paths.has(path)
}

/** The front page: every feed at a glance; the catalog for programs. */
export default sitePage({
  path: "/",
  name: "page_world",
  navigation: { label: "World", rank: 1 },
  json: catalogEndpoint.path,
  policy: FORM_POLICY,
  make: (tools) => {
    const shared = optionsOf(tools)
    return async () => worldContent((await tools.world.current()).world, { ...shared, past: null })
  },
  makePast: (tools) => {
    const shared = optionsOf(tools)
    return async (request) => {
      const board = await tools.pastWorld.at(request)
      if ("status" in board) return board
      const { world } = board
      if (world.at === undefined) throw new Error("a board of the past has no instant")
      const past = { at: world.at.known_at }
      return { content: worldContent(world, { ...shared, past }), meta: world.at, parameters: {} }
    }
  },
})
