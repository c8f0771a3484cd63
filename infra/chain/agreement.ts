import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Counter } from "prom-client"
import { ChainUnavailable, type Transaction, type TransactionLookup } from "../../ledger/chain.port.ts"
import type { Provider } from "./rpc.ts"
import { isUnread, type ProviderFailed } from "./rpc-http.ts"

/** How long the other providers may still take once enough have agreed. */
const GRACE_MS = 500
const TOTAL_TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 5_000
const RETRY_AFTER_MAX_MS = 60_000
/** A provider that lags by more blocks (a minute on Base) cannot show that a transaction is missing. */
const LAG_BLOCKS_MAX = 30

/** A provider that contradicts the others is named in the log this often at most. */
const DISSENT_WARNING_EVERY_MS = 60_000

const dissents = new Counter({
  name: "tidewire_chain_dissents_total",
  help: "Answers of a provider (its place in the list, from 0) which contradicted what the others agreed on",
  labelNames: ["provider"],
})

/** The answer of one provider. */
export interface Answer<A> {
  readonly provider: number
  readonly value: A
}

/** The answers and failures of all providers, in the order of their arrival. */
interface ProviderAnswers<A> {
  readonly answers: ReadonlyArray<Answer<A>>
  readonly failures: ReadonlyArray<ProviderFailed>
}

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

/**
 * Asks all providers concurrently. Ends when all have answered or failed, shortly after `isEnough`, or after `totalMs`;
 * later answers are dropped.
 */
export const askProviders = <A>(
  providers: ReadonlyArray<Provider>,
  ask: (provider: Provider) => Effect.Effect<A, ProviderFailed>,
  isEnough: (answers: ReadonlyArray<Answer<A>>) => boolean,
  totalMs: number = TOTAL_TIMEOUT_MS,
): Effect.Effect<ProviderAnswers<A>> =>
  Effect.gen(function* () {
    const answers: Array<Answer<A>> = []
    const failures: Array<ProviderFailed> = []
    const enough = yield* Deferred.make<void>()
    const askOne = (provider: Provider) =>
      provider.ready.pipe(
        Effect.andThen(ask(provider)),
        Effect.matchEffect({
          onFailure: (failure) => Effect.sync(() => failures.push(failure)),
          onSuccess: (value) =>
            Effect.suspend(() => {
              answers.push({ provider: provider.index, value })
              return isEnough(answers) ? Deferred.succeed(enough, undefined) : Effect.void
            }),
        }),
      )
    yield* Effect.forEach(providers, askOne, { concurrency: "unbounded", discard: true }).pipe(
      Effect.raceFirst(Deferred.await(enough).pipe(Effect.andThen(Effect.sleep(GRACE_MS)))),
      Effect.timeoutOption(totalMs),
    )
    return { answers, failures }
  })

