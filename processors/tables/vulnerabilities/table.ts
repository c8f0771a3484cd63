import { aiStackCves, factsOfPackage } from "../../../schemas/feeds/ai-stack-cves.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: aiStackCves,
  columns: ({ parameters }) => {
    const { id, ecosystem, category } = factsOfPackage(parameters)
    return { package: id, ecosystem, category }
  },
})
