import { worldEndpoint } from "../../schemas/endpoints/world.ts"
import { liveDocument } from "../routes/document.ts"

/** Every feed at a glance. */
export default liveDocument({
  endpoint: worldEndpoint,
  current:
    ({ world }) =>
    async () =>
      (await world.current()).prepared,
  past:
    ({ pastWorld }) =>
    async (request) => {
      const made = await pastWorld.at(request)
      return "status" in made ? made : made.prepared
    },
})
