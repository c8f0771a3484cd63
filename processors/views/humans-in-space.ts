import { crew, humansInSpaceEndpoint } from "../../schemas/feeds/crew.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: humansInSpaceEndpoint,
  reads: { crew: from(crew) },
  build: ({ crew }) => ({ count: crew.payload.items.length, people: crew.payload.items }),
})
