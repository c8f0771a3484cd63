import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { canonicalJson, type Json } from "../schemas/json.ts"
import type { HttpFailed, HttpProbe } from "./http-client.port.ts"
import type { LineVerdict } from "./readers/line-filter.ts"

/** The format by which the bytes of a document are parsed before its schema decodes them. See readers/formats.ts. */
export type DocumentFormat = "json" | "python-json" | "xml" | "csv" | "text" | "xls"

/** One document of an upstream: its address, its request, its format and its wire schema. */
export interface Document<Input = unknown, Wire = unknown> {
  readonly _tag: "Document"
  readonly format: DocumentFormat
  readonly wire: Schema.Codec<Wire, unknown>
  url(input: Input): string
  headers(input: Input): Readonly<Record<string, string>>
  /** JSON text of a POST; null for a GET. */
  body(input: Input): string | null
  /** Statuses besides 200 whose body is decoded by `wire` too. */
  readonly acceptedStatuses: ReadonlyArray<number>
  readonly bodyBytesMax: number
  /** A longer User-Agent is cut to the name of the product; null for no limit. */
  readonly userAgentCharactersMax: number | null
  /**
   * For so long one answer serves every instance of the source that asks the same, and instances that ask at once wait for
   * it; 0 for an answer of its own for each. For a document that holds several instances.
   */
  readonly sharedForMs: number
  /** The limit of one attempt, for an upstream that is known to be slow; null for the common one. */
  readonly timeoutMs: number | null
  /** Makes the judge of each line of a large text, of which only the kept ones are held; null for the whole document. */
  readonly lines: (() => (line: string) => LineVerdict) | null
  /** For so long an only document is requested on condition, before it is read anew; null for the common time. */
  readonly validatorsAgeMaxMs: number | null
}

/** The default limit of a body, several times the largest document that uses it. */
const BODY_MAX_BYTES = 4 * 1024 * 1024

/** GET by default; a POST sends its query as JSON. */
type Method<Input> =
  | { readonly method?: "GET" }
  | { readonly method: "POST"; readonly body: Json | ((input: Input) => Json) }

const asFunction = <Input, Output>(value: Output | ((input: Input) => Output)): ((input: Input) => Output) =>
  typeof value === "function" ? (value as (input: Input) => Output) : () => value

/** Declares a document. Its wire schema names the members that are used, and tolerates all others. */
export const document = <Wire, Input = void>(
  definition: {
    readonly format: DocumentFormat
    readonly wire: Schema.Codec<Wire, unknown>
    readonly url: string | ((input: Input) => string)
    readonly headers?: Readonly<Record<string, string>> | ((input: Input) => Readonly<Record<string, string>>)
    readonly acceptedStatuses?: ReadonlyArray<number>
    readonly bodyBytesMax?: number
    readonly userAgentCharactersMax?: number
    readonly sharedForMs?: number
    readonly timeoutMs?: number
    readonly lines?: () => (line: string) => LineVerdict
    readonly validatorsAgeMaxMs?: number
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
    bodyBytesMax: definition.bodyBytesMax ?? BODY_MAX_BYTES,
    userAgentCharactersMax: definition.userAgentCharactersMax ?? null,
    sharedForMs: definition.sharedForMs ?? 0,
    timeoutMs: definition.timeoutMs ?? null,
    lines: definition.lines ?? null,
    validatorsAgeMaxMs: definition.validatorsAgeMaxMs ?? null,
  }
}

/** A document does not match its format or its schema. */
export class Undecodable extends Schema.TaggedError<Undecodable>()("Undecodable", {
  document: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.document}: ${this.problem}`
  }
}

/** A well-formed answer without usable data, such as an error object. */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  message: Schema.String,
  /**
   * `key_refused` if the answer refuses the key by other means than status 401 or 403, `budget_exhausted` if it says by
   * other means than status 429 that the provider's quota is used up.
   */
  reason: Schema.optionalKey(Schema.Literals(["upstream_error", "key_refused", "budget_exhausted"])),
  /** With `budget_exhausted`: the wait until the quota is renewed. Nothing is requested of the provider before. */
  retryAfterMs: Schema.optionalKey(Schema.Natural),
}) {}

export type CollectFailed = HttpFailed | Undecodable | UpstreamError

/**
 * Whether a failure is that of one document (its address or its form), and another of the same host may be asked instead:
 * not if the host cannot be reached or answers 429.
 */
export const isOfDocument = (failed: CollectFailed): boolean =>
  failed._tag !== "HttpFailed" || (failed.reason === "status" && failed.status !== 429)

/** Statuses by which an upstream refuses a key. */
export const KEY_REFUSED_STATUSES: ReadonlyArray<number | null> = [401, 403]

/** Whether a failure refuses the key: another document, which needs none, would hide that from the operator. */
export const isOfKey = (failed: CollectFailed): boolean =>
  (failed._tag === "UpstreamError" && failed.reason === "key_refused") ||
  (failed._tag === "HttpFailed" && KEY_REFUSED_STATUSES.includes(failed.status))

/**
 * Collects documents that do not depend on each other side by side: one that fails is null, and the others stay. Fails with
 * the first failure where none could be read. Null means unknown, never empty.
 */
export const independently = <Documents extends Readonly<Record<string, Effect.Effect<unknown, CollectFailed>>>>(
  documents: Documents,
): Effect.Effect<{ [Name in keyof Documents]: Effect.Success<Documents[Name]> | null }, CollectFailed> =>
  Effect.all(
    Object.entries(documents).map(([name, fetched]) => Effect.map(Effect.result(fetched), (read) => ({ name, read }))),
    { concurrency: "unbounded" },
  ).pipe(
    Effect.flatMap((collected) => {
      const failed = collected.flatMap(({ read }) => (Result.isFailure(read) ? [read.failure] : []))
      const [first] = failed
      if (first !== undefined && failed.length === collected.length) return Effect.fail(first)
      const members = collected.map(({ name, read }) => [name, Result.isSuccess(read) ? read.success : null])
      return Effect.succeed(Object.fromEntries(members))
    }),
  )

/** The requests that a source can make while it collects. The runner bounds and measures them. */
export interface Upstream {
  readonly fetch: <Input, Wire>(
    document: Document<Input, Wire>,
    input: Input,
  ) => Effect.Effect<Wire, HttpFailed | Undecodable>
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}
