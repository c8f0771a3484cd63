import { type Endpoint, isPremium } from "../../../schemas/contract/endpoint-kinds.ts"
import { FIELDS } from "../../../schemas/contract/fields.ts"
import { mediaTypesOf, queryParameters, renditionFactsOf } from "../../../schemas/contract/renditions.ts"
import { paymentInfo } from "../../../schemas/endpoints/payment-info.ts"
import { formats, mediaTypeOf } from "../../../schemas/formats/format.ts"
import { CONTRACT_VERSION } from "../../../schemas/printers/catalog.ts"
import { buildOpenApi, isRequired } from "../../../schemas/printers/openapi.ts"
import type { JsonObject } from "../../../schemas/printers/openapi-components.ts"
import { pascalCase } from "./names.ts"
import { type Member, type NamedShape, type Shape, ShapeReader } from "./shapes.ts"

/** What printed files say of themselves. */
export const PRINTED = "Printed from the contract."

/** A reply of an operation: the one of a value of its parameter `format`, or its only one. */
export interface ClientReply {
  /** Null where no parameter chooses. */
  readonly format: string | null
  readonly shape: Shape
}

/** The choice of members that a reply keeps. */
interface ClientSelection {
  /** The parameter; the items of its list have a name. */
  readonly fields: Member
  /** The name of one of its words. */
  readonly fieldName: string
  /**
   * The members of the data that are lists of what is chosen from: none where the data is such a list. Null where it is chosen from
   * the data's own members.
   */
  readonly lists: ReadonlyArray<string> | null
}

/** An operation, as clients call it. */
export interface ClientOperation {
  readonly name: string
  /** The name of its method, in snake case. */
  readonly methodName: string
  /** Whether its method gives each change of the stream, and not one reply. */
  readonly isStream: boolean
  readonly method: "GET" | "POST"
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Credits of a call; 0 where it is free. */
  readonly credits: number
  readonly bearer: Endpoint["bearer"]
  readonly accept: string
  /** Its query parameters but for the choice of members; `typeName` names the object of them. */
  readonly parameters: ReadonlyArray<Member>
  readonly selection: ClientSelection | null
  readonly typeName: string
  /** The JSON body of a POST; null for a GET. */
  readonly body: { readonly shape: Shape; readonly isRequired: boolean } | null
  /** The default first. */
  readonly replies: readonly [ClientReply, ...ReadonlyArray<ClientReply>]
}

/** Everything that the clients of all languages are printed from. */
export interface ClientContract {
  readonly version: string
  readonly types: ReadonlyArray<NamedShape>
  readonly operations: ReadonlyArray<ClientOperation>
  /** Where payments are made: nothing is paid elsewhere, whatever a quote says. */
  readonly payment: { readonly chainId: number; readonly tokenContract: string; readonly tokenDecimals: number }
}

/** What a call costs, and which request it is. */
export const costOf = ({ method, path, credits }: ClientOperation): string =>
  `\`${method} ${path}\`${credits === 0 ? "" : `, ${credits} credit${credits === 1 ? "" : "s"}`}`

type Operations = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
interface Content {
  readonly schema: JsonObject
}
interface Served {
  readonly content?: Readonly<Record<string, Content>>
}
interface Described {
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly description: string
    readonly schema: JsonObject
  }>
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Served>>
}

/** The method that gives a page of changes; `changes` is the one that gives each of them. */
export const CHANGES_PAGE = "changes_page"
const methodNameOf = (endpoint: Endpoint): string => {
  if (endpoint.kind !== "changes") return endpoint.name
  return endpoint.form === "stream" ? "changes" : CHANGES_PAGE
}

const JSON_TYPE = /[/+]json$/
const TEXT: Shape = { kind: "string" }
const NULL: Shape = { kind: "null" }

/** The right values of a parameter: where any text is accepted, as wrong ones mean the default, the text is left out. */
const rightValues = (schema: JsonObject): JsonObject => {
  const [first] = Array.isArray(schema.anyOf) ? schema.anyOf : []
  return first === undefined ? schema : (first as JsonObject)
}

const parametersOf = (endpoint: Endpoint, { parameters }: Described, reader: ShapeReader): ReadonlyArray<Member> => {
  const declared = queryParameters(endpoint)
  return (
    parameters
      // The type of a reply lists all its members, and a reply to `fields` lacks some: it has types of its own.
      .filter((parameter) => parameter.in === "query" && parameter.name !== FIELDS)
      .map(({ name, description, schema }) => {
        const parameter = declared[name]
        if (parameter === undefined) throw new Error(`${endpoint.path} has no parameter ${name}`)
        const shape = reader.read(rightValues(schema), `${pascalCase(methodNameOf(endpoint))}${pascalCase(name)}`)
        return { name, shape, isRequired: isRequired(parameter), description }
      })
  )
}

