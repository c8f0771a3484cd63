import * as Result from "effect/Result"
import { makeStating } from "../../../processors/changes/stated.ts"
import { eventReader } from "../../../schemas/registry.ts"
import { everythingShown, LOG_NAME, numberedChange } from "../../changes/numbered-changes.ts"

const state = makeStating(everythingShown)

/** The change of a number as a stream states it: the same bytes for every server of the comparison. */
export const messageOf = (ordinal: number): string => {
  const { value } = numberedChange(ordinal)
  const event = value === null ? null : eventReader.readEvent(value)
  if (event === null || Result.isFailure(event)) throw new Error("a change cannot be read")
  return JSON.stringify(state(event.success, { log: LOG_NAME, ordinal }))
}
