import { worldEndpoint } from "../../schemas/endpoints/world.ts"
import { liveDocument } from "../routes/document.ts"

/** Every feed at a glance. */
export default liveDocument({
  endpoint: worldEndpoint,
  current:
    ({ world }) =>
    async () =>
      (await world.current()).prepared,
})
