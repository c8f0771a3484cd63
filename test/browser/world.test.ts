import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { streamEndpoint } from "../../schemas/endpoints/changes.ts"
import type { World } from "../../schemas/endpoints/world.ts"
import { describeBrowser, type Pages } from "./browser.ts"
import { siteUnderTest } from "./site.ts"

const PAGE_MAX_BYTES = 100_000
const PICTURE_MAX_BYTES = 200_000
/** As long as the page waits from one reading to the next at most, and longer than it gathers what is asked for. */
const NEXT_READING_MS = 1_500
const HOUR_MS = 3_600_000

/** An opened front page, whose clock stands until it is moved, and the world that it reads next. */
interface Front {
  readonly page: Page
  readonly faults: ReadonlyArray<string>
  /** Changes the world that the page reads from now on. */
  readonly serve: (change: (world: World) => World) => void
  /** Answers with this status from now on. */
  readonly refuse: (status: number) => void
  /** The entity tags that the page has sent, one for each reading. */
  readonly etags: ReadonlyArray<string | undefined>
  /** How often the page has read the world. */
  readonly readings: () => number
  /** Lets the page read again, as after the network was away. */
  readonly readAgain: () => Promise<void>
  readonly tile: (name: string) => ReturnType<Page["locator"]>
  /** Lets running readings end, and closes the page. */
  readonly close: () => Promise<void>
}

/** Expects what becomes true once the page has written what it read. */
const soon = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 60_000 })

let addresses = 0

/** What a page says of the stream of changes. */
const said = (page: Page) => page.locator("[data-live-said]")

const openFront = async (
  { open }: Pages,
  url: string,
  options: Parameters<Pages["open"]>[1] & { readonly isBlocked?: boolean } = {},
): Promise<Front> => {
  const { isBlocked = false, ...context } = options
  let change = (world: World): World => world
  let status = 200
  let readings = 0
  const etags: Array<string | undefined> = []
  // Each page comes from an address of its own, as pages have limits for each.
  addresses += 1
  const extraHTTPHeaders = { "x-forwarded-for": `10.0.${addresses >> 8}.${addresses & 255}` }
  const { page, faults } = await open(url, { ...context, extraHTTPHeaders }, async (before) => {
    await before.clock.install()
    if (isBlocked) await before.route(`**${streamEndpoint.path}*`, (route) => route.abort())
    await before.route("**/world.json", async (route) => {
      readings += 1
      if (status !== 200) return route.fulfill({ status, body: "{}" })
      const { "if-none-match": etag, ...headers } = route.request().headers()
      etags.push(etag)
      const response = await route.fetch({ headers })
      await route.fulfill({ response, json: change((await response.json()) as World) })
    })
  })
  // The modules that update the page are loaded after it; the map is what they draw first.
  await soon(() => page.locator(".marker").count()).toBeGreaterThan(0)
  return {
    page,
    get faults() {
      // Chromium reports what was blocked.
      return faults.filter((fault) => !isBlocked || !fault.includes("net::ERR_FAILED"))
    },
    serve: (next) => {
      change = next
    },
    refuse: (next) => {
      status = next
    },
    etags,
    readings: () => readings,
    readAgain: async () => {
      const answered = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/world.json"))
      await page.evaluate("dispatchEvent(new Event('online'))")
      await page.clock.runFor(NEXT_READING_MS)
      await answered
    },
    tile: (name) => page.locator(`[data-tile="${name}"]`),
    close: async () => {
      await page.unrouteAll({ behavior: "wait" })
      await page.context().close()
    },
  }
}

const withTile = (world: World, name: string, members: Partial<World["tiles"][number]>): World => ({
  ...world,
  tiles: world.tiles.map((tile) => (tile.name === name ? { ...tile, ...members } : tile)),
})

