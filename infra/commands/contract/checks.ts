import { isDeepStrictEqual } from "node:util"
import { departuresOf, type ReceivedReply } from "../../../schemas/contract/conformance.ts"
import { type Endpoint, isPremium, isView, type ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { reservedMembers } from "../../../schemas/contract/envelope.ts"
import { FIELDS, selectFields } from "../../../schemas/contract/fields.ts"
import { hasPast, NOW } from "../../../schemas/contract/past.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { mediaTypeOf } from "../../../schemas/formats/format.ts"
import type { Json } from "../../../schemas/json.ts"
import { isRequired } from "../../../schemas/printers/openapi.ts"
import type { Ask, Request } from "./exchange.ts"

/** What came of a check. */
export type Outcome =
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Skipped"; readonly why: string }
  | { readonly _tag: "Failed"; readonly problems: ReadonlyArray<string> }

/** One thing that the contract says of an installation. */
export interface Check {
  /** The endpoint's path, or `service`. */
  readonly of: string
  readonly name: string
  readonly run: (ask: Ask) => Promise<Outcome>
}

const passed: Outcome = { _tag: "Passed" }
const skipped = (why: string): Outcome => ({ _tag: "Skipped", why })
const outcomeOf = (problems: ReadonlyArray<string>): Outcome =>
  problems.length === 0 ? passed : { _tag: "Failed", problems }

/** Why an endpoint may serve nothing, by the `error` of its refusal: no fault of the contract. */
const NOTHING_TO_SERVE = new Set([
  "warming",
  "not_offered",
  "not_configured",
  "not_licensed",
  "not_settled",
  "before_history",
  "no_history",
  "withdrawn",
  "history_unavailable",
])

const membersOf = ({ text }: ReceivedReply): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

const errorOf = (reply: ReceivedReply): string => String(membersOf(reply).error ?? "")

/** The address of a reply with the defaults, and the examples of what has none. */
const addressOf = ({ path, parameters }: Endpoint, more: Readonly<Record<string, string>> = {}): string =>
  instanceKey(path, {
    ...Object.fromEntries(
      Object.entries(parameters).flatMap(([name, one]) => (isRequired(one) ? [[name, one.example]] : [])),
    ),
    ...more,
  })

/** Asks, and expects a reply of this status that the contract documents; `further` looks at what it says. */
const expectReply = async (
  ask: Ask,
  endpoint: Endpoint,
  request: Request,
  status: number,
  further: (reply: ReceivedReply) => ReadonlyArray<string> = () => [],
): Promise<Outcome> => {
  const reply = await ask(request)
  const departures = departuresOf(endpoint, reply)
  if (departures.length > 0) return outcomeOf(departures)
  // What an operator has to name first, as the contact of security.txt.
  const isUnset = endpoint.kind === "document" && reply.status === 404
  if (reply.status !== status && (isUnset || NOTHING_TO_SERVE.has(errorOf(reply)))) return skipped(errorOf(reply))
  if (reply.status !== status) return outcomeOf([`status ${reply.status} (${errorOf(reply)}), and not ${status}`])
  return outcomeOf(further(reply))
}

/** A prepared reply may be replaced between two requests: a check of two is repeated so often. */
const ATTEMPTS = 3

const headProblems = async (ask: Ask, endpoint: Endpoint, path: string): Promise<ReadonlyArray<string>> => {
  const [whole, head] = [await ask({ path }), await ask({ method: "HEAD", path })]
  const compared = ["content-type", "etag"].filter((name) => whole.headers[name] !== head.headers[name])
  return [
    ...departuresOf(endpoint, head),
    ...(head.status === whole.status ? [] : [`HEAD has status ${head.status}, GET ${whole.status}`]),
    ...compared.map(
      (name) => `HEAD has ${name} ${head.headers[name] ?? "(none)"}, GET ${whole.headers[name] ?? "(none)"}`,
    ),
  ]
}

const revalidationProblems = async (ask: Ask, endpoint: Endpoint, path: string): Promise<ReadonlyArray<string>> => {
  const whole = await ask({ path })
  const { etag } = whole.headers
  // A reply without data, or one that is still being made, is not kept.
  const isKept = !/\bno-store\b/.test(whole.headers["cache-control"] ?? "")
  if (whole.status !== 200 || !isKept) return []
  if (etag === undefined) return ["the reply has no ETag"]
  const again = await ask({ path, headers: { "if-none-match": etag } })
  return again.status === 304
    ? departuresOf(endpoint, again)
    : [`the ETag of a reply is answered with ${again.status}, and not 304`]
}

/** What must hold at least once of some attempts. */
const once = async (find: () => Promise<ReadonlyArray<string>>): Promise<Outcome> => {
  let problems: ReadonlyArray<string> = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    problems = await find()
    if (problems.length === 0) return passed
  }
  return outcomeOf(problems)
}

