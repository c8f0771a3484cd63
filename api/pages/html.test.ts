import fc from "fast-check"
import { expect, it } from "vitest"
import { html, scriptJson, withCode } from "./html.ts"

it("escapes every text, in elements and in attributes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const markup = String(html`<a title="${text}">${text}</a>`)
      const inner = markup.slice('<a title="'.length, -"</a>".length)
      expect(inner.replace('">', "")).not.toMatch(/[<>"]/)
    }),
    { numRuns: 2_000 },
  )
})

it("inserts markup, lists and numbers, and nothing for what is absent", () => {
  expect(String(html`<p>${["a", html`<b>${1}</b>`, null, undefined, false, "<"]}</p>`)).toBe("<p>a<b>1</b>&lt;</p>")
})

it("shows code in texts of the contract, and nothing of them as markup", () => {
  expect(String(withCode("a `b<i>` c `d`"))).toBe("a <code>b&lt;i&gt;</code> c <code>d</code>")
  expect(String(withCode("an odd ` one <b>"))).toBe("an odd ` one &lt;b&gt;")
})

it("writes JSON that cannot end its element, and reads back the same", () => {
  const value = { text: "</script><!-- & \u2028" }
  expect(String(scriptJson(value))).not.toContain("<")
  expect(JSON.parse(String(scriptJson(value)))).toEqual(value)
})
