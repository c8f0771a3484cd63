import { execFile } from "node:child_process"
import { closeSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { tryLock } from "../../infra/system/file-lock.ts"
import packageJson from "../../package.json" with { type: "json" }
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import { eventually } from "../support/eventually.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024

/** A Debian from which an image with Node is made, where the Dockerfile's own cannot be pulled. */
const DEBIAN_IMAGE = process.env.DEBIAN_IMAGE ?? "tidewire-test/base:bookworm"

/** The targets of the Dockerfile. */
export const targets = ["slim", "tidewire", "demo"] as const
export type Target = (typeof targets)[number]

/** The tag of a target that tests build. */
export const tagOf = (target: Target): string => `tidewire-test/images:${target}`

/** Runs the Docker client; gives what it printed. Rejects with its complaint if it fails. */
export const docker = async (...words: ReadonlyArray<string>): Promise<string> =>
  (await run("docker", words, { maxBuffer: OUTPUT_MAX_BYTES })).stdout.trim()

/** The reason why images cannot be built, for the name of a skipped suite; undefined if they can. */
export const imagesMissing = async (): Promise<string | undefined> => {
  if (process.platform !== "linux") return "the packaged Node of this platform does not run in an image"
  return docker("version", "--format", "{{.Server.Version}}").then(
    () => undefined,
    () => "no Docker engine is reachable by the client docker",
  )
}

const exists = (image: string): Promise<boolean> =>
  docker("image", "inspect", image).then(
    () => true,
    () => false,
  )

/** Without the plugin of its builder the client builds by the engine's own. */
const builderOf = (): Promise<Readonly<Record<string, string>>> =>
  docker("buildx", "version").then(
    () => ({}),
    () => ({ DOCKER_BUILDKIT: "0" }),
  )

const build = async (context: string, ...words: ReadonlyArray<string>): Promise<void> => {
  const env = { ...process.env, ...(await builderOf()) }
  try {
    await run("docker", ["build", "--quiet", ...words, context], { env, maxBuffer: OUTPUT_MAX_BYTES })
  } catch (cause) {
    const { stdout, stderr } = cause as { readonly stdout: string; readonly stderr: string }
    throw new Error(`docker build ${words.join(" ")}: ${stdout}\n${stderr}`, { cause })
  }
}

const npm = async (...words: ReadonlyArray<string>): Promise<string> =>
  (await run("npm", words, { cwd: root })).stdout.trim()

/** Makes an image with this Node and npm, and what npm needs here to reach its registry; the user is that of Node's own images. */
const buildNode = async (context: string): Promise<string> => {
  const [folder, cafile, registry] = await Promise.all([
    npm("root", "--global"),
    npm("config", "get", "cafile"),
    npm("config", "get", "registry"),
  ])
  mkdirSync(context)
  copyFileSync(process.execPath, join(context, "node"))
  cpSync(join(folder, "npm"), join(context, "npm"), { recursive: true })
  const authorities = "/usr/local/etc/authorities.pem"
  const hasAuthorities = cafile !== "null" && cafile !== ""
  if (hasAuthorities) copyFileSync(cafile, join(context, "authorities.pem"))
  writeFileSync(
    join(context, "npmrc"),
    `registry=${registry}\n${hasAuthorities ? `cafile=${authorities}\n` : ""}update-notifier=false\n`,
  )
  writeFileSync(
    join(context, "Dockerfile"),
    [
      `FROM ${DEBIAN_IMAGE}`,
      "COPY node /usr/local/bin/node",
      "COPY npm /usr/local/lib/node_modules/npm",
      "RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node",
      ...(hasAuthorities ? [`COPY authorities.pem ${authorities}`] : []),
      "COPY npmrc /usr/local/etc/npmrc",
    ].join("\n"),
  )
  const tag = `tidewire-test/node:${process.versions.node}`
  await build(context, "--tag", tag)
  return tag
}

/** The image with Node that the targets are built from; null for the Dockerfile's own. */
const nodeImage = async (folder: string): Promise<string | null> => {
  if (process.env.NODE_IMAGE !== undefined) return process.env.NODE_IMAGE
  return (await exists(DEBIAN_IMAGE)) ? buildNode(join(folder, "node")) : null
}

/** Copies what the repository holds, with the Dockerfile's list of what an image may hold where every builder reads it. */
const copyContext = async (context: string): Promise<void> => {
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: OUTPUT_MAX_BYTES,
  })
  // An image takes the rights of its folders from here, and other tests of this process may have narrowed them.
  const umask = process.umask(0o022)
  for (const path of stdout.split("\0").filter((one) => one !== "" && !one.startsWith("test/bench/"))) {
    mkdirSync(join(context, dirname(path)), { recursive: true })
    // A file that was deleted and not committed is still listed.
    cpSync(join(root, path), join(context, path), { errorOnExist: false })
  }
  process.umask(umask)
  copyFileSync(join(root, "infra/deploy/Dockerfile.dockerignore"), join(context, ".dockerignore"))
}

/** Several files of tests build: the second one waits for the first, and finds every layer in the cache. */
const LOCK_FILE = join(tmpdir(), "tidewire-images.lock")
const LOCK_WITHIN_MS = 900_000

/** Builds every target, from the cache of layers as far as it goes. Gives the image that they are built from, null if it is public. */
export const buildTargets = async (): Promise<string | null> => {
  // The kernel releases the lock however the process ends.
  const lock = openSync(LOCK_FILE, "a+")
  try {
    await eventually("nobody else builds images", () => tryLock(lock, "alone"), LOCK_WITHIN_MS)
    return await buildAll()
  } finally {
    closeSync(lock)
  }
}

const buildAll = async (): Promise<string | null> => {
  const folder = mkdtempSync(join(tmpdir(), "tidewire-images-"))
  try {
    const base = await nodeImage(folder)
    const context = join(folder, "context")
    await copyContext(context)
    for (const target of targets)
      await build(
        context,
        ...["--file", join(context, "infra/deploy/Dockerfile"), "--target", target, "--tag", tagOf(target)],
        ...["--build-arg", `VERSION=${packageJson.version}`, "--build-arg", `CONTRACT_VERSION=${CONTRACT_VERSION}`],
        ...(process.env.GITHUB_SHA === undefined ? [] : ["--build-arg", `REVISION=${process.env.GITHUB_SHA}`]),
        ...(base === null ? [] : ["--build-arg", `NODE_IMAGE=${base}`]),
      )
    return base
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