/** A reply with some fields holds no others; it need not have the members that the contract requires of the whole one. */
const selected = async (ask: Ask, endpoint: ViewEndpoint, fields: ReadonlyArray<string>): Promise<Outcome> => {
  const reply = await ask({ path: addressOf(endpoint, { [FIELDS]: fields.join(",") }) })
  if (reply.status !== 200)
    return NOTHING_TO_SERVE.has(errorOf(reply)) ? skipped(errorOf(reply)) : outcomeOf([`status ${reply.status}`])
  const body = membersOf(reply)
  const isBeside = endpoint.envelope !== "data"
  const beside = reservedMembers(endpoint.envelope)
  const own = Object.entries(body).filter(([name]) => !beside.has(name))
  // Decoded JSON.
  const data = (isBeside ? Object.fromEntries(own) : (body.data ?? null)) as Json
  const isKept = isDeepStrictEqual(selectFields(data, endpoint.table, fields), data)
  return outcomeOf([
    ...(Object.hasOwn(body, "_meta") ? [] : ["_meta is missing"]),
    ...(isKept ? [] : [`it holds more than ${fields.join(", ")}`]),
  ])
}

/** A text that no parameter takes. */
const WRONG = "\u{1F30A}?"

/** The parameters whose wrong values are refused. */
const refusing = ({ parameters }: Endpoint): ReadonlyArray<string> =>
  Object.entries(parameters).flatMap(([name, { whenWrong, text, schema }]) =>
    whenWrong === undefined && (text !== undefined || schema.ast._tag !== "String") ? [name] : [],
  )

const checksOfReads = (endpoint: Endpoint): ReadonlyArray<Check> => {
  const { path } = endpoint
  const of = (name: string, run: Check["run"]): Check => ({ of: path, name, run })
  const address = addressOf(endpoint)
  const formats = "formats" in endpoint ? endpoint.formats.filter((format) => format !== "json") : []
  const [parameter] = refusing(endpoint)
  return [
    of("answers as documented", (ask) => expectReply(ask, endpoint, { path: address }, 200)),
    ...(endpoint.kind === "history"
      ? []
      : [of("answers HEAD as GET", (ask) => once(() => headProblems(ask, endpoint, address)))]),
    ...(endpoint.responses[304] === undefined || endpoint.kind === "history"
      ? []
      : [of("confirms what a client holds", (ask) => once(() => revalidationProblems(ask, endpoint, address)))]),
    ...formats.map((format) =>
      of(`answers as ${format}`, (ask) =>
        expectReply(ask, endpoint, { path: addressOf(endpoint, { format }) }, 200, ({ headers }) =>
          headers["content-type"]?.startsWith(mediaTypeOf[format]) === true
            ? []
            : [`its type is ${headers["content-type"]}`],
        ),
      ),
    ),
    ...(isView(endpoint) && endpoint.fields.length > 0
      ? [
          of("answers with the fields that are asked for", (ask) =>
            selected(ask, endpoint, endpoint.fields.slice(0, 2)),
          ),
        ]
      : []),
    ...(parameter === undefined
      ? []
      : [
          of(`refuses a wrong ${parameter}`, (ask) =>
            expectReply(ask, endpoint, { path: addressOf(endpoint, { [parameter]: WRONG }) }, 400, (reply) =>
              membersOf(reply).parameter === parameter
                ? []
                : [`the problem names the parameter ${membersOf(reply).parameter}`],
            ),
          ),
        ]),
    ...(isView(endpoint) && hasPast(endpoint)
      ? [
          of("answers as it was known", (ask) =>
            expectReply(ask, endpoint, { path: addressOf(endpoint, { at: NOW }) }, 200, ({ headers }) =>
              headers["memento-datetime"] === undefined ? ["it has no Memento-Datetime"] : [],
            ),
          ),
        ]
      : []),
  ]
}

