import { aiStackCves, packageInEvent } from "../../../schemas/feeds/ai-stack-cves.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: aiStackCves,
  columns: ({ parameters }) => {
    const { id, ecosystem, category } = packageInEvent(parameters)
    return { package: id, ecosystem, category }
  },
})
