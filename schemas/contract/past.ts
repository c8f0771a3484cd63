import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { CURSOR, parseCursor } from "../change.ts"
import { parseInstanceKey } from "../feed.ts"
import { type Endpoint, isView, standsReady, type ViewEndpoint } from "./endpoint-kinds.ts"
import { INSTANT_WITH_ZONE, type Parameter, type ParameterSet, readInstant } from "./parameters.ts"

// The past of replies: what the service would have answered at an earlier instant. That instant is one of known time; the time at
// which something happened is `from` and `to` of a history.

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

/** The last instant whose replies no longer change. */
export const NOW = "now"

const canonical = (text: string): string | null =>
  text === NOW || parseCursor(text) !== null ? text : readInstant(text)

const MESSAGE = "must be an instant of the past with its zone, a cursor, or now"

/** An instant of known time, a cursor or `now`; of an instant decoding gives its one text, in UTC with milliseconds. */
export const AtText: Schema.Codec<string, string> = Schema.String.check(
  Schema.makeFilter((text) => (canonical(text) === null ? MESSAGE : undefined)),
).pipe(
  Schema.decodeTo(Schema.String.annotate({ description: MESSAGE }), {
    decode: SchemaGetter.transform((text) => canonical(text) ?? text),
    encode: SchemaGetter.transform((text) => text),
  }),
)

const at: Parameter<string> = {
  schema: AtText,
  text: { pattern: `${INSTANT_WITH_ZONE.source}|${CURSOR.source}|^${NOW}$` },
  optional: true,
  description:
    "The reply as it was known at this instant, with its zone (`2026-08-17T20:35:00Z`), behind this cursor of a change, or `now`: the last instant whose replies no longer change",
  toolDescription: "The past: an instant with zone, a cursor or now",
  errorCode: "invalid_at",
  example: "2026-08-17T20:35:00Z",
}

/** The parameter that asks an endpoint for its past; none where it has none. */
export const pastParameters = (endpoint: Endpoint): ParameterSet =>
  hasPast(endpoint) || (endpoint.kind === "document" && endpoint.keepsPast) ? { at } : {}
