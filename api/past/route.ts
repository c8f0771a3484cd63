import { type Endpoint, isView, type ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { NOW } from "../../schemas/contract/past.ts"
import { isWhole } from "../../schemas/contract/renditions.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { Exchange } from "../http/answer.ts"
import { type AcceptedParameters, makeParameterReader, makeSelect, type RequestQuery } from "../http/parameters.ts"
import { noTable, type ProblemReply, parameterProblem } from "../http/problems.ts"
import { JSON_TYPE, type PreparedReply, type ReplyFacts } from "../http/representation.ts"
import type { ApiTools, Route } from "../routes/route.ts"
import { compose, freshnessOfInputs, missingOf } from "../views/compose.ts"
import { readRendition } from "../views/rendition-parameters.ts"
import { type RenditionRequest, renderedAt, UNREADABLE } from "../views/renditions.ts"
import { ReplyCache } from "../views/reply-cache.ts"
import { pastCacheControl, pastHeaders } from "./headers.ts"
import type { PastView } from "./reader.ts"

/** A past reply before its headers. */
interface PastReply {
  readonly bytes: Buffer
  readonly facts: Pick<ReplyFacts, "asOf" | "stale"> & Partial<ReplyFacts>
  /** Headers of its format, as a flat list. */
  readonly headers: ReadonlyArray<string>
}

/** Makes the function that sends the past replies of free endpoints, which are kept by their address. */
export const makePastRoute = (tools: ApiTools) => {
  const { answers, limits, past, coder } = tools
  const cache = new ReplyCache<null>({
    coder,
    bytesMax: limits.pastBytesMax,
    // The reader counts them.
    missesPerMinute: limits.pastRepliesPerMinute,
    missMessage: "",
  })

  /** The route of an endpoint: `plain` where the request asks for the present. */
  return (endpoint: Endpoint, plain: Route): Route => {
    if (!isView(endpoint)) return plain
    const read = makeParameterReader(endpoint)
    const readChosen = readRendition(endpoint)
    const render = makePastSelection(endpoint)

    const answer = async (query: RequestQuery, exchange: Exchange, client: string) => {
      const accepted = read(query)
      if (accepted._tag === "Refused") return parameterProblem(accepted)
      const chosen = readChosen(query)
      if (chosen._tag === "Refused") return parameterProblem(chosen)
      const request = { endpoint, accepted, at: query.at, lastEventId: exchange.request.headers["last-event-id"] }
      const asked = past.accept(request)
      if (asked._tag === "Refused") return asked.problem
      const parameters = { ...accepted.parameters, ...chosen.shortest }
      const key = instanceKey(endpoint.path, { ...parameters, at: asked.requested })
      // A past reply of one release never changes, unless something is taken out.
      const version = past.purgesSeen
      const known = cache.get(key, version)
      const ready = known === undefined ? null : cache.current(known, null, 0)
      if (ready !== null) return ready

      const view = await past.read({ ...request, client })
      if (view._tag === "Refused") return view.problem
      // The pages that follow are of the same instant, whatever named it.
      const ofPages = { ...parameters, at: view.meta.known_at }
      const made = replyOf({ endpoint, parameters: ofPages, rendition: chosen.rendition }, render(view, accepted))
      if ("status" in made) return made
      const facts = {
        ...made.facts,
        ...factsOf(view),
        headers: [...made.headers, ...pastHeaders(endpoint.path, parameters, view.meta)],
      }
      const entry = { key, version, made: null, bytes: 0, area: "common" } as const
      // `now` names another instant each time.
      const kept = view.meta.requested === NOW ? { ...entry, reply: null } : cache.add(entry)
      return cache.keep(kept, null, 0, { bytes: made.bytes, facts })
    }

    return (exchange, query, client, body) =>
      query.at === undefined
        ? plain(exchange, query, client, body)
        : answer(query, exchange, client).then((made: PreparedReply | ProblemReply) =>
            "status" in made ? answers.problem(exchange, made) : answers.prepared(exchange, made),
          )
  }
}

/** What every past reply has in common, whatever it was made of. */
const factsOf = ({ atMs, meta }: PastView): Omit<ReplyFacts, "asOf" | "stale"> => ({
  preparedAtMs: atMs,
  ttlMs: 0,
  changesAtMs: null,
  // That there was no data is as settled as what there was.
  missing: null,
  cacheControl: pastCacheControl(meta),
})

/** A view, or the part of it that parameters select; `cold` stands in place of data while there is none. */
type Selected = PastView & { readonly cold?: unknown }

const wholeOf = (view: PastView): Selected => view

/** Makes the function that selects from a past view what the parameters of its endpoint ask for. */
export const makePastSelection = (
  endpoint: ViewEndpoint,
): ((view: PastView, accepted: AcceptedParameters) => Selected) =>
  endpoint.kind === "filtered" ? makeFiltered(endpoint) : wholeOf

/** The body of a past reply as JSON, judged at its instant. */
export const pastBody = (
  endpoint: ViewEndpoint,
  { data, freshness, atMs, meta, cold }: Selected,
): ReturnType<typeof compose> => compose(endpoint, data, freshness, atMs, { cold, at: meta })

const makeFiltered = (endpoint: Extract<ViewEndpoint, { readonly kind: "filtered" }>) => {
  const select = makeSelect(endpoint)
  return (view: PastView, { parameters }: AcceptedParameters): Selected => {
    const { data, freshness } = view
    if (data === null && endpoint.cold === null) return view
    const selected = select(data === null ? endpoint.cold : JSON.parse(data.bytes.toString()), parameters)
    return {
      ...view,
      data: data === null ? null : { changedAt: data.changedAt, bytes: Buffer.from(JSON.stringify(selected.data)) },
      freshness: freshness === null ? null : freshnessOfInputs(freshness, selected.inputs),
      ...(data === null ? { cold: selected.data } : {}),
    }
  }
}

/** The bytes of a reply, judged at its instant; or the refusal of a format that cannot say that there was no data. */
const replyOf = (request: RenditionRequest, view: Selected): PastReply | ProblemReply => {
  const { endpoint, rendition } = request
  const { data, freshness, atMs, meta } = view
  if (!isWhole(rendition) && data !== null) {
    const rendered = renderedAt(request, { data, freshness }, atMs, meta)
    if (rendered !== null) {
      const { bytes, facts } = rendered
      return { bytes, facts, headers: facts.headers ?? [] }
    }
  }
  if (rendition.format !== "json") {
    const { resting, reason } = data === null ? missingOf(freshness) : UNREADABLE
    return noTable(resting ? reason : "warming", reason, null)
  }
  const { bytes, asOf, stale } = pastBody(endpoint, view)
  return { bytes, facts: { asOf, stale, contentType: JSON_TYPE }, headers: [] }
}
