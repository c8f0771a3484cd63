import type { DataOf } from "../../../schemas/event.ts"
import { pastPurged, type ViewVersion, viewsChanged } from "../../../schemas/events/versions.ts"
import { eventsTable } from "../../table.ts"

const formOf = ({ whole, patch }: ViewVersion) =>
  patch === undefined
    ? { form: whole === null ? "removed" : "whole", hash: "", value: whole ?? "" }
    : { form: "patch", hash: patch.hash, value: `${JSON.stringify(patch.plan)}\n${patch.own}` }

/** A row that is no version: what stands in `view`, and the value. */
const note = (part: string, view: string, known_at: string, value: string) => ({
  part,
  view,
  known_at,
  form: "whole",
  hash: "",
  value,
})

const rowsOfCommit = (time: string, data: DataOf<typeof viewsChanged>) => {
  const { processor, settles, begins, change = "", versions } = data
  return [
    ...versions.map((version) => ({ part: version.part, view: version.view, known_at: time, ...formOf(version) })),
    ...(begins === true ? [note("begin", processor, time, change)] : []),
    ...(begins === true || change === "" ? [] : [note("change", "", time, change)]),
    ...(settles === true ? [note("settled", processor, time, "")] : []),
  ]
}

export default eventsTable(import.meta.url, {
  types: [viewsChanged, pastPurged],
  // All folds that wrote in a month have written their views whole at its begin.
  standsAlone: "uniqExactIf(view, part = 'begin') >= uniqExactIf(view, part = 'settled')",
  rows: (event) =>
    event.type === pastPurged.type
      ? [note("purged", event.data.path, event.time, JSON.stringify({ from: event.data.from, to: event.data.to }))]
      : rowsOfCommit(event.time, event.data),
})