/** A call without a token is refused with what it costs. */
const refusedUnpaid = (endpoint: Endpoint): Check => ({
  of: endpoint.path,
  name: "refuses a call without a token, and says its price",
  run: (ask) =>
    expectReply(ask, endpoint, { path: addressOf(endpoint) }, 402, (reply) => {
      const { error, pricing } = membersOf(reply)
      const says = typeof pricing === "object" && pricing !== null && Object.keys(pricing).length > 0
      return [
        ...(error === "missing_token" ? [] : [`error is ${JSON.stringify(error)}`]),
        ...(says ? [] : ["it names no price"]),
      ]
    }),
})

const balanceOf = async (ask: Ask, authorization: string): Promise<number> => {
  const reply = await ask({ path: "/api/payment/balance", headers: { authorization } })
  const { credits } = membersOf(reply)
  if (typeof credits !== "number") throw new Error(`the balance is not told: ${reply.status} (${errorOf(reply)})`)
  return credits
}

/**
 * A call is charged what it says, once for its Idempotency-Key. The token must be used by nothing else meanwhile. `newKey` makes a
 * key that was never used.
 */
const chargedOnce = (endpoint: Endpoint, token: string, newKey: () => string): Check => ({
  of: endpoint.path,
  name: "charges a call what it says, and its repetition nothing",
  run: async (ask) => {
    const authorization = `Bearer ${token}`
    const request = { path: addressOf(endpoint), headers: { authorization, "idempotency-key": newKey() } }
    const before = await balanceOf(ask, authorization)
    const first = await ask(request)
    const departures = departuresOf(endpoint, first)
    if (departures.length > 0) return outcomeOf(departures)
    if (first.status !== 200) return skipped(errorOf(first))
    const after = await balanceOf(ask, authorization)
    const again = await ask(request)
    const last = await balanceOf(ask, authorization)
    const charged = Number(first.headers["x-credits-charged"])
    return outcomeOf([
      ...(isPremium(endpoint) && charged <= endpoint.credits ? [] : [`it was charged ${charged}`]),
      ...(before - after === charged
        ? []
        : [`it says ${charged} credits, and the balance fell from ${before} to ${after}`]),
      ...(again.text === first.text ? [] : ["the repetition under its Idempotency-Key has other bytes"]),
      ...(again.headers["idempotent-replayed"] === "true" ? [] : ["the repetition lacks Idempotent-Replayed"]),
      ...(last === after ? [] : [`the repetition was charged ${after - last}`]),
    ])
  },
})

const notJson = (endpoint: Endpoint): Check => ({
  of: endpoint.path,
  name: "refuses a body that is no JSON",
  run: async (ask) => {
    const reply = await ask({ method: "POST", path: endpoint.path, body: "{" })
    const departures = departuresOf(endpoint, reply)
    return outcomeOf(reply.status >= 400 && reply.status < 500 ? departures : [`status ${reply.status}`, ...departures])
  },
})

const firstOfStream = (endpoint: Endpoint): Check => ({
  of: endpoint.path,
  name: "begins a stream",
  run: (ask) =>
    expectReply(ask, endpoint, { path: endpoint.path, isStream: true }, 200, ({ text }) =>
      text.startsWith("retry: ") ? [] : ["its first bytes are no time to come back"],
    ),
})

