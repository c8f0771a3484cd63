import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { closest } from "fastest-levenshtein"
import { v7 } from "uuid"
import { readInstant } from "../../schemas/contract/parameters.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { pastPurged } from "../../schemas/events/versions.ts"
import { endpoints } from "../../schemas/registry.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { refuseReplay } from "../system/replay-folder.ts"
import { type Arguments, DONE, WrongUsage } from "./arguments.ts"
import { type Command, runWithSettings } from "./command.ts"

/** The name under which the log is written. */
const WRITER = "purge"

type Given = Arguments<Record<"from" | "to" | "operator" | "reason", { readonly type: "string" }>>

/** What the arguments ask for. Throws `WrongUsage` where they cannot be meant. */
const purgeOf = ({ positionals: [path = ""], values }: Given, nowMs: number): typeof pastPurged.data.Type => {
  const withPast = endpoints.filter(hasPast).map((endpoint) => endpoint.path)
  if (!withPast.includes(path))
    throw new WrongUsage(`no past is kept of ${path}; the nearest is ${closest(path, withPast)}`)
  const [from, to] = (["from", "to"] as const).map((name) => {
    const text = values[name]
    const at = text === undefined ? null : readInstant(text)
    if (at === null) throw new WrongUsage(`--${name} must be an instant with its zone, as 2026-11-20T05:00:00Z`)
    return at
  })
  if (from === undefined || to === undefined || from >= to) throw new WrongUsage("--from must be before --to")
  if (Date.parse(to) > nowMs)
    throw new WrongUsage("--to has not come yet: what is served from now on is not of the past")
  const { operator = "", reason = "" } = values
  const data = { path, from, to, operator: operator.trim(), reason: reason.trim() }
  if (!Schema.is(pastPurged.data)(data))
    throw new WrongUsage(
      "--operator NAME and --reason TEXT must say who does it and why, in 500 characters each at most",
    )
  return data
}

const purge =
  (data: typeof pastPurged.data.Type): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* refuseMissing(settings)
      if (settings.kafkaBrokers === null) yield* refuseReplay(settings.dataDirectory)
      yield* holdLog(settings)
      const log = yield* openWholeLog(settings)
      const writer = yield* log.claim(WRITER, [pastPurged.topic])
      const event = makeEvent(pastPurged, {
        id: v7(),
        source: "tidewire/operator",
        subject: data.path,
        time: instant(Date.now()),
        data,
      })
      yield* writer.commit([{ topic: pastPurged.topic, key: WRITER, value: encodeEvent(event) }])
      process.stdout.write(
        `${data.path} from ${data.from} to ${data.to} answers withdrawn once the history has this entry, ${event.id}\n`,
      )
      return DONE
    })

/** Takes past replies out of what is shown. */
export const run = (given: Given): Promise<number> => runWithSettings(purge(purgeOf(given, Date.now())))
