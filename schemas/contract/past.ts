import { parseInstanceKey } from "../feed.ts"
import { type Endpoint, isView, standsReady, type ViewEndpoint } from "./endpoint-kinds.ts"

/**
 * Whether the replies of an endpoint can be asked for as they were known at an earlier instant (`at`): those that are made of a
 * view, but for what is fetched on request alone, what leaves no trace, and what counts callers.
 */
export const hasPast = (endpoint: Endpoint): endpoint is ViewEndpoint =>
  isView(endpoint) &&
  (endpoint.kind === "on-demand" ? endpoint.prepared.length > 0 && !endpoint.unlogged : endpoint.keepsPast)

/** Makes the function that says whether the versions of a view are kept, by its key. */
export const makeKeepsPast = (endpoints: ReadonlyArray<Endpoint>): ((viewKey: string) => boolean) => {
  const byPath = new Map(endpoints.filter(hasPast).map((endpoint) => [endpoint.path, endpoint]))
  return (viewKey) => {
    const endpoint = byPath.get(parseInstanceKey(viewKey).name)
    return endpoint !== undefined && standsReady(endpoint, viewKey)
  }
}
