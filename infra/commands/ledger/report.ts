import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sentenceOf } from "./sentences.ts"

/** The command cannot be carried out. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** The output of a command: lines for people, or the same facts as JSON. */
export interface Report {
  readonly facts: object
  readonly lines: ReadonlyArray<string>
  /** Exit code; 0 when absent. */
  readonly code?: number
}

/** Maps a refusal of the ledger to a sentence. */
export const submit = <A, E extends Parameters<typeof sentenceOf>[0]>(asked: Effect.Effect<A, E>) =>
  asked.pipe(Effect.mapError((refusal) => new Refused({ problem: sentenceOf(refusal) })))
