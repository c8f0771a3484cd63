import { createServer, type Server } from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterEach, describe, expect, it } from "vitest"
import type { Role } from "../config/setting-table.ts"
import { loadSettings } from "../config/settings.ts"
import { checkPorts, listenFailed, portsOf, type WantedPort } from "./ports.ts"

const open = new Set<Server>()
const close = (server: Server): Promise<void> => {
  open.delete(server)
  return new Promise((resolve) => server.close(() => resolve()))
}
afterEach(() => Promise.all([...open].map(close)))

const listen = async (port = 0): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  open.add(server)
  const address = server.address()
  return { server, port: typeof address === "object" && address !== null ? address.port : 0 }
}

const wanted = (port: number, host = "127.0.0.1", variable = "PORT"): WantedPort => ({
  variable,
  port,
  host,
  hostVariable: "HOST",
})
const problemOf = (...ports: ReadonlyArray<WantedPort>): Promise<string> =>
  Effect.runPromise(Effect.flip(checkPorts(ports))).then(({ message }) => message)

const rail = { INTERNAL_PORT: "9900", SISTER_SECRET: "s".repeat(32) }

describe("the ports of a process", () => {
  it("are refused where another process listens, with the setting that changes it", async () => {
    const { port } = await listen()
    expect(await problemOf(wanted(port))).toBe(
      `PORT: 127.0.0.1:${port} is in use by another process; end that one, or set PORT to a free port`,
    )
  })

  it("are waited for while a process that was killed lets go of them, and are free afterwards", async () => {
    const { server, port } = await listen()
    const checked = Effect.runPromise(checkPorts([wanted(port)]))
    await Promise.race([checked, close(server)])
    await checked
    expect((await listen(port)).port).toBe(port)
  })

  it("are refused where two settings say the same", async () => {
    const { server, port } = await listen()
    await close(server)
    expect(await problemOf(wanted(port), wanted(port, "127.0.0.1", "ADMIN_PORT"))).toBe(
      `ADMIN_PORT: ${port} is the value of PORT too`,
    )
  })

  it("are refused on a host that is not of this machine, naming the host's setting", async () => {
    // An address that is for documentation alone (RFC 5737), and a name that can never be one (RFC 2606).
    expect(await problemOf(wanted(1024, "192.0.2.1"))).toBe("HOST: 192.0.2.1 is no address of this machine")
    expect(await problemOf(wanted(1024, "nobody.invalid"))).toBe("HOST: the name nobody.invalid has no address")
  })

  it("have words for what this user may not do, and for unforeseen codes", () => {
    const failed = (cause: unknown) => listenFailed(wanted(80, "::1"), cause).message
    expect(failed(Object.assign(new Error("listen EACCES"), { code: "EACCES" }))).toBe(
      "PORT: this user may not listen on [::1]:80; set PORT to a port above 1023",
    )
    expect(failed(new Error("odd"))).toBe("PORT: [::1]:80 cannot be listened on (odd)")
  })

  it.each<[Role, Readonly<Record<string, string>>, ReadonlyArray<string>]>([
    ["all", {}, ["PORT", "ADMIN_PORT", "CLICKHOUSE_HTTP_PORT", "CLICKHOUSE_TCP_PORT"]],
    ["all", { CLICKHOUSE_URL: "http://history:8123" }, ["PORT", "ADMIN_PORT"]],
    ["api", {}, ["PORT", "ADMIN_PORT"]],
    ["api", rail, ["PORT", "ADMIN_PORT", "INTERNAL_PORT"]],
    ["ledger", rail, ["ADMIN_PORT"]],
    ["all", { ...rail, CLICKHOUSE_URL: "http://history:8123" }, ["PORT", "ADMIN_PORT", "INTERNAL_PORT"]],
    ["ingest", {}, ["ADMIN_PORT"]],
    ["process", {}, ["ADMIN_PORT"]],
    ["ledger", {}, ["ADMIN_PORT"]],
    ["ledger", { LIVE_PORT: "9788" }, ["ADMIN_PORT", "LIVE_PORT"]],
  ])("of the role %s with %j are %j", (role, environment, variables) => {
    const settings = Result.getOrThrow(loadSettings(environment))
    expect(portsOf(role, settings).map(({ variable }) => variable)).toEqual(variables)
  })
})
