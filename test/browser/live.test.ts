import { setTimeout as sleep } from "node:timers/promises"
import type { BrowserContextOptions, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import type { World } from "../../schemas/endpoints/world.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"
import { describeBrowser } from "./browser.ts"
import { type ScriptedStream, startScriptedStream } from "./scripted-stream.ts"

/** Endpoints with a tile: what changes them is on the stream, follows the clock too, and reads a feed with two endpoints. */
const OFFERED = ["/api/btc-price", "/api/predictions", "/api/launches", "/api/earthquake", "/api/climate/earthquakes"]
const WORLD = "/world.json"
const FRAME_MS = 20
const EARTHQUAKES = "/api/climate/earthquakes"
const PREDICTIONS = "/api/predictions"
const SECOND_MS = 1_000
/** Within this time a change is shown: before it is read once more. */
const SHOWN_WITHIN_MS = 1_500

/** A page asks within this time, where its clock has come to it. */
const QUIET_MS = 300

/** Expects what becomes true once the page has written what it read, by its own clock. */
const soon = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 60_000 })

const withTile = (world: World, name: string, members: Partial<World["tiles"][number]>): World => ({
  ...world,
  tiles: world.tiles.map((tile) => (tile.name === name ? { ...tile, ...members } : tile)),
})

/** Hides or shows a tab, as a window does whose tabs a reader changes. */
const setSeen = (page: Page, isSeen: boolean) =>
  page.evaluate(`(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${isSeen ? "visible" : "hidden"}" })
    document.dispatchEvent(new Event("visibilitychange"))
  })()`)

const value = (page: Page, name: string) => page.locator(`[data-tile="${name}"] .value`)
const said = (page: Page) => page.locator("[data-live-said]")

