import { expect, it } from "vitest"
import type { Meta } from "../../schemas/contract/reply.ts"
import { endpoints } from "../../schemas/registry.ts"
import { expectAccessible } from "./accessibility.ts"
import { describeBrowser, expectNoOverflow, keepScreenshot, schemes, screens } from "./browser.ts"
import { siteUnderTest } from "./site.ts"

/** What every page of the site must be; each page has a test of its own beside this one. */
const paths = [
  "/",
  "/feeds",
  "/developers/agent-payments",
  "/changelog",
  "/feeds/climate-earthquakes",
  "/feeds/space-weather",
  "/feeds/economic-data",
  "/feeds/predictions",
  "/feeds/service-status",
  "/feeds/pro-briefing",
  "/status",
  "/docs",
  "/docs/freshness",
  "/docs/credits",
  "/nothing-here",
]

describeBrowser("every page in a browser", ({ open }) => {
  const { url } = siteUnderTest()

  it.each(paths)("%s fits every screen in both schemes, without a fault and accessible", async (path) => {
    const name = path === "/" ? "world" : path.slice(1).replaceAll("/", "-")
    for (const viewport of screens) {
      const { page, faults } = await open(url(path), { viewport })
      for (const [at, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme })
        await expectNoOverflow(page)
        // The other scheme differs in colours alone.
        await expectAccessible(page, at === 0 ? undefined : "cat.color")
        await keepScreenshot(page, `${name}-${viewport.width}-${colorScheme}`)
      }
      // Chromium reports the status of a page that was not found.
      expect(faults.filter((fault) => !/status of 404/.test(fault))).toEqual([])
      await page.context().close()
    }
  })

  it.each([
    ["/feeds/climate-earthquakes", "Quakes of magnitude 4.5 and above a day", "svg.bars rect", 25],
    ["/feeds/space-weather", "Kp index of each three hours", "svg.bars rect", 24],
    ["/feeds/economic-data", "Federal funds rate, monthly mean", "tbody tr", 36],
  ])(
    "%s draws what its upstream says of the past as soon as the service has begun",
    async (path, title, each, least) => {
      const { page, faults } = await open(url(path))
      const figure = page.locator("figure", { has: page.getByRole("heading", { name: title }) })
      expect(await figure.locator(each).count()).toBeGreaterThanOrEqual(least)
      await figure.getByText("As a table").click()
      await figure.locator("tbody tr").first().waitFor({ state: "visible" })
      expect(faults).toEqual([])
    },
  )

  it.each(paths)("%s says that its world is simulated, also without scripts", async (path) => {
    const { page } = await open(url(path), { javaScriptEnabled: false })
    const banner = page.locator(".simulated")
    expect(await banner.isVisible()).toBe(true)
    expect(await banner.innerText()).toContain("Simulated world")
  })

  it("every reply with data of feeds says so in its _meta", async () => {
    const free = endpoints.filter(({ tier, kind }) => tier === "free" && kind === "prepared")
    const replies = await Promise.all(
      free.map(async ({ path }) => {
        const { _meta } = (await (await fetch(url(path))).json()) as { readonly _meta: Meta }
        return { path, simulated: _meta.simulated }
      }),
    )
    // Usage of the service itself is no data of a feed.
    const silent = replies.filter(({ simulated }) => simulated !== true).map(({ path }) => path)
    expect(silent).toEqual(["/api/ai-stats"])
  })

  it.each(paths)("%s is complete without scripts", async (path) => {
    const { page } = await open(url(path), { javaScriptEnabled: false })
    expect(await page.locator("h1").count()).toBe(1)
    expect((await page.locator("main").innerText()).length).toBeGreaterThan(20)
  })
})
