import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readdirSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { guidePath, guides } from "../../api/pages/guide/guides.ts"
import { pythonMissing } from "../clients/drivers.ts"
import { eventually } from "../support/eventually.ts"
import { commandsIn, type GuideCommands } from "../support/guide-blocks.ts"
import { ANALYST_PASSWORD, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { transfer } from "../world/chain/calls.ts"
import { openShop, type Shop } from "../world/chain/shop.ts"

// The commands of the guides, pasted from their Markdown twins into a shell beside the running service, in their order.

const root = fileURLToPath(new URL("../..", import.meta.url))
const PROGRAMS = ["bash", "curl", "jq", "openssl"]
const missing = PROGRAMS.filter((program) => spawnSync(program, ["--version"]).error !== undefined)

const COMMANDS_MS = 180_000

/** What the commands of the guides ask for; a command that asks for more is refused. */
const OFFERED = [
  "/api/briefing",
  "/api/climate/earthquakes",
  "/api/earthquake",
  "/api/forex",
  "/api/pro/briefing",
  "/api/pro/macro",
  "/api/volcanoes",
  "/api/weather",
]

const CURSOR = expect.stringMatching(/^[a-z2-7]{8}\.\d{12}$/)

/** A shell that stays open, so that variables of one block are there for the next one. */
class Shell {
  readonly #child: ChildProcess
  #output = ""
  #blocks = 0

  constructor(directory: string, environment: Readonly<Record<string, string>>) {
    this.#child = spawn("bash", [], {
      cwd: directory,
      env: {
        HOME: process.env.HOME,
        PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
        ...environment,
      },
      stdio: ["pipe", "pipe", "pipe"],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString("utf8")
      })
  }

  /** Pastes commands, and gives what they print; fails where one of them fails. */
  async paste(commands: string): Promise<string> {
    this.#blocks += 1
    const end = `@@@@ ${this.#blocks}:`
    const before = this.#output.length
    // A failure in the middle of a pipe is one, except of a program that `head` no longer listens to.
    this.#child.stdin?.write(`FAILED=0\ntrap 'FAILED=$?' ERR\n${commands}\ntrap - ERR\necho "${end}$FAILED"\n`)
    await eventually(
      `the end of: ${commands}`,
      () => this.#output.includes(end, before) || this.#child.exitCode !== null,
      COMMANDS_MS,
    )
    const printed = this.#output.slice(before)
    const [output = "", code] = printed.split(end)
    expect(code?.trim(), `${commands}\n${printed}`).toBe("0")
    return output.trim()
  }

  set(variables: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.#child.stdin?.write(`${name}='${value}'\n`)
  }

  close(): void {
    this.#child.kill("SIGKILL")
  }
}

