import { describe, expect, it } from "vitest"
import { edges } from "../../infra/ledger/wire.ts"
import { SIGNATURE_WINDOW_MS, SIGNED_PATH_MAX_CHARACTERS } from "../../infra/signing/request-signature.ts"
import { FAILED_TRIES_MAX } from "../../infra/signing/signed-route.ts"
import { SISTER_PATHS } from "../../schemas/sister-rail.ts"
import { NOON_MS } from "../conformance/ledger/given.ts"
import { EARLIER_SECRET, railScene, TOKEN } from "./scene.ts"

const asked = { token: TOKEN, cost: 3, endpoint: "scan", reservation_id: "r-1" }
const NONCES_MAX = 20

describe("an attack on the rail", () => {
  it("by a recorded request is refused, though it would change nothing", async () => {
    const { sign, outcome, balance } = await railScene()
    const wire = await sign("validate", asked)
    expect(await outcome(wire)).toBe("200")
    expect(await outcome(wire)).toBe("401 replayed")
    expect(await balance()).toBe(47)
  })

  it("by one request, many times at once, is answered once", async () => {
    const { sign, outcome } = await railScene()
    const wire = await sign("validate", asked)
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(wire)))
    expect(outcomes.toSorted()).toEqual(["200", ...Array.from({ length: 9 }, () => "401 replayed")])
  })

  it("by another body under a nonce that was used is refused", async () => {
    const { sign, outcome, balance } = await railScene()
    expect(await outcome(await sign("validate", asked, { nonce: "n-1" }))).toBe("200")
    const second = { ...asked, reservation_id: "r-2" }
    expect(await outcome(await sign("validate", second, { nonce: "n-1" }))).toBe("401 replayed")
    expect(await balance()).toBe(47)
  })

  it("by another body, path or method than the signed one is refused", async () => {
    const { sign, outcome, balance } = await railScene()
    const altered = { ...asked, cost: 99 }
    expect(await outcome({ ...(await sign("validate", asked)), payload: JSON.stringify(altered) })).toBe("401 altered")
    expect(await outcome({ ...(await sign("validate", asked)), payload: "" })).toBe("401 altered")
    expect(await outcome({ ...(await sign("validate", asked)), url: SISTER_PATHS.commit })).toBe("401 wrong")
    expect(await outcome({ ...(await sign("validate", asked)), url: `${SISTER_PATHS.validate}?cost=1` })).toBe(
      "401 wrong",
    )
    expect(await outcome(await sign("validate", asked, { method: "PUT" }))).toBe("401 wrong")
    for (const method of ["GET", "PUT"] as const)
      expect(await outcome({ ...(await sign("validate", asked, { method })), method })).toBe("405 method_not_allowed")
    expect(await balance()).toBe(50)
  })

  it("by a request that is more than a minute old, or dated ahead, is refused", async () => {
    const { sign, outcome, pass, balance } = await railScene()
    for (const off of [SIGNATURE_WINDOW_MS + 1, -SIGNATURE_WINDOW_MS - 1])
      expect(await outcome(await sign("validate", asked, { atMs: NOON_MS + off }))).toBe("401 stale")
    const kept = await sign("validate", asked)
    pass(SIGNATURE_WINDOW_MS + 1)
    expect(await outcome(kept)).toBe("401 stale")
    expect(await balance()).toBe(50)
    const onTheEdge = await sign("validate", asked)
    pass(SIGNATURE_WINDOW_MS)
    expect(await outcome(onTheEdge)).toBe("200")
  })

  it("by a guessed secret, another edge's name or a token alone is refused", async () => {
    const { sign, outcome, deliver, balance } = await railScene()
    expect(await outcome(await sign("validate", asked, { secret: "a guess" }))).toBe("401 wrong")
    expect(await outcome(await sign("validate", asked, { edge: edges.api.name }))).toBe("401 wrong")
    const wire = await sign("validate", asked)
    for (const authorization of ["", `Bearer ${TOKEN}`, wire.headers.authorization?.toUpperCase() ?? ""])
      expect(await outcome({ ...wire, headers: { ...wire.headers, authorization } })).toBe("401 unsigned")
    expect((await deliver({ ...wire, headers: {} })).status).toBe(401)
    expect(await balance()).toBe(50)
  })

  it("by a request that was signed for another process is refused; the refusal names this one", async () => {
    const { sign, deliver } = await railScene()
    const { status, body } = await deliver(await sign("validate", asked, { receiver: "another" }))
    expect({ status, body }).toEqual({ status: 401, body: { reason: "receiver", receiver: expect.any(String) } })
    expect(await deliver(await sign("validate", asked, { receiver: String(body.receiver) }))).toMatchObject({
      status: 200,
    })
  })

  it("by many guesses locks no valid signature out, though they come from one address", async () => {
    const { sign, outcome, balance } = await railScene()
    const guess = async (tried: number) =>
      outcome(await sign("commit", asked, { secret: `guess ${tried}` }), "192.0.2.9")
    for (let tried = 0; tried < FAILED_TRIES_MAX; tried++) expect(await guess(tried)).toBe("401 wrong")
    for (let tried = 0; tried < 5; tried++) expect(await guess(tried)).toBe("429 limited")
    expect(await outcome(await sign("validate", asked), "192.0.2.9")).toBe("200")
    // A valid signature of another kind of fault neither counts as a guess nor frees guesses.
    expect(await outcome(await sign("validate", asked, { receiver: "another" }), "192.0.2.9")).toBe("401 receiver")
    expect(await guess(0)).toBe("429 limited")
    expect(await outcome(await sign("commit", asked, { secret: "a guess" }), "192.0.2.1")).toBe("401 wrong")
    expect(await balance()).toBe(47)
  })

  it("by a long path costs no more than a short one: nothing of it is hashed", async () => {
    const { sign, outcome } = await railScene()
    const path = `${SISTER_PATHS.validate}?${"x".repeat(SIGNED_PATH_MAX_CHARACTERS)}`
    expect(await outcome({ ...(await sign("validate", asked, { path })), url: path })).toBe("401 wrong")
  })

  it("after the nonces were forgotten is refused: the receiver has another id then", async () => {
    const { sign, outcome, ask } = await railScene({ noncesMax: NONCES_MAX })
    const recorded = await sign("validate", asked)
    expect(await outcome(recorded)).toBe("200")
    for (let n = 0; n <= NONCES_MAX; n++)
      expect(await ask("validate", { ...asked, cost: 1, reservation_id: `n-${n}` })).toMatchObject({ status: 200 })
    expect(await outcome(recorded)).toBe("401 receiver")
  })

  it("by a large body, a large header or another media type is refused before it is parsed", async () => {
    const { sign, deliver, outcome, balance } = await railScene()
    expect(await outcome(await sign("validate", { ...asked, padding: "x".repeat(5_000) }))).toBe("413 body_too_large")
    const wire = await sign("validate", asked)
    const xml = { ...wire, headers: { ...wire.headers, "content-type": "text/xml" } }
    expect(await outcome(xml)).toBe("415 unsupported_media_type")
    const long = {
      ...wire,
      headers: { ...wire.headers, authorization: `${wire.headers.authorization}${"0".repeat(2_000)}` },
    }
    expect(await outcome(long)).toBe("401 unsigned")
    expect((await deliver({ ...wire, url: "/api/internal/other" })).body.error).toBe("not_found")
    expect(await balance()).toBe(50)
  })

  it("is none, where a secret is being changed: both hold meanwhile", async () => {
    const { sign, outcome } = await railScene()
    expect(await outcome(await sign("validate", asked, { secret: EARLIER_SECRET }))).toBe("200")
    expect(await outcome(await sign("validate", asked))).toBe("200")
  })

  it("by a prototype in the body changes nothing", async () => {
    const { ask, sign, outcome } = await railScene()
    const body = `{"__proto__":{"token":"${TOKEN}"},"cost":3,"endpoint":"scan","reservation_id":"r-1"}`
    expect(await outcome(await sign("validate", body))).toBe("402 missing_token")
    expect(await ask("validate", asked)).toMatchObject({ status: 200 })
  })
})
