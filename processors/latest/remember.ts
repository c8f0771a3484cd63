import { memoryKey, type ViewInstance } from "../view/build-view.ts"
import type { Poll } from "../view/memory.ts"
import { setEntries } from "./memories.ts"
import type { Draft } from "./state.ts"

/** Gives the input of a memory; `isInitial`: the memory, or the instance, begins with this poll. */
export type PollOf = (isInitial: boolean) => Poll

/** Adds a good poll to the memories of a view that cover this instance; true if any of them has changed. */
export const remember = (to: Draft, instance: ViewInstance, feedKey: string, pollOf: PollOf): boolean => {
  let isChanged = false
  for (const { name, input, instances } of instance.parts) {
    if (input.memory === null || !instances.some(({ key }) => key === feedKey)) continue
    const key = memoryKey(instance.key, name)
    const before = to.readings.remembered(key)
    try {
      const after = input.memory.after(before, pollOf(before === undefined))
      if (after === before || after === undefined) continue
      setEntries(to, key, before ?? [], after)
      isChanged = true
    } catch (cause) {
      to.problems.push({ subject: key, problem: `memory: ${String(cause)}` })
    }
  }
  return isChanged
}
