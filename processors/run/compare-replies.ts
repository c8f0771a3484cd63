/** A changed reply of a view: its key, and the hash of its canonical form; null where it is removed. */
export type ReplyChange = readonly [key: string, hash: string | null]

/** Two folds of the same events, by the replies of their views. */
export interface ReplyComparison {
  /** Takes what one event changed in each fold. Gives the keys that differ after it, and did not before. */
  readonly take: (one: ReadonlyArray<ReplyChange>, other: ReadonlyArray<ReplyChange>) => ReadonlyArray<string>
  readonly keys: () => { readonly all: number; readonly differing: number }
}

/** Starts a comparison. It holds a hash of each view for each fold, and each key that has differed. */
export const makeReplyComparison = (): ReplyComparison => {
  const ones = new Map<string, string>()
  const others = new Map<string, string>()
  const known = new Set<string>()
  const differing = new Set<string>()
  const apply = (to: Map<string, string>, changes: ReadonlyArray<ReplyChange>) => {
    for (const [key, hash] of changes)
      if (hash === null) to.delete(key)
      else to.set(key, hash)
  }
  return {
    take: (one, other) => {
      apply(ones, one)
      apply(others, other)
      const first: Array<string> = []
      for (const [key] of [...one, ...other]) {
        known.add(key)
        if (differing.has(key) || ones.get(key) === others.get(key)) continue
        differing.add(key)
        first.push(key)
      }
      return first
    },
    keys: () => ({ all: known.size, differing: differing.size }),
  }
}

/** A member that differs; `undefined` where a value lacks it. */
export interface MemberDifference {
  readonly path: string
  readonly one: unknown
  readonly other: unknown
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/u

const memberPath = (path: string, name: string): string => {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === "" ? name : `${path}.${name}`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The members in which two JSON values differ, in the order of the first one, at most `max` of them, and how many there are.
 * Lists are compared entry by entry: an entry that is inserted in front makes all behind it differ.
 */
export const differencesOf = (
  one: unknown,
  other: unknown,
  max: number,
): { readonly shown: ReadonlyArray<MemberDifference>; readonly count: number } => {
  const shown: Array<MemberDifference> = []
  let count = 0
  const compare = (path: string, a: unknown, b: unknown): void => {
    if (Object.is(a, b)) return
    if (Array.isArray(a) && Array.isArray(b)) {
      for (let index = 0; index < Math.max(a.length, b.length); index += 1)
        compare(`${path}[${index}]`, a[index], b[index])
      return
    }
    if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(memberPath(path, name), a[name], b[name])
      return
    }
    count += 1
    if (shown.length < max) shown.push({ path, one: a, other: b })
  }
  compare("", one, other)
  return { shown, count }
}

const TEXT_MAX_CHARACTERS = 60
/** How much of what two texts begin with alike is shown. */
const ALIKE_SHOWN_CHARACTERS = 12

const textOf = (value: unknown): string => (value === undefined ? "absent" : JSON.stringify(value))

/** The characters that two texts begin with alike. */
const alikeLength = (one: string, other: string): number => {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

const cut = (text: string, from: number): string => {
  const begun = from === 0 ? text : `...${text.slice(from)}`
  return begun.length > TEXT_MAX_CHARACTERS ? `${begun.slice(0, TEXT_MAX_CHARACTERS)}...` : begun
}

/** A difference as one line; of long values what is around the first character that differs. */
export const describeDifference = ({ path, one, other }: MemberDifference): string => {
  const [before, after] = [textOf(one), textOf(other)]
  const isLong = before.length > TEXT_MAX_CHARACTERS || after.length > TEXT_MAX_CHARACTERS
  const from = isLong ? Math.max(0, alikeLength(before, after) - ALIKE_SHOWN_CHARACTERS) : 0
  return `${path === "" ? "the reply" : path}: ${cut(before, from)} -> ${cut(after, from)}`
}
