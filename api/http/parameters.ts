import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Endpoint, FilteredEndpoint, Selection } from "../../schemas/contract/endpoint-kinds.ts"
import { allowedWords, type Parameter } from "../../schemas/contract/parameters.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"

/** Accepted parameters: their canonical texts, and the key of the view that they name. */
export interface AcceptedParameters {
  readonly _tag: "Accepted"
  readonly parameters: Parameters
  readonly key: string
}

/** A refused parameter. Holds no text of the request. */
export interface RefusedParameter {
  readonly _tag: "Refused"
  readonly error: string
  readonly parameter: string
  readonly message: string
  readonly allowed: ReadonlyArray<string> | null
}

/** The query of a request as the router parses it: a text, or a list where a name was given several times. */
export type RequestQuery = Readonly<Record<string, unknown>>

interface ParameterReader {
  readonly name: string
  readonly parameter: Parameter
  readonly required: boolean
  readonly allowed: ReadonlyArray<string> | null
  readonly defaultText: string | null
  readonly canonical: (text: string) => string | null
}

const TEXT_MAX_CHARACTERS = 512

const prepare = ([name, parameter]: readonly [string, Parameter]): ParameterReader => {
  const decode = Schema.decodeUnknownResult(parameter.schema)
  const encode = Schema.encodeUnknownResult(parameter.schema)
  const canonical = (text: string): string | null => {
    if (text.length > TEXT_MAX_CHARACTERS) return null
    const decoded = decode(text)
    if (Result.isFailure(decoded)) return null
    return Result.getOrElse(encode(decoded.success), () => null)
  }
  const { default: text } = parameter
  const defaultText = text === undefined ? null : canonical(text)
  if (text !== undefined && defaultText === null)
    throw new Error(`the default of parameter ${name} is not one of its own values`)
  return {
    name,
    parameter,
    required: text === undefined && parameter.optional !== true,
    allowed: allowedWords(parameter.schema),
    defaultText,
    canonical,
  }
}

const wrong = ({ name, parameter, allowed }: ParameterReader): RefusedParameter => ({
  _tag: "Refused",
  error: parameter.errorCode ?? "invalid_parameter",
  parameter: name,
  message: `The parameter "${name}" has a value that is not accepted. It takes one value: ${parameter.description}.`,
  allowed,
})

const missing = ({ name, parameter, allowed }: ParameterReader): RefusedParameter => ({
  _tag: "Refused",
  error: "missing_parameter",
  parameter: name,
  message: `The parameter "${name}" is required: ${parameter.description}.`,
  allowed,
})

/**
 * Makes the reader of an endpoint's parameters. Undeclared names are ignored. A value given twice, an empty one and one
 * that its schema refuses are wrong: 400, unless the parameter declares `whenWrong: "defaults"`; then the defaults of ALL
 * parameters apply, also when it is absent. Values are returned as canonical texts.
 */
export const makeParameterReader = (
  endpoint: Pick<Endpoint, "path" | "parameters">,
): ((query: RequestQuery) => AcceptedParameters | RefusedParameter) => {
  const prepared = Object.entries(endpoint.parameters).map(prepare)
  const accept = (parameters: Parameters): AcceptedParameters => ({
    _tag: "Accepted",
    parameters,
    key: instanceKey(endpoint.path, parameters),
  })
  const allDefaults = accept(
    Object.fromEntries(
      prepared.flatMap(({ name, defaultText }) => (defaultText === null ? [] : [[name, defaultText]])),
    ),
  )
  if (prepared.length === 0) return () => allDefaults

  return (query) => {
    const parameters: Record<string, string> = {}
    for (const one of prepared) {
      const given = query[one.name]
      const text = given === undefined ? one.defaultText : typeof given === "string" ? one.canonical(given) : null
      const defaultsApply = one.parameter.whenWrong === "defaults"
      if (defaultsApply && (given === undefined || text === null)) return allDefaults
      if (text !== null) parameters[one.name] = text
      else if (given !== undefined) return wrong(one)
      else if (one.required) return missing(one)
    }
    return accept(parameters)
  }
}

/** Makes the decoder of accepted parameters from their canonical texts. */
export const makeDecoder = ({
  parameters,
}: Pick<Endpoint, "parameters">): ((texts: Parameters) => Readonly<Record<string, unknown>>) => {
  const decoders = Object.entries(parameters).map(
    ([name, { schema }]) => [name, Schema.decodeUnknownResult(schema)] as const,
  )
  return (texts) =>
    Object.fromEntries(
      decoders.map(([name, decode]) => {
        const text = texts[name]
        // Accepted texts always decode.
        return [name, text === undefined ? undefined : Result.getOrThrow(decode(text))]
      }),
    )
}

/** Selects from a view's data by accepted parameters. */
export type Select = (full: unknown, parameters: Parameters) => Selection

/** No input is withheld. */
export const NOTHING: ReadonlySet<string> = new Set()

/**
 * Makes the selection of a filtered endpoint, without the inputs whose data may not be resold. It throws what the endpoint's
 * `select` throws.
 */
export const makeSelect = (endpoint: FilteredEndpoint, withheld: ReadonlySet<string> = NOTHING): Select => {
  const decode = makeDecoder(endpoint)
  return (full, parameters) => endpoint.select(full, decode(parameters), withheld)
}
