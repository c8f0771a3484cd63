import type { Effect } from "effect"
import type { Endpoint, ParameterSet, ParameterValues } from "../../schemas/endpoint.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"

/** What a query has found: the data of the reply, and whether it is empty, which makes the call free of charge. */
export interface Found<Data = unknown> {
  readonly data: Data
  readonly empty: boolean
}

/** Why parameters cannot be asked for, and which words can where there are a few: a 400. */
export interface QueryRefusal {
  readonly parameter: string
  readonly message: string
  readonly allowed?: ReadonlyArray<string>
}

/** How a `queried` endpoint is answered from the history. */
export interface Query {
  readonly _tag: "Query"
  readonly endpoint: Endpoint
  /** Why these parameters cannot be asked for together, as a 400 before anything is charged; null when they can. */
  readonly refuse: (parameters: Readonly<Record<string, unknown>>, nowMs: number) => QueryRefusal | null
  /** Asks the history. It is interrupted when the answer would come too late. */
  readonly run: (
    history: History,
    parameters: Readonly<Record<string, unknown>>,
    nowMs: number,
  ) => Effect.Effect<Found, HistoryFailed | HistoryUndecodable>
}

/**
 * Declares how a `queried` endpoint is answered. One file of `queries/` each, which exports it; `parameters` are the
 * decoded values, and absent ones of optional parameters are undefined.
 */
export const query = <P extends ParameterSet, Data, Full>(definition: {
  readonly endpoint: Endpoint<P, Data, Full>
  readonly refuse?: (
    parameters: ParameterValues<P>,
    nowMs: number,
  ) => (QueryRefusal & { readonly parameter: keyof P & string }) | null
  readonly run: (
    history: History,
    parameters: ParameterValues<P>,
    nowMs: number,
  ) => Effect.Effect<Found<NoInfer<Data>>, HistoryFailed | HistoryUndecodable>
}): Query => ({
  _tag: "Query",
  // The parameters were decoded by this very endpoint's schemas.
  endpoint: definition.endpoint as unknown as Endpoint,
  refuse: (parameters, nowMs) => definition.refuse?.(parameters as ParameterValues<P>, nowMs) ?? null,
  run: (history, parameters, nowMs) => definition.run(history, parameters as ParameterValues<P>, nowMs),
})
