import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { apiWithChanges, ListedChanges } from "../../api/testing/listed-changes.ts"
import { endpoints } from "../../schemas/registry.ts"
import { expectAccessible } from "./accessibility.ts"
import { describeBrowser, expectNoOverflow, keepScreenshot, schemes, screens } from "./browser.ts"
import { HOUR_MS, provenance, serveWithPast } from "./with-past.ts"

// The slider of the front page over a past that the test writes: a month of half days, in which one number counts the versions.

const soon = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 60_000 })
const slider = (page: Page) => page.getByRole("slider", { name: "Time that is shown" })
const value = (page: Page) => page.locator('[data-tile="fear_greed"] .value').innerText()
const valueText = (page: Page) => slider(page).getAttribute("aria-valuetext")
const at = (page: Page) => new URL(page.url()).searchParams.get("at")
const banner = (page: Page) => page.getByRole("complementary", { name: "Past" })

/** Waits until the slider offers so many instants at least. */
const offers = (page: Page, least: number) =>
  soon(async () => Number(await slider(page).getAttribute("max"))).toBeGreaterThanOrEqual(least)

describeBrowser("the time of the front page", ({ open }) => {
  it("is moved by the keyboard alone: map and tiles show the world of then, and the address is a link to it", async () => {
    const url = await serveWithPast(48)
    const { page, faults } = await open(url("/"))
    await offers(page, 48)
    expect([await value(page), await valueText(page)]).toEqual(["99", "Now"])
    await slider(page).focus()
    await page.keyboard.press("ArrowLeft")
    await soon(() => valueText(page)).not.toBe("Now")
    await soon(() => value(page)).toBe("47")
    for (let press = 0; press < 4; press += 1) await page.keyboard.press("ArrowLeft")
    await soon(() => value(page)).toBe("45")
    const then = at(page) ?? ""
    expect(await valueText(page)).toBe(`${then.slice(0, 10)} ${then.slice(11, 19)} UTC`)
    expect(await banner(page).innerText()).toContain(`${then.slice(0, 10)} ${then.slice(11, 19)} UTC`)
    expect(await page.locator("h1").innerText()).toBe("The world as it was")
    const tile = page.locator('[data-tile="fear_greed"]')
    expect(await tile.innerText()).toContain("Current then")
    expect(await page.locator("main").innerText()).not.toMatch(/\bLive\b|ago\b|at this moment/)
    expect(await tile.getByRole("link").getAttribute("href")).toContain(`?at=${then}`)
    await expectAccessible(page)
    // The address shows the same without what was done before.
    const { page: other } = await open(page.url())
    expect(await other.locator('[data-tile="fear_greed"] .value').innerText()).toBe("45")
    await offers(other, 48)
    expect(await valueText(other)).toBe(await valueText(page))
    // Now is the end of the slider.
    await page.keyboard.press("End")
    await soon(() => value(page)).toBe("99")
    await soon(() => banner(page).count()).toBe(0)
    expect([at(page), await page.locator("h1").innerText(), await valueText(page)]).toEqual([
      null,
      "The world now",
      "Now",
    ])
    await soon(() => tile.locator(".state").innerText()).not.toBe("Current then")
    await other.getByRole("button", { name: "Now" }).click()
    await other.waitForURL(url("/"))
    expect(faults).toEqual([])
  })

  it("plays from the beginning to now, and stops where a reader wants it", async () => {
    const url = await serveWithPast(1)
    const { page } = await open(url("/"), {}, (before) => before.clock.install())
    await soon(async () => {
      await page.clock.runFor(1_500)
      return Number(await slider(page).getAttribute("max"))
    }).toBe(59)
    const last = Number(await slider(page).getAttribute("max"))
    await page.getByRole("button", { name: "Play" }).click()
    await soon(() => slider(page).inputValue()).toBe("0")
    const step = async (count: number) => {
      for (let one = 0; one < count; one += 1) await page.clock.runFor(700)
    }
    await step(3)
    await soon(async () => Number(await slider(page).inputValue())).toBeGreaterThanOrEqual(3)
    await page.getByRole("button", { name: "Pause" }).click()
    const paused = await slider(page).inputValue()
    await step(5)
    expect(await slider(page).inputValue()).toBe(paused)
    expect(at(page)).not.toBeNull()
    await page.getByRole("button", { name: "Play" }).click()
    await soon(async () => {
      await step(10)
      return valueText(page)
    }).toBe("Now")
    expect(await page.getByRole("button", { name: "Play" }).count()).toBe(1)
    expect([Number(await slider(page).inputValue()), at(page)]).toEqual([last, null])
  })

  it("goes back a month where there is one, by half days, and offers nothing before the first", async () => {
    const url = await serveWithPast(20 * 24)
    const { page } = await open(url("/"))
    await offers(page, 48)
    await page.getByRole("button", { name: "30 d" }).click()
    await soon(async () => Number(await slider(page).getAttribute("max"))).toBe(40)
    await soon(() => page.getByRole("button", { name: "30 d" }).getAttribute("aria-pressed")).toBe("true")
    await slider(page).focus()
    await page.keyboard.press("Home")
    await soon(() => at(page)).not.toBeNull()
    const first = START_MS - 20 * 24 * HOUR_MS
    await soon(() => Date.parse(at(page) ?? "")).toBeLessThan(first + 13 * HOUR_MS)
    expect(Date.parse(at(page) ?? "")).toBeGreaterThanOrEqual(first)
    await soon(() => banner(page).count()).toBe(1)
    // An hour of past has no month.
    const young = await serveWithPast(1)
    await page.goto(young("/"))
    await offers(page, 30)
    expect(await page.getByRole("button", { name: "30 d" }).isDisabled()).toBe(true)
  })

  it("draws the line of a day in each tile with a number, with its words", async () => {
    const url = await serveWithPast(48)
    const { page } = await open(url("/"))
    const lines = page.locator(".spark svg")
    await soon(() => lines.count()).toBeGreaterThan(10)
    await offers(page, 48)
    await soon(() => page.locator('[data-tile="fear_greed"] .spark svg').getAttribute("aria-label")).toMatch(
      /^24 hours: from 2\d to 47, least 2\d, most 47$/,
    )
    // Words have none.
    expect(await page.locator('[data-tile="tech_news"] .spark').count()).toBe(0)
    await slider(page).focus()
    await page.keyboard.press("Home")
    await soon(() => page.locator(".spark .chosen[d]").count()).toBeGreaterThan(10)
  })

  it("is not offered where no past is kept, and reads nothing of it", async () => {
    const changes = new ListedChanges()
    changes.add({})
    const { port } = await apiWithChanges(changes, { endpoints, provenance })
    const { page, faults } = await open(`http://127.0.0.1:${port}/`)
    await page.locator(".marker, .globe[data-drawn]").first().waitFor()
    expect([await page.locator("[data-time]").count(), await page.locator("[data-spark]").count()]).toEqual([0, 0])
    expect(faults).toEqual([])
  })

  it("fits every screen in both schemes while it shows the past", async () => {
    const url = await serveWithPast(48)
    for (const viewport of screens) {
      const { page } = await open(url("/"), { viewport })
      await offers(page, 48)
      await slider(page).focus()
      await page.keyboard.press("ArrowLeft")
      await banner(page).waitFor()
      for (const [place, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme })
        await expectNoOverflow(page)
        await expectAccessible(page, place === 0 ? undefined : "cat.color")
        await keepScreenshot(page, `time-${viewport.width}-${colorScheme}`)
      }
      await page.context().close()
    }
  })
})
