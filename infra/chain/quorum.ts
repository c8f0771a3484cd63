import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Counter } from "prom-client"
import type { ChainUnavailable } from "../../ledger/chain.port.ts"
import { agreed, askProviders, type ProviderAnswers, unavailable } from "./agreement.ts"
import type { ProviderFailed } from "./provider-failed.ts"
import type { Provider } from "./rpc.ts"

/** A provider that contradicts the others is named in the log this often at most. */
const DISSENT_WARNING_EVERY_MS = 60_000

const dissents = new Counter({
  name: "tidewire_chain_dissents_total",
  help: "Answers of a provider (its place in the list, from 0) which contradicted what the others agreed on",
  labelNames: ["provider"],
})

/** The providers of a chain, and how many of them must agree. */
export interface Quorum {
  readonly providers: ReadonlyArray<Provider>
  readonly agreement: number
  /** The value that enough providers answer alike. For questions whose answer is one value that has a text. */
  readonly ask: <A>(
    question: (provider: Provider) => Effect.Effect<A, ProviderFailed>,
  ) => Effect.Effect<A, ChainUnavailable>
  /** Why answers that were collected amount to nothing. `of`: whether a receipt was asked for. */
  readonly unavailable: (heard: ProviderAnswers<unknown>, of?: ChainUnavailable["of"]) => ChainUnavailable
  /** Counts providers that contradicted the agreed answer, and names them in the log. */
  readonly warnDissent: (dissenters: ReadonlyArray<number>) => Effect.Effect<void>
}

/** Makes the quorum of some providers. */
export const makeQuorum = (providers: ReadonlyArray<Provider>, agreement: number): Quorum => {
  const warnedMs = new Map<number, number>()
  const refuse: Quorum["unavailable"] = (heard, of) => unavailable(heard, providers.length, agreement, of)
  return {
    providers,
    agreement,
    unavailable: refuse,
    ask: Effect.fnUntraced(function* (question) {
      const heard = yield* askProviders(providers, question, (answers) => agreed(answers, agreement) !== null)
      const answer = agreed(heard.answers, agreement)
      return answer === null ? yield* refuse(heard) : answer.value
    }),
    warnDissent: (dissenters) =>
      Effect.forEach(
        dissenters,
        (provider) =>
          Effect.gen(function* () {
            dissents.inc({ provider: String(provider) })
            const nowMs = yield* Clock.currentTimeMillis
            const lastMs = warnedMs.get(provider)
            if (lastMs !== undefined && nowMs - lastMs < DISSENT_WARNING_EVERY_MS) return
            warnedMs.set(provider, nowMs)
            yield* Effect.logWarning("a provider contradicts what the others agree on").pipe(
              Effect.annotateLogs({ provider }),
            )
          }),
        { discard: true },
      ),
  }
}
