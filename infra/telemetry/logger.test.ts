import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"

/** The output of a process that uses the logger and the console. */
const lines = execFileSync(
  process.execPath,
  [
    "--input-type=module-typescript",
    "--eval",
    `import { logConsole, makeLogger, originOf } from ${JSON.stringify(new URL("logger.ts", import.meta.url).href)}
     import { AccessLog } from ${JSON.stringify(new URL("../../api/http/traffic.ts", import.meta.url).href)}
     const logger = makeLogger("info", { role: "ledger", instance: "one" })
     logConsole(logger)
     logger.info("begun")
     for (let n = 0; n < 100; n++) console.error(new Error("No space left on device"))
     const access = new AccessLog((text) => process.stdout.write(text), () => 0, originOf(logger))
     access.add({ endpoint: "health", method: "GET", status: 200, bytes: 1, coding: "identity", durationMs: 1, client: "other", request: "0123abcd-1" })
     access.close()`,
  ],
  { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

it("every line says the role and the process, those of requests as well", () => {
  expect(lines.map(({ role, instance }) => `${role} ${instance}`)).toEqual(["ledger one", "ledger one", "ledger one"])
  expect(lines[2]).toMatchObject({ msg: "request", endpoint: "health" })
})

it("what a library writes to the console is a line of the log, and does not flood it", () => {
  expect(lines[1]).toMatchObject({ level: "warn", component: "console", msg: "No space left on device" })
})
