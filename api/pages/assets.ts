import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import { type PreparedReply, prepare } from "../http/representation.ts"
import { type Html, html, scriptJson } from "./html.ts"

// Files that pages load: the stylesheet, which is its parts in the order of their names, the browser modules of `assets/`,
// and libraries as their packages ship them. Their addresses hold their hashes, so browsers keep them for ever; an import
// map leads modules from the names in their sources to these addresses. Nothing is read before the first page is requested.

/** Where assets are served. */
export const ASSETS_PATH = "/assets"

/** The one stylesheet, and the folder of its parts. */
const STYLESHEET = "tidewire.css"
const STYLES = "styles/"

/** Libraries that modules import by these names. */
const libraries = ["preact", "preact/hooks", "htm", "uqr"] as const

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
}

/** A year: the address changes with the content. */
const FOR_EVER = "public, max-age=31536000, immutable"

interface Asset {
  /** Under which pages and modules know it. */
  readonly name: string
  readonly path: string
  readonly read: () => Buffer
}

const folder = new URL("assets/", import.meta.url)
const extensionOf = (name: string): string => extname(name)

const hashed = (name: string, bytes: Buffer): Asset => {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 12)
  const extension = extensionOf(name)
  return { name, path: `${ASSETS_PATH}/${name.slice(0, -extension.length)}.${hash}${extension}`, read: () => bytes }
}

const stylesheet = (): Asset => {
  const styles = new URL(STYLES, folder)
  const parts = readdirSync(styles).filter((name) => extensionOf(name) === ".css")
  return hashed(STYLESHEET, Buffer.concat(parts.sort().map((name) => readFileSync(new URL(name, styles)))))
}

const library = (name: (typeof libraries)[number]): Asset => {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(name)))
  return { ...hashed(`${name.replaceAll("/", "-")}.js`, bytes), name }
}

/** The logos that redoc shows beside its name, which it would load from its maker. */
const FOREIGN_LOGOS = /https:\/\/cdn\.redoc\.ly\/redoc\/logo[\w-]*\.svg/g

/** The reference page's module: two megabytes, so its address holds its version, and it is read when it is requested. */
const reference = (): Asset => {
  const file = new URL("bundles/redoc.standalone.js", import.meta.resolve("redoc/package.json"))
  const { version } = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve("redoc/package.json")), "utf8"))
  const read = () => Buffer.from(readFileSync(file, "utf8").replace(FOREIGN_LOGOS, "data:,"))
  return { name: "redoc", path: `${ASSETS_PATH}/redoc.${version}.js`, read }
}

/** What a page may load beside the files of its own origin. */
interface PageSources {
  /** The CSP source of its import map, its one inline script; null for a page without scripts. */
  readonly importMap: string | null
  /** Further directives by name, in place of those that every page has; none unless given. */
  readonly more?: Readonly<Record<string, string>>
}

/** The policy of a page: files of its own origin alone, no inline style, no form that leaves it, no frame around it. */
const pagePolicy = ({ importMap, more = {} }: PageSources): string =>
  Object.entries({
    "default-src": "'none'",
    "script-src": importMap === null ? "'none'" : `'self' ${importMap}`,
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...more,
  })
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ")

/** The assets of all pages. */
interface Assets {
  /** The address of an asset by its name, as `world.js`. Throws for a name that does not exist. */
  readonly pathOf: (name: string) => string
  /** The element that maps the modules' imports to their addresses. */
  readonly importMap: Html
  /** The CSP source of the import map. */
  readonly importMapSource: string
  /** The policy of a page; `more` as in `pagePolicy`. */
  readonly policyOf: (more?: Readonly<Record<string, string>>) => string
  readonly stylesheet: string
  /** The reply with an asset by its address; null for an address that does not exist. */
  readonly replyOf: (path: string, nowMs: number) => Promise<PreparedReply> | null
}

/** The names of the files that pages load by themselves, those of a folder with it: `age.js`, `buying/start.js`. */
const ownNames = (): ReadonlyArray<string> =>
  [
    "",
    ...readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [`${entry.name}/`] : [])),
  ]
    .filter((under) => under !== STYLES)
    .flatMap((under) => readdirSync(new URL(`./${under}`, folder)).map((name) => `${under}${name}`))
    .filter((name) => extensionOf(name) in mediaTypes && !name.startsWith("tsconfig"))

const loadAssets = (): Assets => {
  const all = [
    stylesheet(),
    ...ownNames().map((name) => hashed(name, readFileSync(new URL(name, folder)))),
    ...libraries.map(library),
    reference(),
  ]
  const byName = new Map(all.map((asset) => [asset.name, asset]))
  const byPath = new Map(all.map((asset) => [asset.path, asset]))
  const replies = new Map<string, Promise<PreparedReply>>()
  const pathOf = (name: string): string => {
    const asset = byName.get(name)
    if (asset === undefined) throw new Error(`there is no asset ${name}`)
    return asset.path
  }
  // A relative import is resolved against the address of the importing module before it is looked up.
  const specifierOf = (name: string) => (extensionOf(name) === ".js" ? `${ASSETS_PATH}/${name}` : name)
  const modules = all.filter(({ path }) => extensionOf(path) === ".js")
  const map = scriptJson({ imports: Object.fromEntries(modules.map(({ name, path }) => [specifierOf(name), path])) })
  const importMapSource = `'sha256-${createHash("sha256").update(String(map)).digest("base64")}'`
  const load = ({ path, read }: Asset, nowMs: number): Promise<PreparedReply> =>
    prepare(read(), {
      preparedAtMs: nowMs,
      ttlMs: 0,
      changesAtMs: null,
      asOf: null,
      stale: null,
      missing: null,
      contentType: mediaTypes[extensionOf(path)] ?? "application/octet-stream",
      cacheControl: FOR_EVER,
    })
  return {
    pathOf,
    importMap: html`<script type="importmap">${map}</script>`,
    importMapSource,
    policyOf: (more) => pagePolicy({ importMap: importMapSource, ...(more === undefined ? {} : { more }) }),
    stylesheet: pathOf(STYLESHEET),
    replyOf: (path, nowMs) => {
      const asset = byPath.get(path)
      if (asset === undefined) return null
      const reply = replies.get(path) ?? load(asset, nowMs)
      replies.set(path, reply)
      return reply
    },
  }
}

let loaded: Assets | null = null

/** The assets, read when they are first needed. */
export const assets = (): Assets => {
  loaded ??= loadAssets()
  return loaded
}
