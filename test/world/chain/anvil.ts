import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "@foundry-rs/anvil-linux-amd64",
  "linux-arm64": "@foundry-rs/anvil-linux-arm64",
  "darwin-x64": "@foundry-rs/anvil-darwin-amd64",
  "darwin-arm64": "@foundry-rs/anvil-darwin-arm64",
}

/** The node's program for this platform, or the reason in one sentence why there is none. */
export const anvilProgram = (
  platform: string = process.platform,
  architecture: string = process.arch,
): { readonly program: string } | { readonly problem: string } => {
  const name = PACKAGES[`${platform}-${architecture}`]
  if (name === undefined) return { problem: `there is no local chain for ${platform} on ${architecture}` }
  try {
    // The command that npm installs is a script around the program, and killing that one leaves the program behind.
    return { program: createRequire(import.meta.url).resolve(`${name}/bin/anvil`) }
  } catch {
    return { problem: `the optional package ${name} is not installed` }
  }
}

// A shell ends the node together with this process: its input ends when this process ends, in whatever way.
// The shell also clears away the folder of the node's cache, its first argument.
const GUARD = `exec 3<&0
cache=$1
shift
"$@" </dev/null &
node=$!
{ cat <&3 >/dev/null; kill -9 $node; } 2>/dev/null &
guard=$!
exec >/dev/null 2>&1
wait $node
code=$?
kill $guard
rm -rf "$cache"
exit $code`

/** A running node of a local chain. */
export interface AnvilNode {
  readonly url: string
  /** Ends the node at once, as a crash would, and waits for its end. */
  readonly kill: () => Promise<void>
  /** Resolves with the last line of the node's output when it has ended. */
  readonly ended: Promise<string>
}

const OUTPUT_MAX_CHARACTERS = 16_384
const START_MAX_MS = 60_000
/** A reorganisation cannot go deeper. */
const STATES_KEPT = 512

/**
 * Starts a node on 127.0.0.1; port 0 takes a free one. Throws when it does not listen. It ends with this process, however
 * this one ends, and is in a group of its own, so that Ctrl-C does not reach it.
 */
export const startAnvil = async (options: {
  readonly port: number
  readonly chainId: number
  readonly slotsInAnEpoch: number
  readonly arguments?: ReadonlyArray<string>
}): Promise<AnvilNode> => {
  const found = anvilProgram()
  if ("problem" in found) throw new Error(found.problem)
  const cache = mkdtempSync(join(tmpdir(), "tidewire-chain-"))
  const child = spawn(
    "/bin/sh",
    [
      ...["-c", GUARD, "sh", cache, found.program, "--cache-path", cache],
      ...["--host", "127.0.0.1", "--port", String(options.port), "--chain-id", String(options.chainId)],
      ...["--slots-in-an-epoch", String(options.slotsInAnEpoch), "--prune-history", String(STATES_KEPT)],
      ...["--accounts", "10", "--no-cors", "--disable-console-log", ...(options.arguments ?? [])],
    ],
    // Its colours and keys come from the environment otherwise.
    { env: { PATH: process.env.PATH, HOME: cache, NO_COLOR: "1" }, detached: true, stdio: "pipe" },
  )
  child.stdin.on("error", () => {})
  let output = ""
  const ended = new Promise<string>((resolve) => {
    child.once("error", (cause) => resolve(cause.message))
    child.once("exit", () => {
      child.stdin.end()
      resolve(output.trim().split("\n").at(-1) ?? "")
    })
  })
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.stdin.end()
      reject(new Error(`the local chain does not listen: ${output}`))
    }, START_MAX_MS)
    const hear = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-OUTPUT_MAX_CHARACTERS)
      const listening = /Listening on (127\.0\.0\.1:\d+)/.exec(output)
      if (listening === null) return
      clearTimeout(timer)
      resolve(`http://${listening[1]}`)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    ended.then((words) => {
      clearTimeout(timer)
      reject(new Error(`the local chain has ended: ${words}`))
    })
  })
  return {
    url,
    ended,
    kill: async () => {
      child.stdin.end()
      await ended
    },
  }
}
