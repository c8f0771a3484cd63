import { type ViewVersion, viewsChanged } from "../../../schemas/events/versions.ts"
import { eventTable } from "../../table.ts"

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

export default eventTable(import.meta.url, {
  type: viewsChanged,
  // All folds that wrote in a month have written their views whole at its begin.
  standsAlone: "uniqExactIf(view, part = 'begin') >= uniqExactIf(view, part = 'settled')",
  rows: ({ time, data: { processor, settles, begins, change = "", versions } }) => [
    ...versions.map((version) => ({ part: version.part, view: version.view, known_at: time, ...formOf(version) })),
    ...(begins === true ? [note("begin", processor, time, change)] : []),
    ...(begins === true || change === "" ? [] : [note("change", "", time, change)]),
    ...(settles === true ? [note("settled", processor, time, "")] : []),
  ],
})
