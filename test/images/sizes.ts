import { execFile } from "node:child_process"
import { createReadStream, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { createGzip } from "node:zlib"
import * as Schema from "effect/Schema"
import { docker, type Target, tagOf, targets } from "./build.ts"

/** The layers of images, by their files in an archive of the engine. */
const Manifest = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ RepoTags: Schema.Array(Schema.String), Layers: Schema.Array(Schema.String) })),
)

const compressedBytes = async (file: string): Promise<number> => {
  let bytes = 0
  const count = new Writable({
    write: (chunk: Buffer, _, done) => {
      bytes += chunk.length
      done()
    },
  })
  await pipeline(createReadStream(file), createGzip({ level: 1 }), count)
  return bytes
}

/** The size of an image, and of what it adds to another, in MB. */
interface Size {
  readonly whole: number
  readonly above: number
}

/**
 * The sizes of the targets as a registry holds them: the sum of their compressed layers, each compressed once. `base`: the
 * image that they are built from; null where the layers of that image are not known.
 */
export const compressedSizes = async (base: string | null): Promise<Readonly<Record<Target, Size>>> => {
  const folder = mkdtempSync(join(tmpdir(), "tidewire-sizes-"))
  try {
    const archive = join(folder, "images.tar")
    await docker("save", "--output", archive, ...targets.map(tagOf), ...(base === null ? [] : [base]))
    await promisify(execFile)("tar", ["-x", "-f", archive, "-C", folder])
    rmSync(archive)
    const images = Schema.decodeUnknownSync(Manifest)(readFileSync(join(folder, "manifest.json"), "utf8"))
    const layersOf = (tag: string) => images.find(({ RepoTags }) => RepoTags.includes(tag))?.Layers ?? []
    const bytesOf = new Map<string, number>()
    for (const layer of new Set(images.flatMap(({ Layers }) => Layers)))
      bytesOf.set(layer, await compressedBytes(join(folder, layer)))
    const below = new Set(base === null ? [] : layersOf(base))
    const megabytes = (layers: ReadonlyArray<string>) =>
      layers.reduce((sum, layer) => sum + (bytesOf.get(layer) ?? 0), 0) / 1_000_000
    const sizeOf = (target: Target): Size => {
      const layers = layersOf(tagOf(target))
      return { whole: megabytes(layers), above: megabytes(layers.filter((layer) => !below.has(layer))) }
    }
    return { slim: sizeOf("slim"), tidewire: sizeOf("tidewire"), demo: sizeOf("demo") }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
