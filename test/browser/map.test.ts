import type { Page } from "playwright-core"
import { beforeEach, expect, it } from "vitest"
import type { World } from "../../schemas/endpoints/world.ts"
import { expectAccessible } from "./accessibility.ts"
import { describeBrowser, type OpenedPage } from "./browser.ts"
import { siteUnderTest } from "./site.ts"

// What people do with the map: they zoom, pan, open cards and follow their links, by mouse, fingers and keys.

/** Expects what becomes true once the page has drawn. */
const soon = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 60_000 })

const globe = (page: Page) => page.locator(".globe")
const card = (page: Page) => page.locator("[data-card]")
const markers = (page: Page) => page.locator(".marker")

/** The part of the world that the map shows. */
const boxOf = async (page: Page) => {
  const [x = 0, y = 0, width = 0, height = 0] = String(await globe(page).getAttribute("viewBox"))
    .split(" ")
    .map(Number)
  return { x, y, width, height }
}
const zoomOf = async (page: Page) => 360 / (await boxOf(page)).width

/** What stands where: moved by nothing that happens on the map. */
const layoutOf = (page: Page) =>
  Promise.all([".globe", ".legend", ".severest", ".controls"].map((part) => page.locator(part).boundingBox()))

const wheel = async (page: Page, times: number, deltaY: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) await page.mouse.wheel(0, deltaY)
}

const activeClass = (page: Page) => page.evaluate("document.activeElement.getAttribute('class') ?? ''")

/** Presses the tab key until an element of this class has the focus. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press("Tab")
    if (
      String(await activeClass(page))
        .split(" ")
        .includes(name)
    )
      return
  }
  throw new Error(`the tab key does not lead to .${name}`)
}

/** The sum of the shifts of what stands on a page, but for those that follow a touch of the reader. */
const LAYOUT_SHIFTS = `window.shifts = 0; new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput) { window.shifts += value; window.moved = (window.moved ?? []).concat(sources.map(({ node }) => node?.outerHTML?.slice(0, 90) ?? node?.textContent)) }
}).observe({ type: "layout-shift", buffered: true })`

