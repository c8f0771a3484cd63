import { aiStackCves, factsOfPackage } from "../../../schemas/feeds/ai-stack-cves.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "vulnerabilities",
  feed: aiStackCves,
  texts: ["summary"],
  columns: ({ parameters }) => {
    const { id, ecosystem, category } = factsOfPackage(parameters)
    return { package: id, ecosystem, category }
  },
  listed: "listed",
})
