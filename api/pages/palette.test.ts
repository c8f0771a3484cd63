import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

/** What text stands on; a value that has just changed begins on the last one. */
const backgrounds = ["back", "raised", "sunken", "accent-soft"]
const texts = ["text", "soft", "accent", "good", "warn", "bad"]
/** The least contrast of small text (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5

const css = readFileSync(new URL("assets/styles/00-tokens.css", import.meta.url), "utf8")
const [light = "", dark = ""] = css.split("@media (prefers-color-scheme: dark)")

/** The relative luminance of a colour of a scheme. */
const luminance = (scheme: string, name: string): number => {
  const colour = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(scheme)?.[1] ?? ""
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

it.each([
  ["light", light],
  ["dark", dark],
])("every text of the %s scheme can be read on every background, also while a value flashes", (_, scheme) => {
  const poor = backgrounds.flatMap((background) =>
    texts.flatMap((text) => {
      const [one = 0, other = 0] = [background, text].map((name) => luminance(scheme, name)).sort((a, b) => b - a)
      const contrast = (one + 0.05) / (other + 0.05)
      return contrast >= CONTRAST_MIN ? [] : [`${text} on ${background}: ${contrast}`]
    }),
  )
  expect(poor).toEqual([])
})
