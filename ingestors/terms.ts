import { type Answer, type Terms, termsQuestions, type Word } from "../schemas/contract/provenance.ts"

/** A question of a declaration: the answer alone, or with a clause and a day of its own. */
type Given<A> = A | (Pick<Answer<A>, "answer"> & Partial<Answer<A>>)

/** How a source declares its terms. A question that it leaves out is answered `unknown`, and its clause is not read. */
export interface TermsDeclaration extends Pick<Terms, "use" | "url"> {
  readonly shown?: Given<Word>
  readonly kept?: Given<Word | number>
  readonly sold?: Given<Word>
  readonly models?: Given<Word>
  /** The clause of each answer that has none of its own. */
  readonly clause?: string
  /** The day on which that clause was read at the provider. */
  readonly readOn?: string
  readonly credit?: string
}

/** Declares the terms of a provider. */
export const termsOf = ({ use, url, clause, readOn, credit, ...questions }: TermsDeclaration): Terms => {
  const answerOf = <A extends string | number>(given: Given<A> | undefined): Answer<A | "unknown"> => {
    if (given === undefined) return { answer: "unknown", clause: null, readOn: null }
    const common = { clause: clause ?? null, readOn: readOn ?? null }
    return typeof given === "object" ? { ...common, ...given } : { answer: given, ...common }
  }
  return {
    use,
    url,
    shown: answerOf(questions.shown),
    kept: answerOf(questions.kept),
    sold: answerOf(questions.sold),
    models: answerOf(questions.models),
    credit: credit ?? null,
  }
}

/** Declares terms that allow everything: the public domain, CC0, CC BY. `licence` is the clause. */
export const openTerms = (url: string, licence: string, more: Partial<TermsDeclaration> = {}): Terms =>
  termsOf({ use: "open", url, clause: licence, shown: "yes", kept: "yes", sold: "yes", models: "yes", ...more })

/** The operator's settings about the terms of sources. */
export interface Licensing {
  /** Whether the service sells credits, which ends restricted use. */
  readonly isSelling: boolean
  /** Names of restricted sources for which the operator holds a licence; `all` means every one of restricted use. */
  readonly restrictedSources: ReadonlyArray<string>
  /** Names of sources whose data the operator may sell beyond their public terms; `all` means every source. */
  readonly resaleSources: ReadonlyArray<string>
}

/** The value of `RESTRICTED_SOURCES` and `RESALE_SOURCES` that means every source. */
export const ALL_SOURCES = "all"

const names = (sources: ReadonlyArray<string>, source: string): boolean =>
  sources.includes(ALL_SOURCES) || sources.includes(source)

/** Whether the terms allow only an operator's own use: personal, or neither shown to others nor kept. */
const isOwnUse = ({ use, shown, kept }: Terms): boolean =>
  use === "restricted" || shown.answer === "no" || kept.answer === "no"

/** Whether the provider's consent is not needed, or given: the operator who has it names the source, and `all` does not. */
export const isConsented = (
  { restrictedSources }: Pick<Licensing, "restrictedSources">,
  source: string,
  { use }: Pick<Terms, "use">,
): boolean => use !== "consent" || restrictedSources.includes(source)

/** Whether a source may be polled under its terms. */
export const mayPoll = (licensing: Licensing, source: string, terms: Terms): boolean =>
  isConsented(licensing, source, terms) &&
  (!isOwnUse(terms) || !licensing.isSelling || names(licensing.restrictedSources, source))

/** Whether premium replies may hold the data of a source under its terms: only what they allow, once credits are sold. */
export const maySell = ({ isSelling, resaleSources }: Licensing, source: string, { sold }: Terms): boolean =>
  sold.answer === "yes" || !isSelling || names(resaleSources, source)

/** The clause of some terms, of those answers first that forbid something; null where none is known. */
export const clauseOf = (terms: Terms): string | null => {
  const answers = termsQuestions.map((question) => terms[question]).filter(({ clause }) => clause !== null)
  const [first] = [...answers.filter(({ answer }) => answer === "no"), ...answers]
  return first?.clause ?? null
}
