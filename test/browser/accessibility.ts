import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { AxeResults } from "axe-core"
import type { Page } from "playwright-core"
import { expect } from "vitest"

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** Expects that axe-core finds no violation of serious or critical impact in a page, or none of the rules with a tag. */
export const expectAccessible = async (page: Page, tag?: string): Promise<void> => {
  // Evaluated by the driver, past the content policy, which forbids inline scripts.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  // What is in order is not described: that takes most of the time.
  const options = { resultTypes: ["violations"], ...(tag === undefined ? {} : { runOnly: [tag] }) }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
  const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)
  expect(found, "what axe-core finds serious").toEqual([])
}
