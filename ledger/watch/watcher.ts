import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Counter, Gauge } from "prom-client"
import type { LedgerClient, UnfinalPurchase } from "../answers.ts"
import type { ChainUnavailable, TransactionLookup, WatchedChain } from "../chain.port.ts"
import { isPaidElsewhere } from "../model/purchases.ts"
import type { BillingUnavailable, Refusal } from "../refusal.ts"
import { judgeHeld, judgeLook, nextLookMs } from "./watch-rules.ts"

/** How often the unfinal payments are listed, in milliseconds. */
const ROUND_MS = 10_000
/** Transactions that are looked up in one round, and concurrently: each costs some calls to every provider. */
const LOOKS_PER_ROUND_MAX = 200
const LOOKS_CONCURRENT_MAX = 4
/** How often the balance of the wallet is read, in milliseconds. */
const WALLET_MS = 60_000

const unfinal = new Gauge({
  name: "tidewire_ledger_purchases_unfinal",
  help: "Purchases that the chain may still change, by status: credited, or reversed and still looked for",
  labelNames: ["status"],
})
const finalityLag = new Gauge({
  name: "tidewire_ledger_finality_lag_seconds",
  help: "Age of the oldest credited purchase that is looked at and not final; 0 when there is none",
})
const doubted = new Gauge({
  name: "tidewire_ledger_purchases_doubted",
  help: "Credited purchases that the last look at the chain missed, and that are not reversed yet",
})
const looks = new Counter({
  name: "tidewire_ledger_looks_total",
  help: "Looks at purchases on the chain, by outcome: nothing, held (its block has it, though no provider has its receipt), the outcome of the submitted command, refused, or unavailable",
  labelNames: ["outcome"],
})
const broken = new Counter({
  name: "tidewire_ledger_final_purchases_broken_total",
  help: "Times the providers of the chain denied a purchase that had been final: an operator must investigate",
})
const walletUnits = new Gauge({
  name: "tidewire_ledger_wallet_units",
  help: "Balance of the wallet on the chain, in millionths of a dollar",
})
const creditedUnits = new Gauge({
  name: "tidewire_ledger_credited_units",
  help: "Credited payments that are not reversed, in millionths of a dollar: the least that the wallet has received",
})

/** All payments that are not final, page after page. */
const listUnfinal = (ledger: LedgerClient) =>
  Effect.gen(function* () {
    const all: Array<UnfinalPurchase> = []
    let after: string | null = null
    for (;;) {
      const page: Effect.Success<ReturnType<typeof listPage>> = yield* listPage(ledger, after)
      creditedUnits.set(page.creditedUnits)
      all.push(...page.purchases)
      after = page.purchases.at(-1)?.key ?? null
      if (!page.more || after === null) return all
    }
  })

const listPage = (ledger: LedgerClient, after: string | null) =>
  Effect.map(ledger.submit({ _tag: "listUnfinal", after }), ({ answer }) => answer)

const isCredited = ({ status }: UnfinalPurchase): boolean => status === "credited"

const showState = (
  purchases: ReadonlyArray<UnfinalPurchase>,
  followed: ReadonlyArray<UnfinalPurchase>,
  nowMs: number,
) => {
  const credited = purchases.filter(isCredited)
  unfinal.set({ status: "credited" }, credited.length)
  unfinal.set({ status: "reversed" }, purchases.length - credited.length)
  const oldestMs = followed
    .filter(isCredited)
    .reduce((oldest, { creditedAtMs }) => Math.min(oldest, creditedAtMs), nowMs)
  finalityLag.set((nowMs - oldestMs) / 1000)
  doubted.set(purchases.filter(({ doubted }) => doubted).length)
}

/** Logs why the ledger did not accept a look. */
const report = (purchase: UnfinalPurchase, error: Refusal | BillingUnavailable) => {
  if (error._tag === "billing_unavailable") return Effect.logDebug(`a look is repeated: ${error.message}`)
  if (error._tag !== "final_purchase")
    return Effect.logError(`the ledger refuses what a look at a payment found: ${error._tag}`).pipe(
      Effect.annotateLogs({ payment: purchase.key }),
    )
  broken.inc()
  return Effect.logError("the chain denies a payment that was final: check the providers first").pipe(
    Effect.annotateLogs({ payment: purchase.key }),
  )
}

/** Logs that credited purchases are not looked at, and what makes them final. */
const warnOfFormer = (former: ReadonlyArray<UnfinalPurchase>) => {
  const { length } = former
  if (length === 0) return Effect.void
  return Effect.logWarning(
    `${length} purchases that are not final were paid to another wallet, USDC contract or chain than those of today: they stay credited, and nothing follows if they leave the chain. Start with the former WALLET_ADDRESS until they are final, within the hour as a rule, and change it then`,
  ).pipe(Effect.annotateLogs({ wallets: [...new Set(former.map(({ wallet }) => wallet ?? "not known"))].join(" ") }))
}

const creditedFirst = (one: UnfinalPurchase, other: UnfinalPurchase): number =>
  Number(one.status === "reversed") - Number(other.status === "reversed")

/** Dependencies of a watcher. */
export interface WatcherOptions {
  readonly ledger: LedgerClient
  readonly chain: Pick<WatchedChain, "facts" | "find" | "head" | "holds" | "walletUnits">
}

/** Looks at payments in rounds. Only due times are kept between rounds; misses are events of the ledger. */
export interface Watcher {
  /** Looks at the payments that are due and submits what follows. An unavailable chain changes nothing. */
  readonly round: Effect.Effect<void, ChainUnavailable | Refusal | BillingUnavailable>
  /** Reads the balance of the wallet, for the metrics. */
  readonly wallet: Effect.Effect<void, ChainUnavailable>
}

