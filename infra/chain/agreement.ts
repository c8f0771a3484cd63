import { Deferred, Effect } from "effect"
import { ChainUnavailable, type Transaction, type TransactionLookup } from "../../ledger/chain.port.ts"
import type { Provider, ProviderFailed } from "./rpc.ts"

/** How long the others may still take when enough providers have answered alike. */
const GRACE_MS = 500
const TOTAL_TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 5_000
const RETRY_AFTER_MAX_MS = 60_000
/** A provider this far behind the others, in blocks, does not know what is missing: a minute on Base. */
const LAG_BLOCKS_MAX = 30

/** What one provider answers. */
export interface Answer<A> {
  readonly provider: number
  readonly value: A
}

/** What all of them answered, in the order in which they did. */
export interface ProviderAnswers<A> {
  readonly answers: ReadonlyArray<Answer<A>>
  readonly failures: ReadonlyArray<ProviderFailed>
}

/**
 * Asks all providers at once. Ends when all have answered or failed, or shortly after `isEnough`, or when the time is
 * over; who has not answered by then is not heard.
 */
export const askProviders = <A>(
  providers: ReadonlyArray<Provider>,
  ask: (provider: Provider) => Effect.Effect<A, ProviderFailed>,
  isEnough: (answers: ReadonlyArray<Answer<A>>) => boolean,
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
      Effect.timeoutOption(TOTAL_TIMEOUT_MS),
    )
    return { answers, failures }
  })

/** The answers by what they say, where the same key means the same. */
const groupsOf = <A>(answers: ReadonlyArray<A>, keyOf: (answer: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(answers, keyOf).values(),
]

/** What `agreement` providers say alike; null when no answer, or more than one, has so many. */
export const agreed = <A>(answers: ReadonlyArray<Answer<A>>, agreement: number): { readonly value: A } | null => {
  const groups = groupsOf(answers, ({ value }) => String(value)).filter(({ length }) => length >= agreement)
  const [first] = groups[0] ?? []
  return groups.length === 1 && first !== undefined ? { value: first.value } : null
}

/**
 * The greatest number that `agreement` of them reach; null when there are fewer. With fewer liars than `agreement`, one
 * who tells the truth reaches it too.
 */
export const reachedBy = (numbers: ReadonlyArray<number>, agreement: number): number | null =>
  numbers.toSorted((one, other) => other - one)[agreement - 1] ?? null

/** A transaction as one provider sees it. `head` is the number of its newest block. */
export type TransactionSight =
  | { readonly _tag: "unknown"; readonly head: number }
  | {
      readonly _tag: "seen"
      readonly head: number
      readonly failed: boolean
      readonly transaction: Transaction
    }

const depths = ["latest", "safe", "finalized"] as const

/** All that must be the same at providers which agree: everything but how deep the transaction is. */
const keyOf = ({
  failed,
  transaction: { confirmations, depth, ...facts },
}: TransactionSight & { readonly _tag: "seen" }): string => JSON.stringify([failed, facts])

/** What all sights together come to. `dissenters` saw something else than what was found. */
export interface SightsVerdict {
  readonly found: TransactionLookup | null
  /** The newest block of which `agreement` providers know; null when there are fewer. */
  readonly head: number | null
  readonly dissenters: ReadonlyArray<number>
}

/**
 * Judges what providers see. TransactionLookup is what `agreement` of them say alike, as deep as so many of them say; unknown is what
 * so many say who are not behind `headBefore` or the others. Who does not know a transaction says nothing against it.
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
      // Who is a little ahead has seen what the others will see in a moment.
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
  // Of those alone that see it so deep: both together are what so many say.
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

/** Why the answers that were heard come to nothing, and when to ask again. */
export const unavailable = (
  { answers, failures }: ProviderAnswers<unknown>,
  providers: number,
  agreement: number,
): ChainUnavailable => {
  const why = [...Map.groupBy(failures, ({ reason }) => reason)].map(([reason, { length }]) => `${length} ${reason}`)
  const silent = providers - answers.length - failures.length
  const failing = [...why, ...(silent > 0 ? [`${silent} timeout`] : [])].join(", ")
  const askAgainMs = failures.map(({ retryAfterMs }) => retryAfterMs ?? RETRY_AFTER_MS)
  return new ChainUnavailable({
    problem:
      answers.length < agreement
        ? `${answers.length} of ${providers} providers answer, ${agreement} are needed (${failing})`
        : `no answer is given by ${agreement} of ${providers} providers alike`,
    retryAfterSeconds: Math.max(1, Math.ceil(Math.min(RETRY_AFTER_MAX_MS, ...askAgainMs) / 1000)),
  })
}
