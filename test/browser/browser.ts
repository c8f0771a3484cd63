import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect } from "vitest"

/** Names under which systems install Chromium; the one without a window draws the same pages in half the processor time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** The browser of this machine: CHROMIUM, or the first one in PATH; undefined where there is none. */
const browserPath = (): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter)
  const candidates = [process.env.CHROMIUM ?? "", ...NAMES.flatMap((name) => folders.map((at) => join(at, name)))]
  return candidates.find((path) => path !== "" && existsSync(path))
}

/** A page of a browser, and what went wrong in it. */
export interface OpenedPage {
  readonly page: Page
  /** Errors of the console and of scripts, refusals of the content policy among them, and requests to other origins. */
  readonly faults: ReadonlyArray<string>
}

/** Opens pages of one browser. */
export interface Pages {
  /** Opens an address in a context of its own, with its own storage. Closed with the browser. */
  readonly open: (url: string, options?: BrowserContextOptions, prepare?: PreparePage) => Promise<OpenedPage>
}

/** What is done with a page before it loads anything. */
type PreparePage = (page: Page) => Promise<void>

/** Opens a page and collects its faults. */
const openIn = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  prepare: PreparePage,
): Promise<OpenedPage> => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: Array<string> = []
  const { origin } = new URL(url)
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    // Another test has begun or ended a network of containers: what the browser then loads anew is no fault of the page.
    if (message.type() === "error" && !message.text().includes("net::ERR_NETWORK_CHANGED")) faults.push(message.text())
  })
  page.on("request", (request) => {
    const address = request.url()
    if (!/^(?:data|blob):/.test(address) && new URL(address).origin !== origin) faults.push(`a request to ${address}`)
  })
  await prepare(page)
  await page.goto(url)
  return { page, faults }
}

/** A suite that looks at pages in a real browser; skipped, with the reason, where there is none. */
export const describeBrowser = (name: string, suite: (pages: Pages) => void): void => {
  const executablePath = browserPath()
  if (executablePath === undefined) {
    describe.skip(`${name} (skipped: no Chromium in PATH, and CHROMIUM names none)`, () =>
      suite({ open: () => Promise.reject() }))
    return
  }
  describe(name, () => {
    let browser: Browser
    beforeAll(async () => {
      // The sandbox wants rights that root in a container does not have; only our own pages are opened.
      browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
    })
    afterAll(() => browser?.close())
    suite({ open: (url, options = {}, prepare = async () => {}) => openIn(browser, url, options, prepare) })
  })
}

/** The widths at which pages are looked at, with the heights of such screens. */
export const screens = [
  { width: 360, height: 740 },
  { width: 768, height: 1_024 },
  { width: 1_440, height: 900 },
] as const

/** The colour schemes that pages have. */
export const schemes = ["light", "dark"] as const

/** Where SCREENSHOTS names a folder, the whole page, or one part of it, is written there as `NAME.png`. */
export const keepScreenshot = async (page: Page, name: string, part?: string): Promise<void> => {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  const path = join(folder, `${name}.png`)
  if (part === undefined) await page.screenshot({ path, fullPage: true })
  else await page.locator(part).screenshot({ path })
}

/** Expects that a page is not wider than its screen: what is wider scrolls within itself. */
export const expectNoOverflow = async (page: Page): Promise<void> => {
  const [content, screen] = await page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]").then(pair)
  expect(content, "the width of the content").toBeLessThanOrEqual(screen)
}

const pair = (value: unknown): readonly [number, number] => {
  if (!Array.isArray(value)) throw new Error("no pair")
  return [Number(value[0]), Number(value[1])]
}
