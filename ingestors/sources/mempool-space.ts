import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  type BitcoinNetwork,
  bitcoinNetwork,
  FEE_MAX_SAT_PER_VB,
  SUPPLY_MAX_SAT,
} from "../../schemas/feeds/bitcoin-network.ts"
import { document, isOfDocument, UpstreamError } from "../document.ts"
import { mempoolSpace } from "../providers/mempool-space.ts"
import { positive, within } from "../readers/numbers.ts"
import { Decimal, maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** Hashes of one exahash, by the prefix of the International System of Units. */
const EXA = 1e18

/**
 * Exahashes a second of hashes a second, which exceed 64 bits and are therefore floats here. Null for what is not above
 * zero, as a network that makes blocks has a hash rate.
 */
export const exahashesPerSecond = (hashesPerSecond: number): number | null =>
  Number.isFinite(hashesPerSecond) && hashesPerSecond > 0 ? hashesPerSecond / EXA : null

const API = "https://mempool.space/api"

/** https://mempool.space/docs/api/rest#get-recommended-fees Satoshi a virtual byte; old versions know three fees or four. */
const Fees = Schema.Struct({
  fastestFee: Decimal,
  halfHourFee: Decimal,
  hourFee: Decimal,
  economyFee: maybe(Decimal),
  minimumFee: maybe(Decimal),
})
type Fees = typeof Fees.Type

/** https://mempool.space/docs/api/rest#get-mempool */
const Mempool = Schema.Struct({ count: Decimal, vsize: Decimal, total_fee: maybe(Decimal) })

/** https://mempool.space/docs/api/rest#get-hashrate Hashes a second are beyond 64 bits: read as a float. */
const Hashrate = Schema.Struct({ currentHashrate: Decimal, currentDifficulty: Decimal })

/** A whole number, and nothing else. */
const Height = Schema.String.check(Schema.isPattern(/^\s*\d{1,9}\s*$/))

/** Fees with fractions: the whole numbers round all fees below 1 up to 1. */
const feesPrecise = document({ format: "json", wire: Fees, url: `${API}/v1/fees/precise` })
/** Fees in whole numbers, requested if the others fail. */
const feesRecommended = document({ format: "json", wire: Fees, url: `${API}/v1/fees/recommended` })
const mempool = document({ format: "json", wire: Mempool, url: `${API}/mempool` })
const hashrate = document({ format: "json", wire: Hashrate, url: `${API}/v1/mining/hashrate/3d` })
const tipHeight = document({ format: "text", wire: Height, url: `${API}/blocks/tip/height` })

const feesOf = (fees: Fees): BitcoinNetwork["feesSatPerVb"] | null => {
  // A node that has no estimate yet answers with zeros.
  const fee = (value: number | null | undefined) => within(positive(value), 0, FEE_MAX_SAT_PER_VB)
  const [fastest, halfHour, hour] = [fee(fees.fastestFee), fee(fees.halfHourFee), fee(fees.hourFee)]
  return fastest === null || halfHour === null || hour === null
    ? null
    : { fastest, halfHour, hour, economy: fee(fees.economyFee), minimum: fee(fees.minimumFee) }
}

export default valueSource({
  name: "mempool-space",
  provider: "MempoolSpace.network",
  fills: bitcoinNetwork,
  every: "1 minute",
  access: mempoolSpace,
  documents: { feesPrecise, feesRecommended, mempool, hashrate, tipHeight },
  collect: (upstream) =>
    Effect.gen(function* () {
      const fees = yield* upstream
        .fetch(feesPrecise, undefined)
        .pipe(
          Effect.catch((failed) =>
            isOfDocument(failed) ? upstream.fetch(feesRecommended, undefined) : Effect.fail(failed),
          ),
        )
      return {
        fees,
        mempool: yield* upstream.fetch(mempool, undefined),
        hashrate: yield* upstream.fetch(hashrate, undefined),
        tipHeight: yield* upstream.fetch(tipHeight, undefined),
      }
    }),
  normalise: (collected) => {
    const fees = feesOf(collected.fees)
    if (fees === null) return new UpstreamError({ message: "a fee is none, or beyond what is possible" })
    const { count, vsize, total_fee } = collected.mempool
    if (!(Number.isSafeInteger(count) && count >= 0 && vsize >= 0))
      return new UpstreamError({ message: "the number or the size of the waiting transactions is impossible" })
    return {
      payload: {
        blockHeight: Number(collected.tipHeight),
        feesSatPerVb: fees,
        hashrateEhS: exahashesPerSecond(collected.hashrate.currentHashrate),
        difficulty: positive(collected.hashrate.currentDifficulty),
        mempool: { count, vsizeVb: vsize, totalFeeSat: within(total_fee, 0, SUPPLY_MAX_SAT) },
      } satisfies BitcoinNetwork,
      contentAtMs: null,
    }
  },
  attribution: {
    provider: "mempool.space",
    licence: "mempool.space terms of service",
    url: "https://mempool.space/docs/api/rest",
  },
  terms: termsOf({ use: "provider", url: "https://mempool.space/terms-of-service" }),
})
