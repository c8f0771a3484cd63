import type * as Effect from "effect/Effect"
import type { ParameterRefusal, QueriedEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ParameterSet, ParameterValues } from "../../schemas/contract/parameters.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"

/** The result of a query: the data of the reply, and whether it is empty, which makes the call free of charge. */
export interface QueryResult<Data = unknown> {
  readonly data: Data
  readonly empty: boolean
}

/** The implementation of a `queried` endpoint. Its functions are methods, so that a list can hold queries of any type. */
export interface HistoryQuery {
  readonly _tag: "Query"
  readonly endpoint: QueriedEndpoint
  /** Refuses a combination of parameters, before anything is charged; null accepts it. */
  refuse(parameters: Readonly<Record<string, unknown>>, nowMs: number): ParameterRefusal | null
  /** The data of a call that needs no history: it is empty, and free of charge before any debit. Null for every other call. */
  withoutHistory(parameters: Readonly<Record<string, unknown>>, nowMs: number): unknown
  /** Reads the history. It is interrupted at the timeout of the call. */
  run(
    history: History,
    parameters: Readonly<Record<string, unknown>>,
    nowMs: number,
  ): Effect.Effect<QueryResult, HistoryFailed | HistoryUndecodable>
}

/**
 * Declares the implementation of a `queried` endpoint, the default export of a file in `queries/`. `parameters` are decoded
 * values; absent optional ones are undefined.
 */
export const query = <P extends ParameterSet, Data>(definition: {
  readonly endpoint: QueriedEndpoint<P, Data>
  readonly refuse?: (
    parameters: ParameterValues<P>,
    nowMs: number,
  ) => (ParameterRefusal & { readonly parameter: keyof P & string }) | null
  readonly withoutHistory?: (parameters: ParameterValues<P>, nowMs: number) => NoInfer<Data> | null
  readonly run: (
    history: History,
    parameters: ParameterValues<P>,
    nowMs: number,
  ) => Effect.Effect<QueryResult<NoInfer<Data>>, HistoryFailed | HistoryUndecodable>
}): HistoryQuery => ({
  _tag: "Query",
  endpoint: definition.endpoint,
  refuse: definition.refuse ?? (() => null),
  withoutHistory: definition.withoutHistory ?? (() => null),
  run: definition.run,
})
