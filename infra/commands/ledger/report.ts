import { Effect, Schema } from "effect"
import { sentenceOf } from "./sentences.ts"

/** What was asked for cannot be done. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** What a command reports: words for people, or the same facts for programs. */
export interface Report {
  readonly facts: object
  readonly lines: ReadonlyArray<string>
  /** Exit code; 0 when absent. */
  readonly code?: number
}

/** Asks the ledger; a refusal is said in words. */
export const submit = <A, E extends Parameters<typeof sentenceOf>[0]>(asked: Effect.Effect<A, E>) =>
  asked.pipe(Effect.mapError((refusal) => new Refused({ problem: sentenceOf(refusal) })))
