import { type Envelope, instant } from "../../schemas/event.ts"
import { DAILY, type Earthquake } from "../../schemas/feeds/earthquakes.ts"
import type { Launch } from "../../schemas/feeds/launches.ts"
import type { PredictionMarket } from "../../schemas/feeds/predictions.ts"
import type { Story } from "../../schemas/feeds/tech-news.ts"
import type { Json } from "../../schemas/json.ts"
import type { LearntDelta, WorldDelta } from "../../schemas/payloads/world-delta.ts"
import { type GivenEvent, observed } from "./folding.ts"

// Items of the feeds whose changes are events of the world, and polls of them.

export const quake = (
  id: string,
  magnitude: number | null,
  originMs: number,
  more: Partial<Earthquake> = {},
): Earthquake => ({
  id,
  type: "earthquake",
  magnitude,
  magnitudeType: "mww",
  place: "100 km S of Kodiak, Alaska",
  time: instant(originMs),
  revisedAt: instant(originMs),
  latitude: 57.2,
  longitude: -154.8,
  depthKm: 21.4,
  tsunami: false,
  alert: null,
  significance: 300,
  status: "reviewed",
  url: "https://earthquake.usgs.gov/earthquakes/eventpage/x",
  ...more,
})

export const story = (id: number, more: Partial<Story> = {}): Story => ({
  id,
  kind: "story",
  title: `Story ${id}`,
  url: `https://news.example/${id}`,
  discussionUrl: `https://news.ycombinator.com/item?id=${id}`,
  author: "someone",
  score: 30,
  comments: 3,
  postedAt: "2026-11-20T00:00:00.000Z",
  ...more,
})

/** A market with the answers Yes and No. */
export const market = (id: string, yes: number | null, more: Partial<PredictionMarket> = {}): PredictionMarket => ({
  id,
  question: `Question ${id}?`,
  outcomes: [
    { name: "Yes", probability: yes },
    { name: "No", probability: yes === null ? null : Number((1 - yes).toFixed(4)) },
  ],
  volume24hUsd: 50_000,
  volumeUsd: 1_000_000,
  endsAt: null,
  url: `https://polymarket.com/event/${id}`,
  ...more,
})

export const launch = (id: string, netMs: number | null, more: Partial<Launch> = {}): Launch => ({
  id,
  name: `Kestrel 3 | ${id}`,
  provider: "Northern Launch Company",
  vehicle: "Kestrel 3",
  mission: id,
  status: "Go for Launch",
  statusAbbreviation: "Go",
  net: netMs === null ? null : instant(netMs),
  netPrecision: "minute",
  windowStart: null,
  windowEnd: null,
  pad: null,
  location: null,
  latitude: null,
  longitude: null,
  probabilityPercent: null,
  webcastLive: null,
  url: "https://ll.thespacedevs.com/2.3.0/launches/x/",
  updatedAt: null,
  ...more,
})

const polled =
  (feed: string, facts: Json, parameters: Readonly<Record<string, string>> = {}) =>
  (atMs: number, items: ReadonlyArray<unknown>): GivenEvent =>
    // Items are plain JSON.
    observed(atMs, feed, { items: items as ReadonlyArray<Json>, facts }, { parameters })

/** Polls that bring a list. */
export const polls = {
  quakes: polled("earthquakes", {}, DAILY),
  frontPage: polled("tech-news", { order: "rank" }),
  markets: polled("predictions", {}),
  catalogue: polled("launches", {}),
}

/** The events of the world among derived events, those that are learnt, in their order. */
export const learntOf = (derived: ReadonlyArray<Envelope<string, unknown>>): ReadonlyArray<LearntDelta> =>
  derived.flatMap(({ data }) => {
    const delta = data as WorldDelta
    return delta.type === "space_launch" ? [] : [delta]
  })
