// The terms of upstreams, as sources declare them and as pages and documents show them.

/** What the terms of a provider answer to a question. `unknown`: they are silent, or the clause was not looked for. */
export type Word = "yes" | "no" | "unknown"

/** The answer of a provider's terms to one question. */
export interface Answer<A = Word> {
  readonly answer: A
  /** What the clause says, in short; null where none is known. */
  readonly clause: string | null
  /** The day (ISO) on which a person read the clause at the provider. Null: not read, and reported by others at most. */
  readonly readOn: string | null
}

/** The questions that the terms of every source answer. */
export const termsQuestions = ["shown", "kept", "sold", "models"] as const
export type TermsQuestion = (typeof termsQuestions)[number]

/** The terms under which a provider permits the use of its data. */
export interface Terms {
  /**
   * For whom the provider serves. `open`: public domain, CC0, CC BY. `provider`: a public API on its own terms.
   * `restricted`: personal or non-commercial use. `consent`: only with the provider's consent, whatever it is used for.
   */
  readonly use: "open" | "provider" | "restricted" | "consent"
  /** The address of the terms. */
  readonly url: string
  /** May the data be shown to third parties? */
  readonly shown: Answer
  /** May it be kept: for ever, for this number of hours, or not at all? */
  readonly kept: Answer<Word | number>
  /** May it be sold? */
  readonly sold: Answer
  /** May it be given to language models? */
  readonly models: Answer
  /** The line that the terms require beside the data; null without one. */
  readonly credit: string | null
}