const otherMethod = (endpoint: Endpoint): Check => ({
  of: endpoint.path,
  name: "refuses other methods, and names its own",
  run: (ask) =>
    expectReply(
      ask,
      endpoint,
      {
        method: endpoint.method === "GET" ? "POST" : "GET",
        path: endpoint.path,
        ...(endpoint.method === "GET" ? { body: "{}" } : {}),
      },
      405,
      ({ headers }) =>
        headers.allow?.includes(endpoint.method) === true ? [] : [`Allow is ${headers.allow ?? "missing"}`],
    ),
})

const checksOf = (endpoint: Endpoint): ReadonlyArray<Check> => {
  if (endpoint.kind === "command") return endpoint.method === "POST" ? [notJson(endpoint), otherMethod(endpoint)] : []
  if (endpoint.kind === "changes" && endpoint.form === "stream") return [firstOfStream(endpoint)]
  return isPremium(endpoint) ? [refusedUnpaid(endpoint)] : checksOfReads(endpoint)
}

const unknownPath: Check = {
  of: "service",
  name: "refuses an unknown path with a problem",
  run: async (ask) => {
    const reply = await ask({ path: "/api/there-is-nothing-here" })
    const { error, status, title } = membersOf(reply)
    return outcomeOf([
      ...(reply.status === 404 ? [] : [`status ${reply.status}`]),
      ...(reply.headers["content-type"]?.startsWith("application/problem+json") === true
        ? []
        : [`its type is ${reply.headers["content-type"]}`]),
      ...(error === "not_found" && status === 404 && typeof title === "string"
        ? []
        : ["the problem lacks error, status or title"]),
    ])
  },
}

/** The catalogue and the OpenAPI document name the same paths. */
const listed = (offered: ReadonlySet<string>): Check => ({
  of: "service",
  name: "lists in the OpenAPI document what its catalogue lists",
  run: async (ask) => {
    const { paths } = membersOf(await ask({ path: "/openapi.json" }))
    const named = new Set(Object.keys(typeof paths === "object" && paths !== null ? paths : {}))
    return outcomeOf([
      ...[...offered].filter((path) => !named.has(path)).map((path) => `${path} is in the catalogue alone`),
      ...[...named].filter((path) => !offered.has(path)).map((path) => `${path} is in the OpenAPI document alone`),
    ])
  },
})

/** The paths that an installation offers, by its catalogue. */
const offeredPaths = async (ask: Ask): Promise<ReadonlySet<string>> => {
  const reply = await ask({ path: "/api" })
  const { endpoints } = membersOf(reply)
  if (!Array.isArray(endpoints)) throw new Error(`there is no catalogue at /api: status ${reply.status}`)
  return new Set(
    endpoints.flatMap((one: unknown) =>
      typeof one === "object" && one !== null && "path" in one ? [String(one.path)] : [],
    ),
  )
}

/**
 * Every check of an installation. What its catalogue does not list is skipped; with a token the premium endpoints that cost at most
 * `creditsMax` together are called, the cheapest first: `paid`, which are run one after another, as each reads the balance.
 */
export const checksFor = async (
  ask: Ask,
  endpoints: ReadonlyArray<Endpoint>,
  paying: { readonly token: string; readonly creditsMax: number; readonly newKey: () => string } | null,
): Promise<{ readonly open: ReadonlyArray<Check>; readonly paid: ReadonlyArray<Check> }> => {
  const offered = await offeredPaths(ask)
  let left = paying?.creditsMax ?? 0
  const paid = endpoints
    .filter(isPremium)
    .filter(({ path }) => offered.has(path))
    .toSorted((one, other) => one.credits - other.credits)
    .filter(({ credits }) => {
      left -= credits
      return left >= 0
    })
  return {
    open: [
      unknownPath,
      listed(offered),
      ...endpoints.flatMap((endpoint) =>
        offered.has(endpoint.path)
          ? checksOf(endpoint)
          : [{ of: endpoint.path, name: "answers as documented", run: async () => skipped("not offered") }],
      ),
    ],
    paid: paying === null ? [] : paid.map((endpoint) => chargedOnce(endpoint, paying.token, paying.newKey)),
  }
}
