import type { FastifyInstance, FastifyPluginCallback } from "fastify"
import type { Registry } from "prom-client"
import type { Buying, LedgerClient, Receipts } from "../../ledger/client.ts"
import type { Counted, Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type {
  AttributionByPath,
  ModelsClosedByPath,
  ProvenanceOf,
  TableFacts,
  WithheldByPath,
} from "../../schemas/contract/provenance.ts"
import type { BuyingTerms } from "../../schemas/contract/refusal.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { Demand } from "../../schemas/ports/demand.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { ItemHistory } from "../../schemas/ports/item-history.ts"
import type { ChangesSource } from "../changes/follower.ts"
import type { Answers, Exchange } from "../http/answer.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { RequestQuery } from "../http/parameters.ts"
import type { Coder } from "../http/representation.ts"
import type { AccessLog, Traffic } from "../http/traffic.ts"
import type { PastSource } from "../past/known-view.ts"
import type { PastReader } from "../past/reader.ts"
import type { HistoryQuery } from "../premium/query.ts"
import type { ReplyStore } from "../premium/replies.ts"
import type { ViewStore } from "../views/store.ts"
import type { WorldBoard } from "../world/board.ts"
import type { BoardHistory } from "../world/board-history.ts"
import type { PastBoards } from "../world/past-boards.ts"

// The types that the parts of the API share. Nothing is implemented here, and nothing here is imported as a value.

/** Where the API logs its own faults. A pino logger is one. */
export interface ApiLogger {
  readonly error: (fields: object, message: string) => void
}

/** The dependencies of premium and payment endpoints. */
export interface Billing {
  readonly ledger: LedgerClient
  /** Quotes, confirms, accounts and revocations. */
  readonly buying: Buying
  readonly receipts: Receipts
  /** The replies that were sent under an Idempotency-Key. */
  readonly replies: ReplyStore
  /** The database of `queried` endpoints; null where there is none: they reply 503 and charge nothing. */
  readonly history: History | null
}

/** A part of the service as it reports itself, without its reason, which may name addresses of the installation. */
export interface ReportedPart {
  readonly role: string
  readonly part: string
  readonly state: "starting" | "active" | "standby" | "waiting" | "stopped"
  /** When it entered this state, ISO 8601. */
  readonly since: string
}

/** The dependencies of the API. It owns its server alone. */
export interface ApiOptions {
  /** The endpoints that are served and listed. */
  readonly endpoints: ReadonlyArray<Endpoint>
  /** Endpoints of the contract that this installation does not offer; none by default. */
  readonly notOffered?: ReadonlyArray<Endpoint>
  /** Endpoints of the contract that read a history, where this installation keeps none; none by default. */
  readonly notConfigured?: ReadonlyArray<Endpoint>
  /** False: this installation keeps no history, and its documents and pages say so. True by default. */
  readonly keepsHistory?: boolean
  readonly store: ViewStore
  /** Whether a setting sends every upstream to a simulated world; false by default. Data in the log is marked as well. */
  readonly simulated?: boolean
  /** Observes on-demand instances; null where nothing does. */
  readonly demand: Demand | null
  readonly traffic: Traffic
  readonly version: string
  readonly startedAtMs: number
  readonly nowMs: () => number
  /** The clock by which data is fresh or stale: that of a replay stands still. `nowMs` unless given. */
  readonly judgedMs?: () => number
  readonly limits?: Partial<ApiLimits>
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Public address without a slash at its end; null: links in replies are relative. */
  readonly baseUrl: string | null
  readonly attribution: AttributionByPath
  /** Where the data of endpoints comes from and where its past is; of none it is known unless given. */
  readonly provenance?: ProvenanceOf
  /** Every table and view of the history; none unless given. Reads files: not for every request. */
  readonly tables?: () => ReadonlyArray<TableFacts>
  /** Where vulnerabilities are reported, a URI; null or absent: `security.txt` does not exist. */
  readonly securityContact?: string | null
  /** Inputs of premium views whose data may not be sold; none by default. */
  readonly withheld?: WithheldByPath
  /** What may not be given to language models; nothing by default. */
  readonly modelsClosed?: ModelsClosedByPath
  readonly logger: ApiLogger
  readonly accessLog?: AccessLog | null
  readonly registry?: Registry
  /** The changes of items; null or absent: they are refused as unavailable. */
  readonly changes?: ChangesSource | null
  /** The past of views; null or absent: it is refused as not configured. */
  readonly past?: PastSource | null
  /** The changes of items by event time; null or absent: there is no history (`not_configured`). */
  readonly itemHistory?: ItemHistory | null
  /** Null where there is none: premium and payment endpoints then answer `billing_unavailable`. */
  readonly billing: Billing | null
  /** The states of the parts of this process; none by default. */
  readonly parts?: () => ReadonlyArray<ReportedPart>
  /** Implementations of `queried` endpoints; those of `premium/queries/` unless given. */
  readonly queries?: ReadonlyArray<HistoryQuery>
}

/** Answers one request to an endpoint. `client` is the key of its client in limits; `body` is its JSON, not decoded. */
export type Route = (exchange: Exchange, query: RequestQuery, client: string, body: unknown) => void | Promise<void>

/** A call of an endpoint from inside the service, for the client of a request that is being answered. */
export interface LocalCall {
  readonly path: string
  readonly query?: Parameters
  /** Headers by their lower-case names, in place of those of the outer request; Host and the proxy's stay. */
  readonly headers: Readonly<Record<string, string>>
  /** As the route of the endpoint expects it. */
  readonly body?: unknown
}

/** A reply as it would have been sent. */
export interface LocalReply {
  readonly status: number
  /** Headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Answers a local call for the client of `outer`. */
export type CallLocally = (outer: Exchange, client: string, call: LocalCall) => Promise<LocalReply>

/** Admits or refuses requests by the limits of their client. */
export interface RequestAdmission {
  /** Counts a request of a client. False: the request was refused, and its refusal was sent. */
  readonly admit: (exchange: Exchange, client: string, counted: Counted) => boolean
  /** Uncounts an admitted request that turned out to be one that does not count. */
  readonly excuse: (client: string, counted: Counted) => void
}

/** What the parts of the API share. */
export interface ApiTools extends RequestAdmission {
  readonly options: ApiOptions
  readonly limits: ApiLimits
  readonly registry: Registry
  readonly answers: Answers
  /** Compresses replies that are not prepared in advance. */
  readonly coder: Coder
  /** Terms of buying credits, as refusals publish them. */
  readonly terms: BuyingTerms
  /** The views as they were known at earlier instants. */
  readonly past: PastReader
  /** Every feed at a glance. */
  readonly world: WorldBoard
  /** The same as it was known at earlier instants. */
  readonly pastWorld: PastBoards
  /** The numbers of all feeds over some time. */
  readonly worldHistory: BoardHistory
  /** Adds the route of an endpoint. Its requests count against the share that the endpoint declares. */
  readonly serve: (app: FastifyInstance, endpoint: Endpoint, route: Route) => void
  /** Calls an endpoint from inside the service, once all routes are added. */
  readonly call: CallLocally
}

/** A part of the API that serves some endpoints of the contract. */
export type ApiPlugin = (tools: ApiTools) => FastifyPluginCallback
