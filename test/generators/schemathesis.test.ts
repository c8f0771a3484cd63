import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { apiUnderTest, START_MS } from "../../api/testing/api-under-test.ts"
import { apiWithChanges, ListedChanges } from "../../api/testing/listed-changes.ts"
import { ListedHistory } from "../../api/testing/listed-history.ts"
import { scriptedPast } from "../../api/testing/scripted-past.ts"
import { isView } from "../../schemas/contract/endpoint-kinds.ts"
import { FIELDS } from "../../schemas/contract/fields.ts"
import { changesEndpoint, streamEndpoint } from "../../schemas/endpoints/changes.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"
import { pythonMissing } from "../clients/drivers.ts"
import { installedIn, pipInstall, removeSideFolder, runProgram } from "../support/side-folder.ts"

// That no reply of the doors to the changes, of the past and of histories is undocumented, as a tester sees it that makes requests of
// the published document.

const TESTER = "schemathesis==4.32.5"
const TEST_MS = 300_000
/** The service's clock goes so much faster: calls that wait for a change take a part of their time. */
const PACE = 100
/** Streams end after this time: the tester reads each to its end. */
const STREAM_MS = 50

/** A list, a value, a list that is filtered, and one of several feeds. */
const TESTED = ["/api/climate/earthquakes", "/api/fear-greed", "/api/crypto-movers", "/api/cyber-threats"]
const MINUTE_MS = 60_000
const FIRST_MS = START_MS - 60 * MINUTE_MS
const UNLIMITED = 1_000_000

const folder = pythonMissing() === undefined ? await installedIn(TESTER, (into) => pipInstall(into, TESTER)) : null
afterAll(() => (folder === null ? undefined : removeSideFolder(folder)))

/**
 * Schemas cannot say which names a service knows, nor what its log holds, so that a valid request may be refused for these
 * reasons. Too long an address is a refusal too.
 */
const config = `
[checks]
negative_data_rejection.expected-statuses = [400, 405, 410, 414, 431]
`
const checks = `
from datetime import date

import schemathesis
from schemathesis import GenerationMode

KNOWN_BY_THE_SERVICE = {
    "unknown_feed", "unknown_filter", "other_log", "future_cursor", "cursor_gone",
    "future_instant", "not_settled", "before_history", "no_history", "invalid_cursor", "uri_too_long",
}

def names_no_day(text):
    try:
        date.fromisoformat(str(text)[:10])
    except ValueError:
        return True
    return False

def is_beyond_patterns(problem, case):
    """That a day exists, that one bound is not after the other, and that a reply has given a cursor are no matter of a pattern."""
    name, query = problem.get("parameter"), case.query
    if name == "from" and "to" in query:
        return True
    return name in ("bbox", "cursor") or (name in ("at", "from", "to") and names_no_day(query[name]))

@schemathesis.check
def valid_data_is_refused_by_name(ctx, response, case):
    modes = [case.meta.generation.mode, *(component.mode for component in case.meta.components.values())]
    if all(mode == GenerationMode.POSITIVE for mode in modes) and response.status_code >= 400:
        problem = response.json()
        error = problem["error"]
        assert error in KNOWN_BY_THE_SERVICE or is_beyond_patterns(problem, case), f"a valid request was refused: {error}"
`

/** What the published document has as text, for which its version has no other form: the events of a stream. */
const streamEvent = {
  type: "object",
  required: ["id"],
  properties: {
    id: { $ref: "#/components/schemas/Cursor" },
    event: { enum: ["change", "heartbeat", "gap"] },
    data: { type: "string", contentMediaType: "application/json" },
    retry: { type: "integer" },
  },
  dependentRequired: { event: ["data"], data: ["event"] },
  additionalProperties: false,
}

/** The schema of a parameter, half of whose values are these. */
const orSome = (schema: object, some: ReadonlyArray<string>) => ({ anyOf: [{ enum: some }, schema] })

/** The document as the tester reads it: half of its cursors are of the log of the test, the first one gone, half of its feeds known. */
const documentOf = (changes: ListedChanges, url: string): string => {
  const document = buildOpenApi({ endpoints: [changesEndpoint, streamEndpoint], baseUrl: url })
  const places = [...[1, 60, 290, 1_000_000].map((ordinal) => changes.cursor(ordinal)), "start", "now"]
  return JSON.stringify(document, (name, value) => {
    if (name === "text/event-stream") return { itemSchema: streamEvent }
    if (value?.name === "after" || value?.name === "Last-Event-ID")
      return { ...value, schema: orSome(value.schema, places), example: places[0] }
    if (value?.name === "feeds") {
      const items = orSome(value.schema.items, ["earthquakes", "coins", "fear-greed"])
      return { ...value, schema: { ...value.schema, items } }
    }
    return value
  })
}

