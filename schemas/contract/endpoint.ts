import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import { mediaTypeOf } from "../formats/format.ts"
import type { Paging } from "../formats/paging.ts"
import { hasPlaces, type TableChoice, tableOf } from "../formats/table.ts"
import { assertNotice, type Deprecation } from "./deprecation.ts"
import {
  type ChangesEndpoint,
  type ChangesFacts,
  type CommandEndpoint,
  type Counted,
  type DocumentEndpoint,
  defaultParameters,
  type Endpoint,
  type EndpointFacts,
  type FilteredEndpoint,
  type OnDemandEndpoint,
  type PreparedEndpoint,
  type QueriedEndpoint,
  type RenditionFacts,
  type RequestBody,
  type Subject,
  showsShare,
  type ViewFacts,
} from "./endpoint-kinds.ts"
import { fieldNamesOf } from "./fields.ts"
import type { Glance } from "./glance.ts"
import { type NoCharge, noChargeOf } from "./no-charge.ts"
import type { ParameterSet } from "./parameters.ts"
import { renditionParameters } from "./renditions.ts"
import { type Responses, responsesOf } from "./responses.ts"

type Ttl = Duration.Input | ((parameters: Readonly<Record<string, string>>) => Duration.Input)

interface Definition<P extends ParameterSet, Data> {
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly description: string
  /** What the data is about: every endpoint of data declares it. */
  readonly subject?: Subject
  readonly parameters: P
  readonly data: Schema.Codec<Data, unknown>
  readonly example: NoInfer<Data>
  /** Responses that only this endpoint has, beside those of its kind and tier. */
  readonly responses?: Responses
  /** What is deprecated; see schemas/contract/deprecation.ts. Nothing unless given. */
  readonly deprecated?: ReadonlyArray<Deprecation>
}

/** What a free view declares of its renditions where its schema alone would give others, and of its tile. */
interface Rendered<Full> {
  /** What a glance at the data shows; nothing unless given. */
  readonly glance?: Glance<NoInfer<Full>>
  /** The feeds whose changes are stated as rows of this endpoint; none unless given. */
  readonly changes?: ReadonlyArray<ChangesFacts>
  /** Every list of objects of the data, or of the data's members, unless given. */
  readonly table?: TableChoice
  /** The list is always whole unless given. */
  readonly paging?: Paging
}

/** A free view declares its envelope; a premium one has the premium envelope, and declares its price. */
type PriceOf<Full> =
  | ({
      readonly tier: "free"
      readonly envelope?: "data" | "composed"
      readonly cold?: NoInfer<Full>
      /** False for what counts callers: how it stood earlier is not kept. True unless given. */
      readonly keepsPast?: false
    } & Rendered<Full>)
  | {
      readonly tier: "premium"
      readonly credits: number
      readonly noCharge?: ReadonlyArray<NoCharge<Full>>
      readonly cold: NoInfer<Full>
    }

type PreparedDefinition<P extends ParameterSet, Data> = Definition<P, Data> &
  PriceOf<NoInfer<Data>> & {
    readonly kind: "prepared"
    readonly ttl: Ttl
    readonly empty?: (data: NoInfer<Data>) => boolean
  }

/** The function of a premium endpoint that refuses values by the time of the request; none unless given. */
type RefusalOf<P extends ParameterSet> =
  | { readonly tier: "free"; readonly refuse?: never }
  | { readonly tier: "premium"; readonly refuse?: FilteredEndpoint<P>["refuse"] }

type FilteredDefinition<P extends ParameterSet, Data, Full> = Definition<P, Data> &
  PriceOf<Full> &
  RefusalOf<P> & {
    readonly kind: "filtered"
    readonly ttl: Ttl
    readonly select: FilteredEndpoint<P, NoInfer<Data>, Full>["select"]
    readonly empty?: (data: NoInfer<Data>) => boolean
  }

