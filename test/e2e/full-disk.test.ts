import { afterAll, beforeAll, expect, it } from "vitest"
import { describeUnless } from "../support/describe-unless.ts"
import { eventually } from "../support/eventually.ts"
import { grantNew, ledgerCommand } from "../support/ledger-command.ts"
import { complaintsAboutAlerts, promtoolMissing } from "../support/promtool.ts"
import { readiness, type Service, startService } from "../support/service.ts"
import { mountSmallDisk, type SmallDisk, smallDiskMissing } from "../support/small-disk.ts"
import { someFeed } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const DISK_MEGABYTES = 400
const CREDITS = 500
const SAMPLES = 10
const SAMPLE_EVERY_MS = 300
/** The library's own lines about a write that failed, which it writes past the log: one write of a thread may fail. */
const RAW_LINES_MAX = 4

describeUnless(smallDiskMissing(), "the embedded service on a disk that becomes full", () => {
  let disk: SmallDisk
  let world: WorldServer
  let service: Service
  let account: { readonly account: string; readonly token: string }
  let charged = 0
  /** What `/metrics` showed while there was room, and on the full disk. */
  const scraped = { before: "", during: "" }

  const historyIsActive = async () =>
    (await readiness(service)).parts.some(({ part, state }) => part === "history" && state === "active")
  const scrape = async () => (await fetch(`${service.adminUrl}/metrics`)).text()
  const start = () =>
    startService({
      dataDirectory: disk.path,
      offered: ["/api/pro/briefing", someFeed.path],
      environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "5", LOG_LEVEL: "warn" },
    })
  const premium = async () => {
    const reply = await service.get("/api/pro/briefing", { headers: { authorization: `Bearer ${account.token}` } })
    const body = (await reply.json()) as { readonly error?: string; readonly billing?: { credits_charged: number } }
    charged += body.billing?.credits_charged ?? 0
    return { status: reply.status, body }
  }
  const commands = () => ({ DATA_DIR: disk.path, ADMIN_PORT: new URL(service.adminUrl).port })

  /** One sample: the readiness report, and the outcomes of calls. */
  const sample = async () => {
    const [{ ready, reasons }, { status, body }, free] = await Promise.all([
      readiness(service),
      premium(),
      service.json(someFeed.path),
    ])
    return {
      ready,
      reasons,
      premium: status === 200 ? "served" : `${status} ${body.error}`,
      free: free.data !== null,
    }
  }
  /**
   * Waits until consecutive samples are all as expected. Free data, and a premium call that is either served or
   * refused by name, are required of every sample on the way.
   */
  const settles = async (what: string, expected: (one: Awaited<ReturnType<typeof sample>>) => boolean) => {
    const violations: unknown[] = []
    await eventually(what, async () => {
      const { exitCode, signalCode } = service.child
      if (exitCode !== null || signalCode !== null)
        throw new Error(`the service has ended with ${exitCode ?? signalCode}: ${service.output().slice(-4_000)}`)
      for (let n = 0; n < SAMPLES; n++) {
        const one = await sample()
        if (!one.free || !["served", "503 billing_unavailable"].includes(one.premium)) violations.push(one)
        if (!expected(one)) throw new Error(`${JSON.stringify(one)}\n${service.output().slice(-2_000)}`)
        await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS))
      }
      return true
    })
    expect(violations).toEqual([])
  }
  /** The same on a disk that stays full: what the service itself deletes meanwhile would be room for a debit. */
  const settlesRefused = (what: string) =>
    settles(what, (one) => {
      disk.fill()
      return (
        !one.ready &&
        one.premium === "503 billing_unavailable" &&
        one.reasons.some((reason) => /^ingest polling: .*the disk of .* is full/.test(reason))
      )
    })

  beforeAll(async () => {
    disk = mountSmallDisk(DISK_MEGABYTES)
    world = await startWorld({ seed: "full-disk" })
    service = await start()
    await service.filled()
    account = await grantNew(commands(), CREDITS)
  })

  afterAll(async () => {
    await service?.end("SIGKILL")
    await world?.close()
    disk?.close()
  })

  it("serves what it has, refuses premium calls by name, and is not ready with the reason", async () => {
    expect(await sample()).toEqual({ ready: true, reasons: [], premium: "served", free: true })
    await eventually("the history is written", historyIsActive)
    scraped.before = await scrape()
    disk.fill()
    await settlesRefused("the disk is full")
    scraped.during = await scrape()
    expect(service.child.exitCode).toBe(null)
    expect(service.output().match(/^Write error: /gm)?.length ?? 0).toBeLessThanOrEqual(RAW_LINES_MAX)
  })

  it.skipIf(promtoolMissing() !== undefined)("fires its alerts, and those of a killed process", () => {
    // The disk of this test is small for the rule at any time.
    const complaints = complaintsAboutAlerts(scraped, {
      fire: ["TidewireDiskLow", "TidewireCommitsFailing", "TidewireNoActiveWriter"],
      silentBefore: ["TidewireCommitsFailing", "TidewireNoActiveWriter"],
    })
    expect(complaints).toBe("")
    const killed = { before: scraped.before, during: "" }
    expect(
      complaintsAboutAlerts(killed, { fire: ["TidewireNoActiveWriter"], silentBefore: ["TidewireNoActiveWriter"] }),
    ).toBe("")
  })

  it("starts on a full disk, serves what it has, and reports the same", async () => {
    expect(await service.end("SIGTERM")).toBe(0)
    disk.fill()
    service = await start()
    await settlesRefused("it serves")
  })

  it("heals by itself when there is room, and has lost and charged nothing meanwhile", async () => {
    disk.empty()
    await settles("there is room", ({ ready, premium }) => ready && premium === "served")
    await eventually("the history goes on as well", historyIsActive)
    // A call that met the full disk after its debit was not served, and is given back later.
    const { stdout } = await ledgerCommand(commands(), "show", account.account, "--json")
    expect(JSON.parse(stdout).balance).toBeLessThanOrEqual(CREDITS - charged)
    expect(await service.end("SIGTERM")).toBe(0)
    expect(await ledgerCommand(commands(), "verify")).toMatchObject({ code: 0 })
  })
})