const selectionOf = (endpoint: Endpoint, { parameters }: Described, reader: ShapeReader): ClientSelection | null => {
  const parameter = parameters.find(({ name }) => name === FIELDS)
  if (parameter === undefined) return null
  const { table, fields } = renditionFactsOf(endpoint)
  const fieldName = `${pascalCase(methodNameOf(endpoint))}Field`
  const of = reader.define(fieldName, {
    enum: fields,
    description: `A member that \`${endpoint.path}\` keeps where it is asked to`,
  })
  return {
    fields: { name: FIELDS, shape: { kind: "list", of }, isRequired: false, description: parameter.description },
    fieldName,
    lists: table === null ? null : [...new Set(table.flatMap((form) => form.lists.flatMap(({ name }) => name ?? [])))],
  }
}

const shapeIn = (content: Served["content"], mediaType: string, reader: ShapeReader, name: string): Shape => {
  const schema = content?.[mediaType]?.schema
  if (!JSON_TYPE.test(mediaType)) return TEXT
  return schema === undefined ? NULL : reader.read(schema, name)
}

const repliesOf = (endpoint: Endpoint, { responses }: Described, reader: ShapeReader): ClientOperation["replies"] => {
  const base = pascalCase(methodNameOf(endpoint))
  const [first = "", ...others] = mediaTypesOf(endpoint)
  const read = (mediaType: string): Shape => shapeIn(responses["200"]?.content, mediaType, reader, base)
  const schema = responses["200"]?.content?.[first]?.schema
  const named =
    JSON_TYPE.test(first) && schema !== undefined ? reader.define(`${base}Reply`, schema, base) : read(first)
  const accepted = responses["202"]
  const more = [
    ...(accepted === undefined ? [] : [shapeIn(accepted.content, "application/json", reader, `${base}Accepted`)]),
    ...(responses["204"] === undefined ? [] : [NULL]),
  ]
  const shape: Shape = more.length === 0 ? named : { kind: "union", of: [named, ...more] }
  const isRendered = others.length > 0 && "format" in queryParameters(endpoint)
  const formatOf = (mediaType: string) => formats.find((format) => mediaTypeOf[format] === mediaType) ?? null
  if (!isRendered) return [{ format: null, shape }]
  return [
    { format: formatOf(first), shape },
    ...others.map((mediaType): ClientReply => ({ format: formatOf(mediaType), shape: read(mediaType) })),
  ]
}

const operationOf = (endpoint: Endpoint, described: Described, reader: ShapeReader): ClientOperation => {
  const { name, method, path, summary, description, bearer } = endpoint
  reader.begin()
  const methodName = methodNameOf(endpoint)
  const typeName = pascalCase(methodName)
  const parameters = parametersOf(endpoint, described, reader)
  const selection = selectionOf(endpoint, described, reader)
  if (parameters.length > 0 || selection !== null)
    reader.defineObject(`${typeName}Parameters`, `Parameters of \`${path}\``, parameters)
  const sent = described.requestBody?.content["application/json"]
  return {
    name,
    methodName,
    isStream: endpoint.kind === "changes" && endpoint.form === "stream",
    method,
    path,
    summary,
    description,
    credits: isPremium(endpoint) ? endpoint.credits : 0,
    bearer,
    accept: mediaTypesOf(endpoint).join(", "),
    parameters,
    selection,
    typeName,
    body:
      sent === undefined
        ? null
        : {
            shape: reader.define(`${typeName}Body`, sent.schema),
            isRequired: described.requestBody?.required === true,
          },
    replies: repliesOf(endpoint, described, reader),
  }
}

/** Reads the contract of these endpoints for clients, by the document that is published of it. */
export const clientContract = (endpoints: ReadonlyArray<Endpoint>): ClientContract => {
  const document = buildOpenApi({ endpoints, baseUrl: null })
  const reader = new ShapeReader()
  for (const [name, schema] of Object.entries(document.components.schemas)) reader.define(name, schema as JsonObject)
  const paths: Operations = document.paths as Operations
  const operations = endpoints.map((endpoint) => {
    const described = paths[endpoint.path]?.[endpoint.method.toLowerCase()]
    if (described === undefined) throw new Error(`${endpoint.path} is not in the document`)
    return operationOf(endpoint, described as unknown as Described, reader)
  })
  const { chain, token } = paymentInfo.example
  return {
    version: CONTRACT_VERSION,
    types: reader.named,
    operations,
    payment: { chainId: chain.chain_id, tokenContract: token.contract, tokenDecimals: token.decimals },
  }
}
