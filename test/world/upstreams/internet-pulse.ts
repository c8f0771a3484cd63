import { simulatedUpstream } from "../upstream.ts"

/** Answers a probe as each of the six hosts does. */
export default simulatedUpstream({
  name: "internet-pulse",
  hosts: [
    "dynamodb.us-east-1.amazonaws.com",
    "dynamodb.us-west-2.amazonaws.com",
    "dynamodb.eu-central-1.amazonaws.com",
    "dynamodb.ap-northeast-1.amazonaws.com",
    "www.cloudflare.com",
    "www.google.com",
  ],
  answer: ({ host, path }, world) => {
    if (host === "www.google.com") return path === "/generate_204" ? { status: 204, body: "" } : null
    if (host === "www.cloudflare.com")
      return path === "/cdn-cgi/trace"
        ? { body: `h=${host}\nts=${(world.nowMs / 1000).toFixed(3)}\nhttp=http/1.1\n` }
        : null
    return path === "/ping" ? { body: `healthy: ${host} ` } : null
  },
})
