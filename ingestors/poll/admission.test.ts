import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { providerAccess, type Quota, type QuotaPeriod } from "../provider-access.ts"
import { countRequest, KEY_REFUSED_PAUSE_MS, makeAdmission, quotaWaitMs } from "./admission.ts"
import type { QuotaWindow } from "./ingest-log.ts"
import type { Candidate } from "./plan.ts"

const NOW_MS = Date.parse("2026-11-21T10:59:59.000Z")
const lengthsMs: Readonly<Record<QuotaPeriod, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 31 * 86_400_000,
}
const periods = Object.keys(lengthsMs) as ReadonlyArray<QuotaPeriod>

describe("a quota", () => {
  it("is never exceeded in any period, whenever requests are tried, and is not wasted either", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...periods),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.double({ min: 0, max: 0.6, noNaN: true }), { minLength: 1, maxLength: 120, size: "max" }),
        (per, requestsMax, pauses) => {
          let [nowMs, window] = [NOW_MS, undefined as QuotaWindow | undefined]
          const sent: Array<number> = []
          for (const pause of pauses) {
            nowMs += Math.floor(pause * lengthsMs[per])
            const waitMs = quotaWaitMs({ per, requestsMax }, window, false, nowMs)
            if (waitMs === null) {
              sent.push(nowMs)
              window = countRequest(per, window, false, nowMs)
            } else {
              expect(waitMs).toBeGreaterThan(0)
              // Once it has waited, one request is admitted.
              expect(quotaWaitMs({ per, requestsMax }, window, false, nowMs + waitMs)).toBeNull()
              expect(quotaWaitMs({ per, requestsMax }, window, false, nowMs + waitMs - 1)).not.toBeNull()
            }
            expect(sent.filter((at) => at > nowMs - lengthsMs[per]).length).toBeLessThanOrEqual(requestsMax)
            expect(window?.pieces.length ?? 0).toBeLessThanOrEqual(62)
          }
          expect(sent.length).toBeGreaterThanOrEqual(Math.min(requestsMax, pauses.length))
        },
      ),
    )
  })

  it("slides: fifteen before the full hour leave none after it", () => {
    let window: QuotaWindow | undefined
    for (let count = 0; count < 15; count++) window = countRequest("hour", window, false, NOW_MS)
    expect(quotaWaitMs({ per: "hour", requestsMax: 15 }, window, false, NOW_MS + 2_000)).toBeGreaterThan(3_500_000)
  })

  it("keeps a share for scheduled polls", () => {
    const quota: Quota = { per: "day", requestsMax: 3, onRequestMax: 2 }
    let window: QuotaWindow | undefined
    for (let count = 0; count < 2; count++) window = countRequest("day", window, true, NOW_MS)
    expect(quotaWaitMs(quota, window, true, NOW_MS)).not.toBeNull()
    expect(quotaWaitMs(quota, window, false, NOW_MS)).toBeNull()
    window = countRequest("day", window, false, NOW_MS)
    expect(quotaWaitMs(quota, window, false, NOW_MS)).not.toBeNull()
  })

  it("counts what a clock that was ahead has counted as of now, and for no longer", () => {
    const aheadMs = NOW_MS + 400 * lengthsMs.day
    let window = countRequest("day", undefined, false, aheadMs)
    expect(quotaWaitMs({ per: "day", requestsMax: 1 }, window, false, NOW_MS)).toBeLessThanOrEqual(25 * 3_600_000)
    window = countRequest("day", window, false, NOW_MS)
    expect(window.pieces).toEqual([{ startMs: expect.any(Number), requests: 2, onRequest: 0 }])
  })
})

describe("the quotas of a provider", () => {
  const launchLibrary = providerAccess({
    name: "launch-library",
    key: { setting: "TOKEN", description: "", signupUrl: "", optional: true },
    quotas: [{ per: "hour", requestsMax: 15, onRequestMax: 10 }],
  })
  const candidate = (name: string, key: string | null = null, onDemand: unknown = null) =>
    ({ source: { name, access: launchLibrary, key: launchLibrary.key, onDemand }, key, provider: "P.x" }) as Candidate

  it("are one allowance of all its sources, of scheduled polls and of fetches on request", () => {
    const admission = makeAdmission(new Map(), true)
    const [weather, air] = [candidate("weather"), candidate("air")]
    for (let count = 0; count < 10; count++) expect(admission.request(air, true, NOW_MS)).toBeNull()
    expect(admission.request(weather, true, NOW_MS)).toBeGreaterThan(0)
    expect(admission.begin(weather, true, NOW_MS)?.reason).toBe("budget_exhausted")
    expect(admission.begin(weather, false, NOW_MS)).toBeNull()
    for (let count = 0; count < 5; count++) expect(admission.request(weather, false, NOW_MS)).toBeNull()
    expect(admission.begin(weather, false, NOW_MS)).toMatchObject({ reason: "budget_exhausted" })
    expect(admission.request(air, false, NOW_MS)).toBeGreaterThan(0)
  })

  it("are lifted by a key that is optional, and where upstreams are simulated", () => {
    const [holding, simulated] = [true, false].map((holds) => makeAdmission(new Map(), holds))
    for (let count = 0; count < 40; count++) {
      expect(holding?.request(candidate("launches", "given"), false, NOW_MS)).toBeNull()
      expect(simulated?.request(candidate("launches"), false, NOW_MS)).toBeNull()
    }
  })

  it("go on after a restart where the checkpoints left them", () => {
    const before = makeAdmission(new Map(), true)
    for (let count = 0; count < 15; count++) before.request(candidate("launches"), false, NOW_MS)
    const kept = before.unsaved()
    expect(kept.map(([name]) => name)).toEqual(["provider/launch-library"])
    before.saved(kept)
    expect(before.unsaved()).toEqual([])
    const after = makeAdmission(new Map(kept), true)
    expect(after.request(candidate("launches"), false, NOW_MS + 60_000)).toBeGreaterThan(0)
  })

  it("are saved again where they were counted on after the checkpoint was taken", () => {
    const admission = makeAdmission(new Map(), true)
    admission.request(candidate("launches"), false, NOW_MS)
    const taken = admission.unsaved()
    admission.request(candidate("launches"), false, NOW_MS)
    admission.saved(taken)
    expect(admission.unsaved()[0]?.[1].windows[0]?.pieces[0]?.requests).toBe(2)
  })

  it("leave a refused key unused for an hour, whichever source it was refused to", () => {
    const admission = makeAdmission(new Map(), true)
    admission.keyRefused(candidate("launches", "wrong"), NOW_MS)
    expect(admission.begin(candidate("events", "wrong"), false, NOW_MS + 1)).toMatchObject({ reason: "key_refused" })
    expect(admission.begin(candidate("launches"), false, NOW_MS + 1)).toBeNull()
    expect(admission.begin(candidate("launches", "wrong"), false, NOW_MS + KEY_REFUSED_PAUSE_MS)).toBeNull()
  })
})
