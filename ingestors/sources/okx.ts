import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { document, UpstreamError } from "../document.ts"
import { decoderOf, notOurs } from "../poll/read.ts"
import {
  coinBefore,
  EmptyOrDecimal,
  fundingRateOf,
  fundingVenue,
  latestMs,
  listWith,
  memberOf,
  numberOrNull,
} from "../readers/perpetuals.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** Errors have status 200 or 4xx, and no rows. */
const answerOf = (rows: Schema.Codec<ReadonlyArray<unknown>, unknown>) => {
  const Code = Schema.Union([Schema.String, Schema.Int])
  return Schema.Union([
    Schema.Struct({ code: Schema.Literals(["0", 0]), data: rows }),
    Schema.Struct({ code: Code, data: maybe(Schema.Array(Schema.Unknown).check(Schema.isMaxLength(0))) }),
  ])
}

/** https://www.okx.com/docs-v5/en/#public-data-rest-api-get-funding-rate All values are texts, empty where there is none. */
const Swap = Schema.Struct({
  instId: Schema.NonEmptyString,
  instType: Schema.String,
  /** For the payment at `fundingTime`, which is the coming one. */
  fundingRate: EmptyOrDecimal,
  fundingTime: EmptyOrDecimal,
  /** The payment after it: the documentation derives the period from the two. */
  nextFundingTime: EmptyOrDecimal,
  ts: EmptyOrDecimal,
})

/** https://www.okx.com/docs-v5/en/#public-data-rest-api-get-mark-price */
const Mark = Schema.Struct({ instId: Schema.NonEmptyString, markPx: EmptyOrDecimal })

const PUBLIC = "https://www.okx.com/api/v5/public"

/** `ANY` stands for every swap, those margined in US dollars and USDC included. */
const swaps = document({
  format: "json",
  wire: answerOf(listWith("nextFundingTime")),
  url: `${PUBLIC}/funding-rate?instId=ANY`,
})
const marks = document({
  format: "json",
  wire: answerOf(listWith("markPx")),
  url: `${PUBLIC}/mark-price?instType=SWAP`,
})

interface Answer {
  readonly code: string | number
  readonly data?: ReadonlyArray<unknown> | null
}

const rowsOf = ({ code, data }: Answer): Effect.Effect<ReadonlyArray<unknown>, UpstreamError> =>
  String(code) === "0" && data !== null && data !== undefined
    ? Effect.succeed(data)
    : Effect.fail(new UpstreamError({ message: "the venue answers with an error" }))

const readMark = decoderOf(Mark)

/** The mark prices of those rows that can be read, by the name of the swap. */
const pricesOf = (rows: ReadonlyArray<unknown>): ReadonlyMap<unknown, number | null> =>
  new Map(
    rows
      .map(readMark)
      .flatMap(
        (read): ReadonlyArray<[string, number | null]> =>
          Result.isSuccess(read) ? [[read.success.instId, numberOrNull(read.success.markPx)]] : [],
      ),
  )

/** A swap with its mark price, where there is one. */
const Row = Schema.Struct({ swap: Swap, markPrice: Schema.NullOr(Schema.Finite) })

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Hours from the coming payment to the one after it, to the minute; null without both. */
const periodHoursOf = ({ fundingTime, nextFundingTime }: typeof Swap.Type): number | null => {
  const [comingMs, followingMs] = [numberOrNull(fundingTime), numberOrNull(nextFundingTime)]
  if (comingMs === null || followingMs === null) return null
  return (Math.round((followingMs - comingMs) / MINUTE_MS) * MINUTE_MS) / HOUR_MS
}

export default listSource({
  name: "okx",
  ...fundingVenue("OKX"),
  documents: { swaps, marks },
  collect: (upstream) =>
    Effect.gen(function* () {
      return {
        swaps: yield* Effect.flatMap(upstream.fetch(swaps, undefined), rowsOf),
        // Rates are served without prices if those cannot be read.
        marks: yield* Effect.flatMap(upstream.fetch(marks, undefined), rowsOf).pipe(
          Effect.catch(() => Effect.succeed<ReadonlyArray<unknown>>([])),
        ),
      }
    }),
  rows: (collected) => {
    const prices = pricesOf(collected.marks)
    return collected.swaps.map((swap) => ({ swap, markPrice: prices.get(memberOf(swap, "instId")) ?? null }))
  },
  row: Row,
  toItem: ({ swap, markPrice }) => {
    const base = coinBefore("-USDT-SWAP", swap.instId)
    const rate = numberOrNull(swap.fundingRate)
    if (swap.instType !== "SWAP" || base === null || rate === null) return notOurs
    return fundingRateOf({
      symbol: swap.instId,
      base,
      periodHours: periodHoursOf(swap),
      rate,
      markPrice,
      nextFundingMs: swap.fundingTime,
    })
  },
  contentAtMs: (_, read) => latestMs(read.map(({ row }) => row.swap.ts)),
  attribution: { provider: "OKX", licence: "OKX API terms of use", url: "https://www.okx.com/docs-v5/en/" },
  terms: termsOf({
    use: "restricted",
    url: "https://www.okx.com/help/okx-terms-of-service",
    clause: "API agreement of 2026-07-28, 9.4: personal use, no display to third parties, no aggregators",
    shown: "no",
    kept: "no",
    sold: "no",
    models: "no",
  }),
})
