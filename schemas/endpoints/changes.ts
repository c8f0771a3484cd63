import * as Schema from "effect/Schema"
import { Change, CursorText } from "../change.ts"
import {
  CHANGES_DEFAULT,
  CHANGES_MAX,
  changesParameters,
  changesResponses,
  WAIT_MAX_SECONDS,
} from "../contract/changes.ts"
import { endpoint } from "../contract/endpoint.ts"
import { wholeNumber } from "../contract/parameters.ts"

const example = {
  cursor: "k7f2qdxa.000000001042",
  type: "changed",
  feed: "earthquakes",
  endpoint: "climate/earthquakes",
  parameters: { magnitude: "2.5", period: "day" },
  key: "us7000abcd",
  item: { id: "us7000abcd", magnitude: 4.7, place: "12 km S of Ferndale, California" },
  before: { id: "us7000abcd", magnitude: 4.5, place: "12 km S of Ferndale, California" },
  happened_at: "2026-08-17T20:21:07.120Z",
  known_at: "2026-08-17T20:35:00.000Z",
  source: "USGS",
} as const

const { cursor } = example

/** A page of changes, or the next one as soon as there is one. */
export const changesEndpoint = endpoint({
  path: "/api/changes",
  name: "changes",
  kind: "changes",
  form: "page",
  summary: "What is new: changes of the items of every feed, behind a cursor",
  description: [
    "Each reply gives the cursor for the next call (`next`); none is missed and none comes twice. Without `after`: the newest",
    `changes. A call looks at a bounded number of changes, so that a page may hold few or none before the end (\`up_to_date\`)`,
    "is reached. A filter leaves out changes of feeds whose items lack the member; a change matches where the item or the one",
    "before does. With `wait` a call without a match at the end is answered with the next match, or with 204 and the next",
    "cursor in X-Service-Next-Cursor.",
  ].join(" "),
  parameters: {
    ...changesParameters,
    limit: {
      schema: wholeNumber({ minimum: 1, maximum: CHANGES_MAX }),
      description: `How many changes at most, 1 to ${CHANGES_MAX}`,
      default: String(CHANGES_DEFAULT),
      example: "10",
    },
    wait: {
      schema: wholeNumber({ minimum: 0, maximum: WAIT_MAX_SECONDS }),
      description: `How long to wait for the next match, 0 to ${WAIT_MAX_SECONDS}`,
      unit: "seconds",
      default: "0",
      example: "0",
    },
  },
  data: Schema.Struct({
    changes: Schema.Array(Change).annotate({ description: "In the order in which they were observed" }),
    next: Schema.NullOr(CursorText).annotate({
      description: "The `after` of the next call; null while this log holds no change",
    }),
    up_to_date: Schema.Boolean.annotate({ description: "Whether nothing follows yet" }),
  }),
  responses: {
    ...changesResponses,
    204: {
      description: "No change matched within `wait`",
      headers: ["Cache-Control", "X-Service-Next-Cursor"],
      body: null,
    },
  },
  example: { changes: [example], next: cursor, up_to_date: true },
})

/** The changes as they happen. */
export const streamEndpoint = endpoint({
  path: "/api/stream",
  name: "stream",
  kind: "changes",
  form: "stream",
  summary: "Changes as they happen, as server-sent events",
  description: [
    "Events `change` hold a change, with its cursor as the id. An event `heartbeat` without data comes every 15 seconds; its id",
    "says how far the stream is, so that a filtered reader resumes there too. Without a cursor: from now on. `Last-Event-ID` wins over",
    "`after`. Where what follows `Last-Event-ID` can no longer be read, an event `gap` {from, to} says so, and the oldest",
    "changes follow. A connection ends after about 10 minutes, or when its reader reads nothing for 30 seconds: connect again",
    "with the last id.",
  ].join(" "),
  parameters: changesParameters,
  data: Schema.String.annotate({ description: "Server-sent events; the data of `change` is a change as JSON" }),
  responses: changesResponses,
  example: `event: change\nid: ${cursor}\ndata: ${JSON.stringify(example)}\n\n`,
})
