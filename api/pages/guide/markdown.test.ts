import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { guideOf } from "./guides.ts"
import { anchorOf, blocksHtml, blocksOf, inlineHtml } from "./markdown.ts"

const htmlOf = (markdown: string): string => String(blocksHtml(blocksOf(markdown)))

describe("the Markdown of guides", () => {
  it("has headings, paragraphs, lists, code and tables, with code, strong words and links in their texts", () => {
    const html = htmlOf(
      [
        "One `a < b` and **more**,",
        "see [there](/docs/limits).",
        "",
        "## What `_meta` says",
        "",
        "- first",
        "  goes on",
        "- second",
        "",
        "```sh",
        "curl 'x' | jq '.a'",
        "",
        "## no heading",
        "```",
        "| Name | Meaning |",
        "| --- | --- |",
        "| `a` | one \\| two |",
      ].join("\n"),
    ).replaceAll(/\n+/g, "\n")
    expect(html).toContain(
      '<p>One <code>a &lt; b</code> and <strong>more</strong>, see <a href="/docs/limits">there</a>.</p>',
    )
    expect(html).toContain('<h2 id="what-meta-says">What <code>_meta</code> says</h2>')
    expect(html).toContain("<li>first goes on</li>\n<li>second</li>")
    expect(html).toContain("<code>curl &apos;x&apos; | jq &apos;.a&apos;\n## no heading</code>")
    expect(html).toContain("<td><code>a</code></td><td>one | two</td>")
  })

  it("has a paragraph of strong words", () => {
    expect(htmlOf("**Added**\n\n- one")).toContain("<p><strong>Added</strong></p>\n<ul><li>one</li>")
  })

  it.each(["# Title", "### Deeper", "* star", "1. one", "> quote", "<b>markup</b>", "![image](x)", "---", "    code"])(
    "refuses what guides do not have: %s",
    (markdown) => expect(() => blocksOf(markdown)).toThrow("Markdown that guides do not have"),
  )

  it("refuses a block of code without its end, a table without its rule, and links that lead anywhere", () => {
    expect(() => blocksOf("```sh\ncurl")).toThrow("without its end")
    expect(() => blocksOf("| a |\n| b |")).toThrow("without its second line")
    for (const href of ["javascript:alert", "//evil.example", "http://plain.example", "data:text"])
      expect(() => inlineHtml(`[here](${href})`), href).toThrow("a link that guides do not have")
  })

  it("makes no markup of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const word = text.replaceAll(/[`*[\]()\n]/g, "")
        expect(String(inlineHtml(`\`x${word}\``)).slice("<code>".length, -"</code>".length)).not.toMatch(/[<>"]/)
      }),
      { numRuns: 500 },
    )
  })

  it("makes an anchor of each heading", () => {
    expect(["What to do", "What `_meta` says", "---"].map(anchorOf)).toEqual(["what-to-do", "what-meta-says", ""])
  })
})

describe("a guide", () => {
  it("has a name, a title, and a first paragraph that says what it is for", () => {
    expect(guideOf("10-first-call.md", "# First call\n\nAsk, and\nsee.\n\n## Ask\n")).toEqual({
      name: "first-call",
      title: "First call",
      summary: "Ask, and see.",
      source: "Ask, and\nsee.\n\n## Ask\n",
    })
    for (const [file, text] of [
      ["first-call.md", "# Title\n\nText"],
      ["10-first-call.md", "Title\n\nText"],
      ["10-first-call.md", "# Title\n\n## Heading\n"],
    ] as const)
      expect(() => guideOf(file, text)).toThrow("is no guide")
  })
})
