import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
const STAY_MS = 180 * DAY_MS

const given = ["Ada", "Bela", "Chen", "Dara", "Emil", "Fumi", "Gita", "Hugo", "Ines", "Jun", "Kira", "Leon"] as const
const family = ["Abara", "Brandt", "Castillo", "Duval", "Eriksen", "Fujita", "Greco", "Haddad", "Ivanova"] as const

const pick = <Word>(words: readonly [Word, ...ReadonlyArray<Word>], fraction: number): Word =>
  words[Math.floor(fraction * words.length)] ?? words[0]

interface Person {
  readonly name: string
  readonly craft: string
}

/** The people in space now. Each seat changes its person twice a year, at a time of its own. */
export const peopleInSpace = (world: World): ReadonlyArray<Person> => {
  const seats = [...Array.from({ length: 7 }, () => "ISS"), ...Array.from({ length: 3 }, () => "Tiangong")]
  const people = seats.map((craft, seat) => {
    const turn = Math.floor(world.nowMs / STAY_MS + world.random("crew", "seat", seat))
    return {
      name: `${pick(given, world.random("crew", seat, turn, "given"))} ${pick(family, world.random("crew", seat, turn, "family"))}`,
      craft,
    }
  })
  return [...new Map(people.map((person) => [person.name, person])).values()]
}

export default simulatedUpstream({
  name: "open-notify",
  hosts: ["api.open-notify.org"],
  answer: ({ path }, world) => {
    if (path !== "/astros.json") return null
    const people = peopleInSpace(world)
    return { body: { people, number: people.length, message: "success" } }
  },
})
