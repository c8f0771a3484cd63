import { describe, expect, it } from "vitest"
import { placeOf, pointIn, squareOf } from "../world-view.js"
import { placeText } from "./card.js"
import { gathered } from "./gather.js"
import { boxAfterKey } from "./gestures.js"
import { boxAround, holds, moved, WORLD, ZOOM_MAX, zoomed, zoomOf } from "./view-box.js"

const spotAt = (x: number, y: number, weight: number, layer = "a") => ({
  layer,
  point: { lat: 90 - y, lon: x - 180, weight, at: null, title: `${layer} ${weight}` },
  x,
  y,
})

describe("the box that the map shows", () => {
  it("keeps the place under the pointer where it is, at every zoom", () => {
    const fixed = { x: 250, y: 60 }
    const share = ({ x, y, width, height }: typeof WORLD) => [(fixed.x - x) / width, (fixed.y - y) / height]
    let box = WORLD
    for (let step = 0; step < 12; step += 1) {
      box = zoomed(box, 1.3, fixed)
      const [across = 0, down = 0] = share(box)
      expect(across).toBeCloseTo(share(WORLD)[0] ?? 0, 6)
      expect(down).toBeCloseTo(share(WORLD)[1] ?? 0, 6)
    }
    expect(zoomOf(box)).toBeCloseTo(1.3 ** 12, 6)
  })

  it("never leaves the world, and has a largest and a smallest zoom", () => {
    expect(zoomed(WORLD, 0.1)).toEqual(WORLD)
    const close = zoomed(WORLD, 1e9, { x: 0, y: 5 })
    expect(zoomOf(close)).toBeCloseTo(ZOOM_MAX, 9)
    for (const by of [
      { x: 1e6, y: 1e6 },
      { x: -1e6, y: -1e6 },
    ]) {
      const { x, y, width, height } = moved(close, by)
      expect(x >= WORLD.x && x + width <= WORLD.x + WORLD.width).toBe(true)
      expect(y >= WORLD.y && y + height <= WORLD.y + WORLD.height).toBe(true)
    }
    expect(moved(WORLD, { x: 40, y: 40 })).toEqual(WORLD)
  })

  it("shows all places that it is made for, also at the edge of the world and where they are at one point", () => {
    for (const places of [
      [placeOf({ lat: 10, lon: 20 }), placeOf({ lat: 12, lon: 26 })],
      [placeOf({ lat: 89, lon: -180 })],
      [placeOf({ lat: 1, lon: 1 }), placeOf({ lat: 1, lon: 1 })],
      [placeOf({ lat: 60, lon: -179 }), placeOf({ lat: -60, lon: 179 })],
    ]) {
      const box = boxAround(places)
      expect(zoomOf(box)).toBeGreaterThanOrEqual(1)
      for (const place of places) if (place.y >= WORLD.y) expect(holds(box, place)).toBe(true)
    }
  })

  it("follows its keys alone", () => {
    const box = zoomed(WORLD, 4)
    expect(zoomOf(boxAfterKey(box, "+") ?? WORLD)).toBeGreaterThan(4)
    expect(zoomOf(boxAfterKey(box, "-") ?? WORLD)).toBeLessThan(4)
    expect(boxAfterKey(box, "ArrowLeft")?.x).toBeLessThan(box.x)
    expect(boxAfterKey(box, "ArrowDown")?.y).toBeGreaterThan(box.y)
    expect([boxAfterKey(box, "0"), boxAfterKey(box, "a")]).toEqual([WORLD, null])
  })
})

describe("the gathering of places", () => {
  it("holds each place once, under the most severe one nearer than the distance", () => {
    const spots = Array.from({ length: 300 }, (_, at) =>
      spotAt((at * 37) % 360, (at * 53) % 164, ((at * 29) % 100) / 100),
    )
    for (const distance of [0.5, 7, 40, 500]) {
      const all = gathered(spots, distance)
      expect(all.flatMap((one) => one.spots).toSorted((a, b) => a.x - b.x || a.y - b.y)).toEqual(
        spots.toSorted((a, b) => a.x - b.x || a.y - b.y),
      )
      for (const { lead, spots: own } of all)
        for (const spot of own) {
          expect(Math.hypot(spot.x - lead.x, spot.y - lead.y)).toBeLessThan(distance)
          expect(spot.point.weight).toBeLessThanOrEqual(lead.point.weight)
        }
      // No two of them would overlap.
      for (const [at, { lead }] of all.entries())
        for (const other of all.slice(at + 1))
          expect(Math.hypot(other.lead.x - lead.x, other.lead.y - lead.y)).toBeGreaterThanOrEqual(distance)
    }
  })

  it("is of all kinds together, and of the order of the list among equal ones", () => {
    const [one] = gathered([spotAt(1, 1, 0.5, "a"), spotAt(1, 1, 0.5, "b"), spotAt(1, 1, 0.9, "c")], 2)
    expect(one?.spots.map(({ layer }) => layer)).toEqual(["c", "a", "b"])
    expect(gathered([], 2)).toEqual([])
  })
})

describe("a place on the map", () => {
  it("is read back from the element that the server has drawn", () => {
    const point = { lat: -57.21, lon: 154.88, weight: 0.43, at: "2026-08-17T20:33:01.000Z", title: "M 4.6" }
    const { x, y, size } = squareOf(point)
    const attributes: Readonly<Record<string, string>> = { x, y, width: size, "data-at": point.at }
    const use = { getAttribute: (name: string) => attributes[name] ?? null, textContent: point.title }
    expect(pointIn(use)).toEqual(point)
  })

  it("is said with its hemispheres", () => {
    expect(placeText({ lat: 57.2, lon: -154.8 })).toBe("57.20° N, 154.80° W")
    expect(placeText({ lat: -0.5, lon: 0 })).toBe("0.50° S, 0.00° E")
  })
})
