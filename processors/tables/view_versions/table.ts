import { type ViewVersion, viewsChanged } from "../../../schemas/events/versions.ts"
import { eventTable } from "../../table.ts"

const formOf = ({ whole, patch }: ViewVersion) =>
  patch === undefined
    ? { form: whole === null ? "removed" : "whole", hash: "", value: whole ?? "" }
    : { form: "patch", hash: patch.hash, value: `${JSON.stringify(patch.plan)}\n${patch.own}` }

export default eventTable(import.meta.url, {
  type: viewsChanged,
  rows: ({ time, data: { processor, settles, versions } }) => [
    ...versions.map((version) => ({ part: version.part, view: version.view, known_at: time, ...formOf(version) })),
    ...(settles === true
      ? [{ part: "settled", view: processor, known_at: time, form: "whole", hash: "", value: "" }]
      : []),
  ],
})
