import * as Schema from "effect/Schema"
import { expect } from "vitest"
import type { FoldingBench } from "../../../processors/testing/folding.ts"
import {
  proWorldDeltasEndpoint,
  selectWorldDeltas,
  WorldDeltas,
  WorldDeltasFull,
} from "../../../schemas/endpoints/pro-world-deltas.ts"
import type { ViewBody } from "../../../schemas/view-record.ts"

const strict = { onExcessProperty: "error" } as const
const NONE: ReadonlySet<string> = new Set()

/** The whole view that a fold has published. */
export const bodyOf = (bench: FoldingBench): WorldDeltasFull =>
  Schema.decodeUnknownSync(WorldDeltasFull, strict)((bench.view(proWorldDeltasEndpoint.path) as ViewBody).data)

/** Selects, and holds the reply to its schema and to the rule that every null has a note. */
export const selected = (full: WorldDeltasFull, since?: string, withheld = NONE) => {
  const { data, inputs } = selectWorldDeltas(full, { since }, withheld)
  Schema.decodeUnknownSync(WorldDeltas, strict)(data)
  const { events, notes, ...members } = data
  const walk = (value: unknown, name: string): void => {
    if (value === null) expect(notes[name], `${name} is null without a note`).toMatch(/\w{3}/)
    else if (typeof value === "object")
      for (const [member, inner] of Object.entries(value)) walk(inner, name === "" ? member : `${name}.${member}`)
  }
  walk(members, "")
  for (const { type, data: one } of events) walk(one, type)
  return { ...data, inputs }
}
