import { expect, it } from "vitest"
import { guides } from "../../api/pages/guide/guides.ts"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { isData } from "../../schemas/printers/tools.ts"
import { endpoints } from "../../schemas/registry.ts"
import { describeBrowser, expectNoOverflow, keepScreenshot, schemes, screens } from "./browser.ts"

// The documentation says the same whatever the data is, so an API without any serves it here.

/** The library is 2 MB, which a busy machine takes a while to compress and to run. */
const LOADED_MS = 120_000

const urlOf = async (path: string): Promise<string> => {
  const { listen } = await apiUnderTest({ endpoints, limits: { pageRequestsPerMinute: 10_000 } })
  return `http://127.0.0.1:${await listen()}${path}`
}

describeBrowser("the reference", ({ open }) => {
  it("renders the contract on every screen in both schemes, and asks no other origin for anything", async () => {
    const url = await urlOf("/docs/reference")
    // The other scheme differs in colours alone.
    for (const colorScheme of schemes)
      for (const viewport of colorScheme === schemes[0] ? screens : screens.slice(0, 1)) {
        const { page, faults } = await open(url, { colorScheme, viewport })
        // Small screens draw the operations as the reader comes to them.
        const shown = viewport.width < 1_000 ? "Every GET also takes HEAD" : "/api/briefing"
        await page.getByText(shown).first().waitFor({ timeout: LOADED_MS })
        await expectNoOverflow(page)
        await keepScreenshot(page, `reference-${viewport.width}-${colorScheme}`)
        expect(faults).toEqual([])
        await page.context().close()
      }
  })

  it("shows an operation with its code in four forms", async () => {
    const { page, faults } = await open(await urlOf("/docs/reference"), { viewport: screens[2] })
    const summary = endpoints.find(({ name }) => name === "forex")?.summary ?? "none"
    await page.locator("redoc").getByText("free", { exact: true }).first().click({ timeout: LOADED_MS })
    await page.locator("redoc").getByText(summary).first().click()
    await page.getByRole("heading", { name: summary }).waitFor()
    await page.getByText("curl -sS").first().waitFor()
    await keepScreenshot(page, "reference-operation")
    expect(faults).toEqual([])
  })

  it("leads to the same as text without scripts", async () => {
    const { page } = await open(await urlOf("/docs/reference"), { javaScriptEnabled: false })
    await page.getByRole("link", { name: "/llms-full.txt" }).click()
    const text = await page.locator("body").innerText()
    for (const { path } of endpoints.filter(isData)) expect(text).toContain(path)
  })
})

describeBrowser("the guides", ({ open }) => {
  it("are reached by the keyboard, from the first to the last", async () => {
    const { page, faults } = await open(await urlOf("/docs"))
    await page.getByRole("link", { name: "First call" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL("**/docs/first-call")
    const seen: Array<string> = []
    for (;;) {
      seen.push(await page.locator("h1").innerText())
      const next = page.locator("nav.steps a[rel=next]")
      if ((await next.count()) === 0) break
      await next.focus()
      await page.keyboard.press("Enter")
      await page.waitForFunction(`document.querySelector("h1").innerText !== ${JSON.stringify(seen.at(-1))}`)
    }
    expect(seen).toHaveLength(guides().length)
    expect(faults).toEqual([])
  })

  it("copy a command to the clipboard as it is shown", async () => {
    const url = await urlOf("/docs/first-call")
    const { page, faults } = await open(url, { permissions: ["clipboard-read", "clipboard-write"] })
    const shown = await page.locator("pre[data-copy] code").first().innerText()
    await page.locator(".copied .copy").first().click()
    await page.locator(".copied .copy", { hasText: "Copied" }).waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(shown)
    expect(shown).toContain("curl")
    expect(faults).toEqual([])
  })
})
