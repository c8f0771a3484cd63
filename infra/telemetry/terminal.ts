import { isatty } from "node:tty"

/** Whether people read what is written to a file descriptor. */
export const isTerminal = (descriptor: number): boolean => isatty(descriptor)

/** The same fault of another instance, or once more, is not shown within this time. */
const REPEAT_MS = 600_000
const REMEMBERED_MAX = 500
const LINE_MAX_CHARACTERS = 200

interface Entry {
  readonly level?: unknown
  readonly time?: unknown
  readonly msg?: unknown
  readonly part?: unknown
  readonly api?: unknown
  readonly admin?: unknown
  readonly clickhouse?: unknown
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const entryOf = (line: string): Entry => {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

/** The address for a browser, and where operators look. */
const startedText = ({ api, admin, clickhouse }: Entry): string =>
  [
    ...(text(api) === "" ? [] : [`Tidewire  ${text(api)}/`]),
    `  ready?      ${text(admin)}/readyz`,
    `  metrics     ${text(admin)}/metrics`,
    ...(text(clickhouse) === "" ? [] : [`  ClickHouse  ${text(clickhouse)}`]),
  ].join("\n")

/** Text of an upstream may stand in a message: it moves no cursor. */
const printable = (line: string): string => {
  const safe = line.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, "?")
  return safe.length > LINE_MAX_CHARACTERS ? `${safe.slice(0, LINE_MAX_CHARACTERS - 1)}…` : safe
}

/** What is the same for all instances of a feed, whatever fails of them: their names stand before `?`. */
const kindOf = (level: string, message: string): string =>
  `${level} ${message
    .replace(/^([^\s?]+)\S* fails: .*$/s, "$1 fails")
    .replace(/\?\S*/, "")
    .replace(/\d+/g, "0")}`

/**
 * Makes the function that gives a line of the log (JSON) as people read it at a terminal; null for one that is not shown: what goes
 * well beside the start and the end, and what was said a short time ago. With `isWhole` every line is shown.
 */
export const makeTerminalLines = (
  isWhole: boolean,
  nowMs: () => number = () => performance.now(),
): ((line: string) => string | null) => {
  const shownAtMs = new Map<string, number>()
  const isNew = (kind: string): boolean => {
    const at = nowMs()
    if (at - (shownAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return false
    if (shownAtMs.size >= REMEMBERED_MAX) shownAtMs.clear()
    shownAtMs.set(kind, at)
    return true
  }
  return (line) => {
    const entry = entryOf(line)
    const [level, message, part] = [text(entry.level), text(entry.msg), text(entry.part)]
    if (message === "started" && text(entry.admin) !== "") return startedText(entry)
    const isFault = level === "warn" || level === "error" || level === "fatal"
    const isSaid = isWhole || message === "stopping" || message === "stopped" || part === "state"
    if (!isSaid && !(isFault && isNew(kindOf(level, message)))) return null
    const head = [text(entry.time).slice(11, 19), ...(isFault || isWhole ? [level] : [])]
    return printable([...head, part === "" || part === "state" ? message : `${part}: ${message}`].join("  "))
  }
}
