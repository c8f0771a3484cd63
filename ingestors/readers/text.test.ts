import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cleanHtml, cleanText, cleanTextOrNull, exactText, httpUrl } from "./text.ts"

describe("cleanText", () => {
  it.each([
    ["AT&amp;T &#8211; it&#x2019;s &lt;b&gt;", "AT&T \u2013 it\u2019s <b>"],
    ["  a\n\tb\u0000c\u001bd  ", "a bcd"],
    ["e\u202Evil\u2066 \u200Bzero\u200D\uFEFF\u00AD", "evil zero"],
    ["&#x202E;turned", "turned"],
    ["lone \uD800 half", "lone \uFFFD half"],
  ])("%j becomes %j", (text, expected) => expect(cleanText(text, 100)).toBe(expected))
  it("cuts between code points", () => expect(cleanText("\u{1F30D}\u{1F30E}\u{1F30F}", 2)).toBe("\u{1F30D}\u{1F30E}"))
  it("keeps its promise for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.nat(50), (text, lengthMax) => {
        const clean = cleanText(text, lengthMax)
        expect([...clean].length).toBeLessThanOrEqual(lengthMax)
        expect(clean.isWellFormed()).toBe(true)
        expect(clean).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200B-\u200F\uFEFF]/u)
        expect(clean).toBe(clean.trim())
      }),
    )
  })
})

describe("exactText", () => {
  it.each(["a b", "AT&amp;T", "\u{1F30D}\u{1F30E}", "b\u00f6se"])("keeps %j", (text) =>
    expect(exactText(text, 8)).toBe(text),
  )
  it.each([
    ["an empty one", ""],
    ["one that is too long", "123456789"],
    ["one with too many code points", "\u{1F30D}".repeat(9)],
    ["a blank before it", " a"],
    ["a blank behind it", "a "],
    ["two blanks", "a  b"],
    ["a line break", "a\nb"],
    ["a control character", "a\u0000b"],
    ["a direction mark", "a\u202eb"],
    ["a zero-width character", "a\u200bb"],
    ["half a character", "a\ud800"],
  ])("gives null for %s", (_, text) => expect(exactText(text, 8)).toBeNull())
  it("is a text that cleaning does not change, entities aside", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 12 }), fc.nat(10), (text, lengthMax) => {
        const isClean = text !== "" && cleanText(text.replaceAll("&", "+"), lengthMax) === text.replaceAll("&", "+")
        expect(exactText(text, lengthMax)).toBe(isClean ? text : null)
      }),
    )
  })
})

describe("cleanHtml", () => {
  it.each([
    ["<p>One<br/>two</p> <a href='x>y'>three</a>", "One two y'>three"],
    ["a < b and c > d", "a < b and c > d"],
    ["x<script>alert(1)</script>y", "x y"],
    ["x<!-- <b>hidden</b> -->y", "x y"],
    ["x<style>p{}", "x"],
    ["&lt;b&gt; stays text", "<b> stays text"],
  ])("%j becomes %j", (html, expected) => expect(cleanHtml(html, 100)).toBe(expected))
  it("takes a hostile text in linear time", () => {
    expect(cleanHtml("<!--".repeat(2_000_000), 10)).toBe("")
    expect(cleanHtml("<script>".repeat(1_000_000), 10)).toBe("")
    expect(cleanHtml("<".repeat(5_000_000), 3)).toBe("<<<")
  })
})

it("tells nothing from an empty text", () => {
  expect(cleanTextOrNull(" \u200B ", 10)).toBeNull()
  expect(cleanTextOrNull(undefined, 10)).toBeNull()
})

describe("httpUrl", () => {
  it.each([
    ["https://example.org/a b", "https://example.org/a%20b"],
    [" http://example.org ", "http://example.org/"],
    ["javascript:alert(1)", null],
    ["//example.org/x", null],
    ["https://user:secret@example.org/", null],
    ["data:text/html,x", null],
    [`https://example.org/${"x".repeat(3000)}`, null],
    [null, null],
  ])("%j becomes %j", (text, expected) => expect(httpUrl(text)).toBe(expected))
})
