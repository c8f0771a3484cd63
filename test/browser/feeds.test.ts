import { spawnSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { expect, it, onTestFinished } from "vitest"
import { codeSamples } from "../../schemas/printers/code-samples.ts"
import { endpoints } from "../../schemas/registry.ts"
import { grantNew } from "../support/ledger-command.ts"
import { HOSTILE_TEXT } from "../world/faults.ts"
import { expectAccessible } from "./accessibility.ts"
import { describeBrowser, type OpenedPage } from "./browser.ts"
import { siteUnderTest } from "./site.ts"

// What people do on the pages of feeds: they search, call an endpoint, turn pages, spend a credit, and copy.

const status = (page: Page) => page.locator("[data-status]")
const body = (page: Page) => page.locator("[data-body]")
const press = (page: Page) => page.locator("form[data-try] button[type=submit]").click()
const expectNoFault = ({ faults }: OpenedPage) => expect(faults).toEqual([])

/** The reply that the form shows once it has one with this status. */
const replyOf = async (page: Page, code: number): Promise<string> => {
  await status(page)
    .filter({ hasText: new RegExp(`^${code} `) })
    .waitFor()
  return body(page).innerText()
}

describeBrowser("the pages of feeds", ({ open }) => {
  const { url, shop } = siteUnderTest()

  it("call a prepared endpoint, show how fresh the reply is, and turn its pages by the cursor", async () => {
    const opened = await open(url("/feeds/climate-earthquakes#try"))
    const { page } = opened
    await page.selectOption("#try-magnitude", "all")
    await page.selectOption("#try-period", "month")
    await page.fill("#try-limit", "2")
    expect(await page.locator("[data-address]").innerText()).toBe(
      "GET /api/climate/earthquakes?magnitude=all&period=month&limit=2",
    )
    await press(page)
    const first = JSON.parse(await replyOf(page, 200))
    expect(first.data.earthquakes).toHaveLength(2)
    expect(await page.locator("[data-headers]").innerText()).toMatch(
      /X-Service-As-Of\s+20\d\d-[\s\S]*RateLimit\s+"day"/,
    )
    await page.locator("[data-next]").click()
    await body(page).filter({ hasNotText: first.data.earthquakes[0].id }).waitFor()
    const second = JSON.parse(await replyOf(page, 200))
    expect(second.data.earthquakes).toHaveLength(2)
    expect(second.data.total).toBe(first.data.total)
    // The whole month is thousands of rows: the page shows a part of it.
    await page.fill("#try-cursor", "")
    await page.fill("#try-limit", "")
    await press(page)
    await body(page)
      .filter({ hasText: /… \d+ more characters$/ })
      .waitFor()
    expect((await body(page).innerText()).length).toBeLessThan(21_000)
    expectNoFault(opened)
  })

  it("show a filtered endpoint with its choices, and a format as text", async () => {
    const opened = await open(url("/feeds/climate-weather-alerts#try"))
    const { page } = opened
    await page.selectOption("#try-severity", "Severe")
    await page.fill("#try-limit", "3")
    await press(page)
    const { data } = JSON.parse(await replyOf(page, 200))
    expect(data.alerts.length).toBeLessThanOrEqual(3)
    for (const { severity } of data.alerts) expect(severity).toBe("Severe")
    await page.selectOption("#try-format", "csv")
    await press(page)
    await body(page).filter({ hasText: /^id,/ }).waitFor()
    expectNoFault(opened)
  })

  it("fetch on demand with what the contract requires, by the keyboard alone, and show a refusal", async () => {
    const { page, faults } = await open(url("/feeds/weather#try"))
    await page.focus("#try-lat")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("60.17")
    await page.keyboard.press("Tab")
    await page.keyboard.type("24.94")
    await page.keyboard.press("Enter")
    const { data, _meta } = JSON.parse(await replyOf(page, 200))
    expect(data === null ? _meta.warming : typeof data).toBe(data === null ? true : "object")
    expect(faults).toEqual([])
    // The browser itself refuses what the contract refuses.
    await page.fill("#try-lat", "91")
    await press(page)
    expect(await page.locator("#try-lat:invalid").count()).toBe(1)
  })

  it("call a premium endpoint with a token that stays in the page, unless its owner keeps it for the tab", async () => {
    const { service, dataDirectory } = shop()
    const settings = { DATA_DIR: dataDirectory, ADMIN_PORT: new URL(service.adminUrl).port }
    const { token } = await grantNew(settings, 10)
    const { page, faults } = await open(url("/feeds/pro-briefing#try"))
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(`${request.url()} ${request.headers()["idempotency-key"] ?? ""}`))
    await page.fill("#try-token", `svc_live_${"0".repeat(64)}`)
    await press(page)
    expect(JSON.parse(await replyOf(page, 402)).error).toBe("invalid_token")
    await page.fill("#try-token", token)
    await page.locator("input[value=earthquakes]").check()
    await page.locator("input[value=launches]").check()
    await press(page)
    const reply = JSON.parse(await replyOf(page, 200))
    expect(reply.billing).toMatchObject({ credits_charged: 1, credits_remaining: 9 })
    expect(await status(page).innerText()).toMatch(/credits charged: 1, left: 9$/)
    expect(asked.at(-1)).toMatch(/pro\/briefing\?include=earthquakes%2Claunches [0-9a-f]{32}$/)
    // A reply that is lost is asked for again under the same key, and charged once.
    await page.route("**/api/pro/briefing*", async (route) => {
      await route.fetch()
      await route.abort()
    })
    await press(page)
    await status(page).filter({ hasText: "Call again: the same call is charged once" }).waitFor()
    await page.unroute("**/api/pro/briefing*")
    await press(page)
    expect(JSON.parse(await replyOf(page, 200)).billing).toMatchObject({ credits_charged: 1, credits_remaining: 8 })
    await page.locator("[data-balance]").click()
    await body(page)
      .filter({ hasText: /"credits": 8,/ })
      .waitFor()
    // The token stands in no address, and in no storage before its owner asks for that.
    expect(asked.filter((one) => one.includes(token))).toEqual([])
    expect(await page.evaluate("sessionStorage.length + localStorage.length")).toBe(0)
    await page.locator("#try-keep").check()
    await page.reload()
    expect(await page.inputValue("#try-token")).toBe(token)
    await page.locator("#try-keep").uncheck()
    expect(await page.evaluate("sessionStorage.length + localStorage.length")).toBe(0)
    expect(faults.filter((fault) => !/status of 402|ERR_FAILED/.test(fault))).toEqual([])
  })

  it("have the reply and how it is called as tabs, by pointer, keyboard and address, and both without scripts", async () => {
    const opened = await open(url("/feeds/btc-price"))
    const { page } = opened
    const tab = (name: string) => page.getByRole("tab", { name })
    const chosen = () => page.locator("[role=tab][aria-selected=true]").innerText()
    const shownPanels = () => page.locator("[role=tabpanel]:visible").count()
    expect([await chosen(), await shownPanels(), await page.locator("#try").isVisible()]).toEqual(["JSON", 1, false])
    await tab("How to call").click()
    expect([await chosen(), await shownPanels(), new URL(page.url()).hash]).toEqual(["How to call", 1, "#call"])
    expect(await page.locator("#data").isVisible()).toBe(false)
    await expectAccessible(page)
    for (const [key, name] of [
      ["ArrowRight", "JSON"],
      ["End", "How to call"],
      ["Home", "JSON"],
      ["ArrowLeft", "How to call"],
    ] as const) {
      await page.keyboard.press(key)
      expect([await chosen(), await page.evaluate("document.activeElement.textContent")], key).toEqual([name, name])
    }
    // A link to a part of a panel shows that panel, now and when the page is loaded with it.
    await page.locator(".contents a", { hasText: "Data" }).click()
    await page.locator("#data").waitFor()
    await page.locator(".contents a", { hasText: "Call it" }).click()
    await page.locator("#code").waitFor()
    await page.reload()
    expect([await chosen(), await page.locator("#code").isVisible()]).toEqual(["How to call", true])
    expectNoFault(opened)
    const plain = await open(url("/feeds/btc-price"), { javaScriptEnabled: false })
    for (const part of ["#data", "#code", "#try"]) expect(await plain.page.locator(part).isVisible(), part).toBe(true)
    expect(await plain.page.getByRole("tab").count()).toBe(0)
  })

  it("search by words and by price, and keep the search in the address", async () => {
    const opened = await open(url("/feeds"))
    const { page } = opened
    const shown = () => page.locator("[data-feed]:visible")
    const all = endpoints.filter(({ tier }) => tier === "free" || tier === "premium").length
    expect(await shown().count()).toBe(all)
    await page.fill("#feeds-search", "earthquake JAPAN-nothing")
    expect(await page.locator("[data-nothing]").isVisible()).toBe(true)
    await page.fill("#feeds-search", "QUAKES  threshold")
    const links = await shown()
      .locator("a")
      .evaluateAll((found) => found.map((one) => one.getAttribute("href")))
    expect(links).toEqual(["/feeds/climate-earthquakes"])
    expect(await page.locator("[data-count]").innerText()).toBe("1 endpoint")
    await page.fill("#feeds-search", "")
    await page.locator("input[value=premium]").check()
    expect(await shown().count()).toBe(endpoints.filter(({ tier }) => tier === "premium").length)
    await page.fill("#feeds-search", "macro")
    await page.keyboard.press("Enter")
    expect(new URL(page.url()).search).toBe("?tier=premium&q=macro")
    await page.reload()
    expect(await page.inputValue("#feeds-search")).toBe("macro")
    expect(await shown().count()).toBeGreaterThan(0)
    expectNoFault(opened)
  })

  it("are found without scripts, from an address that does not exist", async () => {
    const { page } = await open(url("/tsunami-warnings.php"), { javaScriptEnabled: false })
    await page.getByRole("button", { name: "Search" }).click()
    expect(new URL(page.url()).search).toBe("?q=tsunami+warnings")
    await page.fill("#feeds-search", "tsunami")
    await page.locator("input[value=free]").check()
    await page.getByRole("button", { name: "Search" }).click()
    expect(new URL(page.url()).search).toBe("?q=tsunami&tier=free")
    const found = page.locator("[data-feed]:visible")
    expect(await found.count()).toBeGreaterThan(0)
    expect(await page.locator("[data-count]").innerText()).toBe(
      `${await found.count()} endpoint${(await found.count()) === 1 ? "" : "s"}`,
    )
    await found
      .locator("a", { hasText: /tsunami/i })
      .first()
      .click()
    await page.waitForURL("**/feeds/*")
    expect(await page.locator("h1").innerText()).toMatch(/tsunami/i)
  })

  it("show hostile text of an upstream as text, and say when there is no reply", async () => {
    const { page, faults } = await open(url("/feeds/tech-news#try"))
    let dialogs = 0
    page.on("dialog", async (dialog) => {
      dialogs += 1
      await dialog.dismiss()
    })
    await page.route("**/api/tech-news", (route) =>
      route.fulfill({ json: { data: [{ title: HOSTILE_TEXT }], billing: { credits_charged: HOSTILE_TEXT } } }),
    )
    await press(page)
    expect(JSON.parse(await replyOf(page, 200)).data[0].title).toBe(HOSTILE_TEXT)
    expect([await page.locator(".answer script").count(), dialogs]).toEqual([0, 0])
    expect(faults).toEqual([])
    await page.unroute("**/api/tech-news")
    await page.context().setOffline(true)
    await press(page)
    await status(page).filter({ hasText: "No reply: the service cannot be reached." }).waitFor()
    expect(await body(page).innerText()).toBe("")
  })

  it("stand in a frame of another site, with their source, and only those made for it", async () => {
    const frame = (path: string) => `<iframe src="${url(path)}" title="${path}" width="480" height="420"></iframe>`
    const other = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      response.end(
        `<!doctype html><title>Another site</title>${["/embed/btc-price", "/embed/world", "/feeds/btc-price"].map(frame).join("")}`,
      )
    })
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void other.close())
    const { page, faults } = await open(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    const value = page.frameLocator('[title="/embed/btc-price"]')
    await value
      .locator(".headline .value")
      .filter({ hasText: /^[\d,.]+$/ })
      .waitFor()
    expect(await value.locator("main").innerText()).toMatch(/Coinbase.*: .+ · Tidewire/)
    // Its links open beside the other site.
    expect(await value.locator("base").getAttribute("target")).toBe("_blank")
    await page.frameLocator('[title="/embed/world"]').locator("svg.globe use").first().waitFor()
    expect(faults.filter((fault) => fault.includes("frame-ancestors 'none'"))).toHaveLength(1)
    const embed = await open(url("/embed/btc-price"))
    expectNoFault(embed)
    await expectAccessible(embed.page)
  })

  it("copy a call to the clipboard, and the same call runs in a shell, in Node and in Python", async () => {
    const opened = await open(url("/feeds/humans-in-space#code"), {
      permissions: ["clipboard-read", "clipboard-write"],
    })
    const { page } = opened
    await page.locator("#code .copy:visible").click()
    await page.locator("#code .copy", { hasText: "Copied" }).waitFor()
    const copied = String(await page.evaluate("navigator.clipboard.readText()"))
    const endpoint = endpoints.find(({ path }) => path === "/api/humans-in-space")
    if (endpoint === undefined) throw new Error("the contract has no such endpoint")
    const samples = codeSamples(endpoint, new URL(url("/")).origin)
    expect(copied).toBe(samples.find(({ label }) => label === "curl")?.source)
    expectNoFault(opened)
    const programs = {
      sh: ["bash", "-c"],
      typescript: [process.execPath, "--input-type=module", "-e"],
      python: ["python3", "-c"],
    } as const
    for (const { lang, label, source } of samples) {
      const [program, ...options] = programs[lang]
      const { stdout, stderr, status: code } = spawnSync(program, [...options, source], { encoding: "utf8" })
      expect([code, stderr], label).toEqual([0, ""])
      expect(stdout, label).toContain("craft")
    }
  })
})
