import { techNews } from "../../../schemas/feeds/tech-news.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "stories",
  feed: techNews,
  without: ["discussionUrl"],
  texts: ["url", "author"],
  listed: "on_front_page",
})
