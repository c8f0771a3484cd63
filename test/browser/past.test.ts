import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { apiWithChanges, ListedChanges } from "../../api/testing/listed-changes.ts"
import { scriptedPast } from "../../api/testing/scripted-past.ts"
import { shownOf } from "../../api/world/layout.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { noProvenance } from "../../schemas/contract/provenance.ts"
import { instant } from "../../schemas/event.ts"
import { endpoints } from "../../schemas/registry.ts"
import { expectAccessible } from "./accessibility.ts"
import { describeBrowser, expectNoOverflow, keepScreenshot, schemes, screens } from "./browser.ts"

// Which views were known when is written by the test, as only its order matters here: a real past is that of test/e2e/past.test.ts.

const MINUTE_MS = 60_000
const FIRST_MS = START_MS - 60 * MINUTE_MS
const then = instant(START_MS - 30 * MINUTE_MS)
const shown = shownOf(endpoints)
const STRONGEST = "/api/earthquake"

const provenance = () => ({ ...noProvenance, feeds: ["earthquakes"], changesByItems: true })

/** A service that knew most feeds for an hour, a few for ten minutes, and whose strongest earthquake is another one now. */
const serve = async () => {
  const past = scriptedPast()
  past.settle(START_MS - 2 * MINUTE_MS)
  const changes = new ListedChanges()
  changes.add({})
  const limits = { pageRequestsPerMinute: 10_000, pastRepliesPerMinute: 10_000 }
  const { port, fill } = await apiWithChanges(changes, { endpoints, past: past.source, provenance, limits })
  for (const [at, { endpoint, key }] of shown.entries()) {
    const isNew = at % 7 === 3 && endpoint.path !== STRONGEST
    const freshForMs = (at % 5 === 2 && endpoint.path !== STRONGEST ? 20 : 55) * MINUTE_MS
    if (hasPast(endpoint))
      past.version(key, isNew ? START_MS - 10 * MINUTE_MS : FIRST_MS, endpoint.example, { freshForMs })
  }
  const strongest = JSON.stringify(shown.find(({ key }) => key === STRONGEST)?.endpoint.example)
  fill(STRONGEST, JSON.parse(strongest.replaceAll("100 km S of Kodiak, Alaska", "Only now")))
  return (path: string) => `http://127.0.0.1:${port}${path}`
}

/** What a page of the past reads: itself, and the instants that its slider offers. */
const OWN = ["/", "/world-history.json"]

/** The addresses that a page asks for from now on, but for its own files. */
const askedBy = (page: Page) => {
  const asked: Array<string> = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  return () => asked.filter((path) => !/^\/(?:assets\/|favicon)/.test(path))
}

const banner = (page: Page) => page.getByRole("complementary", { name: "Past" })
const tile = (page: Page, name: string) => page.locator(`[data-tile="${name}"]`)

