import { afterAll, beforeAll, expect, it } from "vitest"
import { type FeedReliability, feedReliabilityEndpoint } from "../../schemas/endpoints/feed-reliability.ts"
import type { Status } from "../../schemas/endpoints/status.ts"
import { STATUS_DAYS } from "../../schemas/endpoints/status.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"
import { describeBrowser, expectNoOverflow, keepScreenshot } from "./browser.ts"

/** The upstreams of a feed that do not answer, from the beginning. */
const BROKEN = { hosts: ["api.open-notify.org", "corquaid.github.io"], feed: "humans-in-space" }

describeBrowser("the status page", ({ open }) => {
  let world: WorldServer
  let service: Service
  const directory = temporaryDirectory()
  const url = () => new URL("/status", service.url).href
  const status = async () => (await service.json("/status.json")) as unknown as Status

  beforeAll(async () => {
    world = await startWorld({ seed: "status" })
    world.setFaults([...BROKEN.hosts, "volcano.si.edu"].map((host) => ({ host, kind: "server-error" as const })))
    service = await startService({
      dataDirectory: directory,
      offered: [`/api/${BROKEN.feed}`, "/api/briefing", "/api/volcanoes"],
      environment: { UPSTREAMS: world.url, RESTRICTED_SOURCES: "all,fred", RESALE_SOURCES: "all" },
    })
    await service.ready()
    // Not asked by the page: its document counts against the share of pages.
    const monitored = await eventually("the monitor has judged", async () => {
      const { data } = (await service.json(feedReliabilityEndpoint.path)) as {
        readonly data: FeedReliability | null
      }
      return data?.counts.monitored
    })
    await eventually("the history holds the checks", async () => {
      const reply = await fetch(service.analystUrl, {
        method: "POST",
        body: "SELECT uniqExact(instance) FROM feed_probes",
      })
      return Number(await reply.text()) === monitored
    })
  })
  afterAll(async () => {
    await service?.end("SIGTERM")
    await world?.close()
    removeDirectory(directory)
  })

  it("is not the only page that says so: the map in a frame does of a kind of places that was not read", async () => {
    const { page } = await open(new URL("/embed/world", service.url).href)
    const volcanoes = page.locator(".legend li").filter({ hasText: "Volcanoes" })
    expect(await volcanoes.innerText()).toContain("not current")
  })

  it("shows an outage in words, without scripts", async () => {
    const { page } = await open(url(), { javaScriptEnabled: false })
    const main = page.locator("main")
    // On a busy machine another upstream may have been too slow as well.
    const { feeds } = await status()
    expect(feeds.find(({ feed }) => feed === BROKEN.feed)?.status).toBe("dark")
    expect(await main.innerText()).toMatch(/\d+ of \d+ checks (?:is|are) not on time/)
    const unwell = await page.locator("[data-part=unwell]").innerText()
    expect(unwell).toContain(BROKEN.feed)
    expect(unwell).toContain("there is no value that is younger than 24 hours")
    // A service of some minutes has not seen 90 days, nor one.
    const shares = await page.locator(`[data-feed="${BROKEN.feed}"] .shares`).innerText()
    expect(shares.match(/0\u00a0% of \d+ min/g)).toHaveLength(3)
    expect(unwell).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    // Its bar, and that of a feed that is well, say the same in words.
    const barOf = (feed: string) => page.locator(`[data-feed="${feed}"] svg.bars`).getAttribute("aria-label")
    expect(await barOf(BROKEN.feed)).toBe(`${BROKEN.feed}, ${STATUS_DAYS} days: 1 down, ${STATUS_DAYS - 1} no record`)
    const { feed: well = "none" } = feeds.find((one) => one.uptime_7_days === 1) ?? {}
    expect(await barOf(well)).toBe(`${well}, ${STATUS_DAYS} days: 1 good, ${STATUS_DAYS - 1} no record`)
    const outages = await page.locator("[data-part=outages]").innerText()
    expect(outages).toContain(BROKEN.feed)
    expect(outages).toContain("goes on")
    const parts = await page.locator("[data-part=parts]").innerText()
    expect(parts).toMatch(/Polling of the upstreams\s+up/)
    expect(parts).toMatch(/History in SQL\s+up/)
  })

  it("names the day under the pointer, and opens the days of a feed by the keyboard", async () => {
    const { page, faults } = await open(url())
    const row = page.locator(`[data-feed="${BROKEN.feed}"]`)
    const bars = row.locator("svg.bars")
    const { width = 0, height = 0 } = (await bars.boundingBox()) ?? {}
    await bars.hover({ position: { x: width - 1, y: height / 2 } })
    const today = new Date().toISOString().slice(0, 10)
    expect(await row.locator(".day").innerText()).toBe(`${today}: down`)
    await row.locator("summary").focus()
    await page.keyboard.press("Enter")
    expect(await row.locator("details li").innerText()).toBe(`${today}: down`)
    await expectNoOverflow(page)
    // The shares of a service of some minutes are long: none lies over another.
    const boxes = await Promise.all((await row.locator(".shares dd").all()).map((share) => share.boundingBox()))
    for (const [at, box] of boxes.entries()) {
      const next = boxes[at + 1]
      if (box !== null && next !== undefined && next !== null && box.y === next.y)
        expect(box.x + box.width).toBeLessThanOrEqual(next.x)
    }
    await keepScreenshot(page, "status-outage")
    expect(faults).toEqual([])
  })

  it("takes what has changed, keeps open what is open, and says when it cannot ask", async () => {
    const { page } = await open(url())
    // The page asks each minute.
    await page.clock.install()
    await page.reload()
    const row = page.locator(`[data-feed="${BROKEN.feed}"]`)
    await row.locator("summary").click()
    await page.route("**/status.json", (route) => route.abort())
    await page.clock.fastForward(61_000)
    await page.locator(".offline").waitFor({ state: "visible" })
    await page.unroute("**/status.json")
    // The server's page once the feed has an older value again.
    await page.route("**/status", async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replaceAll('"state bad">no data<', '"state warn">stale<')
      await route.fulfill({ response, body })
    })
    expect(await row.locator(".state").innerText()).toBe("no data")
    await page.clock.fastForward(61_000)
    await page.locator(".offline").waitFor({ state: "hidden" })
    expect(await row.locator(".state").innerText()).toBe("stale")
    expect(await row.locator("details").getAttribute("open")).not.toBeNull()
  })

  it("says that the monitor has stopped once its time is over, though nothing else has changed", async () => {
    const { page } = await open(url())
    await page.clock.install()
    await page.reload()
    const STOPPED = "The monitor has stopped"
    const { checked_until: until, ...rest } = await status()
    let date = new Date().toUTCString()
    let isAsked = false
    await page.route("**/status.json", async (route) => {
      isAsked = true
      await route.fulfill({ json: { ...rest, checked_until: until }, headers: { date } })
    })
    await page.route("**/status", async (route) => {
      const response = await route.fetch()
      const isOver = Date.parse(date) > Date.parse(until ?? "")
      const text = isOver ? STOPPED : "Well"
      const body = (await response.text()).replace(/(data-part="verdict">\s*<p><span[^>]*>)[^<]*/, `$1${text}`)
      await route.fulfill({ response, body })
    })
    const verdict = page.locator('[data-part="verdict"]')
    await page.clock.fastForward(61_000)
    await expect.poll(() => verdict.innerText()).toContain("Well")
    isAsked = false
    date = new Date(Date.parse(until ?? "") + 120_000).toUTCString()
    await page.clock.fastForward(61_000)
    await expect.poll(() => verdict.innerText()).toContain(STOPPED)
    expect(isAsked).toBe(true)
  })

  it.each(["/embed/world", "/embed/volcanoes"])(
    "is not the only page with a standing: %s says how old it is, and when it is not updated",
    async (path) => {
      const { page } = await open(new URL(path, service.url).href)
      await page.clock.install()
      await page.reload()
      const state = page.locator("main .state").first()
      expect(await page.locator("main time").count()).toBeGreaterThan(0)
      const before = await state.innerText()
      await page.route(`**${path}`, (route) => route.abort())
      await page.clock.fastForward(61_000)
      await expect.poll(() => state.innerText()).toBe("Not updated")
      await page.unroute(`**${path}`)
      await page.clock.fastForward(61_000)
      await expect.poll(() => state.innerText()).toBe(before)
    },
  )
})
