import { connect, type Socket } from "node:net"
import { describe, expect, it, vi } from "vitest"
import { defaultLimits } from "../../api/http/limits.ts"
import { type GateOptions, makeGate } from "../../api/premium/gate.ts"
import { eventually } from "../support/eventually.ts"
import { premiumScene, range } from "./scene.ts"

/** The most unanswered requests of one connection. */
const CALLS = defaultLimits.unfinishedPerConnectionMax

/** Calls that one client has sent in one write, at one credit each. The first has its debit and its reply, and is not settled. */
const pipelined = async () => {
  const scene = await premiumScene()
  const token = await scene.token(CALLS)
  const go = Promise.withResolvers<void>()
  const { sign } = scene.receipts
  let signed = 0
  vi.spyOn(scene.receipts, "sign").mockImplementation(async (facts) => {
    const receipt = await sign(facts)
    signed += 1
    await go.promise
    return receipt
  })
  const accepted = Promise.withResolvers<Socket>()
  scene.app.server.once("connection", accepted.resolve)
  const client = connect(await scene.listen(), "127.0.0.1")
  const call = `GET /api/pro/whole HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
  client.write(call.repeat(CALLS))
  await eventually("the first reply is made", () => signed === 1)
  return {
    ...scene,
    client,
    served: await accepted.promise,
    letGo: go.resolve,
    ended: (debits: number) => eventually("each debit has ended", () => scene.entries().length === 2 * debits),
    debited: () => scene.entries().length / 2,
    balance: () => scene.balanceOf(token),
  }
}

describe("pipelined calls", () => {
  it.each([
    ["has reset its connection", "error", (client: Socket) => client.resetAndDestroy()],
    ["has closed its connection", "end", (client: Socket) => client.destroy()],
  ] as const)("of a client that %s are not charged, not one of them", async (_, event, leave) => {
    const { client, served, letGo, ended, debited, balance } = await pipelined()
    client.on("error", () => {})
    const closed = new Promise((resolve) => served.once("close", resolve))
    // Checked when the connection closes, before the waiting replies notice it.
    served.once(event, () => letGo())
    leave(client)
    await ended(1)
    await closed
    expect(await balance()).toBe(CALLS)
    expect(debited(), "those behind it send no command to the ledger").toBe(1)
  })

  it("of a client that stays are charged, each of them", async () => {
    const { client, letGo, ended, balance } = await pipelined()
    let answers = ""
    client.on("data", (data) => {
      answers += data.toString()
    })
    letGo()
    await ended(CALLS)
    await eventually("every call is answered", () => answers.split("HTTP/1.1 200").length - 1 === CALLS)
    expect(await balance()).toBe(0)
    client.destroy()
  })

  it("whose turn comes after the client has disconnected send no command to the ledger", async () => {
    const refused = () => {
      throw new Error("the ledger received a command")
    }
    const unused = { offering: refused, ledger: { submit: refused }, limits: defaultLimits } as unknown as GateOptions
    const gate = makeGate({ ...unused, endpoint: range })
    const call = {
      requestId: "0123abcd-1",
      token: "",
      parameters: {},
      fields: null,
      request: "",
      attempt: null,
      gone: () => true,
      named: () => {},
    }
    expect(await gate(call)).toEqual({ _tag: "Gone" })
  })
})
