import { aiStackCves, factsOfPackage } from "../../../schemas/feeds/ai-stack-cves.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "vulnerabilities",
  feed: aiStackCves,
  rows: ({ kind, item, parameters, observedAt }) => {
    const { id, ecosystem, category } = factsOfPackage(parameters)
    return [
      {
        id: item.id,
        package: id,
        ecosystem,
        category,
        aliases: item.aliases,
        severity: item.severity,
        cvss: item.cvss,
        epss: item.epss,
        summary: item.summary ?? "",
        published_at: item.publishedAt,
        modified_at: item.modifiedAt,
        url: item.url,
        listed: kind !== "gone",
        observed_at: observedAt,
      },
    ]
  },
  partition: (row) => monthOf(row.observed_at),
})
