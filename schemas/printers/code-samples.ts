import { type Endpoint, isPremium } from "../contract/endpoint-kinds.ts"
import { layoutOf } from "../contract/envelope.ts"
import { MCP_PATH } from "../contract/mcp.ts"
import { instanceKey } from "../feed.ts"
import { isRequired } from "./openapi.ts"

// Calls of an endpoint to copy. Each runs as it stands, with nothing but the language's own library; a token is read from
// the environment, so that none stands in a file.

/** Where samples read the token. */
const TOKEN = "TIDEWIRE_TOKEN"

/** A call in one language. */
export interface CodeSample {
  /** The language, as highlighters of code name it. */
  readonly lang: "sh" | "typescript" | "python"
  readonly label: "curl" | "TypeScript" | "Python" | "MCP"
  readonly source: string
}

/** Examples of the parameters without which a call is refused. */
export const requiredExamples = ({ parameters }: Pick<Endpoint, "parameters">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) =>
      isRequired(parameter) ? [[name, parameter.example]] : [],
    ),
  )

/** A text in single quotes for a POSIX shell. */
const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A text literal of TypeScript and Python alike. */
const literal = (text: string): string => JSON.stringify(text)

const curl = (url: string, isPaid: boolean): string =>
  isPaid
    ? `curl -sS ${shellText(url)} \\\n  -H "Authorization: Bearer $${TOKEN}" \\\n  -H "Idempotency-Key: $(openssl rand -hex 16)"`
    : `curl -sS ${shellText(url)}`

const typescript = (url: string, isPaid: boolean, shown: string): string => {
  const options = `, {
  headers: {
    Authorization: \`Bearer \${process.env.${TOKEN}}\`,
    // A repeated call under the same key is charged once.
    "Idempotency-Key": crypto.randomUUID(),
  },
}`
  return `const response = await fetch(${literal(url)}${isPaid ? options : ""})
const reply = await response.json()
if (!response.ok) throw new Error(reply.message)
if (reply._meta.stale) console.warn(\`stale since \${reply._meta.stale_after}\`)
console.log(${shown === "" ? "reply" : `reply.${shown}`})`
}

const python = (url: string, isPaid: boolean, shown: string): string => {
  const headers = `request = Request(
    ${literal(url)},
    headers={
        "Authorization": f"Bearer {os.environ['${TOKEN}']}",
        # A repeated call under the same key is charged once.
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
`
  const imports = isPaid
    ? "import json\nimport os\nimport uuid\nfrom urllib.request import Request, urlopen"
    : "import json\nfrom urllib.request import urlopen"
  return `${imports}

${isPaid ? headers : ""}with urlopen(${isPaid ? "request" : literal(url)}, timeout=10) as response:
    reply = json.load(response)
if reply["_meta"]["stale"]:
    print("stale since", reply["_meta"]["stale_after"])
print(${shown === "" ? "reply" : `reply["${shown}"]`})`
}

const mcp = (endpoint: Endpoint, address: string, isPaid: boolean): string => {
  const parameters = requiredExamples(endpoint)
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "get_dataset",
      arguments: {
        name: endpoint.name,
        ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
        ...(isPremium(endpoint) ? { max_credits: endpoint.credits } : {}),
      },
    },
  }
  const token = isPaid ? `  -H "Authorization: Bearer $${TOKEN}" \\\n` : ""
  return `curl -sS ${shellText(`${address}${MCP_PATH}`)} \\
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\
${token}  -d ${shellText(JSON.stringify(call))}`
}

/** Samples of a call with examples of the required parameters. `address`: the service's, without a slash at its end. */
export const codeSamples = (endpoint: Endpoint, address: string): ReadonlyArray<CodeSample> => {
  const url = `${address}${instanceKey(endpoint.path, requiredExamples(endpoint))}`
  const isPaid = endpoint.bearer === "required"
  const shown = "envelope" in endpoint && layoutOf(endpoint.envelope).includes("data") ? "data" : ""
  return [
    { lang: "sh", label: "curl", source: curl(url, isPaid) },
    { lang: "typescript", label: "TypeScript", source: typescript(url, isPaid, shown) },
    { lang: "python", label: "Python", source: python(url, isPaid, shown) },
    { lang: "sh", label: "MCP", source: mcp(endpoint, address, isPaid) },
  ]
}