/** Makes a watcher; every payment is due at first. */
export const makeWatcher = ({ ledger, chain }: WatcherOptions): Watcher => {
  /** When each payment is due for its next look; null for never. */
  const dueMsOf = new Map<string, number | null>()
  /** Whether the first list has shown what is not looked at: later ones have nothing new, as settings stay. */
  let isWarned = false

  /** Whether its block is still in the chain and holds the payment, though there is no receipt of it. */
  const isHeld = (purchase: UnfinalPurchase, found: TransactionLookup) =>
    found._tag === "unknown" && purchase.status === "credited"
      ? chain.holds(purchase.payment.transaction, { hash: purchase.blockHash, number: purchase.blockNumber })
      : Effect.succeed(false)

  /** Looks up one transaction, and submits what follows for each of its payments. */
  const look = (transaction: string, purchases: ReadonlyArray<UnfinalPurchase>, head: number) =>
    Effect.gen(function* () {
      const found = yield* chain.find(transaction)
      const nowMs = yield* Clock.currentTimeMillis
      // Credited ones first, as they may be reversed: a payment that moved never counts at both positions.
      for (const purchase of purchases.toSorted(creditedFirst)) {
        const held = yield* isHeld(purchase, found)
        const { command, unsettled } = held ? judgeHeld(purchase) : judgeLook(purchase, found, head)
        let outcome: string = held ? "held" : "nothing"
        if (command !== null) {
          const submitted = yield* Effect.result(ledger.submit(command))
          outcome = Result.isSuccess(submitted) ? submitted.success.answer.became : "refused"
          if (Result.isFailure(submitted)) yield* report(purchase, submitted.failure)
          else if (outcome === "reversed" || outcome === "moved")
            yield* Effect.logWarning(`a payment left its block: ${outcome}`).pipe(
              Effect.annotateLogs({ payment: purchase.key, block: purchase.blockHash }),
            )
        }
        looks.inc({ outcome })
        dueMsOf.set(purchase.key, nextLookMs(purchase, unsettled, nowMs))
      }
    })

  const round = Effect.gen(function* () {
    const purchases = yield* listUnfinal(ledger)
    const nowMs = yield* Clock.currentTimeMillis
    const isFormer = (purchase: UnfinalPurchase) => isPaidElsewhere(purchase, chain.facts)
    const followed = purchases.filter((purchase) => !isFormer(purchase))
    if (!isWarned) yield* warnOfFormer(purchases.filter((purchase) => isCredited(purchase) && isFormer(purchase)))
    isWarned = true
    const due = followed.filter(({ key }) => {
      const dueMs = dueMsOf.get(key)
      return dueMs === undefined || (dueMs !== null && dueMs <= nowMs)
    })
    const forgotten = new Set(dueMsOf.keys())
    for (const { key } of purchases) forgotten.delete(key)
    for (const key of forgotten) dueMsOf.delete(key)
    showState(purchases, followed, nowMs)
    if (due.length === 0) return
    // Read before the looks: a miss then counts for a chain of at least this height.
    const head = yield* chain.head
    const byTransaction = Map.groupBy(due, ({ payment }) => payment.transaction)
    const dueMs = ([, [first]]: [string, ReadonlyArray<UnfinalPurchase>]) => dueMsOf.get(first?.key ?? "") ?? 0
    const next = [...byTransaction].sort((one, other) => dueMs(one) - dueMs(other)).slice(0, LOOKS_PER_ROUND_MAX)
    yield* Effect.forEach(
      next,
      ([transaction, together]) =>
        look(transaction, together, head).pipe(
          Effect.catchTag("ChainUnavailable", (error) =>
            Effect.andThen(
              Effect.sync(() => looks.inc({ outcome: "unavailable" })),
              Effect.logDebug(error.message),
            ),
          ),
        ),
      { concurrency: LOOKS_CONCURRENT_MAX, discard: true },
    )
  })

  const wallet = Effect.map(chain.walletUnits, (units) => walletUnits.set(Number(units)))

  return { round, wallet }
}

/** Dependencies of `watchChain`. */
export interface ChainWatchOptions extends WatcherOptions {
  /** Called with the reason while the chain is unavailable, and with null once it answers. */
  readonly report?: (problem: string | null) => void
}

/**
 * Follows payments on the chain until it is interrupted: submits when one becomes final, moves to another block or leaves the
 * chain. It never fails: an unavailable chain or ledger is retried in the next round.
 */
export const watchChain = (options: ChainWatchOptions): Effect.Effect<never> => {
  const { report = () => undefined, ...watching } = options
  const { round, wallet } = makeWatcher(watching)
  // Also without a payment to watch: reading the wallet shows that the chain answers.
  const asked = Effect.tap(wallet, () => Effect.sync(() => report(null)))
  const again = (
    what: string,
    once: Effect.Effect<unknown, ChainUnavailable | Refusal | BillingUnavailable>,
    everyMs: number,
  ): Effect.Effect<never> =>
    once.pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error._tag === "ChainUnavailable") report(error.message)
        }),
      ),
      Effect.catch((error) => Effect.logDebug(`${what}: ${"message" in error ? error.message : error._tag}`)),
      Effect.andThen(Effect.sleep(everyMs)),
      Effect.forever,
    )
  return Effect.all([again("watching payments", round, ROUND_MS), again("asking the wallet", asked, WALLET_MS)], {
    concurrency: "unbounded",
  }).pipe(Effect.andThen(Effect.never))
}
