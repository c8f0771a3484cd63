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
  rows: ({ time, data: { processor, settles, change, versions } }) => [
    ...versions.map((version) => ({ part: version.part, view: version.view, known_at: time, ...formOf(version) })),
    ...(change === undefined ? [] : [note("change", "", time, change)]),
    ...(settles === true ? [note("settled", processor, time, "")] : []),
  ],
})