/** What the tester prints, and whether it found nothing. */
const test = async (document: string, url: string, ...more: ReadonlyArray<string>) => {
  const at = (name: string) => join(folder ?? "", name)
  writeFileSync(at("openapi.json"), document)
  writeFileSync(at("schemathesis.toml"), config)
  writeFileSync(at("refusals.py"), checks)
  const main = "from schemathesis.cli import schemathesis; schemathesis()"
  const words = ["-c", main, "--config-file", at("schemathesis.toml"), "run", at("openapi.json"), "--url", url]
  const chosen = ["--checks", "all", "--exclude-checks", "positive_data_acceptance"]
  const options = ["--seed", "1", "--generation-database", "none", "--no-color", ...more]
  return runProgram(process.env.PYTHON ?? "python3", [...words, ...chosen, ...options], {
    cwd: folder ?? "",
    env: { PATH: process.env.PATH, HOME: folder ?? "", PYTHONPATH: folder ?? "", SCHEMATHESIS_HOOKS: "refusals" },
    maxBuffer: 2 ** 26,
    timeout: TEST_MS,
  }).then(
    ({ stdout }) => ({ isClean: true, printed: stdout }),
    (failed: { readonly stdout: string; readonly stderr: string }) => ({
      isClean: false,
      printed: failed.stdout + failed.stderr,
    }),
  )
}

describe.skipIf(folder === null)("schemathesis (needs Python and a package registry)", () => {
  it(
    "finds no undocumented reply of pages and streams of changes",
    async () => {
      const changes = new ListedChanges()
      changes.add(...Array.from({ length: 300 }, (_, at) => (at % 3 === 1 ? null : { item: { magnitude: at % 10 } })))
      // What was before can no longer be read, and the window begins later still.
      changes.oldest = 50
      const { app, port } = await apiWithChanges(changes, {
        bounds: { changesMax: 100, bytesMax: 10_000_000 },
        nowMs: () => Date.now() + performance.now() * (PACE - 1),
        limits: { changesRequestsPerMinute: 1_000_000, streamsPerClientMax: 1_000 },
      })
      app.server.on("request", (request, response) => {
        if (request.url?.startsWith(streamEndpoint.path)) setTimeout(() => response.end(), STREAM_MS)
      })
      const url = `http://127.0.0.1:${port}`
      const document = documentOf(changes, url)
      const { isClean, printed } = await test(document, url, "--max-examples", "50")
      expect(isClean, printed).toBe(true)
      expect(printed).toMatch(/[1-9]\d{2,} generated, [1-9]\d{2,} passed/)

      const worse = JSON.stringify(JSON.parse(document), (name, value) => (name === "410" ? undefined : value))
      expect(await test(worse, url, "--phases", "examples")).toEqual({
        isClean: false,
        printed: expect.stringContaining("Received: 410"),
      })
    },
    TEST_MS,
  )

  it(
    "finds no undocumented reply of the past and of histories",
    async () => {
      const chosen = endpoints.filter(({ path }) => TESTED.some((one) => path === one || path === `${one}/history`))
      expect(chosen).toHaveLength(2 * TESTED.length)
      const past = scriptedPast()
      past.settle(START_MS - MINUTE_MS)
      const history = new ListedHistory(
        Array.from({ length: 300 }, (_, at) =>
          at % 3 === 0 ? { feed: "fear-greed", endpoint: "fear-greed", parameters: {}, item: { value: at } } : {},
        ),
      )
      const { fill, listen } = await apiUnderTest({
        endpoints: chosen,
        past: past.source,
        itemHistory: history,
        limits: {
          requestsPerDay: UNLIMITED,
          serviceRequestsPerMinute: UNLIMITED,
          pastRepliesPerMinute: UNLIMITED,
          changesRequestsPerMinute: UNLIMITED,
          renditionsPerMinute: UNLIMITED,
        },
      })
      for (const one of chosen.filter(isView)) {
        const defaults = Object.entries(one.parameters).flatMap(([name, parameter]) =>
          parameter.default === undefined ? [] : [[name, parameter.default] as const],
        )
        const key = instanceKey(one.path, Object.fromEntries(defaults))
        fill(key, one.example)
        past.version(key, FIRST_MS, one.example)
      }
      const cursors = [1, 60].map((ordinal) => past.change(ordinal, FIRST_MS + ordinal * 1_000))
      const url = `http://127.0.0.1:${await listen()}`
      const instants = [FIRST_MS - 1, FIRST_MS, START_MS - MINUTE_MS, START_MS, START_MS + 1].map(instant)
      const document = JSON.stringify(buildOpenApi({ endpoints: chosen, baseUrl: url }), (name, value) => {
        // Schemas are those of whole replies: one with some fields has not all members that they require.
        if (name === "parameters" && Array.isArray(value)) return value.filter((one) => one.name !== FIELDS)
        return value?.name === "at" && value.in === "query"
          ? { ...value, schema: orSome(value.schema, [...cursors, ...instants, "now"]) }
          : value
      })
      const { isClean, printed } = await test(document, url, "--max-examples", "50")
      expect(isClean, printed).toBe(true)
      expect(printed).toMatch(/[1-9]\d{2,} generated, [1-9]\d{2,} passed/)
      // Most of `at` are refused before anything is read, as their instants have not come yet.
      expect(past.reads()).toBeGreaterThan(20)
      expect(history.reads).toBeGreaterThan(100)
    },
    TEST_MS,
  )
})
