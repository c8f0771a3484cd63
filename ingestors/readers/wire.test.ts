import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { Decimal, EpochMs, EpochSeconds, IsoTime, isoMs } from "./wire.ts"

const decoded = <A>(schema: Schema.Codec<A, unknown>, input: unknown): A | null =>
  Option.getOrNull(Schema.decodeUnknownOption(schema)(input))

describe("wire forms", () => {
  it("reads times with any zone and any number of fraction digits", () => {
    const at = Date.UTC(2026, 5, 19, 16, 43, 33, 16)
    expect(isoMs("2026-06-19T16:43:33.016274911Z")).toBe(at)
    expect(isoMs("2026-06-19T09:43:33.016-07:00")).toBe(at)
    expect(isoMs("2026-06-19 16:43:33.016+00")).toBe(at)
    expect(isoMs("2026-06-19T16:43:33.016+0000")).toBe(at)
    expect(decoded(IsoTime, "2026-06-19T16:43:33.016Z")).toBe(at)
  })

  it("refuses what is no instant", () => {
    for (const text of [
      "",
      "2026-06-19",
      "2026-02-30T10:00:00Z",
      "2026-06-19T16:43:33",
      "2026-13-40T00:00:00Z",
      "yesterday",
      null,
      undefined,
    ])
      expect(isoMs(text)).toBeNull()
    expect(decoded(IsoTime, "2026-06-19")).toBeNull()
  })

  it("reads decimals as numbers and as text, and nothing else", () => {
    expect(decoded(Decimal, "63351.3")).toBe(63351.3)
    expect(decoded(Decimal, "-2.427")).toBe(-2.427)
    expect(decoded(Decimal, "1e-8")).toBe(1e-8)
    expect(decoded(Decimal, 76700)).toBe(76700)
    for (const text of ["", " ", "abc", "0x10", "NaN", "Infinity", "1e999", "1,5", null, {}])
      expect(decoded(Decimal, text)).toBeNull()
  })

  it("bounds epochs to years of four digits", () => {
    expect(decoded(EpochSeconds, "1788825600")).toBe(1788825600)
    expect(decoded(EpochSeconds, 1e13)).toBeNull()
    expect(decoded(EpochMs, -1)).toBeNull()
    expect(decoded(EpochMs, 8.64e15)).toBeNull()
  })
})
