import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import Fastify from "fastify"
import { expect, it, onTestFinished } from "vitest"
import { makeHttpLedger } from "../../infra/ledger/http.ts"
import { ledgerRoutes } from "../../infra/ledger/routes.ts"
import type { LedgerClient } from "../../ledger/client.ts"
import { railScene, TOKEN } from "./scene.ts"

// The rail in an `api` process, the ledger in another one.

const API_SECRET = "the secret of the api of this test"
const asked = { token: TOKEN, cost: 3, endpoint: "scan", reservation_id: "r-1" }

/** A rail whose ledger is reached over HTTP. `lose` makes the next replies of that ledger get lost, after they were decided. */
const railApart = async () => {
  const scope = Scope.makeUnsafe()
  let toLose = 0
  let lost = 0
  let holder: LedgerClient = { submit: () => Effect.die("not open yet") }
  const admin = Fastify()
  admin.addHook("onSend", async (request, reply) => {
    if (reply.statusCode !== 200 || toLose === 0) return
    toLose -= 1
    lost += 1
    request.raw.socket.destroy()
  })
  await admin.register(
    ledgerRoutes({
      holder: { client: { submit: (command) => holder.submit(command) }, active: () => true },
      payments: null,
      secrets: { api: [API_SECRET] },
    }),
  )
  const url = await admin.listen({ host: "127.0.0.1", port: 0 })
  const remote = await Effect.runPromise(
    makeHttpLedger({ urls: [url], edge: "api", secret: API_SECRET }).pipe(Scope.provide(scope)),
  )
  onTestFinished(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await admin.close()
  })
  const scene = await railScene({}, (ledger) => {
    holder = ledger
    return remote
  })
  return {
    ...scene,
    lose: (replies: number) => {
      toLose = replies
    },
    lost: () => lost,
  }
}

it("reserves and commits through a ledger in another process", async () => {
  const { ask, balance } = await railApart()
  expect(await ask("validate", asked)).toMatchObject({ status: 200, body: { credits_remaining: 47 } })
  expect(await ask("validate", { ...asked, cost: 60 })).toMatchObject({ status: 422 })
  expect(await ask("commit", { reservation_id: "r-1", no_charge: false })).toMatchObject({
    body: { credits_charged: 3 },
  })
  expect(await balance()).toBe(47)
})

it("has the answer of what was carried out, though the ledger's first reply was lost", async () => {
  const { ask, balance, lose, lost, memory } = await railApart()
  lose(1)
  expect(await ask("validate", asked)).toMatchObject({ status: 200, body: { credits_remaining: 47 } })
  lose(1)
  expect(await ask("commit", { reservation_id: "r-1", no_charge: false })).toMatchObject({
    status: 200,
    body: { credits_charged: 3, credits_remaining: 47 },
  })
  expect(await balance()).toBe(47)
  expect(lost()).toBe(2)
  expect(memory.events("ledger").filter(({ type }) => type === "credits.debited")).toHaveLength(1)
})

it("is refused for a while where every reply is lost; the repeat is carried out once", async () => {
  const { ask, balance, lose } = await railApart()
  lose(1_000)
  expect(await ask("validate", asked)).toMatchObject({ status: 503, body: { error: "billing_unavailable" } })
  lose(0)
  expect(await ask("validate", asked)).toMatchObject({ status: 200, body: { credits_remaining: 47 } })
  expect(await balance()).toBe(47)
})