interface OnDemandDefinition<P extends ParameterSet, Data> extends Definition<P, Data>, Rendered<Data> {
  readonly kind: "on-demand"
  readonly tier: "free"
  readonly ttl: Ttl
  /** None unless given. */
  readonly prepared?: OnDemandEndpoint["prepared"]
  /** False unless given. */
  readonly unlogged?: boolean
}

interface QueriedDefinition<P extends ParameterSet, Data> extends Definition<P, Data> {
  readonly kind: "queried"
  readonly tier: "premium"
  readonly credits: number
  readonly ttl: Ttl
  readonly noCharge?: ReadonlyArray<NoCharge<NoInfer<Data>>>
}

interface DocumentDefinition<P extends ParameterSet, Data> extends Definition<P, Data> {
  readonly kind: "document"
  readonly tier: DocumentEndpoint["tier"]
  readonly ttl: Ttl
  /** JSON unless given. */
  readonly mediaTypes?: DocumentEndpoint["mediaTypes"]
  /** Whether its replies can be asked for as they were known at an earlier instant. False unless given. */
  readonly keepsPast?: boolean
  /** Whether replies have a `Link` header. False unless given. */
  readonly hasLinks?: boolean
  /** `minute` unless given. */
  readonly counted?: Counted
}

interface CommandDefinition<P extends ParameterSet, Data> extends Definition<P, Data> {
  readonly kind: "command"
  readonly tier: CommandEndpoint["tier"]
  readonly method: CommandEndpoint["method"]
  /** `none` unless given. */
  readonly bearer?: CommandEndpoint["bearer"]
  readonly body?: RequestBody
  readonly counted: Counted
}

interface ChangesDefinition<P extends ParameterSet, Data> extends Definition<P, Data> {
  readonly kind: "changes"
  readonly form: ChangesEndpoint["form"]
}

type AnyDefinition =
  | PreparedDefinition<ParameterSet, unknown>
  | FilteredDefinition<ParameterSet, unknown, unknown>
  | OnDemandDefinition<ParameterSet, unknown>
  | QueriedDefinition<ParameterSet, unknown>
  | DocumentDefinition<ParameterSet, unknown>
  | CommandDefinition<ParameterSet, unknown>
  | ChangesDefinition<ParameterSet, unknown>

type RenderedDefinition = Pick<AnyDefinition, "path" | "parameters" | "data"> & Rendered<unknown>

const JSON_TYPE = mediaTypeOf.json
const PAGE_TYPE = "text/html"
const EVENT_STREAM_TYPE = "text/event-stream"

const ttlMsOf =
  (ttl: Ttl) =>
  (parameters: Readonly<Record<string, string>>): number =>
    Duration.toMillis(typeof ttl === "function" ? ttl(parameters) : ttl)

const commonOf = (definition: AnyDefinition) => {
  const { path, name, summary, description, subject = null, parameters, deprecated = [], data, example } = definition
  for (const one of deprecated) assertNotice(path, one)
  return { _tag: "Endpoint", path, name, summary, description, subject, parameters, deprecated, data, example } as const
}

const WITH_META = "The data, with its freshness and its sources in _meta"

const descriptionOf = (
  kind: "queried" | ViewFacts<ParameterSet, unknown, unknown>["kind"],
  inMember: boolean,
): string =>
  kind === "queried"
    ? WITH_META
    : `${WITH_META}. While there is none, ${inMember ? "data is null" : "its members are null"}, and _meta holds the cause: warming true while data may come, else reason not_configured or not_licensed`

const jsonAlone = { formats: ["json"], table: null, paging: null, fields: [] } satisfies RenditionFacts

/** The renditions of data that is no table, or is not served as one. */
const withFields = ({ data }: Pick<RenderedDefinition, "data">): RenditionFacts => ({
  ...jsonAlone,
  fields: fieldNamesOf(data, null),
})

