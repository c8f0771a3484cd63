import { Agent, request } from "undici"

// `node verify.ts ADDRESS JWS`: one client posts bodies that are expensive to verify, on several connections, without a
// pause.

const CONNECTIONS = 4
const BYTES_MAX = 1024 * 1024
/** The largest body that the API reads. */
const READ_MAX_BYTES = 256 * 1024

const [address = "", jws = ""] = process.argv.slice(2)
const head = `{"receipt":{"id":"x","jws":"${jws}"}`
const names = (count: number) => Array.from({ length: count }, (_, at) => `,"n${at}":1`).join("")
const listOf = (count: number, item: string) => `,"l":[${Array.from({ length: count }, () => item).join()}]`
const nested = (depth: number) => `,"d":${"[".repeat(depth)}${"]".repeat(depth)}`

/** Bodies beyond the bound, and the most expensive ones within it. */
const bodies = [
  `${head}${names(125)}${listOf(345_000, "{}")}}`,
  `${head}${nested(500_000)}}`,
  `${head}${names(90_000)}}`,
  `${head}${names(125)}${listOf(9_500, "{}")}}`,
  `${head}${names(4_900)}}`,
  `${head}${listOf(4_900, '{"a":0.10000000000000001}')}}`,
  `${head},"s":${" ".repeat(READ_MAX_BYTES - 2_000)}1}`,
  `${head},"s":"${"\\u00e9".repeat(READ_MAX_BYTES / 6 - 400)}"}`,
]

for (const body of bodies) if (Buffer.byteLength(body) > BYTES_MAX + 50_000) throw new Error("the body is too large")

const agent = new Agent({ connections: CONNECTIONS })
const attack = async (first: number) => {
  for (let at = first; ; at++)
    await request(`${address}/api/receipt/verify`, {
      method: "POST",
      dispatcher: agent,
      headers: { "content-type": "application/json" },
      body: bodies[at % bodies.length] ?? "",
    }).then(
      ({ body }) => body.dump(),
      () => undefined,
    )
}
for (let connection = 0; connection < CONNECTIONS; connection++) void attack(connection * 2)
process.send?.("sent")
process.on("disconnect", () => process.exit(0))
