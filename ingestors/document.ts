import { type Effect, Schema } from "effect"
import type { HttpFailed, HttpProbe } from "./http-client.port.ts"

/** How the bytes of a document become a value, before its schema is asked. See formats.ts. */
export type DocumentFormat = "json" | "xml" | "csv" | "text"

/** One document of an upstream: where it stands and what its wire form is. */
export interface Document<Input = unknown, Wire = unknown> {
  readonly _tag: "Document"
  readonly format: DocumentFormat
  readonly wire: Schema.Codec<Wire, unknown>
  url(input: Input): string
  readonly headers: Readonly<Record<string, string>>
  readonly bodyBytesMax: number
}

/** Of a document that declares nothing else: several times what the largest of those has. */
const BODY_BYTES_MAX = 4 * 1024 * 1024

/** Declares a document. A wire schema names what is used and tolerates everything else. */
export const document = <Wire, Input = void>(definition: {
  readonly format: DocumentFormat
  readonly wire: Schema.Codec<Wire, unknown>
  readonly url: string | ((input: Input) => string)
  readonly headers?: Readonly<Record<string, string>>
  readonly bodyBytesMax?: number
}): Document<Input, Wire> => {
  const { url } = definition
  return {
    _tag: "Document",
    format: definition.format,
    wire: definition.wire,
    url: typeof url === "string" ? () => url : url,
    headers: definition.headers ?? {},
    bodyBytesMax: definition.bodyBytesMax ?? BODY_BYTES_MAX,
  }
}

/** A document came, and it is not what its schema says; or the upstream answered with an error in a 200. */
export class Undecodable extends Schema.TaggedError<Undecodable>()("Undecodable", {
  document: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.document}: ${this.problem}`
  }
}

/** The upstream says itself, in a well-formed answer, that it has nothing to give. */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", { message: Schema.String }) {}

export type CollectFailed = HttpFailed | Undecodable | UpstreamError

/** What a source may do while it collects. Everything is bounded and measured by the runner behind it. */
export interface Upstream {
  readonly get: <Input, Wire>(
    document: Document<Input, Wire>,
    input: Input,
  ) => Effect.Effect<Wire, HttpFailed | Undecodable>
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}
