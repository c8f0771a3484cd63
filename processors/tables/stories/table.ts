import { techNews } from "../../../schemas/feeds/tech-news.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: techNews,
  listed: "on_front_page",
  now: { identity: ["id"] },
})
