import { writeSync } from "node:fs"
import { Agent } from "undici"
import { makeRailClient } from "./rail-client.ts"
import { buildSister } from "./sister.ts"

/** What the process of a sister service is started with, as JSON in its argument. */
export interface SisterSpec {
  readonly railUrl: string
  readonly secret: string
  readonly port: number
}

const main = async () => {
  const { railUrl, secret, port }: SisterSpec = JSON.parse(process.argv[2] ?? "")
  const rail = makeRailClient({ url: railUrl, secret, dispatcher: new Agent() })
  const url = await buildSister(rail).listen({ host: "127.0.0.1", port })
  writeSync(1, `${JSON.stringify({ listening: url })}\n`)
}

if (import.meta.main) await main()
