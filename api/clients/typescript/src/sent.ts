/** The values of query parameters; a list is sent as a comma list. */
export type ParameterValues = Readonly<
  Record<string, string | number | boolean | ReadonlyArray<string | number> | undefined>
>

/** What is sent with an operation. */
export interface Sent {
  readonly parameters?: ParameterValues | undefined
  /** The JSON body of a POST; undefined where there is none. */
  readonly body?: unknown
}

/** The parameters of a request, as the texts that are sent. */
export const queryOf = (parameters: ParameterValues = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
