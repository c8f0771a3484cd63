import { Result, Schema } from "effect"
import { enable as enableCompilation } from "effect/schema/SchemaJITCompiler"
import { type Document, Undecodable } from "./document.ts"
import { parseBytes } from "./formats.ts"
import { cleanText } from "./text.ts"
import { atOnce, type Steps } from "./turns.ts"

/** The longest account of what is wrong with a document, in code points. */
const PROBLEM_LENGTH_MAX = 1000

/** The failure of a document, with a bounded account of what is wrong with it. */
export const undecodable = (document: string, problem: string): Undecodable =>
  new Undecodable({ document, problem: cleanText(problem, PROBLEM_LENGTH_MAX) })

/** Runs a schema over a value; the failure, also of a schema that throws, as one bounded sentence. Never throws. */
export const decodeWith = <A>(schema: Schema.Codec<A, unknown>): ((value: unknown) => Result.Result<A, string>) => {
  // Lists of thousands of items come every minute: five times as fast as interpreted, with the same results.
  enableCompilation(schema.ast)
  const decode = Schema.decodeUnknownResult(schema)
  return (value) => {
    try {
      return Result.mapError(decode(value), (error) => cleanText(error.message, PROBLEM_LENGTH_MAX))
    } catch (cause) {
      // A value of endless depth exhausts the stack of a schema that follows it down.
      return Result.fail(`the schema gave up: ${cause instanceof Error ? cause.message : "unreadable"}`)
    }
  }
}

// Compiling a schema costs more than most decodes, and a document lives as long as the process.
const decoders = new WeakMap<object, (value: unknown) => Result.Result<unknown, string>>()

/** The decoder of a schema, compiled once. Never throws: what a schema throws is a failure too. */
export const decoderOf = <Wire>(
  wire: Schema.Codec<Wire, unknown>,
): ((value: unknown) => Result.Result<Wire, string>) => {
  const known = decoders.get(wire)
  // The map holds for each schema the decoder that was made of it.
  if (known !== undefined) return known as (value: unknown) => Result.Result<Wire, string>
  const decoder = decodeWith(wire)
  decoders.set(wire, decoder)
  return decoder
}

/** `decodeDocument` in steps. */
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
 * What the bytes of a document say, or `Undecodable` with the words of the parser or the schema, at most 1,000 code
 * points. `name` is the document's name within its source. Never throws.
 */
export const decodeDocument = <Input, Wire>(
  name: string,
  document: Document<Input, Wire>,
  bytes: Uint8Array,
): Result.Result<Wire, Undecodable> => atOnce(decodeSteps(name, document, bytes))