describeBrowser("pages of the past", ({ open }) => {
  it("show the world of then by a link, and neither open a stream nor read anything again", async () => {
    const url = await serve()
    let asked = (): ReadonlyArray<string> => []
    const { page, faults } = await open(url("/?at=2026-08-17T20:05Z"), {}, async (before) => {
      await before.clock.install()
      asked = askedBy(before)
    })
    expect(await banner(page).innerText()).toContain("2026-08-17 20:05:00 UTC")
    expect(await page.title()).toBe("The world as it was, 2026-08-17 20:05:00 UTC - Tidewire")
    expect(await tile(page, "earthquake").innerText()).toMatch(/M 4\.6[\s\S]*Kodiak[\s\S]*Current then/)
    expect(await page.locator("body").innerText()).not.toMatch(/Only now|\bLive\b|ago\b/)
    const unknown = page.locator('.tile[data-status="unknown"]')
    expect(await unknown.count()).toBeGreaterThan(0)
    await unknown.first().locator("summary").click()
    expect(await unknown.first().innerText()).toMatch(/not known[\s\S]*(its past begins at|no past of it is kept)/)
    expect(await page.locator("body").innerText()).not.toMatch(/before_history|no_history/)
    // The search works as on the page of the present.
    await page.getByPlaceholder("Search the feeds").fill("kodiak")
    await page.getByText(/^\d+ of \d+ tiles$/).waitFor()
    expect(await tile(page, "forex").isVisible()).toBe(false)
    await page.clock.runFor(10 * MINUTE_MS)
    expect([...new Set(asked())].sort()).toEqual(OWN)
    expect(faults).toEqual([])
    // The page of the present opens one, so that this test can see it.
    await banner(page).getByRole("link").click()
    await page.getByText("The world now").first().waitFor()
    await page.clock.runFor(MINUTE_MS)
    await expect.poll(asked, { timeout: 60_000 }).toEqual(expect.arrayContaining(["/api/stream"]))
    expect(await tile(page, "earthquake").innerText()).toContain("Only now")
  })

  it("lead by the keyboard from the map to a feed at the same instant, and from there to the present", async () => {
    const url = await serve()
    const { page, faults } = await open(url(`/?at=${then}`))
    await tile(page, "earthquake").getByRole("link").focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(url(`/feeds/earthquake?at=${then}`))
    expect(await page.locator(".reply").innerText()).toMatch(/The reply then[\s\S]*Current then[\s\S]*Kodiak/)
    const time = page.locator(".past time")
    await time.hover()
    expect(await time.getAttribute("title")).toMatch(/, by your clock$/)
    expect(await page.locator(".reply").getByRole("link").getAttribute("href")).toBe(`${STRONGEST}?at=${then}`)
    // The first stop after the link that skips to the content.
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Show the present")
    // It stays in sight.
    await page.mouse.wheel(0, 20_000)
    await expect.poll(() => page.evaluate("scrollY > 200"), { timeout: 60_000 }).toBe(true)
    const box = await banner(page).boundingBox()
    expect([box?.y, await banner(page).isVisible()]).toEqual([0, true])
    await page.keyboard.press("Enter")
    await page.waitForURL(url("/feeds/earthquake"))
    expect(await banner(page).count()).toBe(0)
    await page.locator(".reply").getByText("Only now").waitFor()
    expect(faults).toEqual([])
  })

  it.each(["/", "/feeds/earthquake"])("are reached from %s by a form, also without scripts", async (path) => {
    const url = await serve()
    const { page, faults } = await open(url(path), { javaScriptEnabled: false })
    await page.getByLabel("As it was at (UTC)").fill("2026-08-17T20:05")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await page.waitForURL(url(`${path}?at=${then}`))
    expect(await banner(page).innerText()).toContain("2026-08-17 20:05:00 UTC")
    expect(await page.getByLabel("As it was at (UTC)").inputValue()).toBe("2026-08-17T20:05")
    // What cannot be shown is said, with a way out.
    await page.goto(url(`${path}?at=${instant(FIRST_MS - 1)}`))
    await page.getByRole("link", { name: "At 2026-08-17 19:35:00 UTC" }).click()
    await page.waitForURL(url(`${path}?at=${instant(FIRST_MS)}`))
    expect(faults.filter((fault) => !fault.includes("status of 404"))).toEqual([])
  })

  it.each([
    "/?at=2026-08-17T20:05Z",
    "/feeds/earthquake?at=2026-08-17T20:05Z",
    "/feeds/climate-earthquakes?at=2026-08-17T20:05Z",
    "/?at=2026-08-17",
  ])("%s fits every screen in both schemes, and is accessible", async (path) => {
    const url = await serve()
    const name = `past${path.replace(/:05Z/, "").replaceAll(/[/?=]/g, "-")}`
    for (const viewport of screens) {
      const { page } = await open(url(path), { viewport })
      for (const [at, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme })
        await expectNoOverflow(page)
        await expectAccessible(page, at === 0 ? undefined : "cat.color")
        await keepScreenshot(page, `${name}-${viewport.width}-${colorScheme}`)
      }
      await page.context().close()
    }
  })
})
