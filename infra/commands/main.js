import { Console } from "node:console"
import { enableCodeCache } from "../compile-cache.js"
import { loadEffectFromBundle } from "../effect-bundle.js"

// Runs one command of the table: `main.js NAME ...`, as the npm scripts do. Only the code of that command is loaded.
enableCodeCache()
loadEffectFromBundle()
// Before any declaration of the contract is loaded.
const { installFrom } = await import("../config/installation.ts")
installFrom(process.env)
// Standard output holds what a command was asked for, and nothing else: `--json` stays JSON whatever is logged.
globalThis.console = new Console(process.stderr)
const { DONE, endWithOutput, refuseUsage, WrongUsage } = await import("./arguments.ts")
const { commandTable, overview } = await import("./table.ts")

endWithOutput()
const [name, ...words] = process.argv.slice(2)
if (name === undefined || name === "--help" || name === "-h") {
  process.stdout.write(overview())
  process.exit(DONE)
}
const command = commandTable.find((one) => one.name === name) ?? refuseUsage(`there is no command ${name}`, overview())
try {
  process.exitCode = await command.run(words)
} catch (cause) {
  if (!(cause instanceof WrongUsage)) throw cause
  refuseUsage(cause.message, command.usage)
}
// A reader of a pipe may be slower than the command: the callback of a write runs once everything before it was taken. If the
// reader has gone, the error of the output ends the process.
await Promise.all([process.stdout, process.stderr].map((output) => new Promise((resolve) => output.write("", resolve))))
// Idle connections must not keep the process alive. The error of a closed output is emitted before this callback runs.
setImmediate(() => process.exit())
