import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import puppeteer, { type Browser, type ConsoleMessage, type Page } from "puppeteer-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { describeUnless } from "../support/describe-unless.ts"
import { siteUnderTest } from "./site.ts"
import { serveWithPast } from "./with-past.ts"

// What people do most, in Firefox too. It is driven by WebDriver BiDi, which the driver of the other browser does not speak with it.

const NAMES = ["firefox-esr", "firefox"]
const folders = (process.env.PATH ?? "").split(delimiter)
const executablePath = [
  process.env.FIREFOX ?? "",
  ...NAMES.flatMap((name) => folders.map((at) => join(at, name))),
].find((path) => path !== "" && existsSync(path))

const soon = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 60_000 })

describeUnless(
  executablePath === undefined ? "no Firefox in PATH, and FIREFOX names none" : undefined,
  "pages in Firefox",
  () => {
    const { shop, url } = siteUnderTest(["/api/earthquake", "/api/climate/earthquakes", "/api/fear-greed"])
    let browser: Browser
    const opened: Array<Page> = []
    beforeAll(async () => {
      browser = await puppeteer.launch({ browser: "firefox", executablePath: executablePath ?? "" })
    })
    afterEach(async () => {
      for (const page of opened.splice(0)) await page.close()
    })
    afterAll(() => browser?.close())

    /** Opens an address; `faults` are errors of scripts, refusals of the content policy among them. */
    const open = async (address: string) => {
      const page = await browser.newPage()
      opened.push(page)
      const faults: Array<string> = []
      page.on("pageerror", (error) => faults.push(String(error)))
      page.on("console", (message: ConsoleMessage) => {
        if (message.type() === "error") faults.push(message.text())
      })
      await page.setViewport({ width: 1_280, height: 1_000 })
      await page.goto(address)
      return { page, faults }
    }
    const text = async (page: Page, selector: string) =>
      String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`))
    const attribute = async (page: Page, selector: string, name: string) =>
      String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.getAttribute("${name}")`))
    /** Of what the tab key would lead to: the driver itself gives the focus to HTML alone. */
    const focus = (page: Page, selector: string) =>
      page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`)
    const isCardHidden = (page: Page) => page.evaluate("document.querySelector('[data-card]').hidden")
    const zoom = async (page: Page) => 360 / Number((await attribute(page, ".globe", "viewBox")).split(" ")[2])

    it("zooms the map by button, wheel and key, and opens and closes the card of a place by the keyboard alone", async () => {
      const { page, faults } = await open(url("/"))
      await soon(() => page.evaluate("document.querySelectorAll('.marker').length")).toBeGreaterThan(0)
      await page.locator('[aria-label="Zoom in"]').click()
      await soon(() => zoom(page)).toBeGreaterThan(1)
      await page.hover(".globe")
      await page.mouse.wheel({ deltaY: -300 })
      await soon(() => zoom(page)).toBeGreaterThan(2)
      await focus(page, ".globe")
      await page.keyboard.press("0")
      await soon(() => zoom(page)).toBe(1)
      await focus(page, ".marker[tabindex='0']")
      await page.keyboard.press("Enter")
      await soon(() => text(page, "[data-card]")).toMatch(/\S/)
      expect(await isCardHidden(page)).toBe(false)
      await page.keyboard.press("Escape")
      await soon(() => isCardHidden(page)).toBe(true)
      expect(faults).toEqual([])
    })

    it("follows the stream of changes with one connection for two tabs", async () => {
      const streams = async () => {
        const metrics = await (await fetch(new URL("/metrics", shop().service.adminUrl))).text()
        return Number(/^tidewire_changes_streams_open\S* (\d+)$/m.exec(metrics)?.[1])
      }
      const [one, other] = [await open(url("/")), await open(url("/feeds/climate-earthquakes"))]
      await one.page.bringToFront()
      await soon(streams).toBe(1)
      await soon(() => text(one.page, "[data-live-reason]")).toBe("updated")
      expect(await text(one.page, "[data-live-said]")).toBe("")
      expect([...one.faults, ...other.faults]).toEqual([])
    })

    it("moves the slider by the keyboard alone: the page and its address show the world of then", async () => {
      const at = await serveWithPast(48)
      const { page, faults } = await open(at("/"))
      const slider = "[role=slider], input[type=range]"
      await soon(async () => Number(await attribute(page, slider, "max"))).toBeGreaterThanOrEqual(48)
      await focus(page, slider)
      await page.keyboard.press("ArrowLeft")
      await soon(() => text(page, '[data-tile="fear_greed"] .value')).toBe("47")
      expect(new URL(page.url()).searchParams.get("at")).not.toBeNull()
      expect(await text(page, "h1")).toBe("The world as it was")
      await page.keyboard.press("End")
      await soon(() => text(page, '[data-tile="fear_greed"] .value')).toBe("99")
      expect(faults).toEqual([])
    })

    it.each(["/feeds/climate-earthquakes", "/embed/climate-earthquakes", "/embed/world", "/feeds", "/status", "/docs"])(
      "shows %s without a fault, no wider than the window",
      async (path) => {
        const { page, faults } = await open(url(path))
        await page.setViewport({ width: 390, height: 800 })
        await soon(() => page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
        expect((await text(page, "main, body")).length).toBeGreaterThan(100)
        expect(faults).toEqual([])
      },
    )
  },
)