/** The renditions of a free view. Replies that are private to their caller are not kept, and are JSON alone. */
const renditionsOf = ({ path, parameters, data, table: choice, paging }: RenderedDefinition): RenditionFacts => {
  const table = tableOf(data, choice)
  if (table === null) return withFields({ data })
  const facts: RenditionFacts = {
    formats: hasPlaces(table) ? ["json", "csv", "geojson"] : ["json", "csv"],
    table,
    paging: paging ?? null,
    fields: fieldNamesOf(data, table),
  }
  const taken = Object.keys(renditionParameters(facts)).find((name) => name in parameters)
  if (taken !== undefined) throw new TypeError(`${path}: ${taken} is a parameter of renditions`)
  return facts
}

/** The members of an endpoint of data that follow from its kind and tier. */
const dataFacts = (
  definition: Exclude<AnyDefinition, { readonly kind: "document" | "command" | "changes" }>,
  envelope: "data" | "composed" | "premium",
  { formats }: RenditionFacts,
) => {
  const isPremium = definition.tier === "premium"
  const counted: Counted = isPremium ? "token" : "daily"
  return {
    ...commonOf(definition),
    method: "GET",
    bearer: isPremium ? "required" : "none",
    counted,
    ttlMs: ttlMsOf(definition.ttl),
    responses: responsesOf({
      description: descriptionOf(definition.kind, envelope === "data"),
      mediaTypes: formats.map((format) => mediaTypeOf[format]),
      method: "GET",
      isPremium,
      isFile: formats.length > 1,
      hasMeta: true,
      isCached: !isPremium,
      showsShare: showsShare(counted),
      isDeprecated: (definition.deprecated ?? []).length > 0,
      own: definition.responses ?? {},
    }),
  } as const
}

/** The members of a view's endpoint that follow from its tier and envelope. */
const viewFacts = (definition: Extract<AnyDefinition, { readonly kind: "prepared" | "filtered" }>) => {
  const { path, kind, cold = null, empty = () => false, tier } = definition
  const envelope = tier === "premium" ? "premium" : (definition.envelope ?? "data")
  if ((envelope === "data") !== (cold === null))
    throw new TypeError(`${path}: ${cold === null ? "declare" : "leave out"} \`cold\``)
  const mayBeEmpty = definition.empty !== undefined
  const price =
    tier === "premium"
      ? { credits: definition.credits, noCharge: noChargeOf({ kind, mayBeEmpty, own: definition.noCharge ?? [] }) }
      : { credits: 0, noCharge: [] }
  const renditions = definition.tier === "premium" ? withFields(definition) : renditionsOf(definition)
  return {
    ...dataFacts(definition, envelope, renditions),
    ...renditions,
    tier,
    ...price,
    glance: definition.tier === "premium" ? null : (definition.glance ?? null),
    changes: definition.tier === "premium" ? [] : (definition.changes ?? []),
    keepsPast: definition.tier === "premium" || definition.keepsPast !== false,
    envelope,
    cold,
    empty,
  } as const
}

const ownFacts = (
  definition: Extract<AnyDefinition, { readonly kind: "document" | "command" | "changes" }>,
  facts: Pick<EndpointFacts<ParameterSet, unknown>, "method" | "bearer" | "counted"> & {
    readonly mediaTypes: DocumentEndpoint["mediaTypes"]
    readonly isCached: boolean
    readonly keepsPast?: boolean
    readonly hasLinks?: boolean
    readonly isUnbuffered?: boolean
  },
) => {
  const { mediaTypes, isCached, keepsPast = false, hasLinks = false, isUnbuffered = false, ...declared } = facts
  return {
    ...commonOf(definition),
    ...declared,
    responses: responsesOf({
      description: "The answer",
      mediaTypes,
      method: facts.method,
      isPremium: false,
      hasMeta: false,
      hasPast: keepsPast,
      isFile: false,
      isCached,
      showsShare: showsShare(facts.counted),
      hasLinks,
      isUnbuffered,
      isDeprecated: (definition.deprecated ?? []).length > 0,
      own: definition.responses ?? {},
    }),
  }
}

