import { feedPagePath } from "../../../schemas/contract/feed-page.ts"
import type { World } from "../../../schemas/endpoints/world.ts"
import { instantText, severest, standingOf, stateOf, valueText } from "../assets/world-view.js"
import { groupsOf } from "./tiles.ts"

/** Text of an upstream as a cell: no bar ends it, no mark of Markdown or HTML works in it. */
const cell = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]|#]/g, "\\$&")
    .replaceAll("<", "&lt;")

/** The page as Markdown, without its title. */
export const worldMarkdown = ({ tiles, marks, generated_at }: World): string => {
  const groups = groupsOf(tiles).map(({ title, tiles: ofGroup }) => {
    const rows = ofGroup.map((tile) => {
      const value = `${valueText(tile.value)}${tile.unit === null || tile.value === null ? "" : ` ${tile.unit}`}`
      const asOf = tile.as_of === null ? "" : instantText(tile.as_of)
      const cells = [value, tile.note, stateOf(tile).words, asOf, tile.source ?? ""].map(cell)
      return `| [${cell(tile.title)}](${feedPagePath(tile)}) | ${cells.join(" | ")} |`
    })
    return [
      `## ${title}`,
      "",
      "| Feed | Value | Meaning | State | As of | Source |",
      "|---|---|---|---|---|---|",
      ...rows,
    ]
  })
  const places = severest(marks).map(({ point }) => `- ${cell(point.title)} (${point.lat}, ${point.lon})`)
  const list = places.length === 0 ? [] : ["## The most severe of each kind", "", ...places]
  return `${[`${standingOf(tiles).words}, as of ${instantText(generated_at)}. The same as JSON: /world.json`, ...groups.flatMap((lines) => ["", ...lines]), "", ...list].join("\n").trimEnd()}\n`
}
