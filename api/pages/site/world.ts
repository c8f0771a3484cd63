import { defaultTtlMs } from "../../../schemas/contract/endpoint-kinds.ts"
import { catalogEndpoint } from "../../../schemas/endpoints/catalog.ts"
import { worldEndpoint } from "../../../schemas/endpoints/world.ts"
import { livePages } from "../live.ts"
import { sitePage } from "../site-page.ts"
import { worldContent } from "../world/content.ts"

/** The front page: every feed at a glance; the catalog for programs. */
export default sitePage({
  path: "/",
  name: "page_world",
  navigation: { label: "World", rank: 1 },
  json: catalogEndpoint.path,
  make: ({ options, world }) => {
    const live = livePages(options)
    const json = { path: worldEndpoint.path, ttlMs: defaultTtlMs(worldEndpoint) }
    return async () => worldContent((await world.current()).world, { attribution: options.attribution, json, live })
  },
})