describe.skipIf(missing.length > 0)(`the commands of the guides (need ${PROGRAMS.join(", ")})`, () => {
  let shop: Shop
  let directory: string
  let environment: Readonly<Record<string, string>>
  const blocks = new Map<string, ReadonlyArray<GuideCommands>>()
  const shells: Array<Shell> = []
  /** Bought by the commands of the guide to credits. */
  let token = ""

  const openShell = (variables: Readonly<Record<string, string>> = {}): Shell => {
    const shell = new Shell(directory, { ...environment, ...variables })
    shells.push(shell)
    return shell
  }
  /** Pastes the blocks of a guide that run beside the service; gives what each printed. */
  const pasteAll = async (name: string, shell: Shell): Promise<ReadonlyArray<string>> => {
    const outputs: Array<string> = []
    for (const { when, commands } of blocks.get(name) ?? [])
      if (when === "running" || when === "paid") outputs.push(await shell.paste(commands))
    expect(outputs.length, name).toBeGreaterThan(0)
    return outputs
  }

  beforeAll(async () => {
    shop = await openShop({}, OFFERED)
    await shop.service.filled()
    directory = temporaryDirectory()
    // A folder that looks like the project's, so that what the commands write stands beside it.
    for (const entry of readdirSync(root)) symlinkSync(join(root, entry), join(directory, entry))
    const { adminUrl, clickhouseUrl } = shop.service
    environment = {
      ADMIN_PORT: new URL(adminUrl).port,
      CLICKHOUSE_HTTP_PORT: new URL(clickhouseUrl).port,
      CLICKHOUSE_ANALYST_PASSWORD: ANALYST_PASSWORD,
      DATA_DIR: shop.dataDirectory,
    }
    for (const guide of guides()) {
      const twin = await (await shop.service.get(`${guidePath(guide)}.md`)).text()
      // The page says first that its world is simulated.
      blocks.set(guide.name, commandsIn(twin.replace(/^> Simulated world\..*\n/mu, "")))
    }
  })
  afterAll(async () => {
    for (const shell of shells) shell.close()
    await shop?.close()
    removeDirectory(directory)
  })

  it("first call: data, parameters, tables, and the catalog", async () => {
    const [first = "", chosen = "", kept = "", tables = "", rest = ""] = await pasteAll("first-call", openShell())
    expect(JSON.parse(first)).toMatchObject({ source: "tidewire", endpoint: "earthquake" })
    expect(chosen).toMatch(/^\d+\n\{\n {2}"status": 400,\n {2}"error": "invalid_parameter",\n {2}"allowed": \[/)
    expect(kept).toMatch(
      /^\{"magnitude":\S+,"place":".*"\}\n\["as_of",.*\]\n\{"error":"invalid_parameter","allowed":\["id",/,
    )
    expect(tables).toMatch(/^id,type,magnitude,/)
    expect(rest).toMatch(/^\/api\/[\w/-]+ {2}\S/)
  })

  it("freshness: _meta, the headers, and a reply that has not changed", async () => {
    const [meta = "", headers = "", unchanged = ""] = await pasteAll("freshness", openShell())
    expect(JSON.parse(meta)).toMatchObject({ stale: false, sources: [{ status: "live" }] })
    expect(headers).toMatch(/x-service-as-of: 20/i)
    expect(headers).toMatch(/true$/)
    expect(unchanged).toBe("304")
  })

  it("errors and limits: what a refusal says, and what is left", async () => {
    const [errors = ""] = await pasteAll("errors", openShell())
    expect(errors).toContain('"error": "missing_parameter"')
    expect(errors).toContain('"did_you_mean": "/api/earthquake"')
    const [limits = ""] = await pasteAll("limits", openShell())
    expect(limits).toMatch(/^ratelimit-policy: "day";q=100000;w=86400/im)
    expect(limits).toMatch(/^ratelimit-remaining: \d+/im)
  })

  it("credits and receipts: a purchase, calls that are charged once, a receipt that verifies and one that does not", async () => {
    const shell = openShell()
    const [quote, confirm, spend, again, refused] = blocks.get("credits") ?? []
    const { wallet, units } = JSON.parse(await shell.paste(quote?.commands ?? ""))
    const paid = await shop.chain.send(shop.chain.accounts.buyer, transfer(wallet, Number(units)))
    await shop.chain.mine(5)
    shell.set({ TX_HASH: paid.transactionHash })
    // The first confirm may come before the providers know the block.
    await eventually("the purchase is credited", async () => {
      await shell.paste(confirm?.commands ?? "")
      return /^svc_live_[0-9a-f]{64}$/.test(await shell.paste("echo $TOKEN"))
    })
    expect(await shell.paste(spend?.commands ?? "")).toContain('"credits_charged": 1')
    const [first, second] = (await shell.paste(again?.commands ?? "")).split("\n")
    expect(first).toContain('"credits_charged":2')
    expect(second).toBe(first)
    expect(await shell.paste(refused?.commands ?? "")).toContain('"error": "missing_token"')

    token = await shell.paste("echo $TOKEN")
    const [kept, valid = "", changed = "", offline] = await pasteAll("receipts", openShell({ TOKEN: token }))
    expect(kept).toContain('"credits_charged": 1')
    expect(JSON.parse(valid)).toMatchObject({ valid: true, body: "matches" })
    expect(JSON.parse(changed)).toEqual({ valid: false, reason: "body_differs" })
    expect(offline).toMatch(/^valid\n/)
  })

  it("history: tables, their columns, quakes and reliability in SQL", async () => {
    // The service is filled before its history has all tables and then all views.
    await eventually("the history has its tables and views", async () => {
      const tables = await fetch(shop.service.analystUrl, { method: "POST", body: "SHOW TABLES" })
      return (await tables.text()).includes("feed_endpoints")
    })
    const [tables, quakes = "", held, reliability, , posted] = await pasteAll("history", openShell())
    expect(tables).toContain("feed_reliability_daily")
    expect(tables).toContain("magnitude")
    expect(quakes).toContain('"time","open","high","low","close"')
    expect(held).toContain("held_until")
    expect(reliability).toContain("uptime")
    expect(posted).toContain('"earthquakes":')
  })

  it("changes: pages, waiting, a stream, and a copy of a feed that each client keeps", async () => {
    // The service is filled before its changes are read to their end.
    await eventually("there are changes", async () => {
      const { changes } = await shop.service.json("/api/changes?limit=3")
      return Array.isArray(changes) && changes.length === 3
    })
    const [pages = "", waited = "", streamed = "", copied = ""] = await pasteAll("changes", openShell())
    const [first = "", , , behind = ""] = pages.split("\n")
    expect(JSON.parse(first)).toMatchObject({ cursor: CURSOR, type: expect.any(String), key: expect.any(String) })
    expect(JSON.parse(behind)).toMatchObject({ next: CURSOR })
    expect(waited).toMatch(/^20[04]\n/)
    expect(waited).toMatch(/[a-z2-7]{8}\.\d{12}$/)
    expect(streamed).toMatch(/^retry: \d+\nid: [a-z2-7.\d]+\n\nevent: change\nid: /)
    const copyIn = (text: string) => /^\{"after":"[a-z2-7]{8}\.\d{12}","quakes":[1-9]\d*\}$/m.test(text)
    expect(copyIn(copied), copied).toBe(true)
    const python = blocks.get("changes")?.find(({ when }) => when === "python")
    if (pythonMissing() === undefined) {
      const shell = openShell({ BASE: shop.service.url })
      const printed = await shell.paste(python?.commands ?? "")
      expect(copyIn(printed), printed).toBe(true)
    }
  })

  it("the past: a reply of an instant, what it says, the changes behind it, and one that is paid once", async () => {
    // What is known now, of every endpoint, is settled a little later.
    const filledAt = new Date().toISOString()
    await eventually("what the service was filled with is settled", async () => {
      const text = await (await shop.service.get("/api/earthquake?at=now")).text()
      const { _meta }: { readonly _meta?: { readonly at: { readonly known_at: string } } } = JSON.parse(text)
      return _meta !== undefined && _meta.at.known_at > filledAt
    })
    const [asked = "", headers = "", behind = "", premium = ""] = await pasteAll("past", openShell({ TOKEN: token }))
    const [meta = "", briefing = ""] = asked.split("\n")
    const { requested, known_at, cursor } = JSON.parse(meta)
    expect([requested, cursor]).toEqual(["now", CURSOR])
    expect(JSON.parse(briefing)).toEqual({ asked: known_at, as_of: expect.any(String) })
    expect(headers).toMatch(/^content-location: \/api\/earthquake\?at=/im)
    expect(headers).toMatch(/^memento-datetime: \w{3}, \d\d \w{3} \d{4} /im)
    expect(headers).toMatch(/^link: <\/api\/earthquake>; rel="original"/im)
    expect(headers).toMatch(/^cache-control: public, max-age=86400/im)
    expect(JSON.parse(behind)).toMatchObject({ up_to_date: expect.any(Boolean) })
    const [first, second] = premium.split("\n")
    expect(first).toContain('"credits_charged":2')
    expect(JSON.parse(second ?? "")).toMatchObject({ credits_charged: 0, no_charge_reason: "paid_today" })
  })

  it("changes: the stream as a page reads it", async () => {
    const twin = await (await shop.service.get("/docs/changes.md")).text()
    const [, program = ""] = /^```js\n([\s\S]+?)^```$/m.exec(twin) ?? []
    // From the start, as the next change may be a while away.
    const browser = spawn(process.execPath, ["--experimental-eventsource", "-e", program.replace("?", "?after=start&")])
    try {
      let output = ""
      for (const stream of [browser.stdout, browser.stderr])
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString("utf8")
        })
      await eventually("a change is printed", () => /^appeared \S/m.test(output) || Promise.reject(new Error(output)))
    } finally {
      browser.kill()
    }
  })

  it("running it: settings, health, readiness and metrics", async () => {
    // Not ready while a commit waits for a slow disk, as it has to say.
    await eventually("the service is ready", async () => {
      const [settings, looked = ""] = await pasteAll("running", openShell())
      expect(settings).toContain("WALLET_ADDRESS")
      expect(looked).toContain('"status": "ok"')
      expect(looked).toContain('"ready": true')
      expect(looked).toContain("tidewire_role_state{")
      return true
    })
  })

  it("agents: tools over MCP, definitions of functions, and one text", async () => {
    const [mcp = "", functions = "", skill = "", text = ""] = await pasteAll("agents", openShell())
    expect(mcp).toContain("get_dataset")
    expect(mcp).toContain("volcanoes")
    expect(functions).toMatch(/^\d+\n\d+\n\d+$/)
    expect(skill).toMatch(/^---\nname: tidewire\n[\s\S]*"remotes": \[\n\s+"http:\S+\/api\/mcp",/)
    expect(text).toMatch(/^# Tidewire\n/)
  })

  it("with the service stopped: a backup, a rebuild, the proof of the ledger, and the log as a file", async () => {
    await shop.service.end("SIGTERM")
    const shell = openShell()
    const outputs: Array<string> = []
    for (const name of ["running", "replaying"])
      for (const { when, commands } of blocks.get(name) ?? [])
        if (when === "stopped") outputs.push(await shell.paste(commands))
    const [backup, verified, rebuilt, ledger, exported] = outputs
    expect(backup).toContain("restored")
    expect(verified).toContain("the live views equal a fold of the whole log")
    expect(rebuilt).toMatch(/^latest: generation \d+ of \d+ events is live/m)
    expect(ledger).toContain("the ledger holds")
    expect(exported).toContain("{")
  })
})
