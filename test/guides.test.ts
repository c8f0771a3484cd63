import { describe, expect, it } from "vitest"
import { defaultLimits } from "../api/http/limits.ts"
import { guideFacts } from "../api/pages/guide/facts.ts"
import { guidePath, guides, placeholdersIn } from "../api/pages/guide/guides.ts"
import { blocksOf } from "../api/pages/guide/markdown.ts"
import { twinOf } from "../api/pages/site-page.ts"
import { sitePages } from "../api/pages/site-registry.ts"
import type { ApiTools } from "../api/routes/route.ts"
import { apiUnderTest } from "../api/testing/api-under-test.ts"
import { BASE, textOf, wholeApi } from "../api/testing/documents-under-test.ts"
import { settingTable } from "../infra/config/setting-table.ts"
import packageJson from "../package.json" with { type: "json" }
import { endpoints } from "../schemas/registry.ts"
import { commandsIn } from "./support/guide-blocks.ts"

const navigation = { accept: "text/html" }
const named = guides().map((guide) => [guide.name, guide] as const)
const statuses = new Set(["200", "202", ...endpoints.flatMap(({ responses }) => Object.keys(responses))])

/** Numbers that are names, and not facts of the contract. */
const NAMES = /\b(?:RFC|ISO) \d+|\bIPv[46]\b|\bEd25519\b|\w*sha256\b|\bOpenAPI [\d.]+/g
/** One dollar, an exit code, and the network of an IPv6 client, which is no setting. */
const PLAIN = new Set(["1", "64"])

const withoutPlaceholders = (text: string): string => text.replaceAll(/\{\{[^{}]+\}\}/g, "")

/** The texts of a guide that are no code. */
const proseOf = (source: string): string =>
  withoutPlaceholders(source)
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(NAMES, "")

describe.each(named)("the guide %s", (_, guide) => {
  it("holds no number that the contract knows: a placeholder stands in its place", () => {
    const numbers = proseOf(guide.source).match(/(?<![\w.-])\d[\d,.]*\d|(?<![\w.-])\d/g) ?? []
    expect(numbers.filter((one) => !statuses.has(one) && !PLAIN.has(one))).toEqual([])
  })

  it("names settings by the defaults that they have", () => {
    const defaults = new Map(Object.values(settingTable).map((setting) => [setting.name, setting.default]))
    for (const [whole, name = "", value] of withoutPlaceholders(guide.source).matchAll(/\$\{([A-Z_]+):-([^$}]+)\}/g))
      expect(defaults.get(name), whole).toBe(value)
  })

  it("names only paths that are there", () => {
    const known = new Set(endpoints.map(({ path }) => path))
    const paths = [...guide.source.matchAll(/(?<![\w./])\/(?:api|\.well-known)(?:\/[\w.-]+)*/g)].map(([path]) =>
      path.replace(/[.,]$/, ""),
    )
    for (const path of paths) expect(known.has(path), path).toBe(true)
  })

  it("names only scripts that are there", () => {
    const scripts = [...guide.source.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script = ""]) => script)
    for (const script of scripts) expect(Object.keys(packageJson.scripts)).toContain(script)
    const starts = commandsIn(guide.source).filter(({ when }) => when === "start")
    for (const { commands } of starts) expect(commands).toMatch(/^npm ci && npm (?:start|run \w+)$/)
  })

  it("is a page, and its twin the source with the facts filled in", async () => {
    const { app } = await wholeApi(BASE)
    const path = guidePath(guide)
    const html = await textOf(app, path, navigation)
    const twin = await textOf(app, `${path}.md`)
    expect(html).toContain(`<h1>${guide.title}</h1>`)
    expect(html).not.toMatch(/\{\{|```/)
    expect(twin).toMatch(new RegExp(`^# ${guide.title}\n\n`))
    expect(twin).not.toContain("{{")
    // Between the placeholders stands the source, letter by letter.
    const pieces = guide.source.split(/\{\{[^{}]+\}\}/)
    let at = 0
    for (const piece of pieces) {
      const found = twin.indexOf(piece, at)
      expect(found, piece).toBeGreaterThanOrEqual(at)
      at = found + piece.length
    }
    expect(at).toBe(twin.length)
    expect(blocksOf(twin.replace(/^# .+\n/, "")).length).toBeGreaterThan(5)
  })

  it("links to what is there", async () => {
    const { app } = await wholeApi(BASE)
    const html = await textOf(app, guidePath(guide), navigation)
    const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link)
    expect(links.length).toBeGreaterThan(10)
    for (const link of new Set(links)) expect((await app.inject({ url: link })).statusCode, link).toBe(200)
  })
})

describe("the guides", () => {
  it("use every fact that there is, and no other", async () => {
    const { app: _, ...options } = await apiUnderTest({ endpoints })
    const tools = { options: { ...options, endpoints }, limits: defaultLimits } as unknown as ApiTools
    const facts = guideFacts(tools, "")
    const used = new Set(guides().flatMap(({ source }) => placeholdersIn(source)))
    for (const name of used) expect(facts.has(name), name).toBe(true)
    // Each limit is a fact, whether a guide names it or not.
    for (const name of facts.keys()) if (!name.startsWith("limits.")) expect(used.has(name), name).toBe(true)
  })

  it("show the limits of the running service", async () => {
    const { app } = await apiUnderTest({ endpoints, limits: { requestsPerDay: 4_321, tokenRequestsPerMinute: 77 } })
    const text = await textOf(app, "/docs/limits.md")
    expect(text).toContain("| 4,321 | a day of one client address: free data | daily |")
    expect(text).toContain("| 77 | a minute of one account: premium calls | token |")
  })

  it("are listed by /docs, its twin and /llms.txt", async () => {
    const { app } = await wholeApi(BASE)
    const [page, twin, short] = await Promise.all([
      textOf(app, "/docs", navigation),
      textOf(app, twinOf("/docs")),
      textOf(app, "/llms.txt"),
    ])
    expect(guides().length).toBe(13)
    for (const guide of guides()) {
      expect(page).toContain(`<a href="${guidePath(guide)}">${guide.title}</a>`)
      expect(twin).toContain(`[${guide.title}](${guidePath(guide)}.md)`)
      expect(short).toContain(`- [${guide.title}](${BASE}${guidePath(guide)}.md): ${guide.summary}`)
    }
    expect(page).toContain('href="/docs/reference"')
  })

  it.each(["/docs", "/docs/reference", "/status"])(
    "stand beside %s, whose links lead to what is there",
    async (path) => {
      const { app } = await wholeApi(BASE)
      const texts = [await textOf(app, path, navigation), await textOf(app, twinOf(path))]
      const links = texts.flatMap((text) =>
        [/href="(\/[^"]*)"/g, /\]\((\/[^)]*)\)/g].flatMap((pattern) =>
          [...text.matchAll(pattern)].map(([, link = ""]) => link),
        ),
      )
      expect(links.length).toBeGreaterThan(10)
      for (const link of new Set(links)) expect((await app.inject({ url: link })).statusCode, link).toBe(200)
    },
  )

  it("leave no page of an unknown name", async () => {
    const { app } = await wholeApi()
    for (const name of ["nothing", "first-call/more", "10-first-call", "guide"])
      expect((await app.inject({ url: `/docs/${name}`, headers: navigation })).statusCode, name).toBe(404)
    expect(sitePages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/docs", "/docs/reference", "/docs/:name"]),
    )
  })
})
