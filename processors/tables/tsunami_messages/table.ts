import { tsunami, tsunamiLevel } from "../../../schemas/feeds/tsunami.ts"
import { table } from "../../table.ts"

export default table({
  name: "tsunami_messages",
  feed: tsunami,
  // "gone" only means that the next message replaced it in the feed: no row.
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            issued_at: item.issuedAt,
            centre: item.centre,
            event: item.event ?? "",
            product: item.product ?? "",
            number: item.number,
            category: item.category,
            level: tsunamiLevel[item.category],
            title: item.title,
            place: item.place,
            latitude: item.latitude,
            longitude: item.longitude,
            magnitude: item.magnitude,
            magnitude_type: item.magnitudeType ?? "",
            note: item.note ?? "",
            url: item.url ?? "",
            observed_at: observedAt,
          },
        ],
  partition: (row) => row.issued_at.slice(0, 4),
})