/** Groups answers by key. */
const groupsOf = <A>(answers: ReadonlyArray<A>, keyOf: (answer: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(answers, keyOf).values(),
]

/** The value that `agreement` providers answer alike; null if no value, or more than one, has so many. */
export const agreed = <A>(answers: ReadonlyArray<Answer<A>>, agreement: number): { readonly value: A } | null => {
  const groups = groupsOf(answers, ({ value }) => String(value)).filter(({ length }) => length >= agreement)
  const [first] = groups[0] ?? []
  return groups.length === 1 && first !== undefined ? { value: first.value } : null
}

/**
 * The greatest number that `agreement` of them reach; null if there are fewer. With fewer than `agreement` wrong ones, a
 * correct one reaches it too.
 */
export const reachedBy = (numbers: ReadonlyArray<number>, agreement: number): number | null =>
  numbers.toSorted((one, other) => other - one)[agreement - 1] ?? null

/** A transaction as one provider has it. `head` is the number of its newest block. */
export type TransactionSight =
  | { readonly _tag: "unknown"; readonly head: number }
  | {
      readonly _tag: "seen"
      readonly head: number
      readonly failed: boolean
      readonly transaction: Transaction
    }

const depths = ["latest", "safe", "finalized"] as const

/** All that agreeing providers must have in common: everything but the depth of the transaction. */
const keyOf = ({
  failed,
  transaction: { confirmations, depth, ...facts },
}: TransactionSight & { readonly _tag: "seen" }): string => JSON.stringify([failed, facts])

/** The verdict over all sights. `dissenters` contradict what was found. */
interface SightsVerdict {
  readonly found: TransactionLookup | null
  /** The newest block that `agreement` providers have reached; null if there are fewer. */
  readonly head: number | null
  readonly dissenters: ReadonlyArray<number>
}

/**
 * Judges the sights of the providers. A transaction is found if `agreement` of them have it alike, at the depth that so many
 * reach. It is unknown if so many do not have it and lag neither `headBefore` nor the others. A provider without the
 * transaction contradicts none.
 */
export const judge = (
  answers: ReadonlyArray<Answer<TransactionSight>>,
  agreement: number,
  headBefore: number,
): SightsVerdict => {
  const head = reachedBy(
    answers.map(({ value }) => value.head),
    agreement,
  )
  const seen = answers.flatMap(({ provider, value }) => (value._tag === "seen" ? [{ provider, sight: value }] : []))
  const groups = groupsOf(seen, ({ sight }) => keyOf(sight)).filter(({ length }) => length >= agreement)
  const [group] = groups
  if (groups.length > 1) return { found: null, head, dissenters: [] }
  if (group === undefined) {
    const upToDate = Math.max(headBefore, head ?? 0) - LAG_BLOCKS_MAX
    const unknowing = answers.filter(({ value }) => value._tag === "unknown" && value.head >= upToDate)
    const isUnknown = unknowing.length >= agreement
    return {
      found: isUnknown ? { _tag: "unknown" } : null,
      head,
      // A provider slightly ahead of the others is no dissenter.
      dissenters: seen
        .filter(({ sight }) => isUnknown && sight.transaction.block.number <= upToDate)
        .map(({ provider }) => provider),
    }
  }
  const dissenters = seen.filter((one) => !group.includes(one)).map(({ provider }) => provider)
  const sights = group.map(({ sight }) => sight)
  const reached =
    reachedBy(
      sights.map(({ transaction }) => depths.indexOf(transaction.depth)),
      agreement,
    ) ?? 0
  const depth = depths[reached]
  // Only of those at that depth, so that depth and confirmations come from the same providers.
  const confirmations = reachedBy(
    sights.flatMap(({ transaction }) =>
      depths.indexOf(transaction.depth) >= reached ? [transaction.confirmations] : [],
    ),
    agreement,
  )
  const [sight] = sights
  if (sight === undefined || confirmations === null || depth === undefined) return { found: null, head, dissenters }
  return {
    found: sight.failed
      ? { _tag: "failed" }
      : { _tag: "mined", transaction: { ...sight.transaction, confirmations, depth } },
    head,
    dissenters,
  }
}

/** Why the answers amount to nothing, and when to retry. `of`: whether a receipt was asked for. */
export const unavailable = (
  { answers, failures }: ProviderAnswers<unknown>,
  providers: number,
  agreement: number,
  of: "receipt" | "providers" = "providers",
): ChainUnavailable => {
  // With the receipt, these providers could have agreed.
  const isReceipt =
    of === "receipt" && answers.length < agreement && answers.length + failures.filter(isUnread).length >= agreement
  const why = [...Map.groupBy(failures, ({ reason }) => reason)].map(([reason, { length }]) => `${length} ${reason}`)
  const silent = providers - answers.length - failures.length
  const failing = [...why, ...(silent > 0 ? [`${silent} timeout`] : [])].join(", ")
  const retryMs = failures.map(({ retryAfterMs }) => retryAfterMs ?? RETRY_AFTER_MS)
  return new ChainUnavailable({
    of: isReceipt ? "receipt" : "providers",
    problem:
      answers.length < agreement
        ? `${answers.length} of ${providers} providers answer, ${agreement} are needed (${failing})`
        : `no ${agreement} of ${providers} providers agree`,
    retryAfterSeconds: Math.max(1, Math.ceil(Math.min(RETRY_AFTER_MAX_MS, ...retryMs) / 1000)),
  })
}
