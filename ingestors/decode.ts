import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { enable as enableCompilation } from "effect/schema/SchemaJITCompiler"
import { type Document, Undecodable } from "./document.ts"
import { parseBytes } from "./readers/formats.ts"
import { cleanText } from "./readers/text.ts"
import { runSteps, type Steps } from "./steps.ts"

/** The longest problem text, in code points. */
const PROBLEM_MAX_CHARACTERS = 1000

/** The failure of a document, with a cleaned and bounded problem text. */
export const undecodable = (document: string, problem: string): Undecodable =>
  new Undecodable({ document, problem: cleanText(problem, PROBLEM_MAX_CHARACTERS) })

/** Makes a decoder of a schema whose failures are bounded texts. Never throws, even if the schema does. */
export const decodeWith = <A>(schema: Schema.Codec<A, unknown>): ((value: unknown) => Result.Result<A, string>) => {
  // Compiled decoders are five times as fast; lists of thousands of items are decoded every minute.
  enableCompilation(schema.ast)
  const decode = Schema.decodeUnknownResult(schema)
  return (value) => {
    try {
      return Result.mapError(decode(value), (error) => cleanText(error.message, PROBLEM_MAX_CHARACTERS))
    } catch (cause) {
      // A deeply nested value exhausts the stack of a recursive schema.
      return Result.fail(`the schema threw: ${cause instanceof Error ? cause.message : "unreadable"}`)
    }
  }
}

// Compiling a schema costs more than most decodes, and schemas live as long as the process.
const decoders = new WeakMap<object, (value: unknown) => Result.Result<unknown, string>>()

/** The decoder of a schema, compiled once. Never throws, even if the schema does. */
export const decoderOf = <Wire>(
  wire: Schema.Codec<Wire, unknown>,
): ((value: unknown) => Result.Result<Wire, string>) => {
  const cached = decoders.get(wire)
  // The map holds the decoder of each schema under that schema.
  if (cached !== undefined) return cached as (value: unknown) => Result.Result<Wire, string>
  const decoder = decodeWith(wire)
  decoders.set(wire, decoder)
  return decoder
}

/** `decodeDocument` as cooperative work. */
export function* decodeSteps<Input, Wire>(
  name: string,
  document: Document<Input, Wire>,
  bytes: Uint8Array,
): Steps<Result.Result<Wire, Undecodable>> {
  const parsed = parseBytes(document.format, bytes)
  yield
  return parsed.pipe(
    Result.flatMap(decoderOf(document.wire)),
    Result.mapError((problem) => undecodable(name, problem)),
  )
}

/**
 * Decodes the bytes of a document. Fails with `Undecodable` and the message of the parser or the schema, at most 1,000
 * code points. `name` is the document's name within its source. Never throws.
 */
export const decodeDocument = <Input, Wire>(
  name: string,
  document: Document<Input, Wire>,
  bytes: Uint8Array,
): Result.Result<Wire, Undecodable> => runSteps(decodeSteps(name, document, bytes))