describeBrowser("the map of the world", ({ open }) => {
  const { url, shop } = siteUnderTest()
  let opened: OpenedPage
  let page: Page
  beforeEach(async () => {
    opened = await open(url("/"), { viewport: { width: 1_280, height: 1_000 } })
    page = opened.page
    await markers(page).first().waitFor()
    return () => page.context().close()
  })

  it.each([1_440, 390])("moves nothing while it loads, %i pixels wide", async (width) => {
    const { page: fresh } = await open(url("/"), { viewport: { width, height: 900 } }, async (before) => {
      await before.addInitScript(LAYOUT_SHIFTS)
    })
    await soon(() => fresh.locator("[data-live-reason]").innerText()).toBe("updated")
    expect(Number(await fresh.evaluate("window.shifts")), String(await fresh.evaluate("window.moved"))).toBeLessThan(
      0.01,
    )
    await fresh.context().close()
  })

  it("stays where it is with its legend before the list beside it has arrived, and while it becomes longer", async () => {
    const placesOf = () => Promise.all([".globe", ".legend"].map((part) => page.locator(part).boundingBox()))
    const before = await placesOf()
    await page.locator("[data-severest]").evaluate((list) => {
      for (const row of [...list.children, ...list.children]) list.append(row.cloneNode(true))
    })
    expect(await placesOf()).toEqual(before)
    await page.locator(".severest").evaluate((section) => section.remove())
    expect(await placesOf()).toEqual(before)
  })

  it("zooms by wheel at the pointer, and then shows the coast with all its points and no place twice", async () => {
    const layout = await layoutOf(page)
    const box = await globe(page).boundingBox()
    if (box === null) throw new Error("the map has no box")
    const loaded = page.waitForResponse((response) => response.url().includes("land-fine"))
    const before = await markers(page).count()
    await page.mouse.move(box.x + box.width * 0.25, box.y + box.height * 0.3)
    await wheel(page, 6, -150)
    await soon(() => zoomOf(page)).toBeGreaterThan(4)
    expect((await loaded).status()).toBe(200)
    await soon(() => page.locator(".land").count()).toBe(1)
    expect(await page.locator(".land.fine").count()).toBe(1)
    // The place under the pointer has stayed.
    const { x, width } = await boxOf(page)
    expect((90 - x) / width).toBeCloseTo(0.25, 1)
    await soon(() => markers(page).count()).toBeGreaterThan(before)
    // Different places may have one name: what is drawn twice stands at the same point, too.
    const drawn = await markers(page).evaluateAll((all) =>
      all.map((one) => {
        const use = one.querySelector("use")
        return `${one.getAttribute("aria-label")} ${use?.getAttribute("x")} ${use?.getAttribute("y")}`
      }),
    )
    expect(drawn.filter((place, at) => drawn.indexOf(place) !== at)).toEqual([])
    expect(await layoutOf(page)).toEqual(layout)
    await wheel(page, 12, 150)
    await soon(() => zoomOf(page)).toBe(1)
    expect(opened.faults).toEqual([])
  })

  it("leaves the wheel to the page where it cannot zoom out further", async () => {
    await globe(page).hover()
    await wheel(page, 2, 300)
    await soon(() => page.evaluate("scrollY")).toBeGreaterThan(100)
    expect(await zoomOf(page)).toBe(1)
  })

  it("pans by dragging, which is no click on what it ends at", async () => {
    await page.getByRole("button", { name: "Zoom in" }).click()
    await page.getByRole("button", { name: "Zoom in" }).click()
    await soon(() => zoomOf(page)).toBeGreaterThan(2)
    const before = await boxOf(page)
    const at = await markers(page).last().boundingBox()
    const box = await globe(page).boundingBox()
    if (at === null || box === null) throw new Error("nothing to drag")
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2 - 30, { steps: 5 })
    await page.mouse.up()
    await soon(async () => (await boxOf(page)).x).toBeGreaterThan(before.x)
    expect(await card(page).isVisible()).toBe(false)
    await page.getByRole("button", { name: "Show all" }).click()
    await soon(() => zoomOf(page)).toBe(1)
    expect(await page.getByRole("button", { name: "Zoom out" }).isDisabled()).toBe(true)
  })

  it("zooms by two fingers", async () => {
    const box = await globe(page).boundingBox()
    if (box === null) throw new Error("the map has no box")
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    const session = await page.context().newCDPSession(page)
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints:
          type === "touchEnd"
            ? []
            : [
                { x: x - apart, y, id: 0 },
                { x: x + apart, y, id: 1 },
              ],
      })
    await touch("touchStart", 30)
    for (const apart of [40, 60, 90, 120]) await touch("touchMove", apart)
    await touch("touchEnd", 0)
    await soon(() => zoomOf(page)).toBeGreaterThan(3)
  })

  it("leads by the keyboard alone to the card of a place, through it, and back", async () => {
    const world = (await (await shop().service.get("/world.json")).json()) as World
    await tabTo(page, "globe")
    await page.keyboard.press("+")
    await soon(() => zoomOf(page)).toBeGreaterThan(1)
    const before = await boxOf(page)
    await page.keyboard.press("ArrowRight")
    await soon(async () => (await boxOf(page)).x).toBeGreaterThan(before.x)
    await page.keyboard.press("0")
    await soon(() => zoomOf(page)).toBe(1)
    await page.keyboard.press("Tab")
    expect(await activeClass(page)).toContain("marker")
    // One of them is in the order of the tab key, arrows lead to others.
    expect(await page.locator(".marker[tabindex='0']").count()).toBe(1)
    const name = () => page.evaluate("document.activeElement.getAttribute('aria-label')")
    // The tab key leads to the place that was current last: the most severe may have been out of sight while the map was zoomed in.
    await page.keyboard.press("Home")
    const first = await name()
    await page.keyboard.press("End")
    await soon(name).not.toBe(first)
    for (const key of ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Home"]) await page.keyboard.press(key)
    await soon(name).toBe(first)
    await page.keyboard.press("Enter")
    await card(page).waitFor()
    if (await card(page).getByRole("button", { name: "Zoom in here" }).isVisible()) {
      await card(page).getByRole("listitem").first().getByRole("button").focus()
      await page.keyboard.press("Enter")
    }
    const title = await card(page).getByRole("heading").innerText()
    expect(world.marks.flatMap(({ points }) => points).map((point) => point.title)).toContain(title)
    expect(await card(page).innerText()).toMatch(
      /What[\s\S]+Where\s+\d+\.\d\d° [NS], \d+\.\d\d° [EW][\s\S]+Source\s+\S+/,
    )
    await expectAccessible(page)
    await page.keyboard.press("Escape")
    expect(await card(page).isVisible()).toBe(false)
    expect(await name()).toBe(first)
    await page.keyboard.press("Enter")
    await card(page).waitFor()
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Enter")
    expect(await card(page).isVisible()).toBe(false)
    expect(opened.faults).toEqual([])
  })

  it("brings a place into sight that the keyboard leads to", async () => {
    await tabTo(page, "globe")
    for (let press = 0; press < 4; press += 1) await page.keyboard.press("+")
    await soon(() => zoomOf(page)).toBeGreaterThan(5)
    await tabTo(page, "marker")
    const isSeen = async () => {
      const [map, focused] = await Promise.all([globe(page).boundingBox(), page.locator(".marker:focus").boundingBox()])
      if (map === null || focused === null) return false
      const [x, y] = [focused.x + focused.width / 2, focused.y + focused.height / 2]
      return x >= map.x && x <= map.x + map.width && y >= map.y && y <= map.y + map.height
    }
    for (const key of ["End", "Home", "ArrowRight", "ArrowRight", "ArrowDown", "End"]) {
      await page.keyboard.press(key)
      await soon(isSeen).toBe(true)
    }
    expect(await zoomOf(page)).toBeGreaterThan(5)
  })

  it("opens what is gathered by a click: each of its places, or nearer", async () => {
    const gathering = page.locator(".marker:not([data-gathered='1'])").last()
    const count = Number(await gathering.getAttribute("data-gathered"))
    await gathering.click()
    expect(await card(page).getByRole("heading").innerText()).toBe(`${count} places`)
    const place = card(page).getByRole("listitem").first().getByRole("button")
    const title = await place.innerText()
    await place.click()
    expect(await card(page).getByRole("heading").innerText()).toBe(title)
    await card(page).getByRole("button", { name: "All places here" }).click()
    await card(page).getByRole("button", { name: "Zoom in here" }).click()
    await soon(() => zoomOf(page)).toBeGreaterThan(1)
    expect(await card(page).isVisible()).toBe(false)
    expect(await activeClass(page)).toContain("marker")
  })

  it("leads from a card to the feed, and shows the time of the reader on every time", async () => {
    const quake = page.locator(".marker[data-gathered='1'].bad").first()
    await quake.click()
    const time = card(page).locator("time")
    expect(await time.innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    await time.hover()
    expect(await time.getAttribute("title")).toMatch(/, by your clock$/)
    expect(await card(page).getByRole("link", { name: "As it was known then" }).getAttribute("href")).toMatch(
      /^\/feeds\/[a-z-]+\?at=\d{4}-/,
    )
    await card(page)
      .getByRole("link", { name: /^All of / })
      .click()
    await page.waitForURL(/\/feeds\/[a-z-]+$/)
  })

  it("lists every place as text, each of which leads to its card", async () => {
    const world = (await (await shop().service.get("/world.json")).json()) as World
    const summary = page.locator(".places summary")
    await summary.focus()
    await page.keyboard.press("Enter")
    const rows = page.locator("[data-place-rows] button")
    await soon(() => rows.count()).toBe(world.marks.flatMap(({ points }) => points).length)
    await expectAccessible(page)
    const title = await rows.nth(2).innerText()
    await rows.nth(2).focus()
    await page.keyboard.press("Enter")
    expect(await card(page).getByRole("heading").innerText()).toBe(title)
    await soon(() => zoomOf(page)).toBeGreaterThan(1)
    // What a reader hides is in neither of them.
    for (const box of await page.locator("[data-shows]").all()) await box.uncheck()
    await soon(() => markers(page).count()).toBe(0)
    expect(await rows.count()).toBe(0)
    expect(await page.locator(".severest li:visible").count()).toBe(0)
  })
})
