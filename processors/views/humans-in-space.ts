import { humansInSpace, humansInSpaceEndpoint } from "../../schemas/feeds/humans-in-space.ts"
import { changesOf, from, view } from "../view/view.ts"

export default view({
  endpoint: humansInSpaceEndpoint,
  reads: { crew: from(humansInSpace) },
  changes: [changesOf(humansInSpace, (person) => person)],
  build: ({ crew }) => ({ count: crew.payload.items.length, people: crew.payload.items }),
})