/** Declares an endpoint; which members it has depends on its kind. */
export function endpoint<const P extends ParameterSet, Data>(
  definition: PreparedDefinition<P, Data>,
): PreparedEndpoint<P, Data>
export function endpoint<const P extends ParameterSet, Data, Full>(
  definition: FilteredDefinition<P, Data, Full>,
): FilteredEndpoint<P, Data, Full>
export function endpoint<const P extends ParameterSet, Data>(
  definition: OnDemandDefinition<P, Data>,
): OnDemandEndpoint<P, Data>
export function endpoint<const P extends ParameterSet, Data>(
  definition: QueriedDefinition<P, Data>,
): QueriedEndpoint<P, Data>
export function endpoint<const P extends ParameterSet, Data>(
  definition: DocumentDefinition<P, Data>,
): DocumentEndpoint<P, Data>
export function endpoint<const P extends ParameterSet, Data>(
  definition: CommandDefinition<P, Data>,
): CommandEndpoint<P, Data>
export function endpoint<const P extends ParameterSet, Data>(
  definition: ChangesDefinition<P, Data>,
): ChangesEndpoint<P, Data>
export function endpoint(definition: AnyDefinition): Endpoint {
  switch (definition.kind) {
    case "prepared":
      return { ...viewFacts(definition), kind: "prepared" }
    case "filtered":
      return {
        ...viewFacts(definition),
        kind: "filtered",
        select: definition.select,
        refuse: definition.refuse ?? (() => null),
      }
    case "on-demand": {
      const { kind, tier, prepared = [], unlogged = false, glance = null, changes = [] } = definition
      const renditions = unlogged ? jsonAlone : renditionsOf(definition)
      const facts = { ...dataFacts(definition, "data", renditions), ...renditions }
      return { ...facts, kind, tier, envelope: "data", cold: null, glance, changes, prepared, unlogged }
    }
    case "queried": {
      const { kind, tier, credits, noCharge: own = [] } = definition
      const noCharge = noChargeOf({ kind, mayBeEmpty: true, own })
      const { fields } = withFields(definition)
      return {
        ...dataFacts(definition, "premium", jsonAlone),
        kind,
        tier,
        envelope: "premium",
        credits,
        noCharge,
        fields,
      }
    }
    case "document": {
      const { kind, counted = "minute", mediaTypes = [JSON_TYPE], hasLinks = false, keepsPast = false } = definition
      const ttlMs = ttlMsOf(definition.ttl)
      const isCached = ttlMs(defaultParameters(definition)) > 0
      if (isCached && mediaTypes.length > 1)
        throw new TypeError(`${definition.path}: a cached document has one media type`)
      // A page is revalidated each time.
      const isValidated = isCached || mediaTypes.includes(PAGE_TYPE)
      const rules = { isCached: isValidated, hasLinks, keepsPast }
      const facts = ownFacts(definition, { method: "GET", bearer: "none", counted, mediaTypes, ...rules })
      return { ...facts, kind, tier: definition.tier, method: "GET", ttlMs, mediaTypes, keepsPast }
    }
    case "command": {
      const { kind, method, bearer = "none", body = null, counted } = definition
      if ((method === "POST") !== (body !== null))
        throw new TypeError(`${definition.path}: a POST has a body, and a GET has none`)
      const facts = { method, bearer, counted, mediaTypes: [JSON_TYPE], isCached: false } as const
      return { ...ownFacts(definition, facts), kind, tier: definition.tier, body }
    }
    case "changes": {
      const { kind, form } = definition
      const mediaTypes = [form === "page" ? JSON_TYPE : EVENT_STREAM_TYPE] as const
      const { isCached, isUnbuffered } = { isCached: form === "page", isUnbuffered: form === "stream" }
      const facts = { method: "GET", bearer: "none", counted: "changes", mediaTypes, isCached, isUnbuffered } as const
      return { ...ownFacts(definition, facts), kind, tier: "service", method: "GET", form, mediaTypes }
    }
  }
}
