import type { Effect } from "effect"
import type { QueriedEndpoint } from "../../schemas/endpoint-kinds.ts"
import type { ParameterSet, ParameterValues } from "../../schemas/parameters.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"

/** What a query has found: the data of the reply, and whether it is empty, which makes the call free of charge. */
export interface QueryResult<Data = unknown> {
  readonly data: Data
  readonly empty: boolean
}

/** Why parameters cannot be asked for, and which words can where there are a few: a 400. */
export interface QueryRefusal {
  readonly parameter: string
  readonly message: string
  readonly allowed?: ReadonlyArray<string>
}

/** How a `queried` endpoint is answered from the history. Methods, as of an endpoint: so a list holds queries of any. */
export interface HistoryQuery {
  readonly _tag: "Query"
  readonly endpoint: QueriedEndpoint
  /** Why these parameters cannot be asked for together, as a 400 before anything is charged; null when they can. */
  refuse(parameters: Readonly<Record<string, unknown>>, nowMs: number): QueryRefusal | null
  /** Reads the history. It is interrupted when the answer would come too late. */
  run(
    history: History,
    parameters: Readonly<Record<string, unknown>>,
    nowMs: number,
  ): Effect.Effect<QueryResult, HistoryFailed | HistoryUndecodable>
}

/**
 * Declares how a `queried` endpoint is answered. One file of `queries/` each, which exports it; `parameters` are the
 * decoded values, and absent ones of optional parameters are undefined.
 */
export const query = <P extends ParameterSet, Data>(definition: {
  readonly endpoint: QueriedEndpoint<P, Data>
  readonly refuse?: (
    parameters: ParameterValues<P>,
    nowMs: number,
  ) => (QueryRefusal & { readonly parameter: keyof P & string }) | null
  readonly run: (
    history: History,
    parameters: ParameterValues<P>,
    nowMs: number,
  ) => Effect.Effect<QueryResult<NoInfer<Data>>, HistoryFailed | HistoryUndecodable>
}): HistoryQuery => ({
  _tag: "Query",
  endpoint: definition.endpoint,
  refuse: definition.refuse ?? (() => null),
  run: definition.run,
})
