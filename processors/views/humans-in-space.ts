import { humansInSpace, humansInSpaceEndpoint } from "../../schemas/feeds/humans-in-space.ts"
import { from, view } from "../view/view.ts"

export default view({
  endpoint: humansInSpaceEndpoint,
  reads: { crew: from(humansInSpace) },
  build: ({ crew }) => ({ count: crew.payload.items.length, people: crew.payload.items }),
})