describeBrowser("pages that live by the stream", ({ open }) => {
  let world: WorldServer
  let service: Service
  let stream: ScriptedStream
  const directory = temporaryDirectory()
  const opened: Array<Page> = []

  beforeAll(async () => {
    world = await startWorld({ seed: "live" })
    service = await startService({
      dataDirectory: directory,
      offered: OFFERED,
      environment: { UPSTREAMS: world.url, RESTRICTED_SOURCES: "all,fred", RESALE_SOURCES: "all" },
    })
    await service.filled()
  })
  afterAll(async () => {
    await service?.end("SIGTERM")
    await world?.close()
    removeDirectory(directory)
  })
  beforeEach(async () => {
    stream = await startScriptedStream(service.url)
  })
  afterEach(async () => {
    for (const page of opened.splice(0)) {
      if (!page.isClosed()) await page.unrouteAll({ behavior: "wait" })
      await page.context().close()
    }
    await stream.close()
  })

  /** The number of requests for a path so far. */
  const count = (path: string) => stream.requested.filter((one) => one === path).length

  /** Waits until the stream has brought a change to these pages; `send` makes it come. */
  const hears = async (feed: string, pages: ReadonlyArray<Page>, send: () => void = () => {}) => {
    for (const page of pages)
      await page.evaluate(`(() => {
        window.heard = []
        new BroadcastChannel("tidewire-changes").addEventListener("message", ({ data }) => window.heard.push(data.feed))
      })()`)
    send()
    for (const page of pages) await soon(() => page.evaluate(`window.heard.includes("${feed}")`)).toBe(true)
  }
  const change = (feed: string, ...pages: ReadonlyArray<Page>) => hears(feed, pages, () => stream.change(feed))
  /** Opens a page whose clock stands until it is moved. */
  const openAt = async (page: Page, path: string) => {
    await page.clock.install()
    await page.goto(new URL(path, stream.url("/")).href)
    // The page of the world starts its updates after a frame. The clock of a second tab is paused from its start, so it is moved here.
    await soon(async () => {
      await page.clock.runFor(FRAME_MS)
      return page.locator(".world .globe:not([data-drawn])").count()
    }).toBe(0)
    // On a busy machine the instant may be over when the browser gets the call, which is then an error: it is tried again.
    await eventually("the page's clock stands", async () => {
      await page.clock.pauseAt(Date.now() + SECOND_MS)
      return true
    })
  }
  /** Waits until the stream is open, and what a page reads as it begins was read. */
  const begun = async (page: Page, reply: string) => {
    await soon(stream.open).toBe(1)
    // A page reads as it begins, and may read once more as the stream does.
    await soon(async () => {
      const before = count(reply)
      await page.clock.runFor(3 * SECOND_MS)
      await sleep(QUIET_MS)
      return before > 0 && count(reply) === before
    }).toBe(true)
  }
  const openLive = async (path: string, reply: string, options: BrowserContextOptions = {}) => {
    const { page, faults } = await open(stream.url("/changelog"), options)
    opened.push(page)
    await openAt(page, path)
    await begun(page, reply)
    return { page, faults }
  }
  /** Changes the world that a page reads from now on. */
  const plant = (page: Page, name: string, planted: number) =>
    page.route(`**${WORLD}`, async (route) => {
      const { "if-none-match": _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      await route.fulfill({ response, json: withTile((await response.json()) as World, name, { value: planted }) })
    })

  it("shows a change without a reload, within two seconds, and asks for nothing meanwhile", async () => {
    const { page, faults } = await openLive("/", WORLD)
    await page.clock.runFor(5 * SECOND_MS)
    const before = count(WORLD)
    await page.clock.runFor(5 * SECOND_MS)
    expect(count(WORLD)).toBe(before)
    await plant(page, "earthquake", 4321)
    await change("earthquakes", page)
    await page.clock.runFor(SHOWN_WITHIN_MS)
    await soon(() => value(page, "earthquake").innerText()).toBe("4,321")
    expect(await page.locator('[data-tile="earthquake"] .changed').count()).toBe(1)
    expect(await page.locator('[data-tile="launches"] .changed').count()).toBe(0)
    expect(count(WORLD)).toBe(before + 1)
    // A burst of changes is one reading in a second, and one more, as a view may follow its feed by a moment.
    await change("earthquakes", page)
    for (let changes = 0; changes < 100; changes += 1) stream.change("earthquakes")
    await change("earthquakes", page)
    await page.clock.runFor(10 * SECOND_MS)
    await soon(() => count(WORLD)).toBeLessThanOrEqual(before + 4)
    expect(await said(page).innerText()).toBe("")
    expect(faults).toEqual([])
  })

  it("follows the feeds of its tiles, as the views read them", async () => {
    const { page } = await openLive("/", WORLD)
    const feedsOf = (name: string) => page.locator(`[data-tile="${name}"]`).getAttribute("data-feeds")
    expect(await feedsOf("earthquake")).toBe("earthquakes")
    expect(await feedsOf("climate_earthquakes")).toBe("earthquakes")
    const [asked = ""] = stream.requested.filter((path) => path.startsWith("/api/stream"))
    const tiles = await page.locator(".tile").all()
    const all = await Promise.all(tiles.map(async (tile) => (await tile.getAttribute("data-feeds"))?.split(" ") ?? []))
    expect(asked).toBe(`/api/stream?feeds=${[...new Set(all.flat())].filter(Boolean).sort().join(",")}`)
    // A change of a feed that the page does not show is none of its own.
    const before = count(WORLD)
    await change("nothing-here", page)
    await page.clock.runFor(5 * SECOND_MS)
    expect(count(WORLD)).toBe(before)
  })

  it("keeps the reply of a feed's page current, and marks the lines that are new", async () => {
    const { page, faults } = await openLive("/feeds/climate-earthquakes", EARTHQUAKES)
    await page.route(`**${EARTHQUAKES}`, async (route) => {
      const { "if-none-match": _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const reply = (await response.json()) as { readonly data: object }
      await route.fulfill({ response, json: { ...reply, data: { ...reply.data, total: 987_654 } } })
    })
    expect(await page.locator("[data-reply-state]").innerText()).toBe("Live")
    const before = count(EARTHQUAKES)
    await change("earthquakes", page)
    await page.clock.runFor(SHOWN_WITHIN_MS)
    const text = page.locator("[data-reply-text]")
    await soon(() => text.innerText()).toContain('"total": 987654')
    expect(await text.locator(".changed").allInnerTexts()).toContainEqual(expect.stringContaining('"total": 987654'))
    expect(count(EARTHQUAKES)).toBe(before + 1)
    // The state at the top of the page goes with that of the reply.
    const top = page.locator("[data-standing]")
    expect(await top.innerText()).toMatch(/^Live, confirmed .+ ago$/)
    await page.route(`**${EARTHQUAKES}`, (route) => route.abort())
    await change("earthquakes", page)
    await page.clock.runFor(SHOWN_WITHIN_MS)
    await soon(() => page.locator("[data-reply-state]").innerText()).toBe("Not updated")
    expect(await top.innerText()).toMatch(/^Not updated/)
    expect(faults.filter((fault) => !fault.includes("ERR_FAILED"))).toEqual([])
  })

  it("draws a changed reply as soon as the service draws it anew, and once more where it was sent an older page", async () => {
    const { page, faults } = await openLive("/feeds/climate-earthquakes", EARTHQUAKES)
    let drawings = 0
    const DRAWN_MS = 30_000
    await page.route("**/feeds/climate-earthquakes", async (route) => {
      const response = await route.fetch()
      drawings += 1
      const date = response.headers().date ?? ""
      // The service kept the first one from before the change; the second is made when it is asked for.
      const renderedAt = new Date(Date.parse(date) - (drawings === 1 ? 20_000 : 0)).toISOString()
      const body = (await response.text())
        .replace(/(<p class="headline[^>]*><span class="value">)[^<]*/, `$1drawing ${drawings}`)
        .replace(/data-rendered-at="[^"]*"/, `data-rendered-at="${renderedAt}"`)
      await route.fulfill({ response, body })
    })
    await page.route(`**${EARTHQUAKES}`, async (route) => {
      const { "if-none-match": _, ...headers } = route.request().headers()
      await route.fulfill({ response: await route.fetch({ headers }) })
    })
    const headline = page.locator(".glance .headline .value")
    const first = await headline.innerText()
    await change("earthquakes", page)
    await page.clock.runFor(SHOWN_WITHIN_MS)
    await soon(() => count(EARTHQUAKES)).toBeGreaterThan(1)
    expect(await headline.innerText()).toBe(first)
    for (const at of [1, 2]) {
      await page.clock.runFor(DRAWN_MS)
      await soon(() => headline.innerText()).toBe(`drawing ${at}`)
    }
    await page.clock.runFor(DRAWN_MS)
    expect(drawings).toBe(2)
    expect(faults).toEqual([])
  })

  it("opens one stream for all tabs, which passes on when its tab is hidden or closed, and none in the background", async () => {
    const { page } = await openLive("/", WORLD)
    const other = await page.context().newPage()
    await openAt(other, "/feeds/climate-earthquakes")
    await soon(() => other.evaluate("navigator.locks.query().then(({ pending }) => pending.length)")).toBe(1)
    await begun(other, EARTHQUAKES)
    const before = [count(WORLD), count(EARTHQUAKES)]
    await change("earthquakes", page, other)
    // The tabs have one clock.
    await page.clock.runFor(SHOWN_WITHIN_MS)
    await soon(() => [count(WORLD), count(EARTHQUAKES)]).toEqual(before.map((one) => one + 1))
    expect(stream.open()).toBe(1)
    const streams = () => stream.requested.filter((path) => path.startsWith("/api/stream")).length
    const opened = streams()
    await setSeen(page, false)
    // A tab that learns of another's feeds a moment later opens it once more, with these.
    await soon(() => [streams() > opened, stream.open()]).toEqual([true, 1])
    await setSeen(other, false)
    await soon(stream.open).toBe(0)
    // What changed in the background is read once when a tab is seen again, before anything comes by the stream.
    const read = count(WORLD)
    await page.clock.runFor(10 * 60 * SECOND_MS)
    expect(count(WORLD)).toBe(read)
    await setSeen(page, true)
    await page.clock.runFor(100)
    await soon(() => count(WORLD)).toBe(read + 1)
    await soon(stream.open).toBe(1)
    await setSeen(other, true)
    await soon(() => other.evaluate("navigator.locks.query().then(({ pending }) => pending.length)")).toBe(1)
    const again = streams()
    await page.close()
    await soon(() => [streams() > again, stream.open()]).toEqual([true, 1])
  })

  it.each([
    ["/", WORLD, 15 * SECOND_MS, "15 s"],
    ["/feeds/climate-earthquakes", EARTHQUAKES, 120 * SECOND_MS, "2 min"],
  ])(
    "says on %s that it reconnects while the stream is broken, is read by the clock meanwhile, and says nothing once it is back",
    async (path, reply, everyMs, every) => {
      const { page } = await openLive(path, reply)
      await page.clock.runFor(5 * SECOND_MS)
      stream.refuse(503)
      await soon(stream.open).toBe(0)
      await page.clock.runFor(5 * SECOND_MS)
      // The service renews connections: that is said of none.
      expect(await said(page).innerText()).toBe("")
      await page.clock.runFor(3 * SECOND_MS)
      await soon(() => said(page).innerText()).toMatch(new RegExp(`^Reconnecting .* read every ${every}\\.$`))
      expect(await said(page).getAttribute("role")).toBe("status")
      const before = count(reply)
      // A reading that is under way begins the interval anew when it ends.
      await page.clock.runFor(everyMs - SECOND_MS)
      await soon(async () => {
        await page.clock.runFor(SECOND_MS)
        return count(reply)
      }).toBeGreaterThan(before)
      const broken = count(reply)
      stream.refuse(null)
      await soon(async () => {
        await page.clock.runFor(SECOND_MS)
        return [stream.open(), await said(page).innerText()]
      }).toEqual([1, ""])
      await soon(async () => {
        await page.clock.runFor(SECOND_MS)
        return count(reply)
      }).toBeGreaterThan(broken)
    },
  )

  it("opens another stream where one falls silent, and none while heartbeats come", async () => {
    const { page } = await openLive("/", WORLD)
    // Another reader in the same browser says that a heartbeat has come.
    await page.evaluate(`(() => {
      window.beats = 0
      new EventSource("/api/stream?feeds=other").addEventListener("heartbeat", () => (window.beats += 1))
    })()`)
    await soon(stream.open).toBe(2)
    const streams = () =>
      stream.requested.filter((path) => path.startsWith("/api/stream") && !path.endsWith("=other")).length
    const beats = async () => Number(await page.evaluate("window.beats"))
    for (let passes = 0; passes < 8; passes += 1) {
      const before = await beats()
      await soon(beats).toBeGreaterThan(before + 1)
      await page.clock.runFor(15 * SECOND_MS)
    }
    expect(streams()).toBe(1)
    stream.silence()
    await soon(async () => {
      await page.clock.runFor(5 * SECOND_MS)
      return streams()
    }).toBe(2)
    expect(stream.open()).toBe(2)
  })

  it("begins anew after the machine slept, as the stream may be lost without a word", async () => {
    const { page } = await openLive("/", WORLD)
    const streams = () => stream.requested.filter((path) => path.startsWith("/api/stream")).length
    const before = [streams(), count(WORLD)]
    // As the lid of a laptop does: timers that are due fire once.
    await page.clock.fastForward(30 * 60 * SECOND_MS)
    await page.clock.runFor(SECOND_MS)
    await soon(() => [streams(), stream.open()]).toEqual([(before[0] ?? 0) + 1, 1])
    await soon(() => count(WORLD)).toBeGreaterThan(before[1] ?? 0)
  })

  it.each([
    ["EventSource", "delete window.EventSource"],
    ["locks, as without TLS", 'Object.defineProperty(navigator, "locks", { value: undefined })'],
  ])("works in a browser without %s, and says so", async (_, script) => {
    const { page, faults } = await open(stream.url("/changelog"))
    opened.push(page)
    await page.addInitScript(script)
    for (const [path, reply, everyMs] of [
      ["/", WORLD, 15 * SECOND_MS],
      ["/feeds/climate-earthquakes", EARTHQUAKES, 120 * SECOND_MS],
    ] as const) {
      await openAt(page, path)
      await soon(() => said(page).innerText()).toMatch(/^This browser does not share .* read every /)
      const before = count(reply)
      await page.clock.runFor(everyMs / 3)
      expect(count(reply)).toBe(before)
      // On a slow machine the clock is stopped at an instant that the page has passed: then the interval ends later by it.
      await soon(async () => {
        await page.clock.runFor(SECOND_MS)
        return count(reply)
      }).toBe(before + 1)
    }
    expect(stream.requested.filter((path) => path.startsWith("/api/stream"))).toEqual([])
    expect(faults).toEqual([])
  })

  it("reads what changes by items alone only where its promise of freshness ends", async () => {
    const { page } = await openLive("/feeds/predictions", PREDICTIONS)
    const before = count(PREDICTIONS)
    // The page goes by the service's clock, and was moved on by some seconds since its last reply.
    const leftMs =
      Date.parse((await page.locator("[data-reply-time]").getAttribute("data-stale-after")) ?? "") - Date.now()
    expect(leftMs).toBeGreaterThan(60 * SECOND_MS)
    for (let left = leftMs - 30 * SECOND_MS; left > 0; left -= 30 * SECOND_MS) {
      await change("nothing-here", page)
      await page.clock.runFor(Math.min(left, 30 * SECOND_MS))
    }
    await change("nothing-here", page)
    expect(count(PREDICTIONS)).toBe(before)
    await page.clock.runFor(30 * SECOND_MS)
    await change("nothing-here", page)
    await page.clock.runFor(5 * SECOND_MS)
    await soon(() => count(PREDICTIONS)).toBe(before + 1)
    await soon(() => page.locator("[data-reply-state]").innerText()).toBe("Live")
  })

  it("shows what changes in the service itself, by one stream of it for two tabs", async () => {
    const streams = async () => {
      const metrics = await (await fetch(new URL("/metrics", service.adminUrl))).text()
      return Number(/^tidewire_changes_streams_open\S* (\d+)$/m.exec(metrics)?.[1])
    }
    const front = new URL("/", service.url).href
    const { page } = await open(new URL("/changelog", service.url).href)
    opened.push(page)
    const other = await page.context().newPage()
    for (const tab of [page, other]) await openAt(tab, front)
    await soon(() => page.evaluate("navigator.locks.query().then(({ pending }) => pending.length)")).toBe(1)
    await soon(streams).toBe(1)
    await page.clock.runFor(5 * SECOND_MS)
    const known = await value(page, "btc_price").innerText()
    await soon(async () => {
      // The price stands at times.
      await hears("btc-price", [page, other])
      await page.clock.runFor(SHOWN_WITHIN_MS)
      return value(page, "btc_price").innerText()
    }).not.toBe(known)
    // It may change again meanwhile, also to what it was: both tabs show the same.
    await soon(async () => {
      const [shown, alsoShown] = await Promise.all([page, other].map((tab) => value(tab, "btc_price").innerText()))
      return shown === alsoShown
    }).toBe(true)
    expect(await page.locator('[data-tile="btc_price"] .value.changed').count()).toBe(1)
    expect(await streams()).toBe(1)
    await page.context().close()
    await soon(streams).toBe(0)
  })

  it("moves nothing where a reader wants no motion", async () => {
    const { page } = await openLive("/", WORLD, { reducedMotion: "reduce" })
    await plant(page, "earthquake", 99)
    await change("earthquakes", page)
    await soon(async () => {
      // A reading that ran when the change came is followed by another one.
      await page.clock.runFor(SHOWN_WITHIN_MS)
      return page.locator('[data-tile="earthquake"] .value.changed').count()
    }).toBe(1)
    expect(await page.evaluate("document.getAnimations().length")).toBe(0)
  })
})
