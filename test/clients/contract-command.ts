import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { XMLValidator } from "fast-xml-parser"
import { request } from "undici"
import { describe, expect, it, onTestFinished } from "vitest"
import { checksFor, type Outcome } from "../../infra/commands/contract/checks.ts"
import { makeAsk } from "../../infra/commands/contract/exchange.ts"
import { endpoints } from "../../schemas/registry.ts"
import { runCommand } from "../support/command.ts"
import { removeDirectory, temporaryDirectory } from "../support/service.ts"

// `npm run contract`: it finds nothing at the service itself, and each of these breaks where a proxy makes them.

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Changes a reply before the caller gets it. */
type Alter = (reply: Reply, asked: { readonly url: URL; readonly method: string }) => Reply

/** A way in which an installation departs from the contract. */
interface Break {
  readonly what: string
  /** The endpoint whose checks must find it. */
  readonly of: string
  /** Changes a request before the service gets it. */
  readonly asked?: (url: URL, headers: Record<string, string>) => void
  readonly replied?: Alter
}

type Members = Record<string, unknown>
const dataOf = ({ data }: Members): Members => (typeof data === "object" && data !== null ? (data as Members) : {})
/** Changes the members of a JSON body. */
const inBody =
  (change: (members: Members) => void, where: (asked: { readonly url: URL }) => boolean = () => true): Alter =>
  (reply, asked) => {
    // A confirmation has a type, and no body.
    if (reply.body === "" || !where(asked) || !/json/.test(reply.headers["content-type"] ?? "")) return reply
    const members = JSON.parse(reply.body) as Members
    change(members)
    return { ...reply, body: JSON.stringify(members) }
  }

const PREMIUM = "/api/pro/briefing"

const breaks: ReadonlyArray<Break> = [
  {
    what: "a member of the data is missing",
    of: "/api/earthquake",
    replied: inBody((members) => delete dataOf(members).count),
  },
  {
    what: "a number is a text",
    of: "/api/btc-price",
    replied: inBody((members) => Object.assign(dataOf(members), { price_usd: "1" })),
  },
  { what: "_meta is missing", of: "/api/predictions", replied: inBody((members) => delete members._meta) },
  {
    what: "the reply names another endpoint",
    of: "/api/volcanoes",
    replied: inBody((members) => Object.assign(members, { endpoint: "other" })),
  },
  { what: "another status", of: "/api/stocks", replied: (reply) => ({ ...reply, status: 203 }) },
  {
    what: "another type",
    of: "/api/forex",
    replied: (reply) => ({ ...reply, headers: { ...reply.headers, "content-type": "text/plain" } }),
  },
  {
    what: "an undocumented header",
    of: "/api/launches",
    replied: (reply) => ({ ...reply, headers: { ...reply.headers, "x-powered-by": "chance" } }),
  },
  {
    what: "HEAD is not found",
    of: "/api/tsunami",
    replied: (reply, { method }) => (method === "HEAD" ? { ...reply, status: 404 } : reply),
  },
  { what: "entity tags are ignored", of: "/api/reactors", asked: (_, headers) => delete headers["if-none-match"] },
  {
    what: "a wrong value stands for the default",
    of: "/api/climate/earthquakes",
    asked: ({ searchParams }) => searchParams.delete("magnitude"),
  },
  {
    what: "a table is served as JSON",
    of: "/api/crypto-movers",
    asked: ({ searchParams }) => searchParams.delete("format"),
  },
  {
    what: "the present stands for the past",
    of: "/api/fear-greed",
    asked: ({ searchParams }) => searchParams.delete("at"),
  },
  {
    what: "an unknown path is a page",
    of: "service",
    replied: (reply) =>
      reply.status === 404 ? { status: 200, headers: { "content-type": "text/html" }, body: "Hello" } : reply,
  },
  {
    what: "the catalogue lacks an endpoint",
    of: "service",
    replied: inBody(
      (members) => Object.assign(members, { endpoints: (members.endpoints as ReadonlyArray<unknown>).slice(1) }),
      ({ url }) => url.pathname === "/api",
    ),
  },
  { what: "a refusal names no price", of: PREMIUM, replied: inBody((members) => delete members.pricing) },
  {
    what: "another charge is said than made",
    of: PREMIUM,
    replied: (reply) =>
      "x-credits-charged" in reply.headers
        ? { ...reply, headers: { ...reply.headers, "x-credits-charged": "0" } }
        : reply,
  },
  { what: "a repetition is charged again", of: PREMIUM, asked: (_, headers) => delete headers["idempotency-key"] },
]

const OF_ONE_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "content-length", "host"])
const carried = (headers: IncomingMessage["headers"] | Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      OF_ONE_CONNECTION.has(name) || value === undefined ? [] : [[name, String(value)]],
    ),
  )

/** Stands before a service and breaks its contract; closed when the test ends. */
const startBreaking = async (
  base: string,
  { asked = () => {}, replied = (reply) => reply }: Break,
): Promise<string> => {
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", base)
    const original = new URL(url)
    const headers = carried(incoming.headers)
    asked(url, headers)
    const method = incoming.method === "HEAD" ? "HEAD" : incoming.method === "POST" ? "POST" : "GET"
    const {
      statusCode,
      headers: given,
      body,
    } = await request(url, { method, headers, ...(method === "POST" ? { body: incoming } : {}) })
    const reply = replied(
      { status: statusCode, headers: carried(given), body: await body.text() },
      { url: original, method },
    )
    outgoing.writeHead(reply.status, reply.headers).end(reply.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Declares what the check of the contract finds at a service whose views have data. */
export const contractCommand = (at: () => { readonly url: string; readonly token: string }): void => {
  const paying = () => ({ token: at().token, creditsMax: 10, newKey: () => `break-${crypto.randomUUID()}` })

  describe("the check of the contract", () => {
    it("finds nothing at the service itself, and says so in each form", async () => {
      const folder = temporaryDirectory()
      onTestFinished(() => removeDirectory(folder))
      const files = { json: join(folder, "report.json"), junit: join(folder, "report.xml") }
      const { code, stdout, stderr } = await runCommand(
        { TIDEWIRE_TOKEN: at().token },
        "contract",
        at().url,
        ...["--json", files.json, "--junit", files.junit],
      )
      expect([code, stdout, stderr]).toEqual([
        0,
        expect.stringMatching(/[34]\d\d passed, 0 failed, \d+ skipped\n$/),
        "",
      ])
      const report = JSON.parse(readFileSync(files.json, "utf8"))
      expect(report).toMatchObject({ url: at().url, failed: 0 })
      expect(report.checks).toContainEqual(
        expect.objectContaining({ endpoint: PREMIUM, name: expect.stringContaining("charges"), outcome: "passed" }),
      )
      expect(XMLValidator.validate(readFileSync(files.junit, "utf8"))).toBe(true)
    })

    it.each(breaks.map((one) => [one.what, one] as const))("finds that %s", async (_, one) => {
      const ask = makeAsk(await startBreaking(at().url, one))
      const { open, paid } = await checksFor(ask, endpoints, paying())
      const outcomes: Array<Outcome> = []
      for (const check of [...open, ...paid]) if (check.of === one.of) outcomes.push(await check.run(ask))
      expect(outcomes.filter(({ _tag }) => _tag === "Failed").length, JSON.stringify(outcomes)).toBeGreaterThan(0)
    })

    it("refuses what is no address, and says where nothing answers", async () => {
      expect(await runCommand({}, "contract", "nowhere")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("URL must be the address"),
      })
      expect(await runCommand({}, "contract", "http://127.0.0.1:1")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("ECONNREFUSED"),
      })
    })
  })
}
