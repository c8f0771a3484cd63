import { catalogEndpoint } from "../../../schemas/endpoints/catalog.ts"
import { worldEndpoint } from "../../../schemas/endpoints/world.ts"
import { sitePage } from "../site-page.ts"
import { worldContent } from "../world/content.ts"

/** The front page: every feed at a glance; the catalog for programs. */
export default sitePage({
  path: "/",
  name: "page_world",
  navigation: { label: "World", rank: 1 },
  json: catalogEndpoint.path,
  make:
    ({ options, world }) =>
    async () =>
      worldContent((await world.current()).world, { attribution: options.attribution, json: worldEndpoint.path }),
})