/** How many places the map shows, those that are gathered counted each. */
const placesOn = async (page: Page): Promise<number> => {
  const counts = await page
    .locator(".marker")
    .evaluateAll((markers) => markers.map((marker) => Number(marker.getAttribute("data-gathered"))))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The names of the tiles that are seen, in their order. */
const seen = async (page: Page): Promise<ReadonlyArray<string>> => {
  const all = await page.locator(".tile").all()
  const names = await Promise.all(
    all.map(async (tile) => ((await tile.isVisible()) ? [String(await tile.getAttribute("data-tile"))] : [])),
  )
  return names.flat()
}

describeBrowser("the page of the world", (pages) => {
  const { url, shop } = siteUnderTest()
  let front: Front
  const open = async (options?: Parameters<typeof openFront>[2]) => {
    front = await openFront(pages, url("/"), options)
    return front
  }

  describe.each([
    ["with the stream of changes", false],
    ["where that is blocked", true],
  ])("with scripts, %s", (_, isBlocked) => {
    beforeEach(async () => {
      await open({ isBlocked })
    })
    afterEach(() => front.close())

    it("shows every feed and every place of /world.json, and stays as it is while these do", async () => {
      const { page, tile, readAgain, faults } = front
      const world = (await (await shop().service.get("/world.json")).json()) as World
      expect(await seen(page)).toEqual(world.tiles.map(({ name }) => name))
      expect(await placesOn(page)).toBe(world.marks.flatMap(({ points }) => points).length)
      expect(await placesOn(page)).toBeGreaterThan(20)
      front.serve(() => world)
      await readAgain()
      const written = await page.locator("main").innerText()
      const changed = await page.locator(".changed").count()
      await readAgain()
      // None is known until the first reply is here, which another reading may overtake.
      const known = front.etags.findIndex((etag) => etag !== undefined)
      expect(known).toBeGreaterThan(0)
      for (const etag of front.etags.slice(known)) expect(etag).toMatch(/^"[\w-]+"$/)
      // What the server renders and what the script writes are the same.
      expect(await page.locator(".changed").count()).toBe(changed)
      expect(await tile("humans_in_space").locator(".value").innerText()).toBe(
        String(world.tiles.find(({ name }) => name === "humans_in_space")?.value),
      )
      expect(written).toContain("Earth and weather")
      expect(faults).toEqual([])
    })

    it("writes what has changed without a reload, and moves nothing else", async () => {
      const { page, tile, serve, readAgain } = front
      serve((world) => withTile(world, "humans_in_space", { value: 1234.5, unit: "people", note: "so many" }))
      await readAgain()
      await soon(() => tile("humans_in_space").locator(".value").innerText()).toBe("1,234.5")
      expect(await tile("humans_in_space").locator(".note").innerText()).toBe("so many")
      expect(await tile("humans_in_space").locator(".value.changed").count()).toBe(1)
      expect(await tile("reactors").locator(".changed").count()).toBe(0)
      serve((world) => ({ ...world, marks: world.marks.map((layer) => ({ ...layer, points: [] })) }))
      await readAgain()
      await soon(() => placesOn(page)).toBe(0)
      expect(await page.locator(".severest li").count()).toBe(0)
      const point = { lat: 0, lon: 0, weight: 1, at: null, title: "New" }
      serve((world) => ({
        ...world,
        marks: world.marks.map((layer, at) => (at > 0 ? layer : { ...layer, points: [point] })),
      }))
      await readAgain()
      await soon(() => page.locator(".severest li.changed").first().innerText()).toContain("New")
    })

    it("shows hostile text as text", async () => {
      const { page, tile, serve, readAgain, faults } = front
      const hostile = `<img src=x onerror="document.title='taken'">`
      serve((world) => ({
        ...withTile(world, "tech_news", { value: hostile, note: hostile, reason: hostile }),
        marks: world.marks.map((layer, at) =>
          at > 0 ? layer : { ...layer, points: [{ lat: 0, lon: 0, weight: 1, at: null, title: hostile }] },
        ),
      }))
      await readAgain()
      await soon(() => tile("tech_news").locator(".value").innerText()).toBe(hostile)
      expect(await page.locator(".severest li").first().textContent()).toContain(hostile)
      expect(await page.locator("main img").count()).toBe(0)
      expect(await page.title()).toBe("The world now - Tidewire")
      expect(faults).toEqual([])
    })

    it("marks a number as stale when its time has passed, without a reply that says so", async () => {
      const { page, tile, serve, readAgain, refuse } = front
      const staleAfter = new Date(Date.now() + 60_000).toISOString()
      serve((world) => withTile(world, "humans_in_space", { status: "live", stale_after: staleAfter }))
      await readAgain()
      await soon(() => tile("humans_in_space").getAttribute("data-stale-after")).toBe(staleAfter)
      expect(await tile("humans_in_space").locator(".state").innerText()).toBe("Live")
      refuse(503)
      await page.clock.runFor(70_000)
      await soon(() => tile("humans_in_space").locator(".state").innerText()).toMatch(/^Stale since \d{4}-/)
    })

    it("shows a value that is not known as such, with the reason", async () => {
      const { tile, serve, readAgain } = front
      serve((world) =>
        withTile(world, "reactors", { value: null, unit: "%", status: "warming", reason: "timeout: no answer" }),
      )
      await readAgain()
      await soon(() => tile("reactors").locator(".value").innerText()).toBe("not known")
      expect(await tile("reactors").locator(".unit").innerText()).toBe("")
      expect(await tile("reactors").locator(".state").innerText()).toBe("No data yet. Source unreachable, retrying")
      // Why stands in the card of the tile, without the code that programs read.
      expect(await tile("reactors").locator(".reason").isVisible()).toBe(false)
      await tile("reactors").locator("summary").click()
      expect(await tile("reactors").locator(".reason").innerText()).toBe("no answer")
      expect(await tile("reactors").locator(".origin").innerText()).toContain(": ")
    })

    it("says that it is not updated, and why, until it is again", async () => {
      const { page, refuse, readAgain } = front
      const state = page.locator("[data-live-state]")
      const reason = page.locator("[data-live-reason]")
      await soon(() => state.innerText()).toMatch(/^\d+ of \d+ current/)
      refuse(503)
      await readAgain()
      await soon(() => state.innerText()).toBe("Not updated")
      expect(await reason.innerText()).toContain("status 503")
      refuse(200)
      await readAgain()
      await soon(() => state.innerText()).toMatch(/^\d+ of \d+ current/)
      await page.context().setOffline(true)
      await soon(() => reason.innerText()).toContain("offline")
      await page.context().setOffline(false)
      await soon(() => state.innerText()).toMatch(/^\d+ of \d+ current/)
    })

    it("says how many feeds are current, and fades the places of those that are not", async () => {
      const { page, serve, readAgain } = front
      const state = page.locator("[data-live-state]")
      const empty = () => page.locator("[data-severest]").getAttribute("data-empty")
      let half = 0
      serve((world) => {
        half = Math.floor(world.tiles.length / 2)
        return {
          ...world,
          tiles: world.tiles.map((tile, at) => ({ ...tile, status: at < half ? "stale" : "live", stale_after: null })),
          marks: world.marks.map((layer) => ({ ...layer, points: [] })),
        }
      })
      await readAgain()
      await soon(() => state.innerText()).toMatch(/^\d+ of \d+ current, \d+ stale$/)
      expect(await state.innerText()).toContain(`${half} stale`)
      expect(await page.locator(".layer[data-old]").count()).toBeGreaterThan(0)
      // Their age stands in the legend.
      const ages = page.locator(".legend [data-old] [data-layer-age]")
      expect(await ages.count()).toBeGreaterThan(0)
      for (const age of await ages.allInnerTexts()) expect(age).toMatch(/^not current: \d+ (?:s|min|h|d) ago$/)
      expect(await empty()).toMatch(/^Not known: \d+ of \d+ kinds/)
      // As a service that has just started, or that reaches no upstream.
      serve((world) => ({
        ...world,
        tiles: world.tiles.map((tile) => ({ ...tile, value: null, status: "warming", as_of: null, stale_after: null })),
        marks: world.marks.map((layer) => ({ ...layer, points: [], known: false })),
      }))
      await readAgain()
      await soon(() => state.innerText()).toMatch(/^No data yet \(0 of \d+\)$/)
      expect(await state.getAttribute("class")).toBe("state missed")
      const counts = await page.locator("[data-count]").allInnerTexts()
      expect(new Set(counts)).toEqual(new Set(["\u2013"]))
      expect(await page.locator(".layer:not([data-old])").count()).toBe(0)
      expect(await empty()).not.toBe("Nothing severe")
    })

    it("reads nothing while it is not visible, and at once when it is again", async () => {
      const { page, readings } = front
      const show = (state: string) =>
        page.evaluate(
          `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
        )
      await show("hidden")
      const before = readings()
      await page.clock.runFor(HOUR_MS)
      expect(readings()).toBe(before)
      await show("visible")
      await soon(readings).toBe(before + 1)
    })

    it("says that the stream does not come through exactly where it does not", async () => {
      const { page } = front
      await page.clock.runFor(10_000)
      await soon(() => said(page).innerText()).toMatch(isBlocked ? /^Reconnecting .* read every 15 s\.$/ : /^$/)
    })

    it("finds feeds by every word of a search", async () => {
      const { page } = front
      const all = await seen(page)
      await page.locator("[data-search]").fill("hacker NEWS")
      expect(await seen(page)).toEqual(["tech_news"])
      expect(await page.locator("[data-said]").innerText()).toBe(`1 of ${all.length} tiles`)
      expect(await page.locator(".group:visible").count()).toBe(1)
      await page.locator("[data-search]").fill("")
      expect(await seen(page)).toEqual(all)
    })

    it("leads to the search by its key, which stays where it is, and says when nothing has the words", async () => {
      const { page } = front
      const field = page.locator("[data-search]")
      const nothing = page.locator("[data-nothing]")
      expect(await nothing.isVisible()).toBe(false)
      await page.keyboard.press("/")
      expect(await page.evaluate("document.activeElement.matches('[data-search]')")).toBe(true)
      const before = await field.boundingBox()
      await page.keyboard.type("hacker")
      await soon(() => page.locator(".tile:visible").count()).toBe(1)
      expect(await field.boundingBox()).toEqual(before)
      const [tile] = await page.locator(".tile:visible").all()
      expect((await tile?.boundingBox())?.y).toBeGreaterThan(before?.y ?? Number.POSITIVE_INFINITY)
      await page.keyboard.type(" nobody/has/this")
      await soon(() => nothing.isVisible()).toBe(true)
      expect(await page.locator(".tile:visible").count()).toBe(0)
      expect(await field.boundingBox()).toEqual(before)
      expect(await page.locator("[data-said]").innerText()).toBe("No tile has these words")
      await page.keyboard.press("Escape")
      await soon(() => nothing.isVisible()).toBe(false)
    })

    it("remembers what is hidden and in which order, by the keyboard alone, until it is reset", async () => {
      const { page, tile } = front
      const all = await seen(page)
      const press = async (name: string) => {
        await page.getByRole("button", { name, exact: true }).focus()
        await page.keyboard.press("Enter")
      }
      await press("Arrange")
      const [first = "", second = ""] = all
      const title = await tile(first).locator("h3").innerText()
      await press(`Move ${title} later`)
      // The moved button keeps the focus.
      await page.keyboard.press("Enter")
      await tile(second).getByRole("button", { name: "Hide" }).focus()
      await page.keyboard.press("Space")
      await press("Done")
      const expected = [...all.slice(2, 3), first, ...all.slice(3)]
      expect(await seen(page)).toEqual(expected)
      await page.reload()
      expect(await seen(page)).toEqual(expected)
      await press("Arrange")
      await press("Reset")
      await press("Done")
      await page.reload()
      expect(await seen(page)).toEqual(all)
    })

    it("works where storage is broken or closed", async () => {
      const { page, faults } = front
      const all = await seen(page)
      await page.evaluate(`localStorage.setItem("tidewire.world", '{"order":{"a":1},"hidden":[1,null,"tech_news"]}')`)
      await page.reload()
      expect(await seen(page)).toEqual(all.filter((name) => name !== "tech_news"))
      await page.addInitScript(
        `Object.defineProperty(window, "localStorage", { get: () => { throw new Error("closed") } })`,
      )
      await page.reload()
      expect(await seen(page)).toEqual(all)
      expect(faults).toEqual([])
    })

    it("shows and hides kinds of places", async () => {
      const { page } = front
      const name = String(await page.locator(".severest li").first().getAttribute("data-kind"))
      const row = page.locator(`.severest [data-kind="${name}"]`)
      const all = await placesOn(page)
      await page.locator(`[data-shows="${name}"]`).focus()
      await page.keyboard.press("Space")
      await soon(() => placesOn(page)).toBeLessThan(all)
      expect(await row.isVisible()).toBe(false)
      await page.keyboard.press("Space")
      await soon(() => placesOn(page)).toBe(all)
      expect(await row.isVisible()).toBe(true)
    })
  })

  it("is arranged and searched before what moves and updates it is loaded, which waits for what is seen first", async () => {
    const requested: Array<string> = []
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { page, faults } = await pages.open(url("/feeds"), {}, async (before) => {
      before.on("request", (request) => requested.push(new URL(request.url()).pathname))
      await before.route("**/assets/land.*.svg", async (route) => {
        await held
        await route.continue()
      })
    })
    await page.goto(url("/"), { waitUntil: "domcontentloaded" })
    const ofMap = () => requested.filter((path) => path.startsWith("/assets/map/")).length
    await page.keyboard.press("/")
    await page.keyboard.type("hacker")
    await soon(() => page.locator(".tile:visible").count()).toBe(1)
    expect(ofMap()).toBe(0)
    release()
    await soon(() => page.locator(".marker").count()).toBeGreaterThan(0)
    expect(ofMap()).toBeGreaterThan(0)
    expect(faults).toEqual([])
  })

  it("moves nothing where a reader wants no motion", async () => {
    const { page, serve, readAgain, close } = await open({ reducedMotion: "reduce" })
    // A reading that runs when the service is stopped would fail.
    onTestFinished(close)
    serve((world) => withTile(world, "humans_in_space", { value: 99 }))
    await readAgain()
    await soon(() => page.locator(".value.changed").count()).toBeGreaterThan(0)
    expect(await page.evaluate("document.getAnimations().length")).toBe(0)
  })

  it("is complete without scripts: tiles, map, list, and no control that needs one", async () => {
    const { page } = await pages.open(url("/"), { javaScriptEnabled: false })
    const world = (await (await shop().service.get("/world.json")).json()) as World
    expect((await seen(page)).length).toBe(world.tiles.length)
    for (const tile of await page.locator(".tile").all()) {
      expect(await tile.locator(".value").innerText()).not.toBe("")
      expect(await tile.locator(".origin").textContent()).not.toBe("")
    }
    expect(await page.locator(".layer use").count()).toBeGreaterThan(20)
    const places = world.marks.flatMap(({ points }) => points)
    expect(await page.locator("[data-place-rows] li").count()).toBe(places.length)
    const kinds = await page.locator(".severest li").evaluateAll((rows) => rows.map((row) => row.dataset.kind))
    expect(kinds.length).toBeGreaterThan(1)
    expect(new Set(kinds).size).toBe(kinds.length)
    expect(kinds).not.toContain("launches")
    // The form that leads to an earlier instant is sent by the browser itself.
    const controls = page.locator("button:visible, input:visible")
    expect(await controls.count()).toBe(await page.locator("form.at").locator("button, input").count())
  })

  it("loads less than 100 kB, of this service alone", async () => {
    const { page, faults } = await pages.open(url("/changelog"))
    const sizes: Array<Promise<number>> = []
    page.on("requestfinished", (request) =>
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
    )
    await page.goto(url("/"), { waitUntil: "networkidle" })
    const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0)
    expect(sizes.length).toBeGreaterThan(5)
    expect(bytes).toBeGreaterThan(20_000)
    expect(bytes).toBeLessThan(PAGE_MAX_BYTES)
    expect(faults).toEqual([])
  })

  it("is JSON for programs: the catalog", async () => {
    const reply = await shop().service.get("/", { headers: { accept: "application/json" } })
    expect(await reply.json()).toMatchObject({ service: "tidewire", endpoints: expect.any(Array) })
  })

  it("makes the picture of the README, small enough to be read there", async () => {
    const { page } = await pages.open(url("/"), { viewport: { width: 1_280, height: 1_000 } })
    const folder = process.env.PICTURES
    const picture = await page.screenshot(folder === undefined ? {} : { path: join(folder, "world.png") })
    expect(picture.length).toBeLessThan(PICTURE_MAX_BYTES)
  })
})
