import { type Effect, Schema } from "effect"
import { canonicalJson, type Json } from "../schemas/json.ts"
import type { HttpFailed, HttpProbe } from "./http-client.port.ts"

/** How the bytes of a document become a value, before its schema is asked. See readers/formats.ts. */
export type DocumentFormat = "json" | "xml" | "csv" | "html" | "markdown" | "text"

/** One document of an upstream: where it stands, how it is asked for and what its wire form is. */
export interface Document<Input = unknown, Wire = unknown> {
  readonly _tag: "Document"
  readonly format: DocumentFormat
  readonly wire: Schema.Codec<Wire, unknown>
  url(input: Input): string
  headers(input: Input): Readonly<Record<string, string>>
  /** JSON text that is sent by POST; null for a GET. */
  body(input: Input): string | null
  /** Statuses besides 200 whose body is an answer, to be read by `wire` too. */
  readonly acceptedStatuses: ReadonlyArray<number>
  readonly bodyBytesMax: number
}

/** Of a document that declares nothing else: several times what the largest of those has. */
const BODY_BYTES_MAX = 4 * 1024 * 1024

/** Without a method, or with GET, nothing is sent but the address; a POST is a query that is sent as JSON. */
type Method<Input> =
  | { readonly method?: "GET" }
  | { readonly method: "POST"; readonly body: Json | ((input: Input) => Json) }

const asFunction = <Input, Output>(value: Output | ((input: Input) => Output)): ((input: Input) => Output) =>
  typeof value === "function" ? (value as (input: Input) => Output) : () => value

/** Declares a document. A wire schema names what is used and tolerates everything else. */
export const document = <Wire, Input = void>(
  definition: {
    readonly format: DocumentFormat
    readonly wire: Schema.Codec<Wire, unknown>
    readonly url: string | ((input: Input) => string)
    readonly headers?: Readonly<Record<string, string>> | ((input: Input) => Readonly<Record<string, string>>)
    readonly acceptedStatuses?: ReadonlyArray<number>
    readonly bodyBytesMax?: number
  } & Method<Input>,
): Document<Input, Wire> => {
  const query = definition.method === "POST" ? asFunction(definition.body) : null
  return {
    _tag: "Document",
    format: definition.format,
    wire: definition.wire,
    url: asFunction(definition.url),
    headers: asFunction(definition.headers ?? {}),
    body: (input) => (query === null ? null : canonicalJson(query(input))),
    acceptedStatuses: definition.acceptedStatuses ?? [],
    bodyBytesMax: definition.bodyBytesMax ?? BODY_BYTES_MAX,
  }
}

/** A document came, and it is not what its schema says. */
export class Undecodable extends Schema.TaggedError<Undecodable>()("Undecodable", {
  document: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.document}: ${this.problem}`
  }
}

/** The upstream says itself, in a well-formed answer, that it has nothing to give. */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  message: Schema.String,
  /** `key_refused` where it says that the key is wrong, in another way than by the statuses 401 and 403. */
  reason: Schema.optionalKey(Schema.Literals(["upstream_error", "key_refused"])),
}) {}

export type CollectFailed = HttpFailed | Undecodable | UpstreamError

/** What a source may do while it collects. Everything is bounded and measured by the runner behind it. */
export interface Upstream {
  readonly fetch: <Input, Wire>(
    document: Document<Input, Wire>,
    input: Input,
  ) => Effect.Effect<Wire, HttpFailed | Undecodable>
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}
