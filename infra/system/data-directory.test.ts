import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { holdDirectory, keptSecret } from "./data-directory.ts"

const temporary = () => join(mkdtempSync(join(tmpdir(), "tidewire-directory-")), "data")
const module = new URL("./data-directory.ts", import.meta.url).href

/** A process that holds the folder until it is killed. */
const startHolder = (directory: string) => {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { Effect, Scope } from "effect"
       const { holdDirectory } = await import(${JSON.stringify(module)})
       await Effect.runPromise(holdDirectory(${JSON.stringify(directory)}).pipe(Effect.provideService(Scope.Scope, await Effect.runPromise(Scope.make()))))
       process.stdout.write("held")
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ["ignore", "pipe", "inherit"], cwd: new URL("../..", import.meta.url) },
  )
  const held = new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve())
    child.once("exit", (code) => reject(new Error(`the holder ended with ${code}`)))
  })
  return { child, held }
}

describe("DATA_DIR", () => {
  it("is refused while another process holds it, naming the holder, and free after kill -9", async () => {
    const directory = temporary()
    const { child, held } = startHolder(directory)
    await held
    const refused = await Effect.runPromiseExit(Effect.scoped(holdDirectory(directory)))
    expect(Exit.isFailure(refused) && String(refused.cause)).toContain(`process ${child.pid}`)
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await ended
    expect(Exit.isSuccess(await Effect.runPromiseExit(Effect.scoped(holdDirectory(directory))))).toBe(true)
  })

  it("is unlocked when the scope closes", async () => {
    const directory = temporary()
    const scope = await Effect.runPromise(Scope.make())
    await Effect.runPromise(holdDirectory(directory).pipe(Effect.provideService(Scope.Scope, scope)))
    expect(Exit.isFailure(await Effect.runPromiseExit(Effect.scoped(holdDirectory(directory))))).toBe(true)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(Exit.isSuccess(await Effect.runPromiseExit(Effect.scoped(holdDirectory(directory))))).toBe(true)
  })

  it.each<[string, (home: string) => string, string]>([
    ["is a file", (home) => join(home, "file"), "a file has its name"],
    ["is below a file", (home) => join(home, "file", "deep", "data"), "a folder on its path is a file"],
    ["has a name that is too long", (home) => join(home, "x".repeat(300)), "its name is too long"],
  ])("that %s is refused in a sentence", async (_, where, problem) => {
    const home = mkdtempSync(join(tmpdir(), "tidewire-directory-"))
    writeFileSync(join(home, "file"), "")
    const failure = await Effect.runPromise(Effect.flip(Effect.scoped(holdDirectory(where(home)))))
    expect(failure.message).toBe(`DATA_DIR: ${where(home)} cannot be used: ${problem}`)
  })

  it.skipIf(process.platform !== "linux")("is refused if it cannot be created (needs /proc)", async () => {
    const failure = await Effect.runPromise(Effect.flip(Effect.scoped(holdDirectory("/proc/nobody/data"))))
    expect(failure.message).toBe("DATA_DIR: /proc/nobody/data cannot be used: no folder can be made there")
  })

  it.skipIf(process.getuid?.() === 0)("is refused if it cannot be written (root can write everywhere)", async () => {
    const home = mkdtempSync(join(tmpdir(), "tidewire-directory-"))
    chmodSync(home, 0o500)
    const failure = await Effect.runPromise(Effect.flip(Effect.scoped(holdDirectory(join(home, "data")))))
    expect(failure.message).toContain("cannot be used: this user may not write there")
  })

  it("is created with its parents, accessible by its owner only", async () => {
    const directory = join(temporary(), "deep", "down")
    await Effect.runPromise(Effect.scoped(holdDirectory(directory)))
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  it("keeps a secret across starts, readable by its owner only", async () => {
    const directory = temporary()
    const first = await Effect.runPromise(keptSecret(directory, "internal"))
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(await Effect.runPromise(keptSecret(directory, "internal"))).toBe(first)
    expect(statSync(join(directory, "secrets", "internal")).mode & 0o777).toBe(0o600)
  })
})
